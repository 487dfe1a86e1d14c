// functions -- functions of the table, and their programs.
#include "device/functions.h"

#include "base/nmath_error.h"
#include "loader/kernel_loader.h"

namespace openclPort {

std::string kernel_program_text(const KernelSpec& spec) {
  return build_rmath_opencl_program(spec.kernel_file, "nmathopencl", "all_depends_nmath");
}

bool has_kernel_spec(const std::string& name) {
  for (const KernelSpec& spec : kernel_registry())
    if (name == spec.name) return true;
  return false;
}

const KernelSpec& find_kernel_spec(const std::string& name) {
  for (const KernelSpec& spec : kernel_registry())
    if (name == spec.name) return spec;
  throw NmathError("unknown function: " + name);
}

}  // namespace openclPort
