// device_draws -- two launches for each chunk: the draws, and what takes them to their place.
#include "engine/device_draws.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "engine/elementwise_kernel.h"

namespace openclPort {

namespace {

constexpr std::size_t kDrawChunk = std::size_t{1} << 23;

// As whole numbers, so that R's NA stays as it is; a pair of floats has its own NaN for it.
constexpr const char* kResidentDrawsProgram = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef NMATH_FLOAT_PAIRS
#define KEPT double
#define KEPT_OF_BITS(bits) as_double(bits)
#define KEPT_OF(x) (x)
#else
#define KEPT ulong
#define KEPT_OF_BITS(bits) (bits)
#define KEPT_OF(x) as_ulong(x)
#endif
__kernel void store_doubles(__global const double* from, __global KEPT* to, const long first, const ulong missing,
                           __global int* found, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    const double x = from[i];
    to[first + i] = isnan(x) ? KEPT_OF_BITS(missing) : KEPT_OF(x);
    if (isnan(x)) atomic_or(found, 1);
}
__kernel void store_integers(__global const double* from, __global int* to, const long first, const ulong missing,
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
class DeviceDrawsKernel : public ChunkKernel {
 public:
  DeviceDrawsKernel(std::unique_ptr<ChunkKernel> draws, const DeviceDraws& target, SharedProgram store_program)
      : draws_(std::move(draws)), target_(target), store_program_(std::move(store_program)) {}

  Buffer found;  // an int of bits

  unsigned arguments() const override { return draws_->arguments(); }
  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const override {
    draws_->prepare(launch, chunk, memory, previous);
  }
  std::size_t end_of_run(std::size_t begin, std::size_t end) const override { return draws_->end_of_run(begin, end); }
  std::unique_ptr<Launch> follower() const override {
    return store_program_->launch(target_.out->type() == ElementType::f64 ? "store_doubles" : "store_integers");
  }
  void prepare_follower(Launch& launch, const Chunk& chunk, const ChunkMemory& memory) const override {
    const std::uint64_t na = 0x7FF00000000007A2u, nan = 0x7FF8000000000000u;  // of base/columns.h
    launch.set_buffer(0, memory.outputs.front());
    launch.set_buffer(1, *target_.out);
    launch.set(2, static_cast<std::int64_t>(chunk.first - target_.first));
    launch.set(3, target_.na ? na : nan);
    launch.set_buffer(4, found);
    launch.set(5, static_cast<std::int32_t>(chunk.count));
    launch.items(chunk.count);
  }

 private:
  const std::unique_ptr<ChunkKernel> draws_;
  const DeviceDraws& target_;
  const SharedProgram store_program_;
};

ElementwisePlan plan_device_draws(const DeviceInfo& info, const ElementwiseProgram& program_of,
                                  const DeviceDraws& target, std::size_t n, const ElementwiseOptions& options) {
  const std::size_t first = std::min(target.first, n);
  return plan_elementwise(info, program_of.spec(), program_of.columns(), program_of.resident(),
                          {first, std::min(target.count, n - first), n}, nullptr, kDrawChunk, options);
}

}  // namespace

SharedProgram resident_draws_program(const SharedDevice& device) {
  return device->program({"engine/resident_draws", [] { return kResidentDrawsProgram; }, ""}, nullptr);
}

void build_device_draws(const SharedDevice& device, const KernelSpec& spec, const std::vector<Column>& columns,
                        const DeviceDraws& target, std::size_t n, RunReport& report, DrawStream stream) {
  check_columns(spec, columns, target.resident);
  const ElementwiseProgram program_of(device, spec, columns, target.resident, stream);
  program_of.program([&spec] { return kernel_program_text(spec); },
                     plan_device_draws(device->info(), program_of, target, n, {}), report);
  resident_draws_program(device);
}

DrawsFound run_device_draws(const SharedDevice& device, const KernelSpec& spec, const std::vector<Column>& columns,
                            const DeviceDraws& target, std::size_t n, RunReport& report, const CallHooks& hooks,
                            DrawStream stream, const ElementwiseOptions& options) {
  Stopwatch watch;
  const DeviceInfo& info = device->info();
  begin_report(report, spec.name, info, n);
  if (n == 0) return {};
  check_columns(spec, columns, target.resident);
  const ElementwiseProgram program_of(device, spec, columns, target.resident, stream);
  ElementwisePlan plan = plan_device_draws(info, program_of, target, n, options);
  SharedProgram program = program_of.program([&spec] { return kernel_program_text(spec); }, plan, report);
  SharedProgram store_program = resident_draws_program(device);
  const bool asked = options.chunk_size > 0;
  Pace pace = asked ? Pace(plan.chunk_size, plan.chunk_size, 1.0)
                    : device_pace(info, program_of.spec().cost, plan.chunk_size,
                                  plan.staging > 0 ? plan.chunk_size : first_zero_copy_chunk(info));
  if (!plan.zero_copy && plan.workers == 1 && pace.chunk() < plan.n) plan.slots = 2;
  std::vector<Buffer> whole;
  DeviceDrawsKernel kernel(program_of.kernel(plan, whole), target, std::move(store_program));
  const std::unique_ptr<Queue> queue = device->queue(false);
  int found = 0;
  kernel.found = device->allocate(ElementType::i32, 1);
  queue->write(kernel.found, 0, &found, sizeof found);
  queue->finish();
  ChunkStream{
      device, std::move(program), program_of.spec().kernel_name, program_of.spec().cost, plan, kernel, hooks, pace,
      whole}
      .run(report);
  queue->read(kernel.found, 0, &found, sizeof found);
  queue->finish();
  report.total += watch.lap();
  return {(found & 1) != 0, (found & 2) != 0};
}

}  // namespace openclPort
