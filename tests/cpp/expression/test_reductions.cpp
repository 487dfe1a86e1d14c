// test_reductions -- the texts of reductions: every row of their table in every form.
#include <gtest/gtest.h>

#include "expression/prepare.h"
#include "expression/reductions.h"
#include "text_checks.h"

using namespace expression_test;

namespace {

TEST(Reductions, in_every_form_say_what_they_leave) {
  struct Known {
    const char* name;
    Type type;  // of the values
    std::vector<std::string> parts;
  };
  const Known known[] = {{"sum", Type::real, {"double"}},
                         {"sum", Type::integer, {"long"}},
                         {"mean", Type::real, {"double"}},
                         {"mean", Type::integer, {"double"}},
                         {"min", Type::real, {"double"}},
                         {"max", Type::integer, {"double"}},
                         {"prod", Type::real, {"double", "double"}},
                         {"logsumexp", Type::real, {"double", "double"}},
                         {"any", Type::logical, {"integer"}},
                         {"all", Type::real, {"integer"}}};
  for (const Known& one : known)
    for (const char* const way : {"", "by", "by order"})
      for (const bool general : {false, true})
        for (const bool na_rm : {false, true}) {
          Case asked = call("function(x) x",
                            {one.type == Type::real      ? real("x", 100)
                             : one.type == Type::integer ? whole("x", 100)
                                                         : logical("x", 100)},
                            one.name);
          asked.way = way;
          asked.general = general;
          asked.na_rm = na_rm;
          const KernelText text = compiled(asked).text;
          const std::string name = std::string(one.name) + ' ' + way + (na_rm ? " na.rm" : "");
          expect_whole(text.text, name);
          std::vector<std::string> parts;
          for (const OutputPart& part : text.outputs) {
            parts.push_back(part.type);
            EXPECT_EQ(part.width, 0);
          }
          std::vector<std::string> expected = one.parts;
          if (na_rm && std::string(one.name) == "mean") expected.push_back("long");  // how many there are
          EXPECT_EQ(parts, expected) << name;
          EXPECT_EQ(takes(text, "block"), std::string(way).empty()) << name;
          EXPECT_EQ(takes(text, "starts"), !std::string(way).empty()) << name;
          EXPECT_EQ(takes(text, "order"), std::string(way) == "by order") << name;
          EXPECT_FALSE(takes(text, "out_offset")) << name;
          EXPECT_EQ(has(text.text, "order[p]"), std::string(way) == "by order") << name;
          EXPECT_EQ(has(text.text, "#define AT(k) (off_##k + p)"), std::string(way) == "by") << name;
          const KernelPlan plan = kernel_plan(text);
          EXPECT_EQ(plan.join, "nmath_join");
          EXPECT_EQ(plan.widths, std::vector<int>(parts.size(), -1));
        }
}

TEST(Reductions, that_pass_a_nan_on_ask_at_the_end) {
  for (const ReductionRow& row : reduction_rows()) {
    Case one = call("function(x) x", {real("x", 100)}, row.name);
    const KernelText assume_no_nan = compiled(one).text;
    EXPECT_EQ(assume_no_nan.general_bit > 0, row.passes_nan) << row.name;
    one.general = true;
    EXPECT_EQ(compiled(one).text.general_bit, 0) << row.name;
    one.general = false;
    one.na_rm = true;
    EXPECT_EQ(compiled(one).text.general_bit, 0) << row.name;
  }
}

TEST(Reductions, with_na_rm_leave_missing_values_out) {
  Case one = call("function(x) x", {real("x", 100)}, "max");
  EXPECT_TRUE(has(compiled(one).text.text, "int m = na_1; m1 |= m; if (m != 2)"));
  one.na_rm = true;
  const std::string text = compiled(one).text.text;
  EXPECT_TRUE(has(text, "if (!na_1) {"));
  EXPECT_TRUE(has(text, "m1 |= 4;"));  // there was a value
}

TEST(Reductions, take_values_in_and_join_what_work_items_have) {
  struct Known {
    const char *name, *start, *add, *join;
  };
  const Known known[] = {
      {"sum", "expr_sum a1 = {0.0, 0.0};", "a1 = expr_sum_add(a1, r1)", "expr_add_rows(part, item, items, 1);"},
      {"min", "double a1 = INFINITY;", "a1 = expr_least(a1, r1)",
       "part[item] = expr_least(part[item], part[item + h]);"},
      {"max", "double a1 = (-INFINITY);", "a1 = expr_largest(a1, r1)",
       "part[item] = expr_largest(part[item], part[item + h]);"},
      {"prod", "expr_product a1 = {1.0, 0.0};", "a1 = expr_product_add(a1, r1)", "x = expr_product_join(x, y);"},
      {"logsumexp", "expr_lse a1 = {-INFINITY, 0.0};", "a1 = expr_lse_add(a1, r1)", "x = expr_lse_join(x, y);"},
      {"any", "int a1 = 0;", "!= 0)", "((__local int*)(__local void*)part)[item] | ((__local int*)(__local void*)part)[item + h];"},
      {"all", "int a1 = 0;", "== 0)", "((__local int*)(__local void*)part)[item] | ((__local int*)(__local void*)part)[item + h];"}};
  for (const Known& one : known) {
    Case asked = call("function(x) x", {real("x", 100)}, one.name);
    asked.general = true;
    const std::string text = compiled(asked).text.text;
    // In the kernel, and in the one that joins the blocks.
    EXPECT_EQ(count_in(text, one.start), 2) << one.name;
    EXPECT_TRUE(has(text, one.add)) << one.name;
    EXPECT_EQ(count_in(text, one.join), 2) << one.name;
    EXPECT_EQ(count_in(text, "if (m1) atomic_or(&missing[0], m1);"), 2) << one.name;
    asked.general = false;  // then missing values are asked for in the second one alone, where one is passed on
    const bool passes = reduction_row(reduction_named(one.name)).passes_nan;
    EXPECT_EQ(count_in(compiled(asked).text.text, "if (m1) atomic_or(&missing[0], m1);"), passes ? 1 : 2) << one.name;
  }
}

TEST(Reductions, with_slopes_add_them_up) {
  Case one = call("function(x, s) dnorm(x, s, 1, log = TRUE)", {real("x", 100), real("s")}, "sum");
  one.gradient = {2};
  const Compiled made = compiled(one);
  EXPECT_EQ(made.outputs.size(), 2u);
  EXPECT_EQ(made.text.joins, 2);
  EXPECT_TRUE(has(made.text.text, "a2 = expr_sum_add(a2, r2);"));
}

}  // namespace
