// test_host_fixed -- constant-parameter kernels, several elements at a time and one at a time, against the general
// form.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "host/host_device.h"
#include "host/host_fixed.h"

namespace {

struct Case {
  const char* kernel;
  std::vector<double> parameters;
  std::vector<int> flags;
};

nmath_host_kernel launcher(const std::string& kernel) {
  for (const nmath_host_row* row = nmath_host_table; row->kernel != nullptr; ++row)
    if (kernel == row->kernel) return row->run;
  return nullptr;
}

int64_t bits(double value) {
  int64_t b;
  std::memcpy(&b, &value, sizeof b);
  return b;
}

// Elements [begin, end); parameters as scalars, or as columns as long as x, which no constant-parameter kernel knows.
std::vector<double> compute(const Case& c, std::vector<double> x, bool scalars, int begin, int end) {
  std::vector<double> out(x.size(), -7.0);
  std::vector<std::vector<double>> columns{x};
  for (const double p : c.parameters) columns.emplace_back(scalars ? 1 : x.size(), p);
  std::vector<nmath_host_argument> a(2 + 3 * (columns.size() + c.flags.size()));
  std::size_t at = 0;
  std::vector<int> flags = c.flags;
  for (std::vector<double>& column : columns) a[at++].memory = column.data();
  for (int& flag : flags) a[at++].memory = &flag;
  a[at++].memory = out.data();
  a[at++].i32 = static_cast<int>(x.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool scalar = k > 0 && scalars;
    a[at++].i32 = scalar ? 1 : 0;  // 0: as long as the result
    a[at++].i64 = scalar ? bits(c.parameters[k - 1]) : 0;
  }
  for (const int flag : flags) {
    a[at++].i32 = 1;
    a[at++].i64 = flag;
  }
  launcher(c.kernel)(a.data(), begin, end);
  return out;
}

const std::vector<Case> cases = {{"dnorm_kernel", {1.0, 2.0}, {0}},
                                 {"dnorm_kernel", {1.0, 2.0}, {1}},
                                 {"pnorm_kernel", {1.0, 2.0}, {1, 0}},
                                 {"dgamma_kernel", {3.5, 0.7}, {0}},
                                 {"dgamma_kernel", {3.5, 0.7}, {1}},
                                 {"dt_kernel", {4.5}, {0}},
                                 {"dt_kernel", {4.5}, {1}},
                                 {"dchisq_kernel", {5.0}, {0}},
                                 {"dlnorm_kernel", {0.2, 1.5}, {1}},
                                 {"dweibull_kernel", {1.5, 2.0}, {0}},
                                 {"pgamma_kernel", {3.0, 1.5}, {1, 0}},
                                 {"pgamma_kernel", {3.0, 1.5}, {0, 0}},
                                 {"pgamma_kernel", {0.5, 1.5}, {1, 1}},
                                 {"pgamma_kernel", {30.0, 0.2}, {0, 1}},
                                 {"pchisq_kernel", {1.0}, {1, 0}},
                                 {"pbeta_kernel", {2.0, 3.0}, {1, 0}},
                                 {"pbeta_kernel", {0.5, 300.0}, {0, 1}},
                                 {"pf_kernel", {4.0, 7.0}, {0, 0}},
                                 {"qgamma_kernel", {3.0, 1.5}, {1, 0}},
                                 {"qbeta_kernel", {0.5, 7.0}, {0, 0}},
                                 {"qt_kernel", {4.5}, {1, 0}},
                                 {"bessel_j_kernel", {0.0}, {}},
                                 {"bessel_j_kernel", {4.5}, {}},
                                 {"pf_kernel", {1.0, 60.0}, {1, 1}},
                                 {"pgamma_kernel", {0.1, 1.5}, {1, 0}} /* which its form does not know */};

class HostFixed : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { nmath_host_fixed_plain = GetParam(); }
  void TearDown() override { nmath_host_fixed_plain = 0; }
};

TEST_P(HostFixed, gives_what_the_general_form_gives) {
  std::vector<double> x = {-1.0, 0.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-300, 1e300};
  for (int i = 1; i < 1000; ++i) x.push_back(0.03 * i);
  const int n = static_cast<int>(x.size());
  for (const Case& c : cases) {
    ASSERT_NE(nullptr, launcher(c.kernel)) << c.kernel;
    const std::vector<double> known = compute(c, x, false, 0, n);
    for (const auto& [begin, end] : {std::pair{0, n}, {0, 64}, {3, 4}, {5, 200}, {n - 65, n}, {7, 7}}) {
      const std::vector<double> got = compute(c, x, true, begin, end);
      for (int i = 0; i < n; ++i) {
        const double expected = known[i], size = std::fabs(expected) * (1.0 + std::fabs(x[i])) + 1e-3;
        if (i < begin || i >= end)
          EXPECT_EQ(-7.0, got[i]) << c.kernel << ' ' << i;
        else if (std::isfinite(expected))
          EXPECT_NEAR(expected, got[i], 2e-14 * std::fmin(size, 1e3)) << c.kernel << ' ' << x[i];
        else
          EXPECT_TRUE(std::isnan(expected) ? std::isnan(got[i]) : got[i] == expected) << c.kernel << ' ' << x[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(several_and_single, HostFixed, ::testing::Values(0, 1));

}  // namespace
