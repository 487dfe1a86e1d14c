// memory_pool -- keeps large blocks of memory for reuse instead of returning them to the system.
//
// A block fresh from the system costs a fault and a zeroed page for every 4 KiB (2 MiB where it is large) at its first
// write: more than computing its values does for cheap functions. Blocks that are returned stay here, up to a bound:
// the last one is used first, the first one is freed first. Where no block of a size is idle, part of a much larger one
// is used. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace openclPort {

class MemoryPool {
 public:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 16;  // below it the C library is as good
  static constexpr std::size_t kMostBlocks = 8192;                  // the system bounds a process's mappings

  explicit MemoryPool(std::size_t bound);
  ~MemoryPool() { set_bound(0); }  // of blocks that wait; others are their users'
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Whether a block of this size is for the pool to give: on a system that it knows, with a bound that allows its
  // return, and with not too many about.
  bool serves(std::size_t bytes) const;

  // At a multiple of 4 KiB, of 2 MiB for blocks that large; nullptr where the system has none. What is in it is
  // unknown.
  void* take(std::size_t bytes) noexcept;
  void give(void* block) noexcept;  // one that take() gave

  // Bytes that blocks in waiting may have; frees what is over.
  void set_bound(std::size_t bytes) noexcept;
  std::size_t bound() const { return bound_; }
  std::size_t waiting() const { return waiting_bytes_; }
  std::size_t in_use() const { return in_use_bytes_; }
  std::size_t blocks_in_use() const { return in_use_.size(); }
  std::size_t taken() const { return taken_; }  // how many until now

  // Whether one that waits would do for a block of this size.
  bool waits_for(std::size_t bytes) const;

  // What blocks fresh from the system had until now, and what their pages may have cost; what one more may cost.
  struct Fresh {
    std::size_t bytes = 0;
    double seconds = 0;
  };
  const Fresh& fresh() const { return fresh_; }
  double seconds_of_fresh(std::size_t bytes) const;

  // The size a block gets: one of eight between powers of two.
  static std::size_t block_bytes(std::size_t bytes);

 private:
  struct Waiting {
    void* block;
    std::size_t size;
  };
  using Turn = std::uint64_t;               // when a block was given back
  bool one_waits(std::size_t size) const;   // of exactly this size
  bool part_waits(std::size_t size) const;  // one so large that it gives a part
  void* take_waiting(std::size_t size) noexcept;
  void* take_part(std::size_t size) noexcept;
  void* take_fresh(std::size_t size) noexcept;
  void shrink_to(std::size_t bytes) noexcept;

  std::size_t bound_, waiting_bytes_ = 0, in_use_bytes_ = 0, taken_ = 0;
  Fresh fresh_;
  double seconds_per_small_byte_, seconds_per_large_byte_;  // as found last; guesses at first
  Turn turn_ = 0;
  std::map<Turn, Waiting> waiting_;
  std::set<std::pair<std::size_t, Turn>> by_size_;       // the same
  std::unordered_map<const void*, std::size_t> in_use_;  // size of each
};

// A sixteenth of the memory that this process may have, 4 GiB at most; 0 where pools do not work.
std::size_t default_pool_bound();

}  // namespace openclPort
