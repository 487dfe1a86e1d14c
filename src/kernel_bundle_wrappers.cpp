// kernel_bundle_wrappers -- the R boundary of kernel bundles and of the disk cache.
//
// A bundle is an external pointer in R. Its C++ side is released by a finalizer in R code (R/kernel_bundle.R) or, at
// the latest, when the package is unloaded: no finalizer of this library may outlive the library.
#include <memory>
#include <set>

#include "base/program_cache.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "device/kernel_bundle.h"
#include "device/kernel_call.h"
#include "elementwise_user_kernel.h"
#include "loader/nmath_library.h"
#include "nd_range_kernel.h"
#include "r_boundary.h"

using openclPort::BundleState;
using openclPort::DeviceInfo;
using openclPort::KernelBundle;
using openclPort::NmathError;

namespace {

std::set<SEXP>& live_bundles() {
  static std::set<SEXP> pointers;
  return pointers;
}

SEXP bundle_tag() { return Rf_install("nmathopencl_bundle"); }

KernelBundle& bundle_of(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != bundle_tag())
    throw NmathError("this is not a kernel bundle");
  if (R_ExternalPtrAddr(pointer) == nullptr)
    throw NmathError("this kernel bundle is of another R session, or the package was unloaded since", "", "",
                     "make it again: a bundle cannot be saved and restored");
  return *static_cast<KernelBundle*>(R_ExternalPtrAddr(pointer));
}

std::vector<KernelBundle> bundles_of(SEXP pointers) {
  std::vector<KernelBundle> bundles;
  for (R_xlen_t k = 0; k < Rf_xlength(pointers); ++k) bundles.push_back(bundle_of(VECTOR_ELT(pointers, k)).renewed());
  return bundles;
}

// list(pointer), with a report if there is one.
SEXP wrap_bundle(const KernelBundle& bundle, const openclPort::RunReport* report = nullptr) {
  std::unique_ptr<KernelBundle> owned = std::make_unique<KernelBundle>(bundle);
  const r::Keep pointer(r::enter([] { return R_MakeExternalPtr(nullptr, bundle_tag(), R_NilValue); }));
  const r::Keep result(r::enter([&] {
    r::List list(report == nullptr ? 1 : 2);
    list.add("pointer", pointer);
    if (report != nullptr) list.add("report", *report);
    return list.done();
  }));
  live_bundles().insert(pointer);
  R_SetExternalPtrAddr(pointer, owned.release());
  return result;
}

// list(value)
template <typename T>
SEXP wrap_value(const T& value) {
  return r::enter([&] { return r::List(1).add("value", value).done(); });
}

openclPort::SpecializationValue constant_of(SEXP value) {
  switch (TYPEOF(value)) {
    case LGLSXP:
      return LOGICAL(value)[0] != 0;
    case INTSXP:
      return static_cast<std::int32_t>(INTEGER(value)[0]);
    default:
      return REAL(value)[0];
  }
}

// Inside r::enter().
SEXP constant_to_r(const openclPort::SpecializationValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return r::value(*flag);
  if (const std::int32_t* number = std::get_if<std::int32_t>(&value)) return r::value(static_cast<int>(*number));
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) return r::value(static_cast<double>(*number));
  return r::value(std::get<double>(value));
}

SEXP constants_to_r(const openclPort::SpecializationConstants& set) {
  if (set.empty()) return Rf_allocVector(VECSXP, 0);
  r::List list(static_cast<int>(set.size()));
  for (const auto& constant : set) list.add(constant.first.c_str(), constant_to_r(constant.second));
  return list.done();
}

// A required group, x, y, z; NA where the kernel requires none.
int required_size(const openclPort::KernelInfo& info, int dimension) {
  return info.required_group[0] == 0 ? NA_INTEGER : static_cast<int>(info.required_group[dimension]);
}

}  // namespace

// [[Rcpp::export(rng = false)]]
SEXP bundle_from_source_cpp(const std::string& text, const std::string& device, const std::string& options) {
  return guard_core([&] {
    const DeviceInfo chosen = openclPort::select_device(device);
    return wrap_bundle(KernelBundle::from_source(chosen, openclPort::marked_user_text(text), options));
  });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_set_constant_cpp(SEXP bundle, const std::string& name, SEXP value) {
  return guard_core(
      [&] { return wrap_bundle(bundle_of(bundle).with_specialization_constant(name, constant_of(value))); });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_has_constant_cpp(SEXP bundle, const std::string& name) {
  return guard_core([&] { return wrap_value(bundle_of(bundle).has_specialization_constant(name)); });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_compile_cpp(SEXP bundle, const std::vector<std::string>& headers, const std::vector<std::string>& names) {
  return guard_core([&] {
    openclPort::ProgramHeaders by_name;
    for (std::size_t k = 0; k < headers.size(); ++k) by_name[names.at(k)] = headers[k];
    return wrap_bundle(bundle_of(bundle).renewed().compile(by_name));
  });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_build_cpp(SEXP bundle) {
  return guard_core([&] {
    apply_program_option();
    openclPort::Stopwatch watch;
    openclPort::RunReport report;
    report.function = "bundle_build";
    const KernelBundle built = bundle_of(bundle).build_once(report);
    report.device = built.device().name;
    report.device_type = built.device().type;
    report.arithmetic = built.device().arithmetic();
    report.total = watch.lap();
    return wrap_bundle(built, &report);
  });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_link_cpp(SEXP bundles, const std::string& options) {
  return guard_core([&] { return wrap_bundle(KernelBundle::link(bundles_of(bundles), options)); });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_join_cpp(SEXP bundles) {
  return guard_core([&] { return wrap_bundle(KernelBundle::join(bundles_of(bundles))); });
}

// What a bundle says of itself in every state.
// [[Rcpp::export(rng = false)]]
SEXP bundle_facts_cpp(SEXP bundle) {
  return guard_core([&] {
    const KernelBundle& known = bundle_of(bundle);
    const openclPort::SpecializationConstants set = known.specialization_constants();
    const std::string device = known.device().name, options = known.options(), log = known.build_log();
    const char* const state = openclPort::bundle_state_name(known.state());
    const int index = known.device().index, images = static_cast<int>(known.image_count());
    const bool from_disk = known.from_disk();
    return r::enter([&] {
      r::List result(8);
      result.add("state", state).add("device", device).add("device_index", index).add("images", images);
      result.add("options", options).add("constants", constants_to_r(set)).add("from_disk", from_disk);
      return result.add("build_log", log).done();
    });
  });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_kernels_cpp(SEXP bundle) {
  return guard_core([&] { return wrap_value(bundle_of(bundle).kernel_names()); });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_kernel_info_cpp(SEXP bundle, const std::vector<std::string>& kernels) {
  return guard_core([&] {
    std::vector<double> group, multiple, private_memory, local_memory;
    std::vector<int> arguments, required[3];
    for (const std::string& kernel : kernels) {
      const openclPort::KernelInfo info = bundle_of(bundle).kernel_info(kernel);
      group.push_back(static_cast<double>(info.work_group_size));
      multiple.push_back(static_cast<double>(info.preferred_multiple));
      private_memory.push_back(static_cast<double>(info.private_mem));
      local_memory.push_back(static_cast<double>(info.local_mem));
      arguments.push_back(static_cast<int>(info.arguments));
      for (int k = 0; k < 3; ++k) required[k].push_back(required_size(info, k));
    }
    return r::enter([&] {
      r::List result(9);
      result.add("kernel", kernels).add("work_group_size", group).add("preferred_multiple", multiple);
      result.add("private_memory", private_memory).add("local_memory", local_memory).add("arguments", arguments);
      result.add("required_x", required[0]).add("required_y", required[1]).add("required_z", required[2]);
      return result.done();
    });
  });
}

// [[Rcpp::export(rng = false)]]
SEXP bundle_compatible_cpp(SEXP bundle, const std::string& device, const std::vector<std::string>& kernels) {
  return guard_core([&] {
    const KernelBundle& known = bundle_of(bundle);
    return wrap_value(known.compatible_with(openclPort::select_device(device), kernels));
  });
}

// A kernel of a bundle with a work-item for each element, see elementwise_user_kernel.h.
// [[Rcpp::export(rng = false)]]
SEXP run_bundle_cpp(SEXP bundle, const std::string& kernel_name, SEXP columns, int n, bool keep) {
  return guard_core([&] {
    openclPort::RunReport report;
    report.function = kernel_name;
    report.elements = n;
    const auto call = [&] {
      const KernelBundle& built = bundle_of(bundle);
      return openclPort::KernelCall(openclPort::open_device(built.device()), openclPort::program_of_bundle(built),
                                    kernel_name, &report);
    };
    return run_elementwise_user_kernel(call, kernel_name, columns, n, keep, report);
  });
}

// One over an n-dimensional range, see nd_range_kernel.h.
// [[Rcpp::export(rng = false)]]
SEXP run_nd_range_bundle_cpp(SEXP bundle, const std::string& kernel_name, SEXP given) {
  return guard_core([&] {
    openclPort::RunReport report;
    report.function = kernel_name;
    const auto call = [&] {
      const KernelBundle& built = bundle_of(bundle);
      return openclPort::KernelCall(openclPort::open_device(built.device()), openclPort::program_of_bundle(built),
                                    kernel_name, &report);
    };
    return run_nd_range_kernel(call, kernel_name, given, report);
  });
}

// The C++ side of one bundle, when R forgets it.
// [[Rcpp::export(rng = false)]]
void release_bundle_cpp(SEXP bundle) {
  if (TYPEOF(bundle) != EXTPTRSXP || live_bundles().erase(bundle) == 0) return;
  delete static_cast<KernelBundle*>(R_ExternalPtrAddr(bundle));
  R_ClearExternalPtr(bundle);
}

// [[Rcpp::export(rng = false)]]
void release_bundles_cpp() {
  const std::set<SEXP> pointers = live_bundles();
  for (SEXP pointer : pointers) release_bundle_cpp(pointer);
}

// ---- nmath as a library to link with ----

// [[Rcpp::export(rng = false)]]
SEXP nmath_library_cpp(const std::vector<std::string>& functions, bool header) {
  return guard_core([&] {
    const std::string text =
        header ? openclPort::nmath_library_header(functions) : openclPort::nmath_library_program(functions);
    return r::enter([&] {
      SEXP const value = PROTECT(r::value(text, CE_UTF8));
      SEXP const list = r::List(1).add("value", value).done();
      UNPROTECT(1);
      return list;
    });
  });
}

// ---- disk cache ----

// [[Rcpp::export(rng = false)]]
SEXP cache_info_cpp() {
  const openclPort::ProgramCacheInfo info = openclPort::program_cache_info();
  return r::enter([&] {
    return r::List(4)
        .add("folder", info.folder)
        .add("entries", static_cast<int>(info.entries))
        .add("bytes", static_cast<double>(info.bytes))
        .add("problem", info.problem)
        .done();
  });
}

// [[Rcpp::export(rng = false)]]
int cache_clear_cpp() { return static_cast<int>(openclPort::clear_program_cache()); }

// What the user has to hear about the folder, once; "" where nothing.
// [[Rcpp::export(rng = false)]]
std::string cache_warning_cpp() { return openclPort::take_program_cache_warning(); }

// R/disk_cache.R says where programs are kept, each time anew: options may change.
// [[Rcpp::init]]
void cache_connect_to_r(DllInfo* dll) {
  (void)dll;
  bundle_tag();  // made here, where no C++ frame is in R's way
  openclPort::set_program_cache_resolver([] { return r::string_from("nmathopencl", "cache_folder", {}); });
}
