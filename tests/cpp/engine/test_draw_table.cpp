// test_draw_table -- tables of aliases hold the masses they are made of, and laws have tables where they say so.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/nmath_error.h"
#include "engine/draw_table.h"
#include "engine/elementwise.h"
#include "host_test.h"

using namespace openclPort;

namespace {

// What the cells of a table add up to for each number, from the thresholds themselves.
std::vector<double> masses_of(const DrawTable& table) {
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
  return draw_table(find_kernel_spec(name), columns);
}

}  // namespace

TEST(DrawTable, holds_the_masses_it_is_made_of) {
  const std::vector<std::vector<double>> cases = {
      {1}, {1, 1}, {0, 1}, {3, 1, 0, 2}, {1e-30, 1, 1e-30}, {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2}};
  for (const std::vector<double>& masses : cases) {
    const DrawTable table = alias_table(5, masses);
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
  const DrawTable table = alias_table(0, {0, 1, 0, 1, 0});
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
    const auto table = table_of(one.law, one.parameters);
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
  EXPECT_EQ(nullptr, draw_table(find_kernel_spec("rpois"), {{two.data(), 2, Column::Type::f64}}));
}
