// test_sampler_ranks -- draws of rank statistics against exact counts and, for large samples, against another
// generator.
#include <random>

#include "sampler_statistics.h"

using namespace sampler_test;

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

TEST(SamplerRanks, signrank) {
  for (int n : {1, 2, 3, 5, 10, 31, 32, 33, 63, 64, 65, 100, 129})
    expect_masses(SAMPLER_SIGNRANK, {static_cast<double>(n)}, signrank_masses(n), 200000, 3);
}

TEST(SamplerRanks, wilcox) {
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
TEST(SamplerRanks, expansions_of_rank_statistics) {
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
TEST(SamplerRanks, large_rank_statistics) {
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
