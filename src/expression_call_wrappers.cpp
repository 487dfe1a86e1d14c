// expression_call_wrappers -- a call of an opencl_function() whose program is known, and that needs nothing more of R.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>

#include "base/total.h"
#include "by_groups.h"
#include "expression_key.h"
#include "fused_call.h"
#include "known_call.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "result_memory.h"
#include "staged_plan.h"

using openclPort::RunReport;
using openclPort::Total;

namespace {

// What R has noted of a program, see expression_plan() in R/expression_variants.R.
struct Plan {
  enum Finish { values = 0, sum = 1, mean = 2 };
  SEXP handle, slopes;           // slopes: names of the gradient's inputs
  SEXP memory;                   // an environment, which keeps the names of the gradient's numbers
  const int *columns, *scalars;  // the inputs that each of them is, from 1
  const int* coefficients;       // of each slope, the input whose numbers it is the gradient in; 0: it is one number
  const int* lengths;            // measures of the inputs, which follow the scalars
  R_xlen_t n_columns, n_scalars, n_slopes, n_lengths;
  int n_measure;  // the measure of the inputs that says how many elements are computed; 0: `n` says
  double n;
  Finish finish;
};

Plan read_plan(SEXP list) {
  Plan plan;
  plan.handle = VECTOR_ELT(list, 0);
  plan.columns = INTEGER(VECTOR_ELT(list, 1));
  plan.n_columns = Rf_xlength(VECTOR_ELT(list, 1));
  plan.scalars = INTEGER(VECTOR_ELT(list, 2));
  plan.n_scalars = Rf_xlength(VECTOR_ELT(list, 2));
  plan.n_measure = INTEGER(VECTOR_ELT(list, 3))[0];
  plan.n = REAL(VECTOR_ELT(list, 4))[0];
  plan.finish = static_cast<Plan::Finish>(INTEGER(VECTOR_ELT(list, 5))[0]);
  plan.slopes = VECTOR_ELT(list, 6);
  plan.n_slopes = Rf_xlength(plan.slopes);
  plan.coefficients = INTEGER(VECTOR_ELT(list, 7));
  plan.memory = VECTOR_ELT(list, 8);
  plan.lengths = INTEGER(VECTOR_ELT(list, 9));
  plan.n_lengths = Rf_xlength(VECTOR_ELT(list, 9));
  return plan;
}

SEXP find_plan(SEXP plans, const char* key) {
  SEXP const names = Rf_getAttrib(plans, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(plans); ++i)
    if (std::strcmp(CHAR(STRING_ELT(names, i)), key) == 0) return VECTOR_ELT(plans, i);
  return R_NilValue;
}

bool stays(SEXP x) { return resident_object::is(x); }
double length_of(SEXP x) { return stays(x) ? resident_object::length_of(x) : static_cast<double>(Rf_xlength(x)); }

bool has_shape(SEXP x) {
  if (!stays(x)) return false;  // R has looked
  for (const auto field : {resident_object::names, resident_object::dim, resident_object::dimnames})
    if (resident_object::field(x, field) != R_NilValue) return true;
  return resident_object::origin_has_shape(x);
}

bool has_names(SEXP x) { return (stays(x) ? VECTOR_ELT(x, 3) : Rf_getAttrib(x, R_NamesSymbol)) != R_NilValue; }

double number_of(SEXP x) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[0];
  const int value = TYPEOF(x) == INTSXP ? INTEGER(x)[0] : LOGICAL(x)[0];
  return value == NA_INTEGER ? NA_REAL : value;
}

// A kernel's results as R has them.
SEXP vectors_of(const std::vector<std::vector<double>>& values) {
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(values.size())));
  for (std::size_t j = 0; j < values.size(); ++j) SET_VECTOR_ELT(list, static_cast<R_xlen_t>(j), r::value(values[j]));
  UNPROTECT(1);
  return list;
}

// Numbers of the gradient that a slope is.
R_xlen_t size_of_slope(const Plan& plan, SEXP inputs, R_xlen_t k) {
  return plan.coefficients[k] == 0 ? 1 : static_cast<R_xlen_t>(length_of(VECTOR_ELT(inputs, plan.coefficients[k] - 1)));
}

// Inside r::enter(). Names of the gradient's numbers: "a", "b1", "b2", ...; kept for calls with as many.
SEXP names_of_gradient(const Plan& plan, SEXP inputs, R_xlen_t numbers) {
  static SEXP const symbol = Rf_install("names");
  SEXP const known = Rf_findVarInFrame(plan.memory, symbol);
  if (TYPEOF(known) == STRSXP && Rf_xlength(known) == numbers) return known;
  SEXP const names = PROTECT(Rf_allocVector(STRSXP, numbers));
  R_xlen_t at = 0;
  for (R_xlen_t k = 0; k < plan.n_slopes; ++k) {
    const std::string name = CHAR(STRING_ELT(plan.slopes, k));
    const R_xlen_t size = size_of_slope(plan, inputs, k);
    for (R_xlen_t j = 0; j < size; ++j, ++at)
      SET_STRING_ELT(names, at,
                     plan.coefficients[k] == 0 ? STRING_ELT(plan.slopes, k)
                                               : Rf_mkCharCE((name + std::to_string(j + 1)).c_str(),
                                                             Rf_getCharCE(STRING_ELT(plan.slopes, k))));
  }
  Rf_defineVar(symbol, names, plan.memory);
  UNPROTECT(1);
  return names;
}

// The sum of what the blocks gave, numbers `first`, `first` + `width`, ... of `parts`, or one for each group: NA where
// it has no elements. Of means divided by how many there are.
void write_totals(const Plan& plan, const std::vector<double>& parts, std::size_t first, std::size_t width, double n,
                  const openclPort::Grouping* groups, double* to) {
  const bool mean = plan.finish == Plan::mean;
  if (groups == nullptr) {
    Total total;
    for (std::size_t at = first; at < parts.size(); at += width) total.add(parts[at]);
    *to = mean ? total.value() / n : total.value();
    return;
  }
  std::vector<Total> totals(groups->groups());
  for (std::size_t b = 0; b < groups->blocks(); ++b)
    totals[static_cast<std::size_t>(groups->group()[b]) - 1].add(parts[b * width + first]);
  for (std::size_t g = 0; g < totals.size(); ++g) {
    const double count = groups->counts()[g];
    to[g] = count == 0 ? NA_REAL : mean ? totals[g].value() / count : totals[g].value();
  }
}

// Inside r::enter(). Names the value and its gradient, a vector, or a matrix with a row for each group.
void name_reduced(const Plan& plan, SEXP inputs, SEXP value, SEXP gradient, R_xlen_t numbers, const ByGroups* by) {
  if (by != nullptr) Rf_setAttrib(value, R_NamesSymbol, by->names());
  if (gradient == R_NilValue) return;
  SEXP const labels = PROTECT(names_of_gradient(plan, inputs, numbers));
  if (by == nullptr) {
    Rf_setAttrib(gradient, R_NamesSymbol, labels);
  } else {
    SEXP const sides = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(sides, 0, by->names());
    SET_VECTOR_ELT(sides, 1, labels);
    Rf_setAttrib(gradient, R_DimNamesSymbol, sides);
    UNPROTECT(1);
  }
  Rf_setAttrib(value, Rf_install("gradient"), gradient);
  UNPROTECT(1);
}

// One number, or one for each group, with its gradient where there is one. Outside r::enter().
SEXP reduced(const Plan& plan, SEXP inputs, const std::vector<std::vector<double>>& values, double n,
             const ByGroups* by) {
  const openclPort::Grouping* const groups = by == nullptr ? nullptr : &by->grouping();
  const std::size_t rows = groups == nullptr ? 1 : groups->groups();
  R_xlen_t numbers = 0;
  std::size_t next_plain = 1, next_wide = 1;  // the kernel's values are in this order
  for (R_xlen_t k = 0; k < plan.n_slopes; ++k) {
    numbers += size_of_slope(plan, inputs, k);
    next_wide += plan.coefficients[k] == 0;
  }
  const r::Keep value(new_result(REALSXP, static_cast<R_xlen_t>(rows)));
  write_totals(plan, values[0], 0, 1, n, groups, REAL(value));
  const r::Keep gradient(plan.n_slopes == 0  ? R_NilValue
                         : groups == nullptr ? new_result(REALSXP, numbers)
                                             : new_result(REALSXP, static_cast<int>(rows), static_cast<int>(numbers)));
  double* to = plan.n_slopes == 0 ? nullptr : REAL(gradient);
  for (R_xlen_t k = 0; k < plan.n_slopes; ++k) {
    const bool wide = plan.coefficients[k] != 0;
    const std::size_t size = static_cast<std::size_t>(size_of_slope(plan, inputs, k)), width = wide ? 2 * size : 1;
    const std::vector<double>& parts = values[wide ? next_wide++ : next_plain++];
    for (std::size_t j = 0; j < size; ++j, to += rows) write_totals(plan, parts, j, width, n, groups, to);
  }
  return r::enter([&] {
    name_reduced(plan, inputs, value, gradient, numbers, by);
    return static_cast<SEXP>(value);
  });
}

// What the plan keeps of `by`, in its memory.
ByGroups& groups_of_plan(const Plan& plan) {
  static SEXP const symbol = Rf_install("by");
  SEXP const known = Rf_findVarInFrame(plan.memory, symbol);
  if (handles::is<ByGroups>(known) && R_ExternalPtrAddr(known) != nullptr) return handles::object_of<ByGroups>(known);
  const r::Keep made(handles::make(std::make_unique<ByGroups>(), R_NilValue));
  r::enter([&] {
    Rf_defineVar(symbol, made, plan.memory);
    return R_NilValue;
  });
  return handles::object_of<ByGroups>(made);
}

// NULL where the plan does not fit the inputs, or its kernel not so short a call: run_prepared(). `reported`: flags
// that were raised are for R; else what raised some is left to R, too.
SEXP run_plan(const Plan& plan, const KnownCall& call, bool reported, RunReport& report) {
  SEXP const inputs = call.inputs;
  if (R_ExternalPtrAddr(plan.handle) == nullptr) return R_NilValue;  // of another session
  const R_xlen_t n_inputs = Rf_xlength(inputs);
  bool resident = false;
  for (R_xlen_t k = 0; k < n_inputs; ++k) {
    SEXP const x = VECTOR_ELT(inputs, k);
    if (stays(x) && length_of(x) == 1) return R_NilValue;
    if (plan.finish == Plan::values && has_shape(x)) return R_NilValue;
    resident = resident || (stays(x) && resident_object::field(x, resident_object::origin) == R_NilValue);
  }
  for (R_xlen_t k = 0; k < plan.n_slopes; ++k)
    if (plan.coefficients[k] > 0 && has_names(VECTOR_ELT(inputs, plan.coefficients[k] - 1))) return R_NilValue;
  const double n = plan.n_measure > 0 ? expression_measure(inputs, plan.n_measure) : plan.n;
  std::vector<double> scalars(static_cast<std::size_t>(plan.n_scalars));
  for (R_xlen_t k = 0; k < plan.n_scalars; ++k)
    scalars[static_cast<std::size_t>(k)] = number_of(VECTOR_ELT(inputs, plan.scalars[k] - 1));
  for (R_xlen_t k = 0; k < plan.n_lengths; ++k) scalars.push_back(expression_measure(inputs, plan.lengths[k]));
  const r::Keep columns(r::enter([&] { return Rf_allocVector(VECSXP, plan.n_columns); }));
  for (R_xlen_t k = 0; k < plan.n_columns; ++k) {
    SEXP const x = VECTOR_ELT(inputs, plan.columns[k] - 1);
    SET_VECTOR_ELT(columns, k, stays(x) ? resident_object::field(x, resident_object::handle) : x);
  }
  const bool kept = (call.keep || resident) && plan.finish == Plan::values;
  std::vector<std::vector<double>> numbers;
  const openclPort::FusedSpec& spec = fused_kernel_of(plan.handle).spec();
  ByGroups* const by = call.by == R_NilValue ? nullptr : &groups_of_plan(plan);
  if (by != nullptr) {
    const std::size_t elements = static_cast<std::size_t>(n);
    apply_thread_option();
    if (plan.finish == Plan::values || !by->find(call.by, elements, openclPort::reduction_block(elements, spec.cost)))
      return R_NilValue;
  }
  const FusedRequest request = {
      plan.handle, columns, scalars,       n,    by == nullptr ? nullptr : &by->grouping(),
      call.device, 0,       call.progress, kept, plan.finish != Plan::values ? &numbers : nullptr};
  return run_prepared(request, [&](SEXP values, const std::vector<int>& flags, const RunReport& done) -> SEXP {
    if (spec.tells(flags.data())) {
      if (!reported) return R_NilValue;
      const r::Keep list(request.numbers == nullptr ? values : r::enter([&] { return vectors_of(numbers); }));
      return fused_values(list, flags, done);
    }
    report = done;
    if (request.numbers != nullptr) return reduced(plan, inputs, numbers, n, by);
    SEXP const value = VECTOR_ELT(values, 0);
    if (!kept) return value;
    return r::enter([&] { return resident_object::of_doubles(value, static_cast<double>(done.elements)); });
  });
}

// Plans of functions in stages: the first one that is for such a call, and whose kernels raise no flags.
// `tried`: whether a plan has run, and left the call to R, as where kernels found a reason for a warning.
SEXP run_staged_plans(SEXP plans, const KnownCall& call, RunReport& report, bool& tried) {
  for (R_xlen_t k = 0; k < Rf_xlength(plans); ++k) {
    if (R_ExternalPtrAddr(VECTOR_ELT(plans, k)) == nullptr) continue;  // of another session
    StagedPlan& plan = handles::object_of<StagedPlan>(VECTOR_ELT(plans, k));
    if (!fits_staged(plan, call.inputs)) continue;
    SEXP const ran = run_staged(plan, call.inputs, call.device, call.progress, call.keep, report);
    if (ran != R_NilValue) return ran;
    tried = true;
  }
  return R_NilValue;
}

bool has_resident(SEXP inputs) {
  for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k)
    if (stays(VECTOR_ELT(inputs, k))) return true;
  return false;
}

SEXP run_known_call(const KnownCall& call, RunReport& report, bool& tried) {
  const ExpressionKey key = read_expression_key(call.inputs);
  if (!key.plain) return R_NilValue;
  std::string layout = key.text;
  SEXP known = R_NilValue;
  if (call.by !=
      R_NilValue) {  // on a device elements come in the order of their groups, and where a kernel asks for it
    layout = key.text + " by";
    if (!has_resident(call.inputs)) known = find_plan(call.plans, layout.c_str());
    if (known == R_NilValue) layout += " order";
  }
  if (known == R_NilValue) known = find_plan(call.plans, layout.c_str());
  if (known == R_NilValue) return R_NilValue;
  if (handles::is<StagedPlan>(VECTOR_ELT(known, 0))) return run_staged_plans(known, call, report, tried);
  SEXP const ran = run_plan(read_plan(known), call, true, report);
  if (ran != R_NilValue) return ran;
  SEXP const usual = find_plan(call.plans, (layout + " general").c_str());  // too short for constant-parameter kernels
  return usual == R_NilValue ? R_NilValue : run_plan(read_plan(usual), call, false, report);
}

// Whether its programs are those of with_infinite_data() in R/expression_call.R.
bool knows_infinite_data(SEXP expression) {
  static SEXP const symbol = Rf_install("infinite");
  SEXP const known = Rf_findVarInFrame(expression, symbol);
  return TYPEOF(known) == LGLSXP && Rf_xlength(known) == 1 && LOGICAL(known)[0] == TRUE;
}

// Whether a slope of a number is NaN or NA, where the number is none. Those of many are looked at where R makes them.
bool has_lost_slopes(SEXP value) {
  static SEXP const symbol = Rf_install("gradient");
  constexpr R_xlen_t most = 4096;
  if (TYPEOF(value) != REALSXP || Rf_xlength(value) != 1 || !std::isfinite(REAL(value)[0])) return false;
  SEXP const slopes = Rf_getAttrib(value, symbol);
  if (TYPEOF(slopes) != REALSXP || Rf_xlength(slopes) > most) return false;
  return std::any_of(REAL(slopes), REAL(slopes) + Rf_xlength(slopes), [](double x) { return std::isnan(x); });
}

}  // namespace

// Fast path: runs a call whose argument layout was seen before, and returns its value. Otherwise returns, for
// run_expression(), the result of fused_run_cpp() where the kernel has raised flags, list(error), FALSE where a plan
// has run and left the call to R, or NULL where nothing has run.
// [[Rcpp::export(rng = false)]]
SEXP expression_known_cpp(SEXP expression, SEXP values, SEXP by, SEXP device, SEXP fallback, SEXP verbose, SEXP keep,
                          SEXP frame) {
  return guard_core([&]() -> SEXP {
    const GivenCall given = {expression, values, by, device, fallback, verbose, keep, frame, false};
    KnownCall call;
    bool known = false;
    const r::Keep inputs(r::enter([&] {
      SEXP const made = PROTECT(Rf_allocVector(VECSXP, Rf_xlength(values) + Rf_xlength(outer_of(expression))));
      known = read_known_call(given, made, call);
      UNPROTECT(1);
      return made;
    }));
    if (!known || call.plans == R_NilValue) return R_NilValue;
    RunReport report;
    bool tried = false;
    const r::Keep value(run_known_call(call, report, tried));
    if (value == R_NilValue && tried) return r::enter([] { return Rf_ScalarLogical(0); });
    if (value != R_NilValue && has_lost_slopes(value) && !knows_infinite_data(expression)) return R_NilValue;
    if (value != R_NilValue && TYPEOF(value) != VECSXP) note_known_call(expression, report);
    return value;
  });
}

// A function in stages by a plan of a call before: its value, of series list(value, slopes), or NULL where no plan is
// for these inputs. `frame`: of the call that shows progress.
// [[Rcpp::export(rng = false)]]
SEXP staged_again_cpp(SEXP expression, SEXP plans, SEXP inputs, const std::vector<std::string>& device, SEXP frame) {
  return guard_core([&]() -> SEXP {
    if (Rf_xlength(plans) == 0 || !handles::is<StagedPlan>(VECTOR_ELT(plans, 0))) return R_NilValue;
    KnownCall call;
    call.inputs = inputs;
    call.by = R_NilValue;
    call.device = device;
    r::enter([&] {
      call.progress = progress_of(frame);
      return R_NilValue;
    });
    RunReport report;
    bool tried = false;
    const r::Keep value(run_staged_plans(plans, call, report, tried));
    if (value != R_NilValue) note_known_call(expression, report);
    return value;
  });
}

// Sums of what the blocks gave, one for each of `groups` groups: `group` says whose each is, from 1. NA where a group
// has none.
// [[Rcpp::export(rng = false)]]
SEXP group_sums_cpp(SEXP parts, SEXP group, int groups) {
  return guard_core([&]() -> SEXP {
    std::vector<Total> totals(static_cast<std::size_t>(groups));
    std::vector<bool> found(totals.size());
    for (R_xlen_t b = 0; b < Rf_xlength(parts); ++b) {
      const std::size_t g = static_cast<std::size_t>(INTEGER(group)[b]) - 1;
      totals[g].add(REAL(parts)[b]);
      found[g] = true;
    }
    std::vector<double> sums(totals.size());
    for (std::size_t g = 0; g < sums.size(); ++g) sums[g] = found[g] ? totals[g].value() : NA_REAL;
    return r::enter([&] { return r::value(sums); });
  });
}
