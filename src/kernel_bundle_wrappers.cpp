// kernel_bundle_wrappers -- the R boundary of kernel bundles and of the disk cache.
//
// A bundle is an external pointer in R. Its C++ side is released by a finalizer in R code (R/kernel_bundle.R) or, at
// the latest, when the package is unloaded: no finalizer of this library may outlive the library.
#include <Rcpp.h>

#include <set>

#include "nmath_library.h"
#include "opencl_kernel_runners.h"
#include "opencl_selection.h"
#include "opencl_session.h"
#include "plain_kernel.h"
#include "program_cache.h"
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

std::vector<KernelBundle> bundles_of(const Rcpp::List& pointers) {
  std::vector<KernelBundle> bundles;
  for (R_xlen_t k = 0; k < pointers.size(); ++k) bundles.push_back(bundle_of(pointers[k]).renewed());
  return bundles;
}

Rcpp::List wrap_bundle(const KernelBundle& bundle) {
  KernelBundle* owned = new KernelBundle(bundle);
  Rcpp::Shield<SEXP> pointer(R_MakeExternalPtr(owned, bundle_tag(), R_NilValue));
  live_bundles().insert(pointer);
  return Rcpp::List::create(Rcpp::Named("pointer") = static_cast<SEXP>(pointer));
}

DeviceInfo device_of(const std::string& device) {
  const auto chosen = openclPort::select_device(device);
  if (!chosen)
    throw NmathError("the host device has no compiler: a kernel bundle needs an OpenCL device", "", "",
                     "choose one, e.g. device = \"opencl\"");
  return *chosen;
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

SEXP constant_to_r(const openclPort::SpecializationValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return Rf_ScalarLogical(*flag);
  if (const std::int32_t* number = std::get_if<std::int32_t>(&value)) return Rf_ScalarInteger(*number);
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value))
    return Rf_ScalarReal(static_cast<double>(*number));
  return Rf_ScalarReal(std::get<double>(value));
}

// A required group, x, y, z; NA where the kernel requires none.
int required_size(const openclPort::KernelInfo& info, int dimension) {
  return info.required_group[0] == 0 ? NA_INTEGER : static_cast<int>(info.required_group[dimension]);
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_from_source_cpp(const std::string& text, const std::string& device, const std::string& options) {
  return guard_core([&] {
    return wrap_bundle(KernelBundle::from_source(device_of(device), openclPort::marked_user_text(text), options));
  });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_set_constant_cpp(SEXP bundle, const std::string& name, SEXP value) {
  return guard_core(
      [&] { return wrap_bundle(bundle_of(bundle).with_specialization_constant(name, constant_of(value))); });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_has_constant_cpp(SEXP bundle, const std::string& name) {
  return guard_core(
      [&] { return Rcpp::List::create(Rcpp::Named("value") = bundle_of(bundle).has_specialization_constant(name)); });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_compile_cpp(SEXP bundle, const Rcpp::CharacterVector& headers) {
  return guard_core([&] {
    openclPort::ProgramHeaders by_name;
    if (headers.size() > 0) {
      const Rcpp::CharacterVector names = headers.names();
      for (R_xlen_t k = 0; k < headers.size(); ++k)
        by_name[Rcpp::as<std::string>(names[k])] = Rcpp::as<std::string>(headers[k]);
    }
    return wrap_bundle(bundle_of(bundle).renewed().compile(by_name));
  });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_build_cpp(SEXP bundle) {
  return guard_core([&] {
    openclPort::Stopwatch watch;
    openclPort::RunReport report;
    report.function = "bundle_build";
    const KernelBundle built = openclPort::build_once(bundle_of(bundle), report);
    report.device = built.device().name;
    report.device_type = built.device().type;
    report.total = watch.lap();
    Rcpp::List result = wrap_bundle(built);
    result["report"] = report_to_list(report);
    return result;
  });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_link_cpp(const Rcpp::List& bundles, const std::string& options) {
  return guard_core([&] { return wrap_bundle(KernelBundle::link(bundles_of(bundles), options)); });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_join_cpp(const Rcpp::List& bundles) {
  return guard_core([&] { return wrap_bundle(KernelBundle::join(bundles_of(bundles))); });
}

// What a bundle says of itself in every state.
// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_facts_cpp(SEXP bundle) {
  return guard_core([&] {
    const KernelBundle& known = bundle_of(bundle);
    const openclPort::SpecializationConstants set = known.specialization_constants();
    Rcpp::List constants;
    for (const auto& constant : set) constants.push_back(constant_to_r(constant.second), constant.first);
    return Rcpp::List::create(
        Rcpp::Named("state") = openclPort::bundle_state_name(known.state()),
        Rcpp::Named("device") = known.device().name, Rcpp::Named("device_index") = known.device().index,
        Rcpp::Named("images") = static_cast<int>(known.image_count()), Rcpp::Named("options") = known.options(),
        Rcpp::Named("constants") = constants, Rcpp::Named("from_disk") = known.from_disk(),
        Rcpp::Named("build_log") = known.build_log());
  });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_kernels_cpp(SEXP bundle) {
  return guard_core([&] { return Rcpp::List::create(Rcpp::Named("value") = bundle_of(bundle).kernel_names()); });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_kernel_info_cpp(SEXP bundle, const std::vector<std::string>& kernels) {
  return guard_core([&] {
    const R_xlen_t n = kernels.size();
    Rcpp::NumericVector group(n), multiple(n), private_memory(n), local_memory(n);
    Rcpp::IntegerVector arguments(n), x(n), y(n), z(n);
    for (R_xlen_t k = 0; k < n; ++k) {
      const openclPort::KernelInfo info = bundle_of(bundle).kernel_info(kernels[k]);
      group[k] = static_cast<double>(info.work_group_size);
      multiple[k] = static_cast<double>(info.preferred_multiple);
      private_memory[k] = static_cast<double>(info.private_mem);
      local_memory[k] = static_cast<double>(info.local_mem);
      arguments[k] = static_cast<int>(info.arguments);
      x[k] = required_size(info, 0);
      y[k] = required_size(info, 1);
      z[k] = required_size(info, 2);
    }
    return Rcpp::List::create(
        Rcpp::Named("kernel") = kernels, Rcpp::Named("work_group_size") = group,
        Rcpp::Named("preferred_multiple") = multiple, Rcpp::Named("private_memory") = private_memory,
        Rcpp::Named("local_memory") = local_memory, Rcpp::Named("arguments") = arguments, Rcpp::Named("required_x") = x,
        Rcpp::Named("required_y") = y, Rcpp::Named("required_z") = z);
  });
}

// [[Rcpp::export(rng = false)]]
Rcpp::List bundle_compatible_cpp(SEXP bundle, const std::string& device, const std::vector<std::string>& kernels) {
  return guard_core([&] {
    const KernelBundle& known = bundle_of(bundle);
    const auto chosen = openclPort::select_device(device);
    return Rcpp::List::create(Rcpp::Named("value") = chosen && known.compatible_with(*chosen, kernels));
  });
}

// A kernel of a bundle in the plain shape: columns of n doubles or ints, then out and len.
// [[Rcpp::export(rng = false)]]
Rcpp::List run_bundle_cpp(SEXP bundle, const std::string& kernel_name, const Rcpp::List& columns, int n) {
  return guard_core([&] {
    openclPort::RunReport report;
    report.function = kernel_name;
    report.elements = n;
    return run_plain_kernel([&] { return openclPort::KernelCall(bundle_of(bundle), kernel_name, &report); }, kernel_name,
                            columns, n, report);
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
Rcpp::List nmath_library_cpp(const std::vector<std::string>& functions, bool header) {
  return guard_core([&] {
    const std::string text =
        header ? openclPort::nmath_library_header(functions) : openclPort::nmath_library_program(functions);
    return Rcpp::List::create(Rcpp::Named("value") = Rcpp::String(text, CE_UTF8));
  });
}

// ---- disk cache ----

// [[Rcpp::export(rng = false)]]
Rcpp::List cache_info_cpp() {
  const openclPort::ProgramCacheInfo info = openclPort::program_cache_info();
  return Rcpp::List::create(
      Rcpp::Named("folder") = info.folder, Rcpp::Named("entries") = static_cast<int>(info.entries),
      Rcpp::Named("bytes") = static_cast<double>(info.bytes), Rcpp::Named("problem") = info.problem);
}

// [[Rcpp::export(rng = false)]]
int cache_clear_cpp() { return static_cast<int>(openclPort::clear_program_cache()); }

// What the user has to hear about the folder, once; "" where nothing.
// [[Rcpp::export(rng = false)]]
std::string cache_warning_cpp() { return openclPort::take_program_cache_warning(); }

// cache_place() of R/disk_cache.R says where programs are kept, each time anew: options may change.
// [[Rcpp::init]]
void cache_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_program_cache_resolver([] {
    const Rcpp::Function place("cache_place", Rcpp::Environment::namespace_env("nmathopencl"));
    const std::vector<std::string> paths = Rcpp::as<std::vector<std::string>>(place());
    return openclPort::CachePlace{paths.at(0), paths.at(1)};
  });
}
