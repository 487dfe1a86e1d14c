// test_opencl_elementwise -- recycling, chunks, transfers, threads and interrupts of the elementwise engine, on every
// OpenCL device found.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstdio>
#include <thread>

#include "opencl_test.h"

using namespace opencl_test;

using Elementwise = OnEveryDevice;

TEST_F(Elementwise, concurrent_callers_build_once_and_compute_right) {
  constexpr int kThreads = 4;
  for (const DeviceInfo& device : working_devices()) {
    if (has(device.platform_name, "Oclgrind")) continue;  // it runs one kernel at a time and asserts that
    drop_sessions();
    std::atomic<int> built{0}, hits{0}, wrong{0}, asked{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const std::size_t n = 1000 + static_cast<std::size_t>(t);
        std::vector<double> x(n), a{2.0 + t}, b{1.0}, out(n);
        const std::vector<int> flag{1};
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
        for (int round = 0; round < 20; ++round) {
          RunReport report;
          ElementwiseOptions options;
          options.chunk_size = round % 2 == 0 ? 0 : 300;
          options.transfer =
              round % 3 == 0 ? ElementwiseOptions::Transfer::copy : ElementwiseOptions::Transfer::automatic;
          try {
            run_elementwise(
                device, kAffine,
                [&] {
                  ++asked;
                  return affine_text() + "// concurrent\n";
                },
                {column(x), column(a), column(b), column(flag)}, n, out.data(), report, {}, options);
          } catch (const NmathError& error) {
            ADD_FAILURE() << error.what();
          }
          built += report.built;
          hits += report.cache_hits;
          for (std::size_t i = 0; i < n; ++i) wrong += out[i] != a[0] * x[i] + 1.0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(1, built);
    EXPECT_EQ(20 * kThreads - 1, hits);
    EXPECT_LE(asked, kThreads);
    EXPECT_EQ(0, wrong);
  }
}

TEST_F(Elementwise, recycling_chunks_and_both_transfers) {
  using Transfer = ElementwiseOptions::Transfer;
  const std::vector<double> three{1.0, 10.0, 100.0};
  const std::vector<int> flags{1, 0};
  for (const DeviceInfo& device : working_devices()) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{1000}, std::size_t{4099}}) {
      std::vector<double> x(n + 3), one{0.5};  // longer than n: the rest is not looked at
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
      for (const std::size_t chunk_size :
           {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1000}}) {
        if (n > 1000 && chunk_size != 0 && chunk_size < 64) continue;  // thousands of launches show nothing more
        for (const Transfer transfer : {Transfer::automatic, Transfer::copy, Transfer::zero_copy}) {
          ElementwiseOptions options;
          options.chunk_size = chunk_size;
          options.transfer = transfer;
          std::vector<double> out(n, -1.0);
          RunReport report;
          run_elementwise(device, kAffine, affine_text, {column(x), column(three), column(one), column(flags)}, n,
                          out.data(), report, {}, options);
          for (std::size_t i = 0; i < n; ++i) {
            const double y = three[i % 3] * x[i] + 0.5;
            ASSERT_EQ(i % 2 == 0 ? y : -y, out[i]) << "n " << n << " chunk " << chunk_size << " element " << i;
          }
          EXPECT_EQ(n, report.elements);
          EXPECT_EQ(chunk_size == 0 ? 1 : (n + chunk_size - 1) / chunk_size, report.chunks);
          EXPECT_EQ(device.name, report.device);
          EXPECT_EQ(device.type, report.device_type);
        }
      }
    }
  }
}

TEST_F(Elementwise, bounded_memory_recycles_large_columns_on_the_host) {
  const std::size_t n = 50000;
  std::vector<double> x(n), period(7001), one{3.0};
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
  for (std::size_t i = 0; i < period.size(); ++i) period[i] = static_cast<double>(i) + 0.25;
  const std::vector<int> flag{1};
  for (const DeviceInfo& device : working_devices()) {
    ElementwiseOptions options;
    options.memory_budget = 100000;  // bytes: `period` has 56,008
    options.transfer = ElementwiseOptions::Transfer::copy;
    std::vector<double> out(n);
    RunReport report;
    run_elementwise(device, kAffine, affine_text, {column(x), column(period), column(one), column(flag)}, n, out.data(),
                    report, {}, options);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(period[i % 7001] * x[i] + 3.0, out[i]) << i;
    EXPECT_GE(report.chunks, 2 * n * 3 * sizeof(double) / options.memory_budget);
  }
}

TEST_F(Elementwise, integers_are_widened_on_the_device) {
  const std::size_t n = 10007;
  std::vector<int> x(n), period{3, INT_MIN, -5}, two{2};
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i) - 5000;
  const std::vector<int> flag{1};
  for (const DeviceInfo& device : working_devices()) {
    for (const auto transfer : {ElementwiseOptions::Transfer::copy, ElementwiseOptions::Transfer::zero_copy}) {
      for (const std::size_t chunk_size : {std::size_t{0}, std::size_t{1000}}) {
        ElementwiseOptions options;
        options.transfer = transfer;
        options.chunk_size = chunk_size;
        std::vector<double> out(n);
        RunReport report;
        run_elementwise(device, kAffine, affine_text, {column(x), column(period), column(two), column(flag)}, n,
                        out.data(), report, {}, options);
        for (std::size_t i = 0; i < n; ++i) {
          if (i % 3 == 1)
            ASSERT_TRUE(std::isnan(out[i])) << i;
          else
            ASSERT_EQ(static_cast<double>(period[i % 3]) * x[i] + 2.0, out[i]) << i;
        }
      }
    }
  }
}

TEST_F(Elementwise, lanes_share_the_chunks_out_and_report_every_chunk_once) {
  const std::size_t n = 400003;
  std::vector<double> x(n), period(1001), one{3.0};
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
  for (std::size_t i = 0; i < period.size(); ++i) period[i] = static_cast<double>(i) + 0.25;
  const std::vector<int> flag{1};
  for (const DeviceInfo& device : working_devices()) {
    if (has(device.platform_name, "Oclgrind")) continue;  // it runs one kernel at a time and asserts that
    for (const int workers : {1, 2, 5}) {
      ElementwiseOptions options;
      options.transfer = ElementwiseOptions::Transfer::copy;
      options.chunk_size = 10000;
      options.workers = workers;
      std::vector<double> out(n);
      std::vector<int> seen(n / 10000 + 1);
      RunReport report;
      CallHooks hooks;
      hooks.finished = [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin / 10000, (end - 1) / 10000);
        seen[begin / 10000] += static_cast<int>(end - begin);
        ASSERT_EQ(period[begin % 1001] * x[begin] + 3.0, out[begin]);
      };
      run_elementwise(device, kAffine, affine_text, {column(x), column(period), column(one), column(flag)}, n,
                      out.data(), report, hooks, options);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(period[i % 1001] * x[i] + 3.0, out[i]) << i;
      EXPECT_EQ(workers, report.threads);
      EXPECT_EQ(seen.size(), report.chunks);
      for (std::size_t k = 0; k < seen.size(); ++k)
        EXPECT_EQ(static_cast<int>(std::min<std::size_t>(10000, n - 10000 * k)), seen[k]);
    }
  }
}

TEST_F(Elementwise, results_are_looked_through_on_their_way) {
  using Transfer = ElementwiseOptions::Transfer;
  const std::vector<double> one{3.0}, two{2.0};
  const std::vector<int> flag{1};
  // The second length leaves past the caches.
  for (const std::size_t n : {std::size_t{1003}, std::size_t{5000011}}) {
    std::vector<double> x(n), out(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
    for (const DeviceInfo& device : working_devices()) {
      if (has(device.platform_name, "Oclgrind")) continue;
      for (const Transfer transfer : {Transfer::automatic, Transfer::copy, Transfer::zero_copy}) {
        for (const int workers : {1, 3}) {
          ElementwiseOptions options;
          options.transfer = transfer;
          options.workers = workers;
          std::fill(out.begin(), out.end(), -1.0);
          std::vector<std::atomic<int>> arrived(n), finished(n);
          std::atomic<int> wrong{0};
          CallHooks hooks;
          hooks.arrived = [&](std::size_t begin, std::size_t end, double* results) {
            for (std::size_t i = begin; i < end; ++i) {
              ++arrived[i];
              wrong += results[i - begin] != 2.0 * x[i] + 3.0;
              if (i % 97 == 0) results[i - begin] = -7.0;
            }
          };
          hooks.finished = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) finished[i] += 1 + (arrived[i] != 1);
          };
          RunReport report;
          run_elementwise(device, kAffine, affine_text, {column(x), column(two), column(one), column(flag)}, n,
                          out.data(), report, hooks, options);
          EXPECT_EQ(0, wrong);
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(1, finished[i]) << i;
            ASSERT_EQ(i % 97 == 0 ? -7.0 : 2.0 * x[i] + 3.0, out[i]) << i;
          }
        }
      }
    }
  }
}

TEST_F(Elementwise, nothing_many_and_the_same_vector_twice) {
  const std::vector<double> none, one{1.0};
  const std::vector<int> flag{1};
  for (const DeviceInfo& device : working_devices()) {
    RunReport report;
    run_elementwise(device, kAffine, affine_text, {column(none)}, 0, nullptr, report);
    EXPECT_EQ(0u, report.chunks);

    const std::size_t n = 1000000;
    std::vector<double> x(n), out(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(static_cast<double>(i));
    for (const auto transfer : {ElementwiseOptions::Transfer::copy, ElementwiseOptions::Transfer::automatic}) {
      ElementwiseOptions options;
      options.transfer = transfer;
      options.chunk_size = 300000;
      RunReport big;
      run_elementwise(device, kAffine, affine_text, {column(x), column(x), column(one), column(flag)}, n, out.data(),
                      big, {}, options);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i] * x[i] + 1.0, out[i]);
      EXPECT_EQ(1, big.built + big.cache_hits);
      EXPECT_GT(big.compute, 0.0);
    }
  }
}

TEST_F(Elementwise, is_cheap_when_warm_and_reads_no_file) {
  const std::vector<double> one{1.5};
  const std::vector<int> flag{1};
  for (const DeviceInfo& device : working_devices()) {
    double out = 0.0;
    int asked = 0;
    const auto call = [&] {
      RunReport report;
      run_elementwise(
          device, kAffine,
          [&] {
            ++asked;
            return affine_text();
          },
          {column(one), column(one), column(one), column(flag)}, 1, &out, report);
      return report;
    };
    call();
    const int asked_cold = asked;
    std::vector<double> seconds;
    for (int i = 0; i < 200; ++i) {
      const RunReport report = call();
      EXPECT_EQ(0, report.built);
      seconds.push_back(report.total);
    }
    std::nth_element(seconds.begin(), seconds.begin() + 100, seconds.end());
    EXPECT_EQ(asked_cold, asked);
    EXPECT_EQ(1.5 * 1.5 + 1.5, out);
    // Milliseconds on a simulator; anywhere else far less than this, even on a busy machine.
    if (!has(device.platform_name, "Oclgrind")) {
      EXPECT_LT(seconds[100], 3e-3);
    }
    RecordProperty("warm_microseconds_" + std::to_string(device.index), static_cast<int>(seconds[100] * 1e6));
    printf("warm call of one element on %s: %.0f microseconds (median of 200)\n", device.name.c_str(),
           seconds[100] * 1e6);
  }
}

TEST_F(Elementwise, rejects_what_does_not_fit) {
  const DeviceInfo device = working_devices().front();
  const std::vector<double> one{1.0}, none;
  const std::vector<int> flag{1};
  double out = 0.0;
  RunReport report;
  const auto attempt = [&](const KernelSpec& spec, const ProgramText& text, const std::vector<Column>& columns) {
    return error_of([&] { run_elementwise(device, spec, text, columns, 1, &out, report); });
  };
  const Column x = column(one), f = column(flag);
  EXPECT_TRUE(has(attempt(kAffine, affine_text, {x, x, f}), "takes 4 columns"));
  EXPECT_TRUE(has(attempt(kAffine, affine_text, {x, x, x, x}), "column 4 of function 'affine' must hold integers"));
  EXPECT_TRUE(has(attempt(kAffine, affine_text, {x, column(none), x, f}), "column 2 of function 'affine' has no"));
  const KernelSpec misnamed{"affine", "no_kernel", "test/affine_kernel.cl", 3, 1, ""};
  EXPECT_TRUE(has(attempt(misnamed, affine_text, {x, x, x, f}), "no kernel 'no_kernel'"));
  const KernelSpec plain{"plain", "tested_kernel", "test/tested_kernel.cl", 1, 0, ""};
  EXPECT_TRUE(has(attempt(plain,
                          [] {
                            return std::string(
                                "__kernel void tested_kernel(__global const double* x, __global double* "
                                "out, const int len) { *out = *x; }");
                          },
                          {x}),
                  "takes 3 arguments, but 5 are given"));
  const KernelSpec broken{"broken", "broken", "test/broken.cl", 1, 0, ""};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(
        has(attempt(broken, [] { return std::string("nonsense"); }, {x}), "building the OpenCL program failed"));
}

TEST_F(Elementwise, interrupt_stops_between_chunks_and_the_next_call_works) {
  const std::vector<double> one{1.0};
  const std::vector<int> flag{1};
  for (const DeviceInfo& device : working_devices()) {
    for (const auto transfer : {ElementwiseOptions::Transfer::copy, ElementwiseOptions::Transfer::automatic}) {
      std::vector<double> out(1000, -1.0);
      ElementwiseOptions options;
      options.chunk_size = 100;
      options.transfer = transfer;
      int polls = 0;
      RunReport report;
      const auto call = [&](const InterruptCheck& check) {
        run_elementwise(device, kAffine, affine_text, {column(one), column(one), column(one), column(flag)}, 1000,
                        out.data(), report, {check, nullptr}, options);
      };
      // How often a chunk that is waited for is polled depends on the machine, and so does when its results are there.
      EXPECT_EQ("interrupted", error_of([&] { call([&] { return ++polls > 1000000 || out[299] == 2.0; }); }));
      EXPECT_GE(polls, 2);
      const std::ptrdiff_t done = std::find(out.begin(), out.end(), -1.0) - out.begin();
      EXPECT_GE(done, 300);
      EXPECT_LT(done, 1000);
      if (transfer == ElementwiseOptions::Transfer::copy) {
        EXPECT_EQ(0, done % 100);
      }
      EXPECT_EQ(-1.0, out[999]);
      call([] { return false; });
      EXPECT_EQ(2.0, out[999]);
    }
  }
}
