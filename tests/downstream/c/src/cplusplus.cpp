// cplusplus -- the same interface from C++ without Rcpp: failures are exceptions until they reach R.
#include <nmathopencl/nmathopencl_capi.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "client.h"

namespace {

std::vector<double> log_gamma(const double* x, std::size_t n) {
  const double* columns[] = {x};
  std::vector<double> result(n);
  if (nmathopencl_elementwise("lgammafn", "host", columns, &n, nullptr, 0, n, result.data()) != NMATHOPENCL_OK)
    throw std::runtime_error(nmathopencl_last_error());
  return result;
}

}  // namespace

extern "C" SEXP from_cplusplus(SEXP x) {
  static std::string problem;
  SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x)));
  problem.clear();
  try {
    const std::vector<double> values = log_gamma(REAL(x), static_cast<std::size_t>(XLENGTH(x)));
    for (std::size_t i = 0; i < values.size(); ++i) REAL(result)[i] = values[i];
  } catch (const std::exception& e) {
    problem = e.what();
  }
  if (!problem.empty()) Rf_error("%s", problem.c_str());
  UNPROTECT(1);
  return result;
}
