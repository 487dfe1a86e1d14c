// fused_chunks -- the chunks of a call of a fused kernel: their plan, and the kernel's arguments for each.
#pragma once

#include <memory>
#include <vector>

#include "engine/fused.h"
#include "engine/stream_worker.h"

namespace openclPort {

ChunkPlan plan_fused(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call,
                     const ChunkOptions& options);

// Doubles of local memory that a group has for what the kernel takes as such.
std::size_t local_doubles(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call);
// How many rows a tile has at most where a linear predictor is a sum of ranges (expression/term_slices.h), which a
// group of kMostGroup work-items has among them; 0: there are none.
std::size_t rows_of_ranges(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call);
// Of each point more than one a number for each work-item and two for each sum.
std::size_t local_of_more_points(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call);

// Whether a work-item has a block of its own: of sums by group, where most blocks have few elements. They are of values
// in memory, and a group would wait for its work-items longer than for them. The range of a launch that has so many.
bool has_short_blocks(const DeviceInfo& device, const FusedSpec& spec, const Grouping& grouping);
Range short_blocks(std::size_t blocks);
// Else the work-items of a group, which has a block of sums by group: each takes some elements, since joining them
// takes time, too.
std::size_t items_of_blocks(const Launch& launch, const DeviceInfo& device, const Grouping& grouping);

// The kernel's arguments for one chunk. What it is given is kept by the caller.
class FusedChunks : public ChunkKernel {
 public:
  FusedChunks(const FusedSpec& spec, const FusedCall& call, const ChunkPlan& plan, const SharedDevice& device,
              const std::vector<Buffer>& whole);

  Buffer flags;
  const Buffer* lent_flags = nullptr;  // another's, instead
  std::shared_ptr<const Grouping::OnDevice> groups;
  mutable std::vector<int> flags_found;

  unsigned arguments() const override { return static_cast<unsigned>(spec_.items.size()); }
  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t) const override;
  void collect(Queue& queue) const override;

  void land();  // once the queue that collected is finished

 private:
  void set(Launch& launch, unsigned i, const FusedItem& item, const Chunk& chunk, const ChunkMemory& memory) const;
  const Buffer& column(unsigned k, const ChunkMemory& memory) const;
  const Buffer& output(unsigned k, const ChunkMemory& memory) const;
  std::int64_t offset(unsigned k, const Chunk& chunk) const;
  std::size_t stride(unsigned k, const Chunk& chunk) const;
  void set_items(Launch& launch, const Chunk& chunk) const;
  void set_groups(Launch& launch, const Chunk& chunk) const;
  bool has_short_blocks() const;

  const FusedSpec& spec_;
  const FusedCall& call_;
  const ChunkPlan& plan_;
  const SharedDevice on_;
  const DeviceInfo& device_;
  const std::vector<Buffer>& whole_;
  const std::size_t local_;
  mutable Buffer landing_;
};

}  // namespace openclPort
