// random_wrappers -- the R boundary of the functions that draw: parameters in, draws and plain facts out.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition; R/random.R raises what went wrong.
#include <cmath>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "engine/kept_draws.h"
#include "engine/multinomial.h"
#include "engine/transfer.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "rules/random_results.h"
#include "vector_columns.h"

using openclPort::Buffer;
using openclPort::Column;
using openclPort::ElementType;
using openclPort::KernelKind;
using openclPort::KernelSpec;
using openclPort::SharedDevice;

namespace {

std::uint64_t seed_of(SEXP words) {
  return static_cast<std::uint64_t>(REAL(words)[0]) << 32 | static_cast<std::uint64_t>(REAL(words)[1]);
}

SEXP draws_to_list(SEXP value, bool missing, const openclPort::RunReport& report) {
  return result_list(value, std::vector<std::string>(missing ? 1 : 0, "NAs produced"), report);
}

// Parameters: R's vectors, or such as stay on a device, which is then the call's.
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

// Whether R warns of draws without a value, which stay on the device: they and the parameters are looked at in blocks.
bool kept_draws_warn(const KernelSpec& spec, Parameters given, const openclPort::Resident& draws) {
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
    if (openclPort::draws_warn(spec, given.columns, some.data(), first, count)) return true;
  }
  return false;
}

// On a device with memory of its own: `value` is the handle of draws that stay there, doubles or, as `type` says,
// integers.
SEXP keep_draws(const KernelSpec& spec, const Parameters& given, std::size_t n, std::uint64_t seed, SEXP progress) {
  openclPort::RunReport report;
  openclPort::DrawsFound found;
  const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
  const auto draw = [&](int type, bool na) {
    auto vector = handles::make_vector(given.device, type, n, list, 0);
    const openclPort::KeptDraws kept = {given.resident, &vector->resident->buffer(), na};
    found = handles::with_memory([&] {
      CallMonitor monitor(progress, n);
      report = openclPort::RunReport();
      return openclPort::run_kept_draws(given.device, spec, given.columns, kept, n, report, hooks_of(monitor), seed);
    });
    return vector;
  };
  const bool counts = spec.kind == KernelKind::counts;
  auto vector = draw(counts ? handles::integers : handles::doubles, false);
  if (found.beyond) {
    vector.reset();  // they are doubles then; there need not be room for both
    vector = draw(handles::doubles, true);
  }
  const bool warns = found.missing && kept_draws_warn(spec, given, *vector->resident);
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

// n > 0 draws; `seed` as draw_seed_cpp() gives it. `columns`: a list of vectors, and of handles of such as lie on a
// device, which is then the call's. `progress` is NULL or a function, see CallMonitor. If `keep`, the draws stay on a
// device with memory of its own: `value` is then a handle of doubles or integers. Those of the host device are R's.
// [[Rcpp::export(rng = false)]]
SEXP random_cpp(const std::string& name, double n, SEXP columns, SEXP seed, const std::string& device, SEXP progress,
                bool keep = false) {
  return guard_core([&]() -> SEXP {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    if (!spec.draws()) throw openclPort::NmathError("function '" + name + "' does not draw");
    Parameters given = parameters_of(columns);
    const std::vector<Column>& arguments = given.columns;
    const std::size_t length = static_cast<std::size_t>(n);
    if (given.device == nullptr && keep) given.device = open_device(openclPort::select_device(device));
    apply_thread_option();
    if (given.device != nullptr && !handles::in_r_memory(given.device->info()))
      return keep_draws(spec, given, length, seed_of(seed), progress);
    const bool counts = spec.kind == KernelKind::counts;
    const r::Keep out(r::enter([&] { return Rf_allocVector(REALSXP, static_cast<R_xlen_t>(n)); }));
    const r::Keep whole(r::enter([&] { return Rf_allocVector(INTSXP, counts ? static_cast<R_xlen_t>(n) : 0); }));
    openclPort::RunReport report;
    openclPort::DrawScan scan(spec, arguments, REAL(out), counts ? INTEGER(whole) : nullptr);
    CallMonitor monitor(progress, length);
    const openclPort::CallHooks hooks =
        hooks_of(monitor, [&scan](std::size_t begin, std::size_t end) { scan.piece(begin, end); });
    const std::string& where = given.device != nullptr ? given.device->info().name : device;
    openclPort::run_elementwise(where, spec, arguments, length, REAL(out), report, hooks, seed_of(seed));
    if (counts && !scan.beyond_integers()) return draws_to_list(whole, scan.produced_missing(), report);
    if (counts) scan.finish_doubles(length);
    return draws_to_list(out, scan.produced_missing(), report);
  });
}

// n > 0 columns of counts, one row per element of `prob`; `keep` as above.
// [[Rcpp::export(rng = false)]]
SEXP multinomial_cpp(const std::string& name, double n, double size, SEXP prob, SEXP seed, const std::string& device,
                     SEXP progress, bool keep = false) {
  return guard_core([&]() -> SEXP {
    const std::size_t columns = static_cast<std::size_t>(n), rows = static_cast<std::size_t>(Rf_xlength(prob));
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    const SharedDevice opened = open_device(openclPort::select_device(device));
    const bool stays = keep && !handles::in_r_memory(opened->info());
    const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
    std::unique_ptr<handles::Vector> vector;
    openclPort::Cells cells;
    if (stays) {
      vector = handles::make_vector(opened, handles::integers, columns * rows, list, 0);
      cells.kept = &vector->resident->buffer();
    } else {
      SET_VECTOR_ELT(list, 0, r::enter([&] { return Rf_allocVector(INTSXP, static_cast<R_xlen_t>(columns * rows)); }));
      cells.out = INTEGER(VECTOR_ELT(list, 0));
    }
    openclPort::RunReport report;
    apply_thread_option();
    CallMonitor monitor(progress, columns);
    const openclPort::CallHooks hooks = hooks_of(monitor);
    run_multinomial(opened, spec, {size, REAL(prob), rows}, columns, cells, report, hooks, seed_of(seed));
    if (stays) handles::hand_over(std::move(vector), list, 0);
    return draws_to_list(VECTOR_ELT(list, 0), false, report);
  });
}

// The R type of a function's draws, for results that no device computes.
// [[Rcpp::export(rng = false)]]
bool draws_integers_cpp(const std::string& name) {
  const KernelKind kind = openclPort::find_kernel_spec(name).kind;
  return kind == KernelKind::counts || kind == KernelKind::cells;
}
