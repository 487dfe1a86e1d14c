// multinomial -- chunks of columns, each a launch.
#include "engine/multinomial.h"

#include <algorithm>
#include <climits>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "device/kernel_call.h"
#include "engine/device_draws.h"
#include "engine/device_split.h"
#include "engine/work_chunks.h"

namespace openclPort {

namespace {

// Counts of one chunk, as doubles: of a block, and of a launch of a device at first and at most. A column is in one
// chunk.
constexpr std::size_t kBlock = std::size_t{1} << 13;
constexpr std::size_t kFirstChunk = std::size_t{1} << 17, kLastChunk = std::size_t{1} << 22;

std::size_t columns_of(std::size_t chunk, const Multinomial& what) {
  return std::max<std::size_t>(1, chunk / what.cells);
}

void run_columns(const SharedDevice& device, const SharedProgram& program, const KernelSpec& spec,
                 const Multinomial& what, std::size_t begin, std::size_t end, const Cells& to, RunReport* report,
                 DrawStream stream) {
  const std::size_t n = (end - begin) * what.cells;
  std::vector<double> counts(to.resident_out == nullptr ? n : 0);
  const Buffer chunk = to.resident_out == nullptr ? Buffer() : device->allocate(ElementType::f64, n);
  KernelCall call(device, program, spec.kernel_name, report);
  call.value("size", what.size).input("prob", what.prob, what.cells);
  if (to.resident_out == nullptr)
    call.output("out", counts.data(), n);
  else
    call.memory("out", chunk);
  call.value("len", static_cast<int>(end - begin))
      .value("cells", static_cast<int>(what.cells))
      .value("seed", static_cast<std::int64_t>(stream.seed))
      .value("first", static_cast<std::int64_t>(stream.first + begin))
      .items(end - begin)
      .run();
  if (to.resident_out == nullptr) {
    std::transform(counts.begin(), counts.end(), to.out + begin * what.cells,
                   [](double x) { return static_cast<int>(x); });
    return;
  }
  const Buffer found = device->allocate(ElementType::i32, 1);  // counts are ints: nobody asks
  KernelCall(device, resident_draws_program(device), "store_integers", report)
      .memory("from", chunk)
      .memory("to", *to.resident_out)
      .value("first", static_cast<std::int64_t>(begin * what.cells))
      .value("missing", std::int64_t{0})
      .memory("found", found)
      .value("len", static_cast<int>(n))
      .items(n)
      .run();
}

}  // namespace

static SharedProgram multinomial_program(const SharedDevice& device, const KernelSpec& spec, RunReport& report) {
  return device->program({spec.kernel_file, [&spec] { return kernel_program_text(spec); }, ""}, &report);
}

void run_multinomial(const SharedDevice& device, const KernelSpec& spec, const Multinomial& what, std::size_t n,
                     const Cells& cells, RunReport& report, const CallHooks& hooks, DrawStream stream) {
  if (spec.kind != KernelKind::cells) throw NmathError(std::string("function '") + spec.name + "' draws no cells");
  if (what.cells == 0 || what.cells > INT_MAX) throw NmathError("the number of cells must be from 1 to 2^31 - 1");
  Stopwatch watch;
  const DeviceInfo& info = device->info();
  begin_report(report, spec.name, info, n);
  const SharedProgram program = multinomial_program(device, spec, report);
  const std::size_t block_size = std::min(n, columns_of(kBlock, what));
  Pace pace(columns_of(kFirstChunk, what), columns_of(kLastChunk, what), 4.0);
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    run_columns(device, program, spec, what, begin, end, cells, info.immediate ? nullptr : &report, stream);
    if (hooks.finished) hooks.finished(begin, end);
  };
  for_chunks(info, n, block_size, pace, 1, chunk, hooks.interrupted, report);
  report.total = watch.lap();
  if (!info.immediate) return;
  report.chunks = (n + block_size - 1) / block_size;
  report.compute = report.total;
}

void run_multinomial(const std::string& device, const KernelSpec& spec, const Multinomial& what, std::size_t n,
                     int* out, RunReport& report, const CallHooks& hooks, DrawStream stream) {
  run_multinomial(open_device(select_device(device)), spec, what, n, {out, nullptr}, report, hooks, stream);
}

void run_multinomial(const std::vector<SharedDevice>& devices, const KernelSpec& spec, const Multinomial& what,
                     std::size_t n, int* out, RunReport& report, const CallHooks& hooks, DrawStream stream) {
  const auto make = [&](const DeviceRange& range, RunReport& own) -> RangeTask {
    multinomial_program(range.device, spec, own);
    return [&, range](RunReport& done, const CallHooks& its_hooks) {
      run_multinomial(range.device, spec, what, range.count, {out + range.first * what.cells, nullptr}, done, its_hooks,
                      {stream.seed, stream.first + range.first});
    };
  };
  const std::size_t least = std::max<std::size_t>(1, least_divided(spec.cost) / std::max<std::size_t>(what.cells, 1));
  run_divided(devices, {spec.kernel_name, n, 1, least}, make, report, hooks);
}

}  // namespace openclPort
