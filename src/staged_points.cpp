// staged_points -- a function in stages at many points, some of them at a time: points_part.h.
#include <algorithm>

#include "base/sizes.h"
#include "fused_call.h"
#include "points_door.h"
#include "points_part.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "result_memory.h"

namespace {

// Whose values between launches are in memory at a time: of this machine, and of a device.
constexpr std::size_t kPointsOfPart = 8192, kBytesOfPart = std::size_t{128} << 20, kMostThere = std::size_t{1} << 30;

// Bytes of the elements of a point that are resident on the device.
std::size_t bytes_there(const StagedPlan& plan, const std::vector<char>& stays) {
  std::size_t bytes = 0;
  for (const StagedStep& step : plan.steps) {
    const auto stay = [&](const StagedOutput& one) { return stays[static_cast<std::size_t>(one.input)] != 0; };
    if (step.handle == nullptr || std::none_of(step.outputs.begin(), step.outputs.end(), stay)) continue;
    const openclPort::FusedSpec& spec = fused_kernel_of(step.handle).spec();
    for (std::size_t j = 0; j < step.outputs.size(); ++j)
      bytes += spec.is_each(j) ? static_cast<std::size_t>(step.n) * sizeof(double) : 0;
  }
  return bytes;
}

std::size_t points_of_part(const PointsOfPlan& call, const std::vector<char>& stays) {
  const StagedPlan& plan = call.plan;
  const std::size_t nodes = static_cast<std::size_t>(plan.graph().size()) + 1;
  std::size_t numbers = nodes;
  for (std::size_t k = static_cast<std::size_t>(plan.n_given) + 1; k < plan.sizes.size(); ++k)
    if (stays[k] == 0) numbers += plan.sizes[k];
  for (R_xlen_t k = 0; k < Rf_xlength(call.parts); ++k)
    numbers += static_cast<std::size_t>(Rf_xlength(VECTOR_ELT(call.parts, k))) / call.all;
  constexpr std::size_t copies = 3;  // of what a node has, an input and a launch
  const std::size_t bytes = copies * numbers * sizeof(double) + nodes * sizeof(std::vector<double>);
  const openclPort::DeviceInfo& info = call.device->info();
  const std::size_t room =
      info.host_memory ? kBytesOfPart : std::min<std::size_t>(kMostThere, info.global_mem / kLeastPartOfMemory);
  const std::size_t there = std::max<std::size_t>(bytes_there(plan, stays), 1);
  return std::max<std::size_t>(1, std::min({kPointsOfPart, kBytesOfPart / bytes, room / there}));
}

// An array of as many matrices.
SEXP new_cube(int count, int side) {
  const r::Keep made(new_result(REALSXP, static_cast<R_xlen_t>(count) * side * side));
  return r::enter([&] {
    SEXP const dim = PROTECT(Rf_allocVector(INTSXP, 3));
    INTEGER(dim)[0] = count;
    INTEGER(dim)[1] = INTEGER(dim)[2] = side;
    Rf_setAttrib(made, R_DimSymbol, dim);
    UNPROTECT(1);
    return static_cast<SEXP>(made);
  });
}

}  // namespace

SEXP run_staged_points(SEXP plans, const PointsCallOfR& request, const PointsDone& done) {
  const auto plan_at = [&](R_xlen_t k) {
    return Rf_xlength(plans) > k ? &handles::object_of<StagedPlan>(VECTOR_ELT(plans, k)) : nullptr;
  };
  StagedPlan& plan = *plan_at(0);
  const std::size_t all = openclPort::size_of_number(request.count, "the number of points");
  const auto is_none = [] { return r::enter([] { return Rf_ScalarLogical(FALSE); }); };
  apply_thread_option();
  if (all == 0 || !fits_staged(plan, request.inputs)) return is_none();
  const PointsOfPlan call = {plan,          plan_at(1), request.inputs,
                             request.parts, all,        device_of_staged(plan, request.inputs, request.device)};
  if (call.device == nullptr) return is_none();
  if (plan.points == nullptr || plan.points->device->identity() != call.device->identity()) {
    plan.points = std::make_unique<PointsMemory>();
    plan.points->device = call.device;
    plan.points->elements.resize(plan.sizes.size());
  }
  std::size_t numbers = 0;
  std::vector<std::size_t> sizes;
  for (const int input : plan.slope_inputs) {
    sizes.push_back(static_cast<std::size_t>(plan.measures[static_cast<std::size_t>(input) - 1]));
    numbers += sizes.back();
  }
  const r::Keep value(new_result(REALSXP, static_cast<R_xlen_t>(all)));
  const r::Keep gradient(plan.slopes.empty() ? R_NilValue
                                             : new_result(REALSXP, static_cast<int>(all), static_cast<int>(numbers)));
  const r::Keep hessian(plan.curves.empty() ? R_NilValue : new_cube(static_cast<int>(all), static_cast<int>(numbers)));
  CallMonitor monitor(request.progress, all);
  const openclPort::CallHooks hooks = hooks_of(monitor);
  openclPort::RunReport report;
  std::vector<int> flagged;
  const std::vector<char> stays = resident_elements(call);
  const std::size_t together = points_of_part(call, stays);
  for (std::size_t first = 0; first < all; first += together) {
    const std::size_t count = std::min(together, all - first);
    PointsPart part(call, stays, first, count);
    const PointsPart::Done reached = part.compute(report, hooks);
    if (reached == PointsPart::Done::too_short) return R_NilValue;
    if (reached == PointsPart::Done::no) return is_none();
    part.write(REAL(value), plan.slopes.empty() ? nullptr : REAL(gradient),
               plan.curves.empty() ? nullptr : REAL(hessian), sizes);
    for (std::size_t p = 0; p < count; ++p)
      if (part.flagged(p)) flagged.push_back(static_cast<int>(first + p) + 1);
  }
  if (together * bytes_there(plan, stays) > call.device->info().global_mem / kLeastPartOfMemory) plan.points.reset();
  return done({value, gradient, hessian}, flagged, report);
}
