// work_chunks -- sizes of chunks from the cost of an element.
#include "engine/work_chunks.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "base/work_threads.h"

namespace openclPort {

namespace {

constexpr double kChunkSeconds = 0.1;  // of a launch
constexpr double kMostSeconds = 0.5;   // of a launch whose every element takes as long as its class allows
constexpr double kGrowth = 4.0;

struct CostClass {
  double seconds;  // of one element at worst; of slow ones, of those with ordinary arguments
  std::size_t block_least, block_most;
};

const CostClass& class_of(Cost cost) {
  static const CostClass classes[] = {
      {3e-6, kLargestBlock, kLargestBlock}, {50e-6, 256, 2048}, {1e-3, 16, 128}, {5e-3, 1, 16}};
  return classes[static_cast<int>(cost)];
}

std::size_t whole(double x) { return static_cast<std::size_t>(std::max(1.0, std::min(x, 1e15))); }

}  // namespace

std::size_t block_size_for(Cost cost, std::size_t n, int threads) {
  const CostClass& known = class_of(cost);
  const std::size_t parts = 4 * static_cast<std::size_t>(std::max(threads, 1));
  const std::size_t even = n / parts + 1;
  return std::min(std::max<std::size_t>(n, 1), std::min(std::max(even, known.block_least), known.block_most));
}

Pace::Pace(std::size_t first, std::size_t most, double growth)
    : most_(std::max<std::size_t>(most, 1)),
      growth_(growth),
      fixed_(first >= most),
      chunk_(std::max<std::size_t>(1, std::min(first, most))) {}

void Pace::took(std::size_t count, double seconds) {
  if (fixed_ || count == 0) return;
  const double now = static_cast<double>(count);
  const double fitting = std::min(kChunkSeconds / std::max(seconds, 1e-6), growth_) * now;
  chunk_.store(std::min(whole(fitting), most_), std::memory_order_relaxed);
}

Pace device_pace(const DeviceInfo& device, Cost cost, std::size_t chunk_size, std::size_t first) {
  if (cost == Cost::cheap) return Pace(first, chunk_size, 1e15);
  const double rate = std::max(device.compute_units, 1u) * device.unit_speed / class_of(cost).seconds;
  const double begin = kChunkSeconds * rate;
  const double most = device.unit_range > 1.0 ? device.unit_range * begin : kMostSeconds * rate;
  return Pace(whole(begin), std::min(chunk_size, whole(most)), kGrowth);
}

std::size_t first_zero_copy_chunk(const DeviceInfo& device) {
  constexpr std::size_t least = std::size_t{1} << 17;
  if (device.unit_range <= 1.0) return least;
  const double rate = device.compute_units * device.unit_speed * device.unit_range / class_of(Cost::cheap).seconds;
  return std::max(least, whole(kChunkSeconds * rate));
}

void for_chunks(const DeviceInfo& device, std::size_t n, std::size_t block_size, Pace& pace, std::size_t multiple,
                const std::function<void(std::size_t, std::size_t)>& chunk, const InterruptCheck& interrupted,
                RunReport& report) {
  if (device.immediate) {
    report.threads = parallel_blocks(n, block_size, chunk, interrupted);
    return;
  }
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    if (begin > 0) stop_if(interrupted);
    Stopwatch watch;
    const std::size_t whole = (std::min(pace.chunk(), n - begin) + multiple - 1) / multiple * multiple;
    end = begin + std::min(whole, n - begin);
    chunk(begin, end);
    pace.took(end - begin, watch.lap());
  }
  report.threads = 1;
}

}  // namespace openclPort
