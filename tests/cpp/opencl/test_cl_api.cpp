// test_cl_api -- the package's own declarations of OpenCL agree with those of an SDK.
#include <gtest/gtest.h>

#include <fstream>

#include "opencl/cl_api.h"

using namespace openclPort;

#include "cl_api_declarations.h"

namespace cl_api_test {
namespace {

Values own_values() { return constant_values(); }

Shapes own_shapes() {
  return {
#define CL_REQUIRED(result, name, ...) {#name, Shape<decltype(name)::Signature>::text()},
#define CL_SINCE_1_2(result, name, ...) {#name, Shape<decltype(name)::Signature>::text()},
#include "opencl/cl_functions.h"
  };
}

}  // namespace

TEST(Declarations, constants_have_the_values_of_an_sdk) {
  const Values own = own_values(), sdk = values_of_sdk();
  EXPECT_EQ(sdk, own);
  std::ifstream header(std::string(NMATHOPENCL_CL_DIR) + "/../../src/opencl/cl_api.h");
  std::size_t declared = 0;
  for (std::string line; std::getline(header, line);) declared += line.rfind("constexpr cl_", 0) == 0;
  EXPECT_EQ(declared, own.size()) << "the list in cl_api_declarations.h";
}

TEST(Declarations, functions_have_the_parameters_of_an_sdk) {
  const Shapes own = own_shapes(), sdk = shapes_of_sdk();
  EXPECT_GT(own.size(), 30u);
  EXPECT_EQ(sdk, own);
}

}  // namespace cl_api_test
