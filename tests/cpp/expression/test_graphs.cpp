// test_graphs -- what an R function's parts are: types, lengths, equal parts, conditions, sites of warnings.
#include <gtest/gtest.h>

#include <cmath>

#include "base/nmath_error.h"
#include "expression/reductions.h"
#include "expression_test.h"

using namespace expression_test;

namespace {

Type type_of(const std::string& body) {
  const Translated made =
      translated("function(x, n, l) " + body, {real("x", 10), whole("n", 10), logical("l", 10)}, answer(true));
  return made.graph.type(made.root);
}

int count_of(const Graph& graph, Op op) {
  int count = 0;
  for (int id = 1; id <= graph.size(); ++id) count += graph.at(id).op == op ? 1 : 0;
  return count;
}

TEST(Types, are_those_of_r) {
  struct Known {
    const char* body;
    Type type;
  };
  const Known known[] = {{"x + n", Type::real},
                         {"n + n", Type::integer},
                         {"l + l", Type::integer},
                         {"n / n", Type::real},
                         {"n ^ 2L", Type::real},
                         {"n %/% 2L", Type::integer},
                         {"n %% x", Type::real},
                         {"-l", Type::integer},
                         {"+x", Type::real},
                         {"n == x", Type::logical},
                         {"!n", Type::logical},
                         {"xor(l, x)", Type::logical},
                         {"exp(n)", Type::real},
                         {"abs(l)", Type::integer},
                         {"abs(x)", Type::real},
                         {"as.integer(x)", Type::integer},
                         {"as.integer(l)", Type::integer},
                         {"as.logical(x)", Type::logical},
                         {"as.numeric(l)", Type::real},
                         {"ifelse(l, n, l)", Type::integer},
                         {"ifelse(l, n, x)", Type::real},
                         {"ifelse(x, l, l)", Type::logical},
                         {"pmin(l, l)", Type::integer},
                         {"pmax(n, 1)", Type::real},
                         {"length(x)", Type::integer},
                         {"dnorm(n)", Type::real},
                         {"rpois(10, 2)", Type::integer},
                         {"rnorm(10)", Type::real},
                         {"is.na(x)", Type::logical},
                         {"1", Type::real},
                         {"2L", Type::integer},
                         {"NA", Type::logical},
                         {"sign(n)", Type::real}};
  for (const Known& one : known) EXPECT_EQ(type_of(one.body), one.type) << one.body;
}

TEST(Types, of_reductions_are_those_that_values_are_taken_in) {
  EXPECT_EQ(reduced_type(Reduction::sum, Type::integer), Type::integer);
  EXPECT_EQ(reduced_type(Reduction::mean, Type::integer), Type::real);
  EXPECT_EQ(reduced_type(reduction_named("prod"), Type::logical), Type::real);
  EXPECT_EQ(reduced_type(reduction_named("any"), Type::real), Type::logical);
  EXPECT_EQ(reduction_named("median"), Reduction::none);
  for (const ReductionRow& row : reduction_rows()) {
    EXPECT_EQ(reduction_named(row.name).name, row.name);
    EXPECT_EQ(&reduction_row(reduction_named(row.name)), &row);
  }
}

TEST(Lengths, are_those_of_r) {
  const std::vector<Input> inputs = {real("x", 12), real("y", 4), real("s"), matrix("X", 6, 3), real("b", 3)};
  const auto length = [&](const std::string& body) {
    const Translated made = translated("function(x, y, s, X, b) " + body, inputs, answer(real_constant(5)));
    return made.graph.length(made.root);
  };
  EXPECT_EQ(length("s"), 1);
  EXPECT_EQ(length("x * y"), 12);
  EXPECT_EQ(length("y * s"), 4);
  EXPECT_EQ(length("ifelse(y > 0, x, s)"), 4);  // as long as the test
  EXPECT_EQ(length("X"), 18);
  EXPECT_EQ(length("X %*% b"), 6);
  EXPECT_EQ(length("dnorm(s, y, x)"), 12);
  EXPECT_EQ(length("rnorm(y)"), 4);
  EXPECT_EQ(length("rnorm(s)"), 5);  // the value that was asked for
}

TEST(Lengths, are_constants_where_they_are_asked_for) {
  const std::vector<Input> inputs = {real("x", 12), matrix("X", 6, 3), real("far", 3e9)};
  const auto value = [&](const std::string& body) {
    const Translated made = translated("function(x, X, far) " + body, inputs);
    EXPECT_TRUE(made.graph.exact) << body;
    EXPECT_EQ(made.node().op, Op::constant) << body;
    return made.node().constant;
  };
  EXPECT_EQ(value("length(x)").whole, 12);
  EXPECT_EQ(value("length(X)").whole, 18);
  EXPECT_EQ(value("nrow(X)").whole, 6);
  EXPECT_EQ(value("ncol(X)").whole, 3);
  EXPECT_EQ(value("NROW(x)").whole, 12);
  EXPECT_EQ(value("NCOL(x)").whole, 1);
  EXPECT_EQ(value("length(far)").type, Type::real);
  EXPECT_EQ(value("length(far)").real, 3e9);
}

TEST(Nodes, that_are_equal_are_one) {
  const Translated made =
      translated("function(x, y) (x + y) * (x + y) + exp(x + y) - exp(x + y)", {real("x", 5), real("y", 5)});
  EXPECT_EQ(count_of(made.graph, Op::add), 2);  // x + y, and that of the products
  EXPECT_EQ(count_of(made.graph, Op::elementary), 1);
  EXPECT_EQ(count_of(made.graph, Op::input), 2);
  EXPECT_EQ(made.arg(1).op, Op::elementary);
}

TEST(Nodes, differ_by_type_zero_and_which_nan) {
  Graph graph;
  const auto add = [&](const Constant& value) {
    Node node;
    node.type = value.type;
    node.constant = value;
    return graph.add(node);
  };
  const int one = add(real_constant(1.0));
  EXPECT_EQ(add(real_constant(1.0)), one);
  EXPECT_NE(add(whole_constant(Type::integer, 1)), one);
  EXPECT_NE(add(whole_constant(Type::logical, 1)), add(whole_constant(Type::integer, 1)));
  EXPECT_NE(add(real_constant(0.0)), add(real_constant(-0.0)));
  EXPECT_NE(add(real_constant(na_real())), add(real_constant(std::nan(""))));
  EXPECT_EQ(add(real_constant(-std::nan(""))), add(real_constant(std::nan(""))));
}

TEST(Nodes, of_draws_are_never_one) {
  const Translated made = translated("function(x) rnorm(10) + rnorm(10)", {real("x", 10)});
  EXPECT_EQ(count_of(made.graph, Op::draw), 2);
  EXPECT_EQ(made.graph.draws, 2);
  EXPECT_NE(made.node().args[0], made.node().args[1]);
}

TEST(Names, are_assigned_and_assigned_again) {
  const Translated made = translated("function(x) { u <- x + 1; v = u; u <- u * 2; u - v }", {real("x", 5)});
  EXPECT_EQ(made.node().op, Op::subtract);
  EXPECT_EQ(made.arg(0).op, Op::multiply);
  EXPECT_EQ(made.arg(1).op, Op::add);
  EXPECT_EQ(made.graph.statements.size(), 3u);  // u, u again and the value
}

TEST(Names, may_be_assigned_to_the_right) {
  const Translated made = translated("function(x) { x + 1 -> u; u }", {real("x", 5)});
  EXPECT_EQ(made.node().op, Op::add);
}

TEST(Conditions, are_asked_and_noted) {
  std::vector<int> seen;
  Asked asked = answer(true);
  asked.value = [&seen](const Graph& graph, int id) {
    seen.push_back(id);
    EXPECT_EQ(graph.at(id).op, Op::greater);
    return std::vector<Constant>{whole_constant(Type::logical, seen.size() == 1 ? 1 : 0)};
  };
  const std::string text = "function(x, s) { if (s > 1) { y <- x } else { y <- 2 * x }; if (s > 2) y + 1 else y - 1 }";
  const Translated made = translated(text, {real("x", 5), real("s")}, asked);
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(made.node().op, Op::subtract);
  EXPECT_EQ(made.arg(0).op, Op::input);
  ASSERT_EQ(made.graph.decisions.size(), 2u);
  EXPECT_EQ(made.graph.decisions[0].node, seen[0]);
  EXPECT_EQ(made.graph.decisions[0].value[0].whole, 1);
  EXPECT_EQ(made.graph.decisions[1].value[0].whole, 0);
}

TEST(Conditions, that_are_constants_are_not_asked) {
  const Translated made = translated("function(x) if (TRUE) x else log(x)", {real("x", 5)});
  EXPECT_EQ(made.node().op, Op::input);
  EXPECT_TRUE(made.graph.decisions.empty());
  EXPECT_TRUE(made.graph.sites.empty());
}

TEST(Conditions, of_flags_are_asked) {
  const Translated made =
      translated("function(x, s) pnorm(x, lower.tail = s)", {real("x", 5), logical("s")}, answer(false));
  EXPECT_EQ(made.node().op, Op::library);
  EXPECT_EQ(made.arg(3).constant.whole, 0);
  EXPECT_EQ(made.arg(4).constant.whole, 0);  // log.p by its default
  EXPECT_EQ(made.graph.decisions.size(), 1u);
}

TEST(Conditions, return_leaves_the_function) {
  const Translated made =
      translated("function(x, s) { if (s > 1) return(x); log(x) }", {real("x", 5), real("s")}, answer(true));
  EXPECT_EQ(made.node().op, Op::input);
  EXPECT_TRUE(made.graph.sites.empty());
}

TEST(Rounding, of_whole_numbers_is_asked) {
  std::string way = "same";
  const Constant* known = nullptr;
  Asked asked = answer(true);
  asked.whole_rounding = [&](const std::string& name, Type type, bool given, const Constant* digits) {
    EXPECT_EQ(name, "round");
    EXPECT_EQ(type, Type::integer);
    EXPECT_TRUE(given);
    known = digits;
    return way;
  };
  EXPECT_EQ(translated("function(n) round(n, 1)", {whole("n", 3)}, asked).node().op, Op::input);
  EXPECT_NE(known, nullptr);
  way = "double";
  EXPECT_EQ(translated("function(n) round(n, 1)", {whole("n", 3)}, asked).node().name, "fround");
  way = "integer";
  EXPECT_EQ(translated("function(n, s) round(n, s)", {whole("n", 3), real("s")}, asked).node().op, Op::as_integer);
  EXPECT_EQ(known, nullptr);
  EXPECT_EQ(translated("function(x) round(x)", {real("x", 3)}).node().name, "fround");  // of doubles nobody is
}

TEST(Forms, of_functions_are_chosen_by_what_is_given) {
  const auto name = [](const std::string& body) {
    return translated("function(x) " + body, {real("x", 5)}).node().name;
  };
  EXPECT_EQ(name("dchisq(x, 3)"), "dchisq");
  EXPECT_EQ(name("dchisq(x, 3, 1)"), "dnchisq");
  EXPECT_EQ(name("dchisq(x, 3, ncp = 1)"), "dnchisq");
  EXPECT_EQ(name("dnbinom(x, 3, 0.5)"), "dnbinom");
  EXPECT_EQ(name("dnbinom(x, 3, mu = 2)"), "dnbinom_mu");
  EXPECT_EQ(name("stats::dnorm(x)"), "dnorm");
  EXPECT_EQ(name("dnorm_opencl(x)"), "dnorm");
}

TEST(Forms, have_defaults_that_speak_of_other_arguments) {
  const Translated made = translated("function(x, r) dgamma(x, 2, rate = r)", {real("x", 5), real("r")});
  EXPECT_EQ(made.arg(2).op, Op::divide);  // scale = 1 / rate
  const Translated plain = translated("function(x) dgamma(x, 2)", {real("x", 5)});
  EXPECT_EQ(plain.node().args.size(), 4u);
}

TEST(Sites, are_of_calls_that_r_warns_of) {
  const Translated made =
      translated("function(x, n) log(x) + exp(x) + sqrt(x) + n * n + as.integer(x)", {real("x", 5), whole("n", 5)});
  std::vector<std::string> rules, reasons;
  for (const Site& site : made.graph.sites) {
    rules.push_back(site.rule);
    reasons.push_back(site.reason);
    EXPECT_GT(site.call, 0);
    EXPECT_TRUE(site.guards.empty());
  }
  EXPECT_EQ(rules, (std::vector<std::string>{"nan", "nan", "overflow", "nan"}));
  EXPECT_EQ(reasons[0], "NaNs produced");
  EXPECT_EQ(reasons[2], "NAs produced by integer overflow");
  EXPECT_EQ(reasons[3], "NAs introduced by coercion to integer range");
}

TEST(Sites, of_functions_have_their_rules) {
  const auto rule = [](const std::string& body) {
    const Translated made = translated("function(x) " + body, {real("x", 5)});
    return made.graph.sites.size() == 1 ? made.graph.sites[0].rule : "";
  };
  EXPECT_EQ(rule("dbinom(x, 3, 0.5)"), "dbinom");
  EXPECT_EQ(rule("rpois(5, x)"), "draw");
  EXPECT_EQ(rule("pnorm(x)"), "nan");
}

TEST(Sites, in_branches_have_guards) {
  const Translated made =
      translated("function(x) ifelse(x > 0, log(x), ifelse(x > -1, sqrt(x), lgamma(x)))", {real("x", 5)});
  const std::vector<Site>& sites = made.graph.sites;
  ASSERT_EQ(sites.size(), 3u);
  ASSERT_EQ(sites[0].guards.size(), 1u);
  EXPECT_TRUE(sites[0].guards[0].way);
  ASSERT_EQ(sites[1].guards.size(), 2u);
  EXPECT_FALSE(sites[1].guards[0].way);
  EXPECT_TRUE(sites[1].guards[1].way);
  EXPECT_EQ(sites[1].guards[0].test, sites[0].guards[0].test);
  ASSERT_EQ(sites[2].guards.size(), 2u);
  EXPECT_FALSE(sites[2].guards[1].way);
  EXPECT_EQ(made.graph.tests.size(), 2u);
  EXPECT_TRUE(made.graph.guards.empty());
}

TEST(Sites, of_one_value_keep_the_fewest_guards) {
  // The call is made in the branch first, and then for all elements: what it warns of depends on no test.
  auto log_x = std::make_shared<Syntax>(*parse("log(x)"));
  log_x->number = 1;
  auto branch = std::make_shared<Syntax>(*parse("ifelse(x > 0, 1, 0)"));
  branch->args[1] = log_x;
  auto sum = std::make_shared<Syntax>(*parse("1 + 1"));
  sum->args = {branch, log_x};
  Function function;
  function.body = sum;
  function.inputs = {{"x", 1}};
  Graph graph;
  graph.inputs = {real("x", 5)};
  translate(function, graph, nobody_knows());
  ASSERT_EQ(graph.sites.size(), 1u);
  EXPECT_TRUE(graph.sites[0].guards.empty());
}

TEST(Recycling, of_lengths_that_do_not_fit_is_noted_with_its_guards) {
  const std::vector<Input> inputs = {real("x", 7), real("y", 3), real("s")};
  const Translated made = translated("function(x, y, s) ifelse(x > s, x + y, pmin(x, y))", inputs);
  const std::vector<Recycled>& found = made.graph.recycled;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].shorter, 3);
  EXPECT_EQ(found[0].longer, 7);
  EXPECT_EQ(found[0].text, "longer object length is not a multiple of shorter object length");
  ASSERT_EQ(found[0].guards.size(), 1u);
  EXPECT_TRUE(found[0].guards[0].way);
  EXPECT_EQ(found[1].text, "an argument will be fractionally recycled");
  EXPECT_FALSE(found[1].guards[0].way);
}

TEST(Recycling, of_functions_and_of_one_element_is_no_news) {
  const Translated made = translated("function(x, y, s) dnorm(x, y) + x * s", {real("x", 7), real("y", 3), real("s")});
  EXPECT_TRUE(made.graph.recycled.empty());
  ASSERT_EQ(made.graph.singles.size(), 1u);  // x * s recycles the second operand
  EXPECT_EQ(made.graph.singles[0].one, 2);
}

TEST(Products, are_nodes_of_a_matrix_and_a_vector) {
  const std::vector<Input> inputs = {matrix("X", 6, 3), real("b", 3), matrix("Z", 6, 1), real("s")};
  const Translated made = translated("function(X, b, Z, s) X %*% b", inputs);
  EXPECT_EQ(made.node().op, Op::product);
  EXPECT_EQ(made.node().first, 1);
  EXPECT_EQ(made.node().second, 2);
  const Translated one = translated("function(X, b, Z, s) Z %*% s", inputs);  // one column is arithmetic
  EXPECT_EQ(one.node().op, Op::multiply);
  EXPECT_EQ(one.arg(0).op, Op::column);
}

TEST(Functions, number_their_calls_in_order) {
  const auto function = parse_function("function(x, a = 1 + 2) { exp(x); log(x) }");
  EXPECT_EQ(function->formals, (std::vector<std::string>{"x", "a"}));
  EXPECT_EQ(function->defaults[0], nullptr);
  EXPECT_EQ(function->defaults[1]->number, 1);
  EXPECT_EQ(function->body->number, 2);
  EXPECT_EQ(function->body->args[1]->number, 4);
}

TEST(Functions, are_called_with_their_defaults) {
  const auto inner = parse_function("function(u, k = 2 * u) { if (FALSE) 1; return(u + k); log(u) }");
  auto call = std::make_shared<Syntax>();
  call->kind = Syntax::Kind::call;
  call->name = "f";
  call->number = 1;
  call->called.kind = Called::Kind::own;
  call->called.function = inner;
  call->args = {parse("exp(x)")};
  Function outer;
  outer.body = call;
  outer.inputs = {{"x", 1}};
  Graph graph;
  graph.inputs = {real("x", 5)};
  const int root = translate(outer, graph, nobody_knows());
  EXPECT_EQ(graph.at(root).op, Op::add);
  EXPECT_EQ(graph.at(graph.at(root).args[1]).op, Op::multiply);
  EXPECT_EQ(count_of(graph, Op::log), 0);
}

}  // namespace
