// OpenCL_helper -- ground floor of the OpenCL run time: status texts, checked calls, owned handles, the fork guard.
//
// Handles are move-only and release on destruction, except in a forked child: there the driver must not be entered at
// all. Everything here may be called from any thread.
#pragma once

#include <string>
#include <utility>

#include "base/nmath_error.h"
#include "opencl/cl_api.h"

namespace openclPort {

// Built with OpenCL, and an OpenCL library is on this machine; says nothing about devices. The first call opens it.
bool has_opencl() noexcept;

const char* opencl_status_name(int status) noexcept;  // "CL_INVALID_VALUE"; "CL_UNKNOWN_STATUS" for foreign codes
const char* opencl_status_hint(int status) noexcept;  // what the user can do; "" where there is nothing to say
std::string opencl_status_hint(int status, const char* function);  // the same, where the library may lack the function

// Every way into OpenCL begins with this call. It notes the process on first use, and throws NmathError in a child
// forked after that (drivers hang or crash there), where there is no OpenCL library, and in a build without OpenCL.
void enter_opencl(const char* step);
bool opencl_touched() noexcept;  // this process, or the one it was forked from, has entered OpenCL
bool opencl_forked() noexcept;   // this process was forked from one that had entered OpenCL
NmathError opencl_fork_error(const std::string& step);

// How often an OpenCL call has failed in this process. A session that has seen fewer makes sure that it still works.
unsigned long opencl_failures() noexcept;
void note_opencl_failure() noexcept;

std::string opencl_status_text(cl_int status);  // "CL_INVALID_VALUE (-30)"

// Throws NmathError unless `status` is CL_SUCCESS. `doing` completes "OpenCL failed while ...".
void check_cl(cl_int status, const char* step, const std::string& device = std::string(), const char* doing = nullptr);

// A string of unknown length, read by asking for its size first. `query(bytes, target, bytes_needed)` returns a status.
template <typename Query>
std::string read_info_string(Query query, const char* step) {
  std::size_t bytes = 0;
  check_cl(query(0, nullptr, &bytes), step);
  std::string text(bytes, '\0');
  if (bytes > 0) check_cl(query(bytes, &text[0], nullptr), step);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string opencl_read_platform_info_str(cl_platform_id platform, cl_platform_info param);
std::string opencl_read_device_info_str(cl_device_id device, cl_device_info param);
NmathError opencl_make_context_error(cl_int status, cl_platform_id platform, cl_device_id device);

inline cl_int release_handle(cl_context handle) { return clReleaseContext(handle); }
inline cl_int release_handle(cl_command_queue handle) { return clReleaseCommandQueue(handle); }
inline cl_int release_handle(cl_program handle) { return clReleaseProgram(handle); }
inline cl_int release_handle(cl_kernel handle) { return clReleaseKernel(handle); }
inline cl_int release_handle(cl_mem handle) { return clReleaseMemObject(handle); }
inline cl_int release_handle(cl_event handle) { return clReleaseEvent(handle); }

template <typename T>
class Handle {
 public:
  explicit Handle(T handle = nullptr) noexcept : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  T get() const noexcept { return handle_; }
  T* receive() noexcept {  // for calls that give a handle through a pointer
    reset();
    return &handle_;
  }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void reset() noexcept {
    // A failing release has nobody to tell, and in a forked child the handle belongs to the parent.
    if (handle_ != nullptr && !opencl_forked()) release_handle(handle_);
    handle_ = nullptr;
  }

 private:
  T handle_;
};

using ContextHandle = Handle<cl_context>;
using QueueHandle = Handle<cl_command_queue>;
using ProgramHandle = Handle<cl_program>;
using KernelHandle = Handle<cl_kernel>;
using BufferHandle = Handle<cl_mem>;
using EventHandle = Handle<cl_event>;

}  // namespace openclPort
