// likelihoods -- functions of R as text, run from this package's C++ code: values, sums, gradients.
#include <nmathopencl/nmathopencl_capi.h>
#include <nmathopencl/runner.h>

namespace {

// Numbers that are resident on a device as long as this lives.
class ResidentVector {
 public:
  ResidentVector(const Rcpp::NumericVector& x, const std::string& device) {
    if (nmathopencl_vector_create(x.begin(), static_cast<size_t>(x.size()), device.c_str(), &vector_) != NMATHOPENCL_OK)
      throw nmathopencl_error(nmathopencl_last_error());
  }
  ResidentVector(const ResidentVector&) = delete;
  ResidentVector& operator=(const ResidentVector&) = delete;
  ~ResidentVector() { nmathopencl_vector_free(vector_); }
  const nmathopencl_vector* get() const { return vector_; }

 private:
  nmathopencl_vector* vector_ = nullptr;
};

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

// The same of resident data: a call for each column of `B`, the log-likelihoods, then the gradients.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix logistic_resident_cpp(Rcpp::NumericVector y, Rcpp::NumericMatrix X, double a, Rcpp::NumericMatrix B,
                                         std::string device) {
  nmathopencl::Runner loglik("function(y, X, a, b) { eta <- a + X %*% b; y * eta - log1p(exp(eta)) }", "sum",
                             {"a", "b"});
  const ResidentVector data(y, device), columns(X, device), number(Rcpp::NumericVector::create(a), device);
  Rcpp::NumericMatrix out(2 + X.ncol(), B.ncol());
  for (int k = 0; k < B.ncol(); ++k) {
    const Rcpp::NumericVector b = B(Rcpp::_, k);
    const nmathopencl::RunnerResult at =
        loglik({nmathopencl::RunnerInput(data.get()),
                nmathopencl::RunnerInput(columns.get(), static_cast<size_t>(X.nrow()), static_cast<size_t>(X.ncol())),
                nmathopencl::RunnerInput(number.get()), b});
    out(0, k) = at.values[0];
    for (int j = 0; j <= X.ncol(); ++j) out(1 + j, k) = at.gradient[static_cast<size_t>(j)];
  }
  return out;
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
