// points_wrappers -- a reduction at many points in one call: engine/fused_points.h.
#include <algorithm>

#include "base/nmath_error.h"
#include "base/sizes.h"
#include "device/device_selection.h"
#include "engine/fused_points.h"
#include "expression_key.h"
#include "fused_call.h"
#include "point_sums.h"
#include "points_door.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "result_memory.h"
#include "vector_columns.h"

using openclPort::ElementType;
using openclPort::FusedCall;
using openclPort::FusedColumn;
using openclPort::FusedSpec;
using openclPort::PointsCall;
using openclPort::SharedDevice;

namespace {

using Residents = std::vector<std::shared_ptr<openclPort::Resident>>;

// Columns of R's memory, and of one device, which `device` then is; false where there are several.
bool take_columns(SEXP columns, FusedCall& call, Residents& kept, SharedDevice& device) {
  bool parts = false;
  expand_in_chunks(columns);
  for (R_xlen_t k = 0; k < Rf_xlength(columns); ++k) {
    SEXP const x = VECTOR_ELT(columns, k);
    FusedColumn column;
    if (TYPEOF(x) == EXTPTRSXP) {
      const std::vector<handles::Part> found = handles::parts_of(x);
      if (found.size() != 1 ||
          (device != nullptr && found.front().resident->device()->identity() != device->identity())) {
        parts = true;
        continue;
      }
      kept.push_back(found.front().resident);
      device = kept.back()->device();
      const bool real = kept.back()->type() == ElementType::f64;
      column.column = {nullptr, kept.back()->elements(),
                       real ? openclPort::Column::Type::f64 : openclPort::Column::Type::i32};
      column.resident = &kept.back()->buffer();
    } else {
      r::enter([&] {
        column.column = column_of(x);
        return R_NilValue;
      });
    }
    call.columns.push_back(column);
  }
  return !parts;
}

}  // namespace

SharedDevice columns_of_points(SEXP columns, FusedCall& call, Residents& kept, const std::vector<std::string>& asked) {
  SharedDevice device;
  if (!take_columns(columns, call, kept, device)) return nullptr;
  if (device != nullptr) return device;
  const std::vector<SharedDevice> devices = openclPort::open_devices(asked);
  return devices.size() == 1 ? devices.front() : nullptr;
}

bool columns_on_device(SEXP columns, FusedCall& call, const SharedDevice& device) {
  Residents kept;
  SharedDevice found = device;
  return take_columns(columns, call, kept, found);
}

double number_of_point(SEXP x, R_xlen_t i) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[i];
  const int value = TYPEOF(x) == INTSXP ? INTEGER(x)[i] : LOGICAL(x)[i];
  return value == NA_INTEGER ? NA_REAL : value;
}

SEXP points_for_r(const PointsValues& values, const std::vector<int>& flagged, const openclPort::RunReport& report) {
  return r::enter([&] {
    r::List list(5);
    list.add("value", values.value).add("gradient", values.gradient).add("hessian", values.hessian);
    return list.add("flagged", flagged).add("report", report).done();
  });
}

namespace {

// The numbers of each point one after the other, those of the inputs `over`; `places` gets where each begins.
std::vector<double> point_numbers(SEXP parts, const std::vector<int>& over, std::size_t count,
                                  std::vector<double>& places) {
  const std::size_t before = places.size();
  std::size_t numbers = 0;
  for (const int input : over) {
    places.push_back(static_cast<double>(numbers));
    numbers += static_cast<std::size_t>(Rf_xlength(VECTOR_ELT(parts, input - 1))) / count;
  }
  std::vector<double> made(numbers * count);
  for (std::size_t k = 0; k < over.size(); ++k) {
    SEXP const part = VECTOR_ELT(parts, over[k] - 1);
    const std::size_t first = static_cast<std::size_t>(places[before + k]);
    const std::size_t size = static_cast<std::size_t>(Rf_xlength(part)) / count;
    const double* const from = TYPEOF(part) == REALSXP ? REAL(part) : nullptr;
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t p = 0; p < count; ++p)
        made[p * numbers + first + j] =
            from != nullptr ? from[j * count + p] : number_of_point(part, static_cast<R_xlen_t>(j * count + p));
  }
  return made;
}

// Points, from 1, of which the flags say something.
std::vector<int> flagged_points(const PointsCall& call, const FusedSpec& spec) {
  std::vector<int> flagged;
  for (std::size_t p = 0; p < call.count && spec.flags > 0; ++p)
    if (spec.tells(call.flags + p * spec.flags)) flagged.push_back(static_cast<int>(p) + 1);
  return flagged;
}

}  // namespace

SEXP run_fused_points(const FusedPoints& plan, const PointsCallOfR& request, const PointsDone& done) {
  openclPort::FusedKernel& kernel = fused_kernel_of(plan.handle);
  const FusedSpec& spec = kernel.spec();
  PointsCall call;
  std::vector<std::shared_ptr<openclPort::Resident>> kept;
  apply_thread_option();
  const r::Keep given(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(plan.columns.size())); }));
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    SEXP const x = VECTOR_ELT(request.inputs, plan.columns[k] - 1);
    SET_VECTOR_ELT(given, static_cast<R_xlen_t>(k),
                   resident_object::is(x) ? resident_object::field(x, resident_object::handle) : x);
  }
  const SharedDevice where = columns_of_points(given, call.call, kept, request.device);
  const double elements = expression_measure(request.inputs, plan.n);
  call.call.n = openclPort::size_of_number(elements, "the number of elements");
  call.count = openclPort::size_of_number(request.count, "the number of points");
  if (where == nullptr || !fits_points(where->info(), call.call))
    return r::enter([] { return Rf_ScalarLogical(FALSE); });
  if (fused_too_short(where->info(), spec, call.call)) return R_NilValue;
  for (const int scalar : plan.scalars)
    call.call.scalars.push_back(number_of_point(VECTOR_ELT(request.inputs, scalar - 1), 0));
  for (const int length : plan.lengths) call.call.scalars.push_back(expression_measure(request.inputs, length));
  const std::vector<double> points = point_numbers(request.parts, plan.over, call.count, call.call.scalars);
  call.points = points.data();
  call.numbers = points.size() / call.count;
  if (call.call.scalars.size() != spec.scalars) throw openclPort::NmathError("the number of scalars is wrong");
  std::shared_ptr<const openclPort::Grouping> groups;
  if (request.groups != R_NilValue) groups = grouping_behind(request.groups);
  call.call.grouping = groups.get();
  const PointSums sums(call, spec, plan.wide, plan.mean);
  std::vector<int> flags(call.count * spec.flags);
  call.flags = flags.data();
  CallMonitor monitor(request.progress, call.count);
  const openclPort::CallHooks hooks = hooks_of(monitor);
  openclPort::RunReport report;
  handles::with_memory([&] {
    report = openclPort::RunReport();
    std::fill(flags.begin(), flags.end(), 0);
    run_points(where, kernel, call, report, hooks);
    return 0;
  });
  return done({sums.value(), sums.gradient()}, flagged_points(call, spec), report);
}

namespace {

std::vector<int> whole(SEXP list, const char* name) {
  SEXP const x = r::element_or_null(list, name);
  return TYPEOF(x) == INTSXP ? std::vector<int>(INTEGER(x), INTEGER(x) + Rf_xlength(x)) : std::vector<int>();
}

}  // namespace

SEXP run_points_plan(SEXP plan, const PointsCallOfR& call, const PointsDone& done) {
  SEXP const handle = r::element_or_null(plan, "handle"), staged = r::element_or_null(plan, "staged");
  if (staged != R_NilValue) {
    for (R_xlen_t k = 0; k < Rf_xlength(staged); ++k)
      if (R_ExternalPtrAddr(VECTOR_ELT(staged, k)) == nullptr) return R_NilValue;
    return run_staged_points(staged, call, done);
  }
  if (R_ExternalPtrAddr(handle) == nullptr) return R_NilValue;
  const FusedPoints fused = {handle,
                             whole(plan, "columns"),
                             whole(plan, "scalars"),
                             whole(plan, "lengths"),
                             whole(plan, "over"),
                             whole(plan, "wide"),
                             INTEGER(r::element_or_null(plan, "n"))[0],
                             LOGICAL(r::element_or_null(plan, "mean"))[0] != 0};
  return run_fused_points(fused, call, done);
}

// A call at many points by a plan, see run_points_plan(). Gives list(value, gradient, hessian, flagged, report):
// `flagged` are the points, from 1, of which flags say something. NULL, and nothing has run, where the call is too
// short for the plan's kernel; FALSE where it is none for one device at once.
// [[Rcpp::export(rng = false)]]
SEXP points_run_cpp(SEXP plan, SEXP inputs, SEXP parts, double count, SEXP groups,
                    const std::vector<std::string>& device, SEXP progress) {
  return guard_core([&]() -> SEXP {
    return run_points_plan(plan, {inputs, parts, count, groups, device, progress}, points_for_r);
  });
}
