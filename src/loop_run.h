// loop_run -- runs one launch of a loop over data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "device/kernel_call.h"
#include "engine/fused.h"
#include "r_door.h"

struct Loop {
  static const char* name() { return "nmathopencl loop"; }
  std::string text, options;
  std::vector<std::pair<openclPort::SharedDevice, openclPort::SharedProgram>> built;

  // The program that was built for the device; NULL before its first run.
  const openclPort::SharedProgram* find(const openclPort::SharedDevice& device) const;
  openclPort::SharedProgram on(const openclPort::SharedDevice& device, openclPort::RunReport& report);
};

// The loop behind a handle.
Loop& loop_of(SEXP handle);

// What a launch takes besides vectors. `numbers`: whole numbers that every kernel of this kind takes, the second one is
// how many rounds there are, then lengths; of the scalars `whole` says which are integers.
struct LoopNumbers {
  std::vector<double> scalars;
  std::vector<int> whole;
  std::vector<double> numbers;
};

// A vector of a launch, in R's memory or the device's.
void add_loop_vector(openclPort::KernelCall& call, const openclPort::FusedColumn& column);

// The arguments behind vectors and results, and a work-item for each of `items` series.
void add_loop_numbers(openclPort::KernelCall& call, const LoopNumbers& given);
void set_loop_items(openclPort::KernelCall& call, std::size_t items, const openclPort::DeviceInfo& device);

// Whether a launch is over before anybody could interrupt it: `most`, the numbers of its longest result.
bool is_short_loop(const LoopNumbers& given, double most, double items, const openclPort::DeviceInfo& device);
