// test_sampler_limits -- draws at the limits of parameters and beyond, in bounded work.
#include <random>

#include "sampler_statistics.h"

using namespace sampler_test;

TEST(SamplerLimits, limits_of_parameters) {
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
      {SAMPLER_HYPER, {1.7e308, 1.7e308, kInf}, kNaN},
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
TEST(SamplerLimits, extreme_parameters) {
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
TEST(SamplerLimits, draws_are_reproducible) {
  std::vector<double> x(100), y(50);
  const double par[] = {2.5, 1.0};
  sampler_draws(SAMPLER_GAMMA, par, 7, 100, x.data());
  sampler_draws(SAMPLER_GAMMA, par, 7, 50, y.data());
  EXPECT_TRUE(std::equal(y.begin(), y.end(), x.begin()));
  sampler_draws(SAMPLER_GAMMA, par, 8, 50, y.data());
  EXPECT_FALSE(std::equal(y.begin(), y.end(), x.begin()));
}
