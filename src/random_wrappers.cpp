// random_wrappers -- the R boundary of the functions that draw: parameters in, draws and plain facts out.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition; R/random.R raises what went wrong.
#include <Rcpp.h>

#include <cmath>

#include "elementwise.h"
#include "multinomial.h"
#include "nmath_error.h"
#include "r_boundary.h"
#include "random_results.h"
#include "vector_columns.h"

using openclPort::Column;
using openclPort::KernelKind;
using openclPort::KernelSpec;

namespace {

std::uint64_t seed_of(const Rcpp::NumericVector& words) {
  return static_cast<std::uint64_t>(words[0]) << 32 | static_cast<std::uint64_t>(words[1]);
}

Rcpp::List draws_to_list(SEXP value, bool missing, const openclPort::RunReport& report) {
  Rcpp::CharacterVector warnings;
  if (missing) warnings.push_back("NAs produced");
  return Rcpp::List::create(Rcpp::Named("value") = value, Rcpp::Named("warnings") = warnings,
                            Rcpp::Named("report") = report_to_list(report));
}

}  // namespace

// 64 random bits of R's own generator, as two words of 32.
// [[Rcpp::export]]
Rcpp::NumericVector draw_seed_cpp() {
  Rcpp::NumericVector words(2);
  for (double& word : words) word = std::floor(unif_rand() * 4294967296.0);
  return words;
}

// n > 0 draws; `seed` as draw_seed_cpp() gives it. `progress` is NULL or a function, see CallMonitor.
// [[Rcpp::export(rng = false)]]
Rcpp::List random_cpp(const std::string& name, double n, const Rcpp::List& columns, const Rcpp::NumericVector& seed,
                      const std::string& device, Rcpp::RObject progress) {
  return guard_core([&]() -> Rcpp::List {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    if (!spec.draws()) throw openclPort::NmathError("function '" + name + "' does not draw");
    std::vector<Column> arguments;
    for (R_xlen_t k = 0; k < columns.size(); ++k) arguments.push_back(column_of(columns[k]));

    const std::size_t length = static_cast<std::size_t>(n);
    const bool counts = spec.kind == KernelKind::counts;
    Rcpp::NumericVector out(Rcpp::no_init(static_cast<R_xlen_t>(n)));
    Rcpp::IntegerVector whole(Rcpp::no_init(counts ? static_cast<R_xlen_t>(n) : 0));
    openclPort::RunReport report;
    apply_thread_option();
    openclPort::DrawScan scan(spec, arguments, out.begin(), counts ? whole.begin() : nullptr);
    CallMonitor monitor(progress, length);
    openclPort::CallHooks hooks;
    hooks.interrupted = [&] { return monitor.poll(); };
    hooks.finished = [&](std::size_t begin, std::size_t end) {
      scan.piece(begin, end);
      monitor.finished(end - begin);
    };
    openclPort::run_elementwise(device, spec, arguments, length, out.begin(), report, hooks, seed_of(seed));
    if (counts && !scan.beyond_integers()) return draws_to_list(whole, scan.produced_missing(), report);
    if (counts) scan.finish_doubles(length);
    return draws_to_list(out, scan.produced_missing(), report);
  });
}

// n > 0 columns of counts, one row per element of `prob`.
// [[Rcpp::export(rng = false)]]
Rcpp::List multinomial_cpp(const std::string& name, double n, double size, const Rcpp::NumericVector& prob,
                           const Rcpp::NumericVector& seed, const std::string& device, Rcpp::RObject progress) {
  return guard_core([&]() -> Rcpp::List {
    const std::size_t columns = static_cast<std::size_t>(n), cells = static_cast<std::size_t>(prob.size());
    Rcpp::IntegerVector counts(Rcpp::no_init(static_cast<R_xlen_t>(columns * cells)));
    openclPort::RunReport report;
    apply_thread_option();
    CallMonitor monitor(progress, columns);
    openclPort::CallHooks hooks;
    hooks.interrupted = [&] { return monitor.poll(); };
    hooks.finished = [&](std::size_t begin, std::size_t end) { monitor.finished(end - begin); };
    openclPort::run_multinomial(device, openclPort::find_kernel_spec(name), {size, prob.begin(), cells}, columns,
                                counts.begin(), report, hooks, seed_of(seed));
    return draws_to_list(counts, false, report);
  });
}

// The R type of a function's draws, for results that no device computes.
// [[Rcpp::export(rng = false)]]
bool draws_integers_cpp(const std::string& name) {
  const KernelKind kind = openclPort::find_kernel_spec(name).kind;
  return kind == KernelKind::counts || kind == KernelKind::cells;
}
