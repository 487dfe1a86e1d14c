// fused_cases -- what fused kernels must do on any device.
#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "base/nmath_error.h"
#include "engine/fused_kernels.h"
#include "sanitizers.h"

namespace fused_cases {

// ---- data ----

template <typename T>
FusedColumn column(const std::vector<T>& data) {
  return {{data.data(), data.size(), std::is_same<T, double>::value ? Column::Type::f64 : Column::Type::i32}, nullptr};
}

// A vector on a device, and the column that it is.
struct OnDevice {
  Buffer buffer;
  FusedColumn column;
};

template <typename T>
OnDevice resident(const SharedDevice& device, const std::vector<T>& data) {
  OnDevice made;
  made.column = fused_cases::column(data);
  made.buffer =
      device->allocate(made.column.column.type == Column::Type::f64 ? ElementType::f64 : ElementType::i32, data.size());
  const std::unique_ptr<Queue> queue = device->queue();
  queue->write(made.buffer, 0, data.data(), data.size() * sizeof(T));
  queue->finish();
  made.column.column.data = nullptr;
  return made;
}

template <typename T>
std::vector<T> brought(const SharedDevice& device, const Buffer& buffer) {
  std::vector<T> data(buffer.elements());
  const std::unique_ptr<Queue> queue = device->queue();
  queue->read(buffer, 0, data.data(), data.size() * sizeof(T));
  queue->finish();
  return data;
}

inline std::vector<ChunkOptions> all_options() {
  std::vector<ChunkOptions> all(6);
  all[1].chunk_size = 1000;
  all[2].chunk_size = 4096;
  all[2].workers = 3;
  all[3].transfer = ChunkOptions::Transfer::copy;
  all[3].chunk_size = 1 << 14;
  all[4].transfer = ChunkOptions::Transfer::copy;
  all[4].workers = 2;
  all[5].memory_budget = 100000;
  return all;
}

// ---- tests ----

// Longer than all chunks.
constexpr std::size_t kElements = kSanitizer ? 20011 : 200003;

inline void elements_come_out_right(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(pair());
  for (const std::size_t n : {std::size_t{1}, std::size_t{777}, kElements}) {
    std::vector<double> x(n), r{0.5, 0.25, 100.0};
    std::vector<int> w(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i)), w[i] = static_cast<int>(i % 5) - 2;
    for (const bool missing : {false, true, false}) {
      if (missing) w[n / 2] = INT_MIN;
      const OnDevice there = resident(device, x);
      for (const ChunkOptions& options : all_options()) {
        for (const int stays : {0, 1, 2, 3}) {  // of arguments, of results
          std::vector<double> y(n, -1.0);
          std::vector<int> above(n, -1);
          FusedCall call;
          call.n = n;
          call.columns = {column(x), column(w), column(r)};
          if (stays & 1) {
            call.columns[0] = there.column;
            call.columns[0].resident = &there.buffer;
          }
          call.scalars = {0.25, 2.0, 3.0};
          call.values = {y.data(), above.data()};
          Buffer kept_y, kept_above;
          if (stays & 2) {
            kept_y = device->allocate(ElementType::f64, n);
            kept_above = device->allocate(ElementType::i32, n);
            call.values = {nullptr, nullptr};
            call.resident_out = {&kept_y, &kept_above};
          }
          std::vector<std::atomic<int>> seen(n);
          CallHooks hooks;
          hooks.finished = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ++seen[i];
          };
          RunReport report;
          const std::vector<int> flags = run_fused(device, kernel, call, report, hooks, options);
          if (stays & 2) {
            y = brought<double>(device, kept_y);
            above = brought<int>(device, kept_above);
          }
          EXPECT_EQ((std::vector<int>{0, missing ? 4 : 0}), flags);
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(1, seen[i]) << i;
            const double z = (x[i] - 0.25) * 0.5;
            const double want = w[i] * (-std::log(2.0) - 0.91893853320467274178 - 0.5 * z * z) + r[i % 3];
            ASSERT_EQ(z > 0.0, above[i] == 1) << i;
            if (w[i] == INT_MIN)
              ASSERT_TRUE(std::isnan(y[i]));
            else
              ASSERT_NEAR(want, y[i], 1e-13) << "element " << i << " of " << n;
          }
        }
      }
      if (missing) w[n / 2] = 1;
    }
  }
}

inline void matrices_travel_by_rows(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(times());
  const std::size_t n = 70001, m = 4;
  std::vector<double> x(n * m), b{1.0, -2.0, 0.5, 3.0};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 1013);
  const OnDevice there = resident(device, x);
  for (const ChunkOptions& options : all_options()) {
    for (const bool stays : {false, true}) {
      std::vector<double> y(n);
      FusedCall call;
      call.n = n;
      call.columns = {column(x), column(b)};
      if (stays) {
        call.columns[0] = there.column;
        call.columns[0].resident = &there.buffer;
      }
      call.scalars = {4.0};
      call.values = {y.data()};
      RunReport report;
      run_fused(device, kernel, call, report, {}, options);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(x[i] - 2.0 * x[i + n] + 0.5 * x[i + 2 * n] + 3.0 * x[i + 3 * n], y[i]) << i;
    }
  }
}

// Chunks, devices' own memory and host memory give the same bits, and what lies behind the values stays as it is.
inline void results_of_blocks_are_joined(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(wide_sums());
  for (const std::size_t n : {std::size_t{1}, std::size_t{1024}, kElements / 2}) {
    for (const std::size_t columns : {std::size_t{1}, std::size_t{3}, std::size_t{70}}) {
      std::vector<double> x(n * columns), known;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
      const OnDevice there = resident(device, x);
      for (const ChunkOptions& options : all_options()) {
        for (const bool stays : {false, true}) {
          FusedCall call;
          call.n = n;
          call.columns = {stays ? there.column : column(x)};
          if (stays) call.columns[0].resident = &there.buffer;
          call.scalars = {static_cast<double>(columns)};
          EXPECT_EQ(1u, fused_results(kernel.spec(), call, 0));
          EXPECT_EQ(2 * columns, fused_width(kernel.spec(), call, 0));
          std::vector<double> sums(2 * columns + 1, -1.0);
          call.values = {sums.data()};
          RunReport report;
          run_fused(device, kernel, call, report, {}, options);
          EXPECT_EQ(-1.0, sums.back());
          sums.resize(columns);
          if (known.empty()) known = sums;
          EXPECT_EQ(known, sums);
        }
      }
      for (std::size_t c = 0; c < columns; ++c) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += x[c * n + i];
        EXPECT_NEAR(sum, known[c], 1e-9);
      }
    }
  }
}

inline void sums_have_the_same_bits_whatever_the_chunks(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(sum());
  for (const std::size_t n : {std::size_t{1}, std::size_t{1024}, std::size_t{300007}}) {
    std::vector<double> x(n);
    std::vector<int> w(n);
    double total = 0.0;
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < n; ++i) {
      total += x[i] = std::sin(static_cast<double>(i)) * 1e6;
      counted += w[i] = INT_MAX - static_cast<int>(i);
    }
    const OnDevice there = resident(device, x);
    std::vector<double> known;
    for (const ChunkOptions& options : all_options()) {
      for (const bool stays : {false, true}) {
        FusedCall call;
        call.n = n;
        call.columns = {column(x), column(w)};
        if (stays) {
          call.columns[0] = there.column;
          call.columns[0].resident = &there.buffer;
        }
        call.values.resize(2);
        const std::size_t blocks = fused_results(kernel.spec(), call, 0);
        EXPECT_EQ((n + 1023) / 1024, blocks);
        std::vector<double> sums(blocks, -1.0);
        std::vector<std::int64_t> counts(blocks, -1);
        call.values = {sums.data(), counts.data()};
        RunReport report;
        run_fused(device, kernel, call, report, {}, options);
        if (known.empty()) known = sums;
        EXPECT_EQ(known, sums);
        double got = 0.0;
        std::int64_t got_count = 0;
        for (std::size_t b = 0; b < blocks; ++b) got += sums[b], got_count += counts[b];
        EXPECT_NEAR(total, got, 1e-9 * static_cast<double>(n));
        EXPECT_EQ(counted, got_count);
      }
    }
  }
}

inline void groups_are_summed(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel gathered(groups(false)), ordered(groups(true));
  const std::size_t n = 150001, levels = 37;
  std::vector<double> x(n);
  std::vector<int> w(n), codes(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::cos(static_cast<double>(i));
    w[i] = static_cast<int>(i % 11);
    const int level = static_cast<int>(i * i % 40);
    codes[i] = level == 0 ? INT_MIN : level < 3 ? 5 : level;  // group 5 is long, others are empty
  }
  const OnDevice there = resident(device, x);
  for (const std::size_t block : {std::size_t{256}, std::size_t{4096}}) {
    const Grouping grouping(codes.data(), n, levels, block);
    std::vector<double> want(levels);
    std::vector<std::int64_t> want_counts(levels);
    for (std::size_t i = 0; i < n; ++i)
      if (codes[i] >= 1 && codes[i] <= static_cast<int>(levels))
        want[codes[i] - 1] += x[i], want_counts[codes[i] - 1] += w[i];
    std::vector<double> known;
    for (const ChunkOptions& options : all_options()) {
      for (const int form : {0, 1, 2}) {  // gathered, in its own order, the same with a resident column
        FusedCall call;
        call.n = n;
        call.grouping = &grouping;
        call.columns = {column(x), column(w)};
        if (form == 2) {
          call.columns[0] = there.column;
          call.columns[0].resident = &there.buffer;
        }
        std::vector<double> sums(grouping.blocks(), -1.0);
        std::vector<std::int64_t> counts(grouping.blocks(), -1);
        call.values = {sums.data(), counts.data()};
        RunReport report;
        run_fused(device, form == 0 ? gathered : ordered, call, report, {}, options);
        if (known.empty()) known = sums;
        EXPECT_EQ(known, sums);
        std::vector<double> got(levels);
        std::vector<std::int64_t> got_counts(levels);
        for (std::size_t b = 0; b < grouping.blocks(); ++b) {
          got[grouping.group()[b] - 1] += sums[b];
          got_counts[grouping.group()[b] - 1] += counts[b];
        }
        EXPECT_EQ(want_counts, got_counts);
        for (std::size_t g = 0; g < levels; ++g) EXPECT_NEAR(want[g], got[g], 1e-10);
      }
    }
  }
}

inline void ends_within_a_second(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(slow());
  std::vector<double> y(20000);
  FusedCall call;
  call.n = y.size();
  call.values = {y.data()};
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  RunReport report;
  kernel.on_device(device, report);
  const Clock::time_point began = Clock::now();
  Clock::time_point asked;
  bool stop = false;
  CallHooks hooks;
  hooks.interrupted = [&] {
    if (!stop && seconds(began) > 0.1) stop = true, asked = Clock::now();
    return stop;
  };
  EXPECT_THROW(run_fused(device, kernel, call, report, hooks), Interrupted);
  ASSERT_TRUE(stop);
  EXPECT_LT(seconds(began), 1.5);
  EXPECT_LT(seconds(asked), 1.0);
}

inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

inline void says_what_does_not_fit(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(sum());
  const std::vector<double> x{1.0, 2.0}, none;
  const std::vector<int> w{1, 2};
  double value = 0.0;
  std::int64_t counted = 0;
  RunReport report;
  FusedCall call;
  call.n = 2;
  call.columns = {column(x), column(w)};
  call.values = {&value, &counted};
  const auto error = [&] { return error_of([&] { run_fused(device, kernel, call, report); }); };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ("no error", error());
  EXPECT_EQ(3.0, value);
  call.columns.pop_back();
  EXPECT_TRUE(has(error(), "takes 2 columns, but 1 are given"));
  call.columns = {column(none), column(w)};
  EXPECT_TRUE(has(error(), "column 1 has no elements"));
  call.columns = {column(x), {{w.data(), 1, Column::Type::i32}, nullptr}};
  EXPECT_TRUE(has(error(), "column 2 has 1 elements for 2"));
  call.columns = {column(x), column(w)};
  call.values[0] = nullptr;
  EXPECT_TRUE(has(error(), "nowhere to go"));
  const Grouping grouping(w.data(), 2, 2, 16);
  call.values[0] = &value;
  const OnDevice there = resident(device, x);
  call.columns[0] = there.column;
  call.columns[0].resident = &there.buffer;
  call.grouping = &grouping;
  EXPECT_TRUE(has(error(), "must take the order"));
  FusedSpec wrong = sum();
  wrong.items.push_back({Kind::f64, 0});
  EXPECT_TRUE(has(error_of([&] { FusedKernel made(wrong); }), "but there are"));
}

}  // namespace fused_cases
