// work_threads -- the threads of one call.
#include "base/work_threads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace openclPort {

namespace {
std::atomic<int> max_threads{0};
}  // namespace

void set_host_threads(int threads) { max_threads = std::max(threads, 0); }

int host_threads() {
  static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int limit = max_threads.load();
  return limit > 0 ? std::min(limit, cores) : cores;
}

bool BlockQueue::next(std::size_t& begin, std::size_t& end, std::size_t block_size) {
  begin = next_.fetch_add(block_size);
  if (begin >= n_) return false;
  end = begin + std::min(block_size, n_ - begin);
  return true;
}

int run_workers(int count, BlockQueue& queue, const std::function<void(int)>& worker) {
  if (count <= 1) {
    worker(0);
    return 1;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  const auto work = [&](int id) {
    try {
      worker(id);
    } catch (...) {
      failures[static_cast<std::size_t>(id)] = std::current_exception();
      queue.stop();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count) - 1);
  for (int id = 1; id < count; ++id) {
    try {
      threads.emplace_back(work, id);
    } catch (const std::exception&) {
      break;  // the system has no more threads, or no memory for one: those that run do all the work
    }
  }
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return static_cast<int>(threads.size()) + 1;
}

int parallel_blocks(std::size_t n, std::size_t block_size, const std::function<void(std::size_t, std::size_t)>& body,
                    const InterruptCheck& interrupted) {
  block_size = std::max<std::size_t>(block_size, 1);
  BlockQueue queue(n, block_size);
  const std::size_t blocks = std::max<std::size_t>((n + block_size - 1) / block_size, 1);
  const int count = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(host_threads()), blocks));
  return run_workers(count, queue, [&](int id) {
    std::size_t begin, end;
    while (queue.next(begin, end)) {
      body(begin, end);
      if (id == 0) stop_if(interrupted);
    }
  });
}

}  // namespace openclPort
