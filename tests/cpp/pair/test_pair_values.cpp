// Programs whose doubles become pairs of floats compute what those of doubles do.
#include "pair/pair_test.h"

#include <random>

using namespace pair_test;

namespace {

bool near(double pair, double exact, double tolerance) {
  if (std::isnan(exact)) return std::isnan(pair);
  if (std::isinf(exact) || exact == 0) return pair == exact;
  return std::fabs(pair / exact - 1) <= tolerance;
}

TEST_F(PairPrograms, ComputeWhatDoublesDo) {
  const std::string text = R"(
typedef struct { double hi; int n; } part;
typedef struct { part p; double t[3]; } whole;
NMATH_TABLE double table[3][2] = {{1.0, 1.0 / 3}, {-2, 0x1p-5}, 7.25, .1};
NMATH_TABLE double flat[] = {1, 2, 3.5,};
enum { ZERO, ONE, TWO };
#define SQ(x) ((x) * (x))
NMATH_FN double sum(const double *x, int n) { double s = 0; for (int k = 0; k < n; ++k) s += x[k]; return s; }
NMATH_FN whole make(double x) { whole w; w.p.hi = x; w.p.n = (int)x; for (int i = 0; i < 3; ++i) w.t[i] = x / (i + 1); return w; }
NMATH_FN void change(double *x, part *p) { *x -= 1; p->hi *= 2; p->n += 1.5; --*x; }
NMATH_FN int which(double x) { if (x) return x > 0 ? ONE : TWO; else return ZERO; }
__kernel void k(__global const double *x, __global double *out, const int len)
{
    int i = get_global_id(0);
    if (i >= len) return;
    double a = x[i], b = a, v[2] = {a, 0.25};
    whole w = make(a);
    __global double *r = out + 20 * i;
    *r++ = sum(w.t, 3);
    *r++ = SQ(a) + table[1][1] * table[2][0] - flat[2];
    change(&b, &w.p);
    *r++ = b;
    *r++ = w.p.hi + w.p.n;
    *r++ = a > 1 ? a : 3;
    *r++ = which(a) + which(-a) + which(0.0);
    int e;
    double m = frexp(a, &e);
    *r++ = m; *r++ = e; *r++ = ldexp(m, e + 1);
    float f = (float)a; f += 0.5f;
    *r++ = f - (float)a;
    uint u = (uint)fabs(a); ulong big = (ulong)1 << 40; long l = -(long)big;
    *r++ = u + big * 3.0 + l;
    do { b *= 0.5; } while (b > 1);
    *r++ = b;
    switch ((int)fabs(a) % 3) { case 0: b = 1; break; case 1: b = a; default: b += v[0]; }
    *r++ = b;
    *r++ = (v[1] = a, v[1] += v[0]);
    *r++ = -a + +a - (a + 0.1);
    *r++ = !a || (a && a != 2);
    *r++ = fmax(fmin(a, 2), -3) + min(i, 4) + max(1.5, a);
    *r++ = exp(-fabs(a)) + log1p(a * a) + pow(2.0, sin(a));
    *r++ = nmath_from_bits(nmath_bits(a)) + isnan(a) + isinf(1 / a);
    *r++ = fma(a, a, -(a * a)) == 0 ? 0.5 : 0.25;
})";
  std::vector<double> x = {1, 2.5, -3.75, 0.1, 1e10, -1e-5, 123456.789, 4};
  const std::vector<double> given = [&] {
    std::vector<double> cut;
    for (const Pair& p : split(x)) cut.push_back(joined(p));
    return cut;
  }();
  const std::vector<double> exact = of_doubles(text, given, 20 * x.size()),
                            pairs = of_pairs(text, given, 20 * x.size());
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (k % 20 == 19 || (given[k / 20] == 1e10 && (k % 20 == 12 || k % 20 == 10 || k % 20 == 3)))
      continue;  // a rounding; beyond an int
    EXPECT_TRUE(near(pairs[k], exact[k], 0x1p-40))
        << "x = " << given[k / 20] << " result " << k % 20 << ": " << pairs[k] << " not " << exact[k];
  }
}

// Random functions of sums, products, quotients and choices, in statements of all kinds.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string body;
    for (int k = 0; k < 12; ++k) body += statement(k);
    return "NMATH_FN double f(double a, double b, int n)\n{\n  double v[4] = {a, b, 1, 0.25}; int m = n;\n" + body +
           "  return v[0] + v[1] * 0.5 + m;\n}\n"
           "__kernel void k(__global const double *x, __global double *out, const int len)\n"
           "{ int i = get_global_id(0); if (i < len) out[i] = f(x[i], x[(i + 1) % len], i % 5); }\n";
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string place() { return "v[" + std::to_string(pick(4)) + "]"; }

  // Positive and of moderate size, so that no result is the difference of nearly equal ones.
  std::string value(int depth) {
    if (depth == 0) {
      const char* const kLeaves[] = {"a", "b", "1.5", "0.1", "2", "(double)n", "(double)3.0f", "1e-3", "(0.5 + m)"};
      return pick(3) == 0 ? place() : kLeaves[pick(9)];
    }
    const std::string x = value(depth - 1), y = value(depth - 1);
    switch (pick(9)) {
      case 0:
        return "(" + x + " + " + y + ")";
      case 1:
        return "(" + x + " * " + y + ") / (1 + " + x + ")";
      case 2:
        return "(" + x + " / (" + y + " + 1))";
      case 3:
        return "(" + condition(depth - 1) + " ? " + x + " : " + y + ")";
      case 4:
        return "fmax(" + x + ", " + y + ")";
      case 5:
        return "sqrt(" + x + ")";
      case 6:
        return "log1p(" + x + ")";
      case 7:
        return "exp(-" + x + " / (1.0 + " + x + "))";
      default:
        return "fmin(" + x + ", 50.0)";
    }
  }
  std::string condition(int depth) {
    const char* const kSigns[] = {" < ", " > ", " <= ", " >= "};
    const std::string one = "n" + std::string(kSigns[pick(4)]) + std::to_string(pick(5));
    return pick(2) == 0 ? one
                        : "(" + one + (pick(2) == 0 ? " && " : " || ") + "!(" + value(depth > 1 ? 1 : 0) + " < 0))";
  }
  std::string statement(int k) {
    const std::string number = std::to_string(k);
    switch (pick(6)) {
      case 0:
        return "  " + place() + " = " + value(3) + ";\n";
      case 1:
        return "  " + place() + " += " + value(2) + ";\n";
      case 2:
        return "  if (" + condition(2) + ") " + place() + " = " + value(2) + "; else { " + place() + " *= 0.75; }\n";
      case 3:
        return "  for (int k" + number + " = 0; k" + number + " < n; ++k" + number + ") " + place() + " = fmin(" +
               value(2) + " + k" + number + ", 1e3);\n";
      case 4:
        return "  { double t" + number + " = " + value(2) + ", *p = &t" + number + "; *p /= 3; " + place() +
               " = *p; }\n";
      default:
        return "  m += (int)fmin(n * 0.5, 100); " + place() + "++;\n";
    }
  }

  std::mt19937 random_;
};

TEST_F(PairPrograms, RandomFunctionsComputeWhatDoublesDo) {
  std::vector<double> x;
  for (int i = 0; i < 20; ++i) x.push_back(joined(split(0.05 + 0.37 * i)));
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::string text = RandomProgram(seed).text();
    const std::vector<double> exact = of_doubles(text, x, x.size()), pairs = of_pairs(text, x, x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      ASSERT_TRUE(near(pairs[k], exact[k], 0x1p-38))
          << text << "\nx = " << x[k] << ": " << pairs[k] << ", not " << exact[k];
  }
}

}  // namespace
