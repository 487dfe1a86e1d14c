// likelihoods -- functions of R as text, run from this package's C++ code: values, sums, gradients.
#include <nmathopencl/runner.h>

namespace {

Rcpp::List as_list(const nmathopencl::RunnerResult& result) {
  return Rcpp::List::create(Rcpp::Named("values") = result.values, Rcpp::Named("gradient") = result.gradient);
}

}  // namespace

// Log-likelihood of a logistic regression, and its gradient in the intercept and the coefficients.
// [[Rcpp::export(rng = false)]]
Rcpp::List logistic_cpp(Rcpp::IntegerVector y, Rcpp::NumericMatrix X, double a, Rcpp::NumericVector b,
                        std::string device) {
  static nmathopencl::Runner loglik("function(y, X, a, b) { eta <- a + X %*% b; y * eta - log1p(exp(eta)) }", "sum",
                                    {"a", "b"});
  return as_list(loglik({y, X, a, b}, device));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List gamma_cpp(Rcpp::NumericVector x, double shape, double rate, std::string device) {
  static nmathopencl::Runner loglik("function(x, a, b) dgamma(x, a, rate = b, log = TRUE)", "sum", {"a", "b"});
  return as_list(loglik({x, shape, rate}, device));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List run_function_cpp(std::string text, Rcpp::List vectors, std::string reduce, std::vector<std::string> gradient,
                            bool na_rm, std::string device) {
  nmathopencl::Runner runner(text, reduce, gradient, na_rm);
  std::vector<nmathopencl::RunnerInput> inputs;
  for (R_xlen_t k = 0; k < vectors.size(); ++k) {
    SEXP const x = vectors[k];
    if (TYPEOF(x) == INTSXP)
      inputs.push_back(Rcpp::IntegerVector(x));
    else if (TYPEOF(x) == LGLSXP)
      inputs.push_back(Rcpp::LogicalVector(x));
    else if (Rf_isMatrix(x))
      inputs.push_back(Rcpp::NumericMatrix(x));
    else
      inputs.push_back(Rcpp::NumericVector(x));
  }
  return as_list(runner(inputs, device));
}
