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
constexpr std::size_t kLookupChunk = std::size_t{1} << 22, kResidentChunk = std::size_t{1} << 23;

// x, out, len, table, top, rule, shift, and what recycles x.
const KernelSpec& lookup_kernel_spec() {
  static const KernelSpec spec{"lookup", "lookup_kernel", "src/lookup_kernel.cl", 1, 0, "none"};
  return spec;
}

class LookupKernel : public ElementwiseKernel {
 public:
  LookupKernel(const LookupCall& call, const ElementwisePlan& plan, const std::vector<Buffer>& whole,
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
  const LookupCall& call_;
  const Buffer& table_;
  const double top_;
};

// The top where sizes and flags are one each and those are of the domain, and the table is not too long; else 0.
double top_of(const LookupCall& call) {
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

std::vector<const Buffer*> residents_of(const LookupCall& call) {
  return call.resident != nullptr ? std::vector<const Buffer*>{call.resident} : std::vector<const Buffer*>();
}

// The top, or 0 where a table is of no use whatever x is.
double useful_top(const DeviceInfo& device, const LookupCall& call) {
  const std::size_t n = call.range.count;
  if (call.spec.lookup.rule == Lookup::Rule::none || n < (device.immediate ? kFewest : kFewestOfDevice)) return 0;
  const double top = top_of(call);
  const std::size_t places = places_of(top);
  const bool blind = call.resident != nullptr;
  if (blind && (!device.recycles || n < kLeastBlindUse * places || n > INT_MAX)) return 0;
  return places <= kMostSparse * n ? top : 0;
}

LookupCall call_of(const KernelSpec& spec, const ResidentLookup& part, const ElementwiseOptions& options) {
  return {spec, part.columns, {0, part.n, part.n}, nullptr, part.out, part.resident, options};
}

}  // namespace

std::unique_ptr<LookupRange> LookupRange::make(const SharedDevice& device, const LookupCall& call, RunReport& report) {
  const double top = useful_top(device->info(), call);
  return top > 0 ? std::unique_ptr<LookupRange>(new LookupRange(device, call, top, report)) : nullptr;
}

LookupRange::LookupRange(SharedDevice device, const LookupCall& call, double top, RunReport& report)
    : device_(std::move(device)),
      call_(call),
      top_(top),
      x_{call.columns.front()},
      resident_(residents_of(call)),
      plan_(plan_elementwise(device_->info(), lookup_kernel_spec(), x_, resident_, call.range, call.out,
                             call.resident_out != nullptr ? kResidentChunk : kLookupChunk, call.options)) {
  if (call.resident_out != nullptr) plan_.outputs.front().passed_on = false;  // nothing lies in memory of a chunk
  const auto text = [] { return kernel_program_text(lookup_kernel_spec()); };
  program_ = device_->program(elementwise_program(lookup_kernel_spec(), text, plan_), &report);
}

// The numbers that x may come to, in their order; of a resident x all there are.
std::vector<double> LookupRange::numbers(const InterruptCheck& interrupted) const {
  std::vector<std::atomic<bool>> met(places_of(top_));
  for (std::atomic<bool>& place : met) place.store(false, std::memory_order_relaxed);
  met.front() = true;
  if (call_.resident == nullptr) {
    const Column& x = x_.front();
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
    if (met[place] || call_.resident != nullptr) found.push_back(static_cast<double>(place) - 1.0);
  return found;
}

// False where the function has no value at some number: that is for the call itself to tell.
bool LookupRange::fill(const std::vector<double>& numbers, const Direct& direct, RunReport& report,
                       const CallHooks& hooks) {
  std::vector<Column> columns = call_.columns;
  columns.front() = {numbers.data(), numbers.size(), Column::Type::f64};
  std::vector<double> values(numbers.size());
  std::vector<double> table(places_of(top_), std::numeric_limits<double>::quiet_NaN());
  CallHooks asking;
  asking.interrupted = hooks.interrupted;
  RunReport own;
  direct(columns, numbers.size(), values.data(), own, asking);
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

bool LookupRange::run(const Direct& direct, RunReport& report, const CallHooks& hooks) {
  Stopwatch watch;
  const std::vector<double> found = numbers(hooks.interrupted);
  if (kLeastUse * found.size() > call_.range.count || !fill(found, direct, report, hooks)) return false;
  const DeviceInfo& info = device_->info();
  begin_report(report, call_.spec.name, info, plan_.n);
  if (call_.out != nullptr) expect_writes(call_.out + plan_.first, plan_.n * sizeof(double));
  const KernelSpec& spec = lookup_kernel_spec();
  Pace pace = call_.options.chunk_size > 0 || info.immediate
                  ? Pace(plan_.chunk_size, plan_.chunk_size, 1.0)
                  : device_pace(info, spec.cost, plan_.chunk_size,
                                plan_.zero_copy || plan_.staging == 0 ? first_zero_copy_chunk(info) : plan_.chunk_size);
  std::vector<Buffer> whole;
  const LookupKernel kernel(call_, plan_, whole, table_, top_);
  ChunkStream{device_, program_, spec.kernel_name, spec.cost, plan_, kernel, hooks, pace, whole}.run(report);
  const double seconds = watch.lap();
  if (info.immediate) report.compute = seconds;
  report.total += seconds;
  return true;
}

bool may_look_up(const KernelSpec& spec, const std::vector<ResidentLookup>& parts) {
  const ElementwiseOptions options;
  return std::all_of(parts.begin(), parts.end(), [&](const ResidentLookup& part) {
    return useful_top(part.device->info(), call_of(spec, part, options)) > 0;
  });
}

bool run_resident_lookup(const KernelSpec& spec, const std::vector<ResidentLookup>& parts, RunReport& report,
                         const CallHooks& hooks) {
  const ElementwiseOptions options;
  std::vector<std::shared_ptr<LookupRange>> lookups(parts.size());
  std::vector<DeviceRange> ranges;
  for (std::size_t p = 0, first = 0; p < parts.size(); first += parts[p++].n)
    ranges.push_back({parts[p].device, first, parts[p].n});
  std::atomic<bool> done{true};
  const auto make = [&](const DeviceRange& range, RunReport& building) -> RangeTask {
    std::size_t p = 0;
    while (ranges[p].first != range.first) ++p;
    const ResidentLookup& part = parts[p];
    std::vector<const Buffer*> resident(part.columns.size());
    resident.front() = part.resident;
    check_columns(spec, part.columns, resident);
    part.device->program(elementwise_program(
                             spec, [&spec] { return kernel_program_text(spec); }, ElementwisePlan()),
                         &building);
    lookups[p] = LookupRange::make(part.device, call_of(spec, part, options), building);
    return [&, p](RunReport& own, const CallHooks& its_hooks) {
      const auto direct = [&](const std::vector<Column>& columns, std::size_t n, double* out, RunReport& of_table,
                              const CallHooks& asking) {
        run_elementwise({parts[p].device}, spec, columns, n, out, of_table, asking);
      };
      if (lookups[p] == nullptr || !lookups[p]->run(direct, own, its_hooks)) done = false;
    };
  };
  run_ranges(ranges, make, report, hooks);
  return done;
}

}  // namespace openclPort
