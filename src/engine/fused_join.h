// fused_join -- the results of a reduction's blocks, and the launch that joins them to one.
//
// They are joined in one order whichever chunks, threads and devices they come from: at once by a second launch where
// one chunk has all of them, else once all are there.
#pragma once

#include <vector>

#include "engine/fused.h"

namespace openclPort {

constexpr std::size_t kMostGroup = 256;  // work-items for a block

// Blocks of a whole reduction.
std::size_t fused_blocks(const FusedSpec& spec, const FusedCall& call);

Range groups_of(std::size_t items, std::size_t groups);

// Work-items of a group that take `count` values together: a power of two; one where that is a core.
std::size_t items_of_group(const Launch& launch, const DeviceInfo& device, std::size_t count);

// The kernel that joins the blocks of such a call.
const std::string& join_of(const FusedSpec& spec, const FusedCall& call);

// `results`: the outputs with the results of all blocks, and those of the joint results; `groups`: of those by group.
void set_join(Launch& launch, const FusedSpec& spec, const FusedCall& call, const DeviceInfo& device,
              std::size_t blocks, const std::vector<const Buffer*>& results, const Grouping::OnDevice* groups);

// Results of blocks on their way to be joined: a word of eight bytes for each number.
class BlockResults {
 public:
  BlockResults(const FusedSpec& spec, const FusedCall& call, std::size_t blocks);
  void take_place(std::vector<void*>& values);  // of what the call's values are to be
  // Leaves the joint results in the call's values.
  void join(const SharedDevice& device, const Program& program, const FusedSpec& spec, const FusedCall& call,
            const InterruptCheck& interrupted);

 private:
  const std::size_t blocks_;
  std::vector<std::vector<double>> memory_;
};

// All chunks of a call on a device. `join`: the values are what its blocks' results are joined to, else those results.
std::vector<int> run_chunks(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, bool join,
                            RunReport& report, const CallHooks& hooks, const ChunkOptions& options);

// Whether there is nothing to compute.
bool is_empty(const FusedCall& call);

std::vector<const Buffer*> pointers_to(const std::vector<Buffer>& buffers);

}  // namespace openclPort
