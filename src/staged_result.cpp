// staged_result -- makes R's result of a call from a plan.
#include <algorithm>

#include "resident_object.h"
#include "result_memory.h"
#include "staged_plan.h"

namespace {

// Inside r::enter(). The gradient's names.
SEXP gradient_names(const StagedPlan& plan, SEXP inputs, R_xlen_t numbers) {
  SEXP const names = PROTECT(Rf_allocVector(STRSXP, numbers));
  R_xlen_t at = 0;
  for (std::size_t k = 0; k < plan.slopes.size(); ++k) {
    SEXP const x = VECTOR_ELT(inputs, plan.slope_inputs[k] - 1);
    const R_xlen_t size = static_cast<R_xlen_t>(plan.measures[static_cast<std::size_t>(plan.slope_inputs[k]) - 1]);
    SEXP const own =
        resident_object::is(x) ? resident_object::field(x, resident_object::names) : Rf_getAttrib(x, R_NamesSymbol);
    for (R_xlen_t j = 0; j < size; ++j, ++at) {
      if (size > 1 && TYPEOF(own) == STRSXP)
        SET_STRING_ELT(names, at, STRING_ELT(own, j));
      else
        SET_STRING_ELT(names, at,
                       r::text(size > 1 ? plan.slope_names[k] + std::to_string(j + 1) : plan.slope_names[k], CE_UTF8));
    }
  }
  UNPROTECT(1);
  return names;
}

// Inside r::enter(). Names that are no input's own are kept.
SEXP names_of(const StagedPlan& plan, SEXP inputs, R_xlen_t numbers) {
  static SEXP const symbol = Rf_install("labels");
  bool named = false;
  for (const int input : plan.slope_inputs)
    named = named || (attributes_of_input(VECTOR_ELT(inputs, input - 1)) & 1) != 0;
  if (named) return gradient_names(plan, inputs, numbers);
  SEXP const known = Rf_findVarInFrame(plan.labels, symbol);
  if (TYPEOF(known) == STRSXP && Rf_xlength(known) == numbers) return known;
  SEXP const made = PROTECT(gradient_names(plan, inputs, numbers));
  Rf_defineVar(symbol, made, plan.labels);
  UNPROTECT(1);
  return made;
}

StagedNumbers numbers_of(const StagedPlan& plan, int id, const StagedValues& values,
                         const std::vector<StagedNumbers>& found) {
  const std::vector<double>& made = values[static_cast<std::size_t>(id)];
  if (plan.is_slope[static_cast<std::size_t>(id)] == 0) return {made.data(), made.size()};
  return found[static_cast<std::size_t>(plan.graph().at(id).first)];
}

// The symmetric matrix of a function's second derivatives in `numbers` numbers, of which the curves have the lower
// half.
SEXP hessian_of(const StagedPlan& plan, const StagedValues& values, const std::vector<std::size_t>& firsts,
                std::size_t numbers) {
  const int side = static_cast<int>(numbers);
  const r::Keep matrix(new_result(REALSXP, side, side));
  double* const to = REAL(matrix);
  std::fill_n(to, numbers * numbers, 0.0);
  for (const StagedCurve& curve : plan.curves) {
    const std::vector<double>& made = values[static_cast<std::size_t>(curve.node)];
    double* const column = to + curve.column * numbers;
    for (std::size_t i = firsts[curve.slope], j = 0; i < firsts[curve.slope + 1]; ++i, ++j)
      column[i] = made[j % made.size()];
  }
  for (std::size_t j = 0; j < numbers; ++j)
    for (std::size_t i = 0; i < j; ++i) to[j * numbers + i] = to[i * numbers + j];
  return matrix;
}

bool is_diagonal(const StagedCurve& curve) { return curve.diagonal; }

// Inside r::enter(). A number has a name, or is a matrix of one row and column, where that is so for the plan's inputs.
void shape_number(const StagedPlan& plan, SEXP value) {
  static SEXP const name_symbol = Rf_install("name"), dim_symbol = Rf_install("dim");
  SEXP const name = Rf_findVarInFrame(plan.labels, name_symbol), dim = Rf_findVarInFrame(plan.labels, dim_symbol);
  if (TYPEOF(name) == STRSXP) Rf_setAttrib(value, R_NamesSymbol, name);
  if (TYPEOF(dim) == INTSXP) Rf_setAttrib(value, R_DimSymbol, dim);
}

// Inside r::enter(). Some of the names, as a vector of them.
SEXP chosen_names(SEXP names, const std::vector<std::size_t>& which) {
  SEXP const made = PROTECT(Rf_allocVector(STRSXP, static_cast<R_xlen_t>(which.size())));
  for (std::size_t k = 0; k < which.size(); ++k)
    SET_STRING_ELT(made, static_cast<R_xlen_t>(k), STRING_ELT(names, static_cast<R_xlen_t>(which[k])));
  UNPROTECT(1);
  return made;
}

// Inside r::enter().
void name_sides(SEXP matrix, SEXP rows, SEXP columns) {
  SEXP const sides = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(sides, 0, rows);
  SET_VECTOR_ELT(sides, 1, columns);
  Rf_setAttrib(matrix, R_DimNamesSymbol, sides);
  UNPROTECT(1);
}

// The same where effects of levels are on the diagonal, as new_arrowhead() in R has it: list(dense, border, diagonal,
// where, labels).
SEXP arrowhead_of(const StagedPlan& plan, SEXP inputs, const StagedValues& values,
                  const std::vector<std::size_t>& firsts, std::size_t numbers) {
  std::vector<char> on_diagonal(plan.slopes.size(), 0);
  for (const StagedCurve& curve : plan.curves)
    if (curve.diagonal) on_diagonal[curve.slope] = 1;
  std::vector<std::size_t> where, rest, at(numbers);  // of each number, which it is of its kind
  for (std::size_t k = 0; k < plan.slopes.size(); ++k)
    for (std::size_t i = firsts[k]; i < firsts[k + 1]; ++i) {
      std::vector<std::size_t>& kind = on_diagonal[k] != 0 ? where : rest;
      at[i] = kind.size();
      kind.push_back(i);
    }
  const int levels = static_cast<int>(where.size()), side = static_cast<int>(rest.size());
  const r::Keep dense(new_result(REALSXP, side, side)), border(new_result(REALSXP, levels, side)),
      diagonal(new_result(REALSXP, static_cast<R_xlen_t>(levels))),
      places(new_result(INTSXP, static_cast<R_xlen_t>(levels)));
  std::fill_n(REAL(dense), rest.size() * rest.size(), 0.0);
  std::fill_n(REAL(border), where.size() * rest.size(), 0.0);
  std::fill_n(REAL(diagonal), where.size(), 0.0);
  for (std::size_t k = 0; k < where.size(); ++k) INTEGER(places)[k] = static_cast<int>(where[k]) + 1;
  for (const StagedCurve& curve : plan.curves) {
    const std::vector<double>& made = values[static_cast<std::size_t>(curve.node)];
    double* const to = curve.diagonal                  ? REAL(diagonal)
                       : on_diagonal[curve.slope] != 0 ? REAL(border) + curve.column * where.size()
                                                       : REAL(dense) + curve.column * rest.size();
    for (std::size_t i = firsts[curve.slope], j = 0; i < firsts[curve.slope + 1]; ++i, ++j)
      to[at[i]] = made[j % made.size()];
  }
  for (std::size_t j = 0; j < rest.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) REAL(dense)[j * rest.size() + i] = REAL(dense)[i * rest.size() + j];
  return r::enter([&] {
    static const char* const kParts[] = {"dense", "border", "diagonal", "where", "labels", ""};
    SEXP const made = PROTECT(Rf_mkNamed(VECSXP, const_cast<const char**>(kParts)));
    SEXP const names = PROTECT(names_of(plan, inputs, static_cast<R_xlen_t>(numbers)));
    SEXP const of_rest = PROTECT(chosen_names(names, rest));
    SEXP const of_levels = PROTECT(chosen_names(names, where));
    name_sides(dense, of_rest, of_rest);
    name_sides(border, of_levels, of_rest);
    SEXP const parts[] = {dense, border, diagonal, places, names};
    for (int k = 0; k < 5; ++k) SET_VECTOR_ELT(made, k, parts[k]);
    SEXP const name = PROTECT(Rf_mkString("arrowhead"));
    Rf_setAttrib(made, R_ClassSymbol, name);
    UNPROTECT(5);
    return made;
  });
}

}  // namespace

SEXP series_value(const StagedPlan& plan, const StagedValues& values, const std::vector<StagedNumbers>& found) {
  const std::size_t count = plan.series, slopes = plan.slopes.size();
  const r::Keep value(new_result(REALSXP, static_cast<R_xlen_t>(count)));
  const r::Keep matrix(slopes == 0 ? R_NilValue
                                   : new_result(REALSXP, static_cast<R_xlen_t>(count), static_cast<R_xlen_t>(slopes)));
  const auto fill = [&](int id, double* to) {
    const StagedNumbers from = numbers_of(plan, id, values, found);
    for (std::size_t j = 0; j < count; ++j) to[j] = from.data[j % from.count];
  };
  fill(plan.root, REAL(value));
  for (std::size_t k = 0; k < slopes; ++k) fill(plan.slopes[k], REAL(matrix) + k * count);
  return r::enter([&] {
    SEXP const list = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(list, 0, value);
    SET_VECTOR_ELT(list, 1, matrix);
    UNPROTECT(1);
    return list;
  });
}

SEXP staged_value(const StagedPlan& plan, SEXP inputs, const StagedValues& values,
                  const std::vector<StagedNumbers>& found) {
  const auto size_of = [&](std::size_t k) {
    return static_cast<std::size_t>(plan.measures[static_cast<std::size_t>(plan.slope_inputs[k]) - 1]);
  };
  std::size_t numbers = 0;
  for (std::size_t k = 0; k < plan.slopes.size(); ++k) numbers += size_of(k);
  const r::Keep gradient(plan.slopes.empty() ? R_NilValue : new_result(REALSXP, static_cast<R_xlen_t>(numbers)));
  double* to = plan.slopes.empty() ? nullptr : REAL(gradient);
  for (std::size_t k = 0; k < plan.slopes.size(); to += size_of(k), ++k) {
    const StagedNumbers slope = numbers_of(plan, plan.slopes[k], values, found);
    if (slope.count == size_of(k))
      std::copy(slope.data, slope.data + slope.count, to);
    else
      for (std::size_t j = 0; j < size_of(k); ++j) to[j] = slope.data[j % slope.count];
  }
  std::vector<std::size_t> firsts(1, 0);
  for (std::size_t k = 0; k < plan.slopes.size(); ++k) firsts.push_back(firsts.back() + size_of(k));
  const bool arrowhead = std::any_of(plan.curves.begin(), plan.curves.end(), is_diagonal);
  const r::Keep hessian(plan.curves.empty() ? R_NilValue
                        : arrowhead         ? arrowhead_of(plan, inputs, values, firsts, numbers)
                                            : hessian_of(plan, values, firsts, numbers));
  return r::enter([&] {
    SEXP const value = PROTECT(Rf_ScalarReal(values[static_cast<std::size_t>(plan.root)][0]));
    shape_number(plan, value);
    if (gradient != R_NilValue) {
      SEXP const names = PROTECT(names_of(plan, inputs, static_cast<R_xlen_t>(numbers)));
      Rf_setAttrib(gradient, R_NamesSymbol, names);
      Rf_setAttrib(value, Rf_install("gradient"), gradient);
      if (hessian != R_NilValue) {
        if (!arrowhead) name_sides(hessian, names, names);
        Rf_setAttrib(value, Rf_install("hessian"), hessian);
      }
      UNPROTECT(1);
    }
    UNPROTECT(1);
    return value;
  });
}
