// work_chunks -- chooses how much a call computes between two looks for an interrupt.
//
// A call ends within a second of being asked to, whatever its function costs: the size of a chunk follows from the
// function's class (column `cost` of inst/spec/functions.tsv), on devices then from the time that chunks took. Sizes
// never change a result.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "base/cost.h"
#include "base/report.h"
#include "device/device_info.h"

namespace openclPort {

// Elements of a block where launches are over when they return, for n elements on so many threads: few enough for a
// look at the time every tenth of a second, and for every thread to have some.
std::size_t block_size_for(Cost cost, std::size_t n, int threads);
constexpr std::size_t kLargestBlock = std::size_t{1} << 13;  // what stays in a core's cache

// Elements of the launches of one call. Thread-safe.
class Pace {
 public:
  // Starts with `first` and goes up to `most`, `growth` times as many from one to the next. first == most: fixed.
  Pace(std::size_t first, std::size_t most, double growth);

  std::size_t chunk() const { return chunk_.load(std::memory_order_relaxed); }
  void took(std::size_t count, double seconds);  // a launch of so many elements, from its start to its end

 private:
  const std::size_t most_;
  const double growth_;
  const bool fixed_;
  std::atomic<std::size_t> chunk_;
};

// The pace of a function on a device, at most `chunk_size` elements at a time. `first` is for cheap functions only.
Pace device_pace(const DeviceInfo& device, Cost cost, std::size_t chunk_size, std::size_t first);

// Elements of a cheap function to begin with, where they need no copying.
std::size_t first_zero_copy_chunk(const DeviceInfo& device);

// Calls chunk(begin, end) for chunks of [0, n): where launches are over when they return, of `block_size` elements on
// as many threads as there are; else one after the other, as large as the pace has them, in multiples of `multiple`.
// Between chunks the caller's thread asks `interrupted`.
void for_chunks(const DeviceInfo& device, std::size_t n, std::size_t block_size, Pace& pace, std::size_t multiple,
                const std::function<void(std::size_t begin, std::size_t end)>& chunk, const InterruptCheck& interrupted,
                RunReport& report);

}  // namespace openclPort
