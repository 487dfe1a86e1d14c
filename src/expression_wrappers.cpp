// expression_wrappers -- what opencl_function() asks of the core but to run: the shape of its arguments, its program.
#include "expression_key.h"

#include <algorithm>
#include <string>
#include <vector>

#include "loader/nmath_library.h"
#include "r_boundary.h"
#include "resident_object.h"

namespace {

// Of an input of an expression: an R vector, or a resident one.
struct InputFacts {
  char type = 0;  // 0: no plain vector of numbers
  R_xlen_t length = 0;
  int rows = -1, columns = -1;  // of a matrix
};

char type_letter(const char* type) { return type[0] == 'd' || type[0] == 'i' || type[0] == 'l' ? type[0] : 0; }

InputFacts facts_of(SEXP x) {
  InputFacts facts;
  if (resident_object::is(x)) {
    facts.type = type_letter(CHAR(STRING_ELT(resident_object::field(x, resident_object::type), 0)));
    facts.length = static_cast<R_xlen_t>(resident_object::length_of(x));
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

// Lengths that were seen, in ascending order.
class KnownLengths {
 public:
  void add(R_xlen_t length) {
    if (length <= 1) return;
    const auto at = std::lower_bound(known_.begin(), known_.end(), length);
    if (at == known_.end() || *at != length) known_.insert(at, length);
  }
  // From 1; 0: one element.
  int rank(R_xlen_t length) const {
    if (length <= 1) return 0;
    return static_cast<int>(std::lower_bound(known_.begin(), known_.end(), length) - known_.begin()) + 1;
  }
  bool wide() const { return !known_.empty() && static_cast<double>(known_.back()) >= 2147483648.0; }

 private:
  std::vector<R_xlen_t> known_;
};

}  // namespace

ExpressionKey read_expression_key(SEXP inputs) {
  ExpressionKey key;
  const R_xlen_t n = Rf_xlength(inputs);
  std::vector<InputFacts> facts;
  facts.reserve(static_cast<std::size_t>(n));
  KnownLengths lengths;
  bool empty = false;
  for (R_xlen_t k = 0; k < n; ++k) {
    const InputFacts one = facts_of(VECTOR_ELT(inputs, k));
    if (one.type == 0) return key;
    empty = empty || one.length == 0;
    lengths.add(one.length);
    lengths.add(one.rows);
    lengths.add(one.columns);
    facts.push_back(one);
  }
  key.plain = true;
  if (empty) return key;
  key.text.reserve(8 * facts.size() + 32);
  for (const InputFacts& one : facts) {
    key.text += one.type;
    key.text += std::to_string(lengths.rank(one.length));
    if (one.columns < 0) continue;
    key.text += "mr" + std::to_string(lengths.rank(one.rows)) + 'c' + std::to_string(lengths.rank(one.columns));
  }
  if (lengths.wide()) key.text += 'w';
  return key;
}

double expression_measure(SEXP inputs, int measure) {
  const R_xlen_t n = Rf_xlength(inputs), at = measure - 1;
  const InputFacts one = facts_of(VECTOR_ELT(inputs, at % n));
  return at < n ? static_cast<double>(one.length) : at < 2 * n ? one.rows : one.columns;
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

// A text in opencl_function()'s form as a program: behind the layers, and the files of nmath that its tags name.
// [[Rcpp::export(rng = false)]]
SEXP expression_program_cpp(const std::string& text) {
  return guard_core([&] {
    const std::string program = openclPort::user_program(text);
    return r::enter([&] { return Rf_mkString(program.c_str()); });
  });
}
