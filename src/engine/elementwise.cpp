// elementwise -- columns of any length, chunk by chunk, in bounded memory.
//
// Where data is copied, several lanes share the chunks out: each is a thread with a queue and buffers of its own that
// fills page-locked memory from the caller's, sends it on its way, waits, and empties the results; what the device and
// the bus do for one lane overlaps with the copies of the others. (A second chunk under way in each lane makes it
// slower: that doubles the memory which has to stay in the processor's cache.) A single lane has two slots instead.
// Where the device works on host memory its buffers lie over the caller's vectors: there is one lane with one slot, or,
// where launches are over when they return, one for each thread.
#include "engine/elementwise.h"

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/elementwise_lane.h"

namespace openclPort {

namespace {

// Of cheap functions where a chunk is over when its launch is; later ones take a tenth of a second.
constexpr std::size_t kFirstSharedChunk = std::size_t{1} << 17;

void run_stream(ElementwiseStream& stream, RunReport& report) {
  const ElementwisePlan& plan = stream.plan;
  BlockQueue chunks(plan.n, plan.chunk);
  std::vector<RunReport> reports(plan.lanes);  // one each, so that no lane writes where another does
  ElementwiseLane first(stream, reports.front());
  first.send_whole(stream.whole);
  report.threads = run_workers(static_cast<int>(plan.lanes), chunks, [&](int id) {
    if (id == 0)
      first.run(chunks, stream.hooks.interrupted);
    else
      ElementwiseLane(stream, reports[static_cast<std::size_t>(id)]).run(chunks, nullptr);
  });
  // Of several lanes the times are this machine's, a mean over the lanes: copying, and waiting for the device.
  for (const RunReport& own : reports) {
    report.chunks += own.chunks;
    report.transfer += own.transfer / static_cast<double>(plan.lanes);
    report.compute += own.compute / static_cast<double>(plan.lanes);
  }
}

Pace pace_of(const DeviceInfo& device, const KernelSpec& spec, const ElementwisePlan& plan, bool asked) {
  if (asked || device.immediate) return Pace(plan.chunk, plan.chunk, 1.0);
  return device_pace(device, spec.cost, plan.chunk, plan.share ? kFirstSharedChunk : plan.chunk);
}

ProgramSource source_of(const KernelSpec& spec, const ProgramText& text, bool recycles) {
  const std::string form = recycles ? "2" : "1";
  return {spec.kernel_file + std::string(recycles ? "|recycled" : ""),
          [form, text] { return "#define NMATH_RECYCLE " + form + "\n" + text(); }, ""};
}

}  // namespace

void run_elementwise(const DeviceInfo& info, const KernelSpec& spec, const ProgramText& program_text,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, const ElementwiseOptions& options, std::uint64_t seed) {
  Stopwatch watch;
  report.function = spec.name;
  report.device = info.name;
  report.device_type = info.type;
  report.elements = n;
  if (n == 0) return;
  SharedDevice device = open_device(info);
  check_columns(spec, columns, out);
  expect_writes(out, n * sizeof(double));

  ElementwisePlan plan = plan_elementwise(info, spec, columns, n, options);
  SharedProgram program = device->program(source_of(spec, program_text, plan.recycles), &report);
  Pace pace = pace_of(info, spec, plan, options.chunk > 0);
  ElementwiseStream stream{std::move(device), std::move(program), spec, std::move(plan), out, hooks, seed, pace, {}};
  run_stream(stream, report);
  const double seconds = watch.lap();
  if (info.immediate) report.compute = seconds;
  report.total += seconds;
}

void run_elementwise(const std::string& device, const KernelSpec& spec, const std::vector<Column>& columns,
                     std::size_t n, double* out, RunReport& report, const CallHooks& hooks, std::uint64_t seed) {
  if (spec.kind == KernelKind::cells)
    throw NmathError(std::string("function '") + spec.name + "' does not work element by element");
  Stopwatch watch;
  const auto program = [&spec] { return kernel_program_text(spec); };
  run_elementwise(select_device(device), spec, program, columns, n, out, report, hooks, {}, seed);
  report.total = watch.lap();
}

}  // namespace openclPort
