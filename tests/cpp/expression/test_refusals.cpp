// test_refusals -- what an expression cannot be, and what users are told.
#include <gtest/gtest.h>

#include "base/nmath_error.h"
#include "expression/dependence.h"
#include "expression_test.h"

using namespace expression_test;

namespace {

template <class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const openclPort::NmathError& error) {
    return error.what();
  }
  return "";
}

std::string refused(const std::string& body, const Asked& asked = answer(true)) {
  const std::vector<Input> inputs = {real("x", 5),      real("y", 5), whole("n", 5),    real("s"),
                                     matrix("X", 6, 3), real("b", 3), matrix("Z", 3, 2)};
  return message_of([&] { translated("function(x, y, n, s, X, b, Z) " + body, inputs, asked); });
}

TEST(Refusals, name_what_is_not_there) {
  EXPECT_EQ(refused("u + 1"), "object 'u' not found: it has no value where it is used");
  EXPECT_EQ(
      refused("fivenum(x)"),
      "an expression cannot be read at column 31: `fivenum` is not supported: an expression has no such function or "
      "operator");
  EXPECT_EQ(refused("rep_len(x, 3)"), "");
  EXPECT_NE(refused("utils::head(x)").find("a function of another package"), std::string::npos);
}

TEST(Refusals, of_conditions) {
  EXPECT_EQ(refused("if (x > 1) 1 else 2"),
            "the condition of `if` has length 5 in `if (x > 1)`: use ifelse() to choose element by element");
  EXPECT_EQ(refused("if (s > 1) 1 else 2", answer(whole_constant(Type::logical, -2147483647 - 1))),
            "missing value where TRUE/FALSE needed in `if (s > 1)`");
  EXPECT_EQ(refused("1 + if (s > 1) 2", answer(false)),
            "`if (s > 1) 2` has no value: its condition is FALSE and there is no `else`");
  EXPECT_EQ(refused("s > 1 && x > 1"),
            "`&&` needs a condition of length one, and that of `s > 1 && x > 1` has 5: use ifelse(), & or | to choose "
            "element by element");
  EXPECT_EQ(refused("{}"), "`{}` has no value");
}

TEST(Refusals, of_arguments) {
  EXPECT_EQ(refused("exp(x, y)"), "`exp(x, y)`: exp takes 1 argument");
  EXPECT_EQ(refused("`+`(x, y, s)"), "``+`(x, y, s)`: + takes 1 or 2 arguments");
  EXPECT_EQ(refused("xor(x)"), "`xor(x)`: xor takes 2 arguments");
  EXPECT_EQ(refused("pmin(na.rm = TRUE)"), "`pmin(na.rm = TRUE)` has no arguments");
  EXPECT_EQ(refused("dgamma(x)"), "`dgamma(x)`: argument \"shape\" is missing, with no default");
  EXPECT_EQ(refused("dgamma(x, 1, rate = 1, scale = 2)"),
            "`dgamma(x, 1, rate = 1, scale = 2)`: specify 'rate' or 'scale' but not both");
  EXPECT_EQ(refused("rnorm(s)", answer(real_constant(-1))), "invalid arguments");
  EXPECT_NE(refused("rmultinom(3, 2, b)").find("rmultinom gives a matrix"), std::string::npos);
  EXPECT_NE(refused("dnorm(x, means = 1)"), "");
}

// Operators may be called by their names.
TEST(Refusals, of_structure_with_other_arguments) {
  EXPECT_EQ(refused("`if`(TRUE)"), "``if`(TRUE)`: if takes 2 or 3 arguments");
  EXPECT_EQ(refused("`<-`(u)"), "``<-`(u)`: <- takes 2 arguments");
  EXPECT_EQ(refused("{ `<-`(); x }"), "``<-`()`: <- takes 2 arguments");
  EXPECT_EQ(refused(".c_text(x)"), "`.c_text(x)`: the first argument is a text of OpenCL C");
  EXPECT_EQ(refused(".c_text()"), "`.c_text()`: the first argument is a text of OpenCL C");
  EXPECT_NE(refused("`(`()"), "");
  EXPECT_EQ(refused("return()"), "`return()` needs a value");
  EXPECT_NE(refused("exp(x) <- 2").find("variables and their elements, v[k], can be assigned"), std::string::npos);
}

TEST(Refusals, of_products) {
  EXPECT_EQ(refused("x %*% b"),
            "`x %*% b`: the left side of %*% has to be a matrix that is an argument, or one that is computed. "
            "Compute it before the call (see ?nmathopencl_limits)");
  EXPECT_EQ(refused("X %*% y"),
            "`X %*% y`: non-conformable arguments, 3 columns and 5 coefficients: give one for each column");
  EXPECT_NE(refused("nrow(x)").find("needs a matrix"), std::string::npos);
}

// R's error, wherever matrices meet, and whatever is made of them.
TEST(Refusals, of_matrices_that_do_not_fit) {
  EXPECT_EQ(refused("rowSums(X * (X %*% b))"), "non-conformable arrays");
  EXPECT_EQ(refused("sum((X > 0) & (t(X) > 0))"), "non-conformable arrays");
  EXPECT_EQ(refused("{ lost <- X + t(X); x }"), "non-conformable arrays");
  EXPECT_NE(refused("ifelse(s > 0, 1, sum(X * t(X)))").find("R may not come there"), std::string::npos);
  EXPECT_EQ(refused("sum(X * c(X %*% b))"), "");
}

TEST(Refusals, of_syntax_say_where) {
  const auto at = [](const std::string& text) { return message_of([&] { parse(text); }); };
  EXPECT_EQ(at("x + "),
            "an expression cannot be read at column 5: a number, a name or a call is expected, and not its end");
  EXPECT_EQ(at("x +\n )"),
            "an expression cannot be read at line 2, column 2: a number, a name or a call is expected, and not `)`");
  EXPECT_EQ(at("x < y < s"),
            "an expression cannot be read at column 7: comparisons do not follow each other: write a < b & b < c");
  EXPECT_NE(at("x[1]").find("`[` is not supported"), std::string::npos);
  EXPECT_NE(at("for (i in x) i").find("an expression has no loops"), std::string::npos);
  EXPECT_NE(at("function(x) x").find("functions are made outside of an expression"), std::string::npos);
  EXPECT_NE(at("2i").find("complex"), std::string::npos);
  EXPECT_NE(at("\"a\"").find("a text is not a number"), std::string::npos);
  EXPECT_NE(at("x y").find("`y` is not expected here"), std::string::npos);
  EXPECT_NE(at("x\ny").find("a second expression begins"), std::string::npos);
  EXPECT_NE(at("0x").find("a hexadecimal number has no digits"), std::string::npos);
  EXPECT_NE(at("`x").find("does not end"), std::string::npos);
}

std::string refused_gradient(const std::string& text, const std::vector<Input>& inputs,
                             const std::vector<int>& gradient, const std::string& reduce = "") {
  Case one;
  one.text = text;
  one.inputs = inputs;
  one.gradient = gradient;
  one.reduce = reduce;
  return message_of([&] { compiled(one); });
}

TEST(Refusals, of_derivatives) {
  const std::vector<Input> inputs = {real("x", 5), real("s"), matrix("X", 5, 3), real("b", 3)};
  const auto text = [](const std::string& body) { return "function(x, s, X, b) " + body; };
  EXPECT_EQ(refused_gradient(text("rnorm(5, s)"), inputs, {2}),
            "random numbers have no derivative (see ?nmathopencl_limits)");
  EXPECT_EQ(refused_gradient(text(".c_text(\"s\", s)"), inputs, {2}),
            "there is no rule for the derivative of c_text() in `x` (?opencl_derivatives) (see ?nmathopencl_limits)");
  EXPECT_EQ(
      refused_gradient(text("X %*% b"), inputs, {3}),
      "the gradient in `X`, a matrix of which products or columns are taken, is not supported: name the coefficients "
      "(see ?nmathopencl_limits)");
  EXPECT_EQ(refused_gradient(text("x * 2"), inputs, {1}, "sum").find("the gradient in `x`: it has to be of length one"),
            0u);
  EXPECT_EQ(refused_gradient(text("X %*% b + sum_of(b)"), inputs, {4}).find("an expression cannot be read"), 0u);
  EXPECT_EQ(refused_gradient("function(X, b) X %*% b + b", {matrix("X", 3, 3), real("b", 3)}, {2})
                .find("the gradient in `b`, which is not only a vector of coefficients, is not supported"),
            0u);
}

TEST(Refusals, of_too_many_terms) {
  std::string text = "function(X, b) 0";
  for (int k = 1; k <= 21; ++k) text += " + exp(X %*% b * " + std::to_string(k) + ")";
  EXPECT_EQ(refused_gradient(text, {matrix("X", 5, 3), real("b", 3)}, {2}, "sum"), "");  // one product, one term
  text = "function(b, s";
  std::vector<Input> inputs = {real("b", 3), real("s")};
  std::string body = "s";
  for (int k = 1; k <= 21; ++k) {
    const std::string name = "X" + std::to_string(k);
    text += ", " + name;
    body += " + " + name + " %*% b";
    inputs.push_back(matrix(name, 5, 3));
  }
  EXPECT_EQ(refused_gradient(text + ") " + body, inputs, {1}, "sum"),
            "gradients of 21 products with matrices are more than 20 in one expression: join matrices by cbind() "
            "(see ?nmathopencl_limits)");
}

TEST(Refusals, of_derivatives_are_known_before_a_call) {
  const auto refusal = [](const std::string& body) {
    return message_of([&] { check_derivatives(*parse_function("function(x, s) " + body), {"s"}); });
  };
  EXPECT_EQ(refusal("rnorm(5, s)"), "random numbers have no derivative (see ?nmathopencl_limits)");
  EXPECT_EQ(refusal("{ u <- 2 * s; .c_text(\"u\", u) }"),
            "a text of OpenCL C has no derivative (see ?nmathopencl_limits)");
  EXPECT_EQ(
      refusal("round(x, s)"),
      "there is no rule for the derivative of round() in `digits` (?opencl_derivatives) (see ?nmathopencl_limits)");
  EXPECT_EQ(refusal("if (x > 1) rnorm(5, s) else s"), "");  // may not be reached
  EXPECT_EQ(refusal("{ s <- 1; rnorm(5, s) }"), "");
  EXPECT_EQ(refusal("dnorm(x, s) + rnorm(5, x)"), "");
}

}  // namespace
