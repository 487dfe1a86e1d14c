// staged_plan -- reads what R has noted (staged_plan() in R/expression_staged_plan.R), and says where everything goes.
#include "staged_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "base/nmath_error.h"
#include "device/device.h"
#include "engine/elementwise.h"
#include "expression_key.h"
#include "fused_call.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"

using openclPort::FusedSpec;
using openclPort::NmathError;

namespace {

constexpr std::size_t kMostTravels = std::size_t{4} << 20;  // bytes of a call's own vectors: more go in pieces

SEXP noted_part(SEXP list, const char* name) {
  SEXP const found = r::element_or_null(list, name);
  if (found == R_NilValue) throw NmathError(std::string("the plan lacks '") + name + "'", "staged_plan");
  return found;
}

std::vector<double> noted_numbers(SEXP list, const char* name) {
  SEXP const x = noted_part(list, name);
  std::vector<double> found;
  for (R_xlen_t i = 0; i < Rf_xlength(x); ++i)
    found.push_back(TYPEOF(x) == REALSXP ? REAL(x)[i] : TYPEOF(x) == INTSXP ? INTEGER(x)[i] : LOGICAL(x)[i]);
  return found;
}

std::vector<int> noted_whole(SEXP list, const char* name) {
  const std::vector<double> x = noted_numbers(list, name);
  return {x.begin(), x.end()};
}

double noted_number(SEXP list, const char* name) {
  const std::vector<double> x = noted_numbers(list, name);
  if (x.size() != 1) throw NmathError(std::string("'") + name + "' is not one number", "staged_plan");
  return x[0];
}

std::string noted_text(SEXP list, const char* name) { return CHAR(STRING_ELT(noted_part(list, name), 0)); }

// The operations that values are made by, by the names that R's tree has; false where there is none for this one.
bool read_op(const std::string& name, const std::string& of, StagedNode::Op& op) {
  using Op = StagedNode::Op;
  static const std::map<std::string, Op> known = {{"const", Op::constant},
                                                  {"input", Op::input},
                                                  {"as_double", Op::same},
                                                  {"materialize", Op::same},
                                                  {"plus", Op::same},
                                                  {"bare", Op::same},
                                                  {"+", Op::add},
                                                  {"-", Op::subtract},
                                                  {"*", Op::multiply},
                                                  {"/", Op::divide},
                                                  {"^", Op::power},
                                                  {"neg", Op::negative},
                                                  {"abs", Op::absolute},
                                                  {"log", Op::log},
                                                  {"elementary", Op::elementary},
                                                  {"library", Op::library},
                                                  {"slice", Op::slice},
                                                  {"spread", Op::spread},
                                                  {"gather", Op::gather},
                                                  {"concat", Op::concat},
                                                  {"cumsum", Op::cumsum},
                                                  {"fill", Op::fill},
                                                  {"position", Op::position},
                                                  {"reduce", Op::reduce},
                                                  {"segments", Op::segments},
                                                  {"cut", Op::cut},
                                                  {"each", Op::each},
                                                  {"patch", Op::patch},
                                                  {"==", Op::equal},
                                                  {"!=", Op::unequal},
                                                  {"<", Op::less},
                                                  {">", Op::greater},
                                                  {"<=", Op::less_equal},
                                                  {">=", Op::greater_equal},
                                                  {"&", Op::both},
                                                  {"|", Op::either},
                                                  {"!", Op::negation},
                                                  {"is.na", Op::is_na},
                                                  {"select", Op::select}};
  const auto found = known.find(name);
  if (found == known.end()) return false;
  op = found->second;
  if (op == Op::elementary) return has_elementary(of);
  if (op == Op::reduce) return has_sum(of);
  return true;
}

bool read_node(SEXP list, StagedNode& node) {
  node.id = static_cast<int>(noted_number(list, "id"));
  node.args = noted_whole(list, "args");
  node.name = noted_text(list, "name");
  node.constant = noted_number(list, "constant");
  node.input = static_cast<int>(noted_number(list, "input"));
  node.length = static_cast<std::size_t>(noted_number(list, "length"));
  node.first = noted_number(list, "first");
  node.step = noted_number(list, "step");
  node.taken = static_cast<std::size_t>(noted_number(list, "taken"));
  node.from_end = noted_number(list, "from_end") != 0;
  node.as_test = noted_number(list, "as_test") != 0;
  return read_op(noted_text(list, "op"), node.name, node.op);
}

// What rounds_run_cpp() takes.
void read_loop(SEXP list, StagedStep& step) {
  step.loop = noted_part(list, "loop");
  step.columns = noted_whole(list, "columns");
  step.scalars = noted_whole(list, "scalars");
  step.loop_numbers = {noted_numbers(list, "constants"), noted_whole(list, "whole"), noted_numbers(list, "numbers")};
  step.series = noted_whole(list, "series");
  step.items = static_cast<std::size_t>(noted_number(list, "items"));
  step.n = static_cast<double>(step.items);
  step.parts = noted_whole(list, "parts");
  const std::vector<double> sizes = noted_numbers(list, "sizes");
  const std::vector<int> inputs = noted_whole(list, "outputs");
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    StagedOutput output;
    output.input = inputs.at(j);
    output.numbers = static_cast<std::size_t>(sizes[j]);
    step.outputs.push_back(output);
  }
}

StagedStep read_step(SEXP list) {
  StagedStep step;
  step.order = noted_whole(list, "order");
  step.inputs = noted_whole(list, "inputs");
  step.nodes = noted_whole(list, "nodes");
  if (r::element_or_null(list, "loop") != R_NilValue) {
    read_loop(list, step);
    return step;
  }
  SEXP const handle = r::element_or_null(list, "handle");
  if (handle == R_NilValue) return step;
  step.handle = handle;
  step.columns = noted_whole(list, "columns");
  step.scalars = noted_whole(list, "scalars");
  step.lengths = noted_numbers(list, "lengths");
  step.n = noted_number(list, "n");
  step.codes = static_cast<int>(noted_number(list, "codes"));
  step.made_of = noted_whole(list, "made_of");
  step.kernels = noted_part(list, "kernels");
  step.groups = static_cast<std::size_t>(noted_number(list, "groups"));
  const std::vector<double> divisors = noted_numbers(list, "divisors");
  for (const int input : noted_whole(list, "outputs")) {
    StagedOutput output;
    output.input = input;
    output.divisor = divisors.at(step.outputs.size());
    step.outputs.push_back(output);
  }
  if (step.outputs.size() != fused_kernel_of(handle).spec().outputs.size())
    throw NmathError("a launch has other outputs than its kernel", "staged_plan");
  return step;
}

// Directions, by their order, are the Hessian's columns.
std::vector<StagedCurve> read_curves(SEXP list) {
  const std::vector<int> noted = noted_whole(list, "curves");
  std::vector<int> directions;
  for (std::size_t k = 0; k < noted.size(); k += 3) directions.push_back(noted[k]);
  std::sort(directions.begin(), directions.end());
  directions.erase(std::unique(directions.begin(), directions.end()), directions.end());
  std::vector<StagedCurve> curves;
  for (std::size_t k = 0; k + 2 < noted.size(); k += 3) {
    const auto place = std::lower_bound(directions.begin(), directions.end(), noted[k]) - directions.begin();
    curves.push_back({static_cast<std::size_t>(place), static_cast<std::size_t>(noted[k + 1]) - 1, noted[k + 2]});
  }
  return curves;
}

// How many numbers each output of a launch has.
void size_outputs(StagedStep& step) {
  if (step.loop != nullptr) return;
  const FusedSpec& spec = fused_kernel_of(step.handle).spec();
  openclPort::FusedCall call;
  call.scalars.assign(step.scalars.size(), 0.0);
  call.scalars.insert(call.scalars.end(), step.lengths.begin(), step.lengths.end());
  for (std::size_t j = 0; j < step.outputs.size(); ++j)
    step.outputs[j].numbers = spec.is_each(j)   ? static_cast<std::size_t>(step.n)
                              : step.groups > 0 ? step.groups
                                                : openclPort::fused_width(spec, call, j);
}

// Which inputs nothing but the gradient has.
void find_slopes(StagedPlan& plan) {
  std::vector<char> used(plan.nodes.size(), 0);
  used.at(static_cast<std::size_t>(plan.root)) = 1;
  for (const StagedNode& node : plan.nodes)
    for (const int id : node.args) used.at(static_cast<std::size_t>(id)) = 1;
  for (const StagedStep& step : plan.steps)
    for (const int id : step.nodes)
      if (&step != &plan.steps.back()) used.at(static_cast<std::size_t>(id)) = 1;
  for (const StagedCurve& curve : plan.curves) used.at(static_cast<std::size_t>(curve.node)) = 1;
  for (const int id : plan.slopes) {
    StagedNode& node = plan.nodes.at(static_cast<std::size_t>(id));
    node.is_slope =
        node.op == StagedNode::Op::input && node.input > plan.n_given && used[static_cast<std::size_t>(id)] == 0;
  }
}

std::size_t placed(std::size_t& bytes, std::size_t more) {
  constexpr std::size_t unit = openclPort::Device::kPartBytes;
  const std::size_t first = bytes;
  bytes += (more + unit - 1) / unit * unit;
  return first;
}

// What values, and kernels by value, are made of comes back; columns that are not on the device go there.
void place(StagedPlan& plan, std::size_t inputs) {
  std::vector<char> read(inputs + 1, 0), computed(inputs + 1, 1), column(inputs + 1, 0);
  for (const StagedNode& node : plan.nodes)
    if (node.op == StagedNode::Op::input && node.id > 0) read.at(static_cast<std::size_t>(node.input)) = 1;
  for (const StagedStep& step : plan.steps) {
    for (const int input : step.scalars) read.at(static_cast<std::size_t>(input)) = 1;
    for (const int input : step.columns) column.at(static_cast<std::size_t>(input)) = 1;
    for (const int input : step.series) column.at(static_cast<std::size_t>(input)) = 1;
    for (const StagedOutput& output : step.outputs) computed.at(static_cast<std::size_t>(output.input)) = 2;
  }
  for (StagedStep& step : plan.steps)
    if (step.handle != nullptr)
      step.flags = placed(plan.back_bytes, fused_kernel_of(step.handle).spec().flags * sizeof(int));
  for (StagedStep& step : plan.steps) {
    if (!step.launches()) continue;
    size_outputs(step);
    for (StagedOutput& output : step.outputs) {
      const bool first_of_loop = step.loop != nullptr && &output == &step.outputs.front();
      output.comes_back = first_of_loop || read.at(static_cast<std::size_t>(output.input)) != 0;
      if (output.comes_back) output.first = placed(plan.back_bytes, output.numbers * sizeof(double));
    }
  }
  plan.travels.assign(inputs + 1, SIZE_MAX);
  for (std::size_t k = 1; k <= inputs; ++k)
    if (column[k] != 0 && computed[k] == 1 && plan.sizes[k] > 0)
      plan.travels[k] = placed(plan.there_bytes, plan.sizes[k] * (plan.whole[k] != 0 ? sizeof(int) : sizeof(double)));
}

}  // namespace

int shape_of_input(SEXP input) {
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
         4 * (dimnames != R_NilValue) + 8 * stays + 16 * (stays && resident_object::origin_has_shape(input)) + sides;
}

bool fits_staged(const StagedPlan& plan, SEXP inputs) {
  if (Rf_xlength(inputs) != plan.n_given) return false;
  for (std::size_t k = 0; k < plan.measures.size(); ++k) {
    const double measure = expression_measure(inputs, static_cast<int>(k) + 1), known = plan.measures[k];
    if (std::isnan(known) ? measure >= 0 : measure != known) return false;  // NA: it is no matrix
  }
  for (R_xlen_t k = 0; k < plan.n_given; ++k)
    if (shape_of_input(VECTOR_ELT(inputs, k)) != plan.shapes[static_cast<std::size_t>(k)]) return false;
  for (std::size_t k = 0; k < plan.named.size(); ++k) {
    SEXP const names = Rf_getAttrib(VECTOR_ELT(inputs, plan.named_inputs[k] - 1), R_NamesSymbol);
    if (TYPEOF(names) != STRSXP || Rf_xlength(names) < plan.named_places[k]) return false;
    for (int i = 0; i < plan.named_places[k]; ++i)  // the first of that name
      if ((plan.named[k] == CHAR(STRING_ELT(names, i))) != (i + 1 == plan.named_places[k])) return false;
  }
  return true;
}

// What of each input a plan depends on besides its lengths.
// [[Rcpp::export(rng = false)]]
SEXP staged_shapes_cpp(SEXP inputs) {
  return guard_core([&]() -> SEXP {
    return r::enter([&] {
      SEXP const shapes = PROTECT(Rf_allocVector(INTSXP, Rf_xlength(inputs)));
      for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k) INTEGER(shapes)[k] = shape_of_input(VECTOR_ELT(inputs, k));
      UNPROTECT(1);
      return shapes;
    });
  });
}

// The plan of a function in stages for calls with inputs like these, from what staged_plan() notes in
// R/expression_staged_plan.R; NULL where R has to compute values between its launches.
// [[Rcpp::export(rng = false)]]
SEXP staged_plan_cpp(SEXP noted, SEXP inputs) {
  return guard_core([&]() -> SEXP {
    auto plan = std::make_unique<StagedPlan>();
    plan->n_given = static_cast<int>(Rf_xlength(inputs));
    plan->measures = noted_numbers(noted, "measures");
    for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k) plan->shapes.push_back(shape_of_input(VECTOR_ELT(inputs, k)));
    SEXP const named = noted_part(noted, "named");
    plan->named_inputs = noted_whole(named, "input");
    plan->named_places = noted_whole(named, "position");
    plan->named = r::strings_of(noted_part(named, "name"));
    SEXP const nodes = noted_part(noted, "nodes");
    for (R_xlen_t k = 0; k < Rf_xlength(nodes); ++k) {
      StagedNode node;
      if (!read_node(VECTOR_ELT(nodes, k), node)) return R_NilValue;
      if (node.op == StagedNode::Op::library && !openclPort::has_kernel_spec(node.name)) return R_NilValue;
      const std::size_t at = static_cast<std::size_t>(node.id);
      if (plan->nodes.size() <= at) plan->nodes.resize(at + 1);
      plan->nodes[at] = std::move(node);
    }
    SEXP const steps = noted_part(noted, "steps");
    for (R_xlen_t k = 0; k < Rf_xlength(steps); ++k) plan->steps.push_back(read_step(VECTOR_ELT(steps, k)));
    for (std::size_t k = 0; k < plan->steps.size(); ++k) plan->codes.push_back(std::make_unique<StagedCodes>());
    plan->root = static_cast<int>(noted_number(noted, "root"));
    plan->slopes = noted_whole(noted, "slopes");
    plan->slope_inputs = noted_whole(noted, "slope_inputs");
    plan->slope_names = r::strings_of(noted_part(noted, "slope_names"));
    plan->labels = noted_part(noted, "labels");
    plan->curves = read_curves(noted);
    find_slopes(*plan);
    plan->warns = noted_number(noted, "warns") != 0;
    plan->series = static_cast<std::size_t>(noted_number(noted, "series"));
    const std::vector<int> sizes = noted_whole(noted, "sizes"), kinds = noted_whole(noted, "whole");
    plan->sizes.assign(1, 0);
    plan->sizes.insert(plan->sizes.end(), sizes.begin(), sizes.end());
    plan->whole.assign(1, 0);
    plan->whole.insert(plan->whole.end(), kinds.begin(), kinds.end());
    place(*plan, sizes.size());
    if (plan->there_bytes > kMostTravels) return R_NilValue;
    return handles::make(std::move(plan), noted);
  });
}
