// report -- what a call did, and the hooks by which its caller follows it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/interrupted.h"

namespace openclPort {

// What one of several devices did of a call.
struct DeviceRangeReport {
  std::string device;
  int index = 0;  // as in opencl_devices()
  std::size_t elements = 0;
  double seconds = 0;
};

// What a call did: reported by last_run() and verbose = TRUE. Times in seconds.
struct RunReport {
  std::string function;
  std::string device;       // "host" or the OpenCL device's name
  std::string device_type;  // "host", "gpu", "cpu", "accelerator"
  std::string arithmetic;   // "double", "pair", "single"; "none" where nothing was computed
  std::size_t elements = 0;
  std::size_t chunks = 0;
  int built = 0;       // programs built by this call
  int cache_hits = 0;  // programs found in a cache
  int disk_hits = 0;   // of these, the ones read from disk
  int threads = 0;     // threads of this machine that computed or moved data
  double build = 0, transfer = 0, compute = 0, total = 0;
  std::vector<DeviceRangeReport> device_ranges;  // of a call on several devices
};

// What a caller hears of a call under way. Each may be empty.
struct CallHooks {
  InterruptCheck interrupted;
  // Of functions that are elementwise: results [begin, end), the first of them at `results`, wherever they lie on their
  // way; what is changed there is what the caller gets. As `finished`, and before it.
  std::function<void(std::size_t begin, std::size_t end, double* results)> arrived = nullptr;
  // Results [begin, end) are in place. Called once for every chunk, from any thread of the call, in any order.
  std::function<void(std::size_t begin, std::size_t end)> finished = nullptr;
};

}  // namespace openclPort
