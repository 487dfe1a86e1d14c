// c_api_compute_wrappers -- the part of the C interface that computes: devices, functions by name, resident vectors on
// a device, expressions.
#include <algorithm>
#include <vector>

#include "c_api.h"
#include "c_api_compute.h"
#include "engine/c_expression.h"
#include "engine/elementwise.h"
#include "engine/opencl_kernel_runners.h"
#include "engine/transfer.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "rules/missing_values.h"

using openclPort::Column;
using openclPort::FusedCall;
using openclPort::KernelKind;
using openclPort::KernelSpec;
using openclPort::NmathError;
using openclPort::RunReport;
using openclPort::SharedDevice;

struct nmathopencl_expression {
  openclPort::CExpression expression;
};

namespace {

// Functions that compute element by element.
const std::vector<const KernelSpec*>& functions() {
  static const std::vector<const KernelSpec*> all = [] {
    std::vector<const KernelSpec*> found;
    for (const KernelSpec& spec : openclPort::kernel_registry())
      if (spec.kind != KernelKind::cells) found.push_back(&spec);
    return found;
  }();
  return all;
}

std::vector<Column> columns_of_call(const KernelSpec& spec, const double* const* columns, const std::size_t* lengths,
                                    const int* flags, std::size_t n) {
  std::vector<Column> result;
  c_api::argument(columns, "columns");
  c_api::argument(lengths, "lengths");
  for (int k = 0; k < spec.n_real; ++k) {
    if (lengths[k] < 1 || lengths[k] > n)
      throw NmathError(std::string(spec.name) + ": column " + std::to_string(k + 1) + " has " +
                       std::to_string(lengths[k]) + " elements for " + std::to_string(n) + " results");
    result.push_back({c_api::argument(columns[k], "a column"), lengths[k], Column::Type::f64});
  }
  for (int k = 0; k < spec.n_flags; ++k) result.push_back({c_api::argument(flags, "flags") + k, 1, Column::Type::i32});
  return result;
}

std::unique_ptr<nmathopencl_vector> new_vector(const SharedDevice& device, std::size_t length) {
  auto vector = std::make_unique<nmathopencl_vector>();
  vector->vector = handles::make_vector(device, handles::doubles, length);
  return vector;
}

// An expression's call, and the kernel that takes what it has.
struct ExpressionCall {
  SharedDevice device;  // null: no argument lies on one
  FusedCall call;
  openclPort::FusedKernel* kernel = nullptr;
};

ExpressionCall expression_call(nmathopencl_expression* expression, const nmathopencl_argument* arguments,
                               int n_arguments, std::size_t n) {
  openclPort::CExpression& own = c_api::argument(expression, "expression")->expression;
  if (n_arguments < 0 || static_cast<std::size_t>(n_arguments) != own.arguments())
    throw NmathError("the expression has " + std::to_string(own.arguments()) + " arguments, but " +
                     std::to_string(n_arguments) + " are given");
  c_api::argument(arguments, "arguments");
  ExpressionCall made;
  made.call.n = n;
  std::vector<bool> scalar;
  for (int k = 0; k < n_arguments; ++k) {
    const nmathopencl_argument& given = arguments[k];
    openclPort::FusedColumn column{{nullptr, 0, Column::Type::f64}, nullptr};
    if (given.vector != nullptr) {
      const openclPort::Resident& resident = c_api::resident_of(given.vector);
      c_api::same_device(made.device, resident);
      column.resident = &resident.buffer();
      column.column.length = resident.elements();
    } else {
      column.column = {c_api::argument(given.data, "an argument's data"), given.length, Column::Type::f64};
    }
    scalar.push_back(given.vector == nullptr && given.length == 1 && n > 1);
    if (scalar.back())
      made.call.scalars.push_back(given.data[0]);
    else if (column.column.length == n)
      made.call.columns.push_back(column);
    else
      throw NmathError("argument " + std::to_string(k + 1) + " has " + std::to_string(column.column.length) +
                       " elements for " + std::to_string(n) + " results");
  }
  made.kernel = &own.kernel(scalar);
  return made;
}

void run(ExpressionCall& made, std::size_t n) {
  c_api::run_noted(n, [&](RunReport& report, const openclPort::CallHooks& hooks) {
    run_fused(made.device, *made.kernel, made.call, report, hooks);
  });
}

}  // namespace

extern "C" {

int nmathopencl_device_count(int* count) {
  return c_api::guarded(
      [&] { *c_api::argument(count, "count") = 1 + static_cast<int>(openclPort::list_devices().size()); });
}

int nmathopencl_device_name(int index, char** name) {
  return c_api::guarded([&] {
    c_api::argument(name, "name");
    std::vector<openclPort::DeviceInfo> devices = {openclPort::host_device()};
    for (const openclPort::DeviceInfo& device : openclPort::list_devices()) devices.push_back(device);
    for (const openclPort::DeviceInfo& device : devices)
      if (device.index == index) return c_api::hand_out<char>(device.name.data(), device.name.size(), name, nullptr);
    throw NmathError("there is no device " + std::to_string(index));
  });
}

int nmathopencl_function_count(void) { return static_cast<int>(functions().size()); }

int nmathopencl_function_info(int index, nmathopencl_function* info) {
  return c_api::guarded([&] {
    c_api::argument(info, "info");
    if (index < 0 || index >= nmathopencl_function_count())
      throw NmathError("there is no function " + std::to_string(index));
    const KernelSpec& spec = *functions()[static_cast<std::size_t>(index)];
    *info = {spec.name, spec.n_real, spec.n_flags, spec.draws()};
  });
}

int nmathopencl_elementwise(const char* function, const char* device, const double* const* columns,
                            const size_t* lengths, const int* flags, uint64_t seed, size_t n, double* out) {
  return c_api::guarded([&] {
    const KernelSpec& spec = openclPort::find_kernel_spec(c_api::argument(function, "function"));
    if (n == 0) return;
    const std::vector<Column> arguments = columns_of_call(spec, columns, lengths, flags, n);
    c_api::argument(out, "out");
    apply_thread_option();
    CallMonitor monitor(R_NilValue, n);
    openclPort::ResultScan scan(spec, arguments);
    const openclPort::CallHooks hooks = spec.draws() ? hooks_of(monitor) : hooks_of(monitor, scan);
    RunReport report;
    openclPort::run_elementwise(c_api::device_setting(device), spec, arguments, n, out, report, hooks, seed);
    openclPort::note_runner_report(report);
  });
}

int nmathopencl_vector_create(const double* data, size_t length, const char* device, nmathopencl_vector** vector) {
  return c_api::guarded([&] {
    c_api::argument(vector, "vector");
    if (length > 0) c_api::argument(data, "data");
    apply_thread_option();
    const SharedDevice opened = c_api::open(device);
    std::unique_ptr<nmathopencl_vector> made = new_vector(opened, length);
    CallMonitor monitor(R_NilValue, length);
    send_bytes(opened, c_api::resident_of(made.get()).buffer(), 0, data, length * sizeof(double),
               [&monitor] { return monitor.poll(); });
    *vector = made.release();
  });
}

size_t nmathopencl_vector_length(const nmathopencl_vector* vector) {
  return vector == nullptr ? 0 : vector->vector->resident->elements();
}

int nmathopencl_vector_device(const nmathopencl_vector* vector, int* index) {
  return c_api::guarded([&] { *c_api::argument(index, "index") = c_api::resident_of(vector).device_index(); });
}

int nmathopencl_vector_read(const nmathopencl_vector* vector, size_t first, size_t count, double* out) {
  return c_api::guarded([&] {
    const openclPort::Resident& resident = c_api::resident_of(vector);
    if (first > resident.elements() || count > resident.elements() - first)
      throw NmathError("the vector has " + std::to_string(resident.elements()) + " elements, and none from " +
                       std::to_string(first) + " to " + std::to_string(first + count));
    if (count == 0) return;
    c_api::argument(out, "out");
    CallMonitor monitor(R_NilValue, count);
    fetch_bytes(resident.device(), resident.buffer(), first * sizeof(double), out, count * sizeof(double),
                [&monitor] { return monitor.poll(); });
  });
}

void nmathopencl_vector_free(nmathopencl_vector* vector) {
  if (vector == nullptr) return;
  openclPort::abandon(std::move(vector->vector->resident));
  openclPort::release_abandoned();
  delete vector;
}

int nmathopencl_expression_create(const char* arguments, const char* text, nmathopencl_expression** expression) {
  return c_api::guarded([&] {
    c_api::argument(expression, "expression");
    *expression = new nmathopencl_expression{
        openclPort::CExpression(c_api::argument(arguments, "arguments"), c_api::argument(text, "text"))};
  });
}

void nmathopencl_expression_free(nmathopencl_expression* expression) { delete expression; }

int nmathopencl_expression_evaluate(nmathopencl_expression* expression, const char* device,
                                    const nmathopencl_argument* arguments, int n_arguments, size_t n, double* out) {
  return c_api::guarded([&] {
    if (n == 0) return;
    apply_thread_option();
    ExpressionCall made = expression_call(expression, arguments, n_arguments, n);
    if (made.device == nullptr) made.device = c_api::open(device);
    made.call.values = {c_api::argument(out, "out")};
    run(made, n);
  });
}

int nmathopencl_expression_keep(nmathopencl_expression* expression, const char* device,
                                const nmathopencl_argument* arguments, int n_arguments, size_t n,
                                nmathopencl_vector** out) {
  return c_api::guarded([&] {
    c_api::argument(out, "out");
    if (n == 0) throw NmathError("a vector without elements cannot be resident");
    apply_thread_option();
    ExpressionCall made = expression_call(expression, arguments, n_arguments, n);
    if (made.device == nullptr) made.device = c_api::open(device);
    std::unique_ptr<nmathopencl_vector> kept = new_vector(made.device, n);
    made.call.values = {nullptr};
    made.call.resident_out = {&c_api::resident_of(kept.get()).buffer()};
    run(made, n);
    *out = kept.release();
  });
}

}  // extern "C"

// [[Rcpp::init]]
void c_api_compute_register(DllInfo* dll) {
  (void)dll;
  NMATHOPENCL_REGISTER(nmathopencl_device_count);
  NMATHOPENCL_REGISTER(nmathopencl_device_name);
  NMATHOPENCL_REGISTER(nmathopencl_function_count);
  NMATHOPENCL_REGISTER(nmathopencl_function_info);
  NMATHOPENCL_REGISTER(nmathopencl_elementwise);
  NMATHOPENCL_REGISTER(nmathopencl_vector_create);
  NMATHOPENCL_REGISTER(nmathopencl_vector_length);
  NMATHOPENCL_REGISTER(nmathopencl_vector_device);
  NMATHOPENCL_REGISTER(nmathopencl_vector_read);
  NMATHOPENCL_REGISTER(nmathopencl_vector_free);
  NMATHOPENCL_REGISTER(nmathopencl_expression_create);
  NMATHOPENCL_REGISTER(nmathopencl_expression_free);
  NMATHOPENCL_REGISTER(nmathopencl_expression_evaluate);
  NMATHOPENCL_REGISTER(nmathopencl_expression_keep);
}
