// cl_api -- finds and opens the OpenCL library, and looks its functions up.
#include "opencl/cl_api.h"

#include <iterator>
#include <vector>

#include "base/nmath_error.h"
#include "base/process_mutex.h"

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#ifndef LOAD_LIBRARY_SEARCH_SYSTEM32
#define LOAD_LIBRARY_SEARCH_SYSTEM32 0x00000800
#endif
#else
#include <dlfcn.h>
#endif

namespace openclPort {

#define CL_REQUIRED(result, name, ...) const ClFunction<result(__VA_ARGS__)> name(#name);
#define CL_SINCE_1_2(result, name, ...) const ClFunction<result(__VA_ARGS__)> name(#name);
#include "opencl/cl_functions.h"
#undef CL_REQUIRED
#undef CL_SINCE_1_2

namespace {

constexpr const char* kRequired[] = {
#define CL_REQUIRED(result, name, ...) #name,
#define CL_SINCE_1_2(result, name, ...)
#include "opencl/cl_functions.h"
#undef CL_REQUIRED
#undef CL_SINCE_1_2
};

#ifdef _WIN32

using LibraryHandle = HMODULE;
constexpr const char* kSystemLibraries[] = {"OpenCL.dll"};

// The system's own from the system folder alone: a file of that name beside a program or in the working folder is not
// it.
LibraryHandle open_file(const std::string& name, bool of_system, std::string& problem) {
  const LibraryHandle handle =
      LoadLibraryExA(name.c_str(), nullptr, of_system ? LOAD_LIBRARY_SEARCH_SYSTEM32 : LOAD_WITH_ALTERED_SEARCH_PATH);
  if (handle == nullptr) problem = name + " cannot be opened (Windows error " + std::to_string(GetLastError()) + ")";
  return handle;
}

ClAnyFunction function_in(LibraryHandle handle, const char* name) {
  return reinterpret_cast<ClAnyFunction>(GetProcAddress(handle, name));
}

std::string file_of(LibraryHandle handle) {
  char path[MAX_PATH + 1] = "";
  const DWORD length = GetModuleFileNameA(handle, path, MAX_PATH);
  return std::string(path, length);
}

#else

using LibraryHandle = void*;
#ifdef __APPLE__
constexpr const char* kSystemLibraries[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#else
constexpr const char* kSystemLibraries[] = {"libOpenCL.so.1", "libOpenCL.so"};
#endif

LibraryHandle open_file(const std::string& name, bool, std::string& problem) {
  const LibraryHandle handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const reported = handle == nullptr ? dlerror() : nullptr;
  if (handle == nullptr) problem = reported != nullptr ? reported : name + " cannot be opened";
  return handle;
}

ClAnyFunction function_in(LibraryHandle handle, const char* name) {
  return reinterpret_cast<ClAnyFunction>(dlsym(handle, name));
}

std::string file_of(LibraryHandle handle) {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<void*>(function_in(handle, kRequired[0])), &info) != 0;
  return known && info.dli_fname != nullptr ? info.dli_fname : "";
}

#endif

enum class Opening { not_tried, open, failed };

struct Library {
  std::atomic<Opening> opening{Opening::not_tried};
  ProcessMutex mutex;  // guards what follows; the handle does not change once the library is open
  std::string chosen;
  std::string problem;
  LibraryHandle handle = nullptr;
};

Library& library() {  // never destroyed: handles are released while static objects go
  static Library* const instance = new Library;
  return *instance;
}

std::string lacking(LibraryHandle handle) {
  for (const char* name : kRequired)
    if (function_in(handle, name) == nullptr) return name;
  return "";
}

Opening open_library(Library& opened) {  // with the lock held
  const bool of_system = opened.chosen.empty();
  std::vector<std::string> names{opened.chosen};
  if (of_system) names.assign(std::begin(kSystemLibraries), std::end(kSystemLibraries));
  std::string first_problem;
  for (const std::string& name : names) {
    std::string problem;
    opened.handle = open_file(name, of_system, problem);
    if (opened.handle != nullptr) {
      const std::string missing = lacking(opened.handle);
      if (missing.empty()) {
        opened.problem.clear();
        return Opening::open;
      }
      problem = name + " has no function " + missing;
    }
    if (first_problem.empty()) first_problem = problem;
  }
  opened.problem = first_problem;
  return Opening::failed;
}

}  // namespace

bool opencl_library_open() noexcept {
  Library& opened = library();
  Opening opening = opened.opening.load(std::memory_order_acquire);
  if (opening == Opening::not_tried) {
    const std::lock_guard<ProcessMutex> guard(opened.mutex);
    opening = opened.opening.load();
    if (opening == Opening::not_tried) opened.opening = opening = open_library(opened);
  }
  return opening == Opening::open;
}

std::string opencl_library_problem() {
  if (opencl_library_open()) return "";
  Library& opened = library();
  const std::lock_guard<ProcessMutex> guard(opened.mutex);
  return opened.problem;
}

std::string opencl_library_file() { return opencl_library_open() ? file_of(library().handle) : ""; }

std::string opencl_library_version() {
  using GetAddress = ClAnyFunction(CL_API_CALL*)(const char*);
  using GetInfo = cl_int(CL_API_CALL*)(cl_uint, std::size_t, void*, std::size_t*);
  const ClAnyFunction get_address = find_opencl_function("clGetExtensionFunctionAddress");
  if (get_address == nullptr) return "";
  // cl_loader_info: the one way, of both loaders in use.
  const ClAnyFunction get_info = reinterpret_cast<GetAddress>(get_address)("clGetICDLoaderInfoOCLICD");
  if (get_info == nullptr) return "";
  constexpr cl_uint kVersion = 2, kName = 3;
  std::string text;
  for (const cl_uint what : {kName, kVersion}) {
    char value[256] = "";
    if (reinterpret_cast<GetInfo>(get_info)(what, sizeof value, value, nullptr) != CL_SUCCESS) continue;
    value[sizeof value - 1] = '\0';
    text += (text.empty() ? "" : " ") + std::string(value);
  }
  return text;
}

void retry_opencl_library() noexcept {
  Library& opened = library();
  const std::lock_guard<ProcessMutex> guard(opened.mutex);
  if (opened.opening == Opening::failed) opened.opening = Opening::not_tried;
}

void use_opencl_library(const std::string& path) {
  Library& opened = library();
  const std::lock_guard<ProcessMutex> guard(opened.mutex);
  if (opened.opening == Opening::open)
    throw NmathError("an OpenCL library is already open, and cannot be replaced", "use_opencl_library");
  opened.chosen = path;
  opened.opening = Opening::not_tried;
}

ClAnyFunction find_opencl_function(const char* name) noexcept {
  return opencl_library_open() ? function_in(library().handle, name) : nullptr;
}

}  // namespace openclPort
