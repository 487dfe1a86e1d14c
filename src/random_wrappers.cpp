// random_wrappers -- R boundary of the functions that draw.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition; R/random.R raises what went wrong.
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "base/sizes.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "engine/transfer.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "result_memory.h"
#include "rules/random_results.h"
#include "vector_columns.h"

using openclPort::Buffer;
using openclPort::Column;
using openclPort::DeviceRange;
using openclPort::ElementType;
using openclPort::KernelKind;
using openclPort::KernelSpec;
using openclPort::SharedDevice;

namespace {

// The draws of a seed, given as two words, from number `first` on.
openclPort::DrawStream stream_of(SEXP words, double first, bool tables = true) {
  const auto seed = static_cast<std::uint64_t>(REAL(words)[0]) << 32 | static_cast<std::uint64_t>(REAL(words)[1]);
  return {seed, static_cast<std::uint64_t>(first), tables};
}

SEXP draws_to_list(SEXP value, bool missing, const openclPort::RunReport& report) {
  return result_list(value, std::vector<std::string>(missing ? 1 : 0, "NAs produced"), report);
}

// Parameters: R's vectors, or such as are resident on a device, which is then the call's.
struct Parameters {
  std::vector<Column> columns;
  std::vector<const Buffer*> resident;  // null: in this process' memory
  SharedDevice device;                  // null: none of them says
};

Parameters parameters_of(SEXP list) {
  Parameters given;
  for (R_xlen_t k = 0; k < Rf_xlength(list); ++k) {
    SEXP const x = VECTOR_ELT(list, k);
    Column column;
    const Buffer* resident = nullptr;
    if (TYPEOF(x) == EXTPTRSXP) {
      const openclPort::Resident& vector = handles::resident_on(x, given.device);
      const bool real = vector.type() == ElementType::f64;
      resident = &vector.buffer();
      column = {resident->host(), vector.elements(), real ? Column::Type::f64 : Column::Type::i32};
    } else {
      r::enter([&] {
        column = column_of(x);
        return R_NilValue;
      });
    }
    given.columns.push_back(column);
    given.resident.push_back(resident);
  }
  return given;
}

// Whether R warns of draws without a value, which are resident on the device: they and the parameters are looked at in
// blocks. The draws are elements `begin` and on of the call.
bool device_draws_warn(const KernelSpec& spec, Parameters given, const openclPort::Resident& draws, std::size_t begin) {
  constexpr std::size_t block = std::size_t{1} << 20;
  if (openclPort::draws_always_warn(spec)) return true;
  std::vector<std::vector<double>> fetched(given.columns.size());
  for (std::size_t k = 0; k < fetched.size(); ++k) {
    if (given.resident[k] == nullptr) continue;
    fetched[k].resize(given.columns[k].length);
    fetch_bytes(given.device, *given.resident[k], 0, fetched[k].data(), fetched[k].size() * sizeof(double));
    given.columns[k].data = fetched[k].data();
  }
  std::vector<double> some(std::min(block, draws.elements()));
  CallMonitor monitor(R_NilValue, draws.elements());
  for (std::size_t first = 0; first < draws.elements(); first += block) {
    const std::size_t count = std::min(block, draws.elements() - first);
    openclPort::stop_if([&monitor] { return monitor.poll(); });
    fetch_bytes(draws.device(), draws.buffer(), first * sizeof(double), some.data(), count * sizeof(double));
    if (openclPort::draws_warn(spec, given.columns, some.data(), begin + first, count)) return true;
  }
  return false;
}

// On devices with memory of their own: `value` is the handle of resident draws there, doubles or, as `type` says,
// integers.
SEXP resident_draws(const KernelSpec& spec, const Parameters& given, const std::vector<SharedDevice>& devices,
                    std::size_t n, openclPort::DrawStream stream, SEXP progress) {
  openclPort::RunReport report;
  openclPort::DrawsFound found;
  const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
  const std::vector<DeviceRange> ranges = resident_split(devices, n);
  std::vector<handles::Part> parts;
  const auto draw = [&](int type, bool na) {
    auto vector = handles::make_vector(ranges, type, list, 0);
    parts = vector->parts.empty() ? std::vector<handles::Part>{{0, vector->resident}} : vector->parts;
    std::vector<openclPort::ElementwisePart> calls;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const openclPort::ElementRange range = {ranges[p].first, ranges[p].count, n};
      calls.push_back({ranges[p].device,
                       {spec, given.columns, given.resident, range, nullptr, &parts[p].resident->buffer(), stream}});
    }
    handles::with_memory([&] {
      CallMonitor monitor(progress, n);
      report = openclPort::RunReport();
      found = run_resident_draws(calls, na, report, hooks_of(monitor));
      return 0;
    });
    return vector;
  };
  const bool counts = spec.kind == KernelKind::counts;
  auto vector = draw(counts ? handles::integers : handles::doubles, false);
  if (found.beyond) {
    parts.clear();
    vector.reset();  // they are doubles then; there need not be room for both
    vector = draw(handles::doubles, true);
  }
  bool warns = false;
  for (std::size_t p = 0; p < parts.size() && found.missing && !warns; ++p)
    warns = device_draws_warn(spec, given, *parts[p].resident, parts[p].first);
  handles::hand_over(std::move(vector), list, 0);
  return draws_to_list(VECTOR_ELT(list, 0), warns, report);
}

}  // namespace

// 64 random bits of R's own generator, as two words of 32.
// [[Rcpp::export(rng = false)]]
SEXP draw_seed_cpp() {
  return r::enter([] {
    SEXP const words = PROTECT(Rf_allocVector(REALSXP, 2));
    GetRNGstate();
    for (int k = 0; k < 2; ++k) REAL(words)[k] = std::floor(unif_rand() * 4294967296.0);
    PutRNGstate();
    UNPROTECT(1);
    return words;
  });
}

// n > 0 draws of the stream of `seed`, as draw_seed_cpp() gives it, from number `first` on, counted from 0. `columns`:
// a list of vectors, and of handles of such as are resident on a device, which is then the call's. `progress` is NULL
// or a function, see CallMonitor. `tables`: see DrawStream. If `keep`, the draws stay on devices with memory of their
// own: `value` is then a handle of doubles or integers. Those of the host device are R's, and so are those of several
// devices that it is one of.
// [[Rcpp::export(rng = false)]]
SEXP random_cpp(const std::string& name, double n, SEXP columns, SEXP seed, const std::vector<std::string>& device,
                SEXP progress, bool keep = false, double first = 0, bool tables = true) {
  return guard_core([&]() -> SEXP {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    if (!spec.draws()) throw openclPort::NmathError("function '" + name + "' does not draw");
    const Parameters given = parameters_of(columns);
    const std::vector<Column>& arguments = given.columns;
    const std::size_t length = openclPort::size_of_number(n, "the number of draws");
    const std::vector<SharedDevice> devices =
        given.device != nullptr ? std::vector<SharedDevice>{given.device} : openclPort::open_devices(device);
    const openclPort::DrawStream stream = stream_of(seed, first, tables);
    apply_thread_option();
    const bool in_r = std::any_of(devices.begin(), devices.end(),
                                  [](const SharedDevice& one) { return handles::in_r_memory(one->info()); });
    if ((keep || given.device != nullptr) && !in_r)
      return resident_draws(spec, given, devices, length, stream, progress);
    const bool counts = spec.kind == KernelKind::counts;
    const r::Keep out(new_result(REALSXP, static_cast<R_xlen_t>(n)));
    const r::Keep whole(new_result(INTSXP, counts ? static_cast<R_xlen_t>(n) : 0));
    openclPort::RunReport report;
    openclPort::DrawScan scan(spec, arguments, counts ? INTEGER(whole) : nullptr);
    CallMonitor monitor(progress, length);
    const openclPort::CallHooks hooks = hooks_of(monitor, scan);
    openclPort::run_elementwise(devices, spec, arguments, length, REAL(out), report, hooks, stream);
    if (counts && !scan.beyond_integers()) return draws_to_list(whole, scan.produced_missing(), report);
    if (counts) openclPort::finish_doubles(REAL(out), length);
    return draws_to_list(out, scan.produced_missing(), report);
  });
}

// n > 0 columns of counts, one row per element of `prob`; `keep` and `first` as above, but those of several devices are
// always R's.
// [[Rcpp::export(rng = false)]]
SEXP multinomial_cpp(const std::string& name, double n, double size, SEXP prob, SEXP seed,
                     const std::vector<std::string>& device, SEXP progress, bool keep = false, double first = 0) {
  return guard_core([&]() -> SEXP {
    const std::size_t columns = openclPort::size_of_number(n, "the number of draws");
    const std::size_t rows = static_cast<std::size_t>(Rf_xlength(prob));
    openclPort::product_of_sizes(columns, rows, "the size of the result");
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    const std::vector<SharedDevice> devices = openclPort::open_devices(device);
    const SharedDevice& opened = devices.front();
    const bool stays = keep && devices.size() == 1 && !handles::in_r_memory(opened->info());
    const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
    openclPort::RunReport report;
    const openclPort::DrawStream stream = stream_of(seed, first);
    const openclPort::Multinomial what = {size, REAL(prob), rows};
    apply_thread_option();
    CallMonitor monitor(progress, columns);
    if (stays) {
      auto vector = handles::make_vector(opened, handles::integers, columns * rows, list, 0);
      const openclPort::Cells cells = {nullptr, &vector->resident->buffer()};
      run_multinomial(opened, spec, what, columns, cells, report, hooks_of(monitor), stream);
      handles::hand_over(std::move(vector), list, 0);
    } else {
      SET_VECTOR_ELT(list, 0, new_result(INTSXP, static_cast<R_xlen_t>(columns * rows)));
      int* const out = INTEGER(VECTOR_ELT(list, 0));
      run_multinomial(devices, spec, what, columns, out, report, hooks_of(monitor), stream);
    }
    return draws_to_list(VECTOR_ELT(list, 0), false, report);
  });
}

// The R type of a function's draws, for results that no device computes.
// [[Rcpp::export(rng = false)]]
bool draws_integers_cpp(const std::string& name) {
  const KernelKind kind = openclPort::find_kernel_spec(name).kind;
  return kind == KernelKind::counts || kind == KernelKind::cells;
}
