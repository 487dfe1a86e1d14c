// Programs whose doubles become pairs of floats: what is written, and what is refused.
#include "pair/pair_test.h"

#include <clocale>
#include <random>

using namespace pair_test;

namespace {

// Without line ends and directives of lines, single blanks.
std::string flat(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 6, "#line ") == 0) at = text.find('\n', at);
    if (text[at] == '\n' || text[at] == ' ') {
      if (!result.empty() && result.back() != ' ') result += ' ';
    } else {
      result += text[at];
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string translated(const std::string& text) { return flat(pair_program(text, {}, "")); }

struct TextCase {
  const char *given, *wanted;
};

TEST(PairText, ExpressionsOfDoublesAreCalls) {
  const TextCase cases[] = {
      {"double f(double x, int i) { return x * i + 0.1; }",
       "nmath_pair f(nmath_pair x, int i) { return pair_add(pair_mul(x, pair_of_int(i)), pair_of(0.100000001f, "
       "-1.49011614e-09f)); }"},
      {"double f(double x) { return -x - 2.0 * x / 8; }",
       "nmath_pair f(nmath_pair x) { return pair_sub(pair_neg(x), pair_scaled(pair_scaled(x, 2.0f), 0.125f)); }"},
      {"double f(float a, double x) { return a * x + a; }",
       "nmath_pair f(float a, nmath_pair x) { return pair_add_float(pair_mul_float(x, a), a); }"},
      {"int f(double x, double y) { return x < y && !(x == 1) || y; }",
       "int f(nmath_pair x, nmath_pair y) { return pair_lt(x, y) && !(pair_eq(x, pair_of_float(1.0f))) || "
       "pair_true(y); }"},
      {"double f(int i, uint u, long l, ulong v, char c) { return i ? u : l ? v + 0.0 : c; }",
       "nmath_pair f(int i, uint u, long l, ulong v, char c) { return i ? pair_of_uint(u) : l ? "
       "pair_add_float(pair_of_ulong(v), 0.0f) : pair_of_int(c); }"},
      {"void f(double *p, int i) { p[i] += 1; *p *= 0.5; p[i]++; i += p[0]; }",
       "void f(nmath_pair *p, int i) { p[i] = pair_add_float(p[i], 1.0f); *p = pair_scaled(*p, 0.5f); (p[i] = "
       "pair_add_float(p[i], 1.0f)); i = "
       "pair_to_int(pair_add(pair_of_int(i), p[0])); }"},
      {"int f(double x) { return (int)x + (x > 0 ? 1 : (uchar)x) + sizeof(double); }",
       "int f(nmath_pair x) { return pair_to_int(x) + (pair_gt(x, pair_of_float(0.0f)) ? 1 : (uchar)pair_to_int(x)) + "
       "sizeof(nmath_pair); }"},
      {"double f(double x, int *e) { return ldexp(frexp(x, e), 2) + fabs(x) + as_double(as_ulong(x)); }",
       "nmath_pair f(nmath_pair x, int *e) { return pair_add(pair_add(pair_ldexp(pair_frexp(x, e), 2), pair_fabs(x)), "
       "pair_of_bits(pair_bits(x))); }"},
      {"float f(float x) { return sqrt(x) + fma(x, x, 1.0f); }",
       "float f(float x) { return sqrt(x) + fma(x, x, 1.0f); }"},
      {"double g(double);\ndouble f(int i) { return g(i) + g(1) + sqrt(2); }",
       "nmath_pair g(nmath_pair); nmath_pair f(int i) { return pair_add(pair_add(g(pair_of_int(i)), "
       "g(pair_of_float(1.0f))), "
       "pair_sqrt(pair_of_float(2.0f))); }"},
      {"void f(int n) { if (n) _Pragma(\"unroll 1\") for (; n > 0;) --n; else n = 1; }",
       "void f(int n) { if (n) _Pragma(\"unroll 1\") for (; n > 0; ) --n; else n = 1; }"},
      {"int f(double x) { return x < 1e-300 || x > 0x1p400 * 2; }",
       "int f(nmath_pair x) { return pair_lt(x, pair_of_float(0.0f)) || pair_gt(x, pair_of_float((1.0f / 0.0f))); }"},
      {"bool f(double x) { bool b = x; return b; }", "bool f(nmath_pair x) { bool b = pair_true(x); return b; }"},
      {"__kernel void k(__global const double *x, const double s, __global double *out) { out[0] = x[0] * s; }",
       "__kernel void k(__global const nmath_pair *x, const ulong nmath_bits_s, __global nmath_pair *out) { nmath_pair "
       "s = pair_of_bits(nmath_bits_s); "
       "out[0] = pair_mul(x[0], s); }"},
  };
  for (const TextCase& one : cases) EXPECT_EQ(translated(one.given), one.wanted);
}

// nmath_value is then a float: numbers next to one are, and functions that are given some give one.
TEST(PairText, SinglePrecisionKeepsFloats) {
  const std::string head =
      "typedef float nmath_value;\ndouble g(double, int);\ndouble h(double);\nfloat single_h(float);\n";
  const std::string translated_head =
      "typedef float nmath_value; nmath_pair g(nmath_pair, int); nmath_pair h(nmath_pair); float "
      "single_h(float); ";
  const TextCase cases[] = {
      {"nmath_value f(nmath_value x) { return 2.0 * x - 0.1 < x ? -1.0 : x; }",
       "nmath_value f(nmath_value x) { return 2.0f * x - 0.100000001f < x ? (-1.0f) : x; }"},
      {"nmath_value f(nmath_value x, double y) { return x * y; }",
       "nmath_value f(nmath_value x, nmath_pair y) { return pair_to_float(pair_mul_float(y, x)); }"},
      {"double f(nmath_value x) { return g(x, 1) + h(x); }",
       "nmath_pair f(nmath_value x) { return pair_of_float(pair_to_float(g(pair_of_float(x), 1)) + single_h(x)); }"},
      {"nmath_value f(double x) { return g(1.0, 2) + h(x); }",
       "nmath_value f(nmath_pair x) { return pair_to_float(pair_add(g(pair_of_float(1.0f), 2), h(x))); }"},
      {"void f(nmath_value x, double y) { x += 1.0; x += y; y += x; nmath_value z = 0.1, t[2] = {1.0, y}; }",
       "void f(nmath_value x, nmath_pair y) { x += 1.0f; x = pair_to_float(pair_add_float(y, x)); y = "
       "pair_add_float(y, x); "
       "nmath_value z = 0.100000001f, t[2] = {1.0f, pair_to_float(y)}; }"},
      {"int f(nmath_value x) { return isnan(x) || x < 1e-300 || fmax(x, 1.0) == exp(x); }",
       "int f(nmath_value x) { return isnan(x) || x < 0.0f || fmax(x, 1.0f) == exp(x); }"},
  };
  for (const TextCase& one : cases)
    EXPECT_EQ(flat(pair_program(head + one.given, {{"NMATH_SINGLE", "1"}}, "")), translated_head + one.wanted);
  EXPECT_EQ(flat(pair_program("float f(float x) { return sqrt(x) + pow(x, 2.0) + sinpi(x); }",
                              {{"NMATH_SINGLE", "1"}, {"NMATH_HOST_TEXT", "1"}}, "")),
            "float f(float x) { return sqrtf(x) + powf(x, 2.0f) + pair_to_float(pair_sinpi(pair_of_float(x))); }");
}

TEST(PairText, NumbersAreSplitAndConstantsComputed) {
  const TextCase cases[] = {
      {"static const double t[] = {1.0 / 3, -2, 1e300, 1e-300, 0x1p-3};",
       "static const nmath_pair t[] = {{0.333333343f, -9.93410776e-09f}, {-2.0f, 0.0f}, {(1.0f / 0.0f), 0.0f}, {0.0f, "
       "0.0f}, {0.125f, 0.0f}};"},
      {"static const double t[2][2] = {1, 2, 3, 4};",
       "static const nmath_pair t[2][2] = {{{1.0f, 0.0f}, {2.0f, 0.0f}}, {{3.0f, 0.0f}, {4.0f, 0.0f}}};"},
      {"typedef struct { double a; int n; } s;\nstatic const s t[] = {{1, 2}, {0.5, 3},};",
       "typedef struct { nmath_pair a; int n; } s; static const s t[] = {{{1.0f, 0.0f}, 2}, {{0.5f, 0.0f}, 3}};"},
      {"static const double up = INFINITY, down = -INFINITY, none = NAN;",
       "static const nmath_pair up = {(1.0f / 0.0f), 0.0f}, down = {(-1.0f / 0.0f), 0.0f}, none = {(0.0f / 0.0f), "
       "0.0f};"},
      {"void f(double x) { double t[2] = {x, 1}, z = 0.5; }",
       "void f(nmath_pair x) { nmath_pair t[2] = {x, {1.0f, 0.0f}}, z = {0.5f, 0.0f}; }"},
  };
  for (const TextCase& one : cases) EXPECT_EQ(translated(one.given), one.wanted);
}

// Where the locale writes numbers with a comma, too.
TEST(PairText, NumbersDoNotDependOnTheLocale) {
  const char* const given = "void f(double x) { x = 0.1; x = 1.5e3; x = 0x1.8p3; x += .25; float y = 1.5f; }";
  const std::string wanted = translated(given);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "German"}) {
    if (std::setlocale(LC_NUMERIC, name) == nullptr) continue;
    EXPECT_EQ(translated(given), wanted) << name;
    std::setlocale(LC_NUMERIC, "C");
    return;
  }
  GTEST_SKIP() << "no such locale";
}

TEST(PairText, MacrosAndConditionsAreFollowed) {
  const TextCase cases[] = {
      {"#define A(x, y) x##y + #x[0]\nint f(int i1) { return A(i, 1); }", "int f(int i1) { return i1 + \"i\"[0]; }"},
      {"#if defined(X) || 2 + 3 * 4 == 14\nint a;\n#elif 1\nint b;\n#else\nint c;\n#endif", "int a;"},
      {"#ifndef X\n#define X 3\n#endif\n#if X > 3\nint a;\n#elif X == 3 && !defined Y\nint b;\n#else\nint c;\n#endif",
       "int b;"},
      {"int f(int);\n#define f(x) f((x) + 1)\nint g(int x) { return f(x); }",
       "int f(int); int g(int x) { return f((x) + 1); }"},
      {"#define g(x) (x)\n#define h g\nint f(int x) { return h(x) + h\n(2); }", "int f(int x) { return (x) + (2); }"},
      {"#define LOG(x, ...) t(x, __VA_ARGS__)\nint t(int, int, int);\nint f(int x) { return LOG(x, 1, (2, 3)); }",
       "int t(int, int, int); int f(int x) { return t(x, 1, (2, 3)); }"},
      {"#define ONE 1\n#undef ONE\n#ifdef ONE\nint a;\n#endif\n/* a // b */ int b; // c\n", "int b;"},
      {"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint a;", "int a;"},
  };
  for (const TextCase& one : cases) EXPECT_EQ(translated(one.given), one.wanted);
}

TEST(PairText, WhatCannotBeTranslatedIsToldWithItsPlace) {
  const TextCase cases[] = {
      {"#line 7 \"my.cl\"\nvoid f(double x) {\n  int i = x % 2;\n}", "my.cl:8: '%' of a double"},
      {"#line 1 \"a.cl\"\nint a;\n#line 1 \"b.cl\"\n\n\ndouble2 x;", "b.cl:3: vectors of doubles cannot be translated"},
      {"void f(double x) { int y = no_such(x); }", "program:1: no_such() of doubles cannot be translated"},
      {"void f(void) { no_such(1); }", "the function no_such() is not known"},
      {"void f(void) { x = 1; }", "'x' is not known"},
      {"void f(double *p) { *p++ += 1; }", "side effects"},
      {"void f(double x) { double y = x++; }", "before '++'"},
      {"typedef double v __attribute__((vector_size(64)));", "vectors cannot be translated"},
      {"long double x;", "long double"},
      {"union u { double d; ulong bits; };", "a union with a double"},
      {"ulong f(double x) { return *(ulong *)&x; }", "as_ulong()"},
      {"double f(const uchar *p) { return *(const double *)p; }", "as_double()"},
      {"void f(double x) { ulong b; memcpy(&b, &x, 8); }", "memcpy() of doubles"},
      {"void f(double x) { switch (x) { default: ; } }", "switch of double"},
      {"typedef struct { double a; } s; __kernel void k(__global s *p) { }", "holds doubles in a struct"},
      {"typedef struct { double a; } s; __kernel void k(const s p) { }", "holds doubles in a struct"},
      {"void f(double x) { int *p = &x + x; }", "cannot be translated"},
      {"#if 1\nint a;", "has no #endif"},
      {"#define F(x) x\nint a = F(1, 2);", "takes 1 arguments, not 2"},
      {"int f(int x) { return x", "ends early"},
      {"static double y; static double x = y;", "no constant"},
      {"double f(double x) { return (x + 0x1.8p52) - 6755399441055744.0; }", "rint() rounds both"},
      {"void f(double x) { printf(\"%f\", x); }", "printf() of doubles"},
      {"void f(double x) { int nmath_pair = 1; }", "nmath_pair is the type"},
      {"void f(double nmath_pair) { }", "nmath_pair is the type"},
      {"double f(double x) { return x * 0x1p200; }", "the number 1.60694e+60 is beyond the range of pairs of floats"},
      {"double f(double x) { return x - 1e200; }", "the number 1e+200 is beyond"},
      {"double f(double x) { return x - 0x1p200; }", "is beyond the range"},
      {"double f(double x) { return fmax(x, 1e-300); }", "the number 1e-300 is beyond"},
      {"void f(double x) { double y = 1e-40; x += -1e39; }", "the number 1e-40 is beyond"},
      {"void f(double x) { x += -1e39; }", "the number -1e+39 is beyond"},
      {"typedef struct { double a; } s; void f(s v) { v.b = 1; }", "no member 'b'"},
  };
  for (const TextCase& one : cases) {
    const std::string said = message_of(one.given);
    EXPECT_NE(said.find(one.wanted), std::string::npos) << one.given << "\n" << said;
  }
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

// Nothing that is no C crashes or hangs.
TEST(PairText, BrokenTextsAreRefused) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  for (const std::string& deep :
       {"int f(void) { return " + repeated("(", 200000), "double x = " + repeated("{", 100000),
        "void f(void) " + repeated("{", 100000), "#if " + repeated("(", 100000),
        "int f(int a) { return a" + repeated("?a:a", 50000) + "; }",
        "int f(int a) { return a" + repeated("+a", 50000) + "; }",
        "int f(int a) { return a" + repeated("=a", 50000) + "; }",
        "int f(void) { return " + repeated("- ", 50000) + "1; }",
        "int f(int *a) { return a" + repeated("[0]", 50000) + "; }"})
    EXPECT_NE(message_of(deep), "no error") << deep.substr(0, 40);
  const std::vector<std::string> texts = {load_kernel_source("OPENCL.cl"), load_kernel_source("System/dd.cl"),
                                          load_kernel_source("nmath/dgamma.cl"), load_kernel_source("nmath/sunif.cl")};
  const char* const bits[] = {"(",
                              ")",
                              "{",
                              "}",
                              "[",
                              "]",
                              "double ",
                              ";",
                              ",",
                              "=",
                              "*",
                              "&",
                              "struct ",
                              "#if ",
                              "\n#else\n",
                              "\n#endif\n",
                              "#define x(y) y##y\n",
                              "x(",
                              "?",
                              ":",
                              "\"",
                              "'",
                              "/*",
                              "sizeof",
                              "\\\n",
                              "for("};
  std::mt19937 random(11);
  int refused = 0;
  for (int k = 0; k < 1500; ++k) {
    std::string text = texts[random() % texts.size()];
    for (unsigned j = 0; j <= random() % 4; ++j) {
      const std::size_t at = random() % (text.size() + 1);
      if (random() % 3 == 0)
        text.erase(at, random() % 20);
      else if (random() % 3 == 0)
        text.resize(at + 1, ' ');
      else
        text.insert(at, bits[random() % (sizeof bits / sizeof *bits)]);
    }
    try {
      pair_program(text, {{"NMATH_FN", ""}, {"NMATH_TABLE", "static const"}, {"NMATH_HEAVY", ""}}, "");
    } catch (const NmathError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(PairText, LinesStayWhereTheyAre) {
  const std::string text = pair_program("#line 1 \"u.cl\"\nint a;\n\n\nint b;\n\n\n\n\n\n\n\n\n\nint c;\n", {}, "");
  EXPECT_NE(text.find("#line 1 \"u.cl\"\nint a;\n\n\nint b;\n#line 14 \"u.cl\"\nint c;"), std::string::npos) << text;
}

}  // namespace
