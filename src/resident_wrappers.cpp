// resident_wrappers -- the R boundary of resident vectors: device/resident.h.
//
// As in nmath_kernel_wrappers.cpp nothing here signals an R condition: what went wrong comes back as data.
#include <algorithm>

#include "base/sizes.h"
#include "device/device_selection.h"
#include "engine/device_split.h"
#include "engine/transfer.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "result_memory.h"
#include "vector_columns.h"

using handles::Part;
using handles::Vector;
using openclPort::DeviceRange;
using openclPort::ElementType;
using openclPort::NmathError;
using openclPort::Resident;
using openclPort::ResidentMemory;

namespace handles {

ElementType element_type(int code) {
  if (code == doubles) return ElementType::f64;
  if (code == integers || code == logicals) return ElementType::i32;
  if (code == wide_integers) return ElementType::i64;
  throw NmathError("a vector is of no known type");
}

void release(Vector& vector) noexcept {
  openclPort::abandon(std::move(vector.resident));
  for (Part& part : vector.parts) openclPort::abandon(std::move(part.resident));
  vector.parts.clear();
}

static Vector& vector_of(SEXP handle) {
  Vector& vector = object_of<Vector>(handle);
  if (vector.resident == nullptr && vector.parts.empty())
    throw NmathError("the vector was released by opencl_free()", "", "", "Make it again with opencl_vector().");
  return vector;
}

Resident& resident_of(SEXP handle) {
  const Vector& vector = vector_of(handle);
  if (vector.resident == nullptr)
    throw NmathError("the vector is resident on several devices, and this call takes vectors of one", "", "",
                     "Bring it back with as.vector(), or keep it on one device.");
  return *vector.resident;
}

std::vector<Part> parts_of(SEXP handle) {
  const Vector& vector = vector_of(handle);
  return vector.resident == nullptr ? vector.parts : std::vector<Part>{{0, vector.resident}};
}

std::size_t elements_of(const std::vector<Part>& parts) {
  return parts.back().first + parts.back().resident->elements();
}

static std::string devices_text(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : " + ") + part.resident->device_name();
  return text;
}

// Vectors on one device may be of two kinds of numbers.
static void check_numbers(const Resident& resident, const openclPort::DeviceInfo& device) {
  const openclPort::DeviceInfo& own = resident.device()->info();
  if (own.pairs != device.pairs || own.single != device.single)
    throw NmathError(own.single || device.single
                         ? "some vectors of one call are in single precision, and others are not"
                         : "vectors of one call are of doubles and of pairs of floats",
                     "", "", "Nothing is converted by itself: bring one back with as.vector().");
}

std::vector<Part> parts_like(SEXP handle, std::vector<Part>& layout) {
  const std::vector<Part> parts = parts_of(handle);
  if (layout.empty()) layout = parts;
  bool same_devices = parts.size() == layout.size(), same_cuts = true;
  for (std::size_t p = 0; p < parts.size() && same_devices; ++p) {
    same_devices = parts[p].resident->device()->identity() == layout[p].resident->device()->identity();
    same_cuts = same_cuts && parts[p].first == layout[p].first;
  }
  if (!same_devices && !parts.empty() && !layout.empty())
    check_numbers(*parts.front().resident, layout.front().resident->device()->info());
  if (!same_devices)
    throw NmathError("vectors of one call are resident on different devices, '" + devices_text(layout) + "' and '" +
                         devices_text(parts) + "'",
                     "", "", "Nothing moves between devices by itself: bring one back with as.vector().");
  if (!same_cuts || (parts.size() > 1 && elements_of(parts) != elements_of(layout)))
    throw NmathError("vectors of one call that are resident on several devices must be of one length", "", "",
                     "Bring the shorter one back with as.vector().");
  return parts;
}

Resident& resident_on(SEXP handle, openclPort::SharedDevice& device) {
  Resident& resident = resident_of(handle);
  if (device == nullptr) device = resident.device();
  check_numbers(resident, device->info());
  if (device->identity() != resident.device()->identity())
    throw NmathError("vectors of one call are resident on different devices, '" + device->info().name + "' and '" +
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
  SEXP const memory = new_result(r_type(type), static_cast<R_xlen_t>(elements));
  SET_VECTOR_ELT(list, at, memory);
  vector->resident = Resident::lend(device, element_type(type), data_of(memory), elements);
  return vector;
}

std::unique_ptr<Vector> make_vector(const std::vector<openclPort::DeviceRange>& ranges, int type, SEXP list,
                                    R_xlen_t at) {
  if (ranges.size() == 1) return make_vector(ranges.front().device, type, ranges.front().count, list, at);
  auto vector = std::make_unique<Vector>();
  vector->type = type;
  for (const openclPort::DeviceRange& range : ranges)
    vector->parts.push_back({range.first, std::move(make_vector(range.device, type, range.count)->resident)});
  return vector;
}

void hand_over(std::unique_ptr<Vector> vector, SEXP list, R_xlen_t at) {
  SEXP const memory = VECTOR_ELT(list, at);
  if (memory != R_NilValue) MARK_NOT_MUTABLE(memory);
  SET_VECTOR_ELT(list, at, make(std::move(vector), memory));
}

}  // namespace handles

namespace {

// Moves the parts of a vector, those on several devices at a time.
template <typename Move>
void for_parts(const std::vector<Part>& parts, CallMonitor& monitor, const Move& move) {
  openclPort::CallHooks hooks;
  hooks.interrupted = [&monitor] { return monitor.poll(); };
  std::vector<DeviceRange> ranges;
  for (const Part& part : parts) ranges.push_back({part.resident->device(), part.first, part.resident->elements()});
  const auto make = [&](const DeviceRange& range, openclPort::RunReport&) -> openclPort::RangeTask {
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.first == range.first; });
    return [&, part](openclPort::RunReport&, const openclPort::CallHooks& own) { move(*part, own.interrupted); };
  };
  openclPort::RunReport report;
  run_ranges(ranges, make, report, hooks);
}

SEXP handle_list(SEXP handle) {
  const r::Keep kept(handle);
  return r::enter([&] { return r::List(1).add("handle", static_cast<SEXP>(kept)).done(); });
}

}  // namespace

// A double, integer or logical vector, copied to a device; on one that works where R's memory is, the vector itself.
// `bare`: it has no attributes.
// [[Rcpp::export(rng = false)]]
SEXP resident_make_cpp(SEXP x, const std::vector<std::string>& device, bool bare) {
  return guard_core([&]() -> SEXP {
    apply_thread_option();
    const std::vector<openclPort::SharedDevice> devices = openclPort::open_devices(device);
    const int type = TYPEOF(x) == REALSXP  ? handles::doubles
                     : TYPEOF(x) == INTSXP ? handles::integers
                                           : handles::logicals;
    openclPort::Column column;
    r::enter([&] {
      column = column_of(x);
      return R_NilValue;
    });
    void* const data = const_cast<void*>(column.data);
    const std::vector<DeviceRange> ranges = openclPort::resident_split(devices, column.length);
    const openclPort::SharedDevice& opened = ranges.front().device;
    if (ranges.size() == 1 && handles::in_r_memory(opened->info())) {
      auto vector = std::make_unique<Vector>();
      vector->type = type;
      vector->bare = bare;
      vector->resident = Resident::lend(opened, handles::element_type(type), data, column.length);
      MARK_NOT_MUTABLE(x);
      return handle_list(handles::make(std::move(vector), x));
    }
    const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
    std::unique_ptr<Vector> vector = handles::make_vector(ranges, type, list, 0);
    CallMonitor monitor(R_NilValue, column.length);
    const std::vector<Part> parts = vector->parts.empty() ? std::vector<Part>{{0, vector->resident}} : vector->parts;
    for_parts(parts, monitor, [&](const Part& part, const openclPort::InterruptCheck& interrupted) {
      send_bytes(part.resident->device(), part.resident->buffer(), 0,
                 static_cast<const unsigned char*>(data) + part.first * item_bytes(column),
                 part.resident->elements() * item_bytes(column), interrupted);
    });
    return handle_list(handles::make(std::move(vector), R_NilValue));
  });
}

SEXP resident_object::of_doubles(SEXP handle, double length) {
  SEXP const fields = PROTECT(r::List(n_fields)
                                  .add("pointer", handle)
                                  .add("type", "double")
                                  .add("length", length)
                                  .add("names", R_NilValue)
                                  .add("dim", R_NilValue)
                                  .add("dimnames", R_NilValue)
                                  .add("origin", R_NilValue)
                                  .done());
  SEXP const classes = PROTECT(Rf_mkString("opencl_vector"));
  MARK_NOT_MUTABLE(fields);
  SEXP const object = PROTECT(R_MakeExternalPtr(fields, tag(), fields));
  Rf_setAttrib(object, R_ClassSymbol, classes);
  UNPROTECT(3);
  return object;
}

// What R's object of class opencl_vector is: `fields` as resident_object.h has them. Its address tells identical() one
// object from another and is never followed.
// [[Rcpp::export(rng = false)]]
SEXP resident_object_cpp(SEXP fields, SEXP classes) {
  return r::enter([&]() -> SEXP {
    MARK_NOT_MUTABLE(fields);
    SEXP const object = PROTECT(R_MakeExternalPtr(fields, resident_object::tag(), fields));
    Rf_setAttrib(object, R_ClassSymbol, classes);
    UNPROTECT(1);
    return object;
  });
}

// NULL: x is no such object, whatever class it has.
// [[Rcpp::export(rng = false)]]
SEXP resident_fields_cpp(SEXP x) { return resident_object::is(x) ? R_ExternalPtrProtected(x) : R_NilValue; }

// Elements first ... first + count - 1, from 0, as an R vector.
// [[Rcpp::export(rng = false)]]
SEXP resident_fetch_cpp(SEXP handle, double first, double count) {
  return guard_core([&]() -> SEXP {
    const std::vector<Part> parts = handles::parts_of(handle);
    const std::size_t all = handles::elements_of(parts);
    const std::size_t begin = std::min(openclPort::size_of_number(first, "the first element"), all);
    const std::size_t elements = std::min(openclPort::size_of_number(count, "the number of elements"), all - begin);
    SEXP const memory = R_ExternalPtrProtected(handle);
    if (memory != R_NilValue && elements == all && handles::object_of<Vector>(handle).bare)
      return r::enter([&] { return r::List(1).add("value", memory).done(); });
    apply_thread_option();
    const SEXPTYPE type = handles::r_type(handles::object_of<Vector>(handle).type);
    const r::Keep value(new_result(type, static_cast<R_xlen_t>(elements)));
    unsigned char* const to = static_cast<unsigned char*>(handles::data_of(value));
    CallMonitor monitor(R_NilValue, elements);
    for_parts(parts, monitor, [&](const Part& part, const openclPort::InterruptCheck& interrupted) {
      const std::size_t item = openclPort::element_bytes(part.resident->type());
      const std::size_t from = std::max(begin, part.first);
      const std::size_t end = std::min(begin + elements, part.first + part.resident->elements());
      if (from < end)
        fetch_bytes(part.resident->device(), part.resident->buffer(), (from - part.first) * item,
                    to + (from - begin) * item, (end - from) * item, interrupted);
    });
    return r::enter([&] { return r::List(1).add("value", static_cast<SEXP>(value)).done(); });
  });
}

// [[Rcpp::export(rng = false)]]
SEXP resident_free_cpp(SEXP handle) {
  return guard_core([&]() -> SEXP {
    handles::release(handles::object_of<Vector>(handle));
    openclPort::release_abandoned();
    return R_NilValue;
  });
}

// What is known without asking the device. `device` is "" for a vector that is not there any more; one that lies on
// several has a name and an index for each.
// [[Rcpp::export(rng = false)]]
SEXP resident_info_cpp(SEXP handle) {
  return guard_core([&]() -> SEXP {
    const Vector* const vector =
        handles::is<Vector>(handle) ? static_cast<Vector*>(R_ExternalPtrAddr(handle)) : nullptr;
    std::vector<Part> parts;
    if (vector != nullptr && vector->resident != nullptr)
      parts = {{0, vector->resident}};
    else if (vector != nullptr)
      parts = vector->parts;
    std::vector<std::string> device, arithmetic;
    std::vector<int> index;
    for (const Part& part : parts) {
      device.push_back(part.resident->device_name());
      index.push_back(part.resident->device_index());
      arithmetic.push_back(part.resident->device()->info().arithmetic());
    }
    if (parts.empty()) device = {""}, index = {-1}, arithmetic = {"double"};
    const char* const type = vector == nullptr                   ? ""
                             : vector->type == handles::integers ? "integer"
                             : vector->type == handles::logicals ? "logical"
                                                                 : "double";
    return r::enter([&] {
      r::List list(4);
      return list.add("device", device).add("index", index).add("arithmetic", arithmetic).add("type", type).done();
    });
  });
}

// [[Rcpp::export(rng = false)]]
SEXP resident_memory_cpp() {
  return guard_core([&]() -> SEXP {
    apply_memory_option();
    const std::vector<ResidentMemory> used = openclPort::resident_memory();
    const auto vectors = [](const ResidentMemory& entry) { return static_cast<double>(entry.vectors); };
    return r::enter([&] {
      r::List list(5);
      list.add("device", r::column(used, &ResidentMemory::device)).add("vectors", r::column(used, vectors));
      list.add("bytes", r::column(used, &ResidentMemory::bytes)).add("limit", r::column(used, &ResidentMemory::limit));
      return list.add("index", r::column(used, &ResidentMemory::index)).done();
    });
  });
}
