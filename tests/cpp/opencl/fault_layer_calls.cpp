// fault_layer_calls -- OpenCL 1.2 as the fault layer defines it: each call asks the state, goes on to the driver,
// tells.
//
// A failing call does not reach the driver, except those that end something (releases, unmap, finish, wait, flush):
// they do their work and then report the failure, so that nothing runs on behind the test's back.
#include "fault_layer_call.h"
#include "fault_layer_kept.h"

#include <atomic>
#include <string>
#include <type_traits>

using namespace fault_layer;

namespace {

std::string how_built(const char* to, const char* options) {
  return to + std::string(" ") + (options == nullptr ? "" : options);
}

// A build that the layer fails, or that was made before, or the driver's.
template <typename Build>
cl_int built(cl_int fault, cl_program program, const std::string& how, const Build& build) {
  KeptBuilds& kept = KeptBuilds::get();
  if (fault == CL_SUCCESS && kept.is_built(program, how)) return CL_SUCCESS;
  const cl_int status = fault == CL_SUCCESS ? build() : fault;
  if (status == CL_SUCCESS)
    kept.built(program, how);
  else
    kept.failed(program);
  if (fault != CL_SUCCESS) State::get().build_failed(program);
  return status;
}

#ifndef FAULT_LAYER_1_1
std::atomic<long> with_headers{0};
#endif

}  // namespace

extern "C" {

// ---- platforms, devices, contexts, queues

cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  static const auto real = next(&::clGetPlatformIDs, "clGetPlatformIDs");
  const cl_int fault = State::get().enter("clGetPlatformIDs");
  if (fault != CL_SUCCESS) return fault;
  return real == nullptr ? CL_PLATFORM_NOT_FOUND_KHR : real(room, platforms, count);
}

PLAIN_CALL(clGetPlatformInfo,
           (cl_platform_id platform, cl_platform_info what, size_t room, void* target, size_t* needed),
           (platform, what, room, target, needed))
PLAIN_CALL(clGetDeviceIDs,
           (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices, cl_uint* count),
           (platform, type, room, devices, count))

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void* target,
                                   size_t* needed) {
  static const auto real = next(&::clGetDeviceInfo, "clGetDeviceInfo");
  const cl_int fault = State::get().enter("clGetDeviceInfo");
  if (fault != CL_SUCCESS) return fault;
  const bool lie = State::get().lies().no_fp64, gpu = State::get().lies().gpu;
  const cl_device_fp_config none = 0;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_bool no = CL_FALSE;
  if (gpu && what == CL_DEVICE_TYPE) return answer(&type, sizeof type, room, target, needed);
  if (gpu && what == CL_DEVICE_HOST_UNIFIED_MEMORY) return answer(&no, sizeof no, room, target, needed);
  if (lie && what == CL_DEVICE_DOUBLE_FP_CONFIG) return answer(&none, sizeof none, room, target, needed);
  const cl_int status = real(device, what, room, target, needed);
  return lie && what == CL_DEVICE_EXTENSIONS ? without_word(status, "cl_khr_fp64", target) : status;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint count,
                                       const cl_device_id* devices,
                                       void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data,
                                       cl_int* status) {
  static const auto real = next(&::clCreateContext, "clCreateContext");
  const cl_int fault = State::get().enter("clCreateContext");
  set_status(status, fault);
  if (fault != CL_SUCCESS) return nullptr;
  cl_context made = KeptBuilds::get().context(count, devices);
  if (made == nullptr) {
    made = real(properties, count, devices, notify, data, status);
    KeptBuilds::get().keep(count, devices, made);
  }
  if (made != nullptr) State::get().made(Kind::context, made);
  return made;
}

REFERENCE_CALLS(context, cl_context, clRetainContext, clReleaseContext)
PLAIN_CALL(clGetContextInfo, (cl_context context, cl_context_info what, size_t room, void* target, size_t* needed),
           (context, what, room, target, needed))
MAKING_CALL(queue, cl_command_queue, clCreateCommandQueue,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int* status),
            (context, device, properties, status))
REFERENCE_CALLS(queue, cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue)
PLAIN_CALL(clGetCommandQueueInfo,
           (cl_command_queue queue, cl_command_queue_info what, size_t room, void* target, size_t* needed),
           (queue, what, room, target, needed))

// ---- memory

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* data, cl_int* status) {
  static const auto real = next(&::clCreateBuffer, "clCreateBuffer");
  cl_int fault = State::get().enter("clCreateBuffer");
  const bool on_device = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) == 0;
  if (fault == CL_SUCCESS && on_device && State::get().exceeds_memory(bytes)) fault = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (fault != CL_SUCCESS) {
    set_status(status, fault);
    return nullptr;
  }
  cl_mem made = real(context, flags, bytes, data, status);
  if (made != nullptr) State::get().made(Kind::memory, made);
  if (made != nullptr && on_device) State::get().device_buffer_made(made, bytes);
  return made;
}

MAKING_CALL(memory, cl_mem, clCreateSubBuffer,
            (cl_mem memory, cl_mem_flags flags, cl_buffer_create_type type, const void* region, cl_int* status),
            (memory, flags, type, region, status))
REFERENCE_CALLS(memory, cl_mem, clRetainMemObject, clReleaseMemObject)
PLAIN_CALL(clGetMemObjectInfo, (cl_mem memory, cl_mem_info what, size_t room, void* target, size_t* needed),
           (memory, what, room, target, needed))
PLAIN_CALL(clSetMemObjectDestructorCallback, (cl_mem memory, void(CL_CALLBACK* notify)(cl_mem, void*), void* data),
           (memory, notify, data))

// ---- programs and kernels

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts,
                                                 const size_t* lengths, cl_int* status) {
  static const auto real = next(&::clCreateProgramWithSource, "clCreateProgramWithSource");
  const cl_int fault = State::get().enter("clCreateProgramWithSource");
  set_status(status, fault);
  if (fault != CL_SUCCESS) return nullptr;
  std::string text;
  for (cl_uint k = 0; k < count; ++k) text += lengths == nullptr ? texts[k] : std::string(texts[k], lengths[k]);
  cl_program made = KeptBuilds::get().program(context, text);
  if (made == nullptr) {
    made = real(context, count, texts, lengths, status);
    KeptBuilds::get().keep(context, text, made);
  }
  if (made != nullptr) State::get().made(Kind::program, made);
  return made;
}

MAKING_CALL(program, cl_program, clCreateProgramWithBinary,
            (cl_context context, cl_uint count, const cl_device_id* devices, const size_t* lengths,
             const unsigned char** binaries, cl_int* each, cl_int* status),
            (context, count, devices, lengths, binaries, each, status))
REFERENCE_CALLS(program, cl_program, clRetainProgram, clReleaseProgram)

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                                  void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  static const auto real = next(&::clBuildProgram, "clBuildProgram");
  const cl_int fault = State::get().enter("clBuildProgram");
  return built(fault, program, how_built("executable", options),
               [&] { return real(program, count, devices, options, notify, data); });
}

#ifndef FAULT_LAYER_1_1
cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                                    cl_uint headers, const cl_program* header_programs, const char** names,
                                    void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  static const auto real = next(&::clCompileProgram, "clCompileProgram");
  const cl_int fault = State::get().enter("clCompileProgram");
  std::string how = how_built("object", options);
  if (headers > 0) how += " with headers " + std::to_string(++with_headers);  // each another one
  return built(fault, program, how,
               [&] { return real(program, count, devices, options, headers, header_programs, names, notify, data); });
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const char* options, cl_uint inputs, const cl_program* programs,
                                     void(CL_CALLBACK* notify)(cl_program, void*), void* data, cl_int* status) {
  static const auto real = next(&::clLinkProgram, "clLinkProgram");
  const cl_int fault = State::get().enter("clLinkProgram");
  set_status(status, fault);
  if (fault != CL_SUCCESS) return nullptr;
  cl_program made = KeptBuilds::get().linked(inputs, programs, options);
  if (made == nullptr) {
    cl_int reported = CL_SUCCESS;
    made = real(context, count, devices, options, inputs, programs, notify, data, &reported);
    set_status(status, reported);
    if (reported == CL_SUCCESS) KeptBuilds::get().keep(inputs, programs, options, made);
  }
  if (made != nullptr) State::get().made(Kind::program, made);
  return made;
}
#endif
PLAIN_CALL(clUnloadPlatformCompiler, (cl_platform_id platform), (platform))
PLAIN_CALL(clGetProgramInfo, (cl_program program, cl_program_info what, size_t room, void* target, size_t* needed),
           (program, what, room, target, needed))

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                                         size_t room, void* target, size_t* needed) {
  static const auto real = next(&::clGetProgramBuildInfo, "clGetProgramBuildInfo");
  const cl_int fault = State::get().enter("clGetProgramBuildInfo");
  if (fault != CL_SUCCESS) return fault;
  if (what == CL_PROGRAM_BUILD_LOG && State::get().has_failed_build(program))
    return answer(kBuildLog, sizeof kBuildLog, room, target, needed);
  return real(program, device, what, room, target, needed);
}

MAKING_CALL(kernel, cl_kernel, clCreateKernel, (cl_program program, const char* name, cl_int* status),
            (program, name, status))
REFERENCE_CALLS(kernel, cl_kernel, clRetainKernel, clReleaseKernel)
PLAIN_CALL(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t bytes, const void* value),
           (kernel, index, bytes, value))
PLAIN_CALL(clGetKernelInfo, (cl_kernel kernel, cl_kernel_info what, size_t room, void* target, size_t* needed),
           (kernel, what, room, target, needed))
#ifndef FAULT_LAYER_1_1
PLAIN_CALL(clGetKernelArgInfo,
           (cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t room, void* target, size_t* needed),
           (kernel, index, what, room, target, needed))
#endif

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel* kernels, cl_uint* count) {
  static const auto real = next(&::clCreateKernelsInProgram, "clCreateKernelsInProgram");
  const cl_int fault = State::get().enter("clCreateKernelsInProgram");
  if (fault != CL_SUCCESS) return fault;
  cl_uint made = 0;
  const cl_int status = real(program, room, kernels, &made);
  if (count != nullptr) *count = made;
  if (status == CL_SUCCESS && kernels != nullptr)
    for (cl_uint k = 0; k < made; ++k) State::get().made(Kind::kernel, kernels[k]);
  return status;
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                            size_t room, void* target, size_t* needed) {
  static const auto real = next(&::clGetKernelWorkGroupInfo, "clGetKernelWorkGroupInfo");
  const cl_int fault = State::get().enter("clGetKernelWorkGroupInfo");
  if (fault != CL_SUCCESS) return fault;
  const size_t limit = State::get().lies().group_limit;
  if (limit > 0 && what == CL_KERNEL_WORK_GROUP_SIZE) return answer(&limit, sizeof limit, room, target, needed);
  return real(kernel, device, what, room, target, needed);
}

// ---- events

PLAIN_CALL(clGetEventProfilingInfo, (cl_event event, cl_profiling_info what, size_t room, void* target, size_t* needed),
           (event, what, room, target, needed))
PLAIN_CALL(clSetEventCallback,
           (cl_event event, cl_int type, void(CL_CALLBACK* notify)(cl_event, cl_int, void*), void* data),
           (event, type, notify, data))
MAKING_CALL(event, cl_event, clCreateUserEvent, (cl_context context, cl_int* status), (context, status))
PLAIN_CALL(clSetUserEventStatus, (cl_event event, cl_int value), (event, value))
REFERENCE_CALLS(event, cl_event, clRetainEvent, clReleaseEvent)

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t room, void* target, size_t* needed) {
  static const auto real = next(&::clGetEventInfo, "clGetEventInfo");
  const cl_int fault = State::get().enter("clGetEventInfo");
  if (fault != CL_SUCCESS) return fault;
  const cl_int status = real(event, what, room, target, needed);
  if (status == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && target != nullptr &&
      *static_cast<cl_int*>(target) == CL_COMPLETE)
    State::get().finished(1, &event);
  return status;
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* events) {
  static const auto real = next(&::clWaitForEvents, "clWaitForEvents");
  const cl_int fault = State::get().enter("clWaitForEvents");
  const cl_int status = real(count, events);
  if (fault != CL_SUCCESS) return fault;
  if (status == CL_SUCCESS) State::get().finished(count, events);
  return status;
}

// ---- queues at work

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  static const auto real = next(&::clFinish, "clFinish");
  const cl_int fault = State::get().enter("clFinish", queue);
  const cl_int status = real(queue);
  if (fault != CL_SUCCESS)
    State::get().spoil_unfinished_reads(queue);
  else if (status == CL_SUCCESS)
    State::get().finished(queue);
  return fault != CL_SUCCESS ? fault : status;
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  static const auto real = next(&::clFlush, "clFlush");
  const cl_int fault = State::get().enter("clFlush", queue);
  const cl_int status = real(queue);
  return fault != CL_SUCCESS ? fault : status;
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t bytes,
                                       void* target, cl_uint n_before, const cl_event* before, cl_event* event) {
  static const auto real = next(&::clEnqueueReadBuffer, "clEnqueueReadBuffer");
  const cl_int fault = State::get().enter("clEnqueueReadBuffer");
  if (fault != CL_SUCCESS) return fault;
  const bool lie = State::get().lies().single_precision;
  if (lie) wait = CL_TRUE;
  const cl_int status = real(queue, memory, wait, offset, bytes, target, n_before, before, event);
  if (status != CL_SUCCESS) return status;
  if (lie) round_to_single(target, bytes);
  reported(queue, event, target, bytes, wait == CL_TRUE);
  return status;
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, cl_map_flags flags,
                                     size_t offset, size_t bytes, cl_uint n_before, const cl_event* before,
                                     cl_event* event, cl_int* status) {
  static const auto real = next(&::clEnqueueMapBuffer, "clEnqueueMapBuffer");
  const cl_int fault = State::get().enter("clEnqueueMapBuffer", nullptr, is_staging(memory));
  if (fault != CL_SUCCESS) {
    set_status(status, fault);
    return nullptr;
  }
  const bool lie = State::get().lies().single_precision && (flags & CL_MAP_READ) && !is_staging(memory);
  if (lie) wait = CL_TRUE;
  cl_int told_status = CL_SUCCESS;
  void* mapped = real(queue, memory, wait, flags, offset, bytes, n_before, before, event, &told_status);
  set_status(status, told_status);
  if (told_status != CL_SUCCESS) return mapped;
  if (lie) round_to_single(mapped, bytes);
  State::get().made(Kind::mapping, mapped);
  reported(queue, event, nullptr, 0, wait == CL_TRUE);
  return mapped;
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* mapped, cl_uint n_before,
                                           const cl_event* before, cl_event* event) {
  static const auto real = next(&::clEnqueueUnmapMemObject, "clEnqueueUnmapMemObject");
  const cl_int fault = State::get().enter("clEnqueueUnmapMemObject", nullptr, is_staging(memory));
  const cl_int status = real(queue, memory, mapped, n_before, before, fault != CL_SUCCESS ? nullptr : event);
  if (status == CL_SUCCESS) {
    State::get().released(Kind::mapping, mapped);
    reported(queue, fault != CL_SUCCESS ? nullptr : event, nullptr, 0, false);
  }
  return fault != CL_SUCCESS ? fault : status;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* group,
                                          cl_uint n_before, const cl_event* before, cl_event* event) {
  static const auto real = next(&::clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  const cl_int fault = State::get().enter("clEnqueueNDRangeKernel");
  if (fault != CL_SUCCESS) return fault;
  const size_t limit = State::get().lies().group_limit;
  size_t items = 1;
  for (cl_uint k = 0; group != nullptr && k < dimensions; ++k) items *= group[k];
  if (limit > 0 && items > limit) return CL_INVALID_WORK_GROUP_SIZE;
  const cl_int status = real(queue, kernel, dimensions, offset, global, group, n_before, before, event);
  if (status == CL_SUCCESS) reported(queue, event, nullptr, 0, false);
  return status;
}

ENQUEUE_CALL(clEnqueueWriteBuffer,
             (cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t bytes, const void* source,
              cl_uint n_before, const cl_event* before, cl_event* event),
             (queue, memory, wait, offset, bytes, source, n_before, before, event))
ENQUEUE_CALL(clEnqueueFillBuffer,
             (cl_command_queue queue, cl_mem memory, const void* pattern, size_t length, size_t offset, size_t bytes,
              cl_uint n_before, const cl_event* before, cl_event* event),
             (queue, memory, pattern, length, offset, bytes, n_before, before, event))
ENQUEUE_CALL(clEnqueueCopyBuffer,
             (cl_command_queue queue, cl_mem from, cl_mem to, size_t offset, size_t to_offset, size_t bytes,
              cl_uint n_before, const cl_event* before, cl_event* event),
             (queue, from, to, offset, to_offset, bytes, n_before, before, event))
ENQUEUE_CALL(clEnqueueMigrateMemObjects,
             (cl_command_queue queue, cl_uint count, const cl_mem* memory, cl_mem_migration_flags flags,
              cl_uint n_before, const cl_event* before, cl_event* event),
             (queue, count, memory, flags, n_before, before, event))
ENQUEUE_CALL(clEnqueueMarkerWithWaitList,
             (cl_command_queue queue, cl_uint n_before, const cl_event* before, cl_event* event),
             (queue, n_before, before, event))
ENQUEUE_CALL(clEnqueueBarrierWithWaitList,
             (cl_command_queue queue, cl_uint n_before, const cl_event* before, cl_event* event),
             (queue, n_before, before, event))

}  // extern "C"

// They are the functions that the core calls.
#define SAME_TYPE(name)                                                                      \
  static_assert(std::is_same<decltype(&::name), decltype(openclPort::name)::Pointer>::value, \
                "declared otherwise: " #name);
#define CL_REQUIRED(result, name, ...) SAME_TYPE(name)
#ifdef FAULT_LAYER_1_1
#define CL_SINCE_1_2(result, name, ...)
#else
#define CL_SINCE_1_2(result, name, ...) SAME_TYPE(name)
#endif
#include "opencl/cl_functions.h"

namespace fault_layer {

std::string file() {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(&::clGetPlatformIDs), &info) != 0 ? info.dli_fname : "";
}

}  // namespace fault_layer
