// fault_layer_call -- what the calls of the fault layer are made with: the driver's functions behind them, and their
// usual forms as macros.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "fault_layer_state.h"

using namespace openclPort;  // its types and constants; functions here are those of the global namespace
using fault_layer::Kind;
using fault_layer::State;

using cl_context_info = cl_uint;
using cl_command_queue_info = cl_uint;
using cl_mem_info = cl_uint;
using cl_buffer_create_type = cl_uint;
using cl_mem_migration_flags = cl_bitfield;

extern "C" cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t room, void* target,
                                                 size_t* needed);

namespace fault_layer {

constexpr cl_mem_info CL_MEM_FLAGS = 0x1101;

inline void* real_library() {
#ifdef __APPLE__
  const char* usual = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#else
  const char* usual = "libOpenCL.so.1";
#endif
  const char* named = std::getenv("NMATH_FAULT_NEXT");
  static void* const library = dlopen(named != nullptr ? named : usual, RTLD_NOW | RTLD_LOCAL);
  return library;
}

// Null only where there is no real library: clGetPlatformIDs() then tells of no platform, and nothing else is called.
template <typename Function>
Function* next(Function*, const char* name) {
  void* const library = real_library();
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

inline void set_status(cl_int* target, cl_int status) {
  if (target != nullptr) *target = status;
}

inline void round_to_single(void* data, std::size_t bytes) {
  double* values = static_cast<double*>(data);
  for (std::size_t k = 0; k < bytes / sizeof(double); ++k) values[k] = static_cast<float>(values[k]);
}

inline bool is_staging(cl_mem memory) {
  static const auto real = next(&::clGetMemObjectInfo, "clGetMemObjectInfo");
  cl_mem_flags flags = 0;
  return real(memory, CL_MEM_FLAGS, sizeof flags, &flags, nullptr) == CL_SUCCESS && (flags & CL_MEM_ALLOC_HOST_PTR);
}

// The answer to a question for a text, from which `word` is blotted out.
inline cl_int without_word(cl_int status, const char* word, void* text) {
  if (status != CL_SUCCESS || text == nullptr) return status;
  if (char* found = std::strstr(static_cast<char*>(text), word)) std::memset(found, 'x', std::strlen(word));
  return status;
}

inline cl_int answer(const void* value, std::size_t bytes, std::size_t room, void* target, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (target == nullptr) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(target, value, bytes);
  return CL_SUCCESS;
}

constexpr char kBuildLog[] = "nmath/injected.cl:3:1: error: injected by the fault layer\n";

inline void reported(cl_command_queue queue, const cl_event* event, void* target, std::size_t bytes, bool waited) {
  if (event != nullptr) State::get().made(Kind::event, *event);
  State::get().enqueued(queue, event == nullptr ? nullptr : *event, target, bytes, waited);
}

}  // namespace fault_layer

// Plain calls: fail, or go on.
#define PLAIN_CALL(name, parameters, arguments)          \
  cl_int CL_API_CALL name parameters {                   \
    static const auto real = next(&::name, #name);       \
    const cl_int fault = State::get().enter(#name);      \
    return fault != CL_SUCCESS ? fault : real arguments; \
  }

// Calls that make the handle they return, and tell their status through the pointer `status`.
#define MAKING_CALL(kind, type, name, parameters, arguments)  \
  type CL_API_CALL name parameters {                          \
    static const auto real = next(&::name, #name);            \
    const cl_int fault = State::get().enter(#name);           \
    if (fault != CL_SUCCESS) {                                \
      set_status(status, fault);                              \
      return nullptr;                                         \
    }                                                         \
    type made = real arguments;                               \
    if (made != nullptr) State::get().made(Kind::kind, made); \
    return made;                                              \
  }

#define REFERENCE_CALLS(kind, type, retain, release)                 \
  cl_int CL_API_CALL retain(type handle) {                           \
    static const auto real = next(&::retain, #retain);               \
    const cl_int fault = State::get().enter(#retain);                \
    if (fault != CL_SUCCESS) return fault;                           \
    const cl_int status = real(handle);                              \
    if (status == CL_SUCCESS) State::get().made(Kind::kind, handle); \
    return status;                                                   \
  }                                                                  \
  cl_int CL_API_CALL release(type handle) {                          \
    static const auto real = next(&::release, #release);             \
    const cl_int fault = State::get().enter(#release);               \
    State::get().released(Kind::kind, handle);                       \
    const cl_int status = real(handle);                              \
    return fault != CL_SUCCESS ? fault : status;                     \
  }

// Calls that give the device something to do; `queue` and `event` are among their parameters.
#define ENQUEUE_CALL(name, parameters, arguments)                        \
  cl_int CL_API_CALL name parameters {                                   \
    static const auto real = next(&::name, #name);                       \
    const cl_int fault = State::get().enter(#name);                      \
    if (fault != CL_SUCCESS) return fault;                               \
    const cl_int status = real arguments;                                \
    if (status == CL_SUCCESS) reported(queue, event, nullptr, 0, false); \
    return status;                                                       \
  }
