// loop_run -- see loop_run.h.
#include "loop_run.h"

#include <climits>

#include "engine/expression_variant.h"
#include "r_handles.h"

using openclPort::KernelCall;
using openclPort::SharedDevice;
using openclPort::SharedProgram;

const SharedProgram* Loop::find(const SharedDevice& device) const {
  for (const auto& known : built)
    if (known.first->identity() == device->identity()) return &known.second;
  return nullptr;
}

SharedProgram Loop::on(const SharedDevice& device, openclPort::RunReport& report) {
  if (const SharedProgram* const known = find(device)) {
    ++report.cache_hits;
    return *known;
  }
  const auto program = [written = text] { return openclPort::expression_program(written); };
  built.emplace_back(device, device->program(openclPort::written_source(program, options), &report));
  return built.back().second;
}

Loop& loop_of(SEXP handle) { return handles::object_of<Loop>(handle); }

void add_loop_vector(KernelCall& call, const openclPort::FusedColumn& given) {
  const openclPort::Column& column = given.column;
  if (given.resident != nullptr)
    call.memory("vector", *given.resident);
  else if (column.type == openclPort::Column::Type::f64)
    call.input("vector", static_cast<const double*>(column.data), column.length);
  else
    call.input("vector", static_cast<const int*>(column.data), column.length);
}

void add_loop_numbers(KernelCall& call, const LoopNumbers& given) {
  for (std::size_t k = 0; k < 4; ++k) call.value("number", static_cast<std::int64_t>(given.numbers.at(k)));
  for (std::size_t k = 0; k < given.scalars.size(); ++k) {
    const double x = given.scalars[k];
    if (given.whole.at(k) == 0)
      call.value("number", x);
    else
      call.value("number", R_IsNA(x) ? INT_MIN : static_cast<int>(x));
  }
  for (std::size_t k = 4; k < given.numbers.size(); ++k)
    call.value("length", static_cast<std::int64_t>(given.numbers[k]));
}

// Few of them are spread over a GPU's processors.
void set_loop_items(KernelCall& call, std::size_t items, const openclPort::DeviceInfo& device) {
  std::size_t group = 32;
  while (group > 4 && items < group * device.compute_units) group /= 2;
  if (items == 1)
    call.nd_range({1});
  else if (device.host_memory)
    call.items(items);
  else
    call.nd_range({(items + group - 1) / group * group}, {group});
}

// Of several series, what a thread has to do where there are few, or a work-item.
bool is_short_loop(const LoopNumbers& given, double most, double items, const openclPort::DeviceInfo& device) {
  constexpr double short_rounds = 1e4;
  const double in_turn = device.host_memory ? most / 8 : 4 * most / items;
  return (items > 1 ? in_turn : given.numbers.at(1)) <= short_rounds;
}
