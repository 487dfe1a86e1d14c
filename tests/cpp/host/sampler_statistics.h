// sampler_statistics -- what the tests of samplers share: draws, tests of distributions, moments.
//
// Seeds are fixed, so that a test either fails always or never. A test statistic fails below probability 1e-6; there
// are about 250 of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "sampler_draws.h"

namespace sampler_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kWorst = 1e-6;
constexpr std::uint64_t kSeed = 20261121;

// No draw of these tests may take more random words: the longest rejection loops seen, with room to spare.
constexpr unsigned kMostWords = 64;

using Parameters = std::vector<double>;

inline std::string label_of(sampler which, const Parameters& p) {
  static const char* const kNames[] = {"gamma",  "beta",      "pois",   "binom",   "hyper",
                                       "nbinom", "nbinom_mu", "wilcox", "signrank"};
  std::string text = kNames[which];
  for (double v : p) text += " " + testing::PrintToString(v);
  return text;
}

inline std::vector<double> draws_of(sampler which, const Parameters& p, int n, unsigned most = kMostWords) {
  std::vector<double> x(static_cast<std::size_t>(n));
  EXPECT_LE(sampler_draws(which, p.data(), kSeed, n, x.data()), most) << label_of(which, p);
  return x;
}

inline double gamma_upper(double x, double shape) {
  const double par[] = {shape, 1.0};
  return sampler_cdf(SAMPLER_GAMMA, x, par, 0);
}

// Pearson's chi-squared test; cells that expect fewer than 20 join the next.
inline double chi_squared_p(const std::vector<double>& observed, const std::vector<double>& expected) {
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
inline double kolmogorov_p(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const double n = static_cast<double>(u.size());
  double d = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    d = std::max({d, u[i] - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - u[i]});
  }
  return std::min(1.0, 2 * std::exp(-2 * n * d * d));
}

inline double two_sample_p(std::vector<double> x, std::vector<double> y) {
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
inline std::vector<double> edges_about(double mean, double sd, double first, double last) {
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

inline Moments moments_of(sampler which, const Parameters& p) {
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

}  // namespace sampler_test
