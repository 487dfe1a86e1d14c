// chunk_plan -- the size of chunks, and workers, of a long call.
#include "engine/chunk_plan.h"

#include <cstring>

#include "base/streaming_copy.h"

namespace openclPort {

namespace {

constexpr std::size_t kLeastCopiedChunk = std::size_t{1} << 16;
constexpr std::size_t kMinChunk = 64;
constexpr int kMaxWorkers = 16;
// A plane of a call that is all one small chunk, whose copies a driver makes sooner from page-locked memory than from
// any other.
constexpr std::size_t kSmallPlane = std::size_t{1} << 14;

// What one element of a chunk needs on the device, and in how many planes it comes and goes.
struct Load {
  std::size_t bytes = 0, planes = 0;

  explicit Load(const ChunkPlan& plan) {
    for (std::size_t k = 0; k < plan.inputs.size(); ++k) {
      const ChunkInput& input = plan.inputs[k];
      if (input.transport != ChunkInput::Transport::chunks || input.source != k) continue;
      bytes += input.bytes_per_element();
      planes += input.planes;
    }
    for (const ChunkOutput& output : plan.outputs) {
      if (plan.reduces() && !output.each) continue;  // their results are few
      if (output.host != nullptr || output.passed_on) bytes += element_bytes(output.type);
      if (output.host != nullptr) ++planes;
    }
  }
};

// Of a device without memory of its own whose launches are over when they return: blocks for every thread.
void plan_blocks(ChunkPlan& plan, Cost cost, const ChunkOptions& options) {
  const int threads = options.workers > 0 ? options.workers : host_threads();
  if (options.chunk_size == 0) plan.chunk_size = std::min(plan.chunk_size, block_size_for(cost, plan.n, threads));
  plan.workers = std::min<std::size_t>(static_cast<std::size_t>(threads), ceiling_ratio(plan.n, plan.chunk_size));
}

void plan_copies(ChunkPlan& plan, const Load& load, std::size_t chunk_bytes, const ChunkOptions& options) {
  std::size_t most = static_cast<std::size_t>(
      std::max(1, options.workers > 0 ? options.workers : std::min(kMaxWorkers, host_threads())));
  if (options.chunk_size == 0) {
    // All of a call's page-locked memory comes in blocks of one size, which the next call can use, whatever it
    // computes.
    most = std::max<std::size_t>(1, std::min(most, chunk_bytes / (load.planes * kStagingBlock)));
    const std::size_t even = ceiling_ratio(ceiling_ratio(plan.n, 2 * most), 1024) * 1024;
    plan.chunk_size = std::min(plan.chunk_size, std::min(std::max(even, kLeastCopiedChunk), kCopiedChunk));
  }
  plan.chunk_size = std::max(plan.chunk_size, std::min(plan.n, plan.block));
  most = std::max<std::size_t>(1, std::min(most, chunk_bytes / load.bytes / std::max<std::size_t>(plan.block, 1)));
  const bool asked =
      options.chunk_size != 0 && options.workers <= 0;  // a chunk that was asked for is measured, one by one
  plan.workers = asked ? 1 : std::min(most, std::max<std::size_t>(1, ceiling_ratio(plan.n, plan.chunk_size) / 2));
  if (plan.workers == 1 && (plan.chunk_size < plan.n || chunk_bytes / load.bytes < plan.n)) plan.slots = 2;
  const std::size_t fitting = chunk_bytes / (plan.workers * plan.slots) / load.bytes;
  plan.chunk_size = std::min(plan.chunk_size, std::max(fitting, std::min(plan.n, kMinChunk)));
  plan.staged = plan.workers > 1;
  plan.streams = !plan.reduces() && plan.n >= kBeyondCaches / sizeof(double);
  plan.timed = !plan.staged;
}

}  // namespace

void find_shared_inputs(std::vector<ChunkInput>& inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    ChunkInput& input = inputs[k];
    input.source = k;
    if (input.transport == ChunkInput::Transport::none) continue;
    const auto same = [&](const ChunkInput& other) {
      return other.transport == input.transport && other.column.data == input.column.data &&
             other.column.length == input.column.length && other.column.type == input.column.type &&
             other.widen == input.widen && other.fill == input.fill && other.planes == input.planes;
    };
    for (std::size_t j = 0; j < k && input.source == k; ++j)
      if (same(inputs[j])) input.source = j;
  }
}

bool uses_zero_copy(const DeviceInfo& device, const ChunkOptions& options) {
  using Transfer = ChunkOptions::Transfer;
  return options.transfer == Transfer::zero_copy || (options.transfer == Transfer::automatic && device.host_memory);
}

void plan_chunks(ChunkPlan& plan, const DeviceInfo& device, Cost cost, std::size_t most, std::size_t chunk_bytes,
                 const ChunkOptions& options) {
  const Load load(plan);
  plan.zero_copy = uses_zero_copy(device, options);
  plan.chunk_size = std::min({options.chunk_size == 0 ? most : options.chunk_size, kMaxChunk, plan.n});
  if (load.planes > 0)
    plan.chunk_size = std::min(plan.chunk_size, static_cast<std::size_t>(device.max_alloc) / sizeof(double));
  if (device.immediate)
    plan_blocks(plan, cost, options);
  else if (!plan.zero_copy && load.planes > 0)
    plan_copies(plan, load, chunk_bytes, options);
  if (plan.reduces()) {  // whole blocks
    plan.chunk_size = std::max(plan.chunk_size, std::min(plan.block, plan.n));
    if (plan.starts == nullptr && plan.chunk_size < plan.n) plan.chunk_size -= plan.chunk_size % plan.block;
  }
  // Where nothing travels, the wait for the device is the time of its kernels. A driver that is to tell times takes
  // longer for it than for a launch and a read (NVIDIA: 60 us for 20).
  if (!plan.zero_copy && load.planes == 0) plan.timed = false;
  if (plan.zero_copy || load.planes == 0) return;
  const std::size_t plane = plan.chunk_size * sizeof(double);
  plan.staging = options.chunk_size == 0 ? std::max(kStagingBlock, plane) : plane;
  if (options.chunk_size == 0 && plan.workers * plan.slots == 1 && plan.chunk_size == plan.n && plane <= kSmallPlane) {
    plan.staged = true;
    plan.timed = false;  // which a driver spends more on than on the launch
    plan.staging = kSmallPlane;
  }
}

// Launch at once as many elements as took 10 ms in the previous call. Even if they cost 50 times more now, the launch
// ends within half a second.
constexpr double kTrustedSeconds = 0.01;

Pace pace_of(const DeviceInfo& device, Cost cost, const ChunkPlan& plan, double rate, bool asked) {
  if (asked || device.immediate) return Pace(plan.chunk_size, plan.chunk_size, 1.0);
  const bool travels = std::any_of(plan.inputs.begin(), plan.inputs.end(), [](const ChunkInput& input) {
    return input.transport == ChunkInput::Transport::chunks;
  });
  const bool copies = plan.staging > 0 && (travels || !plan.reduces());  // few results alone come at once
  const std::size_t first = copies ? plan.chunk_size : first_zero_copy_chunk(device);
  const std::size_t trusted = static_cast<std::size_t>(std::min(kTrustedSeconds * rate, 1e15));
  if (!copies && trusted > plan.chunk_size) return Pace(plan.chunk_size, plan.chunk_size, 1.0);
  return device_pace(device, cost, plan.chunk_size, first);
}

void fill_chunk(const ChunkPlan& plan, const ChunkInput& input, std::size_t plane, std::size_t first, std::size_t count,
                void* target) {
  using Fill = ChunkInput::Fill;
  if (input.fill == Fill::widened) return widen_chunk(input.column, first, count, static_cast<double*>(target));
  if (input.fill == Fill::recycled) return copy_chunk(input.column, first, count, target);
  const std::size_t rows = input.column.length / input.planes, item = item_bytes(input.column);
  const unsigned char* const from = static_cast<const unsigned char*>(input.column.data) + plane * rows * item;
  if (input.fill == Fill::plain) {
    std::memcpy(target, from + first * item, count * item);
    return;
  }
  const int* const order = plan.order + first;
  if (input.column.type == Column::Type::f64) {
    const double* const x = reinterpret_cast<const double*>(from);
    double* const to = static_cast<double*>(target);
    for (std::size_t i = 0; i < count; ++i) to[i] = x[order[i]];
  } else {
    const int* const x = reinterpret_cast<const int*>(from);
    int* const to = static_cast<int*>(target);
    for (std::size_t i = 0; i < count; ++i) to[i] = x[order[i]];
  }
}

bool ChunkQueue::next(Chunk& chunk, std::size_t elements) {
  std::size_t begin, end;
  if (plan_.starts != nullptr) {
    const std::int64_t* const starts = plan_.starts;
    const std::size_t most = plan_.out_capacity();
    const auto end_of = [&](std::size_t from) {
      const std::int64_t* const last = starts + plan_.results;
      const std::int64_t reach = starts[from] + static_cast<std::int64_t>(std::min(elements, plan_.chunk_size));
      std::size_t to = static_cast<std::size_t>(std::upper_bound(starts + from + 1, last + 1, reach) - starts) - 1;
      to = std::max(to, from + 1);
      while (to < plan_.results && starts[to] == starts[from]) ++to;    // a chunk has elements,
      while (to < plan_.results && starts[to + 1] == starts[to]) ++to;  // and the blocks of none behind it
      return std::min(to, from + most);
    };
    if (!queue_.next_until(begin, end, end_of)) return false;
    chunk.first = static_cast<std::size_t>(starts[begin]);
    chunk.count = static_cast<std::size_t>(starts[end]) - chunk.first;
  } else {
    const std::size_t unit = std::max<std::size_t>(plan_.block, 1);
    const std::size_t results = elements < plan_.n ? std::max<std::size_t>(elements / unit, 1) : plan_.n;
    if (!queue_.next(begin, end, results)) return false;
    chunk.first = plan_.first + begin * unit;
    chunk.count = std::min(end * unit, plan_.n) - begin * unit;
  }
  chunk.out_first = (plan_.reduces() ? plan_.first_result : plan_.first) + begin;
  chunk.out_count = end - begin;
  return true;
}

namespace {

std::size_t power_of_two_from(std::size_t least) {
  std::size_t power = 1;
  while (power < least) power *= 2;
  return power;
}

}  // namespace

std::size_t reduction_block(std::size_t n, Cost cost) {
  constexpr std::size_t most_blocks = 4096, most_moderate = 4096;
  if (cost == Cost::heavy) return 256;
  if (cost == Cost::slow) return 32;
  const std::size_t even = power_of_two_from(std::max<std::size_t>(1024, ceiling_ratio(n, most_blocks)));
  return cost == Cost::moderate ? std::min(even, most_moderate) : even;
}

}  // namespace openclPort
