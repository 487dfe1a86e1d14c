// points_known -- a call at many points that is as one before it: what reading its arguments anew would find is known,
// and what it was found from is compared here. R/expression_points_plan.R notes what.
#include <cstring>

#include "expression_key.h"
#include "known_call.h"
#include "points_door.h"
#include "r_boundary.h"
#include "resident_object.h"

using openclPort::RunReport;

namespace {

constexpr int kAsIdentical = 16;  // of R_compute_identical()

SEXP part(SEXP list, const char* name) { return r::element_or_null(list, name); }

bool same(SEXP a, SEXP b) { return a == b || R_compute_identical(a, b, kAsIdentical) != FALSE; }

// ---- one argument's values at the points

struct Points {
  SEXP numbers = nullptr;  // doubles, those of a number, a vector or a matrix for each point; points are counted first
  R_xlen_t count = 0;
  SEXP dim = nullptr, names = R_NilValue, labels = R_NilValue;  // labels: of its other dimensions, NULL or a list
};

// Inside r::enter(). False of what is more than numbers with dimensions and names.
bool read_points(SEXP x, Points& points) {
  if (TYPEOF(x) != REALSXP || OBJECT(x)) return false;
  points.numbers = x;
  points.dim = Rf_getAttrib(x, R_DimSymbol);
  for (SEXP one = ATTRIB(x); one != R_NilValue; one = CDR(one))
    if (TAG(one) != R_DimSymbol && TAG(one) != R_DimNamesSymbol &&
        (TAG(one) != R_NamesSymbol || points.dim != R_NilValue))
      return false;
  if (points.dim == R_NilValue) {
    points.count = Rf_xlength(x);
    points.names = Rf_getAttrib(x, R_NamesSymbol);
    return true;
  }
  if (TYPEOF(points.dim) != INTSXP || Rf_xlength(points.dim) < 2 || Rf_xlength(points.dim) > 3) return false;
  points.count = INTEGER(points.dim)[0];
  SEXP const dimnames = Rf_getAttrib(x, R_DimNamesSymbol);
  if (dimnames == R_NilValue) return true;
  if (Rf_getAttrib(dimnames, R_NamesSymbol) != R_NilValue) return false;
  points.names = VECTOR_ELT(dimnames, 0);
  points.labels = dimnames;
  return true;
}

// Inside r::enter(). Whether the argument at a point is as long as it was, and named as it was. `noted`: list(sides,
// labels).
bool same_sides(const Points& points, SEXP noted) {
  SEXP const sides = part(noted, "sides"), labels = part(noted, "labels");
  const R_xlen_t n = points.dim == R_NilValue ? 0 : Rf_xlength(points.dim) - 1;
  if (Rf_xlength(sides) != n) return false;
  for (R_xlen_t i = 0; i < n; ++i)
    if (INTEGER(sides)[i] != INTEGER(points.dim)[i + 1] || INTEGER(sides)[i] < 1) return false;
  for (R_xlen_t i = 0; i < n; ++i) {
    SEXP const now = points.labels == R_NilValue ? R_NilValue : VECTOR_ELT(points.labels, i + 1);
    SEXP const before = labels == R_NilValue ? R_NilValue : VECTOR_ELT(labels, i);
    if (!same(now, before)) return false;
  }
  return true;
}

// Inside r::enter(). What the argument is at the first point, as part_at() in R/expression_points.R has it.
SEXP first_point(const Points& points) {
  const R_xlen_t size = Rf_xlength(points.numbers) / points.count;
  SEXP const value = PROTECT(Rf_allocVector(REALSXP, size));
  for (R_xlen_t j = 0; j < size; ++j) REAL(value)[j] = REAL(points.numbers)[j * points.count];
  const R_xlen_t sides = points.dim == R_NilValue ? 0 : Rf_xlength(points.dim) - 1;
  if (sides == 1 && points.labels != R_NilValue) Rf_setAttrib(value, R_NamesSymbol, VECTOR_ELT(points.labels, 1));
  if (sides == 2) {
    SEXP const dim = PROTECT(Rf_allocVector(INTSXP, 2));
    for (int i = 0; i < 2; ++i) INTEGER(dim)[i] = INTEGER(points.dim)[i + 1];
    Rf_setAttrib(value, R_DimSymbol, dim);
    UNPROTECT(1);
    if (points.labels != R_NilValue) {
      SEXP const dimnames = PROTECT(Rf_allocVector(VECSXP, 2));
      for (int i = 0; i < 2; ++i) SET_VECTOR_ELT(dimnames, i, VECTOR_ELT(points.labels, i + 1));
      Rf_setAttrib(value, R_DimNamesSymbol, dimnames);
      UNPROTECT(1);
    }
  }
  UNPROTECT(1);
  return value;
}

// ---- the call

struct PointsGiven {
  SEXP expression, frame, over, by, device, fallback, verbose, keep, own_frame;
};

// What is kept of a call while it is compared and run: by input, its value at the first point, and its points.
struct Kept {
  SEXP values, parts, placed;
};

// Inside r::enter(). The points of `over` by argument, in a list; NULL where it is none like the noted one.
SEXP points_by_argument(SEXP record, SEXP over) {
  SEXP const names = part(record, "names");
  if (part(record, "way") == R_NilValue || OBJECT(over)) return R_NilValue;
  const char* const way = CHAR(STRING_ELT(part(record, "way"), 0));
  if (std::strcmp(way, "list") == 0) {
    const bool like = TYPEOF(over) == VECSXP && Rf_getAttrib(over, R_DimSymbol) == R_NilValue &&
                      same(Rf_getAttrib(over, R_NamesSymbol), names);
    return like ? over : R_NilValue;
  }
  SEXP const dim = TYPEOF(over) == REALSXP ? Rf_getAttrib(over, R_DimSymbol) : R_NilValue;
  if (Rf_xlength(dim) != 2) return R_NilValue;
  if (std::strcmp(way, "matrix") == 0) {
    SEXP const list = PROTECT(Rf_allocVector(VECSXP, 1));
    SET_VECTOR_ELT(list, 0, over);
    UNPROTECT(1);
    return list;
  }
  Points all;  // its columns are numbers
  if (!read_points(over, all) || all.labels == R_NilValue || !same(VECTOR_ELT(all.labels, 1), names)) return R_NilValue;
  const R_xlen_t m = all.count;
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, Rf_xlength(names)));
  for (R_xlen_t j = 0; j < Rf_xlength(list); ++j) {
    SEXP const column = Rf_allocVector(REALSXP, m);
    SET_VECTOR_ELT(list, j, column);
    std::copy_n(REAL(over) + j * m, m, REAL(column));
    if (all.names != R_NilValue) Rf_setAttrib(column, R_NamesSymbol, all.names);
  }
  UNPROTECT(1);
  return list;
}

// Inside r::enter(). An argument or a variable of the call's, or NULL in C++ where R says what is wrong with it.
SEXP value_in(SEXP symbol, SEXP env) {
  SEXP value = Rf_findVar(symbol, env);
  if (value == R_UnboundValue || value == R_MissingArg) return nullptr;
  if (TYPEOF(value) == PROMSXP) value = Rf_eval(symbol, env);
  return value == R_MissingArg ? nullptr : value;
}

// Inside r::enter(). Fills in values and parts by input; false where the call is none like the noted one. `names` gets
// those of the points.
bool read_call(SEXP record, const PointsGiven& given, const Kept& kept, R_xlen_t& count, SEXP& names) {
  static SEXP const mark = Rf_install("value in data");
  SEXP const by_argument = PROTECT(points_by_argument(record, given.over));
  SEXP const noted = part(record, "parts"), at = part(record, "at"), sources = part(record, "sources");
  bool fits = by_argument != R_NilValue && Rf_xlength(by_argument) == Rf_xlength(noted);
  count = 0;
  names = R_NilValue;
  for (R_xlen_t k = 0; fits && k < Rf_xlength(noted); ++k) {
    Points points;
    fits = read_points(VECTOR_ELT(by_argument, k), points) && same_sides(points, VECTOR_ELT(noted, k)) &&
           points.count > 0 && (k == 0 || points.count == count);
    if (!fits) break;
    count = points.count;
    if (names == R_NilValue) names = points.names;
    const R_xlen_t input = INTEGER(at)[k] - 1;
    SET_VECTOR_ELT(kept.values, input, first_point(points));
    SET_VECTOR_ELT(kept.parts, input, points.numbers);
  }
  for (R_xlen_t k = 0; fits && k < Rf_xlength(sources); ++k) {
    SEXP const source = VECTOR_ELT(sources, k);
    if (source == R_NilValue) continue;  // of `over`
    SEXP value = mark;
    if (TYPEOF(source) == VECSXP)
      value = value_in(VECTOR_ELT(source, 0), VECTOR_ELT(source, 1));
    else if (source != mark)
      value = value_in(source, given.frame);
    fits = value != nullptr;
    if (fits) SET_VECTOR_ELT(kept.values, k, value);
  }
  UNPROTECT(1);
  return fits;
}

// Whether the inputs are of the types, and the matrices of the numbers of columns, that the kernel is for.
bool same_inputs(SEXP record, SEXP inputs) {
  const ExpressionKey key = read_expression_key(inputs);
  if (!key.plain || key.text != CHAR(STRING_ELT(part(record, "key"), 0))) return false;
  SEXP const widths = part(record, "widths");
  const R_xlen_t n = Rf_xlength(inputs);
  if (Rf_xlength(widths) != n) return false;
  for (R_xlen_t k = 0; k < n; ++k) {
    SEXP const x = VECTOR_ELT(inputs, k);
    if (resident_object::is(x) && resident_object::length_of(x) == 1) return false;
    const double width = expression_measure(inputs, static_cast<int>(2 * n + k) + 1), before = REAL(widths)[k];
    if (ISNAN(before) ? width >= 0 : width != before) return false;
  }
  return true;
}

// Outside r::enter(). The value with its gradient, named.
SEXP named_value(const PointsValues& found, SEXP names, SEXP labels) {
  SEXP const value = found.value, gradient = found.gradient, hessian = found.hessian;
  return r::enter([&] {
    if (names != R_NilValue) Rf_setAttrib(value, R_NamesSymbol, names);
    if (gradient != R_NilValue) {
      SEXP const sides = PROTECT(Rf_allocVector(VECSXP, 2));
      SET_VECTOR_ELT(sides, 0, names);
      SET_VECTOR_ELT(sides, 1, labels);
      Rf_setAttrib(gradient, R_DimNamesSymbol, sides);
      Rf_setAttrib(value, Rf_install("gradient"), gradient);
      UNPROTECT(1);
    }
    if (hessian != R_NilValue) {
      SEXP const sides = PROTECT(Rf_allocVector(VECSXP, 3));
      SET_VECTOR_ELT(sides, 0, names);
      SET_VECTOR_ELT(sides, 1, labels);
      SET_VECTOR_ELT(sides, 2, labels);
      Rf_setAttrib(hessian, R_DimNamesSymbol, sides);
      Rf_setAttrib(value, Rf_install("hessian"), hessian);
      UNPROTECT(1);
    }
    return value;
  });
}

// NULL where the call is none like the noted one, or nothing has run.
SEXP run_noted(SEXP record, const PointsGiven& given) {
  const R_xlen_t n = Rf_xlength(part(record, "sources"));
  const r::Keep values(r::enter([n] { return Rf_allocVector(VECSXP, n); }));
  const r::Keep parts(r::enter([n] { return Rf_allocVector(VECSXP, n); }));
  const r::Keep placed(r::enter([n] { return Rf_allocVector(VECSXP, n); }));
  R_xlen_t count = 0;
  SEXP names = R_NilValue;
  KnownCall call;
  bool known = false;
  r::enter([&] {
    known = read_call(record, given, {values, parts, placed}, count, names) &&
            read_known_call({given.expression, values, given.by, given.device, given.fallback, given.verbose,
                             given.keep, given.own_frame, true},
                            placed, call);
    return R_NilValue;
  });
  if (!known || call.keep || call.by != R_NilValue || !same_inputs(record, call.inputs)) return R_NilValue;
  const r::Keep kept_names(names);
  SEXP const labels = part(record, "labels");
  const PointsDone done = [&](const PointsValues& values, const std::vector<int>& flagged, const RunReport& report) {
    if (!flagged.empty()) {  // R has more to say of these
      const r::Keep list(points_for_r(values, flagged, report));
      return r::enter([&] { return r::List(2).add("ran", static_cast<SEXP>(list)).add("labels", labels).done(); });
    }
    note_known_call(given.expression, report);
    return named_value(values, names, labels);
  };
  const PointsCallOfR asked = {call.inputs, parts, static_cast<double>(count), R_NilValue, call.device, call.progress};
  const r::Keep found(run_points_plan(part(record, "plan"), asked, done));
  return TYPEOF(found) == LGLSXP ? R_NilValue : static_cast<SEXP>(found);
}

}  // namespace

// What a call at many points gives for which nothing has to be decided that one before it has not decided; else
// list(ran, labels) where some points are to be looked at, see points_run_cpp(), list(error), or NULL, and nothing
// has run.
// [[Rcpp::export(rng = false)]]
SEXP points_known_cpp(SEXP expression, SEXP frame, SEXP over, SEXP by, SEXP device, SEXP fallback, SEXP verbose,
                      SEXP keep, SEXP own_frame) {
  return guard_core([&]() -> SEXP {
    const PointsGiven given = {expression, frame, over, by, device, fallback, verbose, keep, own_frame};
    SEXP records = R_NilValue, missing = R_NilValue;
    r::enter([&] {
      static SEXP const noted = Rf_install("points_known"), asked = Rf_install("missing");
      records = Rf_findVarInFrame(expression, noted);
      if (TYPEOF(records) != VECSXP) return R_NilValue;
      SEXP const call = Rf_findVarInFrame(expression, asked);
      missing = TYPEOF(call) == LANGSXP ? Rf_eval(call, frame) : R_NilValue;
      return R_NilValue;
    });
    if (TYPEOF(records) != VECSXP) return R_NilValue;
    const r::Keep kept_records(records), kept_missing(missing);
    for (R_xlen_t k = 0; k < Rf_xlength(records); ++k) {
      SEXP const record = VECTOR_ELT(records, k);
      if (!same(part(record, "missing"), missing)) continue;
      const r::Keep found(run_noted(record, given));
      if (found != R_NilValue) return found;
    }
    return R_NilValue;
  });
}
