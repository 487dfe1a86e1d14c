// host_runner -- runs kernels of the host device over the cores of this machine.
#include "host_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

#include "nmath_error.h"

namespace openclPort {

namespace {

std::atomic<int> max_threads{0};

// Elements per block: small enough to poll interrupts and balance cores, large enough to hide a thread's start.
constexpr std::size_t kGrain = std::size_t{1} << 14;

// Work shared by the threads of one call. The first exception stops the others and is rethrown by the caller.
class BlockQueue {
 public:
  BlockQueue(std::size_t n, std::size_t grain) : n_(n), grain_(grain) {}

  bool next(std::size_t& begin, std::size_t& end) {
    begin = next_.fetch_add(grain_);
    if (begin >= n_) return false;
    end = std::min(begin + grain_, n_);
    return true;
  }

  void stop() { next_.store(n_); }

 private:
  const std::size_t n_, grain_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

void set_host_threads(int threads) { max_threads = std::max(threads, 0); }

int host_threads() {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int limit = max_threads.load();
  return limit > 0 ? std::min(limit, cores) : cores;
}

void parallel_blocks(std::size_t n, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body,
                     const InterruptCheck& interrupted, RunReport& report) {
  grain = std::max<std::size_t>(grain, 1);
  BlockQueue queue(n, grain);
  const std::size_t blocks = (n + grain - 1) / grain;
  const int helpers = static_cast<int>(std::min<std::size_t>(host_threads(), std::max<std::size_t>(blocks, 1))) - 1;
  std::vector<std::exception_ptr> failures(helpers + 1);

  auto work = [&](int id) {
    try {
      std::size_t begin, end;
      while (queue.next(begin, end)) {
        body(begin, end);
        if (id == 0 && interrupted && interrupted()) throw NmathError("interrupted");
      }
    } catch (...) {
      failures[id] = std::current_exception();
      queue.stop();
    }
  };

  std::vector<std::thread> threads;
  threads.reserve(helpers);
  for (int id = 1; id <= helpers; ++id) {
    try {
      threads.emplace_back(work, id);
    } catch (const std::system_error&) {
      break;  // the system has no more threads: those that run do all the work
    }
  }
  work(0);
  for (auto& thread : threads) thread.join();
  for (auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  report.threads = static_cast<int>(threads.size()) + 1;
}

void run_elementwise_host(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
                          RunReport& report, const InterruptCheck& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  auto block = [&](std::size_t begin, std::size_t end) {
    nmath_host_launch launch{};
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Column& column = columns[k];
      const std::size_t width = column.type == Column::Type::f64 ? sizeof(double) : sizeof(int);
      const bool own = column.length >= n;  // element by element: point at this block's first one
      launch.column[k] = static_cast<const char*>(column.data) + (own ? begin * width : 0);
      launch.n[k] = own ? 0 : static_cast<int64_t>(column.length);
    }
    launch.first = static_cast<int64_t>(begin);
    launch.out = out + begin;
    launch.len = static_cast<int>(end - begin);
    spec.host(&launch, 0, launch.len);
  };
  parallel_blocks(n, kGrain, block, interrupted, report);
  report.chunks = (n + kGrain - 1) / kGrain;
  report.device = report.device_type = "host";
  report.compute = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace openclPort
