// test_deep -- deep expressions: arithmetic of any depth, nesting up to a limit, and never the end of the stack.
#include <gtest/gtest.h>

#include <functional>

#include "base/nmath_error.h"
#include "expression/adjoint.h"
#include "expression_test.h"

using namespace expression_test;

namespace {

constexpr int kLevels = 20000;

SyntaxPtr symbol(const std::string& name) {
  auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::symbol;
  made->name = name;
  return made;
}

SyntaxPtr call(const std::string& name, const std::vector<SyntaxPtr>& args, int number = 1) {
  auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::call;
  made->name = made->called.name = name;
  made->args = args;
  made->number = number;
  return made;
}

Graph graph_of(const SyntaxPtr& body, int* root) {
  Function function;
  function.body = body;
  function.inputs = {{"x", 1}};
  Graph graph;
  graph.inputs = {real("x", 10)};
  *root = translate(function, graph, answer(true));
  return graph;
}

KernelText text_of(const Graph& graph, int root) {
  TextRequest wanted;
  wanted.outputs = {root};
  return kernel_text(graph, wanted);
}

SyntaxPtr numbered(int k) {
  auto made = std::make_shared<Syntax>();
  made->constant = real_constant(k);
  return made;
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const openclPort::NmathError& error) {
    return error.what();
  }
  return "";
}

TEST(Deep, sums_to_the_left_are_compiled) {
  std::string text = "function(x) x";
  for (int k = 1; k <= kLevels; ++k) text += " + " + std::to_string(k);
  const Translated made = translated(text, {real("x", 10)});
  EXPECT_EQ(made.graph.size(), 2 * kLevels + 1);
  EXPECT_NE(text_of(made.graph, made.root).text.find("v" + std::to_string(kLevels + 1) + " = "), std::string::npos);
  EXPECT_GT(syntax_text(*made.function->body).size(), 10u * kLevels / 2);
}

TEST(Deep, sums_to_the_right_and_elementary_functions_are_compiled) {
  SyntaxPtr body = symbol("x");
  for (int k = 1; k <= kLevels / 2; ++k) body = call("+", {numbered(k), call("sin", {call("(", {body})})});
  int root = 0;
  const Graph graph = graph_of(body, &root);
  EXPECT_GT(graph.size(), kLevels);
  text_of(graph, root);
}

TEST(Deep, sums_have_derivatives) {
  SyntaxPtr body = symbol("x");
  for (int k = 1; k <= kLevels; ++k) body = call(k % 2 == 0 ? "*" : "+", {body, numbered(k)});
  int root = 0;
  Graph graph = graph_of(body, &root);
  const int slope = adjoints(graph, root, {1}).nodes[0];
  ASSERT_NE(slope, 0);
  text_of(graph, slope);
}

TEST(Deep, values_that_are_assigned_are_compiled) {
  std::string text = "function(x) { u <- x\n";
  for (int k = 1; k <= 3000; ++k) text += "u <- u * " + std::to_string(k) + "\n";
  const Translated made = translated(text + "u }", {real("x", 10)});
  text_of(made.graph, made.root);
}

TEST(Deep, nesting_beyond_the_limit_is_an_error) {
  const auto nested = [](int levels) {
    std::string text(static_cast<std::size_t>(levels), '(');
    return text + 'x' + std::string(static_cast<std::size_t>(levels), ')');
  };
  EXPECT_EQ(message_of([&] { parse(nested(500)); }), "");
  EXPECT_EQ(message_of([&] { parse(nested(100000)); }),
            "an expression cannot be read at column 1001: expressions are nested more than 1000 deep: give parts of it "
            "names, x <- ...");
  for (const char* const part : {"-", "!", "exp(", "{", "x^", "if (x) ", "u <- "}) {
    std::string text;
    for (int k = 0; k < 100000; ++k) text += part;
    EXPECT_NE(message_of([&] { parse(text); }).find("nested more than 1000 deep"), std::string::npos) << part;
  }
}

TEST(Deep, choices_beyond_the_limit_are_an_error) {
  const auto nested = [](int levels) {
    SyntaxPtr body = symbol("x");
    for (int k = 1; k <= levels; ++k) body = call("ifelse", {call(">", {symbol("x"), numbered(k)}), body, numbered(k)});
    return body;
  };
  int root = 0;
  EXPECT_EQ(message_of([&] { graph_of(nested(200), &root); }), "");
  EXPECT_EQ(message_of([&] { graph_of(nested(kLevels), &root); }),
            "expressions are nested more than 2000 deep, or a function calls itself: give parts of it names, x <- ... "
            "(see ?nmathopencl_limits)");
}

TEST(Deep, a_function_that_calls_itself_is_an_error) {
  auto inner = std::make_shared<Function>();
  auto again = std::make_shared<Syntax>();
  again->kind = Syntax::Kind::call;
  again->name = "f";
  again->called.kind = Called::Kind::own;
  again->called.function = inner;
  again->args = {symbol("x")};
  inner->formals = {"x"};
  inner->defaults = {nullptr};
  inner->body = call("+", {again, symbol("x")});
  int root = 0;
  EXPECT_NE(message_of([&] { graph_of(again, &root); }).find("calls itself more than"), std::string::npos);
  inner->body.reset();  // they hold each other
}

TEST(Deep, choices_that_are_assigned_are_compiled) {
  std::string text = "function(x) { u <- x\n";
  for (int k = 1; k <= 1500; ++k) text += "u <- ifelse(x > " + std::to_string(k) + ", u, -u)\n";
  Translated made = translated(text + "u }", {real("x", 10)});
  text_of(made.graph, made.root);
  ASSERT_NE(adjoints(made.graph, made.root, {1}).nodes[0], 0);
}

}  // namespace
