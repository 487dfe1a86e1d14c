// test_samplers -- draws of the device library against the package's distribution functions, exact counts and limits.
//
// Seeds are fixed, so that a test either fails always or never. A test statistic fails below probability 1e-6; there
// are about 250 of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sampler_draws.h"

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kWorst = 1e-6;
constexpr std::uint64_t kSeed = 20261121;

// No draw of these tests may take more random words: the longest rejection loops seen, with room to spare.
constexpr unsigned kMostWords = 64;

using Parameters = std::vector<double>;

std::string label_of(sampler which, const Parameters& p) {
  static const char* const kNames[] = {"gamma",  "beta",      "pois",   "binom",   "hyper",
                                       "nbinom", "nbinom_mu", "wilcox", "signrank"};
  std::string text = kNames[which];
  for (double v : p) text += " " + testing::PrintToString(v);
  return text;
}

std::vector<double> draws_of(sampler which, const Parameters& p, int n, unsigned most = kMostWords) {
  std::vector<double> x(static_cast<std::size_t>(n));
  EXPECT_LE(sampler_draws(which, p.data(), kSeed, n, x.data()), most) << label_of(which, p);
  return x;
}

double gamma_upper(double x, double shape) {
  const double par[] = {shape, 1.0};
  return sampler_cdf(SAMPLER_GAMMA, x, par, 0);
}

// Pearson's chi-squared test; cells that expect fewer than 20 join the next.
double chi_squared_p(const std::vector<double>& observed, const std::vector<double>& expected) {
  double statistic = 0, o = 0, e = 0, cells = 0;
  for (std::size_t k = 0; k < observed.size(); ++k) {
    o += observed[k];
    e += expected[k];
    if (e < 20 && k + 1 < observed.size()) continue;
    if (e > 0) statistic += (o - e) * (o - e) / std::max(e, 1.0);
    if (e == 0 && o > 0) return 0;
    cells += 1;
    o = e = 0;
  }
  return cells < 2 ? 1 : gamma_upper(statistic / 2, (cells - 1) / 2);
}

// Kolmogorov's test of values that ought to be uniform on (0, 1); the asymptotic tail.
double kolmogorov_p(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const double n = static_cast<double>(u.size());
  double d = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    d = std::max({d, u[i] - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - u[i]});
  }
  return std::min(1.0, 2 * std::exp(-2 * n * d * d));
}

double two_sample_p(std::vector<double> x, std::vector<double> y) {
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  double d = 0;
  const double m = static_cast<double>(x.size()), n = static_cast<double>(y.size());
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    const double v = std::min(x[i], y[j]);
    while (i < x.size() && x[i] == v) ++i;
    while (j < y.size() && y[j] == v) ++j;
    d = std::max(d, std::fabs(static_cast<double>(i) / m - static_cast<double>(j) / n));
  }
  return std::min(1.0, 2 * std::exp(-2 * d * d * m * n / (m + n)));
}

// Whole-numbered draws against P(X <= x), in cells between `edges` (ascending).
template <class Lower, class Upper>
double discrete_p(const std::vector<double>& x, const std::vector<double>& edges, Lower lower, Upper upper) {
  std::vector<double> observed(edges.size() + 1), expected(edges.size() + 1);
  for (double v : x)
    observed[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), v) - edges.begin())] += 1;
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k <= edges.size(); ++k) {
    // From the nearer tail.
    const bool low = k < edges.size() && lower(edges[k]) < 0.5;
    const double p = k == edges.size() ? upper(edges.back())
                     : k == 0          ? lower(edges[0])
                     : low             ? lower(edges[k]) - lower(edges[k - 1])
                                       : upper(edges[k - 1]) - upper(edges[k]);
    expected[k] = n * p;
  }
  return chi_squared_p(observed, expected);
}

// Edges at mean + z sd, |z| <= 6: every whole number where sd is small, 400 of them where it is large.
std::vector<double> edges_about(double mean, double sd, double first, double last) {
  std::vector<double> edges;
  for (int k = -200; k <= 200; ++k) {
    const double e = std::floor(mean + 0.03 * k * sd);
    if (e >= first && e < last && (edges.empty() || e > edges.back())) edges.push_back(e);
  }
  for (double e = 0; e < 60 && sd < 8; e += 1)  // skew ones reach farther
    if (edges.empty() || (e > edges.back() && e < last)) edges.push_back(e);
  return edges;
}

struct Moments {
  double mean, sd;
};

Moments moments_of(sampler which, const Parameters& p) {
  switch (which) {
    case SAMPLER_POIS:
      return {p[0], std::sqrt(p[0])};
    case SAMPLER_BINOM:
      return {p[0] * p[1], std::sqrt(p[0] * p[1] * (1 - p[1]))};
    case SAMPLER_HYPER: {
      const double n = p[0] + p[1], m = p[2] * (p[0] / n);
      return {m, std::sqrt(m * (p[1] / n) * ((n - p[2]) / std::max(n - 1, 1.0)))};
    }
    case SAMPLER_NBINOM: {
      const double m = p[0] * (1 - p[1]) / p[1];
      return {m, std::sqrt(m / p[1])};
    }
    case SAMPLER_NBINOM_MU:
      return {p[1], std::sqrt(p[1] * (1 + p[1] / p[0]))};
    default:
      return {kNaN, kNaN};
  }
}

void expect_discrete(sampler which, const Parameters& p, int n) {
  const Moments m = moments_of(which, p);
  const std::vector<double> x = draws_of(which, p, n);
  const double last = which == SAMPLER_BINOM ? p[0] : which == SAMPLER_HYPER ? std::min(p[0], p[2]) : kInf;
  for (double v : x) ASSERT_TRUE(v >= 0 && v <= last && v == std::floor(v)) << v << " " << label_of(which, p);
  const auto edges = edges_about(m.mean, m.sd, 0, last);
  if (edges.empty()) return;
  const double value = discrete_p(
      x, edges, [&](double e) { return sampler_cdf(which, e, p.data(), 1); },
      [&](double e) { return sampler_cdf(which, e, p.data(), 0); });
  EXPECT_GT(value, kWorst) << label_of(which, p);
  // The mean, beside: 6 standard errors.
  const double sum = std::accumulate(x.begin(), x.end(), 0.0, [&](double a, double v) { return a + (v - m.mean); });
  EXPECT_LT(std::fabs(sum / n), 6 * m.sd / std::sqrt(n) + 1e-15 * m.mean) << label_of(which, p);
}

void expect_continuous(sampler which, const Parameters& p, int n) {
  std::vector<double> u = draws_of(which, p, n), cells(256), expected(256, n / 256.0);
  for (double& v : u) {
    ASSERT_TRUE(v >= 0 && v < kInf) << v << " " << label_of(which, p);
    v = sampler_cdf(which, v, p.data(), 1);
    cells[static_cast<std::size_t>(std::min(255.0, 256 * v))] += 1;
  }
  EXPECT_GT(kolmogorov_p(u), kWorst) << label_of(which, p);
  EXPECT_GT(chi_squared_p(cells, expected), kWorst) << label_of(which, p);
}

}  // namespace

TEST(Samplers, gamma) {
  for (double shape : {0.01, 0.1, 0.3, 0.7, 0.999, 1.0, 1.001, 1.5, 3.0, 10.0, 47.0, 1e3, 1e6, 1e10})
    for (double scale : {1.0, 1e-3, 1e200}) expect_continuous(SAMPLER_GAMMA, {shape, scale}, 100000);
  expect_continuous(SAMPLER_GAMMA, {1.0, 2.0}, 1000000);
  expect_continuous(SAMPLER_GAMMA, {0.5, 2.0}, 1000000);
}

// log X is -E/a but for the last digits: draws that underflow at scale 1 come back at scale 1e300.
TEST(Samplers, gamma_of_tiny_shape) {
  for (double shape : {1e-3, 1e-2}) {
    const auto x = draws_of(SAMPLER_GAMMA, {shape, 1e300}, 100000);
    std::vector<double> cells(2), expected(2);
    for (double v : x) cells[v > 1e-20] += 1;
    expected[0] = 1e5 * std::exp(-shape * 320 * std::log(10.0) - std::lgamma(1 + shape));
    expected[1] = 1e5 - expected[0];
    EXPECT_GT(chi_squared_p(cells, expected), kWorst) << shape;
  }
  for (double v : draws_of(SAMPLER_GAMMA, {1e-300, 1.0}, 1000)) EXPECT_EQ(0, v);
  for (double v : draws_of(SAMPLER_GAMMA, {1e300, 1e-300}, 1000)) EXPECT_NEAR(1, v, 1e-14);
  for (double v : draws_of(SAMPLER_GAMMA, {1e300, 1e300}, 1000)) EXPECT_EQ(kInf, v);
}

TEST(Samplers, beta) {
  for (double a : {0.05, 0.5, 1.0, 1.2, 4.0, 60.0, 1e5})
    for (double b : {0.4, 0.9, 1.0, 2.0, 30.0, 2e3}) expect_continuous(SAMPLER_BETA, {a, b}, 100000);
  expect_continuous(SAMPLER_BETA, {2, 3}, 1000000);
  expect_continuous(SAMPLER_BETA, {0.5, 0.5}, 1000000);
}

// Two point masses, b/(a + b) of them at 0.
TEST(Samplers, beta_of_tiny_shapes) {
  for (const Parameters& p : {Parameters{1e-10, 3e-10}, {1e-300, 3e-300}, {2e-308, 6e-308}}) {
    std::vector<double> cells(2);
    for (double v : draws_of(SAMPLER_BETA, p, 100000)) {
      EXPECT_TRUE(v < 1e-100 || v == 1) << v;
      cells[v == 1] += 1;
    }
    EXPECT_GT(chi_squared_p(cells, {75000, 25000}), kWorst) << label_of(SAMPLER_BETA, p);
  }
  for (double v : draws_of(SAMPLER_BETA, {1e-300, 1}, 1000)) EXPECT_EQ(0, v);
  for (double v : draws_of(SAMPLER_BETA, {1, 1e-300}, 1000)) EXPECT_EQ(1, v);
  for (double v : draws_of(SAMPLER_BETA, {1e-310, 1e300}, 1000)) EXPECT_EQ(0, v);
  for (double v : draws_of(SAMPLER_BETA, {1e300, 1e300}, 1000)) EXPECT_NEAR(0.5, v, 1e-15);
  // a/b with gamma(3)/1e300, of full relative accuracy
  const auto x = draws_of(SAMPLER_BETA, {3, 1e300}, 100000);
  std::vector<double> u;
  for (double v : x) u.push_back(gamma_upper(v * 1e300, 3));
  EXPECT_GT(kolmogorov_p(u), kWorst);
}

TEST(Samplers, pois) {
  for (double mu :
       {1e-3, 0.1, 1.0, 5.0, 9.99, 10.0, 12.5, 15.99, 16.0, 16.5, 20.0, 33.3, 100.0, 1e3, 1e5, 1e9, 1e12, 1e15, 1e18})
    expect_discrete(SAMPLER_POIS, {mu}, 200000);
  expect_discrete(SAMPLER_POIS, {3}, 1000000);
  expect_discrete(SAMPLER_POIS, {16}, 1000000);
  expect_discrete(SAMPLER_POIS, {50}, 1000000);
  for (double v : draws_of(SAMPLER_POIS, {1e300}, 1000)) EXPECT_NEAR(1, v / 1e300, 1e-15);
  for (double v : draws_of(SAMPLER_POIS, {1e-300}, 1000)) EXPECT_EQ(0, v);
}

TEST(Samplers, binom) {
  for (double n : {1.0, 2.0, 7.0, 20.0, 33.0, 100.0, 1000.0, 1e6, 2147483648.0, 1e12})
    for (double p : {1e-4, 0.03, 0.3, 0.5, 0.77, 0.999}) expect_discrete(SAMPLER_BINOM, {n, p}, 100000);
  expect_discrete(SAMPLER_BINOM, {1e18, 1e-17}, 200000);
  expect_discrete(SAMPLER_BINOM, {1e300, 2e-299}, 200000);
  expect_discrete(SAMPLER_BINOM, {1e300, 3e-300}, 200000);
  expect_discrete(SAMPLER_BINOM, {1e15, 0.3}, 200000);
  expect_discrete(SAMPLER_BINOM, {40, 0.4}, 1000000);
  expect_discrete(SAMPLER_BINOM, {100, 0.5}, 1000000);
  for (double v : draws_of(SAMPLER_BINOM, {1e300, 0.25}, 1000)) EXPECT_NEAR(0.25, v / 1e300, 1e-15);
}

TEST(Samplers, hyper) {
  for (const Parameters& p :
       {Parameters{5, 7, 4}, {1, 1, 1},          {10, 7, 8},         {40, 50, 20},        {85, 85, 85},
        {85, 86, 60},        {71, 72, 71},       {72, 72, 72},       {75, 75, 75},        {60, 1000, 30},
        {1000, 60, 900},     {500, 700, 400},    {300, 5000, 5000},  {5000, 300, 100},    {1e5, 1e5, 17},
        {1e6, 1e6, 1e5},     {1e6, 10, 1e6},     {1e9, 2e9, 1e8},    {1e10, 1e10, 5},     {3e12, 1e9, 1e6},
        {1e15, 3e15, 2e15},  {9e15, 9e15, 9e15}, {1e300, 3e300, 40}, {1e5, 1e200, 2e196}, {120, 1e8, 2e7}})
    expect_discrete(SAMPLER_HYPER, p, 100000);
  expect_discrete(SAMPLER_HYPER, {72, 72, 72}, 1000000);
  expect_discrete(SAMPLER_HYPER, {40, 50, 20}, 1000000);
  expect_discrete(SAMPLER_HYPER, {500, 700, 400}, 1000000);
  for (double v : draws_of(SAMPLER_HYPER, {1e300, 1e300, 1e300}, 1000)) EXPECT_NEAR(0.5, v / 1e300, 1e-15);
  for (double v : draws_of(SAMPLER_HYPER, {1.7e308, 1.7e308, 1e300}, 1000)) EXPECT_NEAR(0.5, v / 1e300, 1e-15);
  for (double v : draws_of(SAMPLER_HYPER, {1.7e308, 1.7e308, 3}, 1000)) EXPECT_TRUE(v >= 0 && v <= 3);
}

TEST(Samplers, hyper_mass_is_that_of_dhyper) {
  for (double N = 8; N < 1e15; N = std::ceil(N * 1.7))
    for (double r = std::floor(N / 2); r >= 1; r = std::floor(r * 0.6))
      for (double n = std::floor(N / 2); n >= 1; n = std::floor(n * 0.6)) {
        const Parameters par = {r, N - r, n};
        const Moments m = moments_of(SAMPLER_HYPER, par);
        for (double z : {-9.0, -4.0, -1.0, 0.0, 0.5, 2.0, 5.0, 12.0}) {
          const double k = std::max(0.0, std::min({r, n, std::floor(m.mean + z * m.sd)}));
          const double f = sampler_mass(SAMPLER_HYPER, k, par.data());
          if (f < 1e-290) continue;
          ASSERT_NEAR(1, sampler_hyper_mass(k, r, n, N) / f, 3e-12) << k << label_of(SAMPLER_HYPER, par);
        }
      }
}

TEST(Samplers, nbinom) {
  for (double size : {0.05, 0.7, 1.0, 3.0, 40.0, 1e4})
    for (double prob : {0.999, 0.6, 0.3, 0.01}) {
      expect_discrete(SAMPLER_NBINOM, {size, prob}, 100000);
      expect_discrete(SAMPLER_NBINOM_MU, {size, size * (1 - prob) / prob}, 100000);
    }
  expect_discrete(SAMPLER_NBINOM_MU, {1e300, 5}, 100000);
  expect_discrete(SAMPLER_NBINOM_MU, {kInf, 5}, 100000);
  for (double v : draws_of(SAMPLER_NBINOM_MU, {1e-300, 1e10}, 1000)) EXPECT_EQ(0, v);
  for (double v : draws_of(SAMPLER_NBINOM, {1e300, 0.5}, 1000)) EXPECT_NEAR(1, v / 1e300, 1e-14);
  for (double v : draws_of(SAMPLER_NBINOM, {1e10, 1e-300}, 100)) EXPECT_EQ(kInf, v);
}

namespace {

// The number of subsets of 1, ..., n with each sum, over 2^n.
std::vector<double> signrank_masses(int n) {
  std::vector<double> f{1.0};
  for (int j = 1; j <= n; ++j) {
    std::vector<double> g(f.size() + static_cast<std::size_t>(j));
    for (std::size_t k = 0; k < f.size(); ++k) {
      g[k] += 0.5 * f[k];
      g[k + static_cast<std::size_t>(j)] += 0.5 * f[k];
    }
    f = g;
  }
  return f;
}

// The coefficients of the Gaussian binomial: a factor (1 - q^(n+i))/(1 - q^i) times i/(n + i) for each x.
std::vector<double> wilcox_masses(int m, int n) {
  const std::size_t last = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
  std::vector<double> f(last + 1);
  f[0] = 1;
  for (int i = 1; i <= m; ++i) {
    const std::size_t up = static_cast<std::size_t>(n + i), down = static_cast<std::size_t>(i);
    for (std::size_t k = last + 1; k-- > up;) f[k] -= f[k - up];
    for (std::size_t k = down; k <= last; ++k) f[k] += f[k - down];
    for (double& v : f) v *= down / static_cast<double>(up);
  }
  return f;
}

void expect_masses(sampler which, const Parameters& p, const std::vector<double>& masses, int n, unsigned most) {
  std::vector<double> observed(masses.size()), expected;
  for (double v : draws_of(which, p, n, most)) {
    ASSERT_TRUE(v >= 0 && v < static_cast<double>(masses.size()) && v == std::floor(v)) << label_of(which, p);
    observed[static_cast<std::size_t>(v)] += 1;
  }
  for (double f : masses) expected.push_back(n * std::max(f, 0.0));
  EXPECT_GT(chi_squared_p(observed, expected), kWorst) << label_of(which, p);
}

double variance_of(const std::vector<double>& x, double mean) {
  double s = 0;
  for (double v : x) s += (v - mean) * (v - mean);
  return s / static_cast<double>(x.size());
}

}  // namespace

TEST(Samplers, signrank) {
  for (int n : {1, 2, 3, 5, 10, 31, 32, 33, 63, 64, 65, 100, 129})
    expect_masses(SAMPLER_SIGNRANK, {static_cast<double>(n)}, signrank_masses(n), 200000, 3);
}

TEST(Samplers, wilcox) {
  for (const auto& [m, n] : {std::pair{1, 1},
                             {1, 5},
                             {3, 4},
                             {4, 3},
                             {10, 7},
                             {20, 30},
                             {32, 32},
                             {5, 75},
                             {5, 76},
                             {1, 16},
                             {1, 400},
                             {90, 3},
                             {2, 1000},
                             {40, 700}})
    expect_masses(SAMPLER_WILCOX, {static_cast<double>(m), static_cast<double>(n)},
                  wilcox_masses(std::min(m, n), std::max(m, n)), 100000, 400);
}

// The expansions for large samples, where exact counts can be made: z becomes the x with P(X < x) < Phi(z) <= P(X <=
// x), up to an error that falls as the third power of the sample size.
TEST(Samplers, expansions_of_rank_statistics) {
  struct Case {
    sampler which;
    Parameters p;
    std::vector<double> masses;
    double error;
  };
  const Case cases[] = {{SAMPLER_SIGNRANK, {64}, signrank_masses(64), 0.1 / std::pow(64, 3)},
                        {SAMPLER_SIGNRANK, {256}, signrank_masses(256), 0.1 / std::pow(256, 3)},
                        {SAMPLER_WILCOX, {32, 32}, wilcox_masses(32, 32), 0.015 / std::pow(32, 3)},
                        {SAMPLER_WILCOX, {32, 96}, wilcox_masses(32, 96), 0.015 / std::pow(32, 3)}};
  for (const Case& c : cases) {
    std::vector<double> below(c.masses.size() + 1);
    std::partial_sum(c.masses.begin(), c.masses.end(), below.begin() + 1);
    double worst = 0;
    for (double z = -5; z <= 5; z += 2e-5) {
      const std::size_t x = static_cast<std::size_t>(sampler_expansion(c.which, z, c.p.data()));
      const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
      worst = std::max({worst, below[x] - p, p - below[x + 1]});
    }
    EXPECT_LT(worst, c.error) << label_of(c.which, c.p);
  }
}

// Beyond the reach of exact counts: against sums drawn with another generator, and the moments.
TEST(Samplers, large_rank_statistics) {
  std::mt19937_64 other(kSeed);
  for (int n : {4096, 4097}) {
    std::vector<double> y;
    for (int i = 0; i < 50000; ++i) {
      double sum = 0;
      for (int j = 0; j < n; j += 64) {
        std::uint64_t w = other();
        for (int k = 1; k <= 64 && j + k <= n; ++k, w >>= 1) sum += (w & 1) != 0 ? j + k : 0;
      }
      y.push_back(sum);
    }
    EXPECT_GT(two_sample_p(draws_of(SAMPLER_SIGNRANK, {static_cast<double>(n)}, 50000, 65), y), kWorst) << n;
  }
  for (int n : {1024, 1025}) {
    std::vector<double> y;
    std::vector<char> places(static_cast<std::size_t>(2 * n));
    for (int i = 0; i < 2000; ++i) {
      std::fill(places.begin(), places.end(), 0);
      std::fill(places.begin() + n, places.end(), 1);
      std::shuffle(places.begin(), places.end(), other);
      double passed = 0, w = 0;
      for (char x : places) x != 0 ? w += passed : passed += 1;
      y.push_back(w);
    }
    const double size = static_cast<double>(n);
    EXPECT_GT(two_sample_p(draws_of(SAMPLER_WILCOX, {size, size}, 20000, 2048), y), kWorst) << n;
  }
  // 5 standard errors of the variance, about (2/n)^(1/2) of it.
  const int draws = 200000;
  for (double n : {4097.0, 1e6, 1e12, 1e20}) {
    const double mean = 0.25 * n * (n + 1), v = n * (n + 1) * (2 * n + 1) / 24;
    EXPECT_NEAR(1, variance_of(draws_of(SAMPLER_SIGNRANK, {n}, draws), mean) / v, 5 * std::sqrt(2.0 / draws)) << n;
  }
  for (const auto& [m, n] : {std::pair{1025.0, 1e4}, {2e3, 2e3}, {1e6, 2e5}, {3e3, 1e50}}) {
    const double v = m * n * (m + n + 1) / 12;
    EXPECT_NEAR(1, variance_of(draws_of(SAMPLER_WILCOX, {m, n}, draws), 0.5 * m * n) / v, 5 * std::sqrt(2.0 / draws))
        << m;
  }
  for (const auto& [m, n] : {std::pair{3.0, 1e15}, {20.0, 1e300}, {300.0, 1e9}}) {
    const double v = m * (m + n + 1) / (12 * n);
    auto x = draws_of(SAMPLER_WILCOX, {m, n}, 5000, 4096);
    for (double& w : x) w /= n;
    EXPECT_NEAR(1, variance_of(x, 0.5 * m) / v, 5 * std::sqrt(2.0 / 5000)) << m;
  }
}

namespace {

// Counts of cell k of `draws` multinomial draws against its binomial distribution.
void expect_cells(double size, const std::vector<double>& prob, int draws) {
  const int cells = static_cast<int>(prob.size());
  const double sum = std::accumulate(prob.begin(), prob.end(), 0.0);
  std::vector<std::vector<double>> x(prob.size());
  std::vector<double> out(prob.size());
  for (int i = 0; i < draws; ++i) {
    sampler_multinom(size, prob.data(), cells, kSeed, static_cast<std::uint64_t>(i), out.data());
    ASSERT_EQ(size, std::accumulate(out.begin(), out.end(), 0.0));
    for (std::size_t k = 0; k < prob.size(); ++k) x[k].push_back(out[k]);
  }
  for (std::size_t k = 0; k < prob.size(); ++k) {
    const double par[] = {size, prob[k] / sum};
    if (par[1] == 0 || par[1] == 1) {
      for (double v : x[k]) ASSERT_EQ(size * par[1], v);
      continue;
    }
    const auto edges = edges_about(size * par[1], std::sqrt(size * par[1] * (1 - par[1])), 0, size);
    EXPECT_GT(discrete_p(
                  x[k], edges, [&](double e) { return sampler_cdf(SAMPLER_BINOM, e, par, 1); },
                  [&](double e) { return sampler_cdf(SAMPLER_BINOM, e, par, 0); }),
              kWorst)
        << size << " cell " << k;
  }
}

}  // namespace

TEST(Samplers, multinom) {
  expect_cells(7, {0.2, 0.5, 0.3}, 100000);
  expect_cells(1000, {0.1, 0, 0.05, 0.6, 0.25, 0}, 100000);
  expect_cells(100, {3, 1, 4, 1, 5}, 50000);
  expect_cells(5, {0, 0, 1}, 100);
  expect_cells(0, {0.5, 0.5}, 100);
  // Rare cells after a common one: Poisson, as good as.
  const double rare[] = {1.0, 5e-16, 0, 1.25e-15};
  const Parameters means[] = {{2}, {0}, {5}};
  std::vector<std::vector<double>> cells(3, std::vector<double>(40));
  double out[4];
  for (std::uint64_t i = 0; i < 100000; ++i) {
    sampler_multinom(4e15, rare, 4, kSeed, i, out);
    for (std::size_t k = 0; k < 3; ++k) cells[k][static_cast<std::size_t>(out[k + 1])] += 1;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> expected;
    for (int x = 0; x < 40; ++x) expected.push_back(1e5 * sampler_mass(SAMPLER_POIS, x, means[k].data()));
    EXPECT_GT(chi_squared_p(cells[k], expected), kWorst) << k;
  }
  const double bad[] = {0.5, -0.5}, none[] = {0, 0};
  for (const double* prob : {bad, none}) {
    sampler_multinom(3, prob, 2, kSeed, 0, out);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  }
}

// The cells of a draw depend on one another: the number in two of three given the third.
TEST(Samplers, multinom_conditionally) {
  const double prob[] = {0.3, 0.4, 0.3};
  std::vector<double> cells(21);
  double out[3], drawn = 0;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    sampler_multinom(40, prob, 3, kSeed, i, out);
    if (out[1] != 20) continue;
    cells[static_cast<std::size_t>(out[0])] += 1;
    drawn += 1;
  }
  const double par[] = {20, 0.5};
  std::vector<double> expected;
  for (int k = 0; k <= 20; ++k) expected.push_back(drawn * sampler_mass(SAMPLER_BINOM, k, par));
  EXPECT_GT(chi_squared_p(cells, expected), kWorst);
}

namespace {

// r(u) of rejection.cl at the ends of each k's interval of u, where it is largest and smallest: its largest value, and
// its smallest less the squeeze.
struct HatRange {
  double most = 0, spare = 1;
  void widen(sampler which, const Parameters& p, const Moments& m, double last) {
    double t[5];
    sampler_hat(m.mean, m.sd, t);
    const double a = t[0], b = t[1], centre = t[2], quick = t[3], scale = t[4];
    const double edge = (2 * a / 0.07 + b) * 0.43;  // G(u) - centre where the squeeze ends
    const double from = std::max(0.0, std::floor(m.mean - 12 * m.sd - 20)),
                 to = std::min(last, m.mean + 12 * m.sd + 60);
    const double step = std::max(1.0, std::floor((to - from) / 1000));
    if (centre - edge < 0 || centre + edge > last + 1) spare = -1;  // it would take what is no value
    for (double k = from; k <= to; k += step) {
      const double f = sampler_mass(which, k, p.data());
      for (int end = 0; end < 3; ++end) {
        double y = k + end - centre, s = 0.5;
        if (end == 2) y = std::fabs(y + 1) > std::fabs(y) ? std::copysign(edge, y) : 0;  // within, if at all
        if (end == 2 && !(k <= y + centre && y + centre < k + 1)) continue;
        const double c = 2 * a + 0.5 * b + std::fabs(y);
        s -= std::fabs(y) / (c + std::sqrt(c * c - 2 * b * std::fabs(y)));
        const double r = f * (a / (s * s) + b) / scale;
        most = std::max(most, r);
        if (s >= 0.0699999) spare = std::min(spare, r - quick);
      }
    }
  }
};

}  // namespace

TEST(Samplers, hat_covers_the_masses_and_squeeze_does_not_exceed_them) {
  HatRange pois, binom, hyper;
  for (double mean = 16; mean < 1e12; mean *= mean < 1e3 ? 1.02 : 1.5)
    pois.widen(SAMPLER_POIS, {mean}, {mean, std::sqrt(mean)}, kInf);
  for (double p : {0.5, 0.4, 0.25, 0.1, 1e-2, 1e-4})
    for (double mean = 16; mean < 1e9; mean *= mean < 1e3 ? 1.05 : 2) {
      const Parameters par = {std::ceil(mean / p), p};
      binom.widen(SAMPLER_BINOM, par, moments_of(SAMPLER_BINOM, par), par[0]);
    }
  for (double N = 144; N < 1e9; N = std::ceil(N * (N < 1e3 ? 1.1 : 3)))
    for (double r = std::floor(N / 2); r >= 9; r = std::floor(r * 0.8))
      for (double n = std::floor(N / 2); n >= 9; n = std::floor(n * 0.8)) {
        const Parameters par = {r, N - r, n};
        const Moments m = moments_of(SAMPLER_HYPER, par);
        if (m.sd >= 3) hyper.widen(SAMPLER_HYPER, par, m, std::min(r, n));
      }
  for (const HatRange& range : {pois, binom, hyper}) {
    EXPECT_LT(range.most, 0.998);
    EXPECT_GT(range.spare, 0.004);
  }
}

TEST(Samplers, limits_of_parameters) {
  struct Case {
    sampler which;
    Parameters p;
    double value;
  };
  const Case cases[] = {
      {SAMPLER_GAMMA, {0, 1}, 0},
      {SAMPLER_GAMMA, {0, kInf}, 0},
      {SAMPLER_GAMMA, {2, 0}, 0},
      {SAMPLER_GAMMA, {2, kInf}, kInf},
      {SAMPLER_GAMMA, {kInf, 1}, kInf},
      {SAMPLER_GAMMA, {-1, 1}, kNaN},
      {SAMPLER_GAMMA, {1, -1}, kNaN},
      {SAMPLER_GAMMA, {kNaN, 1}, kNaN},
      {SAMPLER_GAMMA, {2, kNaN}, kNaN},
      {SAMPLER_BETA, {1, 0}, 1},
      {SAMPLER_BETA, {0, 1}, 0},
      {SAMPLER_BETA, {1, kInf}, 0},
      {SAMPLER_BETA, {kInf, 1}, 1},
      {SAMPLER_BETA, {0, kInf}, 0},
      {SAMPLER_BETA, {kInf, 0}, 1},
      {SAMPLER_BETA, {kInf, kInf}, 0.5},
      {SAMPLER_BETA, {-1, 1}, kNaN},
      {SAMPLER_BETA, {1, kNaN}, kNaN},
      {SAMPLER_POIS, {0}, 0},
      {SAMPLER_POIS, {kInf}, kNaN},
      {SAMPLER_POIS, {-1}, kNaN},
      {SAMPLER_POIS, {kNaN}, kNaN},
      {SAMPLER_BINOM, {0, 0.3}, 0},
      {SAMPLER_BINOM, {5, 0}, 0},
      {SAMPLER_BINOM, {5, 1}, 5},
      {SAMPLER_BINOM, {2147483648.0, 1}, 2147483648.0},
      {SAMPLER_BINOM, {5.5, 0.3}, kNaN},
      {SAMPLER_BINOM, {10 + 1e-8, 0.3}, kNaN},
      {SAMPLER_BINOM, {-1, 0.3}, kNaN},
      {SAMPLER_BINOM, {5, 1.1}, kNaN},
      {SAMPLER_BINOM, {kInf, 0.3}, kNaN},
      {SAMPLER_BINOM, {5, kNaN}, kNaN},
      {SAMPLER_HYPER, {5, 0, 3}, 3},
      {SAMPLER_HYPER, {0, 5, 3}, 0},
      {SAMPLER_HYPER, {5, 7, 0}, 0},
      {SAMPLER_HYPER, {5, 7, 12}, 5},
      {SAMPLER_HYPER, {0, 0, 0}, 0},
      {SAMPLER_HYPER, {5.4, 0, 3}, 3},
      {SAMPLER_HYPER, {2147483647.0, 0, 5}, 5},
      {SAMPLER_HYPER, {1e10, 0, 1e10}, 1e10},
      {SAMPLER_HYPER, {5, 7, 13}, kNaN},
      {SAMPLER_HYPER, {5, -1, 4}, kNaN},
      {SAMPLER_HYPER, {5, 7, -1}, kNaN},
      {SAMPLER_HYPER, {kInf, 7, 4}, kNaN},
      {SAMPLER_HYPER, {kNaN, 7, 4}, kNaN},
      {SAMPLER_NBINOM, {3, 1}, 0},
      {SAMPLER_NBINOM, {kInf, 1}, 0},
      {SAMPLER_NBINOM, {3, 0}, kNaN},
      {SAMPLER_NBINOM, {0, 0.3}, kNaN},
      {SAMPLER_NBINOM, {3, 1.1}, kNaN},
      {SAMPLER_NBINOM, {kInf, 0.3}, kNaN},
      {SAMPLER_NBINOM, {3, kNaN}, kNaN},
      {SAMPLER_NBINOM_MU, {3, 0}, 0},
      {SAMPLER_NBINOM_MU, {3, -1}, kNaN},
      {SAMPLER_NBINOM_MU, {0, 1}, kNaN},
      {SAMPLER_NBINOM_MU, {3, kInf}, kNaN},
      {SAMPLER_NBINOM_MU, {kNaN, 1}, kNaN},
      {SAMPLER_WILCOX, {0, 4}, 0},
      {SAMPLER_WILCOX, {3, 0}, 0},
      {SAMPLER_WILCOX, {0, 0}, 0},
      {SAMPLER_WILCOX, {-1, 4}, kNaN},
      {SAMPLER_WILCOX, {kNaN, 4}, kNaN},
      {SAMPLER_WILCOX, {kInf, 4}, kNaN},
      {SAMPLER_SIGNRANK, {0}, 0},
      {SAMPLER_SIGNRANK, {-0.4}, 0},
      {SAMPLER_SIGNRANK, {-1}, kNaN},
      {SAMPLER_SIGNRANK, {kNaN}, kNaN},
      {SAMPLER_SIGNRANK, {kInf}, kNaN},
  };
  for (const Case& c : cases) {
    const double x = draws_of(c.which, c.p, 1)[0];
    if (std::isnan(c.value))
      EXPECT_TRUE(std::isnan(x)) << label_of(c.which, c.p);
    else
      EXPECT_EQ(c.value, x) << label_of(c.which, c.p);
  }
  std::vector<double> coin(2);
  for (double v : draws_of(SAMPLER_BETA, {0, 0}, 100000)) coin[v == 1] += 1;
  EXPECT_GT(chi_squared_p(coin, {50000, 50000}), kWorst);
}

// Any parameters from 1e-300 to 1e300: a value of the support, in bounded work.
TEST(Samplers, extreme_parameters) {
  std::mt19937_64 other(kSeed);
  const auto wide = [&] { return std::pow(10.0, std::uniform_real_distribution<>(-300, 300)(other)); };
  const auto whole = [&] {
    return std::floor(std::pow(10.0, std::uniform_real_distribution<>(0, other() % 4 == 0 ? 300 : 8)(other)));
  };
  const auto part = [&] {
    return other() % 2 == 0 ? std::uniform_real_distribution<>(0, 1)(other)
                            : std::pow(10.0, std::uniform_real_distribution<>(-300, 0)(other));
  };
  unsigned most[SAMPLER_COUNT] = {};
  for (int i = 0; i < 400000; ++i) {
    const sampler which = static_cast<sampler>(i % SAMPLER_COUNT);
    Parameters p = {wide(), wide()};
    double last = kInf;
    if (which == SAMPLER_BETA) last = 1;
    if (which == SAMPLER_BINOM) p = {whole(), part()}, last = p[0];
    if (which == SAMPLER_HYPER) {
      p = {whole(), whole()};
      p.push_back(std::floor(part() * (p[0] + p[1])));
      last = std::min(p[0], p[2]);
    }
    if (which == SAMPLER_NBINOM) p[1] = part();
    if (which == SAMPLER_WILCOX) p = {whole(), whole()}, last = p[0] * p[1];
    if (which == SAMPLER_SIGNRANK) p = {whole()}, last = 0.5 * p[0] * (p[0] + 1);
    double x;
    most[which] = std::max(most[which], sampler_draws(which, p.data(), static_cast<std::uint64_t>(i), 1, &x));
    ASSERT_TRUE(x >= 0 && x <= last) << x << " " << label_of(which, p);
    ASSERT_TRUE(which <= SAMPLER_BETA || x == std::floor(x)) << x << " " << label_of(which, p);
  }
  for (int k = 0; k < SAMPLER_COUNT; ++k) {
    RecordProperty(label_of(static_cast<sampler>(k), {}), static_cast<int>(most[k]));
    EXPECT_LE(most[k], k == SAMPLER_WILCOX     ? 20000u
                       : k == SAMPLER_SIGNRANK ? 65u
                                               : kMostWords)
        << label_of(static_cast<sampler>(k), {});
  }
}

// A draw depends on the seed and its number alone.
TEST(Samplers, draws_are_reproducible) {
  std::vector<double> x(100), y(50);
  const double par[] = {2.5, 1.0};
  sampler_draws(SAMPLER_GAMMA, par, 7, 100, x.data());
  sampler_draws(SAMPLER_GAMMA, par, 7, 50, y.data());
  EXPECT_TRUE(std::equal(y.begin(), y.end(), x.begin()));
  sampler_draws(SAMPLER_GAMMA, par, 8, 50, y.data());
  EXPECT_FALSE(std::equal(y.begin(), y.end(), x.begin()));
}
