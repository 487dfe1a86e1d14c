// shares -- one call on several devices at a time: who computes which elements, and a thread for each device.
//
// Devices get elements by how fast they were at work of the same name in calls before; what they say of themselves
// stands in for what is not known yet. Whoever shares out may be interrupted, and hears of the first failure, once all
// devices have stopped.
#ifndef NMATHOPENCL_SHARES_H
#define NMATHOPENCL_SHARES_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/cost.h"
#include "base/report.h"
#include "device/device.h"

namespace openclPort {

// The longest chunk of one launch where devices share a call.
constexpr std::size_t kSharedChunk = std::size_t{1} << 22;

// Elements [first, first + count) of a call, and the device that computes them.
struct Share {
  SharedDevice device;
  std::size_t first = 0, count = 0;
};

// What a share has to do. Made on the caller's thread, which is where programs are built; run on a thread of its
// device's, the first one on the caller's. The hooks that it is given may be asked there.
using ShareTask = std::function<void(RunReport& report, const CallHooks& hooks)>;
using ShareMaker = std::function<ShareTask(const Share& share, RunReport& report)>;

// Runs all shares at a time. A single one runs on the caller's thread, as if nobody shared.
void run_shares(const std::vector<Share>& shares, const ShareMaker& make, RunReport& report, const CallHooks& hooks);

struct DividedWork {
  std::string name;          // what the speed of devices is kept under
  std::size_t n = 0;         // elements
  std::size_t multiple = 1;  // shares begin at multiples of it
  std::size_t least = 0;     // elements that are worth dividing
};

// Elements of a function that are worth dividing.
std::size_t least_divided(Cost cost);

// Shares the elements out by the devices' speed, and runs the shares. Fewer than are worth it are the fastest device's.
void run_divided(const std::vector<SharedDevice>& devices, const DividedWork& work, const ShareMaker& make,
                 RunReport& report, const CallHooks& hooks);

// How a vector that stays lies on several devices: by what they say of themselves, whatever was measured, so that all
// vectors of a length are cut at the same places; and at multiples of the blocks of reductions.
std::vector<Share> resident_shares(const std::vector<SharedDevice>& devices, std::size_t n);

}  // namespace openclPort

#endif
