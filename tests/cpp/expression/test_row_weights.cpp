// test_row_weights -- which sums of rows have a Hessian by weights, and which weights.
#include <gtest/gtest.h>

#include "base/nmath_error.h"
#include "evaluate.h"
#include "expression/row_weights.h"
#include "expression_test.h"

using namespace expression_test;

namespace {

const std::vector<Input> kInputs = {real("y", 4), matrix("X", 4, 3), real("b", 3), real("s")};

RowWeights weights_of(Translated& made, const std::string& reduce = "") {
  return row_weights(made.graph, made.root, reduce, {3, 4}, *made.function->body);
}

std::string refusal(const std::string& text, const std::vector<Input>& inputs = kInputs) {
  Translated made = translated(text, inputs);
  try {
    weights_of(made);
  } catch (const openclPort::NmathError& error) {
    return error.what();
  }
  return "";
}

TEST(RowWeights, have_the_sides_of_each_part) {
  Translated made = translated("function(y, X, b, s) -0.5 * sum((y - s * X %*% b)^2)", kInputs);
  const RowWeights found = weights_of(made);
  EXPECT_EQ(found.scale, -0.5);
  EXPECT_FALSE(found.mean);
  EXPECT_EQ(found.rest, 0);
  ASSERT_EQ(found.weights.size(), 3u);
  const RowWeight& first = found.weights[0];  // 2 s^2
  EXPECT_EQ(first.left, 1);
  EXPECT_EQ(first.left_matrix, 2);
  EXPECT_EQ(first.right, 1);
  EXPECT_EQ(first.right_matrix, 2);
  EXPECT_EQ(first.product, 0);
  EXPECT_EQ(element(made.graph, first.node, 0, {{1, 2, 3, 4}, std::vector<double>(12, 0.5), {1, 2, 3}, {3}}), 18);
  EXPECT_EQ(found.weights[1].left, 1);
  EXPECT_EQ(found.weights[1].right, 2);
  EXPECT_EQ(found.weights[1].right_matrix, 0);
  EXPECT_NE(found.weights[1].product, 0);
  EXPECT_EQ(found.weights[2].left_matrix, 0);
  EXPECT_EQ(found.weights[2].product, 0);
}

TEST(RowWeights, are_of_one_sum_with_the_rest_beside_it) {
  Translated made = translated("function(y, X, b, s) 2 * (mean(y * X %*% b * s) - sum(b^2)) / 4 + 7", kInputs);
  const RowWeights found = weights_of(made);
  EXPECT_EQ(found.scale, 0.5);
  EXPECT_TRUE(found.mean);
  EXPECT_NE(found.rest, 0);
  Translated rows = translated("function(y, X, b, s) y * X %*% b * s", kInputs);
  EXPECT_TRUE(weights_of(rows, "mean").mean);
  Translated penalty = translated("function(y, X, b, s) sum(y * X %*% b * s) - 2 * s^2", kInputs);
  const int rest = rest_of_rows(penalty.graph, penalty.root, {3, 4});
  EXPECT_EQ(element(penalty.graph, rest, 0, {{}, {}, {}, {3.0}}), -18);
}

TEST(RowWeights, refuse_what_is_no_sum_of_rows) {
  EXPECT_NE(refusal("function(y, X, b, s) sum(y * s)"), "");
  EXPECT_NE(refusal("function(y, X, b, s) exp(sum(X %*% b))"), "");
  EXPECT_NE(refusal("function(y, X, b, s) sum((X %*% b - mean(X %*% b))^2)"), "");
  EXPECT_NE(refusal("function(y, X, b, s) sum(X %*% b * sum(b))"), "");
  EXPECT_NE(refusal("function(y, X, b, s) sum(y * as.vector(X %*% b))",
                    {real("y", 8), matrix("X", 4, 3), real("b", 3), real("s")}),
            "");
  EXPECT_NE(refusal("function(y, X, b, s) sum(X %*% b, na.rm = TRUE)"), "");
  Translated made = translated("function(y, X, b, s) sum(y * X %*% b)", kInputs);
  EXPECT_THROW(rest_of_rows(made.graph, made.root, {3, 4}), openclPort::NmathError);
}

}  // namespace
