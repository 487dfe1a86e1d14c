// cl_api -- OpenCL 1.2 as this package uses it: types, constants, functions, and the library that has the functions.
//
// Declared as the specification gives them, so that a build needs neither OpenCL's headers nor its library. The library
// is opened at the first call of any function or of opencl_library_open(), and never closed: drivers do not survive
// that. Functions are looked up one by one; one that the library lacks answers CL_INVALID_OPERATION. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#ifdef _WIN32  // differs from the default on 32 bits
#define CL_API_CALL __stdcall
#define CL_CALLBACK __stdcall
#else
#define CL_API_CALL
#define CL_CALLBACK
#endif

namespace openclPort {

// ---- the library

bool opencl_library_open() noexcept;   // false: there is none, or it lacks what this package cannot do without
std::string opencl_library_problem();  // why not; "" where it is open
std::string opencl_library_file();     // the file that is open, as the system names it; "" where none is
std::string opencl_library_version();  // what an ICD loader tells of itself; "" where it does not
void retry_opencl_library() noexcept;  // one that could not be opened is looked for again at the next use
// The library to open instead of the system's, for tests. Throws NmathError once a library is open.
void use_opencl_library(const std::string& path);

using ClAnyFunction = void (*)();
ClAnyFunction find_opencl_function(const char* name) noexcept;  // null: the library lacks it, or there is none

// ---- types

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;

using cl_platform_id = struct ClPlatform*;
using cl_device_id = struct ClDevice*;
using cl_context = struct ClContext*;
using cl_command_queue = struct ClCommandQueue*;
using cl_mem = struct ClMemory*;
using cl_program = struct ClProgram*;
using cl_kernel = struct ClKernel*;
using cl_event = struct ClEvent*;

using cl_platform_info = cl_uint;
using cl_device_type = cl_bitfield;
using cl_device_info = cl_uint;
using cl_device_fp_config = cl_bitfield;
using cl_context_properties = std::intptr_t;
using cl_command_queue_properties = cl_bitfield;
using cl_mem_flags = cl_bitfield;
using cl_map_flags = cl_bitfield;
using cl_buffer_create_type = cl_uint;
using cl_program_info = cl_uint;
using cl_program_build_info = cl_uint;
using cl_kernel_info = cl_uint;
using cl_kernel_arg_info = cl_uint;
using cl_kernel_arg_address_qualifier = cl_uint;
using cl_kernel_arg_type_qualifier = cl_bitfield;
using cl_kernel_work_group_info = cl_uint;
using cl_event_info = cl_uint;
using cl_profiling_info = cl_uint;

// ---- constants

constexpr cl_bool CL_FALSE = 0;
constexpr cl_bool CL_TRUE = 1;

constexpr cl_int CL_SUCCESS = 0;
constexpr cl_int CL_DEVICE_NOT_FOUND = -1;
constexpr cl_int CL_DEVICE_NOT_AVAILABLE = -2;
constexpr cl_int CL_COMPILER_NOT_AVAILABLE = -3;
constexpr cl_int CL_MEM_OBJECT_ALLOCATION_FAILURE = -4;
constexpr cl_int CL_OUT_OF_RESOURCES = -5;
constexpr cl_int CL_OUT_OF_HOST_MEMORY = -6;
constexpr cl_int CL_BUILD_PROGRAM_FAILURE = -11;
constexpr cl_int CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14;
constexpr cl_int CL_COMPILE_PROGRAM_FAILURE = -15;
constexpr cl_int CL_LINKER_NOT_AVAILABLE = -16;
constexpr cl_int CL_LINK_PROGRAM_FAILURE = -17;
constexpr cl_int CL_INVALID_VALUE = -30;
constexpr cl_int CL_INVALID_DEVICE = -33;
constexpr cl_int CL_INVALID_COMMAND_QUEUE = -36;
constexpr cl_int CL_INVALID_PROGRAM_EXECUTABLE = -45;
constexpr cl_int CL_INVALID_KERNEL_NAME = -46;
constexpr cl_int CL_INVALID_KERNEL = -48;
constexpr cl_int CL_INVALID_KERNEL_ARGS = -52;
constexpr cl_int CL_INVALID_WORK_GROUP_SIZE = -54;
constexpr cl_int CL_INVALID_OPERATION = -59;
constexpr cl_int CL_INVALID_BUFFER_SIZE = -61;
constexpr cl_int CL_PLATFORM_NOT_FOUND_KHR = -1001;  // of the ICD loader

constexpr cl_platform_info CL_PLATFORM_VERSION = 0x0901;
constexpr cl_platform_info CL_PLATFORM_NAME = 0x0902;
constexpr cl_platform_info CL_PLATFORM_VENDOR = 0x0903;

constexpr cl_device_type CL_DEVICE_TYPE_CPU = 1 << 1;
constexpr cl_device_type CL_DEVICE_TYPE_GPU = 1 << 2;
constexpr cl_device_type CL_DEVICE_TYPE_ACCELERATOR = 1 << 3;
constexpr cl_device_type CL_DEVICE_TYPE_ALL = 0xFFFFFFFF;

constexpr cl_device_info CL_DEVICE_TYPE = 0x1000;
constexpr cl_device_info CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002;
constexpr cl_device_info CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
constexpr cl_device_info CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005;
constexpr cl_device_info CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
constexpr cl_device_info CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F;
constexpr cl_device_info CL_DEVICE_LOCAL_MEM_SIZE = 0x1023;
constexpr cl_device_info CL_DEVICE_COMPILER_AVAILABLE = 0x1028;
constexpr cl_device_info CL_DEVICE_NAME = 0x102B;
constexpr cl_device_info CL_DEVICE_VENDOR = 0x102C;
constexpr cl_device_info CL_DRIVER_VERSION = 0x102D;
constexpr cl_device_info CL_DEVICE_VERSION = 0x102F;
constexpr cl_device_info CL_DEVICE_EXTENSIONS = 0x1030;
constexpr cl_device_info CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032;
constexpr cl_device_info CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035;

constexpr cl_context_properties CL_CONTEXT_PLATFORM = 0x1084;
constexpr cl_command_queue_properties CL_QUEUE_PROFILING_ENABLE = 1 << 1;

constexpr cl_mem_flags CL_MEM_READ_WRITE = 1 << 0;
constexpr cl_mem_flags CL_MEM_WRITE_ONLY = 1 << 1;
constexpr cl_mem_flags CL_MEM_READ_ONLY = 1 << 2;
constexpr cl_mem_flags CL_MEM_USE_HOST_PTR = 1 << 3;
constexpr cl_mem_flags CL_MEM_ALLOC_HOST_PTR = 1 << 4;
constexpr cl_buffer_create_type CL_BUFFER_CREATE_TYPE_REGION = 0x1220;
struct cl_buffer_region {
  std::size_t origin, size;
};
constexpr cl_map_flags CL_MAP_READ = 1 << 0;
constexpr cl_map_flags CL_MAP_WRITE = 1 << 1;

constexpr cl_program_info CL_PROGRAM_BINARY_SIZES = 0x1165;
constexpr cl_program_info CL_PROGRAM_BINARIES = 0x1166;
constexpr cl_program_info CL_PROGRAM_KERNEL_NAMES = 0x1168;
constexpr cl_program_build_info CL_PROGRAM_BUILD_LOG = 0x1183;

constexpr cl_kernel_info CL_KERNEL_FUNCTION_NAME = 0x1190;
constexpr cl_kernel_info CL_KERNEL_NUM_ARGS = 0x1191;
constexpr cl_kernel_arg_info CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196;
constexpr cl_kernel_arg_info CL_KERNEL_ARG_TYPE_NAME = 0x1198;
constexpr cl_kernel_arg_info CL_KERNEL_ARG_TYPE_QUALIFIER = 0x1199;
constexpr cl_kernel_arg_info CL_KERNEL_ARG_NAME = 0x119A;
constexpr cl_kernel_arg_address_qualifier CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C;
constexpr cl_kernel_arg_address_qualifier CL_KERNEL_ARG_ADDRESS_CONSTANT = 0x119D;
constexpr cl_kernel_arg_address_qualifier CL_KERNEL_ARG_ADDRESS_PRIVATE = 0x119E;
constexpr cl_kernel_arg_type_qualifier CL_KERNEL_ARG_TYPE_NONE = 0;
constexpr cl_kernel_arg_type_qualifier CL_KERNEL_ARG_TYPE_CONST = 1 << 0;
constexpr cl_kernel_work_group_info CL_KERNEL_WORK_GROUP_SIZE = 0x11B0;
constexpr cl_kernel_work_group_info CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1;
constexpr cl_kernel_work_group_info CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2;
constexpr cl_kernel_work_group_info CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3;
constexpr cl_kernel_work_group_info CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4;

constexpr cl_event_info CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3;
constexpr cl_int CL_COMPLETE = 0;
constexpr cl_int CL_RUNNING = 1;
constexpr cl_profiling_info CL_PROFILING_COMMAND_START = 0x1282;
constexpr cl_profiling_info CL_PROFILING_COMMAND_END = 0x1283;

// ---- functions

// Called like the function of OpenCL that it stands for.
template <typename Signature>
class ClFunction;

template <typename Result, typename... Parameters>
class ClFunction<Result(Parameters...)> {
 public:
  using Signature = Result(Parameters...);
  using Pointer = Result(CL_API_CALL*)(Parameters...);

  constexpr explicit ClFunction(const char* name) noexcept : name_(name) {}
  ClFunction(const ClFunction&) = delete;
  ClFunction& operator=(const ClFunction&) = delete;

  Result operator()(Parameters... parameters) const {
    ClAnyFunction function = found_.load(std::memory_order_acquire);
    if (function == nullptr) {
      function = find_opencl_function(name_);
      if (function == nullptr) return missing(parameters...);
      found_.store(function, std::memory_order_release);
    }
    return reinterpret_cast<Pointer>(function)(parameters...);
  }

 private:
  // Its own status, or the one that it would leave where its last argument points.
  static Result missing([[maybe_unused]] Parameters... parameters) {
    if constexpr (std::is_same<Result, cl_int>::value) {
      return CL_INVALID_OPERATION;
    } else {
      (leave_status(parameters), ...);
      return nullptr;
    }
  }
  template <typename T>
  static void leave_status([[maybe_unused]] T argument) {
    if constexpr (std::is_same<T, cl_int*>::value) {
      if (argument != nullptr) *argument = CL_INVALID_OPERATION;
    }
  }

  const char* name_;
  mutable std::atomic<ClAnyFunction> found_{nullptr};
};

#define CL_REQUIRED(result, name, ...) extern const ClFunction<result(__VA_ARGS__)> name;
#define CL_SINCE_1_2(result, name, ...) extern const ClFunction<result(__VA_ARGS__)> name;
#include "opencl/cl_functions.h"
#undef CL_REQUIRED
#undef CL_SINCE_1_2

}  // namespace openclPort
