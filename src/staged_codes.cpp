// staged_codes -- the codes of a function in stages, and the device of a call.
#include <cstring>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "fused_call.h"
#include "r_handles.h"
#include "resident_object.h"
#include "staged_plan.h"
#include "vector_columns.h"

using openclPort::ElementType;
using openclPort::Grouping;
using openclPort::SharedDevice;

namespace {

// Whether two vectors have the same numbers: R makes codes of groups anew at each call.
bool same_numbers(SEXP a, SEXP b) {
  if (a == b) return true;
  const bool plain = TYPEOF(a) == INTSXP || TYPEOF(a) == LGLSXP || TYPEOF(a) == REALSXP;
  if (!plain || TYPEOF(a) != TYPEOF(b) || Rf_xlength(a) != Rf_xlength(b)) return false;
  const std::size_t size = TYPEOF(a) == REALSXP ? sizeof(double) : sizeof(int);
  const void *of_a = nullptr, *of_b = nullptr;
  r::enter([&] {  // R may have to expand them
    of_a = column_of(a).data;
    of_b = column_of(b).data;
    return R_NilValue;
  });
  return std::memcmp(of_a, of_b, size * static_cast<std::size_t>(Rf_xlength(a))) == 0;
}

// Of codes that are made of others: what R has made of them, if it was of the same vectors; else null.
std::shared_ptr<const Grouping> groups_made_by_r(const StagedStep& step, SEXP inputs) {
  static SEXP const of = Rf_install("made_of");
  static SEXP const made = Rf_install("groups");
  SEXP const known = Rf_findVarInFrame(step.kernels, of);
  if (TYPEOF(known) != VECSXP || Rf_xlength(known) != static_cast<R_xlen_t>(step.made_of.size())) return nullptr;
  for (std::size_t k = 0; k < step.made_of.size(); ++k)
    if (!same_numbers(VECTOR_ELT(known, static_cast<R_xlen_t>(k)), VECTOR_ELT(inputs, step.made_of[k] - 1)))
      return nullptr;
  const auto grouping = grouping_behind(r::element_or_null(Rf_findVarInFrame(step.kernels, made), "handle"));
  const bool fits = grouping->groups() == step.groups && grouping->elements() == static_cast<std::size_t>(step.n);
  return fits ? grouping : nullptr;
}

}  // namespace

std::shared_ptr<const Grouping> groups_of_step(StagedPlan& plan, std::size_t s, SEXP inputs) {
  const StagedStep& step = plan.steps[s];
  if (step.codes == 0) return groups_made_by_r(step, inputs);
  SEXP const x = VECTOR_ELT(inputs, step.codes - 1);
  const openclPort::Cost cost = fused_kernel_of(step.handle).spec().cost;
  const std::size_t block = openclPort::reduction_block(static_cast<std::size_t>(step.n), cost);
  if (!resident_object::is(x)) return plan.codes[s]->groups_of(x, step.groups, block, true);
  const openclPort::Resident& there = handles::resident_of(resident_object::field(x, resident_object::handle));
  if (there.type() != ElementType::i32) return nullptr;
  try {
    return openclPort::grouping_of(there, block, step.groups);
  } catch (const openclPort::NmathError&) {
    return nullptr;
  }
}

SharedDevice device_of_staged(const StagedPlan& plan, SEXP inputs, const std::vector<std::string>& asked) {
  SharedDevice device;
  for (R_xlen_t k = 0; k < plan.n_given; ++k) {
    SEXP const x = VECTOR_ELT(inputs, k);
    if (!resident_object::is(x)) continue;
    if (resident_object::length_of(x) == 1) return nullptr;
    const std::vector<handles::Part> parts = handles::parts_of(resident_object::field(x, resident_object::handle));
    if (parts.size() != 1) return nullptr;
    const SharedDevice& there = parts[0].resident->device();
    if (device != nullptr && device->identity() != there->identity()) return nullptr;
    device = there;
  }
  if (device != nullptr) return device;
  const std::vector<SharedDevice> devices = openclPort::open_devices(asked);
  return devices.size() == 1 ? devices.front() : nullptr;
}
