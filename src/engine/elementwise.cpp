// elementwise -- looks a function up and carries it out on the device that a specification names.
#include "engine/elementwise.h"

#include "host/host_runner.h"
#include "loader/kernel_loader.h"
#include "base/nmath_error.h"
#include "engine/opencl_kernel_runners.h"
#include "device/device_selection.h"

namespace openclPort {

const KernelSpec& find_kernel_spec(const std::string& name) {
  for (const KernelSpec& spec : kernel_registry())
    if (name == spec.name) return spec;
  throw NmathError("unknown function: " + name);
}

void run_elementwise(const std::string& device, const KernelSpec& spec, const std::vector<Column>& columns,
                     std::size_t n, double* out, RunReport& report, const CallHooks& hooks, std::uint64_t seed) {
  if (spec.kind == KernelKind::cells)
    throw NmathError(std::string("function '") + spec.name + "' does not work element by element");
  Stopwatch watch;
  report.function = spec.name;
  report.elements = n;
  const std::optional<DeviceInfo> chosen = select_device(device);
  if (!chosen) {
    run_elementwise_host(spec, columns, n, out, report, hooks, seed);
  } else {
    const auto program = [&spec] {
      return build_rmath_opencl_program(spec.kernel_file, "nmathopencl", "all_depends_nmath");
    };
    run_elementwise_opencl(*chosen, spec, program, columns, n, out, report, hooks, {}, seed);
  }
  report.total = watch.lap();
}

}  // namespace openclPort
