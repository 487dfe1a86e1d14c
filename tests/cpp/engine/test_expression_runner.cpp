// test_expression_runner -- R's functions as text on the host device: values, reductions, gradients, and what is
// checked. Skipped where there is no C compiler.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <functional>
#include <limits>

#include "base/columns.h"
#include "base/nmath_error.h"
#include "base/program_cache.h"
#include "device/device_selection.h"
#include "device/host_compiler.h"
#include "engine/expression_runner.h"
#include "engine/expression_variant.h"
#include "loader/kernel_loader.h"

using namespace openclPort;

namespace {

class ExpressionRunners : public ::testing::Test {
 protected:
  void SetUp() override {
    set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
    set_program_cache_folder("");
    HostCompiler compiler;
    compiler.command = {"cc"};
    compiler.flags = {"-fPIC"};
    compiler.link_flags = {"-shared", "-lm"};
    set_host_compiler(compiler);
    if (!host_compiler().missing.empty()) GTEST_SKIP() << host_compiler().missing;
  }
};

ExpressionArgument column(const std::vector<double>& x) {
  ExpressionArgument made;
  made.column.column = {x.data(), x.size(), Column::Type::f64};
  return made;
}
ExpressionArgument column(const std::vector<int>& x, bool logical = false) {
  ExpressionArgument made;
  made.column.column = {x.data(), x.size(), Column::Type::i32};
  made.logical = logical;
  return made;
}
ExpressionArgument matrix(const std::vector<double>& x, std::size_t rows) {
  ExpressionArgument made = column(x);
  made.matrix = true;
  made.rows = rows;
  made.columns = x.size() / rows;
  return made;
}

struct Ran {
  std::vector<double> values, gradient;
  RunReport report;
};

Ran run(ExpressionRunner& runner, const std::vector<ExpressionArgument>& arguments) {
  Ran ran;
  const ExpressionRunner::Size size = runner.size(arguments);
  ran.values.resize(size.values);
  ran.gradient.resize(size.gradient);
  runner.run(open_device(host_device()), arguments, ran.values.data(), ran.gradient.data(), ran.report);
  return ran;
}

Ran run(const std::string& function, const std::vector<ExpressionArgument>& arguments, const std::string& reduce = "",
        const std::vector<std::string>& gradient = {}, bool na_rm = false) {
  ExpressionRunner runner(function, reduce, na_rm, gradient);
  return run(runner, arguments);
}

std::vector<double> spread(std::size_t n, double from, double to) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = from + (to - from) * static_cast<double>((i * 7919) % n) / static_cast<double>(n);
  return x;
}

void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error that says: " << part;
  } catch (const NmathError& error) {
    EXPECT_NE(std::string::npos, std::string(error.what()).find(part)) << error.what();
  }
}

}  // namespace

TEST_F(ExpressionRunners, values_are_elementwise) {
  const std::vector<double> x = {0.5, 1.0, 2.0}, a = {2.0}, b = {3.0};
  const Ran ran = run("function(x, a, b) { y <- x * b; dgamma(x, a, rate = b, log = TRUE) + 0 * y }",
                      {column(x), column(a), column(b)});
  ASSERT_EQ(3u, ran.values.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(2 * std::log(3.0) + std::log(x[i]) - 3 * x[i], ran.values[i], 1e-13);
  const std::vector<int> k = {1, INT_MIN, 3}, flag = {1, 0, INT_MIN};
  const Ran whole = run("function(k, l) k + l", {column(k), column(flag, true)});
  EXPECT_EQ(2.0, whole.values[0]);
  EXPECT_TRUE(is_na(whole.values[1]));
  EXPECT_TRUE(is_na(whole.values[2]));
}

TEST_F(ExpressionRunners, gradients_of_a_gamma_likelihood) {
  ExpressionRunner runner("function(x, a, b) dgamma(x, a, rate = b, log = TRUE)", "sum", false, {"b", "a"});
  for (const std::size_t n : {5u, 1000u, 100000u}) {
    const std::vector<double> x = spread(n, 0.1, 4.0), a = {2.5}, b = {1.5};
    double sum = 0, logs = 0, value = 0;
    for (const double one : x) {
      sum += one;
      logs += std::log(one);
      value += 2.5 * std::log(1.5) + 1.5 * std::log(one) - 1.5 * one - std::lgamma(2.5);
    }
    const double count = static_cast<double>(n), digamma = 0.70315664064524319;
    const Ran ran = run(runner, {column(x), column(a), column(b)});
    EXPECT_NEAR(value, ran.values[0], 1e-12 * std::fabs(value));
    ASSERT_EQ(2u, ran.gradient.size());
    EXPECT_NEAR(count * 2.5 / 1.5 - sum, ran.gradient[0], 1e-10 * sum);
    EXPECT_NEAR(count * (std::log(1.5) - digamma) + logs, ran.gradient[1], 1e-10 * sum);
    EXPECT_EQ(n == 5 ? 1 : 0, ran.report.built) << n;  // lengths are arguments of the kernel
  }
}

TEST_F(ExpressionRunners, gradients_in_coefficients) {
  const std::size_t n = 3000;
  const std::vector<double> X = spread(3 * n, -1.0, 1.0), b = {0.3, -0.2, 0.5}, s = {0.7};
  std::vector<int> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = i % 3 == 0;
  double value = 0;
  std::vector<double> slopes(4);
  for (std::size_t i = 0; i < n; ++i) {
    const double eta = 0.7 + X[i] * b[0] + X[n + i] * b[1] + X[2 * n + i] * b[2], p = 1 / (1 + std::exp(-eta));
    value += y[i] * eta - std::log1p(std::exp(eta));
    for (std::size_t j = 0; j < 3; ++j) slopes[j] += (y[i] - p) * X[j * n + i];
    slopes[3] += y[i] - p;
  }
  ExpressionRunner runner("function(y, X, b, s) { eta <- s + X %*% b; y * eta - log1p(exp(eta)) }", "mean", false,
                          {"b", "s"});
  const Ran ran = run(runner, {column(y), matrix(X, n), column(b), column(s)});
  EXPECT_NEAR(value / n, ran.values[0], 1e-12);
  ASSERT_EQ(4u, ran.gradient.size());
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(slopes[j] / n, ran.gradient[j], 1e-12) << j;
  // One column is arithmetic with a number, another kernel.
  const std::vector<double> one = {0.3}, column_of_X(X.begin(), X.begin() + static_cast<std::ptrdiff_t>(n));
  const Ran narrow = run(runner, {column(y), matrix(column_of_X, n), column(one), column(s)});
  EXPECT_EQ(2u, narrow.gradient.size());
  expect_error([&] { run(runner, {column(y), matrix(X, n), column(s), column(s)}); }, "non-conformable");
  ExpressionArgument wrong = matrix(X, n);
  wrong.columns = 4;
  expect_error([&] { run(runner, {column(y), wrong, column(b), column(s)}); }, "rows and 4 columns");
}

TEST_F(ExpressionRunners, reductions_are_those_of_R) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {3.0, -1.0, 0.5, 2.0}, holes = {3.0, na_real(), 0.5, NAN}, none = {NAN, NAN};
  const auto value = [&](const std::vector<double>& of, const char* reduce, bool na_rm = false) {
    return run("function(x) x", {column(of)}, reduce, {}, na_rm).values.at(0);
  };
  EXPECT_EQ(4.5, value(x, "sum"));
  EXPECT_EQ(1.125, value(x, "mean"));
  EXPECT_EQ(-1.0, value(x, "min"));
  EXPECT_EQ(3.0, value(x, "max"));
  EXPECT_EQ(-3.0, value(x, "prod"));
  EXPECT_NEAR(std::log(std::exp(3.0) + std::exp(-1.0) + std::exp(0.5) + std::exp(2.0)), value(x, "logsumexp"), 1e-14);
  EXPECT_NEAR(std::sqrt(14.25), value(x, "norm"), 1e-15);
  EXPECT_TRUE(is_na(value(holes, "sum")));
  EXPECT_TRUE(is_na(value(holes, "max")));
  EXPECT_EQ(3.5, value(holes, "sum", true));
  EXPECT_EQ(1.75, value(holes, "mean", true));
  EXPECT_EQ(0.5, value(holes, "min", true));
  EXPECT_EQ(inf, value(none, "min", true));
  EXPECT_EQ(-inf, value(none, "max", true));
  const std::vector<double> large(400, 1e3), small(400, 1e-3);
  EXPECT_EQ(inf, value(large, "prod"));
  EXPECT_EQ(0.0, value(small, "prod"));
  const auto found = [&](const char* test, const char* reduce, bool na_rm = false) {
    return run(test, {column(holes)}, reduce, {}, na_rm).values.at(0);
  };
  EXPECT_EQ(1.0, found("function(x) x > 1", "any"));
  EXPECT_TRUE(is_na(found("function(x) x > 5", "any")));
  EXPECT_EQ(0.0, found("function(x) x > 5", "any", true));
  EXPECT_EQ(0.0, found("function(x) x > 1", "all"));
  EXPECT_EQ(1.0, found("function(x) x > 0", "all", true));
}

TEST_F(ExpressionRunners, conditions_are_computed_at_each_call) {
  ExpressionRunner runner("function(x, k, w) if (k + 1 > 2 && !w) x * 2 else exp(x)", "", false, {});
  const std::vector<double> x = {1.0, 2.0}, small = {0.5}, large = {1.5}, missing = {na_real()};
  const std::vector<int> yes = {1}, no = {0};
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(4.0, run(runner, {column(x), column(large), column(no, true)}).values[1]);
    EXPECT_NEAR(std::exp(2.0), run(runner, {column(x), column(small), column(no, true)}).values[1], 1e-14);
    EXPECT_NEAR(std::exp(1.0), run(runner, {column(x), column(large), column(yes, true)}).values[0], 1e-14);
  }
  expect_error([&] { run(runner, {column(x), column(missing), column(no, true)}); }, "missing value where TRUE/FALSE");
  expect_error([&] { run(runner, {column(x), column(x), column(no, true)}); }, "condition of length one");
  expect_error(
      [&] {
        run("function(x, k) if (exp(k) > 2) x else -x", {column(x), column(small)});
      },
      "Compute it before the call");
}

TEST_F(ExpressionRunners, lengths_that_the_body_asks_for_are_checked) {
  ExpressionRunner runner("function(x) x / length(x)", "sum", false, {});
  for (const std::size_t n : {2u, 50u, 3u, 2u})
    EXPECT_NEAR(1.0, run(runner, {column(std::vector<double>(n, 1.0))}).values[0], 1e-15) << n;
}

// Missing parameters are for the general kernel, which is another program.
TEST_F(ExpressionRunners, what_constant_parameter_kernels_do_not_know_is_computed_again) {
  ExpressionRunner runner("function(x, a) pgamma(x, a, log.p = TRUE)", "sum", false, {});
  std::vector<double> x = spread(40000, 0.1, 5.0);
  const std::vector<double> a = {2.0}, missing = {na_real()};
  double value = 0;
  for (const double one : x) value += std::log1p(-std::exp(-one) * (1 + one));
  const auto usual = [&] {
    const Ran ran = run(runner, {column(x), column(a)});
    EXPECT_NEAR(value, ran.values[0], 1e-11 * std::fabs(value));
    return ran.report.built;
  };
  EXPECT_EQ(1, usual());
  const Ran general = run(runner, {column(x), column(missing)});
  EXPECT_TRUE(is_na(general.values[0]));
  EXPECT_EQ(1, general.report.built);
  EXPECT_EQ(0, usual());
  x[17] = na_real();
  EXPECT_TRUE(is_na(run(runner, {column(x), column(a)}).values[0]));
}

TEST_F(ExpressionRunners, without_elements) {
  const std::vector<double> none, one = {1.0};
  EXPECT_TRUE(run("function(x, a) x + a", {column(none), column(one)}).values.empty());
  expect_error([&] { run("function(x) x", {column(none)}, "sum"); }, "`x` has no elements");
}

TEST_F(ExpressionRunners, says_what_does_not_fit) {
  const std::vector<double> x = {1.0, 2.0};
  expect_error([&] { run("function(x, a) x + a", {column(x)}); }, "has 2 arguments, but 1 are given");
  expect_error([&] { run("function(x, a = 1) x + a", {}); }, "`a` has a default value");
  expect_error([&] { run("x + 1", {}); }, "function(");
  expect_error([&] { run("function(x) x", {column(x)}, "median"); }, "no reduction 'median'");
  expect_error([&] { run("function(x) x", {column(x)}, "max", {"x"}); }, "\"sum\" or \"mean\"");
  expect_error([&] { run("function(x) x", {column(x)}, "sum", {"y"}); }, "`y`, which is not an argument");
  expect_error([&] { run("function(x, a) x * a", {column(x), column(x)}, "sum", {"a"}); }, "of length one");
  expect_error([&] { run("function(x) rnorm(length(x))", {column(x)}); }, "random numbers");
  expect_error([&] { run("function(x) z + x", {column(x)}); }, "object 'z' not found");
}

TEST_F(ExpressionRunners, long_programs_are_marked_for_compilers_that_take_long) {
  const auto marked = [](const std::string& call) {
    const std::string program = expression_program("__kernel void k(__global double* x) { x[0] = " + call + "; }\n");
    return program.compare(0, 26, "#define NMATH_LONG_PROGRAM") == 0;
  };
  EXPECT_FALSE(marked("dpois(x[0], x[1], 1)"));
  EXPECT_TRUE(marked("dnbinom_mu(x[0], x[1], x[2], 1) + digamma(x[1]) + pbeta(x[1], x[2], x[3], 1, 0)"));
}
