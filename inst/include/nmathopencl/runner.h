// runner -- an R function, given as text, as kernels with their gradients, for packages with Rcpp: openclPort.h says
// how they reach nmathopencl.
#ifndef NMATHOPENCL_RUNNER_H
#define NMATHOPENCL_RUNNER_H

#include "../openclPort.h"

namespace openclPort {
inline namespace linked {

// An argument of a Runner: one number, or numbers of the caller, who keeps them until the call is over. A matrix lies
// by columns.
struct RunnerInput {
  nmathopencl_input input;
  double number = 0.0;
  int whole = 0;

  RunnerInput(const double* data, size_t length) : input{nullptr, data, NMATHOPENCL_DOUBLE, length, 0, 0} {}
  RunnerInput(const double* data, size_t rows, size_t columns)
      : input{nullptr, data, NMATHOPENCL_DOUBLE, rows * columns, rows, columns} {}
  RunnerInput(const int* data, size_t length) : input{nullptr, data, NMATHOPENCL_INTEGER, length, 0, 0} {}
  RunnerInput(double value) : input{nullptr, nullptr, NMATHOPENCL_DOUBLE, 1, 0, 0}, number(value) {}
  RunnerInput(int value) : input{nullptr, nullptr, NMATHOPENCL_INTEGER, 1, 0, 0}, whole(value) {}
  RunnerInput(const std::vector<double>& values) : RunnerInput(values.data(), values.size()) {}
  RunnerInput(const Rcpp::NumericVector& values) : RunnerInput(values.begin(), static_cast<size_t>(values.size())) {}
  RunnerInput(const Rcpp::NumericMatrix& values)
      : RunnerInput(values.begin(), static_cast<size_t>(values.nrow()), static_cast<size_t>(values.ncol())) {}
  RunnerInput(const Rcpp::IntegerVector& values) : RunnerInput(values.begin(), static_cast<size_t>(values.size())) {}
  RunnerInput(const Rcpp::IntegerMatrix& values)
      : input{nullptr,
              values.begin(),
              NMATHOPENCL_INTEGER,
              static_cast<size_t>(values.size()),
              static_cast<size_t>(values.nrow()),
              static_cast<size_t>(values.ncol())} {}
  RunnerInput(const Rcpp::LogicalVector& values)
      : input{nullptr, values.begin(), NMATHOPENCL_LOGICAL, static_cast<size_t>(values.size()), 0, 0} {}
  // A resident vector, of nmathopencl_vector_create(); with rows and columns a matrix.
  explicit RunnerInput(const nmathopencl_vector* vector, size_t rows = 0, size_t columns = 0)
      : input{vector, nullptr, NMATHOPENCL_DOUBLE, 0, rows, columns} {}
};

struct RunnerResult {
  std::vector<double> values;    // one, where they are reduced
  std::vector<double> gradient;  // a number for each argument of length one that it is asked in, and each coefficient
};

// An R function, given as text, as kernels:
//   Runner loglik("function(x, a, b) dgamma(x, a, rate = b, log = TRUE)", "sum", {"a", "b"});
//   const RunnerResult at = loglik({x, 2.0, 3.0});
// The language is that of R's opencl_function(); the header nmathopencl.h says more. Keep the object: it has the
// kernels.
class Runner {
 public:
  explicit Runner(const std::string& function, const std::string& reduce = "",
                  const std::vector<std::string>& gradient = {}, bool na_rm = false) {
    static auto* const call = detail::callable<nmathopencl_runner_create_fn>("nmathopencl_runner_create");
    std::vector<const char*> names;
    for (const std::string& name : gradient) names.push_back(name.c_str());
    check(call(function.c_str(), reduce.c_str(), na_rm, names.data(), static_cast<int>(names.size()), &runner_));
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  Runner(Runner&& other) noexcept : runner_(other.runner_) { other.runner_ = nullptr; }
  ~Runner() {
    if (runner_ == nullptr) return;
    static auto* const call = detail::callable<nmathopencl_runner_free_fn>("nmathopencl_runner_free");
    call(runner_);
  }

  // `inputs`: all arguments of the function, in its order. `device` as R's functions take it.
  RunnerResult operator()(const std::vector<RunnerInput>& inputs, const std::string& device = "auto") {
    static auto* const size = detail::callable<nmathopencl_runner_size_fn>("nmathopencl_runner_size");
    static auto* const run = detail::callable<nmathopencl_runner_run_fn>("nmathopencl_runner_run");
    std::vector<nmathopencl_input> given;
    for (const RunnerInput& one : inputs) {
      given.push_back(one.input);
      if (one.input.data == nullptr && one.input.vector == nullptr && one.input.length == 1)
        given.back().data = one.input.type == NMATHOPENCL_DOUBLE ? static_cast<const void*>(&one.number) : &one.whole;
    }
    const int count = static_cast<int>(given.size());
    size_t n_values = 0, n_gradient = 0;
    check(size(runner_, given.data(), count, &n_values, &n_gradient));
    RunnerResult result;
    result.values.resize(n_values);
    result.gradient.resize(n_gradient);
    check(run(runner_, device.c_str(), given.data(), count, result.values.data(), n_values, result.gradient.data(),
              n_gradient));
    return result;
  }

 private:
  static void check(int status) {
    static auto* const why = detail::callable<nmathopencl_last_error_fn>("nmathopencl_last_error");
    if (status != 0) throw nmathopencl_error(why());
  }

  nmathopencl_runner* runner_ = nullptr;
};

}  // namespace linked
}  // namespace openclPort

#endif
