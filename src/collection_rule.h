// collection_rule -- decides when to ask R for a garbage collection, which alone returns blocks to the pool.
//
// R's collector has two kinds of collection: of young objects, which takes a fiftieth of the time and makes all objects
// in use old, and a full one. A collection of young objects is worth its cost before a block is taken when (a) no idle
// block fits, (b) two blocks were taken since the last collection (the result in a single one is still in use), and (c)
// fresh blocks since then, this one included, cost as much as one collection. A full collection is worth its cost
//   - when blocks in use, beyond those that the last one left, have as much memory as these or as the pool may keep
//   idle,
//     whichever is more; or
//   - when no idle block fits, fresh blocks since the last one cost as much as one collection, and so would all blocks
//   in use
//     but one; unless full collections have cost as much as this fresh block since the last fresh one: then there are
//     too few blocks, and one more lets later collections return more. (Rent until the rent has cost as much as
//     buying.)
// A kind of collection that returned little has to be worth twice its cost the next time.
#pragma once

#include <algorithm>
#include <cstddef>

namespace openclPort {

enum class Collection { none, young, whole };

// Pool: as memory_pool.h has it.
class CollectionRule {
 public:
  // To be asked again after a collection, until there is none.
  template <typename Pool>
  Collection due(const Pool& pool, std::size_t bytes) {
    const double fresh = pool.fresh().seconds;
    rent_ = std::max(0.0, rent_ - (fresh - seen_));
    seen_ = fresh;
    if (pool.blocks_in_use() == 0) return Collection::none;
    if (pool.in_use() + bytes > std::max(most_, pool.bound())) return Collection::whole;
    if (pool.waits_for(bytes)) return Collection::none;
    const double cost = pool.seconds_of_fresh(bytes);
    if (pool.taken() - taken_ >= 2 && young_.worth(fresh + cost)) return Collection::young;
    const double most_back = cost * static_cast<double>(pool.blocks_in_use() - 1);
    if (rent_ < cost && whole_.worth(fresh + cost, most_back)) return Collection::whole;
    return Collection::none;
  }

  // After one that took so long, found so many bytes in use, and was for a block of `bytes`.
  template <typename Pool>
  void collected(Collection kind, const Pool& pool, double seconds, std::size_t in_use, std::size_t bytes) {
    const std::size_t left = pool.in_use(), back = in_use - std::min(in_use, left);
    (kind == Collection::young ? young_ : whole_).settle(pool.fresh(), seconds, back, bytes);
    taken_ = pool.taken();
    if (kind == Collection::young) return;
    most_ = left + std::max(left, pool.bound());
    rent_ += seconds;
  }

 private:
  // What one kind costs, against what fresh blocks have cost since the last of it.
  class Account {
   public:
    explicit Account(double guess) : cost_(guess) {}
    bool worth(double fresh, double most_back = 1e300) const {
      return std::min(fresh - seconds_, most_back) > patience_ * cost_;
    }
    template <typename Fresh>
    void settle(const Fresh& fresh, double cost, std::size_t back, std::size_t bytes) {
      constexpr double most = 1024;
      const bool little = back < std::max(bytes, (fresh.bytes - bytes_) / 2);
      patience_ = little ? std::min(2 * patience_, most) : 1.0;
      cost_ = 0.5 * (cost_ + cost);  // a collector takes a young one for the occasion of a whole one now and then
      bytes_ = fresh.bytes;
      seconds_ = fresh.seconds;
    }

   private:
    double cost_, patience_ = 1;
    std::size_t bytes_ = 0;  // fresh ones until the last of the kind
    double seconds_ = 0;
  };

  Account young_{0.001}, whole_{0.04};
  std::size_t most_ = 0, taken_ = 0;
  double rent_ = 0, seen_ = 0;  // whole ones since the last fresh block, seconds; fresh blocks until now
};

}  // namespace openclPort
