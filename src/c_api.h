// c_api -- what the files of the C interface (inst/include/nmathopencl.h) share: status and message of a failure.
#pragma once

#include <R_ext/Rdynload.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "../inst/include/nmathopencl.h"
#include "base/interrupted.h"
#include "base/nmath_error.h"
#include "r_door.h"

namespace c_api {

// Of the last failure of any function of the interface.
inline std::string& last_error() {
  static std::string message;
  return message;
}

// Runs `body` and turns what it throws into a status and the last error. A jump of R ends here: it must not pass the
// caller's frames.
template <typename Body>
int guarded(const Body& body) {
  const auto fail = [](int status, const std::string& message) {
    r::forget_jump();
    last_error() = message;
    return status;
  };
  try {
    body();
    return NMATHOPENCL_OK;
  } catch (const openclPort::Interrupted&) {
    return fail(NMATHOPENCL_INTERRUPTED, "nmathopencl: interrupted");
  } catch (const Rcpp::LongjumpException&) {
    return fail(NMATHOPENCL_ERROR, "nmathopencl: an error of R, or an interrupt, ended the call");
  } catch (const std::exception& e) {
    return fail(NMATHOPENCL_ERROR, e.what());
  } catch (...) {
    return fail(NMATHOPENCL_ERROR, "nmathopencl: an error of unknown type");
  }
}

template <typename T>
T* argument(T* value, const char* name) {
  if (value == nullptr) throw openclPort::NmathError(std::string(name) + " is a null pointer");
  return value;
}

// A copy that nmathopencl_release() frees.
template <typename T>
void hand_out(const T* data, size_t count, T** out, size_t* size) {
  // One element more than needed: no allocation of zero bytes, and text is zero-ended.
  T* copy = static_cast<T*>(std::calloc(count + 1, sizeof(T)));
  if (!copy) throw std::bad_alloc();
  if (count > 0) std::memcpy(copy, data, count * sizeof(T));
  *out = copy;
  if (size != nullptr) *size = count;
}

// `Declared` is the function's type in the header: a definition that differs from it does not compile.
template <typename Declared>
void register_callable(const char* name, Declared* function) {
  // By way of void(), which compilers know as the type of a function to be cast back.
  R_RegisterCCallable("nmathopencl", name, reinterpret_cast<DL_FUNC>(reinterpret_cast<void (*)()>(function)));
}

#define NMATHOPENCL_REGISTER(name) c_api::register_callable<name##_fn>(#name, name)

}  // namespace c_api
