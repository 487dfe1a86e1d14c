// staged_plan -- where everything of a plan goes, and which calls it is for.
#include "staged_plan.h"

#include <cstdint>

#include "device/device.h"
#include "expression_key.h"
#include "fused_call.h"
#include "r_boundary.h"
#include "resident_object.h"

using openclPort::FusedSpec;

namespace compiler = openclPort::expression;
using compiler::Node;
using compiler::Op;

namespace {

// How many numbers each output of a launch has.
void size_outputs(StagedStep& step) {
  if (step.loop != nullptr) return;
  const FusedSpec& spec = fused_kernel_of(step.handle).spec();
  openclPort::FusedCall call;
  call.scalars.assign(step.scalars.size(), 0.0);
  call.scalars.insert(call.scalars.end(), step.lengths.begin(), step.lengths.end());
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    step.outputs[j].type = spec.outputs[j];
    step.outputs[j].numbers = spec.is_each(j)   ? static_cast<std::size_t>(step.n)
                              : step.groups > 0 ? step.groups
                                                : openclPort::fused_width(spec, call, j);
  }
}

}  // namespace

void find_slopes(StagedPlan& plan) {
  std::vector<char> used(static_cast<std::size_t>(plan.graph().size()) + 1, 0);
  used[static_cast<std::size_t>(plan.root)] = 1;
  for (const int node : plan.nodes)
    if (plan.graph().at(node).op != Op::count)
      for (const int id : plan.graph().at(node).args) used[static_cast<std::size_t>(id)] = 1;
  for (const StagedStep& step : plan.steps)
    for (const int id : step.nodes)
      if (plan.result != nullptr || &step != &plan.steps.back()) used[static_cast<std::size_t>(id)] = 1;
  for (const StagedCurve& curve : plan.curves) used[static_cast<std::size_t>(curve.node)] = 1;
  plan.is_slope.assign(used.size(), 0);
  for (const int id : plan.slopes) {
    const Node& node = plan.graph().at(id);
    plan.is_slope[static_cast<std::size_t>(id)] =
        node.op == Op::input && node.first > plan.n_given && used[static_cast<std::size_t>(id)] == 0;
  }
}

static std::size_t placed(std::size_t& bytes, std::size_t more) {
  constexpr std::size_t unit = openclPort::Device::kPartBytes;
  const std::size_t first = bytes;
  bytes += (more + unit - 1) / unit * unit;
  return first;
}

bool place_staged(StagedPlan& plan) {
  const std::size_t inputs = plan.graph().inputs.size();
  std::vector<char> read(inputs + 1, 0), computed(inputs + 1, 1), column(inputs + 1, 0);
  for (const int id : plan.nodes)
    if (plan.graph().at(id).op == Op::input) read.at(static_cast<std::size_t>(plan.graph().at(id).first)) = 1;
  for (const StagedStep& step : plan.steps) {
    for (const int input : step.scalars) read.at(static_cast<std::size_t>(input)) = 1;
    for (const int input : step.columns) column.at(static_cast<std::size_t>(input)) = 1;
    for (const int input : step.series) column.at(static_cast<std::size_t>(input)) = 1;
    for (const StagedOutput& output : step.outputs) computed.at(static_cast<std::size_t>(output.input)) = 2;
  }
  if (plan.result != nullptr)
    for (const std::vector<int>& inputs_of : {plan.result->scalars, plan.result->columns})
      for (const int input : inputs_of) read.at(static_cast<std::size_t>(input)) = 1;
  for (StagedStep& step : plan.steps)
    if (step.handle != nullptr)
      step.flags = placed(plan.back_bytes, fused_kernel_of(step.handle).spec().flags * sizeof(int));
  for (StagedStep& step : plan.steps) {
    if (!step.launches()) continue;
    size_outputs(step);
    bool part = step.loop != nullptr;  // of a loop, or of a reduction, whose first output comes back
    for (StagedOutput& output : step.outputs) {
      const bool is_column = output.input != 0 && column.at(static_cast<std::size_t>(output.input)) != 0;
      if (is_column && (output.divisor != 1.0 || !output.joined.op.empty())) return false;
      output.comes_back = part || read.at(static_cast<std::size_t>(output.input)) != 0;
      part = output.comes_back && output.joined.pair;
      if (output.input != 0 && (!output.comes_back || column.at(static_cast<std::size_t>(output.input)) != 0))
        step.sources.clear();  // a launch takes it from the device
      if (output.comes_back) output.first = placed(plan.back_bytes, output.numbers * sizeof(double));
    }
  }
  plan.travels.assign(inputs + 1, SIZE_MAX);
  for (std::size_t k = 1; k <= inputs; ++k)
    if (column[k] != 0 && computed[k] == 1 && plan.sizes[k] > 0)
      plan.travels[k] = placed(plan.there_bytes, plan.sizes[k] * (plan.whole[k] != 0 ? sizeof(int) : sizeof(double)));
  return true;
}

// Whether there are attributes besides names and dimensions.
static bool has_others(SEXP x) {
  for (SEXP one = ATTRIB(x); one != R_NilValue; one = CDR(one))
    if (TAG(one) != R_NamesSymbol && TAG(one) != R_DimSymbol && TAG(one) != R_DimNamesSymbol) return true;
  return false;
}

int attributes_of_input(SEXP input) {
  const bool stays = resident_object::is(input);
  const auto has = [&](resident_object::Field field, SEXP symbol) {
    return (stays ? resident_object::field(input, field) : Rf_getAttrib(input, symbol)) != R_NilValue;
  };
  int sides = 0;  // which have names: what has one element has that of one side alone
  SEXP const dimnames =
      stays ? resident_object::field(input, resident_object::dimnames) : Rf_getAttrib(input, R_DimNamesSymbol);
  for (R_xlen_t k = 0; dimnames != R_NilValue && k < 2 && k < Rf_xlength(dimnames); ++k)
    if (VECTOR_ELT(dimnames, k) != R_NilValue) sides += k == 0 ? 32 : 64;
  return has(resident_object::names, R_NamesSymbol) + 2 * has(resident_object::dim, R_DimSymbol) +
         4 * (dimnames != R_NilValue) + 8 * stays + 16 * (stays && resident_object::origin_has_shape(input)) + sides +
         128 * (!stays && has_others(input));
}

// Whether elements get no attributes of an input: it has dimensions at most.
static bool has_sides_alone(SEXP x) {
  if (resident_object::is(x))
    return resident_object::field(x, resident_object::names) == R_NilValue &&
           resident_object::field(x, resident_object::dimnames) == R_NilValue && !resident_object::origin_has_shape(x);
  for (SEXP one = ATTRIB(x); one != R_NilValue; one = CDR(one))
    if (TAG(one) != R_DimSymbol) return false;
  return true;
}

// Where the value has a name: whether the inputs have the names of which that is one. Calls no function of R.
static bool has_same_names(const StagedPlan& plan, SEXP inputs) {
  static SEXP const symbol = Rf_install("names");
  SEXP const known = Rf_findVarInFrame(plan.labels, symbol);
  if (TYPEOF(known) != VECSXP) return true;
  constexpr int as_identical = 16;
  for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k) {
    SEXP const x = VECTOR_ELT(inputs, k);
    SEXP const names =
        resident_object::is(x) ? resident_object::field(x, resident_object::names) : Rf_getAttrib(x, R_NamesSymbol);
    if (names != VECTOR_ELT(known, k) && !R_compute_identical(names, VECTOR_ELT(known, k), as_identical)) return false;
  }
  return true;
}

// The names of an input's elements, or of its columns.
static SEXP names_of_input(SEXP x, bool columns) {
  const bool stays = resident_object::is(x);
  if (!columns) return stays ? resident_object::field(x, resident_object::names) : Rf_getAttrib(x, R_NamesSymbol);
  SEXP const both = stays ? resident_object::field(x, resident_object::dimnames) : Rf_getAttrib(x, R_DimNamesSymbol);
  return Rf_xlength(both) < 2 ? R_NilValue : VECTOR_ELT(both, 1);
}

bool fits_staged(const StagedPlan& plan, SEXP inputs) {
  if (Rf_xlength(inputs) != plan.n_given) return false;
  for (std::size_t k = 0; k < plan.measures.size(); ++k) {
    if (expression_measure(inputs, static_cast<int>(k) + 1) != plan.measures[k]) return false;
  }
  for (R_xlen_t k = 0; k < plan.n_given; ++k)
    if (attributes_of_input(VECTOR_ELT(inputs, k)) != plan.attributes[static_cast<std::size_t>(k)] ||
        (plan.result != nullptr && !has_sides_alone(VECTOR_ELT(inputs, k))))
      return false;
  for (std::size_t k = 0; k < plan.named.size(); ++k) {
    SEXP const names = names_of_input(VECTOR_ELT(inputs, plan.named_inputs[k] - 1), plan.named_columns[k] != 0);
    if (TYPEOF(names) != STRSXP || Rf_xlength(names) < plan.named_places[k]) return false;
    for (int i = 0; i < plan.named_places[k]; ++i)  // the first of that name
      if ((plan.named[k] == CHAR(STRING_ELT(names, i))) != (i + 1 == plan.named_places[k])) return false;
  }
  return has_same_names(plan, inputs);
}

// What of each input a plan depends on besides its lengths.
// [[Rcpp::export(rng = false)]]
SEXP staged_attributes_cpp(SEXP inputs) {
  return guard_core([&]() -> SEXP {
    return r::enter([&] {
      SEXP const attributes = PROTECT(Rf_allocVector(INTSXP, Rf_xlength(inputs)));
      for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k)
        INTEGER(attributes)[k] = attributes_of_input(VECTOR_ELT(inputs, k));
      UNPROTECT(1);
      return attributes;
    });
  });
}
