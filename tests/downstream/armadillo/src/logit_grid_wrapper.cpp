// logit_grid_wrapper -- from R's and Armadillo's matrices to the runner's vectors, and back without a copy.
#include <RcppArmadillo.h>
#include <openclPort.h>

#include "logit_grid.h"

using namespace openclPort;

// [[Rcpp::export(rng = false)]]
Rcpp::List logit_grid_cpp(const arma::mat& b, const arma::vec& y, const arma::mat& x, Rcpp::NumericVector mu,
                          Rcpp::NumericMatrix P, const arma::rowvec& alpha, Rcpp::NumericVector wt) {
  const int l1 = static_cast<int>(x.n_rows), l2 = static_cast<int>(x.n_cols), m1 = static_cast<int>(b.n_cols);
  if (l2 > 32) Rcpp::stop("logit_grid() takes 32 coefficients at most");
  const std::vector<std::vector<double>> inputs = {flattenMatrix(x), flattenMatrix(b.t()), copyVector(mu),
                                                   flattenMatrix(P), copyVector(alpha),    copyVector(y),
                                                   copyVector(wt)};
  std::vector<double> qf(b.n_cols), grad(b.n_cols * x.n_cols);
#ifdef USE_OPENCL
  const std::string program = load_kernel_source("OPENCL.cl") + "\n" + load_kernel_library("libR_shims") + "\n" +
                              load_kernel_library("R_ext_types") + "\n" + load_kernel_library("R_shims") + "\n" +
                              load_kernel_library("R_ext_runtime") + "\n" + load_kernel_library("R_ext_internals") +
                              "\n" + load_kernel_library("System") + "\n" +
                              load_library_for_kernel_cross_package("src/logit_grid.cl", "nmathdownstreamarma", "nmath",
                                                                    "nmathopencl", "depends_nmath") +
                              "\n" + load_kernel_source("src/logit_grid.cl", "nmathdownstreamarma");
  logit_grid_runner(program, "logit_grid", l1, l2, m1, inputs, qf, grad);
#else
  Rcpp::Rcout << "This package was built without OpenCL: zeros, " << l1 << " x " << m1 << ".\n";
#endif
  return Rcpp::List::create(Rcpp::Named("qf") = qf, Rcpp::Named("grad") = matrixView(grad, m1, l2));
}

// The conversions by themselves: of a matrix, parts of it, an expression.
// [[Rcpp::export(rng = false)]]
Rcpp::List conversions_cpp(const arma::mat& x, Rcpp::NumericMatrix same) {
  std::vector<double> flat = flattenMatrix(x);
  const arma::mat view = matrixView(flat, x.n_cols, x.n_rows);
  flat[0] = 100.0;
  return Rcpp::List::create(Rcpp::Named("same") = flattenMatrix(same), Rcpp::Named("matrix") = flattenMatrix(x),
                            Rcpp::Named("column") = copyVector(x.col(1)), Rcpp::Named("row") = copyVector(x.row(1)),
                            Rcpp::Named("sum") = flattenMatrix(x + 1.0), Rcpp::Named("view") = view);
}

// [[Rcpp::export(rng = false)]]
arma::mat wrong_view_cpp(std::vector<double> flat) { return matrixView(flat, 2, 2); }
