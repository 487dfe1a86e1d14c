// cl_api_declarations -- what is compared of src/opencl/cl_api.h and of an SDK's CL/cl.h: constants by value, functions
// by the shape of their types. To be included after either, each in a file of its own.
#pragma once

#include <map>
#include <string>
#include <type_traits>

namespace cl_api_test {

template <typename T>
struct Shape {
  static std::string text() {
    if (std::is_void<T>::value) return "void";
    if (std::is_const<T>::value) return "const " + Shape<std::remove_const_t<T>>::text();
    if (!std::is_integral<T>::value) return "object";
    return (std::is_unsigned<T>::value ? "u" : "i") + std::to_string(8 * bytes());
  }
  static std::size_t bytes() {
    if constexpr (std::is_integral<T>::value)
      return sizeof(T);
    else
      return 0;
  }
};
template <typename T>
struct Shape<T*> {
  static std::string text() { return Shape<T>::text() + "*"; }
};
template <typename Result, typename... Parameters>
struct Shape<Result(Parameters...)> {
  static std::string text() {
    std::string all = Shape<Result>::text() + "(";
    ((all += Shape<Parameters>::text() + ","), ...);
    return all + ")";
  }
};

using Values = std::map<std::string, long long>;
using Shapes = std::map<std::string, std::string>;
Values values_of_sdk();
Shapes shapes_of_sdk();

static Values constant_values() {  // not inline: it differs between the two files
  return {
#define VALUE(name) {#name, static_cast<long long>(name)},
      VALUE(CL_FALSE) VALUE(CL_TRUE) VALUE(CL_SUCCESS) VALUE(CL_DEVICE_NOT_FOUND) VALUE(CL_DEVICE_NOT_AVAILABLE)
          VALUE(CL_COMPILER_NOT_AVAILABLE) VALUE(CL_MEM_OBJECT_ALLOCATION_FAILURE) VALUE(CL_OUT_OF_RESOURCES) VALUE(
              CL_OUT_OF_HOST_MEMORY) VALUE(CL_BUILD_PROGRAM_FAILURE) VALUE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
              VALUE(CL_COMPILE_PROGRAM_FAILURE) VALUE(CL_LINKER_NOT_AVAILABLE) VALUE(CL_LINK_PROGRAM_FAILURE) VALUE(
                  CL_INVALID_VALUE) VALUE(CL_INVALID_DEVICE) VALUE(CL_INVALID_COMMAND_QUEUE)
                  VALUE(CL_INVALID_PROGRAM_EXECUTABLE) VALUE(CL_INVALID_KERNEL_NAME) VALUE(CL_INVALID_KERNEL) VALUE(
                      CL_INVALID_KERNEL_ARGS) VALUE(CL_INVALID_WORK_GROUP_SIZE) VALUE(CL_INVALID_OPERATION)
                      VALUE(CL_INVALID_BUFFER_SIZE) VALUE(CL_PLATFORM_NOT_FOUND_KHR) VALUE(CL_PLATFORM_VERSION) VALUE(
                          CL_PLATFORM_NAME) VALUE(CL_PLATFORM_VENDOR) VALUE(CL_DEVICE_TYPE_CPU)
                          VALUE(CL_DEVICE_TYPE_GPU) VALUE(CL_DEVICE_TYPE_ACCELERATOR) VALUE(CL_DEVICE_TYPE_ALL) VALUE(
                              CL_DEVICE_TYPE) VALUE(CL_DEVICE_MAX_COMPUTE_UNITS) VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE)
                              VALUE(CL_DEVICE_MAX_WORK_ITEM_SIZES) VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE) VALUE(
                                  CL_DEVICE_GLOBAL_MEM_SIZE) VALUE(CL_DEVICE_LOCAL_MEM_SIZE)
                                  VALUE(CL_DEVICE_COMPILER_AVAILABLE) VALUE(CL_DEVICE_NAME) VALUE(
                                      CL_DEVICE_VENDOR) VALUE(CL_DRIVER_VERSION) VALUE(CL_DEVICE_VERSION)
                                      VALUE(CL_DEVICE_EXTENSIONS) VALUE(CL_DEVICE_DOUBLE_FP_CONFIG) VALUE(
                                          CL_DEVICE_HOST_UNIFIED_MEMORY) VALUE(CL_CONTEXT_PLATFORM)
                                          VALUE(CL_QUEUE_PROFILING_ENABLE) VALUE(CL_MEM_READ_WRITE) VALUE(
                                              CL_MEM_WRITE_ONLY) VALUE(CL_MEM_READ_ONLY) VALUE(CL_MEM_USE_HOST_PTR)
                                              VALUE(CL_MEM_ALLOC_HOST_PTR) VALUE(CL_BUFFER_CREATE_TYPE_REGION) VALUE(
                                                  CL_MAP_READ) VALUE(CL_MAP_WRITE) VALUE(CL_PROGRAM_BINARY_SIZES)
                                                  VALUE(CL_PROGRAM_BINARIES) VALUE(CL_PROGRAM_KERNEL_NAMES) VALUE(
                                                      CL_PROGRAM_BUILD_LOG) VALUE(CL_KERNEL_FUNCTION_NAME)
                                                      VALUE(CL_KERNEL_NUM_ARGS) VALUE(
                                                          CL_KERNEL_ARG_ADDRESS_QUALIFIER) VALUE(CL_KERNEL_ARG_TYPE_NAME)
                                                          VALUE(CL_KERNEL_ARG_TYPE_QUALIFIER) VALUE(
                                                              CL_KERNEL_ARG_NAME) VALUE(CL_KERNEL_ARG_ADDRESS_LOCAL)
                                                              VALUE(CL_KERNEL_ARG_ADDRESS_CONSTANT) VALUE(
                                                                  CL_KERNEL_ARG_ADDRESS_PRIVATE)
                                                                  VALUE(CL_KERNEL_ARG_TYPE_NONE) VALUE(
                                                                      CL_KERNEL_ARG_TYPE_CONST)
                                                                      VALUE(CL_KERNEL_WORK_GROUP_SIZE) VALUE(
                                                                          CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
                                                                          VALUE(CL_KERNEL_LOCAL_MEM_SIZE) VALUE(
                                                                              CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
                                                                              VALUE(CL_KERNEL_PRIVATE_MEM_SIZE) VALUE(
                                                                                  CL_EVENT_COMMAND_EXECUTION_STATUS)
                                                                                  VALUE(CL_COMPLETE) VALUE(CL_RUNNING)
                                                                                      VALUE(CL_PROFILING_COMMAND_START)
                                                                                          VALUE(
                                                                                              CL_PROFILING_COMMAND_END)
#undef VALUE
  };
}

}  // namespace cl_api_test
