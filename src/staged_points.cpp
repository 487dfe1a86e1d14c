// staged_points -- a function in stages at many points: each launch is one for all points (engine/fused_points.h), and
// the values between them are computed point by point.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/nmath_error.h"
#include "base/sizes.h"
#include "base/stopwatch.h"
#include "engine/fused_points.h"
#include "fused_call.h"
#include "points_door.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "result_memory.h"
#include "staged_plan.h"

using openclPort::FusedKernel;
using openclPort::PointsCall;
using openclPort::SharedDevice;

namespace {

// Whose values between launches are in memory at a time.
constexpr std::size_t kPointsOfPart = 8192, kBytesOfPart = std::size_t{64} << 20;

std::size_t points_of_part(const StagedPlan& plan, SEXP parts, std::size_t all) {
  std::size_t numbers = plan.nodes.size();
  for (std::size_t k = static_cast<std::size_t>(plan.n_given) + 1; k < plan.sizes.size(); ++k) numbers += plan.sizes[k];
  for (R_xlen_t k = 0; k < Rf_xlength(parts); ++k)
    numbers += static_cast<std::size_t>(Rf_xlength(VECTOR_ELT(parts, k))) / all;
  constexpr std::size_t copies = 3;  // of what a node has, an input and a launch
  const std::size_t bytes = copies * numbers * sizeof(double) + plan.nodes.size() * sizeof(std::vector<double>);
  return std::min(kPointsOfPart, std::max<std::size_t>(1, kBytesOfPart / bytes));
}

// Points [first, first + count) of a call.
class PointsPart {
 public:
  PointsPart(StagedPlan& plan, SEXP inputs, SEXP parts, SEXP over, std::size_t all, std::size_t first,
             std::size_t count)
      : plan_(plan),
        inputs_(inputs),
        parts_(parts),
        over_(over),
        all_(all),
        first_(first),
        count_(count),
        flagged_(count),
        known_(count),
        computed_(plan.sizes.size()) {}

  // False where the call is none for these kernels.
  bool compute(const std::vector<std::string>& device, openclPort::RunReport& report,
               const openclPort::CallHooks& hooks) {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      openclPort::stop_if(hooks.interrupted);
      if (plan_.steps[s].handle == nullptr)
        compute_step(plan_.steps[s]);
      else if (!launch_step(s, device, report, hooks))
        return false;
    }
    return true;
  }

  // Where a value is missing R says more of it.
  bool flagged(std::size_t p, const std::vector<std::size_t>& sizes) const {
    bool found = flagged_[p] != 0 || std::isnan(value(p));
    for (std::size_t k = 0; k < sizes.size() && !found; ++k)
      for (std::size_t j = 0; j < sizes[k]; ++j) found = found || std::isnan(slope(p, k, j));
    return found;
  }
  double value(std::size_t p) const { return known_[p][static_cast<std::size_t>(plan_.root)][0]; }

  // Number `j` of slope `k` at a point.
  double slope(std::size_t p, std::size_t k, std::size_t j) const {
    const StagedNode& node = plan_.nodes[static_cast<std::size_t>(plan_.slopes[k])];
    if (node.is_slope) {
      const std::size_t at = static_cast<std::size_t>(node.input), size = size_of(node.input);
      return computed_[at][p * size + j % size];
    }
    const std::vector<double>& made = known_[p][static_cast<std::size_t>(plan_.slopes[k])];
    return made[j % made.size()];
  }

 private:
  std::size_t size_of(int input) const {
    return std::max<std::size_t>(plan_.sizes[static_cast<std::size_t>(input)], 1);
  }

  SEXP part_of(int input) const { return input <= plan_.n_given ? VECTOR_ELT(parts_, input - 1) : R_NilValue; }

  // An input's numbers at a point; false where only R has them.
  bool value_of(std::size_t p, int input, std::vector<double>& value) const {
    SEXP const part = part_of(input);
    if (part != R_NilValue) {
      value.resize(static_cast<std::size_t>(Rf_xlength(part)) / all_);
      for (std::size_t j = 0; j < value.size(); ++j)
        value[j] = number_of_point(part, static_cast<R_xlen_t>(j * all_ + first_ + p));
      return true;
    }
    if (input > plan_.n_given) {
      const std::vector<double>& made = computed_[static_cast<std::size_t>(input)];
      const std::size_t size = size_of(input);
      if (made.empty()) return false;
      value.assign(made.begin() + static_cast<std::ptrdiff_t>(p * size),
                   made.begin() + static_cast<std::ptrdiff_t>((p + 1) * size));
      return true;
    }
    SEXP const x = VECTOR_ELT(inputs_, input - 1);
    if (resident_object::is(x)) return false;
    value.resize(static_cast<std::size_t>(Rf_xlength(x)));
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = number_of_point(x, static_cast<R_xlen_t>(i));
    return true;
  }

  // What a point's values are where R has to say more is of no use: it is computed again.
  void compute_step(const StagedStep& step) {
    for (const int input : step.inputs) computed_[static_cast<std::size_t>(input)].resize(count_ * size_of(input));
    for (std::size_t p = 0; p < count_; ++p) {
      if (flagged_[p] != 0) continue;
      const auto input = [this, p](int k, std::vector<double>& value) { return value_of(p, k, value); };
      if (!compute_values(plan_, step, input, known_[p])) {
        flagged_[p] = 1;
        continue;
      }
      for (std::size_t k = 0; k < step.inputs.size(); ++k) {
        const std::size_t size = size_of(step.inputs[k]);
        const std::vector<double>& made = known_[p][static_cast<std::size_t>(step.nodes[k])];
        if (made.size() < size) {
          flagged_[p] = 1;
          break;
        }
        std::copy_n(
            made.begin(), size,
            computed_[static_cast<std::size_t>(step.inputs[k])].begin() + static_cast<std::ptrdiff_t>(p * size));
      }
    }
  }

  bool launch_step(std::size_t s, const std::vector<std::string>& device, openclPort::RunReport& report,
                   const openclPort::CallHooks& hooks) {
    const StagedStep& step = plan_.steps[s];
    FusedKernel& kernel = fused_kernel_of(step.handle);
    const openclPort::FusedSpec& spec = kernel.spec();
    PointsCall call;
    std::vector<std::shared_ptr<openclPort::Resident>> kept;
    const SharedDevice where = columns_of(step, call, kept, device);
    call.call.n = static_cast<std::size_t>(step.n);
    if (where == nullptr || !fits_points(where->info(), call.call) || fused_too_short(where->info(), spec, call.call))
      return false;
    for (const int input : step.scalars) {
      std::vector<double> value;
      if (!value_of(0, input, value) || value.size() != 1) return false;
      call.call.scalars.push_back(value[0]);
    }
    call.call.scalars.insert(call.call.scalars.end(), step.lengths.begin(), step.lengths.end());
    const std::vector<double> numbers = numbers_of(s, call);
    call.points = numbers.data();
    call.count = count_;
    if (call.call.scalars.size() != spec.scalars) return false;
    std::vector<std::vector<double>> results;
    for (std::size_t j = 0; j < spec.outputs.size(); ++j) {
      results.emplace_back(count_ * fused_width(spec, call.call, j));
      call.values.push_back(results.back().data());
    }
    std::vector<int> flags(count_ * spec.flags);
    call.flags = flags.data();
    const std::size_t before = report.elements;
    run_points(where, kernel, call, report, hooks);
    report.elements += before;
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (flags[i] != 0) flagged_[i / spec.flags] = 1;
    for (std::size_t j = 0; j < step.outputs.size(); ++j)
      take_in(step.outputs[j], results[j], fused_width(spec, call.call, j));
    return true;
  }

  SharedDevice columns_of(const StagedStep& step, PointsCall& call,
                          std::vector<std::shared_ptr<openclPort::Resident>>& kept,
                          const std::vector<std::string>& device) const {
    const r::Keep columns(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(step.columns.size())); }));
    for (std::size_t k = 0; k < step.columns.size(); ++k) {
      if (step.columns[k] > plan_.n_given) return nullptr;
      SEXP const x = VECTOR_ELT(inputs_, step.columns[k] - 1);
      SET_VECTOR_ELT(columns, static_cast<R_xlen_t>(k),
                     resident_object::is(x) ? resident_object::field(x, resident_object::handle) : x);
    }
    return columns_of_points(columns, call.call, kept, device);
  }

  // Point by point; where each part of them begins follows the scalars.
  std::vector<double> numbers_of(std::size_t s, PointsCall& call) const {
    SEXP const over = VECTOR_ELT(over_, static_cast<R_xlen_t>(s));
    std::vector<std::size_t> sizes;
    for (R_xlen_t k = 0; k < Rf_xlength(over); ++k) {
      SEXP const part = part_of(INTEGER(over)[k]);
      call.call.scalars.push_back(static_cast<double>(call.numbers));
      sizes.push_back(part != R_NilValue ? static_cast<std::size_t>(Rf_xlength(part)) / all_
                                         : size_of(INTEGER(over)[k]));
      call.numbers += sizes.back();
    }
    std::vector<double> made(call.numbers * count_, std::numeric_limits<double>::quiet_NaN());
    std::vector<double> value;
    double* to = made.data();
    for (std::size_t p = 0; p < count_; ++p)
      for (std::size_t k = 0; k < sizes.size(); to += sizes[k], ++k)
        if (value_of(p, INTEGER(over)[k], value)) std::copy_n(value.begin(), std::min(sizes[k], value.size()), to);
    return made;
  }

  void take_in(const StagedOutput& output, const std::vector<double>& from, std::size_t width) {
    if (output.input == 0) return;
    const std::size_t size = size_of(output.input);
    std::vector<double>& to = computed_[static_cast<std::size_t>(output.input)];
    to.resize(count_ * size);
    for (std::size_t p = 0; p < count_; ++p)
      for (std::size_t j = 0; j < size; ++j) {
        const double x = from[p * width + j];
        to[p * size + j] = output.divisor == 1.0 ? x : x / output.divisor;
      }
  }

  StagedPlan& plan_;
  SEXP const inputs_, parts_, over_;
  const std::size_t all_, first_, count_;
  std::vector<char> flagged_;  // points that R computes
  std::vector<StagedValues> known_;
  std::vector<std::vector<double>> computed_;  // by input, point by point
};

}  // namespace

SEXP run_staged_points(const StagedPoints& request, const PointsDone& done) {
  StagedPlan& plan = handles::object_of<StagedPlan>(request.handle);
  const std::size_t all = openclPort::size_of_number(request.count, "the number of points");
  apply_thread_option();
  if (!fits_staged(plan, request.inputs)) return r::enter([] { return Rf_ScalarLogical(FALSE); });
  std::size_t numbers = 0;
  std::vector<std::size_t> sizes;
  for (const int input : plan.slope_inputs) {
    sizes.push_back(static_cast<std::size_t>(plan.measures[static_cast<std::size_t>(input) - 1]));
    numbers += sizes.back();
  }
  const r::Keep value(new_result(REALSXP, static_cast<R_xlen_t>(all)));
  const r::Keep gradient(plan.slopes.empty() ? R_NilValue
                                             : new_result(REALSXP, static_cast<int>(all), static_cast<int>(numbers)));
  CallMonitor monitor(request.progress, all);
  const openclPort::CallHooks hooks = hooks_of(monitor);
  openclPort::RunReport report;
  std::vector<int> flagged;
  const std::size_t together = points_of_part(plan, request.parts, std::max<std::size_t>(all, 1));
  for (std::size_t first = 0; first < all; first += together) {
    PointsPart part(plan, request.inputs, request.parts, request.over, all, first, std::min(together, all - first));
    if (!part.compute(request.device, report, hooks)) return r::enter([] { return Rf_ScalarLogical(FALSE); });
    for (std::size_t p = 0; first + p < std::min(all, first + together); ++p) {
      const bool told = part.flagged(p, sizes);
      if (told) flagged.push_back(static_cast<int>(first + p) + 1);
      REAL(value)[first + p] = told ? NA_REAL : part.value(p);
      std::size_t at = first + p;
      for (std::size_t k = 0; k < sizes.size(); ++k)
        for (std::size_t j = 0; j < sizes[k]; ++j, at += all) REAL(gradient)[at] = told ? NA_REAL : part.slope(p, k, j);
    }
  }
  return done(value, gradient, flagged, report);
}

// A function in stages that are sums at many points. `inputs`: those of the first point; `parts`: by input NULL, or a
// vector or an array whose first dimension counts points; `over`: by step the inputs that its kernel has from the
// points' numbers. Gives what fused_points_cpp() gives; FALSE where the call is none for the plan.
// [[Rcpp::export(rng = false)]]
SEXP staged_points_cpp(SEXP handle, SEXP inputs, SEXP parts, SEXP over, double count,
                       const std::vector<std::string>& device, SEXP progress) {
  return guard_core([&]() -> SEXP {
    return run_staged_points({handle, inputs, parts, over, count, device, progress}, points_for_r);
  });
}
