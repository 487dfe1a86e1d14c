// openclPort -- a header of another package that declares names of nmathopencl's header in the same namespace, with the
// same parameters and other defaults; its functions are linked. As opencltools' header does.
#ifndef OPENCLPORT_H
#define OPENCLPORT_H

#include <RcppArmadillo.h>

#include <string>
#include <vector>

#ifdef USE_OPENCL
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#endif

using namespace Rcpp;

namespace openclPort {

bool has_opencl();
std::vector<double> flattenMatrix(const Rcpp::NumericMatrix& mat);
std::vector<double> copyVector(const Rcpp::NumericVector& vec);
std::string load_kernel_source(const std::string& relative_path, const std::string& package = "other");
std::string load_kernel_library(const std::string& subdir, const std::string& package = "other", bool verbose = false);
std::string load_library_for_kernel(const std::string& kernel_relative_path, const std::string& library_subdir,
                                    const std::string& package, const std::string& depends_tag);
std::string load_library_for_kernel_cross_package(const std::string& kernel_relative_path,
                                                  const std::string& kernel_package, const std::string& library_subdir,
                                                  const std::string& library_package, const std::string& depends_tag);

}  // namespace openclPort

#endif
