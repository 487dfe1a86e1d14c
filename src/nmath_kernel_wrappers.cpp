// nmath_kernel_wrappers -- the R boundary of the elementwise functions: R vectors in, R vectors and plain facts out.
//
// Nothing here signals an R condition: what went wrong goes back as data, and R/elementwise.R raises it.
#include <Rcpp.h>

#include "elementwise.h"
#include "missing_values.h"
#include "nmath_error.h"
#include "r_boundary.h"
#include "vector_columns.h"

using openclPort::Column;
using openclPort::KernelSpec;

namespace {

bool is_numeric(SEXP x) { return Rf_isNumeric(x); }  // double, integer and logical, but no factor

// A zero-length result keeps the first argument's attributes in functions of up to two arguments (R 4.2's rule).
bool keeps_empty_attributes(const KernelSpec& spec) { return spec.n_real <= 2; }

// The argument whose attributes the result takes: the first one as long as the result, or none.
SEXP attribute_source(const KernelSpec& spec, const Rcpp::List& columns, R_xlen_t n) {
  if (n == 0) {
    SEXP first = columns[0];
    return Rf_xlength(first) == 0 && keeps_empty_attributes(spec) ? first : R_NilValue;
  }
  for (R_xlen_t k = 0; k < columns.size(); ++k)
    if (Rf_xlength(columns[k]) == n) return columns[k];
  return R_NilValue;
}

R_xlen_t result_length(const Rcpp::List& columns) {
  R_xlen_t n = 0;
  for (R_xlen_t k = 0; k < columns.size(); ++k) {
    const R_xlen_t length = Rf_xlength(columns[k]);
    if (length == 0) return 0;
    n = std::max(n, length);
  }
  return n;
}

const char* not_numeric_text(bool base_function) {
  return base_function ? "non-numeric argument to mathematical function"
                       : "Non-numeric argument to mathematical function";
}

// The d, p and q functions are those of stats; everything else speaks as base does.
bool is_distribution(const KernelSpec& spec) { return spec.n_flags > 0; }

}  // namespace

// `progress` is NULL or a function, see CallMonitor.
// [[Rcpp::export(rng = false)]]
Rcpp::List elementwise_cpp(const std::string& name, const Rcpp::List& columns, const Rcpp::IntegerVector& flags,
                           const std::string& device, Rcpp::RObject progress) {
  return guard_core([&]() -> Rcpp::List {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    for (R_xlen_t k = 0; k < columns.size(); ++k)
      if (!is_numeric(columns[k]))
        return Rcpp::List::create(Rcpp::Named("not_numeric") = not_numeric_text(!is_distribution(spec)));

    const R_xlen_t n = result_length(columns);
    std::vector<Column> arguments;
    for (R_xlen_t k = 0; k < columns.size(); ++k) arguments.push_back(column_of(columns[k]));
    for (R_xlen_t k = 0; k < flags.size(); ++k) arguments.push_back({flags.begin() + k, 1, Column::Type::i32});

    Rcpp::NumericVector out(Rcpp::no_init(n));
    openclPort::RunReport report;
    std::vector<std::string> warnings;
    if (n > 0) {
      apply_thread_option();
      openclPort::ResultScan scan(spec, arguments, out.begin());
      CallMonitor monitor(progress, static_cast<std::size_t>(n));
      openclPort::CallHooks hooks;
      hooks.interrupted = [&] { return monitor.poll(); };
      hooks.finished = [&](std::size_t begin, std::size_t end) {
        scan.piece(begin, end);
        monitor.finished(end - begin);
      };
      openclPort::run_elementwise(device, spec, arguments, static_cast<std::size_t>(n), out.begin(), report, hooks);
      warnings = scan.warnings();
    } else {
      report.function = spec.name;
      report.device = report.device_type = "none";
    }
    SEXP source = attribute_source(spec, columns, n);
    if (source != R_NilValue) SHALLOW_DUPLICATE_ATTRIB(out, source);
    return Rcpp::List::create(Rcpp::Named("value") = out, Rcpp::Named("warnings") = warnings,
                              Rcpp::Named("report") = report_to_list(report));
  });
}
