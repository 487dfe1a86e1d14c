// random_wrappers -- the R boundary of the functions that draw: parameters in, draws and plain facts out.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition; R/random.R raises what went wrong.
#include <cmath>

#include "base/nmath_error.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "r_boundary.h"
#include "rules/random_results.h"
#include "vector_columns.h"

using openclPort::Column;
using openclPort::KernelKind;
using openclPort::KernelSpec;

namespace {

std::uint64_t seed_of(SEXP words) {
  return static_cast<std::uint64_t>(REAL(words)[0]) << 32 | static_cast<std::uint64_t>(REAL(words)[1]);
}

SEXP draws_to_list(SEXP value, bool missing, const openclPort::RunReport& report) {
  return result_list(value, std::vector<std::string>(missing ? 1 : 0, "NAs produced"), report);
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

// n > 0 draws; `seed` as draw_seed_cpp() gives it. `progress` is NULL or a function, see CallMonitor.
// [[Rcpp::export(rng = false)]]
SEXP random_cpp(const std::string& name, double n, SEXP columns, SEXP seed, const std::string& device, SEXP progress) {
  return guard_core([&]() -> SEXP {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    if (!spec.draws()) throw openclPort::NmathError("function '" + name + "' does not draw");
    const std::vector<Column> arguments = columns_of(columns, R_NilValue);
    const std::size_t length = static_cast<std::size_t>(n);
    const bool counts = spec.kind == KernelKind::counts;
    const r::Keep out(r::enter([&] { return Rf_allocVector(REALSXP, static_cast<R_xlen_t>(n)); }));
    const r::Keep whole(r::enter([&] { return Rf_allocVector(INTSXP, counts ? static_cast<R_xlen_t>(n) : 0); }));
    openclPort::RunReport report;
    apply_thread_option();
    openclPort::DrawScan scan(spec, arguments, REAL(out), counts ? INTEGER(whole) : nullptr);
    CallMonitor monitor(progress, length);
    const openclPort::CallHooks hooks =
        hooks_of(monitor, [&scan](std::size_t begin, std::size_t end) { scan.piece(begin, end); });
    openclPort::run_elementwise(device, spec, arguments, length, REAL(out), report, hooks, seed_of(seed));
    if (counts && !scan.beyond_integers()) return draws_to_list(whole, scan.produced_missing(), report);
    if (counts) scan.finish_doubles(length);
    return draws_to_list(out, scan.produced_missing(), report);
  });
}

// n > 0 columns of counts, one row per element of `prob`.
// [[Rcpp::export(rng = false)]]
SEXP multinomial_cpp(const std::string& name, double n, double size, SEXP prob, SEXP seed, const std::string& device,
                     SEXP progress) {
  return guard_core([&]() -> SEXP {
    const std::size_t columns = static_cast<std::size_t>(n), cells = static_cast<std::size_t>(Rf_xlength(prob));
    const r::Keep counts(r::enter([&] { return Rf_allocVector(INTSXP, static_cast<R_xlen_t>(columns * cells)); }));
    openclPort::RunReport report;
    apply_thread_option();
    CallMonitor monitor(progress, columns);
    const openclPort::CallHooks hooks = hooks_of(monitor);
    openclPort::run_multinomial(device, openclPort::find_kernel_spec(name), {size, REAL(prob), cells}, columns,
                                INTEGER(counts), report, hooks, seed_of(seed));
    return draws_to_list(counts, false, report);
  });
}

// The R type of a function's draws, for results that no device computes.
// [[Rcpp::export(rng = false)]]
bool draws_integers_cpp(const std::string& name) {
  const KernelKind kind = openclPort::find_kernel_spec(name).kind;
  return kind == KernelKind::counts || kind == KernelKind::cells;
}
