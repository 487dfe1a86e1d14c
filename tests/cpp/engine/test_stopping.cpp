// test_stopping -- a call ends soon after it is asked to, whatever an element costs; and sizes of chunks.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "base/work_threads.h"
#include "engine/work_chunks.h"
#include "host/host_kind.h"
#include "host_test.h"

using namespace openclPort;

namespace {

// While it is not negative, this thread's allocation of that number, counted from 0, fails.
thread_local int failing_allocation = -1;

bool allocation_fails() { return failing_allocation >= 0 && failing_allocation-- == 0; }

constexpr double kElementSeconds = 2e-3;

// As a kernel that draws: the number of its first element is argument 3, and a work-item makes four (sunif.cl).
void wait_and_count(const nmath_host_argument* arguments, int begin, int end) {
  double* const out = static_cast<double*>(arguments[0].memory);
  const int len = arguments[1].i32;
  const std::uint64_t first = arguments[3].u64;
  for (int i = 4 * begin; i < 4 * end; ++i) {
    const int at = i - static_cast<int>(first & 1);
    if (at < 0 || at >= len) continue;
    std::this_thread::sleep_for(std::chrono::duration<double>(kElementSeconds));
    out[at] = static_cast<double>(first + static_cast<unsigned>(at));
  }
}

KernelSpec waiting(Cost cost) {
  static const nmath_host_row row = {"test/waiting.cl", "waiting", 4, wait_and_count};
  add_host_kernel(&row);
  return {"waiting", "waiting", "test/waiting.cl", 0, 0, "none", KernelKind::draws, cost};
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* memory = allocation_fails() ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST(Stopping, a_slow_function_ends_within_tenths_of_a_second) {
  std::vector<double> out(5000);
  for (const Cost cost : {Cost::heavy, Cost::slow}) {
    Stopwatch watch;
    double asked = 0.0, seconds = 0.0;
    const auto interrupted = [&] {
      seconds += watch.lap();
      if (seconds > 0.05 && asked == 0.0) asked = seconds;
      return asked > 0.0;
    };
    RunReport report;
    EXPECT_THROW(run_on_host(waiting(cost), {}, out.size(), out.data(), report, {interrupted, nullptr}), Interrupted);
    seconds += watch.lap();
    EXPECT_GT(asked, 0.0);
    EXPECT_LT(seconds - asked, 0.8);
  }
}

TEST(Stopping, a_few_elements_of_a_costly_function_use_all_threads) {
  if (host_threads() < 2) GTEST_SKIP() << "one core";
  std::vector<double> out(16, -1.0);
  RunReport report;
  run_on_host(waiting(Cost::slow), {}, out.size(), out.data(), report);
  EXPECT_EQ(std::min(host_threads(), 16), report.threads);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(static_cast<double>(i), out[i]);
}

TEST(Stopping, blocks_are_for_their_cost) {
  EXPECT_EQ(kLargestBlock, block_size_for(Cost::cheap, 1000000, 4));
  EXPECT_EQ(100u, block_size_for(Cost::cheap, 100, 4));
  EXPECT_EQ(1u, block_size_for(Cost::cheap, 0, 4));
  EXPECT_EQ(2048u, block_size_for(Cost::moderate, 1000000, 4));
  EXPECT_EQ(1u, block_size_for(Cost::slow, 10, 4));
  EXPECT_EQ(16u, block_size_for(Cost::slow, 1000000, 4));
}

TEST(Stopping, a_pace_follows_time_within_bounds) {
  Pace fixed(100, 100, 4.0);
  fixed.took(100, 10.0);
  EXPECT_EQ(100u, fixed.chunk());
  Pace pace(100, 5000, 4.0);
  pace.took(100, 1e-3);
  EXPECT_EQ(400u, pace.chunk());
  pace.took(400, 0.4);
  EXPECT_EQ(100u, pace.chunk());
  pace.took(100, 1000.0);
  EXPECT_EQ(1u, pace.chunk());
  for (int k = 0; k < 20; ++k) pace.took(pace.chunk(), 1e-9);
  EXPECT_EQ(5000u, pace.chunk());
  pace.took(0, 1.0);
  EXPECT_EQ(5000u, pace.chunk());
}

TEST(Stopping, half_a_second_of_work_is_out_at_most) {
  DeviceInfo device;
  device.type = "cpu";
  for (const unsigned units : {1u, 2u, 64u}) {
    device.compute_units = units;
    const struct {
      Cost cost;
      double seconds;
    } classes[] = {{Cost::moderate, 50e-6}, {Cost::heavy, 1e-3}, {Cost::slow, 5e-3}};
    for (const auto& known : classes) {
      Pace pace = device_pace(device, known.cost, std::size_t{1} << 22, 1000);
      for (int k = 0; k < 20; ++k) pace.took(pace.chunk(), 1e-6);
      EXPECT_LE(static_cast<double>(pace.chunk()) * known.seconds / units, 0.5);
    }
  }
}

TEST(Stopping, threads_that_cannot_be_had_for_want_of_memory_are_done_without) {
  for (int failing = 0; failing < 12; ++failing) {
    BlockQueue queue(100, 1);
    std::atomic<int> done{0};
    const std::function<void(int)> worker = [&](int) {
      std::size_t begin, end;
      while (queue.next(begin, end)) done += static_cast<int>(end - begin);
    };
    failing_allocation = failing;
    try {
      run_workers(4, queue, worker);
      failing_allocation = -1;
      EXPECT_EQ(100, done);
    } catch (const std::bad_alloc&) {
      failing_allocation = -1;
      EXPECT_EQ(0, done);
    }
  }
}
