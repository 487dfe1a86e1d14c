// lookup -- which numbers x comes to, the table of their values, and the launches that look elements up.
#include "engine/lookup.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <limits>

#include "base/stopwatch.h"
#include "base/work_threads.h"
#include "device/pair_device.h"
#include "engine/device_split.h"

namespace openclPort {

namespace {

constexpr double kMostPlaces = 131072;  // a megabyte
constexpr std::size_t kFewest = 256;    // elements: below, the function itself takes no time to speak of
// A device's launch may take as long for one element as for thousands, and by a table there are two.
constexpr std::size_t kFewestOfDevice = std::size_t{1} << 14;
constexpr std::size_t kMostSparse = 16;    // places for each element: to look through them takes time, too
constexpr std::size_t kLeastUse = 2;       // elements for each number
constexpr std::size_t kLeastBlindUse = 4;  // for each place, where x cannot be looked at

// x, out, len, table, top, rule, shift, and what recycles x.
const KernelSpec& lookup_kernel_spec() {
  static const KernelSpec spec{"lookup", "lookup_kernel", "src/lookup_kernel.cl", 1, 0, "none"};
  return spec;
}

class LookupKernel : public ElementwiseKernel {
 public:
  LookupKernel(const ElementwiseCall& call, const ElementwisePlan& plan, const std::vector<Buffer>& whole,
               const Buffer& table, double top)
      : ElementwiseKernel(lookup_kernel_spec(), plan, 0, whole), call_(call), table_(table), top_(top) {}

  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const override {
    ElementwiseKernel::prepare(launch, chunk, memory, previous);
    if (call_.resident_out != nullptr || previous == 0)
      launch.set(6, static_cast<std::int64_t>(call_.resident_out != nullptr ? chunk.first - plan_.first : 0));
    if (previous != 0) return;
    launch.set_buffer(3, table_);
    launch.set(4, top_);
    launch.set(5, static_cast<std::int32_t>(call_.spec.lookup.rule));
  }

 protected:
  const Buffer& out(const ChunkMemory& memory) const override {
    return call_.resident_out != nullptr ? *call_.resident_out : ElementwiseKernel::out(memory);
  }
  unsigned further() const override { return 4; }

 private:
  const ElementwiseCall& call_;
  const Buffer& table_;
  const double top_;
};

// The top where sizes and flags are one each and those are of the domain, and the table is not too long; else 0.
double top_of(const ElementwiseCall& call) {
  const Lookup& lookup = call.spec.lookup;
  if (lookup.rule == Lookup::Rule::none || call.columns.front().length != call.range.all) return 0;
  double sizes[kMaxColumns] = {};
  for (std::size_t k = 1; k < call.columns.size(); ++k) {
    if (call.columns[k].length != 1) return 0;
    if (k >= static_cast<std::size_t>(call.spec.n_real)) continue;
    widen_chunk(call.columns[k], 0, 1, &sizes[k]);
    sizes[k] = std::nearbyint(sizes[k]);
    if (!(sizes[k] >= 1 && sizes[k] <= kMostPlaces)) return 0;
  }
  const double top = lookup.top == Lookup::Top::product ? sizes[1] * sizes[2] : 0.5 * sizes[1] * (sizes[1] + 1.0);
  return top + 3.0 <= kMostPlaces ? top : 0;
}

std::size_t places_of(double top) { return static_cast<std::size_t>(top) + 3; }  // place 0 is that of -1

// Marks the places of x, or of both its neighbours: which of them it comes to is the kernel's rule.
template <typename Number>
void mark(const Number* x, std::size_t count, double top, std::vector<std::atomic<bool>>& met) {
  const auto set = [&met](std::size_t place) {
    if (!met[place].load(std::memory_order_relaxed)) met[place].store(true, std::memory_order_relaxed);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double one = static_cast<double>(x[i]);
    if (!(one > -1.0)) continue;  // place 0, or NaN
    if (one >= top + 1.0) {
      set(met.size() - 1);
    } else if (one < 0.0) {
      set(1);
    } else {
      const std::size_t below = static_cast<std::size_t>(one);
      set(below + 1);
      if (static_cast<double>(below) != one) set(below + 2);
    }
  }
}

bool has_resident_x(const ElementwiseCall& call) { return !call.resident.empty() && call.resident.front() != nullptr; }

// The top, or 0 where a table is of no use whatever x is.
double useful_top(const DeviceInfo& device, const ElementwiseCall& call) {
  const std::size_t n = call.range.count;
  if (call.spec.lookup.rule == Lookup::Rule::none || n < (device.immediate ? kFewest : kFewestOfDevice)) return 0;
  const double top = top_of(call);
  const std::size_t places = places_of(top);
  const bool blind = has_resident_x(call);
  if (blind && (!device.recycles || n < kLeastBlindUse * places || n > INT_MAX)) return 0;
  return places <= kMostSparse * n ? top : 0;
}

// The call of the kernel that looks up: of x alone.
ElementwiseCall of_x(const ElementwiseCall& call) {
  std::vector<const Buffer*> resident = call.resident;
  resident.resize(std::min<std::size_t>(resident.size(), 1));
  return {lookup_kernel_spec(), {call.columns.front()}, resident, call.range, call.out, call.resident_out, 0,
          call.options};
}

}  // namespace

std::unique_ptr<LookupRange> LookupRange::make(const SharedDevice& device, const ElementwiseCall& call,
                                               RunReport& report) {
  const double top = useful_top(device->info(), call);
  return top > 0 ? std::unique_ptr<LookupRange>(new LookupRange(device, call, top, report)) : nullptr;
}

LookupRange::LookupRange(SharedDevice device, const ElementwiseCall& call, double top, RunReport& report)
    : device_(std::move(device)),
      call_(call),
      top_(top),
      range_(
          device_, of_x(call), [] { return kernel_program_text(lookup_kernel_spec()); }, report) {}

// The numbers that x may come to, in their order; of a resident x all there are.
std::vector<double> LookupRange::numbers(const InterruptCheck& interrupted) const {
  std::vector<std::atomic<bool>> met(places_of(top_));
  for (std::atomic<bool>& place : met) place.store(false, std::memory_order_relaxed);
  met.front() = true;
  if (!has_resident_x(call_)) {
    const Column& x = call_.columns.front();
    const auto chunk = [&](std::size_t begin, std::size_t end) {
      const std::size_t first = call_.range.first + begin;
      if (x.type == Column::Type::f64)
        mark(static_cast<const double*>(x.data) + first, end - begin, top_, met);
      else
        mark(static_cast<const int*>(x.data) + first, end - begin, top_, met);
    };
    constexpr std::size_t block = std::size_t{1} << 17;
    parallel_blocks(call_.range.count, block, chunk, interrupted);
  }
  std::vector<double> found;
  for (std::size_t place = 0; place < met.size(); ++place)
    if (met[place] || has_resident_x(call_)) found.push_back(static_cast<double>(place) - 1.0);
  return found;
}

// False where the function has no value at some number: that is for the call itself to tell.
bool LookupRange::fill(const std::vector<double>& numbers, RunReport& report, const CallHooks& hooks) {
  std::vector<double> values(numbers.size());
  std::vector<double> table(places_of(top_), std::numeric_limits<double>::quiet_NaN());
  ElementwiseCall of_numbers = {call_.spec, call_.columns, {}, {0, numbers.size(), numbers.size()}, values.data()};
  of_numbers.columns.front() = {numbers.data(), numbers.size(), Column::Type::f64};
  CallHooks asking;
  asking.interrupted = hooks.interrupted;
  RunReport own;
  ElementwiseRange(
      device_, of_numbers, [this] { return kernel_program_text(call_.spec); }, own)
      .run(own, asking);
  report.chunks += own.chunks;
  report.transfer += own.transfer;
  report.compute += own.compute;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(values[i])) return false;
    table[static_cast<std::size_t>(numbers[i] + 1.0)] = values[i];
  }
  table_ = device_->allocate(ElementType::f64, table.size());
  const std::unique_ptr<Queue> queue = device_->queue(false);
  const OwnNumbers of_table;
  queue->write(table_, 0, table.data(), table.size() * sizeof(double));
  queue->finish();
  return true;
}

bool LookupRange::run(RunReport& report, const CallHooks& hooks) {
  Stopwatch watch;
  const std::vector<double> found = numbers(hooks.interrupted);
  if (kLeastUse * found.size() > call_.range.count || !fill(found, report, hooks)) return false;
  report.total += watch.lap();
  const auto kernel = [this](const ElementwisePlan& plan, const std::vector<Buffer>& whole) {
    return std::make_unique<LookupKernel>(call_, plan, whole, table_, top_);
  };
  range_.run(kernel, report, hooks);
  return true;
}

// What fills the table, on the caller's thread.
static void build_general(const ElementwisePart& part, RunReport& report) {
  double number = 0;
  ElementwiseCall one = {part.call.spec, part.call.columns, {}, {0, 1, 1}, &number};
  one.columns.front() = {&number, 1, Column::Type::f64};
  ElementwiseRange(
      part.device, one, [&part] { return kernel_program_text(part.call.spec); }, report);
}

bool may_look_up(const std::vector<ElementwisePart>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const ElementwisePart& part) { return useful_top(part.device->info(), part.call) > 0; });
}

bool run_resident_lookup(const std::vector<ElementwisePart>& parts, RunReport& report, const CallHooks& hooks) {
  std::atomic<bool> done{true};
  const auto make = [&](const ElementwisePart& part, RunReport& building) -> RangeTask {
    check_columns(part.call);
    begin_report(building, part.call.spec.name, part.device->info(), part.call.range.count);
    build_general(part, building);
    const auto lookup = std::shared_ptr<LookupRange>(LookupRange::make(part.device, part.call, building));
    return [&done, lookup](RunReport& own, const CallHooks& its_hooks) {
      if (lookup == nullptr || !lookup->run(own, its_hooks)) done = false;
    };
  };
  run_parts(parts, make, report, hooks);
  return done;
}

}  // namespace openclPort
