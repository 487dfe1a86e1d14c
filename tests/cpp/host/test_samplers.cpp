// test_samplers -- draws of the device library against the package's own distribution functions.
#include "sampler_statistics.h"

using namespace sampler_test;

namespace {

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
