// expression_names_wrappers -- names in R's expressions: what every pass over a function's body asks.
//
// Answers are strings of the expression's own symbols, which live as long as it does.
#include <vector>

#include "r_door.h"

namespace {

using Names = std::vector<SEXP>;

bool is_call(SEXP expr) { return TYPEOF(expr) == LANGSXP; }
bool is_symbol(SEXP expr) { return TYPEOF(expr) == SYMSXP && expr != R_MissingArg; }

bool is_among(SEXP head, SEXP names) {
  for (R_xlen_t k = 0; k < Rf_xlength(names); ++k)
    if (TYPEOF(head) == SYMSXP && STRING_ELT(names, k) == PRINTNAME(head)) return true;
  return false;
}

bool is_function(SEXP expr) {
  static SEXP const word = Rf_install("function");
  return is_call(expr) && CAR(expr) == word;
}

// d$y and d@y.
bool is_element(SEXP expr) {
  static SEXP const slot = Rf_install("@");
  return is_call(expr) && (CAR(expr) == R_DollarSymbol || CAR(expr) == slot);
}

bool is_assignment(SEXP expr) {
  static SEXP const arrow = Rf_install("<-"), equals = Rf_install("=");
  return is_call(expr) && (CAR(expr) == arrow || CAR(expr) == equals) && CDR(expr) != R_NilValue;
}

// x of x and of x[i] and x[i, j].
SEXP target_of(SEXP target) {
  const bool is_part =
      is_call(target) && CAR(target) == R_BracketSymbol && (Rf_length(target) == 3 || Rf_length(target) == 4);
  return is_part && is_symbol(CADR(target)) ? CADR(target) : target;
}

void add(SEXP symbol, Names& found) {
  if (is_symbol(symbol)) found.push_back(PRINTNAME(symbol));
}

// Visits an expression and what `visit` gives as its parts, and so on: depth first, in their order. (Sums may be
// 100,000 calls deep, which a C stack has no room for.)
template <typename Visit>
void walk(SEXP expr, const Visit& visit) {
  Names left = {expr}, parts;
  while (!left.empty()) {
    SEXP const one = left.back();
    left.pop_back();
    parts.clear();
    visit(one, parts);
    left.insert(left.end(), parts.rbegin(), parts.rend());
  }
}

void add_parts(SEXP from, Names& parts) {
  for (SEXP part = from; part != R_NilValue; part = CDR(part)) parts.push_back(CAR(part));
}

void add_assigned(SEXP whole, SEXP besides, Names& found) {
  static SEXP const loop = Rf_install("for");
  walk(whole, [&](SEXP expr, Names& parts) {
    if (!is_call(expr) || is_among(CAR(expr), besides)) return;
    if (is_assignment(expr) || (CAR(expr) == loop && CDR(expr) != R_NilValue)) add(target_of(CADR(expr)), found);
    add_parts(CDR(expr), parts);
  });
}

void add_functions(SEXP whole, Names& found) {
  walk(whole, [&](SEXP expr, Names& parts) {
    if (!is_call(expr)) return;
    if (is_assignment(expr) && Rf_length(expr) == 3 && is_function(CADDR(expr))) add(CADR(expr), found);
    add_parts(CDR(expr), parts);
  });
}

void add_inner(SEXP whole, bool variables, Names& found) {
  walk(whole, [&](SEXP expr, Names& parts) {
    if (!is_call(expr)) return;
    if (is_function(expr)) {
      for (SEXP formal = CADR(expr); TYPEOF(formal) == LISTSXP; formal = CDR(formal)) add(TAG(formal), found);
      if (variables) add_assigned(CADDR(expr), R_NilValue, found);
    }
    add_parts(variables ? CDR(expr) : expr, parts);
  });
}

void add_read(SEXP whole, Names& found) {
  walk(whole, [&](SEXP expr, Names& parts) {
    add(expr, found);
    if (!is_call(expr)) return;
    if (is_function(expr)) return parts.push_back(CADDR(expr));
    for (SEXP part = TYPEOF(CAR(expr)) == SYMSXP ? CDR(expr) : expr; part != R_NilValue; part = CDR(part)) {
      parts.push_back(CAR(part));
      if (is_element(expr) && CAR(part) != R_MissingArg) return;
    }
  });
}

void add_used(SEXP whole, Names& found) {
  walk(whole, [&](SEXP expr, Names& parts) {
    add(expr, found);
    if (is_element(expr)) return parts.push_back(CADR(expr));
    if (is_call(expr)) add_parts(expr, parts);
  });
}

void add_called(SEXP whole, Names& found) {
  walk(whole, [&](SEXP expr, Names& parts) {
    if (!is_call(expr)) return;
    add(CAR(expr), found);
    add_parts(expr, parts);
    if (is_function(expr) && TYPEOF(CADR(expr)) == LISTSXP) add_parts(CADR(expr), parts);
  });
}

template <typename Add>
SEXP names_of(const Add& add_all) {
  Names found;
  add_all(found);
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

// The parts of a call, its function first, or of a list, without empty arguments.
// [[Rcpp::export(name = "given_parts", rng = false)]]
SEXP given_parts_cpp(SEXP expr) {
  return r::enter([&] {
    SEXP const all = PROTECT(is_call(expr) ? expr : Rf_coerceVector(expr, LISTSXP));
    SEXP const parts = PROTECT(Rf_cons(R_NilValue, R_NilValue));
    SEXP last = parts;
    for (SEXP part = all; part != R_NilValue; part = CDR(part)) {
      if (CAR(part) == R_MissingArg) continue;
      SETCDR(last, Rf_cons(CAR(part), R_NilValue));
      last = CDR(last);
      SET_TAG(last, TAG(part));
    }
    SEXP const list = Rf_coerceVector(CDR(parts), VECSXP);
    UNPROTECT(2);
    return list;
  });
}

// Every name that is assigned in an expression, however deep, but for what calls of `besides` hold.
// [[Rcpp::export(name = "assigned_names", rng = false)]]
SEXP assigned_names_cpp(SEXP expr, SEXP besides = R_NilValue) {
  return names_of([&](Names& found) { add_assigned(expr, besides, found); });
}

// Those that are assigned functions, S <- function(t) t^2.
// [[Rcpp::export(name = "functions_assigned", rng = false)]]
SEXP functions_assigned_cpp(SEXP expr) {
  return names_of([&](Names& found) { add_functions(expr, found); });
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

// Names that an expression calls, also in the defaults of functions that it makes.
// [[Rcpp::export(name = "names_called", rng = false)]]
SEXP names_called_cpp(SEXP expr) {
  return names_of([&](Names& found) { add_called(expr, found); });
}
