// test_stages -- functions that need values before others: which launches they take, and that their programs do not
// depend on sizes.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/reductions.h"
#include "expression/stages.h"
#include "expression_test.h"

namespace {

using namespace expression_test;
using Kind = Stage::Kind;

struct Made {
  Graph graph;
  Staged staged;
};

Made run_of(const std::string& text, const std::vector<Input>& inputs, const std::vector<int>& gradient = {},
            const std::string& reduce = "") {
  Translated made = translated(text, inputs);
  CompileRequest request;
  request.gradient = gradient;
  request.reduce = reduction_named(reduce);
  Made run;
  run.staged = compile_stages(made.graph, made.root, request);
  run.graph = made.graph;
  return run;
}

std::size_t count_of(const Staged& staged, Kind kind) {
  return static_cast<std::size_t>(std::count_if(staged.stages.begin(), staged.stages.end(),
                                                [kind](const Stage& stage) { return stage.kind == kind; }));
}

TEST(Stages, a_likelihood_and_its_gradient_are_one_launch) {
  const Made run =
      run_of("function(y, m, s) -sum(dnorm(y, m, s, log = TRUE))", {real("y", 50), real("m"), real("s")}, {2, 3});
  ASSERT_EQ(run.staged.stages.size(), 1u);
  EXPECT_EQ(run.staged.stages[0].kind, Kind::sums);
  EXPECT_EQ(run.staged.stages[0].outputs.size(), 3u);  // the value and two slopes
  EXPECT_EQ(run.graph.length(run.staged.root), 1);
}

TEST(Stages, a_product_leaves_a_term) {
  const Made run =
      run_of("function(y, X, b) sum((y - X %*% b)^2)", {real("y", 50), matrix("X", 50, 3), real("b", 3)}, {3});
  ASSERT_EQ(run.staged.stages.size(), 1u);
  EXPECT_EQ(run.staged.stages[0].terms.size(), 1u);
  EXPECT_EQ(run.graph.length(run.staged.slopes.at(0).node), 3);
}

int input_of(Graph& graph, int number) {
  Node node;
  node.op = Op::input;
  node.type = graph.input(number).type;
  node.length = graph.input(number).length;
  node.first = number;
  return graph.add(node);
}

TEST(Stages, what_is_added_up_by_codes_is_left_by_the_sums) {
  Made run;
  Graph& graph = run.graph;
  graph.inputs = {real("y", 50), real("s"), real("u", 5), whole("g", 50)};
  Node gather;
  gather.op = Op::gather;
  gather.type = Type::real;
  gather.length = 50;
  gather.args = {input_of(graph, 3), input_of(graph, 4)};
  const int mean = arithmetic_node(graph, Op::multiply, graph.add(gather), input_of(graph, 2));
  const int rest = arithmetic_node(graph, Op::subtract, input_of(graph, 1), mean);
  const int squares = arithmetic_node(graph, Op::multiply, rest, rest), u = input_of(graph, 3);
  const int prior = reduce_node(graph, "sum", false, arithmetic_node(graph, Op::multiply, u, u));
  const int root = arithmetic_node(graph, Op::add, reduce_node(graph, "sum", false, squares), prior);
  CompileRequest request;
  request.gradient = {2, 3};
  run.staged = compile_stages(graph, root, request);
  EXPECT_EQ(count_of(run.staged, Kind::sums), 2u);
  ASSERT_EQ(count_of(run.staged, Kind::segments), 1u);
  EXPECT_EQ(count_of(run.staged, Kind::elements), 1u);  // the gradient in u: the sums by codes and what else there is
  std::size_t left = 0;
  for (const Stage& stage : run.staged.stages) {
    const std::string& text = stage.usual.text.text;
    if (stage.kind == Kind::segments) {
      EXPECT_EQ(stage.usual.text.columns.size(), 1u);  // in memory
      EXPECT_NE(text.find("nmath_groups"), std::string::npos);
      EXPECT_EQ(stage.usual.plan.group_join, "nmath_groups");
    }
    left += stage.each.size();
    if (stage.each.empty()) continue;
    EXPECT_EQ(stage.kind, Kind::sums);
    EXPECT_EQ(stage.usual.plan.each, 1);
    EXPECT_EQ(stage.inputs.size(), 3u);  // the sum, the gradient in s, the scores
    EXPECT_EQ(stage.usual.text.outputs.size(), 3u);
    EXPECT_NE(text.find("[i + shift] = f3"), std::string::npos);
  }
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(run.graph.at(run.staged.slopes.at(1).node).op, Op::input);
}

TEST(Stages, what_is_needed_comes_before) {
  const Made run = run_of("function(y, a) sum((y - mean(y) * a)^2)", {real("y", 50), real("a")}, {2});
  ASSERT_EQ(run.staged.stages.size(), 2u);
  EXPECT_EQ(run.staged.stages[0].reduce, std::vector<std::string>{"mean"});
  for (std::size_t k = 0; k < run.staged.stages.size(); ++k)
    for (const int input : run.staged.stages[k].inputs) EXPECT_GT(run.graph.input(input).definition, 0);
}

TEST(Stages, elements_have_a_launch_of_their_own) {
  const Made run = run_of("function(y) y - mean(y)", {real("y", 50)});
  EXPECT_EQ(count_of(run.staged, Kind::sums), 1u);
  EXPECT_EQ(count_of(run.staged, Kind::result), 1u);
  const Made reduced = run_of("function(y) y - mean(y)", {real("y", 50)}, {}, "sum");
  EXPECT_EQ(count_of(reduced.staged, Kind::sums), 2u);
  EXPECT_EQ(count_of(reduced.staged, Kind::result), 0u);
}

TEST(Stages, programs_do_not_depend_on_lengths) {
  const auto texts = [](double n, double p) {
    const Made run = run_of("function(y, X, b, s) sum(dnorm(y, X %*% b, s, log = TRUE)) - mean(y) * s",
                            {real("y", n), matrix("X", n, p), real("b", p), real("s")}, {3, 4});
    std::vector<std::string> found;
    for (const Stage& stage : run.staged.stages) {
      found.push_back(stage.usual.text.text);
      found.push_back(stage.general.text.text);
    }
    return found;
  };
  EXPECT_EQ(texts(50, 3), texts(5000, 40));
}

TEST(Stages, a_runner_has_one_kernel) {
  Case one;
  one.text = "function(y) y - mean(y)";
  one.inputs = {real("y", 50)};
  Translated made = translated(one.text, one.inputs);
  EXPECT_THROW(compile_value(made.graph, made.root, *made.function, CompileRequest()), openclPort::NmathError);
}

TEST(Stages, gradients_are_of_one_number) {
  EXPECT_THROW(run_of("function(y, a) (y - mean(y)) * a", {real("y", 50), real("a")}, {2}), openclPort::NmathError);
}

}  // namespace
