// resident_wrappers -- the R boundary of vectors that stay on a device: device/resident.h.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition: what went wrong comes back as data.
#include "device/device_selection.h"
#include "engine/transfer.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "vector_columns.h"

using handles::Vector;
using openclPort::ElementType;
using openclPort::NmathError;
using openclPort::Resident;

namespace handles {

ElementType element_type(int code) {
  if (code == doubles) return ElementType::f64;
  if (code == integers || code == logicals) return ElementType::i32;
  if (code == wide_integers) return ElementType::i64;
  throw NmathError("a vector is of no known type");
}

Resident& resident_of(SEXP handle) {
  Vector& vector = object_of<Vector>(handle);
  if (vector.resident == nullptr)
    throw NmathError("the vector was released by opencl_free()", "", "", "Make it again with opencl_vector().");
  return *vector.resident;
}

Resident& resident_on(SEXP handle, openclPort::SharedDevice& device) {
  Resident& resident = resident_of(handle);
  if (device == nullptr) device = resident.device();
  if (device->identity() != resident.device()->identity())
    throw NmathError("vectors of one call lie on different devices, '" + device->info().name + "' and '" +
                         resident.device_name() + "'",
                     "", "", "Nothing moves between devices by itself: bring one back with as.vector().");
  return resident;
}

std::unique_ptr<Vector> make_vector(const openclPort::SharedDevice& device, int type, std::size_t elements) {
  apply_memory_option();
  auto vector = std::make_unique<Vector>();
  vector->type = type;
  vector->resident = with_memory([&] { return Resident::make(device, element_type(type), elements); });
  return vector;
}

std::unique_ptr<Vector> make_vector(const openclPort::SharedDevice& device, int type, std::size_t elements, SEXP list,
                                    R_xlen_t at) {
  if (!in_r_memory(device->info()) || type == wide_integers) return make_vector(device, type, elements);
  auto vector = std::make_unique<Vector>();
  vector->type = type;
  SEXP const memory = r::enter([&] { return Rf_allocVector(r_type(type), static_cast<R_xlen_t>(elements)); });
  SET_VECTOR_ELT(list, at, memory);
  vector->resident = Resident::lend(device, element_type(type), data_of(memory), elements);
  return vector;
}

void hand_over(std::unique_ptr<Vector> vector, SEXP list, R_xlen_t at) {
  SEXP const memory = VECTOR_ELT(list, at);
  if (memory != R_NilValue) MARK_NOT_MUTABLE(memory);
  SET_VECTOR_ELT(list, at, make(std::move(vector), memory));
}

}  // namespace handles

namespace {

SEXP handle_list(SEXP handle) {
  const r::Keep kept(handle);
  return r::enter([&] { return r::List(1).add("handle", static_cast<SEXP>(kept)).done(); });
}

}  // namespace

// A double, integer or logical vector, copied to a device; on one that works where R's memory is, the vector itself.
// `bare`: it has no attributes.
// [[Rcpp::export(rng = false)]]
SEXP resident_make_cpp(SEXP x, const std::string& device, bool bare) {
  return guard_core([&]() -> SEXP {
    apply_thread_option();
    const openclPort::SharedDevice opened = open_device(openclPort::select_device(device));
    const int type = TYPEOF(x) == REALSXP  ? handles::doubles
                     : TYPEOF(x) == INTSXP ? handles::integers
                                           : handles::logicals;
    openclPort::Column column;
    r::enter([&] {
      column = column_of(x);
      return R_NilValue;
    });
    void* const data = const_cast<void*>(column.data);
    if (handles::in_r_memory(opened->info())) {
      auto vector = std::make_unique<Vector>();
      vector->type = type;
      vector->bare = bare;
      vector->resident = Resident::lend(opened, handles::element_type(type), data, column.length);
      MARK_NOT_MUTABLE(x);
      return handle_list(handles::make(std::move(vector), x));
    }
    const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
    std::unique_ptr<Vector> vector = handles::make_vector(opened, type, column.length, list, 0);
    CallMonitor monitor(R_NilValue, column.length);
    send_bytes(opened, vector->resident->buffer(), 0, data, column.length * item_bytes(column),
               [&monitor] { return monitor.poll(); });
    return handle_list(handles::make(std::move(vector), R_NilValue));
  });
}

// Elements first ... first + count - 1, from 0, as an R vector.
// [[Rcpp::export(rng = false)]]
SEXP resident_fetch_cpp(SEXP handle, double first, double count) {
  return guard_core([&]() -> SEXP {
    const Resident& resident = handles::resident_of(handle);
    const std::size_t begin = std::min(static_cast<std::size_t>(first), resident.elements());
    const std::size_t elements = std::min(static_cast<std::size_t>(count), resident.elements() - begin);
    SEXP const memory = R_ExternalPtrProtected(handle);
    if (memory != R_NilValue && elements == resident.elements() && handles::object_of<Vector>(handle).bare)
      return r::enter([&] { return r::List(1).add("value", memory).done(); });
    apply_thread_option();
    const SEXPTYPE type = handles::r_type(handles::object_of<Vector>(handle).type);
    const r::Keep value(r::enter([&] { return Rf_allocVector(type, static_cast<R_xlen_t>(elements)); }));
    const std::size_t item = openclPort::element_bytes(resident.type());
    CallMonitor monitor(R_NilValue, elements);
    fetch_bytes(resident.device(), resident.buffer(), begin * item, handles::data_of(value), elements * item,
                [&monitor] { return monitor.poll(); });
    return r::enter([&] { return r::List(1).add("value", static_cast<SEXP>(value)).done(); });
  });
}

// [[Rcpp::export(rng = false)]]
SEXP resident_free_cpp(SEXP handle) {
  return guard_core([&]() -> SEXP {
    openclPort::abandon(std::move(handles::object_of<Vector>(handle).resident));
    openclPort::release_abandoned();
    return R_NilValue;
  });
}

// What is known without asking the device. `device` is "" for a vector that is not there any more.
// [[Rcpp::export(rng = false)]]
SEXP resident_info_cpp(SEXP handle) {
  return guard_core([&]() -> SEXP {
    const Vector* const vector =
        handles::is<Vector>(handle) ? static_cast<Vector*>(R_ExternalPtrAddr(handle)) : nullptr;
    const Resident* const resident = vector == nullptr ? nullptr : vector->resident.get();
    const std::string device = resident == nullptr ? "" : resident->device_name();
    const int index = resident == nullptr ? -1 : resident->device_index();
    const char* const type = vector == nullptr                   ? ""
                             : vector->type == handles::integers ? "integer"
                             : vector->type == handles::logicals ? "logical"
                                                                 : "double";
    return r::enter([&] { return r::List(3).add("device", device).add("index", index).add("type", type).done(); });
  });
}

// [[Rcpp::export(rng = false)]]
SEXP resident_memory_cpp() {
  return guard_core([&]() -> SEXP {
    apply_memory_option();
    std::vector<std::string> device;
    std::vector<double> vectors, bytes, limit;
    for (const openclPort::ResidentMemory& entry : openclPort::resident_memory()) {
      device.push_back(entry.device);
      vectors.push_back(static_cast<double>(entry.vectors));
      bytes.push_back(entry.bytes);
      limit.push_back(entry.limit);
    }
    return r::enter([&] {
      return r::List(4).add("device", device).add("vectors", vectors).add("bytes", bytes).add("limit", limit).done();
    });
  });
}
