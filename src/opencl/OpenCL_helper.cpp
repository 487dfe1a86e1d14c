// OpenCL_helper -- status texts, checked calls, info readers and the fork guard.
#include "opencl/OpenCL_helper.h"

#include <atomic>
#include <cstring>

#include "base/process_mutex.h"

namespace openclPort {

namespace {

struct StatusText {
  int status;
  const char* name;
  const char* hint;
};

constexpr const char* kMemoryHint =
    "The device has too little free memory: use fewer elements at a time, close other programs on the device, or use "
    "device = \"host\"" NMATHOPENCL_SEE_LIMITS ".";
constexpr const char* kInternalHint =
    "This is an error inside nmathopencl or in the kernel's host code; please report it.";
constexpr const char* kDriverHint =
    "Check that the driver of this device is installed and current (`clinfo` lists it).";
constexpr const char* kSourceHint = "The build log names file and line.";
constexpr const char* kArgumentHint =
    "Compare the kernel's parameters with the arguments given, in number, order and type.";
constexpr const char* kGroupHint =
    "Use a smaller work-group; kernel_info() gives the limits of the kernel on this device.";

constexpr const char* kLibraryHint =
#if defined(_WIN32)
    "OpenCL.dll comes with the driver of a GPU: install its maker's, then restart R. device = \"host\" always works.";
#elif defined(__APPLE__)
    "The system's OpenCL framework is missing. device = \"host\" always works.";
#else
    "Install an OpenCL loader (libOpenCL.so.1; Debian and Ubuntu: ocl-icd-libopencl1) and the driver of your device, "
    "then "
    "call nmathopencl_opencl_reset_device_selection() or restart R. nmathopencl need not be installed again. "
    "device = \"host\" always works.";
#endif

constexpr StatusText kStatusTexts[] = {
    {0, "CL_SUCCESS", ""},
    {-1, "CL_DEVICE_NOT_FOUND", "The platform has no device of this type; `clinfo` lists what there is."},
    {-2, "CL_DEVICE_NOT_AVAILABLE", "The device is in use or switched off; try again or choose another one."},
    {-3, "CL_COMPILER_NOT_AVAILABLE", "This device's driver has no compiler; choose another device."},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", kMemoryHint},
    {-5, "CL_OUT_OF_RESOURCES", kMemoryHint},
    {-6, "CL_OUT_OF_HOST_MEMORY", "The driver found too little host memory."},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", kInternalHint},
    {-8, "CL_MEM_COPY_OVERLAP", kInternalHint},
    {-9, "CL_IMAGE_FORMAT_MISMATCH", kInternalHint},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED", kInternalHint},
    {-11, "CL_BUILD_PROGRAM_FAILURE", kSourceHint},
    {-12, "CL_MAP_FAILURE", kMemoryHint},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", kInternalHint},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     "An earlier command on the device failed; the kernel may have accessed memory out of bounds."},
    {-15, "CL_COMPILE_PROGRAM_FAILURE", kSourceHint},
    {-16, "CL_LINKER_NOT_AVAILABLE", "This device's driver has no linker; build the whole program at once."},
    {-17, "CL_LINK_PROGRAM_FAILURE", kSourceHint},
    {-18, "CL_DEVICE_PARTITION_FAILED", kInternalHint},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", "Build with -cl-kernel-arg-info to have this information."},
    {-30, "CL_INVALID_VALUE", kInternalHint},
    {-31, "CL_INVALID_DEVICE_TYPE", kInternalHint},
    {-32, "CL_INVALID_PLATFORM", kDriverHint},
    {-33, "CL_INVALID_DEVICE", kDriverHint},
    {-34, "CL_INVALID_CONTEXT", kInternalHint},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", kInternalHint},
    {-36, "CL_INVALID_COMMAND_QUEUE",
     "The queue is gone: the device was lost, or a kernel accessed memory out of bounds."},
    {-37, "CL_INVALID_HOST_PTR", kInternalHint},
    {-38, "CL_INVALID_MEM_OBJECT", kInternalHint},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", kInternalHint},
    {-40, "CL_INVALID_IMAGE_SIZE", kInternalHint},
    {-41, "CL_INVALID_SAMPLER", kInternalHint},
    {-42, "CL_INVALID_BINARY", "The stored program is of another driver or damaged; it has to be built from source."},
    {-43, "CL_INVALID_BUILD_OPTIONS", "Check the build options; this driver knows at least those of OpenCL 1.2."},
    {-44, "CL_INVALID_PROGRAM", kInternalHint},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", "The program has not been built for this device."},
    {-46, "CL_INVALID_KERNEL_NAME", "The program has no kernel of this name."},
    {-47, "CL_INVALID_KERNEL_DEFINITION", kArgumentHint},
    {-48, "CL_INVALID_KERNEL", kInternalHint},
    {-49, "CL_INVALID_ARG_INDEX", kArgumentHint},
    {-50, "CL_INVALID_ARG_VALUE", kArgumentHint},
    {-51, "CL_INVALID_ARG_SIZE", kArgumentHint},
    {-52, "CL_INVALID_KERNEL_ARGS", kArgumentHint},
    {-53, "CL_INVALID_WORK_DIMENSION", kInternalHint},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", kGroupHint},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", kGroupHint},
    {-56, "CL_INVALID_GLOBAL_OFFSET", kInternalHint},
    {-57, "CL_INVALID_EVENT_WAIT_LIST", kInternalHint},
    {-58, "CL_INVALID_EVENT", kInternalHint},
    {-59, "CL_INVALID_OPERATION", kInternalHint},
    {-60, "CL_INVALID_GL_OBJECT", kInternalHint},
    {-61, "CL_INVALID_BUFFER_SIZE", kMemoryHint},
    {-62, "CL_INVALID_MIP_LEVEL", kInternalHint},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", kGroupHint},
    {-64, "CL_INVALID_PROPERTY", kInternalHint},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR", kInternalHint},
    {-66, "CL_INVALID_COMPILER_OPTIONS", "Check the build options; this driver knows at least those of OpenCL 1.2."},
    {-67, "CL_INVALID_LINKER_OPTIONS", "Check the link options."},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT", kInternalHint},
    {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR", kInternalHint},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR",
     "No OpenCL driver is installed: install one (an .icd file stands in /etc/OpenCL/vendors), or use device = "
     "\"host\"."},
    {-9999, "CL_NVIDIA_ILLEGAL_ACCESS", "A kernel read or wrote outside its buffers."},
};

const StatusText* find_status(int status) noexcept {
  for (const StatusText& text : kStatusTexts)
    if (text.status == status) return &text;
  return nullptr;
}

std::atomic<long> first_process{0};  // the process that first entered OpenCL; inherited by its children

}  // namespace

bool has_opencl() noexcept { return opencl_library_open(); }

const char* opencl_status_name(int status) noexcept {
  const StatusText* text = find_status(status);
  return text != nullptr ? text->name : "CL_UNKNOWN_STATUS";
}

const char* opencl_status_hint(int status) noexcept {
  const StatusText* text = find_status(status);
  return text != nullptr ? text->hint : kDriverHint;
}

std::string opencl_status_hint(int status, const char* function) {
  if (status != CL_INVALID_OPERATION || std::strncmp(function, "cl", 2) != 0 ||
      find_opencl_function(function) != nullptr)
    return opencl_status_hint(status);
  return std::string("The OpenCL library here is older than OpenCL 1.2 and has no ") + function +
         ": update the device's driver and the OpenCL loader. Building a whole program at once needs neither.";
}

bool opencl_touched() noexcept { return first_process.load(std::memory_order_acquire) != 0; }

bool opencl_forked() noexcept {
  const long first = first_process.load(std::memory_order_acquire);
  return first != 0 && first != process_id();
}

NmathError opencl_fork_error(const std::string& step) {
  return NmathError(
      "OpenCL cannot be used in this forked process: its parent had used OpenCL before the fork", step, "",
      "Use device = \"host\" in forked workers (parallel::mclapply), fork before OpenCL is first used, or "
      "start fresh processes (parallel::makePSOCKcluster)" NMATHOPENCL_SEE_LIMITS ".");
}

void enter_opencl(const char* step) {
  if (!has_opencl())
    throw NmathError("there is no OpenCL library on this machine: " + opencl_library_problem(), step, "", kLibraryHint);
  long expected = 0;
  if (first_process.compare_exchange_strong(expected, process_id())) return;
  if (expected != process_id()) throw opencl_fork_error(step);
}

namespace {

std::atomic<unsigned long> failures{0};

}  // namespace

unsigned long opencl_failures() noexcept { return failures.load(); }

void note_opencl_failure() noexcept { ++failures; }

std::string opencl_status_text(cl_int status) {
  return std::string(opencl_status_name(status)) + " (" + std::to_string(status) + ")";
}

void check_cl(cl_int status, const char* step, const std::string& device, const char* doing) {
  if (status == CL_SUCCESS) return;
  note_opencl_failure();
  throw NmathError(doing == nullptr ? std::string("OpenCL failed") : std::string("OpenCL failed while ") + doing, step,
                   opencl_status_text(status), opencl_status_hint(status, step), device);
}

std::string opencl_read_platform_info_str(cl_platform_id platform, cl_platform_info param) {
  return read_info_string(
      [&](std::size_t bytes, void* target, std::size_t* needed) {
        return clGetPlatformInfo(platform, param, bytes, target, needed);
      },
      "clGetPlatformInfo");
}

std::string opencl_read_device_info_str(cl_device_id device, cl_device_info param) {
  return read_info_string([&](std::size_t bytes, void* target,
                              std::size_t* needed) { return clGetDeviceInfo(device, param, bytes, target, needed); },
                          "clGetDeviceInfo");
}

NmathError opencl_make_context_error(cl_int status, cl_platform_id platform, cl_device_id device) {
  std::string name = "unknown device";
  try {  // the names only help: their failure must not hide the error that is told
    name = opencl_read_device_info_str(device, CL_DEVICE_NAME);
    name += " (" + opencl_read_platform_info_str(platform, CL_PLATFORM_NAME) + ")";
  } catch (const NmathError&) {
  }
  return NmathError("no OpenCL context could be created", "clCreateContext", opencl_status_text(status),
                    opencl_status_hint(status), name);
}

}  // namespace openclPort
