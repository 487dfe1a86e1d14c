// ex_glmbayes_kernel_wrappers -- the R boundary of the worked example: matrices in, list(qf, grad) out.
#include <algorithm>
#include <cmath>

#include "base/columns.h"
#include "base/nmath_error.h"
#include "engine/ex_glmbayes_opencl.h"
#include "r_boundary.h"

using namespace ex_glmbayes::opencl;

// Throws an R error unless the package has a kernel for this family and link.
// [[Rcpp::export(rng = false)]]
void find_glm_kernel_cpp(const std::string& family, const std::string& link) { find_glm_kernel(family, link); }

// Whether all elements of a vector of doubles, integers or logicals are finite, NA being not.
// [[Rcpp::export(rng = false)]]
bool all_finite_cpp(SEXP x) {
  const R_xlen_t n = Rf_xlength(x);
  if (TYPEOF(x) == REALSXP) {
    const double* values = REAL(x);
    return std::all_of(values, values + n, [](double value) { return std::isfinite(value); });
  }
  const int* values = TYPEOF(x) == INTSXP ? INTEGER(x) : LOGICAL(x);
  return std::find(values, values + n, NA_INTEGER) == values + n;
}

// All arguments hold doubles, b, x and P are matrices; f2_f3_opencl() has checked sizes and values.
// [[Rcpp::export(rng = false)]]
SEXP f2_f3_cpp(const std::string& family, const std::string& link, SEXP b, SEXP y, SEXP x, SEXP mu, SEXP P, SEXP alpha,
               SEXP wt, const std::string& device) {
  const GlmKernelSpec& spec = find_glm_kernel(family, link);
  return guard_core([&]() -> SEXP {
    const int m1 = Rf_ncols(b), l1 = Rf_nrows(x), l2 = Rf_ncols(x);
    const r::Keep qf(r::enter([&] { return Rf_allocVector(REALSXP, m1); }));
    const r::Keep grad(r::enter([&] { return Rf_allocMatrix(REALSXP, m1, l2); }));
    GlmProblem problem;
    r::enter([&] {  // R may have to expand a vector
      problem = {REAL(x), REAL(b), REAL(mu), REAL(P), REAL(alpha), REAL(y), REAL(wt), REAL(qf), REAL(grad), l1, l2, m1};
      return R_NilValue;
    });
    openclPort::RunReport report;
    if (m1 > 0) {
      openclPort::expect_writes(REAL(qf), static_cast<std::size_t>(Rf_xlength(qf)) * sizeof(double));
      openclPort::expect_writes(REAL(grad), static_cast<std::size_t>(Rf_xlength(grad)) * sizeof(double));
      apply_thread_option();
      CallMonitor monitor(R_NilValue, static_cast<std::size_t>(m1));
      run_f2_f3(device, spec, problem, report, hooks_of(monitor));
    }
    return r::enter([&] {
      SEXP const value = PROTECT(r::List(2).add("qf", qf).add("grad", grad).done());
      SEXP const result = r::List(2).add("value", value).add("report", report).done();
      UNPROTECT(1);
      return result;
    });
  });
}
