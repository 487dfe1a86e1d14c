// test_adjoints -- derivatives: against differences, and where branches are not taken.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate.h"
#include "expression/adjoint.h"
#include "expression_test.h"

using namespace expression_test;

namespace {

// The derivative of each element in an input of as many elements (or of one), and the difference quotient there.
void expect_slopes(const std::string& text, const std::vector<Input>& inputs, const Values& values) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Translated made = translated(text, inputs);
    const int input = static_cast<int>(k) + 1;
    const int slope = adjoints(made.graph, made.root, {input}).nodes[0];
    ASSERT_NE(slope, 0) << text << " in " << inputs[k].name;
    const auto n = static_cast<std::size_t>(made.graph.length(made.root));
    for (std::size_t at = 0; at < n; ++at) {
      const std::size_t own = at % values[k].size();
      Values up = values, down = values;
      const double step = 1e-5 * (1 + std::fabs(values[k][own]));
      up[k][own] += step;
      down[k][own] -= step;
      const double expected =
          (element(made.graph, made.root, at, up) - element(made.graph, made.root, at, down)) / (2 * step);
      EXPECT_NEAR(element(made.graph, slope, at, values), expected, 1e-6 * (1 + std::fabs(expected)))
          << text << " in " << inputs[k].name << ", element " << at;
    }
  }
}

TEST(Adjoints, are_those_of_differences) {
  const std::vector<Input> inputs = {real("x", 4), real("y", 4), real("s")};
  const Values values = {{0.3, 1.7, 2.5, 4.0}, {2.0, 0.5, 1.25, 3.0}, {1.5}};
  for (const char* const body :
       {"x * y / s", "x - y * x + s", "exp(-x * s) + log(y)", "sqrt(x) * sin(y) - cos(s * x)", "x^2 + y^s",
        "ifelse(x > y, x * s, y / s * x) + y", "pmin(x * s, y) + pmax(x, y * s)", "{ u <- x * s; u * u + u / y }",
        "log(x, 2) * y + s", "+x - -y * s", "ifelse(x > 1, ifelse(y > 1, x * y * s, x + y), y * x + s)",
        "pmin(x * s, y, na.rm = TRUE) * x + s * y", "(x * y * s)^2 / (1 + x)"})
    expect_slopes(std::string("function(x, y, s) ") + body, inputs, values);
}

TEST(Adjoints, recycle_as_values_do) {
  const std::vector<Input> inputs = {real("x", 6), real("y", 3)};
  expect_slopes("function(x, y) x * y + exp(y / x)", inputs, {{1, 2, 3, 4, 5, 6}, {0.5, 1.5, 2.5}});
}

TEST(Adjoints, leave_no_trace_of_branches_that_are_not_taken) {
  Translated made = translated("function(x) ifelse(x > 0, log(x), 0) + ifelse(x > 0, sqrt(x), 2 * x)", {real("x", 3)});
  const int slope = adjoints(made.graph, made.root, {1}).nodes[0];
  const Values values = {{-1, 0, 4}};
  EXPECT_EQ(element(made.graph, slope, 0, values), 2);
  EXPECT_EQ(element(made.graph, slope, 1, values), 2);
  EXPECT_EQ(element(made.graph, slope, 2, values), 0.5);
}

TEST(Adjoints, are_missing_where_the_test_is) {
  Translated made = translated("function(x, y) ifelse(x > 0, y, 2 * y)", {real("x", 3), real("y", 3)});
  const int slope = adjoints(made.graph, made.root, {2}).nodes[0];
  const Values values = {{1, -1, na_real()}, {1, 1, 1}};
  EXPECT_EQ(element(made.graph, slope, 0, values), 1);
  EXPECT_EQ(element(made.graph, slope, 1, values), 2);
  EXPECT_TRUE(is_na_real(element(made.graph, slope, 2, values)));
}

TEST(Adjoints, of_extremes_go_to_the_first_at_a_tie) {
  Translated made = translated("function(x, y) pmax(x, y)", {real("x", 3), real("y", 3)});
  const Adjoints found = adjoints(made.graph, made.root, {1, 2});
  const Values values = {{1, 2, 2}, {1, 1, 3}};
  const double of_x[] = {1, 1, 0};
  for (std::size_t at = 0; at < 3; ++at) {
    EXPECT_EQ(element(made.graph, found.nodes[0], at, values), of_x[at]);
    EXPECT_EQ(element(made.graph, found.nodes[1], at, values), 1 - of_x[at]);
  }
}

TEST(Adjoints, with_na_rm_go_to_what_is_there) {
  Translated made = translated("function(x, y) pmin(x, y, na.rm = TRUE)", {real("x", 4), real("y", 4)});
  const Adjoints found = adjoints(made.graph, made.root, {1, 2});
  const Values values = {{na_real(), 5, 1, na_real()}, {2, na_real(), 3, na_real()}};
  EXPECT_EQ(element(made.graph, found.nodes[0], 0, values), 0);
  EXPECT_EQ(element(made.graph, found.nodes[1], 0, values), 1);
  EXPECT_EQ(element(made.graph, found.nodes[0], 1, values), 1);
  EXPECT_EQ(element(made.graph, found.nodes[1], 1, values), 0);
  EXPECT_EQ(element(made.graph, found.nodes[0], 2, values), 1);
  EXPECT_TRUE(is_na_real(element(made.graph, found.nodes[0], 3, values)));
}

TEST(Adjoints, count_elements_by_the_test_that_cut_a_branch) {
  // The branch is longer than the test, so only its first elements have a part in the value.
  const std::vector<Input> inputs = {real("t", 2), real("x", 4)};
  Translated made = translated("function(t, x) ifelse(t > 0, exp(x), x)", inputs);
  EXPECT_EQ(made.graph.length(made.root), 2);
  const int slope = adjoints(made.graph, made.root, {2}).nodes[0];
  int cuts = 0;
  for (int id = 1; id <= made.graph.size(); ++id) {
    if (made.graph.at(id).op != Op::cut) continue;
    ++cuts;
    EXPECT_EQ(made.graph.length(id), 2);
  }
  EXPECT_EQ(cuts, 1);
  EXPECT_EQ(made.graph.length(slope), 2);
  const Values values = {{1, -1}, {0, 1, 2, 3}};
  EXPECT_EQ(element(made.graph, slope, 0, values), 1);  // exp(0)
  EXPECT_EQ(element(made.graph, slope, 1, values), 1);  // of x itself
}

TEST(Adjoints, of_products_are_terms_with_scores_and_masks) {
  const std::vector<Input> inputs = {matrix("X", 3, 2), real("b", 2), real("y", 3)};
  Translated made = translated("function(X, b, y) ifelse(y > 0, exp(X %*% b), y * 2)", inputs);
  const Adjoints found = adjoints(made.graph, made.root, {2});
  EXPECT_EQ(found.nodes[0], 0);
  ASSERT_EQ(found.terms[0].size(), 1u);
  const Term& term = found.terms[0][0];
  EXPECT_EQ(made.graph.at(term.product).op, Op::product);
  EXPECT_EQ(term.cut, 0);
  const Values values = {{1, 2, 3, 4, 5, 6}, {0.1, 0.2}, {1, -1, 2}};
  EXPECT_DOUBLE_EQ(element(made.graph, term.score, 2, values), std::exp(0.3 + 1.2));
  ASSERT_NE(term.mask, 0);
  EXPECT_EQ(element(made.graph, term.mask, 0, values), 1);
  EXPECT_EQ(element(made.graph, term.mask, 1, values), 0);
}

TEST(Adjoints, of_products_with_several_matrices_are_several_terms) {
  const std::vector<Input> inputs = {matrix("X", 4, 2), matrix("Z", 4, 2), real("b", 2)};
  Translated made = translated("function(X, Z, b) X %*% b * Z %*% b + X %*% b", inputs);
  const Adjoints found = adjoints(made.graph, made.root, {3});
  ASSERT_EQ(found.terms[0].size(), 2u);
  EXPECT_EQ(found.terms[0][0].mask, 0);
  EXPECT_NE(found.terms[0][0].product, found.terms[0][1].product);
}

TEST(Adjoints, of_one_column_are_no_terms) {
  Translated made = translated("function(X, b) X %*% b", {matrix("X", 3, 1), real("b")});
  const Adjoints found = adjoints(made.graph, made.root, {2});
  EXPECT_TRUE(found.terms[0].empty());
  EXPECT_EQ(element(made.graph, found.nodes[0], 1, {{5, 6, 7}, {2}}), 6);
}

TEST(Adjoints, of_what_steps_or_does_not_depend_are_none) {
  const std::vector<Input> inputs = {real("x", 3), real("s")};
  for (const char* const body : {"(x > s) * 1", "x * 2", "as.integer(s) + x", "is.na(s) + x"}) {
    Translated made = translated(std::string("function(x, s) ") + body, inputs);
    EXPECT_EQ(adjoints(made.graph, made.root, {2}).nodes[0], 0) << body;
  }
}

TEST(Adjoints, warn_of_nothing) {
  Translated made = translated("function(x) dgamma(x, log(x)) + sqrt(x)", {real("x", 3)});
  const std::size_t sites = made.graph.sites.size(), tests = made.graph.tests.size();
  adjoints(made.graph, made.root, {1});
  EXPECT_EQ(made.graph.sites.size(), sites);
  EXPECT_EQ(made.graph.tests.size(), tests);
}

TEST(Adjoints, of_functions_follow_their_rules) {
  // Of a density times its logarithm's slope, and of the logarithm the slope alone.
  Translated plain = translated("function(x) dnorm(x)", {real("x", 3)});
  Translated logged = translated("function(x) dnorm(x, log = TRUE)", {real("x", 3)});
  const int of_plain = adjoints(plain.graph, plain.root, {1}).nodes[0];
  const int of_logged = adjoints(logged.graph, logged.root, {1}).nodes[0];
  const auto calls = [](const Graph& graph) {
    int count = 0;
    for (int id = 1; id <= graph.size(); ++id) count += graph.at(id).op == Op::library ? 1 : 0;
    return count;
  };
  EXPECT_NE(of_plain, 0);
  EXPECT_NE(of_logged, 0);
  EXPECT_EQ(calls(plain.graph), 2);
  EXPECT_EQ(calls(logged.graph), 1);
}

TEST(Slopes, of_a_value_that_does_not_depend_are_zero) {
  Case one;
  one.text = "function(x, s) x * 2";
  one.inputs = {real("x", 3), real("s")};
  one.gradient = {2};
  const Compiled made = compiled(one);
  ASSERT_EQ(made.slopes.size(), 1u);
  EXPECT_EQ(made.graph.at(made.slopes[0].node).op, Op::constant);
  EXPECT_EQ(made.graph.at(made.slopes[0].node).constant.real, 0.0);
}

TEST(Slopes, of_coefficients_are_outputs_for_each_row_where_nothing_is_reduced) {
  Case one;
  one.text = "function(X, b, y) ifelse(y > 0, exp(X %*% b), y)";
  one.inputs = {matrix("X", 6, 2), real("b", 2), real("y", 6)};
  one.gradient = {2, 3};
  const Compiled made = compiled(one);
  EXPECT_EQ(made.outputs.size(), 4u);  // the value, the slope in y, the score and its mask
  one.reduce = "sum";
  one.gradient = {2};
  const Compiled sum = compiled(one);
  EXPECT_EQ(sum.outputs.size(), 1u);
  ASSERT_EQ(sum.text.outputs.size(), 2u);
  EXPECT_EQ(sum.text.outputs[0].width, 0);
  ASSERT_GT(sum.text.outputs[1].width, 0);
  EXPECT_EQ(sum.text.lengths[static_cast<std::size_t>(sum.text.outputs[1].width) - 1], 2);
}

// A condition may have left the product out: its coefficients have no terms then, and sums of width nought.
TEST(Slopes, of_coefficients_that_are_not_used_have_no_terms) {
  Case one;
  one.text = "function(X, b, y) if (FALSE) X %*% b else y";
  one.inputs = {matrix("X", 6, 2), real("b", 2), real("y", 6)};
  one.gradient = {2};
  const Compiled made = compiled(one);
  EXPECT_EQ(made.slopes[0].node, 0);
  EXPECT_TRUE(made.slopes[0].terms.empty());
}

}  // namespace
