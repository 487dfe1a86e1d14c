// c_api_runner_wrappers -- the part of the C interface that runs R's functions given as text.
#include <algorithm>
#include <string>
#include <vector>

#include "c_api.h"
#include "c_api_compute.h"
#include "engine/expression_runner.h"
#include "engine/transfer.h"

using openclPort::Column;
using openclPort::ExpressionArgument;
using openclPort::ExpressionRunner;
using openclPort::NmathError;
using openclPort::SharedDevice;

struct nmathopencl_runner {
  ExpressionRunner runner;
};

namespace {

// A call's arguments as the engine takes them. Numbers of resident vectors, but are of length one, are fetched.
class RunnerArguments {
 public:
  RunnerArguments(const nmathopencl_input* inputs, int n_inputs) {
    if (n_inputs > 0) c_api::argument(inputs, "inputs");
    numbers_.reserve(static_cast<std::size_t>(std::max(n_inputs, 0)));
    for (int k = 0; k < n_inputs; ++k) arguments_.push_back(read(inputs[k]));
  }
  const std::vector<ExpressionArgument>& arguments() const { return arguments_; }
  SharedDevice device(const char* otherwise) const { return device_ != nullptr ? device_ : c_api::open(otherwise); }
  std::size_t longest() const {
    std::size_t most = 1;
    for (const ExpressionArgument& one : arguments_) most = std::max(most, one.column.column.length);
    return most;
  }

 private:
  ExpressionArgument read(const nmathopencl_input& given) {
    ExpressionArgument made;
    made.logical = given.type == NMATHOPENCL_LOGICAL;
    made.matrix = given.rows > 0 || given.columns > 0;
    made.rows = given.rows;
    made.columns = given.columns;
    made.column.column = {given.data, given.length, Column::Type::i32};
    if (given.type == NMATHOPENCL_DOUBLE)
      made.column.column.type = Column::Type::f64;
    else if (given.type != NMATHOPENCL_INTEGER && given.type != NMATHOPENCL_LOGICAL)
      throw NmathError("there is no type " + std::to_string(given.type) + " of arguments");
    if (given.vector == nullptr) return made;
    const openclPort::Resident& resident = c_api::resident_of(given.vector);
    c_api::same_device(device_, resident);
    made.logical = false;
    made.column.column = {nullptr, resident.elements(), Column::Type::f64};
    if (resident.elements() != 1) {
      made.column.resident = &resident.buffer();
      return made;
    }
    numbers_.push_back(0.0);
    fetch_bytes(resident.device(), resident.buffer(), 0, &numbers_.back(), sizeof(double));
    made.column.column.data = &numbers_.back();
    return made;
  }

  std::vector<double> numbers_;  // never moves
  std::vector<ExpressionArgument> arguments_;
  SharedDevice device_;  // null: no argument lies on one
};

void check_room(const char* of, std::size_t given, std::size_t needed) {
  if (given != needed)
    throw NmathError("the call gives " + std::to_string(needed) + " numbers of its " + of + ", and there is room for " +
                     std::to_string(given));
}

}  // namespace

extern "C" {

int nmathopencl_runner_create(const char* function, const char* reduce, int na_rm, const char* const* gradient,
                              int n_gradient, nmathopencl_runner** runner) {
  return c_api::guarded([&] {
    c_api::argument(runner, "runner");
    if (n_gradient > 0) c_api::argument(gradient, "gradient");
    std::vector<std::string> names;
    for (int k = 0; k < n_gradient; ++k) names.emplace_back(c_api::argument(gradient[k], "a name of the gradient"));
    *runner = new nmathopencl_runner{
        ExpressionRunner(c_api::argument(function, "function"), reduce == nullptr ? "" : reduce, na_rm != 0, names)};
  });
}

void nmathopencl_runner_free(nmathopencl_runner* runner) { delete runner; }

int nmathopencl_runner_size(nmathopencl_runner* runner, const nmathopencl_input* inputs, int n_inputs, size_t* n_values,
                            size_t* n_gradient) {
  return c_api::guarded([&] {
    const RunnerArguments given(inputs, n_inputs);
    const ExpressionRunner::Size size = c_api::argument(runner, "runner")->runner.size(given.arguments());
    *c_api::argument(n_values, "n_values") = size.values;
    *c_api::argument(n_gradient, "n_gradient") = size.gradient;
  });
}

int nmathopencl_runner_run(nmathopencl_runner* runner, const char* device, const nmathopencl_input* inputs,
                           int n_inputs, double* values, size_t n_values, double* gradient, size_t n_gradient) {
  return c_api::guarded([&] {
    ExpressionRunner& own = c_api::argument(runner, "runner")->runner;
    const RunnerArguments given(inputs, n_inputs);
    const ExpressionRunner::Size size = own.size(given.arguments());
    check_room("values", n_values, size.values);
    check_room("gradient", n_gradient, size.gradient);
    if (size.values == 0) return;
    c_api::argument(values, "values");
    if (size.gradient > 0) c_api::argument(gradient, "gradient");
    apply_thread_option();
    const SharedDevice opened = given.device(device);
    c_api::run_noted(given.longest(), [&](openclPort::RunReport& report, const openclPort::CallHooks& hooks) {
      own.run(opened, given.arguments(), values, gradient, report, hooks);
    });
  });
}

}  // extern "C"

// [[Rcpp::init]]
void c_api_runner_register(DllInfo* dll) {
  (void)dll;
  NMATHOPENCL_REGISTER(nmathopencl_runner_create);
  NMATHOPENCL_REGISTER(nmathopencl_runner_free);
  NMATHOPENCL_REGISTER(nmathopencl_runner_size);
  NMATHOPENCL_REGISTER(nmathopencl_runner_run);
}
