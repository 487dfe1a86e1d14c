// work_pieces -- sizes of pieces from the cost of an element.
#include "engine/work_pieces.h"

#include <algorithm>

namespace openclPort {

namespace {

constexpr double kPieceSeconds = 0.1;  // of a launch
constexpr double kMostSeconds = 0.5;   // of a launch whose every element takes as long as its class allows
// How many cores of the host a compute unit of a GPU stands for, in double precision: a low guess.
constexpr double kGpuUnit = 2.5;
constexpr double kGpuRange = 16.0;
constexpr double kGrowth = 4.0;

struct CostClass {
  double seconds;  // of one element at worst; of slow ones, of those with ordinary arguments
  std::size_t host_least, host_most;
  std::size_t group;
};

const CostClass& class_of(Cost cost) {
  static const CostClass classes[] = {
      {3e-6, kLargestHostGrain, kLargestHostGrain, 64}, {50e-6, 256, 2048, 64}, {1e-3, 16, 128, 8}, {5e-3, 1, 16, 1}};
  return classes[static_cast<int>(cost)];
}

std::size_t whole(double x) { return static_cast<std::size_t>(std::max(1.0, std::min(x, 1e15))); }

}  // namespace

std::size_t host_grain(Cost cost, std::size_t n, int threads) {
  const CostClass& known = class_of(cost);
  const std::size_t shares = 4 * static_cast<std::size_t>(std::max(threads, 1));
  const std::size_t even = n / shares + 1;
  return std::min(std::max<std::size_t>(n, 1), std::min(std::max(even, known.host_least), known.host_most));
}

std::size_t cpu_group(Cost cost) { return class_of(cost).group; }

Pace::Pace(std::size_t first, std::size_t most, double growth)
    : most_(std::max<std::size_t>(most, 1)),
      growth_(growth),
      fixed_(first >= most),
      piece_(std::max<std::size_t>(1, std::min(first, most))) {}

void Pace::took(std::size_t count, double seconds) {
  if (fixed_ || count == 0) return;
  const double now = static_cast<double>(count);
  const double fitting = std::min(kPieceSeconds / std::max(seconds, 1e-6), growth_) * now;
  piece_.store(std::min(whole(fitting), most_), std::memory_order_relaxed);
}

Pace device_pace(const DeviceInfo& device, Cost cost, std::size_t chunk, std::size_t first) {
  if (cost == Cost::cheap) return Pace(first, chunk, 1e15);
  const bool gpu = device.type == "gpu";
  const double rate = std::max(device.compute_units, 1u) * (gpu ? kGpuUnit : 1.0) / class_of(cost).seconds;
  const double begin = kPieceSeconds * rate, most = gpu ? kGpuRange * begin : kMostSeconds * rate;
  return Pace(whole(begin), std::min(chunk, whole(most)), kGrowth);
}

}  // namespace openclPort
