// fused_once -- a whole reduction in one launch, and one that joins its blocks, on a device with memory of its own:
// what the call has in this process's memory goes there in one transfer, and values and flags come back in one.
#pragma once

#include "engine/fused_queue.h"

namespace openclPort {

// What a kernel keeps for it on a device from call to call. Destroyed in reverse order.
struct FusedOnce {
  Buffer results, given;           // what comes back, flags first, and what goes there
  Buffer landing, departing;       // the same in this process's memory
  std::vector<Buffer> outputs;     // parts of `results`
  std::vector<Buffer> columns;     // parts of `given`, by column; empty: it is on the device
  Buffer flags;                    // all 0
  std::vector<std::size_t> sizes;  // bytes of the flags, then of each output, then of each column
  QueuedCall queued;
};

// Whether one launch may compute such a call, for which `plan` has one chunk.
bool fits_once(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call);

// Computes it, and gives the words of flags. False, and nothing has run, where the driver compiles the kernel at this
// launch: run_chunks() lets users interrupt that.
bool run_once(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, RunReport& report,
              const CallHooks& hooks, std::vector<int>& flags);

}  // namespace openclPort
