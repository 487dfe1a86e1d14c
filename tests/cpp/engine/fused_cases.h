// fused_cases -- what fused kernels must do on any device: test kernels as OpenCL C and, for devices that build none,
// as functions of the host, and the tests that all devices share.
#ifndef NMATHOPENCL_FUSED_CASES_H
#define NMATHOPENCL_FUSED_CASES_H

#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <cmath>
#include <thread>

#include "base/nmath_error.h"
#include "device/devices.h"
#include "engine/fused.h"
#include "host/host_kind.h"

namespace fused_cases {

using namespace openclPort;
using Kind = FusedItem::Kind;
using Arguments = const nmath_host_argument*;

template <typename T>
const T* in(Arguments a, int i) {
  return static_cast<const T*>(a[i].memory);
}
template <typename T>
T* out(Arguments a, int i) {
  return static_cast<T*>(a[i].memory);
}

inline FusedSpec spec_of(const std::string& name, const std::string& text, nmath_host_kernel run,
                         std::vector<FusedItem> items) {
  static std::vector<std::unique_ptr<std::string>>* const names = new std::vector<std::unique_ptr<std::string>>;
  names->push_back(std::make_unique<std::string>(name));
  nmath_host_row* const row = new nmath_host_row{names->back()->c_str(), "k", static_cast<unsigned>(items.size()), run};
  static std::vector<const nmath_host_row*>* const rows = new std::vector<const nmath_host_row*>;
  rows->push_back(row);
  add_host_kernel(row);
  FusedSpec spec;
  spec.function = name;
  spec.program = {
      name,
      [text] {
        return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
               "#ifdef NMATH_SPANS\n"
               "#define EACH(i) const int span = (len + (int)get_global_size(0) - 1) / (int)get_global_size(0);\\\n"
               "  for (int i = (int)get_global_id(0) * span; i < min(len, ((int)get_global_id(0) + 1) * span); ++i)\n"
               "#else\n"
               "#define EACH(i) for (int i = get_global_id(0); i < len; i += get_global_size(0))\n"
               "#endif\n" +
               text;
      },
      ""};
  spec.kernel = "k";
  spec.items = std::move(items);
  return spec;
}

// ---- element by element: a log density, times an integer or NA, plus a recycled column; which are above the mean ----

inline void pair_host(Arguments a, int, int step) {
  const double *x = in<double>(a, 0), *r = in<double>(a, 4);
  const int* w = in<int>(a, 2);
  const double m = a[6].f64, lifted = -std::log(a[7].f64) - 0.91893853320467274178, inverse = 1.0 / a[7].f64;
  for (int start = 0; start < step; ++start) {
    for (int i = start; i < a[13].i32; i += step) {
      const double z = (x[i + a[1].i64] - m) * inverse;
      const int wi = w[i + a[3].i64];
      const double y = (wi == INT_MIN ? NAN : wi * (lifted - 0.5 * z * z)) + r[(a[12].i64 + i) % a[5].i32];
      out<double>(a, 8)[i + a[10].i64] = y;
      out<int>(a, 9)[i + a[10].i64] = z > 0.0;
      if (y != y) __atomic_fetch_or(out<int>(a, 11) + 1, 4, __ATOMIC_RELAXED);
    }
  }
}

inline FusedSpec pair() {
  FusedSpec spec =
      spec_of("test/fused_pair",
              "__kernel void k(__global const double* x, const long x_at, __global const int* w,\n"
              "    const long w_at, __global const double* r, const int rn, const double m, const double s,\n"
              "    __global double* y, __global int* above, const long at, __global int* flags,\n"
              "    const long first, const int len) {\n"
              "  const double lifted = -log(s) - 0.91893853320467274178, inverse = 1.0 / s;\n"
              "  EACH(i) {\n"
              "    const double z = (x[i + x_at] - m) * inverse;\n"
              "    const int wi = w[i + w_at];\n"
              "    const double v = (wi == INT_MIN ? NAN : wi * (lifted - 0.5 * z * z))\n"
              "        + r[(first + i) % rn];\n"
              "    y[i + at] = v;\n"
              "    above[i + at] = z > 0.0;\n"
              "    if (v != v) atomic_or(flags + 1, 4);\n"
              "  }\n"
              "}\n",
              pair_host,
              {{Kind::column, 0},
               {Kind::offset, 0},
               {Kind::column, 1},
               {Kind::offset, 1},
               {Kind::column, 2},
               {Kind::i32, 2},
               {Kind::f64, 0},
               {Kind::f64, 1},
               {Kind::output, 0},
               {Kind::output, 1},
               {Kind::out_offset, 0},
               {Kind::flags, 0},
               {Kind::first, 0},
               {Kind::len, 0}});
  spec.roles = {FusedRole::full, FusedRole::full, FusedRole::whole};
  spec.outputs = {ElementType::f64, ElementType::i32};
  spec.flags = 2;
  spec.scalars = 3;
  return spec;
}

// ---- a matrix times a vector ----

inline void times_host(Arguments a, int, int step) {
  const double *x = in<double>(a, 0), *b = in<double>(a, 3);
  for (int start = 0; start < step; ++start)
    for (int i = start; i < a[6].i32; i += step) {
      double sum = 0.0;
      for (int k = 0; k < a[4].i32; ++k) sum += x[i + a[1].i64 + k * a[2].i64] * b[k];
      out<double>(a, 5)[i] = sum;
    }
}

inline FusedSpec times() {
  FusedSpec spec = spec_of("test/fused_times",
                           "__kernel void k(__global const double* x, const long at, const long stride,\n"
                           "    __global const double* b, const int m, __global double* y, const int len) {\n"
                           "  EACH(i) {\n"
                           "    double sum = 0.0;\n"
                           "    for (int k = 0; k < m; ++k) sum += x[i + at + k * stride] * b[k];\n"
                           "    y[i] = sum;\n"
                           "  }\n"
                           "}\n",
                           times_host,
                           {{Kind::column, 0},
                            {Kind::offset, 0},
                            {Kind::stride, 0},
                            {Kind::column, 1},
                            {Kind::i32, 0},
                            {Kind::output, 0},
                            {Kind::len, 0}});
  spec.roles = {FusedRole::matrix, FusedRole::whole};
  spec.outputs = {ElementType::f64};
  spec.scalars = 1;
  return spec;
}

// ---- sums of blocks: of doubles, and of integers ----

inline constexpr const char* kGroupSum =
    "  double s = 0.0; long c = 0;\n"
    "  __local double sums[256]; __local long counts[256];\n"
    "  const int l = get_local_id(0), size = get_local_size(0);\n"
    "  for (long p = from + l; p < to; p += size) { const long i = AT(p); s += x[i + x_at]; c += w[i + w_at]; }\n"
    "  sums[l] = s; counts[l] = c;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int h = size / 2; h > 0; h /= 2) {\n"
    "    if (l < h) { sums[l] += sums[l + h]; counts[l] += counts[l + h]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (l == 0) { out[get_group_id(0)] = sums[0]; total[get_group_id(0)] = counts[0]; }\n"
    "}\n";

inline void sum_host(Arguments a, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    double s = 0.0;
    std::int64_t c = 0;
    const int from = b * a[6].i32, to = std::min(from + a[6].i32, a[7].i32);
    for (int i = from; i < to; ++i) {
      s += in<double>(a, 0)[i + a[1].i64];
      c += in<int>(a, 2)[i + a[3].i64];
    }
    out<double>(a, 4)[b] = s;
    out<std::int64_t>(a, 5)[b] = c;
  }
}

inline FusedSpec sum() {
  FusedSpec spec = spec_of("test/fused_sum",
                           std::string("#define AT(p) (p)\n"
                                       "__kernel void k(__global const double* x, const long x_at,\n"
                                       "    __global const int* w, const long w_at, __global double* out,\n"
                                       "    __global long* total, const int block, const int len) {\n"
                                       "  const long from = (long)get_group_id(0) * block;\n"
                                       "  const long to = min(from + block, (long)len);\n") +
                               kGroupSum,
                           sum_host,
                           {{Kind::column, 0},
                            {Kind::offset, 0},
                            {Kind::column, 1},
                            {Kind::offset, 1},
                            {Kind::output, 0},
                            {Kind::output, 1},
                            {Kind::block, 0},
                            {Kind::len, 0}});
  spec.roles = {FusedRole::full, FusedRole::full};
  spec.outputs = {ElementType::f64, ElementType::i64};
  spec.reduces = true;
  return spec;
}

template <bool ordered>
void groups_host(Arguments a, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    double s = 0.0;
    std::int64_t c = 0;
    const std::int64_t* const starts = in<std::int64_t>(a, 6) + a[7].i64 + b;
    for (std::int64_t p = starts[0]; p < starts[1]; ++p) {
      const std::int64_t i = ordered ? in<int>(a, 8)[p] : p;
      s += in<double>(a, 0)[i + a[1].i64];
      c += in<int>(a, 2)[i + a[3].i64];
    }
    out<double>(a, 4)[b] = s;
    out<std::int64_t>(a, 5)[b] = c;
  }
}

inline FusedSpec groups(bool ordered) {
  FusedSpec spec = sum();
  std::vector<FusedItem> items(spec.items.begin(), spec.items.end() - 2);
  items.push_back({Kind::starts, 0});
  items.push_back({Kind::first, 0});
  if (ordered) items.push_back({Kind::order, 0});
  FusedSpec own = spec_of(ordered ? "test/fused_ordered" : "test/fused_groups",
                          std::string("#define AT(p) ") + (ordered ? "order[p]" : "(p)") +
                              "\n__kernel void k(__global const double* x, const long x_at,\n"
                              "    __global const int* w, const long w_at, __global double* out,\n"
                              "    __global long* total, __global const long* starts, const long first" +
                              (ordered ? ", __global const int* order" : "") +
                              ") {\n"
                              "  const long from = starts[first + get_group_id(0)];\n"
                              "  const long to = starts[first + get_group_id(0) + 1];\n" +
                              kGroupSum,
                          ordered ? groups_host<true> : groups_host<false>, items);
  own.roles = spec.roles;
  own.outputs = spec.outputs;
  own.reduces = true;
  return own;
}

// ---- an element of about two milliseconds ----

inline void slow_host(Arguments a, int, int step) {
  for (int start = 0; start < step; ++start)
    for (int i = start; i < a[1].i32; i += step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      out<double>(a, 0)[i] = 1.0;
    }
}

inline FusedSpec slow() {
  FusedSpec spec = spec_of("test/fused_slow",
                           "__kernel void k(__global double* y, const int len) {\n"
                           "  EACH(i) {\n"
                           "    double v = i;\n"
                           "    for (int j = 0; j < 300000; ++j) v = sqrt(v + 1.0);\n"
                           "    y[i] = v;\n"
                           "  }\n"
                           "}\n",
                           slow_host, {{Kind::output, 0}, {Kind::len, 0}});
  spec.outputs = {ElementType::f64};
  spec.cost = Cost::slow;
  return spec;
}

// ---- data ----

template <typename T>
FusedColumn column(const std::vector<T>& data) {
  return {{data.data(), data.size(), std::is_same<T, double>::value ? Column::Type::f64 : Column::Type::i32}, nullptr};
}

// A vector on a device, and the column that it is.
struct Resident {
  Buffer buffer;
  FusedColumn column;
};

template <typename T>
Resident resident(const SharedDevice& device, const std::vector<T>& data) {
  Resident made;
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

inline std::vector<PieceOptions> all_options() {
  std::vector<PieceOptions> all(6);
  all[1].chunk = 1000;
  all[2].chunk = 4096;
  all[2].lanes = 3;
  all[3].transfer = PieceOptions::Transfer::copy;
  all[3].chunk = 1 << 14;
  all[4].transfer = PieceOptions::Transfer::copy;
  all[4].lanes = 2;
  all[5].memory_budget = 100000;
  return all;
}

// ---- tests ----

inline void elements_come_out_right(const DeviceInfo& info) {
  const SharedDevice device = open_device(info);
  FusedKernel kernel(pair());
  for (const std::size_t n : {std::size_t{1}, std::size_t{777}, std::size_t{200003}}) {
    std::vector<double> x(n), r{0.5, 0.25, 100.0};
    std::vector<int> w(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i)), w[i] = static_cast<int>(i % 5) - 2;
    for (const bool missing : {false, true, false}) {
      if (missing) w[n / 2] = INT_MIN;
      const Resident there = resident(device, x);
      for (const PieceOptions& options : all_options()) {
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
            call.kept = {&kept_y, &kept_above};
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
  const Resident there = resident(device, x);
  for (const PieceOptions& options : all_options()) {
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

inline void sums_have_the_same_bits_whatever_the_pieces(const DeviceInfo& info) {
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
    const Resident there = resident(device, x);
    std::vector<double> known;
    for (const PieceOptions& options : all_options()) {
      for (const bool stays : {false, true}) {
        FusedCall call;
        call.n = n;
        call.columns = {column(x), column(w)};
        if (stays) {
          call.columns[0] = there.column;
          call.columns[0].resident = &there.buffer;
        }
        call.values.resize(2);
        const std::size_t blocks = fused_results(kernel.spec(), call);
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
  const Resident there = resident(device, x);
  for (const std::size_t block : {std::size_t{256}, std::size_t{4096}}) {
    const Grouping grouping(codes.data(), n, levels, block);
    std::vector<double> want(levels);
    std::vector<std::int64_t> want_counts(levels);
    for (std::size_t i = 0; i < n; ++i)
      if (codes[i] >= 1 && codes[i] <= static_cast<int>(levels))
        want[codes[i] - 1] += x[i], want_counts[codes[i] - 1] += w[i];
    std::vector<double> known;
    for (const PieceOptions& options : all_options()) {
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
  const Resident there = resident(device, x);
  call.columns[0] = there.column;
  call.columns[0].resident = &there.buffer;
  call.grouping = &grouping;
  EXPECT_TRUE(has(error(), "must take the order"));
  FusedSpec wrong = sum();
  wrong.items.push_back({Kind::f64, 0});
  EXPECT_TRUE(has(error_of([&] { FusedKernel made(wrong); }), "of what there is not"));
}

}  // namespace fused_cases

#endif
