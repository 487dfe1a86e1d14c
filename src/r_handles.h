// r_handles -- objects of the core behind R's external pointers, which own them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "device/resident.h"
#include "engine/device_split.h"
#include "r_door.h"

namespace handles {

// The R types that outputs and vectors have.
enum TypeCode { doubles = 1, integers = 2, logicals = 3, wide_integers = 4 };

inline SEXPTYPE r_type(int code) { return code == integers ? INTSXP : code == logicals ? LGLSXP : REALSXP; }
openclPort::ElementType element_type(int code);  // throws for no code

inline void* data_of(SEXP vector) {
  return TYPEOF(vector) == REALSXP  ? static_cast<void*>(REAL(vector))
         : TYPEOF(vector) == INTSXP ? static_cast<void*>(INTEGER(vector))
                                    : LOGICAL(vector);
}

// Elements of a vector from `first` on.
struct Part {
  std::size_t first;
  std::shared_ptr<openclPort::Resident> resident;
};

// A vector on a device, or on several, as R sees it.
struct Vector {
  static const char* name() { return "nmathopencl vector"; }
  std::shared_ptr<openclPort::Resident> resident;  // null: it was released, or is in parts
  int type;
  bool bare = true;         // R's memory, where it is that, has no attributes: it is what the vector gives back
  std::vector<Part> parts;  // of a vector on several devices, in order
};

void release(Vector& vector) noexcept;

// R may be in the middle of anything.
template <typename T>
void let_go(T* object) noexcept {
  delete object;
}
template <>
inline void let_go(Vector* object) noexcept {
  if (object != nullptr) release(*object);
  delete object;
}

template <typename T>
void finalize(SEXP handle) {
  let_go(static_cast<T*>(R_ExternalPtrAddr(handle)));
  R_ClearExternalPtr(handle);
}

// Takes the object over; `kept` lives as long. Not protected.
template <typename T>
SEXP make(std::unique_ptr<T> object, SEXP kept) {
  T* const own = object.get();
  SEXP const handle = r::enter([&] {
    SEXP const made = PROTECT(R_MakeExternalPtr(nullptr, Rf_install(T::name()), kept));
    R_RegisterCFinalizerEx(made, finalize<T>, FALSE);
    R_SetExternalPtrAddr(made, own);
    UNPROTECT(1);
    return made;
  });
  object.release();
  return handle;
}

template <typename T>
bool is(SEXP x) {
  return TYPEOF(x) == EXTPTRSXP && R_ExternalPtrTag(x) == Rf_install(T::name());
}

template <typename T>
T& object_of(SEXP handle) {
  if (!is<T>(handle)) throw openclPort::NmathError(std::string("this is not a ") + T::name());
  if (R_ExternalPtrAddr(handle) == nullptr)
    throw openclPort::NmathError(std::string("this ") + T::name() + " was made in another session of R", "", "",
                                 "What is resident on a device is not saved: make it again.");
  return *static_cast<T*>(R_ExternalPtrAddr(handle));
}

// The vector, if it is still there and on one device.
openclPort::Resident& resident_of(SEXP handle);

// The vector in its parts; one that is resident on one device is all of one part.
std::vector<Part> parts_of(SEXP handle);
std::size_t elements_of(const std::vector<Part>& parts);
// The same for a call whose vectors all lie like `layout`, which the first of them says.
std::vector<Part> parts_like(SEXP handle, std::vector<Part>& layout);

// The same for a call that takes vectors of one device only, `device`, which the first of them says.
openclPort::Resident& resident_on(SEXP handle, openclPort::SharedDevice& device);

// Whether vectors of this device are R's own memory.
inline bool in_r_memory(const openclPort::DeviceInfo& device) { return device.host_memory && device.immediate; }

// Room for a vector on a device: where there is none, R collects its garbage first.
std::unique_ptr<Vector> make_vector(const openclPort::SharedDevice& device, int type, std::size_t elements);
// On a device that works where R's memory is, it is an R vector, which element `at` of `list` gets.
std::unique_ptr<Vector> make_vector(const openclPort::SharedDevice& device, int type, std::size_t elements, SEXP list,
                                    R_xlen_t at);
// On the devices of these ranges, which are all of the vector.
std::unique_ptr<Vector> make_vector(const std::vector<openclPort::DeviceRange>& ranges, int type, SEXP list,
                                    R_xlen_t at);
// Element `at` of the list becomes the vector's handle.
void hand_over(std::unique_ptr<Vector> vector, SEXP list, R_xlen_t at);

// What `body` gives; where the device's memory is full, once more after R has collected its garbage.
template <typename Body>
auto with_memory(const Body& body) -> decltype(body()) {
  openclPort::release_abandoned();
  try {
    return body();
  } catch (const openclPort::NmathError& error) {
    if (!openclPort::is_out_of_memory(error)) throw;
  }
  r::enter([] {
    R_gc();
    return R_NilValue;
  });
  openclPort::release_abandoned();
  return body();
}

}  // namespace handles
