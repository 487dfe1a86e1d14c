// fused_wrappers -- the R boundary of kernels that are described at run time: engine/fused.h.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition: what went wrong comes back as data.
#include <cstring>

#include "base/nmath_error.h"
#include "base/sizes.h"
#include "device/device_selection.h"
#include "engine/device_split.h"
#include "engine/fused.h"
#include "fused_call.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "result_memory.h"
#include "vector_columns.h"

using openclPort::Cost;
using openclPort::DeviceRange;
using openclPort::ElementType;
using openclPort::FusedCall;
using openclPort::FusedKernel;
using openclPort::FusedPart;
using openclPort::FusedSpec;
using openclPort::Grouping;
using openclPort::NmathError;
using openclPort::SharedDevice;

namespace {

// What a handle stands for, and the R types of its outputs.
struct Prepared {
  static const char* name() { return "nmathopencl fused kernel"; }
  Prepared(FusedSpec spec, std::vector<int> types) : kernel(std::move(spec)), outputs(std::move(types)) {}
  FusedKernel kernel;
  std::vector<int> outputs;
};

struct Groups {
  static const char* name() { return "nmathopencl groups"; }
  explicit Groups(std::shared_ptr<const Grouping> made) : grouping(std::move(made)) {}
  const std::shared_ptr<const Grouping> grouping;
};

// Columns of a call: R's vectors, or vectors that lie on devices, which are then the call's: `layout` says how the
// first of them lies, as all do, and is empty where there is none.
struct TakenColumns {
  std::vector<handles::Part> layout;
  std::vector<std::vector<handles::Part>> parts;  // of each column; empty: in R's memory
};

TakenColumns take_columns(SEXP columns, FusedCall& call) {
  TakenColumns taken;
  expand_in_chunks(columns);
  const R_xlen_t count = Rf_xlength(columns);
  for (R_xlen_t k = 0; k < count; ++k) {
    SEXP const x = VECTOR_ELT(columns, k);
    openclPort::FusedColumn column;
    std::vector<handles::Part> parts;
    if (TYPEOF(x) == EXTPTRSXP) {
      parts = handles::parts_like(x, taken.layout);
      const bool real = parts.front().resident->type() == ElementType::f64;
      column.column = {nullptr, handles::elements_of(parts),
                       real ? openclPort::Column::Type::f64 : openclPort::Column::Type::i32};
    } else if (ALTREP(x)) {
      r::enter([&] {
        column.column = column_of(x);
        return R_NilValue;
      });
    } else {
      column.column = column_of(x);
    }
    call.columns.push_back(column);
    taken.parts.push_back(std::move(parts));
  }
  return taken;
}

// Where results go: R's vectors, in `list`; own memory for integers that R has no type for; vectors on the device.
struct Outputs {
  std::vector<std::vector<std::int64_t>> wide;
  std::vector<std::unique_ptr<handles::Vector>> resident;
};

// `keep`: whether elements stay on the devices.
SEXP make_outputs(const std::vector<int>& types, const FusedSpec& spec, FusedCall& call, bool keep, Outputs& outputs) {
  outputs.wide.resize(types.size());
  call.values.resize(types.size());
  const r::Keep list(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(types.size())); }));
  for (std::size_t j = 0; j < types.size(); ++j) {
    if (keep && spec.is_each(j)) continue;
    const std::size_t results = openclPort::fused_results(spec, call, j);
    SEXP const vector =
        new_result(handles::r_type(types[j]), static_cast<R_xlen_t>(results * openclPort::fused_width(spec, call, j)));
    SET_VECTOR_ELT(list, static_cast<R_xlen_t>(j), vector);
    call.values[j] = handles::data_of(vector);
  }
  for (std::size_t j = 0; j < types.size(); ++j) {
    const std::size_t results = openclPort::fused_results(spec, call, j);
    if (types[j] != handles::wide_integers || results == 0 || call.values[j] == nullptr) continue;
    outputs.wide[j].resize(results);
    call.values[j] = outputs.wide[j].data();
  }
  return list;
}

// The same in memory of the caller's.
SEXP make_numbers(const FusedSpec& spec, FusedCall& call, std::vector<std::vector<double>>& numbers) {
  apply_recycle_option();
  numbers.resize(spec.outputs.size());
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    numbers[j].assign(openclPort::fused_results(spec, call, j) * openclPort::fused_width(spec, call, j), 0.0);
    call.values.push_back(numbers[j].data());
  }
  return R_NilValue;
}

void widen_outputs(const Outputs& outputs, SEXP list) {
  for (std::size_t j = 0; j < outputs.wide.size(); ++j) {
    const std::vector<std::int64_t>& wide = outputs.wide[j];
    if (wide.empty()) continue;
    double* const to = REAL(VECTOR_ELT(list, static_cast<R_xlen_t>(j)));
    for (std::size_t i = 0; i < wide.size(); ++i)  // the smallest says that a value was missing
      to[i] = wide[i] == INT64_MIN ? NA_REAL : static_cast<double>(wide[i]);
  }
}

void make_resident_outputs(const std::vector<DeviceRange>& ranges, const std::vector<int>& types, const FusedSpec& spec,
                           Outputs& outputs, SEXP list) {
  for (std::size_t j = 0; j < types.size(); ++j)
    outputs.resident.push_back(spec.is_each(j) ? handles::make_vector(ranges, types[j], list, static_cast<R_xlen_t>(j))
                                               : nullptr);
}

// The devices of a call that has vectors on them, or leaves results there, and what of it each has.
std::vector<DeviceRange> ranges_of(const TakenColumns& taken, const std::vector<std::string>& device, std::size_t n) {
  if (taken.layout.empty()) return openclPort::resident_split(openclPort::open_devices(device), n);
  std::vector<DeviceRange> ranges;
  for (const handles::Part& part : taken.layout)
    ranges.push_back({part.resident->device(), part.first, part.resident->elements()});
  if (ranges.size() == 1) ranges.front().count = n;
  return ranges;
}

std::vector<FusedPart> parts_of_call(const FusedCall& call, const TakenColumns& taken,
                                     const std::vector<DeviceRange>& ranges, const Outputs& outputs) {
  std::vector<FusedPart> parts;
  for (std::size_t p = 0; p < ranges.size(); ++p) {
    parts.push_back({ranges[p].device, call});
    FusedCall& own = parts.back().call;
    const bool divided = ranges.size() > 1;
    if (divided) own.range = {ranges[p].first, ranges[p].count};
    for (std::size_t k = 0; k < own.columns.size(); ++k) {
      if (taken.parts[k].empty()) continue;
      own.columns[k].resident = &taken.parts[k][p].resident->buffer();
      own.columns[k].part = divided;
    }
    for (const auto& vector : outputs.resident)
      own.resident_out.push_back(
          vector == nullptr ? nullptr
                            : &(vector->parts.empty() ? vector->resident : vector->parts[p].resident)->buffer());
  }
  return parts;
}

// The handles of what stays, in `list`.
void hand_over_resident(Outputs& outputs, SEXP list) {
  for (std::size_t j = 0; j < outputs.resident.size(); ++j)
    if (outputs.resident[j] != nullptr)
      handles::hand_over(std::move(outputs.resident[j]), list, static_cast<R_xlen_t>(j));
}

}  // namespace

SEXP prepare_fused(FusedSpec spec, const std::vector<int>& types) {
  return handles::make(std::make_unique<Prepared>(std::move(spec), types), R_NilValue);
}

FusedKernel& fused_kernel_of(SEXP handle) { return handles::object_of<Prepared>(handle).kernel; }

std::shared_ptr<const Grouping> grouping_behind(SEXP handle) { return handles::object_of<Groups>(handle).grouping; }

SEXP run_prepared(const FusedRequest& request, const FusedDone& done) {
  Prepared& prepared = handles::object_of<Prepared>(request.handle);
  FusedCall call;
  const TakenColumns taken = take_columns(request.columns, call);
  call.scalars = request.scalars;
  call.n = openclPort::size_of_number(request.n, "the number of elements");
  call.grouping = request.groups;
  apply_thread_option();
  if (prepared.kernel.spec().least > 1) {
    const SharedDevice device = taken.layout.empty() ? openclPort::open_devices(request.device).front()
                                                     : taken.layout.front().resident->device();
    if (fused_too_short(device->info(), prepared.kernel.spec(), call)) return R_NilValue;
  }
  Outputs outputs;
  const std::vector<int>& types = prepared.outputs;
  const bool keep = request.keep;
  const r::Keep values(request.numbers != nullptr ? make_numbers(prepared.kernel.spec(), call, *request.numbers)
                                                  : make_outputs(types, prepared.kernel.spec(), call, keep, outputs));
  std::vector<FusedPart> parts;
  if (keep || !taken.layout.empty()) {
    const std::vector<DeviceRange> ranges = ranges_of(taken, request.device, call.n);
    if (keep) make_resident_outputs(ranges, types, prepared.kernel.spec(), outputs, values);
    parts = parts_of_call(call, taken, ranges, outputs);
  }
  const std::vector<SharedDevice> devices =
      parts.empty() ? openclPort::open_devices(request.device) : std::vector<SharedDevice>();
  CallMonitor monitor(request.progress, call.n);
  const openclPort::CallHooks hooks = hooks_of(monitor);
  openclPort::ChunkOptions options;
  options.chunk_size = openclPort::size_of_number(request.chunk_size, "the size of a chunk");
  openclPort::RunReport report;
  const std::vector<int> flags = handles::with_memory([&] {
    report = openclPort::RunReport();
    return parts.empty() ? run_fused(devices, prepared.kernel, call, report, hooks, options)
                         : run_fused(parts, prepared.kernel, report, hooks, options);
  });
  widen_outputs(outputs, values);
  hand_over_resident(outputs, values);
  return done(values, flags, report);
}

SEXP fused_values(SEXP values, const std::vector<int>& flags, const openclPort::RunReport& report) {
  return r::enter([&] { return r::List(3).add("values", values).add("flags", flags).add("report", report).done(); });
}

// Groups of elements for reductions: `codes` from 1 to `groups`, others are left out; blocks of `block` elements at
// most. Resident codes, given by their handle, keep what was made of them; they have as many groups as the
// greatest says. `all`: there are `groups`, each of which has a block. Gives a handle, the group of each block, and the
// number of elements of each group.
// [[Rcpp::export(rng = false)]]
SEXP fused_groups_cpp(SEXP codes, double groups, double block, bool all = false) {
  return guard_core([&]() -> SEXP {
    apply_thread_option();
    std::shared_ptr<const Grouping> made;
    const std::size_t most = openclPort::size_of_number(block, "the size of a block");
    const std::size_t count = openclPort::size_of_number(groups, "the number of groups");
    if (TYPEOF(codes) == EXTPTRSXP)
      made = openclPort::grouping_of(handles::resident_of(codes), most, all ? count : 0);
    else if (TYPEOF(codes) == INTSXP)
      made = std::make_shared<const Grouping>(INTEGER(codes), static_cast<std::size_t>(Rf_xlength(codes)), count, most,
                                              all);
    else
      throw NmathError("codes of groups must be integers", "grouping");
    const Grouping& grouping = *made;
    const r::Keep handle(handles::make(std::make_unique<Groups>(made), R_NilValue));
    return r::enter([&] {
      return r::List(3)
          .add("handle", static_cast<SEXP>(handle))
          .add("group", grouping.group())
          .add("counts", grouping.counts())
          .done();
    });
  });
}

// Elements of a block of a reduction over n elements of a cost from 0 to 3.
// [[Rcpp::export(rng = false)]]
double fused_block_cpp(double n, int cost) {
  return static_cast<double>(
      openclPort::reduction_block(openclPort::size_of_number(n, "the number of elements"), static_cast<Cost>(cost)));
}

// Runs a prepared kernel over n elements. `columns`: a list of doubles, integers and logicals, in their own types, and
// of handles of vectors on devices, which are then the call's. `groups`: NULL or a handle. `chunk_size`: elements of a
// launch at most, 0: as length and device have it. Gives `values`, one vector for each output (of reductions: one
// element for each block), or, if `keep`, handles of resident vectors; `flags`; and `report`. NULL, and
// nothing has run, where the device would be faster with a kernel that computes nothing once: FusedSpec::least.
// [[Rcpp::export(rng = false)]]
SEXP fused_run_cpp(SEXP handle, SEXP columns, SEXP scalars, double n, SEXP groups,
                   const std::vector<std::string>& device, double chunk_size, SEXP progress, bool keep = false) {
  return guard_core([&]() -> SEXP {
    const std::vector<double> numbers(REAL(scalars), REAL(scalars) + Rf_xlength(scalars));
    const std::shared_ptr<const Grouping> grouping = groups == R_NilValue ? nullptr : grouping_behind(groups);
    const FusedRequest request = {handle, columns, numbers, n, grouping.get(), device, chunk_size, progress, keep};
    return run_prepared(request, [](SEXP values, const std::vector<int>& flags, const openclPort::RunReport& report) {
      return fused_values(values, flags, report);
    });
  });
}

// An error, with `what` as its subject, if results of so many bytes are larger than the memory that is available.
// [[Rcpp::export(rng = false)]]
SEXP refuse_results_cpp(double bytes, const std::string& what) {
  return guard_core([&]() -> SEXP {
    refuse_what_would_swap(static_cast<std::size_t>(bytes), what.c_str());
    return R_NilValue;
  });
}
