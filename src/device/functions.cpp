// functions -- looks a function of the table up.
#include "device/functions.h"

#include "base/nmath_error.h"

namespace openclPort {

const KernelSpec& find_kernel_spec(const std::string& name) {
  for (const KernelSpec& spec : kernel_registry())
    if (name == spec.name) return spec;
  throw NmathError("unknown function: " + name);
}

}  // namespace openclPort
