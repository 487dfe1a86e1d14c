// beside_before -- the other header first, and its functions.
#include "other/openclPort.h"

#include <openclPort.h>

#include "beside.h"

namespace openclPort {

bool has_opencl() { return true; }
std::vector<double> flattenMatrix(const Rcpp::NumericMatrix&) { return {1}; }
std::vector<double> copyVector(const Rcpp::NumericVector&) { return {2}; }
std::string load_kernel_source(const std::string& relative_path, const std::string& package) {
  return package + "/" + relative_path;
}
std::string load_kernel_library(const std::string& subdir, const std::string& package, bool) {
  return package + "/" + subdir;
}
std::string load_library_for_kernel(const std::string&, const std::string&, const std::string&, const std::string&) {
  return "needed";
}
std::string load_library_for_kernel_cross_package(const std::string&, const std::string&, const std::string&,
                                                  const std::string&, const std::string&) {
  return "cross";
}

}  // namespace openclPort

// [[Rcpp::export(rng = false)]]
Rcpp::List beside_before_cpp() { return beside(); }
