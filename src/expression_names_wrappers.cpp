// expression_names_wrappers -- names in R's expressions: what every pass over a function's body asks.
//
// Answers are strings of the expression's own symbols, which live as long as it does.
#include <vector>

#include "r_door.h"

namespace {

using Names = std::vector<SEXP>;

bool is_call(SEXP expr) { return TYPEOF(expr) == LANGSXP; }
bool is_symbol(SEXP expr) { return TYPEOF(expr) == SYMSXP && expr != R_MissingArg; }

bool is_assignment(SEXP head) {
  static SEXP const arrow = Rf_install("<-"), equals = Rf_install("=");
  return head == arrow || head == equals;
}

bool is_function_word(SEXP head) {
  static SEXP const word = Rf_install("function");
  return head == word;
}

bool takes_element(SEXP head) {
  static SEXP const slot = Rf_install("@");
  return head == R_DollarSymbol || head == slot;
}

bool is_among(SEXP head, SEXP names) {
  if (TYPEOF(head) != SYMSXP) return false;
  for (R_xlen_t k = 0; k < Rf_xlength(names); ++k)
    if (STRING_ELT(names, k) == PRINTNAME(head)) return true;
  return false;
}

// x of x and of x[i] and x[i, j].
SEXP target_of(SEXP target) {
  const bool is_part = is_call(target) && CAR(target) == R_BracketSymbol && (Rf_length(target) == 3 || Rf_length(target) == 4);
  return is_part && is_symbol(CADR(target)) ? CADR(target) : target;
}

void add_assigned(SEXP expr, SEXP besides, Names& found) {
  static SEXP const loop = Rf_install("for");
  if (!is_call(expr) || is_among(CAR(expr), besides)) return;
  if ((is_assignment(CAR(expr)) || CAR(expr) == loop) && CDR(expr) != R_NilValue) {
    SEXP const target = target_of(CADR(expr));
    if (is_symbol(target)) found.push_back(PRINTNAME(target));
  }
  for (SEXP part = CDR(expr); part != R_NilValue; part = CDR(part)) add_assigned(CAR(part), besides, found);
}

void add_formals(SEXP formals, Names& found) {
  for (; formals != R_NilValue; formals = CDR(formals)) found.push_back(PRINTNAME(TAG(formals)));
}

void add_inner(SEXP expr, bool variables, Names& found) {
  if (!is_call(expr)) return;
  if (is_function_word(CAR(expr))) {
    add_formals(CADR(expr), found);
    if (variables) add_assigned(CADDR(expr), R_NilValue, found);
  }
  for (SEXP part = variables ? CDR(expr) : expr; part != R_NilValue; part = CDR(part)) add_inner(CAR(part), variables, found);
}

void add_read(SEXP expr, Names& found) {
  if (is_symbol(expr)) found.push_back(PRINTNAME(expr));
  if (!is_call(expr)) return;
  const bool of_name = TYPEOF(CAR(expr)) == SYMSXP;
  if (of_name && is_function_word(CAR(expr))) return add_read(CADDR(expr), found);
  const bool element = of_name && takes_element(CAR(expr));
  for (SEXP part = of_name ? CDR(expr) : expr; part != R_NilValue; part = CDR(part)) {
    add_read(CAR(part), found);
    if (element && CAR(part) != R_MissingArg) return;
  }
}

void add_used(SEXP expr, Names& found) {
  if (is_symbol(expr)) found.push_back(PRINTNAME(expr));
  if (!is_call(expr)) return;
  if (takes_element(CAR(expr))) return add_used(CADR(expr), found);
  for (SEXP part = expr; part != R_NilValue; part = CDR(part)) add_used(CAR(part), found);
}

// The calls of `left` and all that are in them, the last one first.
template <typename See>
void see_calls(Names left, bool heads, const See& see) {
  while (!left.empty()) {
    SEXP const expr = left.back();
    left.pop_back();
    see(expr);
    for (SEXP part = heads ? expr : CDR(expr); part != R_NilValue; part = CDR(part))
      if (is_call(CAR(part))) left.push_back(CAR(part));
    if (!heads || !is_function_word(CAR(expr))) continue;
    for (SEXP one = CADR(expr); one != R_NilValue; one = CDR(one))
      if (is_call(CAR(one))) left.push_back(CAR(one));
  }
}

template <typename Add>
SEXP names_of(const Add& add) {
  Names found;
  add(found);
  return r::enter([&] {
    SEXP const names = PROTECT(Rf_allocVector(STRSXP, static_cast<R_xlen_t>(found.size())));
    for (std::size_t k = 0; k < found.size(); ++k) SET_STRING_ELT(names, static_cast<R_xlen_t>(k), found[k]);
    UNPROTECT(1);
    return names;
  });
}

}  // namespace

// Whether an expression is a call of one of these functions, by its name.
// [[Rcpp::export(name = "is_call_of", rng = false)]]
SEXP is_call_of_cpp(SEXP expr, SEXP names) { return Rf_ScalarLogical(is_call(expr) && is_among(CAR(expr), names)); }

// The parts of a call, its function first, without empty arguments.
// [[Rcpp::export(name = "given_parts", rng = false)]]
SEXP given_parts_cpp(SEXP expr) {
  return r::enter([&] {
    R_xlen_t n = 0;
    bool named = false;
    for (SEXP part = expr; part != R_NilValue; part = CDR(part)) {
      if (CAR(part) != R_MissingArg) ++n;
      named = named || TAG(part) != R_NilValue;
    }
    SEXP const parts = PROTECT(Rf_allocVector(VECSXP, n));
    SEXP const names = PROTECT(named ? Rf_allocVector(STRSXP, n) : R_NilValue);
    R_xlen_t k = 0;
    for (SEXP part = expr; part != R_NilValue; part = CDR(part)) {
      if (CAR(part) == R_MissingArg) continue;
      if (named && TAG(part) != R_NilValue) SET_STRING_ELT(names, k, PRINTNAME(TAG(part)));
      SET_VECTOR_ELT(parts, k++, CAR(part));
    }
    if (named) Rf_setAttrib(parts, R_NamesSymbol, names);
    UNPROTECT(2);
    return parts;
  });
}

// Every name that is assigned in an expression, however deep, but for what calls of `besides` hold.
// [[Rcpp::export(name = "assigned_names", rng = false)]]
SEXP assigned_names_cpp(SEXP expr, SEXP besides = R_NilValue) {
  return names_of([&](Names& found) { add_assigned(expr, besides, found); });
}

// Arguments and variables of functions that a body makes.
// [[Rcpp::export(name = "inner_names", rng = false)]]
SEXP inner_names_cpp(SEXP expr) {
  return names_of([&](Names& found) { add_inner(expr, true, found); });
}

// Names of the arguments of functions that stand in an expression.
// [[Rcpp::export(name = "arguments_within", rng = false)]]
SEXP arguments_within_cpp(SEXP expr) {
  return names_of([&](Names& found) { add_inner(expr, false, found); });
}

// Names that an expression reads as variables, not the y of d$y.
// [[Rcpp::export(name = "names_read", rng = false)]]
SEXP names_read_cpp(SEXP expr) {
  return names_of([&](Names& found) { add_read(expr, found); });
}

// All names that an expression has, as all.names() gives them, but for those of elements: of d$y only d.
// [[Rcpp::export(name = "names_used", rng = false)]]
SEXP names_used_cpp(SEXP expr) {
  return names_of([&](Names& found) { add_used(expr, found); });
}

// Names that some expressions call, also in the defaults of functions that they make.
// [[Rcpp::export(name = "names_called", rng = false)]]
SEXP names_called_cpp(SEXP exprs) {
  Names left;
  for (R_xlen_t k = 0; k < Rf_xlength(exprs); ++k)
    if (is_call(VECTOR_ELT(exprs, k))) left.push_back(VECTOR_ELT(exprs, k));
  return names_of([&](Names& found) {
    see_calls(left, true, [&](SEXP expr) {
      if (TYPEOF(CAR(expr)) == SYMSXP) found.push_back(PRINTNAME(CAR(expr)));
    });
  });
}

// Names that an expression assigns functions, S <- function(t) t^2.
// [[Rcpp::export(name = "functions_assigned", rng = false)]]
SEXP functions_assigned_cpp(SEXP expr) {
  return names_of([&](Names& found) {
    see_calls(is_call(expr) ? Names{expr} : Names{}, false, [&](SEXP one) {
      if (!is_assignment(CAR(one)) || Rf_length(one) != 3 || !is_symbol(CADR(one))) return;
      if (is_call(CADDR(one)) && is_function_word(CAR(CADDR(one)))) found.push_back(PRINTNAME(CADR(one)));
    });
  });
}
