// fused_shared -- a call of a fused kernel that several devices range.
#include <algorithm>

#include "engine/device_split.h"
#include "engine/fused_join.h"

namespace openclPort {

namespace {

// What the devices of a call have set of its flags. Thread-safe.
class FoundFlags {
 public:
  explicit FoundFlags(std::size_t words) : words_(words) {}
  void add(const std::vector<int>& found) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < words_.size() && i < found.size(); ++i) words_[i] |= found[i];
  }
  const std::vector<int>& words() const { return words_; }

 private:
  std::mutex mutex_;
  std::vector<int> words_;
};

// Some of a call's elements, whose blocks' results others join.
std::vector<int> run_range(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, RunReport& report,
                           const CallHooks& hooks, const ChunkOptions& options) {
  begin_report(report, kernel.spec().function, device->info(), call.n);
  if (is_empty(call)) return std::vector<int>(kernel.spec().flags);
  check_fused_call(kernel.spec(), call);
  return run_chunks(device, kernel, call, false, report, hooks, options);
}

}  // namespace

std::vector<int> run_fused(const std::vector<SharedDevice>& devices, FusedKernel& kernel, const FusedCall& call,
                           RunReport& report, const CallHooks& hooks, const ChunkOptions& options) {
  if (devices.size() == 1 || is_empty(call)) return run_fused(devices.front(), kernel, call, report, hooks, options);
  const FusedSpec& spec = kernel.spec();
  const bool join = fused_joins(spec, call);
  BlockResults blocks(spec, call, join ? fused_blocks(spec, call) : 0);
  FusedCall shared = call;
  if (join) blocks.take_place(shared.values);
  FoundFlags found(spec.flags);
  const auto make = [&](const DeviceRange& range, RunReport& own) -> RangeTask {
    kernel.on_device(range.device, own);
    return [&, range](RunReport& done, const CallHooks& its_hooks) {
      FusedCall its = shared;
      its.range = {range.first, range.count};
      found.add(run_range(range.device, kernel, its, done, its_hooks, options));
    };
  };
  DividedWork work = {kernel.name(), call.n, 1, least_divided(spec.cost)};
  if (call.grouping != nullptr) {
    const std::size_t block = std::max<std::size_t>(call.n / std::max<std::size_t>(call.grouping->blocks(), 1), 1);
    work = {kernel.name(), call.grouping->blocks(), 1, ceiling_ratio(work.least, block)};
  } else if (spec.reduces) {
    work.multiple = call.block > 0 ? call.block : reduction_block(call.n, spec.cost);
  }
  run_divided(devices, work, make, report, hooks);
  if (join)
    blocks.join(devices.front(), *kernel.on_device(devices.front(), report)->program, spec, call, hooks.interrupted);
  return found.words();
}

std::vector<int> run_fused(const std::vector<FusedPart>& parts, FusedKernel& kernel, RunReport& report,
                           const CallHooks& hooks, const ChunkOptions& options) {
  const FusedSpec& spec = kernel.spec();
  const FusedCall& whole = parts.front().call;
  if (parts.size() == 1) return run_fused(parts.front().device, kernel, whole, report, hooks, options);
  const bool join = fused_joins(spec, whole);
  BlockResults blocks(spec, whole, join ? fused_blocks(spec, whole) : 0);
  FoundFlags found(spec.flags);
  std::vector<DeviceRange> ranges;
  for (const FusedPart& part : parts) ranges.push_back({part.device, part.call.range.first, part.call.range.count});
  const auto make = [&](const DeviceRange& range, RunReport& own) -> RangeTask {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const FusedPart& one) {
      return one.call.range.first == range.first && one.device == range.device;
    });
    kernel.on_device(range.device, own);
    return [&, part](RunReport& done, const CallHooks& its_hooks) {
      FusedCall its = part->call;
      if (join) blocks.take_place(its.values);
      found.add(run_range(part->device, kernel, its, done, its_hooks, options));
    };
  };
  run_ranges(ranges, make, report, hooks);
  if (join)
    blocks.join(parts.front().device, *kernel.on_device(parts.front().device, report)->program, spec, whole,
                hooks.interrupted);
  return found.words();
}

}  // namespace openclPort
