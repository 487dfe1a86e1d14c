// test_draw_table -- tables of aliases hold the masses they are made of, those of quantile functions their values, and
// laws have tables where they say so.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/nmath_error.h"
#include "engine/alias_table.h"
#include "engine/elementwise.h"
#include "engine/find_draw_table.h"
#include "engine/quantile_table.h"
#include "host_test.h"

using namespace openclPort;

namespace {

// What the cells of a table add up to for each number, from the thresholds themselves.
std::vector<double> masses_of(const AliasTable& table) {
  const std::size_t size = table.cells.size() / 2;
  std::vector<double> masses(size, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    const double own = std::ldexp(static_cast<double>(table.cells[2 * k]), -64);
    masses[k] += own / static_cast<double>(size);
    masses[table.cells[2 * k + 1]] += (1.0 - own) / static_cast<double>(size);
  }
  return masses;
}

std::shared_ptr<const DrawTable> table_of(const std::string& name, const std::vector<double>& parameters) {
  std::vector<Column> columns;
  for (const double& one : parameters) columns.push_back({&one, 1, Column::Type::f64});
  return find_draw_table(find_kernel_spec(name), columns);
}

}  // namespace

TEST(DrawTable, holds_the_masses_it_is_made_of) {
  const std::vector<std::vector<double>> cases = {
      {1}, {1, 1}, {0, 1}, {3, 1, 0, 2}, {1e-30, 1, 1e-30}, {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2}};
  for (const std::vector<double>& masses : cases) {
    const AliasTable table = alias_table(5, masses);
    EXPECT_EQ(5, table.low);
    ASSERT_EQ(std::size_t{2} << table.bits, table.cells.size());
    EXPECT_GE(table.bits, 1);
    const std::vector<double> held = masses_of(table);
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    for (std::size_t k = 0; k < held.size(); ++k)
      EXPECT_NEAR(k < masses.size() ? masses[k] / total : 0.0, held[k], 1e-15) << k << " of " << masses.size();
  }
}

TEST(DrawTable, a_number_without_mass_is_never_drawn) {
  const AliasTable table = alias_table(0, {0, 1, 0, 1, 0});
  for (const std::size_t k : {0u, 2u, 4u, 5u, 6u, 7u}) EXPECT_EQ(0u, table.cells[2 * k]);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(1u, table.cells[2 * k + 1] % 2);
}

TEST(DrawTable, of_laws_holds_their_probabilities) {
  struct Case {
    std::string law;
    std::vector<double> parameters;
  };
  for (const Case& one : {Case{"rpois", {20}}, Case{"rpois", {1e-9}}, Case{"rbinom", {100, 0.4}},
                          Case{"rhyper", {40, 50, 20}}, Case{"rnbinom", {5, 0.4}}, Case{"rnbinom_mu", {0.5, 4}}}) {
    const auto table = std::dynamic_pointer_cast<const AliasTable>(table_of(one.law, one.parameters));
    ASSERT_NE(nullptr, table) << one.law;
    const std::vector<double> held = masses_of(*table);
    std::vector<double> x(held.size()), mass(held.size());
    std::vector<Column> columns{{x.data(), x.size(), Column::Type::f64}};
    for (const double& p : one.parameters) columns.push_back({&p, 1, Column::Type::f64});
    const int plain = 0;
    columns.push_back({&plain, 1, Column::Type::i32});
    std::iota(x.begin(), x.end(), table->low);
    RunReport report;
    run_on_host(find_kernel_spec("d" + one.law.substr(1)), columns, x.size(), mass.data(), report);
    for (std::size_t k = 0; k < held.size(); ++k) EXPECT_NEAR(mass[k], held[k], 1e-15) << one.law << " " << x[k];
  }
}

TEST(DrawTable, is_kept_and_is_none_outside) {
  EXPECT_EQ(table_of("rpois", {7}), table_of("rpois", {7}));
  const double nan = std::nan(""), inf = HUGE_VAL;
  for (const double mu : {-1.0, 0.0, nan, inf, 1e5}) EXPECT_EQ(nullptr, table_of("rpois", {mu})) << mu;
  EXPECT_EQ(nullptr, table_of("rbinom", {2.5, 0.5}));
  EXPECT_EQ(nullptr, table_of("rbinom", {10, 1.5}));
  EXPECT_EQ(nullptr, table_of("rhyper", {5, 5, 11}));
  EXPECT_EQ(nullptr, table_of("rnbinom", {0, 0.5}));
  EXPECT_EQ(nullptr, table_of("rnorm", {0, 1}));
  const std::vector<double> two{5, 6};
  EXPECT_EQ(nullptr, find_draw_table(find_kernel_spec("rpois"), {{two.data(), 2, Column::Type::f64}}));
}

namespace {

std::shared_ptr<const QuantileTable> quantiles_of(const std::string& name, const std::vector<double>& parameters) {
  return std::dynamic_pointer_cast<const QuantileTable>(table_of(name, parameters));
}

// Draws of element 0, 1, ... by the host device, or, of unif_rand(), the uniforms that belong to them.
std::vector<double> draws(const std::string& name, const std::vector<double>& parameters, std::size_t n) {
  std::vector<Column> columns;
  for (const double& one : parameters) columns.push_back({&one, 1, Column::Type::f64});
  std::vector<double> out(n);
  RunReport report;
  run_elementwise("host", find_kernel_spec(name), columns, n, out.data(), report, {}, DrawStream(42));
  return out;
}

struct Case {
  std::string law;
  std::vector<double> parameters;
};

std::vector<Case> with_quantiles() {
  return {{"rgamma", {3, 1}},    {"rgamma", {0.6, 1}},   {"rgamma", {1, 1}}, {"rgamma", {1e6, 1}}, {"rgamma", {1e9, 1}},
          {"rchisq", {5}},       {"rchisq", {1.5}},      {"rbeta", {2, 3}},  {"rbeta", {0.8, 40}}, {"rbeta", {1, 1}},
          {"rbeta", {5e4, 0.9}}, {"rbeta", {0.7, 0.26}}, {"rf", {5, 7}},     {"rf", {2, 300}},     {"rt", {5}},
          {"rt", {2.5}},         {"rt", {1e6}}};
}

}  // namespace

// Row by row, at the ends and in between: to the bound that the header gives, and rows meet one another.
TEST(QuantileTable, holds_the_quantile_function) {
  constexpr int fine = 24 * 8, tail = fine + 41, terms = 9;
  for (const Case& one : with_quantiles()) {
    const auto table = quantiles_of(one.law, one.parameters);
    ASSERT_NE(nullptr, table) << one.law << one.parameters.front();
    ASSERT_EQ(2 * tail, table->rows);
    ASSERT_EQ(static_cast<std::size_t>(2 * tail * terms), table->terms->size());
    for (const int upper : {0, 1}) {
      std::vector<double> p, held;
      std::vector<int> row_of;
      for (int row = 0; row < tail; ++row) {
        const int octave = row < fine ? row / 8 : 24 + row - fine;
        const double from = row < fine ? 1.0 + (7 - row % 8) / 8.0 : 1.0, width = row < fine ? 0.125 : 1.0;
        for (const double part : {0.0, 0.1, 0.35, 0.5, 0.8, 1.0}) {
          const double mantissa = from + width * part, t = mantissa - (from + 0.5 * width);
          double sum = 0;
          for (int k = terms - 1; k >= 0; --k) sum = sum * t + (*table->terms)[row + upper * tail + table->rows * k];
          p.push_back(0.5 * std::ldexp(mantissa, -1 - octave));
          held.push_back(sum);
          row_of.push_back(row);
        }
      }
      const std::vector<double> x = law_on_host('q', one.law, p, one.parameters, {!upper, 0});
      // around the middle of a t distribution, where it is 0, the size of a draw is that of its chunk
      for (std::size_t k = 0; k < p.size(); ++k)
        EXPECT_NEAR(x[k], held[k],
                    (row_of[k] < fine ? 0x1p-39 : 0x1p-19) * std::max(std::fabs(x[k]), 0.01 * (one.law == "rt")))
            << one.law << "(" << one.parameters.front() << ") upper " << upper << " p " << p[k];
    }
  }
}

// The first bit is the tail, the others are its probability: what runif() makes of the same word tells 52 of them.
TEST(QuantileTable, draws_are_quantiles_of_their_random_word) {
  constexpr std::size_t n = 20001;
  const std::vector<double> u = draws("unif_rand", {}, n);
  for (const Case& one : with_quantiles()) {
    const std::vector<double> x = draws(one.law, one.parameters, n);
    std::vector<double> p[2];
    for (const double each : u) {
      p[0].push_back(each < 0.5 ? each : 0.25);
      p[1].push_back(each < 0.5 ? 0.25 : each - 0.5);
    }
    const std::vector<double> lower = law_on_host('q', one.law, p[0], one.parameters, {1, 0});
    const std::vector<double> upper = law_on_host('q', one.law, p[1], one.parameters, {0, 0});
    for (std::size_t i = 0; i < n; ++i) {
      const double expected = u[i] < 0.5 ? lower[i] : upper[i];
      EXPECT_NEAR(expected, x[i], 1e-9 * std::max(std::fabs(expected), 0.01 * (one.law == "rt")))
          << one.law << " " << u[i];
    }
  }
}

TEST(QuantileTable, is_kept_is_scaled_and_is_none_outside) {
  const auto one = quantiles_of("rgamma", {7, 1}), ten = quantiles_of("rgamma", {7, 10});
  ASSERT_NE(nullptr, one);
  EXPECT_EQ(one->terms, ten->terms);
  EXPECT_EQ(10, ten->scale);
  const std::vector<double> x = draws("rgamma", {7, 1}, 100), scaled = draws("rgamma", {7, 10}, 100);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(10 * x[i], scaled[i]);
  const double nan = std::nan(""), inf = HUGE_VAL;
  for (const double shape : {-1.0, 0.0, nan, inf, 1e-3, 0.02, 0.06, 1e10}) {
    EXPECT_EQ(nullptr, table_of("rgamma", {shape, 1})) << shape;
    EXPECT_EQ(nullptr, table_of("rbeta", {2, shape})) << shape;
    EXPECT_EQ(nullptr, table_of("rbeta", {shape, 2})) << shape;
    EXPECT_EQ(nullptr, table_of("rf", {shape, 5})) << shape;
    EXPECT_EQ(nullptr, table_of("rt", {shape})) << shape;
  }
  for (const double scale : {-1.0, 0.0, nan, inf}) EXPECT_EQ(nullptr, table_of("rgamma", {3, scale})) << scale;
  const std::vector<double> two{5, 6};
  EXPECT_EQ(nullptr, find_draw_table(find_kernel_spec("rt"), {{two.data(), 2, Column::Type::f64}}));
}
