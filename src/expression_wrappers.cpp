// expression_wrappers -- what opencl_function() asks of the core but to run: the shape of its arguments, its program.
#include "expression_key.h"

#include <cstdio>

#include "loader/nmath_library.h"
#include "r_boundary.h"
#include "resident_object.h"

namespace {

// Of an input of an expression: an R vector, or a resident one.
struct InputFacts {
  char type = 0;  // 0: no plain vector of numbers
  R_xlen_t length = 0;
  int columns = -1;  // of a matrix
};

char type_letter(const char* type) { return type[0] == 'd' || type[0] == 'i' || type[0] == 'l' ? type[0] : 0; }

InputFacts facts_of(SEXP x) {
  InputFacts facts;
  if (resident_object::is(x)) {
    facts.type = type_letter(CHAR(STRING_ELT(resident_object::field(x, resident_object::type), 0)));
    facts.length = static_cast<R_xlen_t>(resident_object::length_of(x));
    SEXP const dim = resident_object::field(x, resident_object::dim);
    if (TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 2) facts.columns = INTEGER(dim)[1];
    return facts;
  }
  if (OBJECT(x)) return facts;
  facts.type = TYPEOF(x) == REALSXP ? 'd' : TYPEOF(x) == INTSXP ? 'i' : TYPEOF(x) == LGLSXP ? 'l' : '\0';
  facts.length = Rf_xlength(x);
  if (facts.type != 0 && Rf_isMatrix(x)) facts.columns = Rf_ncols(x);
  return facts;
}

}  // namespace

void read_expression_key(SEXP inputs, ExpressionKey& key) {
  InputFacts facts[ExpressionKey::most];
  R_xlen_t known[ExpressionKey::most];
  const R_xlen_t n = Rf_xlength(inputs);
  int lengths = 0;
  bool empty = false;
  key.plain = false;
  for (R_xlen_t k = 0; k < n; ++k) {
    const InputFacts one = facts_of(VECTOR_ELT(inputs, k));
    if (one.type == 0) return;
    empty = empty || one.length == 0;
    if (k >= ExpressionKey::most) continue;
    facts[k] = one;
    int at = 0;
    while (at < lengths && known[at] < one.length) ++at;
    if (one.length <= 1 || (at < lengths && known[at] == one.length)) continue;
    for (int j = lengths++; j > at; --j) known[j] = known[j - 1];
    known[at] = one.length;
  }
  key.plain = true;
  key.length = 0;
  key.text[0] = '\0';
  if (empty) return;
  if (n > ExpressionKey::most) {
    key.length = std::snprintf(key.text, sizeof key.text, "many");
    return;
  }
  for (R_xlen_t k = 0; k < n; ++k) {
    int at = 0;
    while (facts[k].length > 1 && known[at] != facts[k].length) ++at;
    key.length += std::snprintf(key.text + key.length, ExpressionKey::each, "%c%dm%d", facts[k].type,
                                facts[k].length > 1 ? at + 1 : 0, facts[k].columns);
  }
  if (lengths > 0 && static_cast<double>(known[lengths - 1]) >= 2147483648.0)
    key.length += std::snprintf(key.text + key.length, 2, "w");
}

// [[Rcpp::export(rng = false)]]
SEXP expression_key_cpp(SEXP inputs) {
  return r::enter([&]() -> SEXP {
    ExpressionKey key;
    read_expression_key(inputs, key);
    return key.plain ? Rf_ScalarString(Rf_mkCharLen(key.text, key.length)) : R_NilValue;
  });
}

// A text in opencl_function()'s form as a program: behind the layers, and the files of nmath that its tags name.
// [[Rcpp::export(rng = false)]]
SEXP expression_program_cpp(const std::string& text) {
  return guard_core([&] {
    const std::string program = openclPort::user_program(text);
    return r::enter([&] { return Rf_mkString(program.c_str()); });
  });
}
