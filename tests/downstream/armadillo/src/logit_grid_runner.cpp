// logit_grid_runner -- OpenCL calls of this package's own, on the device that nmathopencl has selected.
#ifdef USE_OPENCL

#include <Rcpp.h>  // before openclPort.h: without Armadillo
#include <openclPort.h>

#include <memory>
#include <type_traits>

#include "logit_grid.h"

namespace {

void check(cl_int status, const char* step) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(step) + " failed: " + std::to_string(status));
}

template <typename T, typename Release>
std::unique_ptr<typename std::remove_pointer<T>::type, Release> own(T object, cl_int status, const char* step,
                                                                    Release release) {
  check(status, step);
  return std::unique_ptr<typename std::remove_pointer<T>::type, Release>(object, release);
}

}  // namespace

void logit_grid_runner(const std::string& program_text, const char* kernel_name, int l1, int l2, int m1,
                       const std::vector<std::vector<double>>& inputs, std::vector<double>& qf,
                       std::vector<double>& grad) {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  openclPort::opencl_bind_selected_fp64_device_or_throw(platform, device);
  cl_int status = CL_SUCCESS;
  cl_context made = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  const auto context = own(made, status, "clCreateContext", clReleaseContext);
  cl_command_queue commands = clCreateCommandQueueWithProperties(context.get(), device, nullptr, &status);
  const auto queue = own(commands, status, "clCreateCommandQueueWithProperties", clReleaseCommandQueue);
  const char* text = program_text.c_str();
  cl_program source = clCreateProgramWithSource(context.get(), 1, &text, nullptr, &status);
  const auto program = own(source, status, "clCreateProgramWithSource", clReleaseProgram);
  check(clBuildProgram(program.get(), 1, &device, nullptr, nullptr, nullptr), "clBuildProgram");
  cl_kernel entry = clCreateKernel(program.get(), kernel_name, &status);
  const auto kernel = own(entry, status, "clCreateKernel", clReleaseKernel);

  std::vector<std::unique_ptr<std::remove_pointer<cl_mem>::type, decltype(&clReleaseMemObject)>> buffers;
  const auto pass = [&](cl_mem_flags flags, const std::vector<double>& data, void* from) {
    cl_mem memory = clCreateBuffer(context.get(), flags, data.size() * sizeof(double), from, &status);
    buffers.push_back(own(memory, status, "clCreateBuffer", &clReleaseMemObject));
    check(clSetKernelArg(kernel.get(), static_cast<cl_uint>(buffers.size() - 1), sizeof memory, &memory),
          "clSetKernelArg");
  };
  for (const std::vector<double>& input : inputs)
    pass(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, input, const_cast<double*>(input.data()));
  pass(CL_MEM_WRITE_ONLY, qf, nullptr);
  pass(CL_MEM_WRITE_ONLY, grad, nullptr);
  cl_uint index = static_cast<cl_uint>(buffers.size());
  for (const int value : {l1, l2, m1})
    check(clSetKernelArg(kernel.get(), index++, sizeof value, &value), "clSetKernelArg");

  const std::size_t points = static_cast<std::size_t>(m1);
  check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &points, nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  std::size_t output = inputs.size();
  for (std::vector<double>* to : {&qf, &grad})
    check(clEnqueueReadBuffer(queue.get(), buffers[output++].get(), CL_TRUE, 0, to->size() * sizeof(double), to->data(),
                              0, nullptr, nullptr),
          "clEnqueueReadBuffer");
}

#endif
