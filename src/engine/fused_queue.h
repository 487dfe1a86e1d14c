// fused_queue -- calls of fused kernels one behind the other on one queue: each finds on the device what those before
// it have left, and nobody waits in between.
#pragma once

#include <memory>
#include <vector>

#include "engine/fused.h"
#include "engine/stream_worker.h"

namespace openclPort {

// What one of the calls has on its device from run to run.
struct QueuedCall {
  ChunkMemory memory;  // results of blocks
  std::unique_ptr<Launch> launch, join;
};

// Whether one launch may compute all of a call whose columns are on the device: the kernel has run there, and the
// launch is over soon enough for whoever interrupts. Which columns, and which groups, need not be said yet.
bool fits_queue(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call);

// Puts a call that fits on the queue. `results`: by output where it goes, of a reduction by what its blocks are joined
// to; the call says nothing of that. `flags`: the words, which are 0. All of it, and what the call refers to, lives
// until the queue is finished. False, and nothing was put there, where the driver would compile the kernel at this
// launch, if it is to run `if_compiled` only.
bool queue_fused(Queue& queue, const SharedDevice& device, FusedKernel& kernel, const FusedCall& call,
                 const std::vector<const Buffer*>& results, const Buffer* flags, QueuedCall& own,
                 bool if_compiled = false);

}  // namespace openclPort
