// ex_glmbayes_kernel_wrappers -- the R boundary of the worked example: matrices in, list(qf, grad) out.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/columns.h"
#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "glm/ex_glmbayes_opencl.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "result_memory.h"

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
    typedef double Pair __attribute__((vector_size(16)));
    Pair sums[8] = {};  // of zeros, or NaN: chains that do not wait for one another
    R_xlen_t i = 0;
    for (; i + 16 <= n; i += 16)
      for (int k = 0; k < 8; ++k) {
        Pair pair;
        std::memcpy(&pair, values + i + 2 * k, sizeof pair);
        sums[k] += pair * 0.0;
      }
    double rest = 0;
    for (; i < n; ++i) rest += values[i] * 0.0;
    for (const Pair& sum : sums) rest += sum[0] + sum[1];
    return !std::isnan(rest);
  }
  const int* values = TYPEOF(x) == INTSXP ? INTEGER(x) : LOGICAL(x);
  return std::find(values, values + n, NA_INTEGER) == values + n;
}

namespace {

bool is_matrix(SEXP x, int rows, int columns) {
  if (TYPEOF(x) != REALSXP || Rf_isObject(x)) return false;
  SEXP const dim = Rf_getAttrib(x, R_DimSymbol);
  return Rf_xlength(dim) == 2 && INTEGER(dim)[0] == rows && INTEGER(dim)[1] == columns;
}

bool is_vector(SEXP x, R_xlen_t length) { return TYPEOF(x) == REALSXP && !Rf_isObject(x) && Rf_xlength(x) == length; }

}  // namespace

// Whether nothing is wrong with the arguments of a problem, as far as their types, sizes and finite values go: doubles
// without a class, y may be integers. `b`, which may be large, is not looked through.
// [[Rcpp::export(rng = false)]]
bool glm_is_plain_cpp(SEXP b, SEXP y, SEXP x, SEXP mu, SEXP P, SEXP alpha, SEXP wt) {
  SEXP const dim = Rf_getAttrib(x, R_DimSymbol), grid = Rf_getAttrib(b, R_DimSymbol);
  if (TYPEOF(dim) != INTSXP || Rf_xlength(dim) != 2 || TYPEOF(grid) != INTSXP || Rf_xlength(grid) != 2) return false;
  const int l1 = INTEGER(dim)[0], l2 = INTEGER(dim)[1];
  const bool whole = TYPEOF(y) == INTSXP && !Rf_isObject(y) && Rf_xlength(y) == l1;
  return l1 > 0 && l2 > 0 && is_matrix(x, l1, l2) && is_matrix(b, l2, INTEGER(grid)[1]) && is_matrix(P, l2, l2) &&
         is_vector(mu, l2) && (whole || is_vector(y, l1)) && is_vector(alpha, l1) && is_vector(wt, l1) &&
         all_finite_cpp(x) && all_finite_cpp(P) && all_finite_cpp(mu) && all_finite_cpp(y) && all_finite_cpp(alpha) &&
         all_finite_cpp(wt);
}

namespace {

// An argument: R's doubles, or such as are resident on a device, which is then the call's.
void take(SEXP x, openclPort::SharedDevice& device, const double*& here, const openclPort::Buffer*& there) {
  if (TYPEOF(x) == EXTPTRSXP) {
    const openclPort::Buffer& buffer = handles::resident_on(x, device).buffer();
    if (handles::in_r_memory(device->info()))
      here = static_cast<const double*>(buffer.host());
    else
      there = &buffer;
    return;
  }
  r::enter([&] {  // R may have to expand a vector
    here = REAL(x);
    return R_NilValue;
  });
}

}  // namespace

// All arguments hold doubles, P is a matrix, sizes are l1, l2 and m1: f2_f3_opencl() has checked them and the values.
// b, y, x, alpha and wt may be handles of resident vectors.
// [[Rcpp::export(rng = false)]]
SEXP f2_f3_cpp(const std::string& family, const std::string& link, SEXP b, SEXP y, SEXP x, SEXP mu, SEXP P, SEXP alpha,
               SEXP wt, const std::vector<int>& sizes, const std::vector<std::string>& device) {
  const GlmKernelSpec& spec = find_glm_kernel(family, link);
  return guard_core([&]() -> SEXP {
    const int l1 = sizes.at(0), l2 = sizes.at(1), m1 = sizes.at(2);
    const r::Keep qf(new_result(REALSXP, m1));
    const r::Keep grad(new_result(REALSXP, m1, l2));
    GlmProblem problem = {};
    problem.l1 = l1;
    problem.l2 = l2;
    problem.m1 = m1;
    problem.qf = REAL(qf);
    problem.grad = REAL(grad);
    openclPort::SharedDevice opened;
    const openclPort::Buffer* never = nullptr;
    take(x, opened, problem.X, problem.at.X);
    take(b, opened, problem.B, problem.at.B);
    take(alpha, opened, problem.alpha, problem.at.alpha);
    take(y, opened, problem.y, problem.at.y);
    take(wt, opened, problem.wt, problem.at.wt);
    take(mu, opened, problem.mu, never);
    take(P, opened, problem.P, never);
    const auto devices =
        opened != nullptr ? std::vector<openclPort::SharedDevice>{opened} : openclPort::open_devices(device);
    openclPort::RunReport report;
    if (m1 > 0) {
      openclPort::expect_writes(REAL(qf), static_cast<std::size_t>(Rf_xlength(qf)) * sizeof(double));
      openclPort::expect_writes(REAL(grad), static_cast<std::size_t>(Rf_xlength(grad)) * sizeof(double));
      apply_thread_option();
      CallMonitor monitor(R_NilValue, static_cast<std::size_t>(m1));
      run_f2_f3(devices, spec, problem, report, hooks_of(monitor));
    }
    return r::enter([&] {
      SEXP const value = PROTECT(r::List(2).add("qf", qf).add("grad", grad).done());
      SEXP const result = r::List(2).add("value", value).add("report", report).done();
      UNPROTECT(1);
      return result;
    });
  });
}
