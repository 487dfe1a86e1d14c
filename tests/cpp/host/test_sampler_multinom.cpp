// test_sampler_multinom -- multinomial draws: each cell, cells together, rare cells.
#include "sampler_statistics.h"

using namespace sampler_test;

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

TEST(SamplerMultinom, cells) {
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
TEST(SamplerMultinom, cells_given_others) {
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
