// The functions of pairs of floats (inst/cl/pair) against C's of long doubles: 2^-44, over random arguments.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "pair/pair_functions.h"
#include "sanitizers.h"

namespace {

using Real = long double;

const Real kPi = 3.141592653589793238462643383279502884L;

test_pair split(Real x) {
  const float hi = static_cast<float>(x);
  return {hi, std::isfinite(hi) ? static_cast<float>(x - hi) : 0.0F};
}

Real joined(test_pair x) { return static_cast<Real>(x.hi) + x.lo; }

// sin(pi (x + quarter/2))
Real trig_pi(Real x, int quarter) {
  const Real n = std::nearbyint(2 * x), r = kPi * (x - n / 2);
  switch ((static_cast<long long>(std::fmod(n, 4.0L)) + quarter + 8) & 3) {
    case 0:
      return std::sin(r);
    case 1:
      return std::cos(r);
    case 2:
      return -std::sin(r);
    default:
      return -std::cos(r);
  }
}

enum class Range { unit, above_one, small, exponent, all, angle, count };

struct Case {
  const char* name;
  Range range;
  std::function<Real(const Real*)> exact;
  Range second = Range::all;
};

class PairMath : public testing::Test {
 protected:
  void SetUp() override {
    if (std::numeric_limits<Real>::digits < 64) GTEST_SKIP() << "long double has too few bits";
    for (const pair_function* f = pair_functions; f->name != nullptr; ++f) known_[f->name] = f;
  }

  // Half of the numbers have low parts of all bits, some have none.
  Real draw(Range range) {
    const Real u = std::uniform_real_distribution<double>(0, 1)(generator_);
    const Real fine = std::uniform_real_distribution<double>(-0x1p-30, 0x1p-30)(generator_);
    const Real sign = generator_() % 2 == 0 ? 1 : -1;
    Real x = 0;
    switch (range) {
      case Range::unit:
        x = sign * std::min(0.999999L, u);
        break;
      case Range::above_one:
        x = 1 + std::exp(40 * u - 20);
        break;
      case Range::small:
        x = sign * std::exp(-20 * u);
        break;
      case Range::exponent:
        x = sign * 55 * u;
        break;
      case Range::all:
        x = sign * std::exp(120 * u - 60);
        break;
      case Range::angle:
        x = sign * std::exp(40 * u - 10);
        break;
      case Range::count:
        return sign * std::floor(std::exp(20 * u)) / 2;
    }
    x = generator_() % 4 == 0 ? static_cast<Real>(static_cast<float>(x)) : x * (1 + fine);
    return joined(split(x));
  }

  test_pair call(const char* name, const std::vector<Real>& x) {
    test_pair given[3] = {}, result = {};
    for (std::size_t k = 0; k < x.size(); ++k) given[k] = split(x[k]);
    EXPECT_EQ(known_.count(name), 1U) << name;
    EXPECT_EQ(known_[name]->arguments, static_cast<int>(x.size())) << name;
    known_[name]->call(given, &result);
    return result;
  }

  std::map<std::string, const pair_function*> known_;
  std::mt19937_64 generator_{20240607};
};

#define F1(f) [](const Real* x) -> Real { return f(x[0]); }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"neg", Range::all, [](const Real* x) -> Real { return -x[0]; }},
      {"fabs", Range::all, F1(std::fabs)},
      {"floor", Range::angle, F1(std::floor)},
      {"ceil", Range::angle, F1(std::ceil)},
      {"trunc", Range::angle, F1(std::trunc)},
      {"rint", Range::angle, F1(std::nearbyint)},
      {"rint", Range::count, F1(std::nearbyint)},
      {"round", Range::angle, F1(std::round)},
      {"round", Range::count, F1(std::round)},
      {"sqrt", Range::above_one, F1(std::sqrt)},
      {"exp", Range::exponent, F1(std::exp)},
      {"exp", Range::small, F1(std::exp)},
      {"expm1", Range::exponent, F1(std::expm1)},
      {"expm1", Range::small, F1(std::expm1)},
      {"exp2", Range::exponent, F1(std::exp2)},
      {"exp10", Range::unit, [](const Real* x) -> Real { return std::pow(10.0L, x[0]); }},
      {"sinh", Range::exponent, F1(std::sinh)},
      {"sinh", Range::small, F1(std::sinh)},
      {"cosh", Range::exponent, F1(std::cosh)},
      {"tanh", Range::exponent, F1(std::tanh)},
      {"tanh", Range::small, F1(std::tanh)},
      {"log", Range::above_one, F1(std::log)},
      {"log", Range::all, [](const Real* x) -> Real { return std::log(x[0]); }},
      {"log1p", Range::above_one, F1(std::log1p)},
      {"log1p", Range::unit, F1(std::log1p)},
      {"log1p", Range::small, F1(std::log1p)},
      {"log2", Range::above_one, F1(std::log2)},
      {"log10", Range::above_one, F1(std::log10)},
      {"asinh", Range::all, F1(std::asinh)},
      {"acosh", Range::above_one, F1(std::acosh)},
      {"atanh", Range::unit, F1(std::atanh)},
      {"sin", Range::angle, F1(std::sin)},
      {"cos", Range::angle, F1(std::cos)},
      {"tan", Range::angle, F1(std::tan)},
      {"sin", Range::unit, F1(std::sin)},
      {"cos", Range::unit, F1(std::cos)},
      {"tan", Range::unit, F1(std::tan)},
      {"sinpi", Range::angle, [](const Real* x) { return trig_pi(x[0], 0); }},
      {"cospi", Range::angle, [](const Real* x) { return trig_pi(x[0], 1); }},
      {"sinpi", Range::count, [](const Real* x) { return trig_pi(x[0], 0); }},
      {"cospi", Range::count, [](const Real* x) { return trig_pi(x[0], 1); }},
      {"tanpi", Range::unit,
       [](const Real* x) -> Real {
         return std::fabs(x[0]) == 0.5L ? std::copysign(static_cast<Real>(INFINITY), x[0])
                                        : trig_pi(x[0], 0) / trig_pi(x[0], 1);
       }},
      {"atan", Range::all, F1(std::atan)},
      {"atan", Range::unit, F1(std::atan)},
      {"asin", Range::unit, F1(std::asin)},
      {"acos", Range::unit, F1(std::acos)},
      {"cbrt", Range::all, F1(std::cbrt)},
      {"add", Range::all, [](const Real* x) -> Real { return x[0] + x[1]; }},
      {"add", Range::unit, [](const Real* x) -> Real { return x[0] + x[1]; }, Range::unit},
      {"sub", Range::unit, [](const Real* x) -> Real { return x[0] - x[1]; }, Range::unit},
      {"mul", Range::unit, [](const Real* x) -> Real { return x[0] * x[1]; }},
      {"div", Range::small, [](const Real* x) -> Real { return x[0] / x[1]; }, Range::small},
      {"div", Range::unit, [](const Real* x) -> Real { return x[0] / x[1]; }},
      {"fmod", Range::angle, [](const Real* x) -> Real { return std::fmod(x[0], x[1]); }, Range::count},
      {"pow", Range::above_one, [](const Real* x) -> Real { return std::pow(x[0], x[1]); }, Range::unit},
      {"pow", Range::all, [](const Real* x) -> Real { return std::pow(x[0], x[1]); }, Range::unit},
      {"pow", Range::unit, [](const Real* x) -> Real { return std::pow(x[0], x[1]); }, Range::count},
      {"atan2", Range::all, [](const Real* x) -> Real { return std::atan2(x[0], x[1]); }},
      {"atan2", Range::unit, [](const Real* x) -> Real { return std::atan2(x[0], x[1]); }, Range::unit},
      {"hypot", Range::small, [](const Real* x) -> Real { return std::hypot(x[0], x[1]); }, Range::small},
      {"fmin", Range::all, [](const Real* x) -> Real { return std::fmin(x[0], x[1]); }},
      {"fmax", Range::all, [](const Real* x) -> Real { return std::fmax(x[0], x[1]); }},
      {"copysign", Range::all, [](const Real* x) -> Real { return std::copysign(x[0], x[1]); }},
  };
  return all;
}

// Where both parts are floats of all bits.
bool in_range(Real x) { return x == 0 || (std::fabs(x) > 1e-28L && std::fabs(x) < 1e37L); }

TEST_F(PairMath, FunctionsAreRightTo44Bits) {
  std::map<std::string, bool> seen;
  for (const Case& c : cases()) {
    seen[c.name] = true;
    const int n = known_[c.name]->arguments;
    Real worst = 0, at[2] = {0, 0};
    for (int k = 0; k < 40000 / kSampled; ++k) {
      std::vector<Real> x = {draw(c.range)};
      if (n == 2) x.push_back(draw(c.second));
      const Real exact = c.exact(x.data());
      if (!in_range(exact)) continue;
      const test_pair r = call(c.name, x);
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(r.hi)) << c.name << " " << static_cast<double>(x[0]);
        continue;
      }
      const Real error = exact == 0 ? std::fabs(joined(r)) : std::fabs(joined(r) / exact - 1);
      ASSERT_TRUE(std::fabs(joined(r) + r.lo) >= 0 && r.hi + r.lo == r.hi) << c.name << " gives no pair";
      if (!(error <= worst)) {
        worst = error;
        at[0] = x[0];
        at[1] = n == 2 ? x[1] : 0;
      }
    }
    std::printf("%-9s 2^%.1f at %.17Lg %.17Lg\n", c.name, static_cast<double>(std::log2(worst)), at[0], at[1]);
    EXPECT_LE(worst, 0x1p-44L) << c.name;
  }
  for (const auto& f : known_)
    if (f.second->arguments < 3 && f.first.find("_rest") == std::string::npos) {
      EXPECT_TRUE(seen[f.first]) << f.first << " is not tested";
    }
}

#ifdef __SIZEOF_FLOAT128__
TEST_F(PairMath, WhatSumsAndProductsLoseIsKnown) {
  __extension__ typedef __float128 Quad;
  for (int k = 0; k < 40000 / kSampled; ++k) {
    const Real a = draw(Range::unit), b = draw(Range::unit), c = draw(Range::unit);
    const auto lost = [&](const char* whole, const char* rest, Quad exact, Real bound) {
      const test_pair s = call(whole, {a, b}), r = call(rest, {a, b});
      const Quad left = exact - s.hi - s.lo, given = static_cast<Quad>(r.hi) + r.lo, error = left - given;
      ASSERT_LE(std::fabs(static_cast<Real>(error)), bound)
          << rest << static_cast<double>(a) << " " << static_cast<double>(b);
    };
    if (!in_range(a * b * 1e-14L)) continue;
    const Real product = std::fabs(a * b), sizes = std::fabs(a) + std::fabs(b);
    lost("mul", "mul_rest", static_cast<Quad>(a) * b, 0x1p-90L * product);
    lost("mul", "product_rest", static_cast<Quad>(a) * b, 0x1p-69L * product);  // three floats
    lost("add", "sum_rest", static_cast<Quad>(a) + b, 0x1p-70L * sizes);
    const test_pair near = call("sum_rest", {a, -a * (1 + 0x1p-30L)}), none = call("sum_rest", {a, -a});
    EXPECT_LE(std::fabs(near.hi), 0x1p-74L * std::fabs(a));  // sums that cancel are exact
    EXPECT_TRUE(none.hi == 0 && none.lo == 0);
    const test_pair m = call("mad", {a, b, c});
    const Quad whole = static_cast<Quad>(a) * b + c;
    EXPECT_LE(std::fabs(static_cast<Real>(whole - m.hi - m.lo)), 0x1p-45L * (product + std::fabs(c)));
    const test_pair r = call("fma", {a, b, c});
    const Quad exact = static_cast<Quad>(a) * b + c;
    EXPECT_LE(std::fabs(static_cast<Real>(exact - r.hi - r.lo)), 0x1p-47L * std::fabs(static_cast<Real>(exact)));
  }
}
#endif

TEST_F(PairMath, BitsAreThoseOfTheDouble) {
  const auto bits = [](double x) {
    std::uint64_t b = 0;
    std::memcpy(&b, &x, sizeof b);
    return b;
  };
  for (int k = 0; k < 100000 / kSampled; ++k) {
    const test_pair x = split(draw(Range::all));
    EXPECT_EQ(test_pair_bits(x), bits(static_cast<double>(x.hi) + x.lo));
    const double y = static_cast<double>(draw(Range::all));
    const test_pair r = test_pair_of_bits(bits(y)), want = split(y);
    EXPECT_EQ(r.hi, want.hi);
    EXPECT_EQ(r.lo, want.lo);
  }
  const double ends[] = {0.0, -0.0, INFINITY, -INFINITY};
  for (const double x : ends) {
    EXPECT_EQ(test_pair_bits({static_cast<float>(x), 0}), bits(x));
    EXPECT_EQ(test_pair_of_bits(bits(x)).hi, x);
    EXPECT_EQ(std::signbit(test_pair_of_bits(bits(x)).hi), std::signbit(x));
  }
  // R's NA is a NaN whose low word is 1954, signaling or not, and stays so.
  for (const std::uint64_t na : {0x7FF00000000007A2ULL, 0x7FF80000000007A2ULL})
    EXPECT_EQ(test_pair_bits(test_pair_of_bits(na)), 0x7FF80000000007A2ULL);
  EXPECT_EQ(test_pair_bits(test_pair_of_bits(0x7FF8000000000D1EULL)), 0x7FF8000000000D1EULL);
  EXPECT_EQ(test_pair_of_bits(bits(1e300)).hi, INFINITY);
  EXPECT_EQ(test_pair_of_bits(bits(-1e-300)).hi, 0);
}

TEST_F(PairMath, WholeNumbersComeAndGo) {
  const std::int64_t ends[] = {0, 1, -1, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, 16777217, -16777217};
  for (int k = 0; k < 100000 / kSampled; ++k) {
    const std::int64_t x = k < 10 ? ends[k] : static_cast<std::int64_t>(generator_()) >> (generator_() % 64);
    const std::uint64_t u = static_cast<std::uint64_t>(x);
    const Real as[] = {static_cast<Real>(static_cast<std::int32_t>(x)),
                       static_cast<Real>(static_cast<std::uint32_t>(x)), static_cast<Real>(x), static_cast<Real>(u)};
    for (int kind = 0; kind < 4; ++kind) {
      const test_pair r = test_pair_of(kind, x);
      EXPECT_LE(std::fabs(joined(r) - as[kind]), 0x1p-47L * std::fabs(as[kind])) << kind << " " << x;
      if (std::fabs(as[kind]) < 0x1p48L) {
        const std::int64_t back = test_pair_to(kind, r);
        EXPECT_EQ(kind == 1   ? static_cast<Real>(static_cast<std::uint32_t>(back))
                  : kind == 3 ? static_cast<Real>(static_cast<std::uint64_t>(back))
                              : static_cast<Real>(back),
                  as[kind]);
      }
    }
    const Real y = draw(Range::angle);
    if (std::fabs(y) < 0x1p31L) {
      EXPECT_EQ(test_pair_to(0, split(y)), static_cast<std::int32_t>(y));
    }
    EXPECT_EQ(test_pair_to(2, split(y)), static_cast<std::int64_t>(y));
  }
}

TEST_F(PairMath, MantissasAreHalfToOne) {
  for (int k = 0; k < 100000 / kSampled; ++k) {
    const Real x =
        k % 3 == 0 ? std::ldexp(1 + (k % 2 == 0 ? 1 : -1) * 0x1p-40L * (k % 5), k % 80 - 40) : draw(Range::all);
    int n = 0, m = 0;
    const Real exact = std::frexp(joined(split(x)), &m);
    EXPECT_EQ(joined(test_pair_frexp(split(x), &n)), exact);
    EXPECT_EQ(n, m);
  }
}

// Infinities, NaN and zeros: as C's functions of doubles have them.
TEST_F(PairMath, EndsAreThoseOfC) {
  const std::vector<Real> ends = {0.0L,  -0.0L, 1.0L,   -1.0L,   2.0L,     -2.0L,     0.5L,
                                  -0.5L, 3.0L,  200.0L, -200.0L, INFINITY, -INFINITY, NAN};
  for (const Case& c : cases()) {
    const int n = known_[c.name]->arguments;
    for (const Real a : ends)
      for (const Real b : ends) {
        const std::vector<Real> x = n == 2 ? std::vector<Real>{a, b} : std::vector<Real>{a};
        const std::string name = c.name;
        if (name.find("pi") != std::string::npos && !(std::fabs(a) < 10)) continue;
        const Real exact = c.exact(x.data());
        const test_pair r = call(c.name, x);
        const float want = static_cast<float>(exact);
        const bool same = std::isnan(want)                ? std::isnan(r.hi)
                          : std::isinf(want) || want == 0 ? r.hi == want && r.lo == 0
                                                          : std::fabs(joined(r) / exact - 1) < 0x1p-44L;
        EXPECT_TRUE(same) << c.name << "(" << static_cast<double>(a) << ", " << static_cast<double>(b) << ") = " << r.hi
                          << " + " << r.lo << ", not " << static_cast<double>(exact);
        // Which zero fmin and fmax give is open.
        if (want == 0 && name.find("pi") == std::string::npos && name.find("fm") == std::string::npos) {
          EXPECT_EQ(std::signbit(r.hi), std::signbit(want))
              << c.name << " " << static_cast<double>(a) << " " << static_cast<double>(b);
        }
      }
  }
}

}  // namespace
