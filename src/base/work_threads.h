// work_threads -- the threads of one call: hand out blocks of work, and rethrow the first failure.
//
// Threads are made per call and joined before it returns: nothing survives that a fork could break.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

#include "base/interrupted.h"

namespace openclPort {

// Upper bound on the threads of one call; 0 means one per core.
void set_host_threads(int threads);
int host_threads();

// Consecutive blocks of [0, n), `block_size` elements at most each, handed out to whoever asks. Thread-safe.
class BlockQueue {
 public:
  BlockQueue(std::size_t n, std::size_t block_size) : n_(n), block_size_(block_size) {}
  bool next(std::size_t& begin, std::size_t& end) { return next(begin, end, block_size_); }
  bool next(std::size_t& begin, std::size_t& end, std::size_t block_size);  // a block of another size
  // A block that ends where end_of(its begin) says.
  template <typename End>
  bool next_until(std::size_t& begin, std::size_t& end, const End& end_of) {
    begin = next_.load();
    do {
      if (begin >= n_) return false;
      end = end_of(begin);
    } while (!next_.compare_exchange_weak(begin, end));
    return true;
  }
  void stop() { next_.store(n_); }
  std::size_t left() const { return n_ - std::min(n_, next_.load()); }

 private:
  const std::size_t n_, block_size_;
  std::atomic<std::size_t> next_{0};
};

// Calls worker(0) on this thread and worker(1) ... worker(count - 1) on others, fewer where the system has no more
// threads. When one throws, the queue is stopped and, once all have returned, the exception rethrown. Returns how many
// threads worked.
int run_workers(int count, BlockQueue& queue, const std::function<void(int)>& worker);

// Calls body(begin, end) for blocks of [0, n), `block_size` elements at most each, on several threads when there is
// more than one block's worth of work. The calling thread takes part and polls `interrupted` between blocks; true stops
// all threads after the blocks they are at and throws Interrupted. Returns how many threads worked.
int parallel_blocks(std::size_t n, std::size_t block_size, const std::function<void(std::size_t, std::size_t)>& body,
                    const InterruptCheck& interrupted);

}  // namespace openclPort
