// cl_api_of_sdk -- the constants and functions as an installed SDK declares them.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "cl_api_declarations.h"

namespace cl_api_test {

Values values_of_sdk() { return constant_values(); }

Shapes shapes_of_sdk() {
  return {
#define CL_REQUIRED(result, name, ...) {#name, Shape<decltype(name)>::text()},
#define CL_SINCE_1_2(result, name, ...) {#name, Shape<decltype(name)>::text()},
#include "opencl/cl_functions.h"
  };
}

}  // namespace cl_api_test
