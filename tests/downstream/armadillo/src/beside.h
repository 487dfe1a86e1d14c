// beside -- calls of the names that two headers declare; included after both, in either order.
#ifndef BESIDE_H
#define BESIDE_H

namespace {

using namespace openclPort;

Rcpp::List beside() {
  const Rcpp::NumericMatrix one(1, 1);
  return Rcpp::List::create(Rcpp::Named("qualified") = openclPort::load_kernel_source("OPENCL.cl"),
                            Rcpp::Named("unqualified") = load_kernel_source("OPENCL.cl"),
                            Rcpp::Named("library") = load_kernel_library("System"),
                            Rcpp::Named("needed") = load_library_for_kernel("a", "b", "c", "d"),
                            Rcpp::Named("cross") = load_library_for_kernel_cross_package("a", "b", "c", "d", "e"),
                            Rcpp::Named("flat") = flattenMatrix(one), Rcpp::Named("copy") = copyVector(one),
                            Rcpp::Named("has") = openclPort::has_opencl(),
                            Rcpp::Named("ours") = nmathopencl::load_kernel_source("OPENCL.cl"),
                            Rcpp::Named("ours_has") = nmathopencl::has_opencl(),
                            Rcpp::Named("alone") = build_rmath_opencl_program("src/dnorm_kernel.cl"));
}

}  // namespace

#endif
