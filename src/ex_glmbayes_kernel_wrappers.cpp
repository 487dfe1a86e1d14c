// ex_glmbayes_kernel_wrappers -- the R boundary of the worked example: matrices in, list(qf, grad) out.
#include <Rcpp.h>

#include <algorithm>
#include <cmath>

#include "column_pieces.h"
#include "ex_glmbayes_opencl.h"
#include "nmath_error.h"
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

// Sizes and values have been checked by f2_f3_opencl().
// [[Rcpp::export(rng = false)]]
Rcpp::List f2_f3_cpp(const std::string& family, const std::string& link, const Rcpp::NumericMatrix& b,
                     const Rcpp::NumericVector& y, const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& mu,
                     const Rcpp::NumericMatrix& P, const Rcpp::NumericVector& alpha, const Rcpp::NumericVector& wt,
                     const std::string& device) {
  const GlmKernelSpec& spec = find_glm_kernel(family, link);
  return guard_core([&]() -> Rcpp::List {
    const int m1 = b.ncol(), l2 = x.ncol();
    Rcpp::NumericVector qf(Rcpp::no_init(m1));
    Rcpp::NumericMatrix grad(Rcpp::no_init(m1, l2));
    nmath_host_glm_launch problem{x.begin(), b.begin(), mu.begin(),    P.begin(),  alpha.begin(), y.begin(),
                                  wt.begin(), qf.begin(), grad.begin(), x.nrow(), l2,            m1};
    openclPort::RunReport report;
    if (m1 > 0) {
      openclPort::expect_writes(qf.begin(), static_cast<std::size_t>(qf.size()) * sizeof(double));
      openclPort::expect_writes(grad.begin(), static_cast<std::size_t>(grad.size()) * sizeof(double));
      apply_thread_option();
      run_f2_f3(device, spec, problem, report, interrupt_pending);
    }
    return Rcpp::List::create(
        Rcpp::Named("value") = Rcpp::List::create(Rcpp::Named("qf") = qf, Rcpp::Named("grad") = grad),
        Rcpp::Named("report") = report_to_list(report));
  });
}
