// has_opencl -- what configure found when this package was built.
#include <Rcpp.h>

// [[Rcpp::export(rng = false)]]
bool has_opencl_cpp() {
#ifdef USE_OPENCL
  return true;
#else
  return false;
#endif
}
