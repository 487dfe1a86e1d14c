// nmath_kernel_wrappers -- R boundary of the elementwise functions.
//
// Nothing here signals an R condition: what went wrong goes back as data, and R/elementwise.R raises it.
#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "r_boundary.h"
#include "result_memory.h"
#include "rules/missing_values.h"
#include "vector_columns.h"

using openclPort::Column;
using openclPort::KernelSpec;

namespace {

bool is_numeric(SEXP x) { return Rf_isNumeric(x); }  // double, integer and logical, but no factor

// A zero-length result keeps the first argument's attributes in functions of up to two arguments, and of more where the
// running R's do.
bool keeps_empty_attributes(const KernelSpec& spec) {
  if (spec.n_real <= 2) return true;
  static const bool many = r::string_from("nmathopencl", "empty_attributes", {}) == "kept";
  return many;
}

// The argument whose attributes the result takes: the first one as long as the result, or none.
SEXP attribute_source(const KernelSpec& spec, SEXP columns, R_xlen_t n) {
  if (n == 0) {
    SEXP first = VECTOR_ELT(columns, 0);
    return Rf_xlength(first) == 0 && keeps_empty_attributes(spec) ? first : R_NilValue;
  }
  for (R_xlen_t k = 0; k < Rf_xlength(columns); ++k)
    if (Rf_xlength(VECTOR_ELT(columns, k)) == n) return VECTOR_ELT(columns, k);
  return R_NilValue;
}

R_xlen_t result_length(SEXP columns) {
  R_xlen_t n = 0;
  for (R_xlen_t k = 0; k < Rf_xlength(columns); ++k) {
    const R_xlen_t length = Rf_xlength(VECTOR_ELT(columns, k));
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

// `columns` is a list of vectors, `flags` are integers, `progress` is NULL or a function, see CallMonitor.
// [[Rcpp::export(rng = false)]]
SEXP elementwise_cpp(const std::string& name, SEXP columns, SEXP flags, const std::vector<std::string>& device,
                     SEXP progress) {
  return guard_core([&]() -> SEXP {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    for (R_xlen_t k = 0; k < Rf_xlength(columns); ++k)
      if (!is_numeric(VECTOR_ELT(columns, k)))
        return r::enter([&] { return r::List(1).add("not_numeric", not_numeric_text(!is_distribution(spec))).done(); });

    const R_xlen_t n = result_length(columns);
    const r::Keep out(new_result(REALSXP, n));
    expand_in_chunks(columns);
    const std::vector<Column> arguments = columns_of(columns, flags);
    openclPort::RunReport report;
    std::vector<std::string> warnings;
    if (n > 0) {
      apply_thread_option();
      openclPort::ResultScan scan(spec, arguments);
      CallMonitor monitor(progress, static_cast<std::size_t>(n));
      const openclPort::CallHooks hooks = hooks_of(monitor, scan);
      openclPort::run_elementwise(openclPort::open_devices(device), spec, arguments, static_cast<std::size_t>(n),
                                  REAL(out), report, hooks);
      warnings = scan.warnings();
    } else {
      report.function = spec.name;
      report.device = report.device_type = report.arithmetic = "none";
    }
    SEXP const source = attribute_source(spec, columns, n);
    return r::enter([&] {
      if (source != R_NilValue) SHALLOW_DUPLICATE_ATTRIB(out, source);
      return r::List(3).add("value", out).add("warnings", warnings).add("report", report).done();
    });
  });
}
