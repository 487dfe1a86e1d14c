// test_texts -- the text of a kernel: what it is given, what it leaves, what decides it.
#include <gtest/gtest.h>

#include <algorithm>

#include "expression/prepare.h"
#include "text_checks.h"

using namespace expression_test;

namespace {

TEST(Texts, of_all_kinds_are_whole_and_have_a_plan) {
  for (const Case& one : all_cases()) {
    const Compiled made = compiled(one);
    expect_whole(made.text.text, one.name);
    const KernelPlan plan = kernel_plan(made.text);
    EXPECT_EQ(plan.items.size(), made.text.items.size());
    EXPECT_EQ(plan.outputs.size(), made.text.outputs.size());
    EXPECT_EQ(plan.reduces, !one.reduce.empty()) << one.name;
    EXPECT_EQ(has(made.text.text, "__kernel void nmath_join("), plan.reduces) << one.name;
    EXPECT_EQ(count_in(made.text.text, "__kernel void nmath_fused("), 1) << one.name;
  }
}

TEST(Texts, are_the_same_when_they_are_made_again) {
  for (const Case& one : all_cases()) EXPECT_EQ(compiled(one).text.text, compiled(one).text.text) << one.name;
}

// Of one column, where the function is worth it and the text is a reduction's that is told of no single element.
TEST(Texts, have_tables_of_counts) {
  const std::vector<Input> inputs = {whole("k", 100), real("x", 100), real("s"), real("y", 10)};
  const auto tables = [&](const std::string& body, const std::string& reduce, bool general = false) {
    Case one = call("function(k, x, s, y) " + body, inputs);
    one.reduce = reduce;
    one.general = general;
    return compiled(one).text.tables;
  };
  EXPECT_EQ(tables("lgamma(k + s) * x", "sum"), 1);
  EXPECT_EQ(tables("lgamma(k + s) - lgamma(s) - lfactorial(k) + x", "sum"), 1);
  EXPECT_EQ(tables("(lgamma(k + s) - lgamma(s) + x) * lfactorial(k)", "sum"), 2);
  EXPECT_EQ(tables("dnbinom(k, s, mu = x, log = TRUE)", "mean"), 1);
  EXPECT_EQ(tables("dpois(k, x, log = TRUE) + dpois(k, exp(x), log = TRUE)", "sum"), 2);
  EXPECT_EQ(tables("dpois(k, x)", "sum"), 0);
  EXPECT_EQ(tables("dnbinom(k, x, mu = s, log = TRUE)", "sum"), 0);
  EXPECT_EQ(tables("lgamma(k + x)", "sum"), 0);
  EXPECT_EQ(tables("lgamma(y) + x", "sum"), 0);  // y is recycled
  EXPECT_EQ(tables("exp(k * s) + x", "sum"), 0);
  EXPECT_EQ(tables("lgamma(k + s) * x", ""), 0);
  EXPECT_EQ(tables("lgamma(k + s) * x", "max"), 0);
  EXPECT_EQ(tables("lgamma(k + s) * x", "sum", true), 0);
}

TEST(Texts, have_arguments_in_order) {
  const std::vector<Input> inputs = {real("x", 10), whole("n", 5), real("s"), matrix("X", 10, 2), real("b", 2)};
  const KernelText text = compiled(call("function(x, n, s, X, b) log(x) * n + s + X %*% b", inputs)).text;
  EXPECT_EQ(kinds(text),
            (std::vector<std::string>{"column", "column", "column", "column", "output", "out_offset", "flags", "first",
                                      "len", "scalar", "length", "length", "length", "offset", "offset", "stride"}));
  ASSERT_EQ(text.columns.size(), 4u);
  EXPECT_EQ(text.columns[0].role, Role::full);
  EXPECT_EQ(text.columns[1].role, Role::whole);
  EXPECT_EQ(text.columns[2].role, Role::matrix);
  EXPECT_EQ(text.columns[3].role, Role::whole);
  EXPECT_EQ(text.scalars, std::vector<int>{3});
  EXPECT_EQ(text.n, 10);
  EXPECT_TRUE(text.uses_index);
  EXPECT_TRUE(has(text.text, "__global const int* c2"));
  EXPECT_TRUE(has(text.text, "const double s1"));
  const KernelPlan plan = kernel_plan(text);
  EXPECT_EQ(plan.roles, (std::vector<int>{1, 2, 3, 2}));
  EXPECT_EQ(plan.scalars, 4);  // s, and three lengths
  EXPECT_EQ(plan.flags, 1);
  EXPECT_FALSE(plan.reduces);
}

TEST(Texts, compute_what_is_one_number_once) {
  const std::string text = compiled(call("function(x, s) x * exp(s)", {real("x", 10), real("s")})).text.text;
  EXPECT_LT(text.find("expr_exp(v"), text.find("EXPR_EACH(i) {"));
}

TEST(Texts, recycle_shorter_parts_by_an_index_of_their_own) {
  const KernelText text = compiled(call("function(x, y) x + y", {real("x", 10), real("y", 5)})).text;
  EXPECT_TRUE(has(text.text, "e % (expr_index)len_1"));
  EXPECT_EQ(text.lengths, (std::vector<double>{5, 10}));  // and that of the elements, for a column read as it lies
}

TEST(Texts, read_a_column_as_it_lies_where_any_element_is_read) {
  const KernelText text =
      compiled(call("function(x, y, t) ifelse(t > 0, x, y) + x", {real("x", 10), real("y", 10), real("t", 5)})).text;
  ASSERT_EQ(text.columns.size(), 3u);
  const auto of_x = std::find_if(text.columns.begin(), text.columns.end(),
                                 [](const TextColumn& column) { return column.input == 1; });
  ASSERT_NE(of_x, text.columns.end());
  EXPECT_EQ(of_x->role, Role::whole);
}

TEST(Texts, mark_sites_and_tests_by_bits) {
  const KernelText text = compiled(call("function(x) ifelse(x > 0, log(x), sqrt(x))", {real("x", 10)})).text;
  int tests = 0, sites = 0;
  for (const Mark& mark : text.marks) (mark.node != 0 ? tests : sites) += 1;
  EXPECT_EQ(tests, 2);
  EXPECT_EQ(sites, 2);
  EXPECT_EQ(text.words, 1);
  EXPECT_TRUE(has(text.text, "w0 |= 1 << 3;"));
}

TEST(Texts, have_as_many_words_of_flags_as_they_need) {
  std::string body = "log(x)";
  for (int k = 1; k <= 40; ++k) body += " + log(x + " + std::to_string(k) + ")";
  const KernelText text = compiled(call("function(x) " + body, {real("x", 10)})).text;
  EXPECT_EQ(text.marks.size(), 41u);
  EXPECT_EQ(text.words, 2);
  EXPECT_TRUE(has(text.text, "atomic_or(flags + 1, w1)"));
}

TEST(Texts, of_constant_parameter_kernels_can_be_made_general) {
  Case one = call("function(x) dnorm(x, 1, 2)", {real("x", 10)});
  const KernelText fixed = compiled(one).text;
  EXPECT_FALSE(fixed.stems.empty());
  EXPECT_GT(fixed.general_bit, 0);
  EXPECT_TRUE(has(fixed.text, "&needs_general)"));
  one.general = true;
  const KernelText general = compiled(one).text;
  EXPECT_EQ(general.general_bit, 0);
  EXPECT_TRUE(has(general.text, "expr_dnorm("));
  EXPECT_FALSE(has(general.text, "&needs_general)"));
}

TEST(Texts, of_functions_name_their_files_and_what_they_cost) {
  const KernelText cheap = compiled(call("function(x) x + 1", {real("x", 10)})).text;
  EXPECT_EQ(cheap.cost, "cheap");
  EXPECT_EQ(cheap.stems, std::vector<std::string>{"nmath"});
  const KernelText slow =
      compiled(call("function(x, y) qtukey(x, y, 3) + dnorm(x, y)", {real("x", 9), real("y", 9)})).text;
  EXPECT_EQ(slow.cost, "slow");
  EXPECT_TRUE(has(slow.text, "// @depends_nmath: "));
  EXPECT_TRUE(has(slow.text, "qtukey"));
}

TEST(Texts, draw_by_a_seed_for_each_site) {
  const KernelText text = compiled(call("function(x) rnorm(10) + rexp(10) * x", {real("x", 10)})).text;
  EXPECT_EQ(text.seeds, (std::vector<int>{1, 2}));
  EXPECT_TRUE(has(text.text, "const nmath_u64 seed_2"));
  const KernelPlan plan = kernel_plan(text);
  EXPECT_EQ(plan.scalars, 4);  // two words for each
}

TEST(Texts, fold_what_is_made_of_constants) {
  Graph graph;
  graph.inputs = {real("x", 10)};
  const auto function = function_of("function(x) x + exp(2)", graph.inputs);
  TextRequest wanted;
  wanted.outputs = {translate(*function, graph, nobody_knows())};
  wanted.fold = [](const Graph& of, int id, Constant& value) {
    EXPECT_EQ(of.at(id).op, Op::elementary);
    value = real_constant(7.5);
    return true;
  };
  const std::string folded = kernel_text(graph, wanted).text;
  EXPECT_TRUE(has(folded, "7.5"));
  EXPECT_FALSE(has(folded, "expr_exp("));
  wanted.fold = nullptr;
  EXPECT_TRUE(has(kernel_text(graph, wanted).text, "EXPR_LITERAL("));  // which compilers do not compute
}

TEST(Texts, write_constants_by_their_bits_where_compilers_fail) {
  const std::string text =
      compiled(call("function(x) x * 1e300 + NA_real_ + 0.1 - Inf + 2147483647L", {real("x", 10)})).text.text;
  EXPECT_TRUE(has(text, "// NA\n"));
  EXPECT_TRUE(has(text, "// -Inf\n") || has(text, "// Inf\n"));
  EXPECT_TRUE(has(text, "EXPR_LITERAL(0x7ff00000000007a2UL, first)"));
  EXPECT_TRUE(has(text, "0.10000000000000001"));
  EXPECT_TRUE(has(text, "2147483647.0"));
}

TEST(Texts, of_wide_indices_and_of_gpus) {
  Case one = call("function(x, y) x * y", {real("x", 10), real("y", 5)});
  EXPECT_TRUE(has(compiled(one).text.text, "typedef nmath_u32 expr_index;"));
  one.wide = true;
  EXPECT_TRUE(has(compiled(one).text.text, "typedef nmath_i64 expr_index;"));
  EXPECT_FALSE(has(compiled(one).text.text, "expr_canonical("));
  one.as_gpu = true;
  EXPECT_TRUE(has(compiled(one).text.text, "= expr_canonical("));
}

TEST(Texts, compute_dear_branches_only_where_they_are_taken) {
  Case one = call("function(x) ifelse(x > 1, exp(x), x)", {real("x", 10)}, "sum");
  EXPECT_TRUE(has(compiled(one).text.text, " == 1) {"));
  one.general = true;
  EXPECT_FALSE(has(compiled(one).text.text, " == 1) {"));
}

// ---- products

TEST(Products, are_computed_in_tiles) {
  const std::vector<Input> inputs = {matrix("X", 100, 3), real("b", 3)};
  const std::string text = compiled(call("function(X, b) exp(X %*% b)", inputs)).text.text;
  EXPECT_TRUE(has(text, "double tile_1[EXPR_TILE];"));
  EXPECT_TRUE(has(text, "for (nmath_i64 j = 0; j < len_1; ++j)"));
  EXPECT_EQ(count_in(text, "#ifdef EXPR_ALONE"), 3);  // the loop, and the value in either form of it
}

TEST(Products, of_whole_numbers_are_converted) {
  const std::vector<Input> inputs = {matrix("X", 100, 3, Type::integer), whole("b", 3)};
  const std::string text = compiled(call("function(X, b) X %*% b", inputs)).text.text;
  EXPECT_TRUE(has(text, "expr_as_double(c1["));
  EXPECT_TRUE(has(text, "expr_any_na_int("));
}

TEST(Products, leave_terms_to_gradients) {
  Case one = call("function(X, b, y) (y - X %*% b)^2", {matrix("X", 100, 3), real("b", 3), real("y", 100)}, "sum");
  one.gradient = {2};
  const KernelText text = compiled(one).text;
  EXPECT_TRUE(takes(text, "local"));
  EXPECT_TRUE(takes(text, "room"));
  ASSERT_EQ(text.outputs.size(), 2u);
  const KernelPlan plan = kernel_plan(text);
  EXPECT_EQ(plan.widths[0], -1);
  EXPECT_EQ(text.lengths[static_cast<std::size_t>(plan.widths[1])], 3);
  EXPECT_TRUE(has(text.text, "score_1[r] = g1;"));
  EXPECT_TRUE(has(text.text, "const nmath_i64 width_1"));
  EXPECT_FALSE(has(text.text, "EXPR_NO_PART"));
}

TEST(Products, leave_rows_out_of_terms) {
  Case one =
      call("function(X, b, y) ifelse(y > 0, X %*% b, y)", {matrix("X", 100, 3), real("b", 3), real("y", 100)}, "sum");
  one.gradient = {2};
  EXPECT_TRUE(has(compiled(one).text.text, "? EXPR_NO_PART : "));
  EXPECT_TRUE(has(compiled(one).text.text, "expr_no_part("));
}

TEST(Products, of_more_than_two_terms_want_groups_of_one_size) {
  const auto text = [](int terms) {
    std::string names = "function(b", body = "0";
    std::vector<Input> inputs = {real("b", 3)};
    for (int k = 1; k <= terms; ++k) {
      const std::string name = "X" + std::to_string(k);
      names += ", " + name;
      body += " + " + name + " %*% b";
      inputs.push_back(matrix(name, 100, 3));
    }
    Case one = call(names + ") " + body, inputs, "sum");
    one.gradient = {1};
    return compiled(one).text.text;
  };
  EXPECT_FALSE(has(text(2), "reqd_work_group_size"));
  EXPECT_TRUE(has(text(3), "reqd_work_group_size(64, 1, 1)"));
}

// ---- what does not decide the text

TEST(Size, of_a_text_does_not_depend_on_columns_and_lengths) {
  const auto text = [](double rows, double columns, const std::string& reduce, bool gradient) {
    Case one = call("function(X, b, y, z) (y - X %*% b)^2 * z",
                    {matrix("X", rows, columns), real("b", columns), real("y", rows), real("z", rows / 2)}, reduce);
    if (gradient) one.gradient = {2};
    return compiled(one).text.text;
  };
  for (const bool gradient : {false, true})
    for (const char* const reduce : {"", "sum", "logsumexp"}) {
      if (gradient && std::string(reduce) == "logsumexp") continue;  // its gradient is R's to make
      const std::string one = text(1000, 2, reduce, gradient);
      EXPECT_EQ(text(1000, 300, reduce, gradient), one) << reduce;
      EXPECT_EQ(text(64, 2, reduce, gradient), one) << reduce;
      EXPECT_EQ(text(1e6, 17, reduce, gradient), one) << reduce;
    }
}

TEST(Size, of_a_text_grows_with_the_expression_alone) {
  std::string reduce;
  bool general = false;
  const auto size = [&](int parts) {
    std::string body = "u <- x";
    for (int k = 1; k <= parts; ++k) body += "; u <- ifelse(u > " + std::to_string(k) + ", log(x + u), u / x)";
    Case one = call("function(x) { " + body + "; u }", {real("x", 10)}, reduce);
    one.general = general;
    return compiled(one).text.text.size();
  };
  // Each part has the one before it three times: what is added stays the same.
  for (const char* const one : {"", "sum"})
    for (const bool way : {false, true}) {
      reduce = one;
      general = way;
      const std::size_t few = size(10), more = size(20), most = size(30);
      EXPECT_LT(most - more, 1.2 * static_cast<double>(more - few)) << reduce << general;
    }
}

}  // namespace
