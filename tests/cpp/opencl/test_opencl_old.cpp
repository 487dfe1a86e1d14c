// test_opencl_old -- an OpenCL library without the functions that came with OpenCL 1.2.
#include "fault_test.h"

using namespace fault_test;

TEST_F(UnderFaults, an_old_library_computes_and_says_what_it_cannot_do) {
  EXPECT_EQ("", use_kernel_call());
  EXPECT_EQ("", use_function());
  EXPECT_EQ("", use_elementwise(ElementwiseOptions::Transfer::copy));
  const KernelBundle source = KernelBundle::from_source(first_device(), kSumKernel);
  const std::string text = error_of([&] { source.compile(); });
  EXPECT_TRUE(has(text, "CL_INVALID_OPERATION") && has(text, "has no clCompileProgram") && has(text, "update")) << text;
  // What the driver cannot tell of the parameters, the text does.
  const KernelSignature signature = source.build().signature("sum_k");
  ASSERT_EQ(6u, signature.size());
  EXPECT_EQ("x", signature[0].name);

  cl_int status = CL_SUCCESS;
  EXPECT_EQ(nullptr, clLinkProgram(nullptr, 0, nullptr, "", 0, nullptr, nullptr, nullptr, &status));
  EXPECT_EQ(CL_INVALID_OPERATION, status);
  EXPECT_TRUE(has(opencl_status_hint(status, "clLinkProgram"), "has no clLinkProgram"));
  EXPECT_FALSE(has(opencl_status_hint(status, "clFinish"), "has no"));
}
