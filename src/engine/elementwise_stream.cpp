// elementwise_stream -- the elementwise engine: columns of any length, chunk by chunk, in bounded memory.
//
// Where data is copied, several lanes share the chunks out: each is a thread with a queue and buffers of its own that
// fills page-locked memory from the caller's, sends it on its way, waits, and empties the results; what the device and
// the bus do for one lane overlaps with the copies of the others. (A second chunk under way in each lane makes it
// slower: that doubles the memory which has to stay in the processor's cache.) A single lane has two slots instead.
// Where the device works on host memory there is one lane with one slot, and its buffers lie over the caller's vectors.
#include "engine/column_pieces.h"
#include "engine/opencl_kernel_runners.h"
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

}  // namespace

void run_elementwise_opencl(const DeviceInfo& device, const KernelSpec& spec, const ProgramText& program_text,
                            const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                            const CallHooks& hooks, const ElementwiseOptions& options, std::uint64_t seed) {
  enter_opencl("run_elementwise_opencl");
  Stopwatch watch;
  report.function = spec.name;
  report.device = device.name;
  report.device_type = device.type;
  report.elements = n;
  if (n == 0) return;
  check_columns(spec, columns, out);
  expect_writes(out, n * sizeof(double));

  std::shared_ptr<Session> session = session_for(device);
  ElementwisePlan plan = plan_elementwise(device, spec, columns, n, options);
  const std::string form = plan.recycles ? "2" : "1";
  KernelBundle program = session->program(
      "NMATH_RECYCLE " + form + " " + spec.kernel_file,
      [&] { return "#define NMATH_RECYCLE " + form + "\n" + program_text(); }, "", &report);
  const std::size_t chunk = plan.chunk;
  Pace pace = options.chunk > 0 ? Pace(chunk, chunk, 1.0)
                                : device_pace(device, spec.cost, chunk, plan.share ? kFirstSharedChunk : chunk);
  ElementwiseStream stream{std::move(session),
                           std::move(program),
                           spec.kernel_name,
                           std::move(plan),
                           out,
                           hooks,
                           spec.draws(),
                           seed,
                           spec.cost,
                           pace,
                           {}};
  run_stream(stream, report);
  report.total += watch.lap();
}

}  // namespace openclPort
