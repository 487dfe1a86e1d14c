// expression_wrappers -- R boundary of opencl_function()s, but for running them: argument layouts.
#include "expression_key.h"

#include <string>
#include <vector>

#include "expression/argument_layout.h"
#include "r_boundary.h"
#include "resident_object.h"

using openclPort::expression::InputFacts;

namespace {

char type_letter(const char* type) { return type[0] == 'd' || type[0] == 'i' || type[0] == 'l' ? type[0] : 0; }

InputFacts facts_of(SEXP x) {
  InputFacts facts;
  if (resident_object::is(x)) {
    facts.type = type_letter(CHAR(STRING_ELT(resident_object::field(x, resident_object::type), 0)));
    facts.length = static_cast<std::int64_t>(resident_object::length_of(x));
    SEXP const dim = resident_object::field(x, resident_object::dim);
    if (TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 2) {
      facts.rows = INTEGER(dim)[0];
      facts.columns = INTEGER(dim)[1];
    }
    return facts;
  }
  if (OBJECT(x)) return facts;
  facts.type = TYPEOF(x) == REALSXP ? 'd' : TYPEOF(x) == INTSXP ? 'i' : TYPEOF(x) == LGLSXP ? 'l' : '\0';
  facts.length = Rf_xlength(x);
  if (facts.type != 0 && Rf_isMatrix(x)) {
    facts.rows = Rf_nrows(x);
    facts.columns = Rf_ncols(x);
  }
  return facts;
}

}  // namespace

ExpressionKey read_expression_key(SEXP inputs) {
  ExpressionKey key;
  const R_xlen_t n = Rf_xlength(inputs);
  std::vector<InputFacts> facts;
  facts.reserve(static_cast<std::size_t>(n));
  for (R_xlen_t k = 0; k < n; ++k) {
    facts.push_back(facts_of(VECTOR_ELT(inputs, k)));
    if (facts.back().type == 0) return key;
  }
  key.plain = true;
  key.text = openclPort::expression::layout_key(facts);
  return key;
}

double expression_measure(SEXP inputs, int measure) {
  const R_xlen_t n = Rf_xlength(inputs), at = measure - 1;
  const InputFacts one = facts_of(VECTOR_ELT(inputs, at % n));
  return static_cast<double>(at < n ? one.length : at < 2 * n ? one.rows : one.columns);
}

// The key of a call's inputs; NULL where one is no plain vector of numbers.
// [[Rcpp::export(rng = false)]]
SEXP expression_key_cpp(SEXP inputs) {
  return guard_core([&]() -> SEXP {
    const ExpressionKey key = read_expression_key(inputs);
    if (!key.plain) return R_NilValue;
    return r::enter([&] { return Rf_mkString(key.text.c_str()); });
  });
}
