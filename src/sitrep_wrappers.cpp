// sitrep_wrappers -- R boundary of opencl_sitrep(). Reports what it finds, and never throws for it.
#include "base/shared_object.h"
#include "device/pair_probe.h"
#include "r_boundary.h"

using openclPort::DeviceInfo;
using openclPort::DriverReport;
using openclPort::PlatformReport;
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
  const std::vector<DriverReport> reports = openclPort::driver_reports();
  std::vector<PlatformReport> all;
  for (const DriverReport& report : reports) all.insert(all.end(), report.platforms.begin(), report.platforms.end());
  const Strings skipped = [] {
    try {
      return openclPort::skipped_devices();
    } catch (const openclPort::NmathError& error) {
      return Strings{error.what()};
    }
  }();
  return r::enter([&] {
    r::List result(11);
    result.add("built", r::column(reports, &DriverReport::built));
    result.add("library", r::column(reports, &DriverReport::library));
    result.add("version", r::column(reports, &DriverReport::library_version));
    result.add("problem", r::column(reports, &DriverReport::problem));
    result.add("platform_index", r::column(all, &PlatformReport::index));
    result.add("platform_name", r::column(all, &PlatformReport::name));
    result.add("platform_vendor", r::column(all, &PlatformReport::vendor));
    result.add("platform_version", r::column(all, &PlatformReport::version));
    result.add("platform_devices", r::column(all, &PlatformReport::devices));
    result.add("platform_problem", r::column(all, &PlatformReport::problem));
    return result.add("skipped", skipped).done();
  });
}

// The devices of the list by the names of the documented selection, each with its probe and why that failed.
// [[Rcpp::export(rng = false)]]
SEXP device_probes_cpp() {
  const std::vector<DeviceInfo> devices = interruptible(openclPort::list_devices);
  std::vector<int> works;
  std::vector<double> pair_speed;
  Strings pair_failure, failure;
  for (const DeviceInfo& device : devices) {
    const openclPort::Fp64Probe probe = interruptible([&] { return openclPort::fp64_probe(device); });
    works.push_back(probe.works ? 1 : 0);
    pair_failure.push_back(interruptible([&] { return openclPort::pair_probe(device); }).reason);
    pair_speed.push_back(interruptible([&] { return openclPort::pair_speed(device); }));
    failure.push_back(probe.log.empty() ? probe.reason : probe.reason + ": " + probe.log);
  }
  return r::enter([&] {
    r::List result(13);
    result.add("index", r::column(devices, &DeviceInfo::index));
    result.add("platform_index", r::column(devices, &DeviceInfo::platform_index));
    result.add("device_index", r::column(devices, &DeviceInfo::device_index));
    result.add("platform_vendor", r::column(devices, &DeviceInfo::platform_vendor));
    result.add("platform_name", r::column(devices, &DeviceInfo::platform_name));
    result.add("device_vendor", r::column(devices, &DeviceInfo::vendor));
    result.add("device_name", r::column(devices, &DeviceInfo::name));
    result.add("device_type", r::column(devices, &DeviceInfo::type));
    result.add("extension_cl_khr_fp64", r::column(devices, &DeviceInfo::fp64_extension));
    result.add("probe_fp64_ok", r::value(works, LGLSXP)).add("probe_failure", failure);
    return result.add("pair_failure", pair_failure).add("pair_speed", pair_speed).done();
  });
}

// Why the system does not load a library, by name or path; "" where it does.
// [[Rcpp::export(rng = false)]]
std::string loading_problem_cpp(const std::string& library) { return openclPort::loading_problem(library); }
