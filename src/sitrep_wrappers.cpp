// sitrep_wrappers -- R boundary of opencl_sitrep(). Reports what it finds, and never throws for it.
#include "base/shared_object.h"
#include "device/pair_probe.h"
#include "r_boundary.h"

using openclPort::DeviceInfo;
using Strings = std::vector<std::string>;

// How this shared object was compiled.
// [[Rcpp::export(rng = false)]]
SEXP build_facts_cpp() {
  bool sdk = false;
  for (const openclPort::DriverReport& report : openclPort::driver_reports()) sdk = sdk || report.headers;
#if defined(__clang__)
  const std::string compiler = std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = std::string("gcc ") + __VERSION__;
#else
  const std::string compiler = "unknown";
#endif
#if defined(__x86_64__)
  const std::string processor = "x86_64";
#elif defined(__aarch64__)
  const std::string processor = "aarch64";
#else
  const std::string processor = "other";
#endif
#ifdef __OPTIMIZE__
  const bool optimized = true;
#else
  const bool optimized = false;
#endif
  const int standard = static_cast<int>(__cplusplus / 100 % 100);
  return r::enter([&] {
    r::List facts(5);
    facts.add("sdk", sdk).add("compiler", compiler).add("processor", processor);
    return facts.add("optimized", optimized).add("standard", standard).done();
  });
}

// The libraries of the kinds of devices, and their platforms as columns.
// [[Rcpp::export(rng = false)]]
SEXP driver_reports_cpp() {
  Strings library, version, problem, name, vendor, platform_version, platform_problem;
  std::vector<int> built, index, devices;
  for (const openclPort::DriverReport& report : openclPort::driver_reports()) {
    built.push_back(report.built ? 1 : 0);
    library.push_back(report.library);
    version.push_back(report.library_version);
    problem.push_back(report.problem);
    for (const openclPort::PlatformReport& platform : report.platforms) {
      index.push_back(platform.index);
      name.push_back(platform.name);
      vendor.push_back(platform.vendor);
      platform_version.push_back(platform.version);
      devices.push_back(platform.devices);
      platform_problem.push_back(platform.problem);
    }
  }
  const Strings skipped = [] {
    try {
      return openclPort::skipped_devices();
    } catch (const openclPort::NmathError& error) {
      return Strings{error.what()};
    }
  }();
  return r::enter([&] {
    SEXP const is_built = PROTECT(r::value(built, LGLSXP));
    r::List result(11);
    result.add("built", is_built).add("library", library).add("version", version).add("problem", problem);
    result.add("platform_index", index).add("platform_name", name).add("platform_vendor", vendor);
    result.add("platform_version", platform_version).add("platform_devices", devices);
    result.add("platform_problem", platform_problem).add("skipped", skipped);
    SEXP const list = result.done();
    UNPROTECT(1);
    return list;
  });
}

// The devices of the list by the names of the documented selection, each with its probe and why that failed.
// [[Rcpp::export(rng = false)]]
SEXP device_probes_cpp() {
  std::vector<int> index, platform_index, device_index, extension, works;
  std::vector<double> pair_speed;
  Strings pair_failure;
  Strings platform_vendor, platform_name, vendor, name, type, failure;
  for (const DeviceInfo& device : interruptible(openclPort::list_devices)) {
    const openclPort::Fp64Probe probe = interruptible([&] { return openclPort::fp64_probe(device); });
    index.push_back(device.index);
    platform_index.push_back(device.platform_index);
    device_index.push_back(device.device_index);
    platform_vendor.push_back(device.platform_vendor);
    platform_name.push_back(device.platform_name);
    vendor.push_back(device.vendor);
    name.push_back(device.name);
    type.push_back(device.type);
    extension.push_back(device.fp64_extension ? 1 : 0);
    works.push_back(probe.works ? 1 : 0);
    const openclPort::Fp64Probe pairs = interruptible([&] { return openclPort::pair_probe(device); });
    pair_failure.push_back(pairs.reason);
    pair_speed.push_back(interruptible([&] { return openclPort::pair_speed(device); }));
    failure.push_back(probe.log.empty() ? probe.reason : probe.reason + ": " + probe.log);
  }
  return r::enter([&] {
    SEXP const are_working = PROTECT(r::value(works, LGLSXP));
    SEXP const declare = PROTECT(r::value(extension, LGLSXP));
    r::List result(13);
    result.add("index", index).add("platform_index", platform_index).add("device_index", device_index);
    result.add("platform_vendor", platform_vendor).add("platform_name", platform_name);
    result.add("device_vendor", vendor).add("device_name", name).add("device_type", type);
    result.add("extension_cl_khr_fp64", declare).add("probe_fp64_ok", are_working).add("probe_failure", failure);
    result.add("pair_failure", pair_failure).add("pair_speed", pair_speed);
    SEXP const list = result.done();
    UNPROTECT(2);
    return list;
  });
}

// Why the system does not load a library, by name or path; "" where it does.
// [[Rcpp::export(rng = false)]]
std::string loading_problem_cpp(const std::string& library) { return openclPort::loading_problem(library); }
