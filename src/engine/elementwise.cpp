// elementwise -- columns of any length, piece by piece, in bounded memory; see piece_lane.h.
#include "engine/elementwise.h"

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/elementwise_kernel.h"

namespace openclPort {

namespace {

constexpr std::size_t kSharedChunk = std::size_t{1} << 22;

Pace pace_of(const DeviceInfo& device, const KernelSpec& spec, const ElementwisePlan& plan, bool asked) {
  if (asked || device.immediate) return Pace(plan.chunk, plan.chunk, 1.0);
  return device_pace(device, spec.cost, plan.chunk, plan.share ? first_shared_piece(device) : plan.chunk);
}

}  // namespace

void run_elementwise(const DeviceInfo& info, const KernelSpec& spec, const ProgramText& program_text,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, const ElementwiseOptions& options, std::uint64_t seed) {
  Stopwatch watch;
  begin_report(report, spec.name, info, n);
  if (n == 0) return;
  const SharedDevice device = open_device(info);  // outlives all buffers
  check_columns(spec, columns);
  if (out == nullptr) throw NmathError("there is no room for the results", "run_elementwise");
  expect_writes(out, n * sizeof(double));

  const ElementwiseWay way(device, spec, program_text, columns, {});
  const ElementwisePlan plan = plan_elementwise(info, way.spec(), way.columns(), {}, n, out, kSharedChunk, options);
  SharedProgram program = way.program(plan, report);
  Pace pace = pace_of(info, way.spec(), plan, options.chunk > 0);
  std::vector<Buffer> whole;
  const std::unique_ptr<PieceKernel> kernel = way.kernel(plan, seed, whole);
  PieceStream{device, std::move(program), way.spec().kernel_name, way.spec().cost, plan, *kernel, hooks, pace, whole}
      .run(report);
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
