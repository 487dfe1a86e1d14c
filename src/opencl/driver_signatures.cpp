// driver_signatures -- reads the parameters of a program's kernels from its driver.
#include "opencl/driver_signatures.h"

#include <string>
#include <vector>

#include "opencl/OpenCL_helper.h"

namespace openclPort {

namespace {

// What the driver says of one argument; of unknown kind where it keeps none.
KernelParameter driver_parameter(cl_kernel kernel, cl_uint index) {
  KernelParameter parameter;
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
  const auto text = [&](cl_kernel_arg_info what) {
    std::size_t bytes = 0;
    if (clGetKernelArgInfo(kernel, index, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return std::string();
    std::string result(bytes, '\0');
    if (clGetKernelArgInfo(kernel, index, what, bytes, &result[0], nullptr) != CL_SUCCESS) return std::string();
    return result.substr(0, result.find('\0'));
  };
  if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) != CL_SUCCESS ||
      clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, nullptr) !=
          CL_SUCCESS)
    return parameter;
  std::string type = text(CL_KERNEL_ARG_TYPE_NAME);
  parameter.name = text(CL_KERNEL_ARG_NAME);
  const bool pointer = !type.empty() && type.back() == '*';
  if (pointer) type.pop_back();
  parameter.type = scalar_type_name(type);
  if (type == "sampler_t") {
    parameter.kind = KernelParameter::Kind::sampler;
  } else if (type.compare(0, 5, "image") == 0) {
    parameter.kind = KernelParameter::Kind::image;
  } else if (scalar_bytes(type) > 0) {
    const bool local = space == CL_KERNEL_ARG_ADDRESS_LOCAL;
    parameter.kind = !pointer ? KernelParameter::Kind::value
                     : local  ? KernelParameter::Kind::local
                              : KernelParameter::Kind::buffer;
  }
  parameter.read_only = parameter.kind == KernelParameter::Kind::buffer &&
                        (space == CL_KERNEL_ARG_ADDRESS_CONSTANT || (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0);
  return parameter;
}

}  // namespace

KernelSignatures driver_signatures(cl_program program) {
  KernelSignatures signatures;
  cl_uint count = 0;
  if (clCreateKernelsInProgram(program, 0, nullptr, &count) != CL_SUCCESS || count == 0) return signatures;
  std::vector<cl_kernel> created(count);
  if (clCreateKernelsInProgram(program, count, created.data(), nullptr) != CL_SUCCESS) return signatures;
  std::vector<KernelHandle> kernels(created.begin(), created.end());
  for (const KernelHandle& kernel : kernels) {
    char name[256] = "";
    cl_uint arguments = 0;
    check_cl(clGetKernelInfo(kernel.get(), CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr), "clGetKernelInfo");
    check_cl(clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
             "clGetKernelInfo");
    KernelSignature& signature = signatures[name];
    for (cl_uint k = 0; k < arguments; ++k) signature.push_back(driver_parameter(kernel.get(), k));
  }
  return signatures;
}

}  // namespace openclPort
