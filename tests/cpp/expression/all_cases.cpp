// all_cases -- calls whose texts go before a compiler: every reduction in every form, products, gradients, draws,
// constant-parameter forms, the operations of the language.
#include "expression/reductions.h"
#include "expression_test.h"

namespace expression_test {

namespace {

Case elementwise(const std::string& name, const std::string& text, const std::vector<Input>& inputs,
                 const std::vector<int>& gradient = {}) {
  Case made;
  made.name = name;
  made.text = text;
  made.inputs = inputs;
  made.gradient = gradient;
  return made;
}

Case reduced(Case made, const std::string& reduce, const std::string& way = "", bool na_rm = false,
             bool general = false) {
  made.name += '_' + reduce +
               (way.empty()   ? ""
                : way == "by" ? "_by"
                              : "_by_order") +
               (na_rm ? "_na_rm" : "") + (general ? "_general" : "");
  made.reduce = reduce;
  made.way = way;
  made.na_rm = na_rm;
  made.general = general;
  return made;
}

void add_reductions(std::vector<Case>& cases) {
  const Case of_doubles = elementwise("real", "function(x) x * 2", {real("x", 1000)});
  const Case of_integers = elementwise("whole", "function(n) n + 1L", {whole("n", 1000)});
  for (const ReductionRow& row : reduction_rows()) {
    cases.push_back(reduced(of_doubles, row.name));
    cases.push_back(reduced(of_doubles, row.name, "", false, true));
    cases.push_back(reduced(of_doubles, row.name, "by", true));
    cases.push_back(reduced(of_doubles, row.name, "by order"));
    cases.push_back(reduced(of_integers, row.name, "", true));
  }
}

void add_products(std::vector<Case>& cases) {
  const std::vector<Input> of_two = {matrix("X", 1000, 3), real("b", 3), real("y", 1000)};
  const Case squares = elementwise("squares", "function(X, b, y) (y - X %*% b)^2", of_two, {2});
  cases.push_back(squares);
  for (const char* const way : {"", "by", "by order"}) {
    cases.push_back(reduced(squares, "sum", way));
    cases.push_back(reduced(squares, "sum", way, true, true));
  }
  const std::vector<Input> of_three = {matrix("X", 1000, 3), matrix("Z", 10, 4, Type::integer), real("b", 3),
                                       whole("g", 4), real("s")};
  const std::string three = "function(X, Z, b, g, s) ifelse(X %*% b > 0, exp(X %*% b / s), Z %*% g)";
  cases.push_back(elementwise("recycled_products", three, of_three));
  cases.push_back(reduced(elementwise("recycled_terms", three, of_three, {3, 4, 5}), "sum"));
  cases.push_back(reduced(elementwise("recycled_terms", three, of_three, {3, 4, 5}), "sum", "by order", false, true));
  cases.push_back(elementwise("one_column", "function(X, b) X %*% b", {matrix("X", 10, 1), real("b")}, {2}));
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_reductions(cases);
  add_products(cases);
  const std::vector<Input> x = {real("x", 100)}, xy = {real("x", 100), real("y", 10)}, n = {whole("n", 100)};
  cases.push_back(elementwise("real_operations", "function(x, y) (x + y - 1) * x / y^x + x %% y - x %/% y + -x", xy));
  cases.push_back(elementwise("whole_operations", "function(n) (n + 1L - 2L) * n %% 3L + n %/% 2L - abs(-n)", n));
  cases.push_back(
      elementwise("logic", "function(x, y) xor(x > y, !(x == 1 & y != 2)) | x <= y | x >= 3 | is.nan(x)", xy));
  cases.push_back(elementwise("tests", "function(n) is.na(n) | is.finite(n) | is.infinite(n) | as.logical(n)", n));
  cases.push_back(elementwise("extremes", "function(x, y) pmin(x, y, na.rm = TRUE) + pmax(x, 1, y)", xy, {1, 2}));
  cases.push_back(elementwise("logarithms", "function(x, y) log(x) + log(x, 2) + log(x, 10) + log(x, y)", xy, {1, 2}));
  cases.push_back(elementwise("conversions", "function(x) as.integer(x) + as.logical(x) + as.double(TRUE)", x));
  cases.push_back(elementwise("constants", "function(x) x + 1e300 - Inf + sqrt(2) * NA_real_ / NaN + exp(710)", x));
  cases.push_back(elementwise("elementary", "function(x) sqrt(x) + sin(x) * tanh(x) + atan2(x, 2) + floor(x)", x, {1}));
  cases.push_back(
      elementwise("flags", "function(x, y) ifelse(x > 0, log(x), sqrt(y)) + ifelse(y > 1, lgamma(x), 0)", xy));
  cases.push_back(elementwise("fixed", "function(x, m) dnorm(x, m, 2, log = TRUE)", {real("x", 100), real("m")}));
  cases.push_back(
      reduced(elementwise("fixed", "function(x, m) dnorm(x, m, 2, log = TRUE)", {real("x", 100), real("m")}), "sum"));
  cases.push_back(elementwise("library", "function(x, y) pgamma(x, y, lower.tail = FALSE) + besselJ(x, 1)", xy));
  cases.push_back(elementwise("slopes", "function(x, y) dgamma(x, y) * pnorm(x, y, log.p = TRUE)", xy, {1, 2}));
  cases.push_back(elementwise("draws", "function(x) x + rnorm(length(x)) * rpois(100, 3)", x));
  cases.push_back(elementwise("c_text", "function(x, y) .c_text(\"fma(x, y, 1.0)\", x, y)", xy));
  cases.push_back(elementwise("one_element", "function(s) dnorm(s) + exp(s)", {real("s")}, {1}));
  const std::vector<Input> counted = {whole("k", 100), real("x", 100), real("s")};
  cases.push_back(
      reduced(elementwise("counts", "function(k, x, s) lgamma(k + s) - lfactorial(k) + k * x", counted, {3}), "sum"));
  cases.push_back(
      reduced(elementwise("masses", "function(k, x, s) dnbinom(k, s, mu = x, log = TRUE) + dpois(k, x, log = TRUE)",
                          counted, {3}),
              "sum"));
  Case far = elementwise("wide", "function(x, y) x * y", xy);
  far.wide = true;
  cases.push_back(far);
  Case gpu = reduced(elementwise("as_gpu", "function(x, y) x * y + log(x) / 3", xy), "sum");
  gpu.as_gpu = true;
  cases.push_back(gpu);
  return cases;
}

}  // namespace expression_test
