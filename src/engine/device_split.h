// device_split -- one call on several devices at a time: divides the elements among them, with a thread for each
// device.
//
// Devices get elements in proportion to their measured speed in earlier calls of the same name; before any was
// measured, in proportion to what they say of themselves. A call can be interrupted, and throws the first failure; it
// returns or throws once all devices have stopped.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/cost.h"
#include "base/report.h"
#include "device/device.h"

namespace openclPort {

// Elements [first, first + count) of a call, and the device that computes them.
struct DeviceRange {
  SharedDevice device;
  std::size_t first = 0, count = 0;
};

// Computes one range. It is made on the caller's thread, where programs are built, and runs on a thread of its device,
// the first range's on the caller's. The hooks that it is given may be called on that thread.
using RangeTask = std::function<void(RunReport& report, const CallHooks& hooks)>;
using RangeTaskMaker = std::function<RangeTask(const DeviceRange& range, RunReport& report)>;

// Runs all ranges at the same time; a single one runs on the caller's thread.
void run_ranges(const std::vector<DeviceRange>& ranges, const RangeTaskMaker& make, RunReport& report,
                const CallHooks& hooks);

struct DividedWork {
  std::string name;          // under which the devices' speed is remembered
  std::size_t n = 0;         // elements
  std::size_t multiple = 1;  // ranges begin at multiples of it
  std::size_t least = 0;     // elements that are worth dividing
};

// Elements of a function that are worth dividing.
std::size_t least_divided(Cost cost);

// Divides the elements by the devices' speed and runs the ranges. Too few to be worth dividing go to the fastest
// device.
void run_divided(const std::vector<SharedDevice>& devices, const DividedWork& work, const RangeTaskMaker& make,
                 RunReport& report, const CallHooks& hooks);

// How a resident vector is divided among several devices: by what they say of themselves, not by measured speed, so
// that all vectors of a length are divided at the same places; and at multiples of the blocks of reductions.
std::vector<DeviceRange> resident_split(const std::vector<SharedDevice>& devices, std::size_t n);

}  // namespace openclPort
