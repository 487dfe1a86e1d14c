// lookup_wrappers -- R boundary of resident results that come from a table: engine/lookup.h.
#include "engine/lookup.h"

#include <algorithm>

#include "device/device_selection.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "vector_columns.h"

using handles::Part;
using openclPort::Column;
using openclPort::DeviceRange;
using openclPort::ElementwisePart;
using openclPort::KernelSpec;

namespace {

// x of a call, and how it lies, or how its results will.
struct Given {
  Column x;
  std::vector<Part> parts;  // empty: x is R's
  std::vector<DeviceRange> ranges;
};

Given given_x(SEXP x, const std::vector<std::string>& device) {
  Given given;
  if (TYPEOF(x) == EXTPTRSXP) {
    given.parts = handles::parts_of(x);
    const bool real = given.parts.front().resident->type() == openclPort::ElementType::f64;
    given.x = {nullptr, handles::elements_of(given.parts), real ? Column::Type::f64 : Column::Type::i32};
    for (const Part& part : given.parts)
      given.ranges.push_back({part.resident->device(), part.first, part.resident->elements()});
    return given;
  }
  r::enter([&] {
    given.x = column_of(x);
    return R_NilValue;
  });
  given.ranges = resident_split(openclPort::open_devices(device), given.x.length);
  return given;
}

// What each device has of the call; without room for results yet.
std::vector<ElementwisePart> parts_of_call(const KernelSpec& spec, const Given& given,
                                           const std::vector<Column>& parameters) {
  std::vector<ElementwisePart> parts;
  for (std::size_t p = 0; p < given.ranges.size(); ++p) {
    const DeviceRange& range = given.ranges[p];
    const void* const data = given.x.data == nullptr
                                 ? nullptr
                                 : static_cast<const unsigned char*>(given.x.data) + range.first * item_bytes(given.x);
    ElementwisePart part = {range.device,
                            {spec, {{data, range.count, given.x.type}}, {}, {0, range.count, range.count}}};
    part.call.columns.insert(part.call.columns.end(), parameters.begin(), parameters.end());
    part.call.resident.resize(part.call.columns.size());
    if (!given.parts.empty()) part.call.resident.front() = &given.parts[p].resident->buffer();
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

// A function of x, a vector of R's or the handle of one that is resident on a device, which is then the call's, and of
// `sizes`, a list of one number each; the result stays where it is computed, and `value` is its handle. NULL, and
// nothing is computed, where a table is of no use.
// [[Rcpp::export(rng = false)]]
SEXP lookup_resident_cpp(const std::string& name, SEXP x, SEXP sizes, SEXP flags,
                         const std::vector<std::string>& device, SEXP progress) {
  return guard_core([&]() -> SEXP {
    const KernelSpec& spec = openclPort::find_kernel_spec(name);
    const Given given = given_x(x, device);
    const bool in_r = std::any_of(given.ranges.begin(), given.ranges.end(),
                                  [](const DeviceRange& one) { return handles::in_r_memory(one.device->info()); });
    if (in_r || (!given.parts.empty() && given.x.type != Column::Type::f64)) return R_NilValue;
    apply_thread_option();
    std::vector<ElementwisePart> parts = parts_of_call(spec, given, columns_of(sizes, flags));
    const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
    openclPort::RunReport report;
    std::unique_ptr<handles::Vector> vector;
    const bool done = handles::with_memory([&] {
      report = openclPort::RunReport();
      vector.reset();  // of a try before
      if (!may_look_up(parts)) return false;
      vector = handles::make_vector(given.ranges, handles::doubles, list, 0);
      for (std::size_t p = 0; p < parts.size(); ++p)
        parts[p].call.resident_out = &(vector->parts.empty() ? vector->resident : vector->parts[p].resident)->buffer();
      CallMonitor monitor(progress, given.x.length);
      return run_resident_lookup(parts, report, hooks_of(monitor));
    });
    if (!done) return R_NilValue;
    handles::hand_over(std::move(vector), list, 0);
    return r::enter([&] { return r::List(2).add("value", VECTOR_ELT(list, 0)).add("report", report).done(); });
  });
}
