// grouping -- elements in the order of their groups, cut into blocks: for reductions by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/process_mutex.h"
#include "device/device.h"
#include "device/resident.h"

namespace openclPort {

// Blocks lie in one group each and cover it; those of a group come in its order, with others' between them. Read by any
// thread once it is made.
class Grouping {
 public:
  // `codes` from 1 to `groups`, of n elements; elements of other codes (NA) belong to none. Stable: elements of a group
  // keep their order. Blocks have `block` elements but for the last one of each group. `all`: groups of no element have
  // a block of none; else they have none.
  Grouping(const int* codes, std::size_t n, std::size_t groups, std::size_t block, bool all = false);
  // The same elements, cut into other blocks.
  Grouping(const Grouping& other, std::size_t block);

  std::size_t elements() const { return elements_; }        // how many there were codes for
  std::size_t positions() const { return order_->size(); }  // how many are in a group
  std::size_t groups() const { return counts_.size(); }
  bool all() const { return all_; }
  std::size_t blocks() const { return group_.size(); }
  std::size_t block() const { return block_; }                         // the longest that one may be
  const std::vector<int>& order() const { return *order_; }            // the element at each position, from 0
  const std::vector<std::int64_t>& starts() const { return starts_; }  // each block's first position, and the end
  const std::vector<int>& group() const { return group_; }             // of each block, from 1
  const std::vector<double>& counts() const { return counts_; }        // elements of each group

  // The order and the starts on a device, kept there for the next call. Whoever asks keeps them alive meanwhile.
  struct OnDevice {
    SharedDevice device;  // goes last
    Buffer order, starts;
    Buffer group_starts,
        group_blocks;  // where `all`: the blocks of each group, and which of them are the group's first
  };
  std::shared_ptr<const OnDevice> on_device(const SharedDevice& device, bool order) const;

 private:
  // The first position of block j of a group.
  struct BlockStarts {
    std::vector<std::size_t> first_block, start;  // of each group, of each block
    std::size_t operator()(std::size_t group, std::size_t j) const { return start[first_block[group] + j]; }
  };
  BlockStarts cut();

  void gather_blocks();

  std::size_t elements_, block_;
  bool all_ = false;
  std::shared_ptr<const std::vector<int>> order_;
  std::vector<int> group_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> group_starts_;
  std::vector<int> group_blocks_;
  std::vector<double> counts_;
  mutable ProcessMutex mutex_;
  mutable std::vector<std::shared_ptr<const OnDevice>> known_;  // one for each device
};

// Groups of resident codes, as many as the greatest says. They are sorted once, and what was made of them
// stays beside them: reductions with other blocks only cut them anew. Codes below 1 but NA throw. `groups`: not 0 where
// there are so many, of which all have a block; greater codes are in none.
std::shared_ptr<const Grouping> grouping_of(const Resident& codes, std::size_t block, std::size_t groups = 0);

}  // namespace openclPort
