// fused -- one call of a kernel that is described at run time; see stream_worker.h for how its chunks travel.
#include "engine/fused.h"

#include <algorithm>
#include <cstring>

#include "base/stopwatch.h"
#include "engine/fused_chunks.h"
#include "engine/fused_join.h"
#include "engine/fused_once.h"

namespace openclPort {

namespace {

constexpr std::size_t kManyElements = std::size_t{1} << 16;  // of which the time says how fast a kernel is

// Words that are 0, of this kernel's last call where there was one; they go back if they still are.
class FlagColumn {
 public:
  FlagColumn(FusedKernel::OnDevice& on_device, FusedChunks& chunks, std::size_t words)
      : on_device_(on_device), chunks_(chunks) {
    chunks_.flags_found.assign(words, 0);
    if (words == 0) return;
    {
      const std::lock_guard<ProcessMutex> lock(on_device_.mutex);
      if (!on_device_.idle_flags.empty()) {
        chunks_.flags = std::move(on_device_.idle_flags.back());
        on_device_.idle_flags.pop_back();
        return;
      }
    }
    chunks_.flags = on_device_.device->allocate(ElementType::i32, words);
    const std::unique_ptr<Queue> queue = on_device_.device->queue(false);
    queue->write(chunks_.flags, 0, chunks_.flags_found.data(), chunks_.flags.bytes());
    queue->finish();
  }

  void keep() {
    const std::vector<int>& found = chunks_.flags_found;
    if (found.empty() || std::any_of(found.begin(), found.end(), [](int word) { return word != 0; })) return;
    const std::lock_guard<ProcessMutex> lock(on_device_.mutex);
    on_device_.idle_flags.push_back(std::move(chunks_.flags));
  }

 private:
  FusedKernel::OnDevice& on_device_;
  FusedChunks& chunks_;
};

void expect_results(const ChunkPlan& plan, const ChunkOutput& output) {
  if (output.host == nullptr) return;
  const std::size_t item = element_bytes(output.type);
  const bool results = plan.reduces() && !output.each;
  expect_writes(
      static_cast<unsigned char*>(output.host) + output.first(results ? plan.first_result : plan.first) * item,
      output.count(results ? plan.results : plan.n) * item);
}

void note_time(FusedKernel::OnDevice& on_device, std::size_t n, double seconds, RunReport& report) {
  report.total += seconds;
  if (n >= kManyElements) on_device.rate = static_cast<double>(n) / std::max(seconds, 1e-6);
}

}  // namespace

bool is_empty(const FusedCall& call) {
  return call.n == 0 || (call.grouping != nullptr && call.grouping->positions() == 0);
}

bool fused_too_short(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call) {
  if (device.immediate || device.wide_cores || spec.least <= 1) return false;
  // Of a reduction each work-item of a block is one that computes it; `least` is for 2^15 of them.
  if (spec.reduces && reduction_block(call.n, spec.cost) < kMostGroup * (spec.least >> 15)) return true;
  return call.n < spec.least;
}

std::vector<int> run_chunks(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, bool join,
                            RunReport& report, const CallHooks& hooks, const ChunkOptions& options) {
  Stopwatch watch;
  const FusedSpec& spec = kernel.spec();
  const DeviceInfo& info = device->info();
  const std::shared_ptr<FusedKernel::OnDevice> on_device = kernel.on_device(device, report);
  ChunkPlan plan = plan_fused(info, spec, call, options);
  if (plan.n == 0) {  // blocks of no element: sums of nothing
    for (void* const values : call.values)
      std::fill_n(static_cast<double*>(values) + plan.first_result, plan.results, 0.0);
    return std::vector<int>(spec.flags);
  }
  Pace pace = pace_of(info, spec.cost, plan, on_device->rate, options.chunk_size > 0);
  if (!info.immediate && !plan.zero_copy && plan.workers == 1 && pace.chunk() < plan.n) plan.slots = 2;
  std::vector<Buffer> whole;
  FusedChunks chunks(spec, call, plan, device, whole);
  const bool one_chunk = plan.workers * plan.slots == 1 && plan.chunk_size >= plan.n && pace.chunk() >= plan.n;
  if (one_chunk && fits_once(info, spec, call)) {
    std::vector<int> found;
    if (run_once(device, kernel, call, report, hooks, found)) {
      note_time(*on_device, plan.n, watch.lap(), report);
      return found;
    }
  }
  BlockResults own(spec, call, join ? plan.results : 0);
  if (join) {
    std::vector<void*> blocks = call.values;
    own.take_place(blocks);
    for (std::size_t j = 0; j + spec.each < plan.outputs.size(); ++j) plan.outputs[j].host = blocks[j];
  }
  for (const ChunkOutput& output : plan.outputs) expect_results(plan, output);
  if (call.grouping != nullptr) chunks.groups = call.grouping->on_device(device, spec.takes(FusedItem::Kind::order));
  FlagColumn flags(*on_device, chunks, spec.flags);
  ChunkStream stream{device, on_device->program, spec.kernel.c_str(), spec.cost, plan, chunks, hooks, pace, whole};
  stream.run(report);
  if (spec.flags > 0 && plan.workers * plan.slots > 1) {
    const std::unique_ptr<Queue> queue = device->queue(false);
    chunks.collect(*queue);
    queue->finish();
  }
  chunks.land();
  flags.keep();
  if (join) own.join(device, *on_device->program, spec, call, hooks.interrupted);
  const double seconds = watch.lap();
  if (info.immediate) report.compute = seconds;
  note_time(*on_device, plan.n, seconds, report);
  return chunks.flags_found;
}

std::vector<int> run_fused(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, RunReport& report,
                           const CallHooks& hooks, const ChunkOptions& options) {
  const FusedSpec& spec = kernel.spec();
  begin_report(report, spec.function, device->info(), call.n);
  if (is_empty(call)) {
    if (call.grouping != nullptr && !spec.group_join.empty())  // sums of nothing
      for (void* const values : call.values) std::fill_n(static_cast<double*>(values), call.grouping->groups(), 0.0);
    return std::vector<int>(spec.flags);
  }
  check_fused_call(spec, call);
  return run_chunks(device, kernel, call, fused_joins(spec, call), report, hooks, options);
}

}  // namespace openclPort
