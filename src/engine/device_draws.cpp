// device_draws -- two launches for each piece: the draws, and what takes them to their place.
#include "engine/device_draws.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "engine/elementwise_kernel.h"

namespace openclPort {

namespace {

constexpr std::size_t kDrawChunk = std::size_t{1} << 23;

// As whole numbers, so that R's NA stays as it is; a pair of floats has its own NaN for it.
constexpr const char* kKeepProgram = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef NMATH_FLOAT_PAIRS
#define KEPT double
#define KEPT_OF_BITS(bits) as_double(bits)
#define KEPT_OF(x) (x)
#else
#define KEPT ulong
#define KEPT_OF_BITS(bits) (bits)
#define KEPT_OF(x) as_ulong(x)
#endif
__kernel void keep_doubles(__global const double* from, __global KEPT* to, const long first, const ulong missing,
                           __global int* found, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    const double x = from[i];
    to[first + i] = isnan(x) ? KEPT_OF_BITS(missing) : KEPT_OF(x);
    if (isnan(x)) atomic_or(found, 1);
}
__kernel void keep_integers(__global const double* from, __global int* to, const long first, const ulong missing,
                            __global int* found, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    const double x = from[i];
    const int fits = x > -2147483648.0 && x <= 2147483647.0;
    to[first + i] = fits ? (int)x : (-2147483647 - 1);
    if (!fits) atomic_or(found, isnan(x) ? 1 : 2);
}
)";

// `draws`, each launch followed by one that takes what it left to its place.
class DeviceDrawsKernel : public PieceKernel {
 public:
  DeviceDrawsKernel(std::unique_ptr<PieceKernel> draws, const DeviceDraws& kept, SharedProgram keeping)
      : draws_(std::move(draws)), kept_(kept), keeping_(std::move(keeping)) {}

  Buffer found;  // an int of bits

  unsigned arguments() const override { return draws_->arguments(); }
  void prepare(Launch& launch, const Piece& piece, const PieceMemory& memory, std::size_t previous) const override {
    draws_->prepare(launch, piece, memory, previous);
  }
  std::size_t end_of_run(std::size_t begin, std::size_t end) const override { return draws_->end_of_run(begin, end); }
  std::unique_ptr<Launch> follower() const override {
    return keeping_->launch(kept_.out->type() == ElementType::f64 ? "keep_doubles" : "keep_integers");
  }
  void prepare_follower(Launch& launch, const Piece& piece, const PieceMemory& memory) const override {
    const std::uint64_t na = 0x7FF00000000007A2u, nan = 0x7FF8000000000000u;  // of base/columns.h
    launch.set_buffer(0, memory.outputs.front());
    launch.set_buffer(1, *kept_.out);
    launch.set(2, static_cast<std::int64_t>(piece.first - kept_.first));
    launch.set(3, kept_.na ? na : nan);
    launch.set_buffer(4, found);
    launch.set(5, static_cast<std::int32_t>(piece.count));
    launch.items(piece.count);
  }

 private:
  const std::unique_ptr<PieceKernel> draws_;
  const DeviceDraws& kept_;
  const SharedProgram keeping_;
};

ElementwisePlan plan_device_draws(const DeviceInfo& info, const ElementwiseProgram& way, const DeviceDraws& kept,
                                  std::size_t n, const ElementwiseOptions& options) {
  const std::size_t first = std::min(kept.first, n);
  return plan_elementwise(info, way.spec(), way.columns(), way.resident(), {first, std::min(kept.count, n - first), n},
                          nullptr, kDrawChunk, options);
}

}  // namespace

SharedProgram keep_draws_program(const SharedDevice& device) {
  return device->program({"engine/keep_draws", [] { return kKeepProgram; }, ""}, nullptr);
}

void build_device_draws(const SharedDevice& device, const KernelSpec& spec, const std::vector<Column>& columns,
                        const DeviceDraws& kept, std::size_t n, RunReport& report, DrawStream stream) {
  check_columns(spec, columns, kept.resident);
  const ElementwiseProgram way(device, spec, columns, kept.resident, stream);
  way.program([&spec] { return kernel_program_text(spec); }, plan_device_draws(device->info(), way, kept, n, {}),
              report);
  keep_draws_program(device);
}

DrawsFound run_device_draws(const SharedDevice& device, const KernelSpec& spec, const std::vector<Column>& columns,
                            const DeviceDraws& kept, std::size_t n, RunReport& report, const CallHooks& hooks,
                            DrawStream stream, const ElementwiseOptions& options) {
  Stopwatch watch;
  const DeviceInfo& info = device->info();
  begin_report(report, spec.name, info, n);
  if (n == 0) return {};
  check_columns(spec, columns, kept.resident);
  const ElementwiseProgram way(device, spec, columns, kept.resident, stream);
  ElementwisePlan plan = plan_device_draws(info, way, kept, n, options);
  SharedProgram program = way.program([&spec] { return kernel_program_text(spec); }, plan, report);
  SharedProgram keeping = keep_draws_program(device);
  const bool asked = options.chunk > 0;
  Pace pace =
      asked ? Pace(plan.chunk, plan.chunk, 1.0)
            : device_pace(info, way.spec().cost, plan.chunk, plan.staging > 0 ? plan.chunk : first_shared_piece(info));
  if (!plan.share && plan.workers == 1 && pace.piece() < plan.n) plan.slots = 2;
  std::vector<Buffer> whole;
  DeviceDrawsKernel kernel(way.kernel(plan, whole), kept, std::move(keeping));
  const std::unique_ptr<Queue> queue = device->queue(false);
  int found = 0;
  kernel.found = device->allocate(ElementType::i32, 1);
  queue->write(kernel.found, 0, &found, sizeof found);
  queue->finish();
  PieceStream{device, std::move(program), way.spec().kernel_name, way.spec().cost, plan, kernel, hooks, pace, whole}
      .run(report);
  queue->read(kernel.found, 0, &found, sizeof found);
  queue->finish();
  report.total += watch.lap();
  return {(found & 1) != 0, (found & 2) != 0};
}

}  // namespace openclPort
