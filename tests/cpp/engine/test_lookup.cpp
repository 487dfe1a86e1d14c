// test_lookup -- values from a table are bit for bit those that are computed element by element, and where a table is
// of no use there is none.
#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/nmath_error.h"
#include "engine/lookup.h"
#include "engine/shared_calls.h"
#include "host/host_kind.h"
#include "host_test.h"

using namespace openclPort;
using logging_device::counts;

namespace {

template <typename T>
Column column(const std::vector<T>& data) {
  return {data.data(), data.size(), std::is_same<T, double>::value ? Column::Type::f64 : Column::Type::i32};
}

// Around the ends, the middle and the tolerances of functions with values at 0 ... top.
std::vector<double> quantiles(double top, std::size_t n) {
  const double inf = HUGE_VAL;
  std::vector<double> some{std::nan(""), inf, -inf, -1e300, 1e300, -2, -1 - 1e-8, -1, -0.5, -1e-6, -1e-8, -1e-300};
  for (const double k : {0.0, 1.0, std::floor(0.5 * top), top - 1, top, top + 1, top + 2})
    for (const double by : {-0.5, -1e-6, -1.1e-7, -1e-7, -0.9e-7, -1e-12, 0.0, 1e-12, 0.9e-7, 1e-7, 1.1e-7, 1e-6, 0.5})
      some.push_back(k + by);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = some[i % some.size()];
  return x;
}

struct Case {
  const char* name;
  std::vector<double> sizes;
  double top;
};

const std::vector<Case> kCases = {
    {"pwilcox", {4, 7.2}, 28}, {"dwilcox", {1, 3}, 3}, {"psignrank", {8.7}, 45}, {"dsignrank", {1}, 1}};

std::vector<std::vector<int>> flags_of(const KernelSpec& spec) {
  if (spec.n_flags == 1) return {{0}, {1}};
  return {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
}

// Sizes as they are, or as long as x, which no table is for.
std::vector<Column> columns_for(const std::vector<double>& x, const std::vector<std::vector<double>>& sizes,
                                const std::vector<int>& flags) {
  std::vector<Column> columns{column(x)};
  for (const std::vector<double>& size : sizes) columns.push_back(column(size));
  for (const int& flag : flags) columns.push_back({&flag, 1, Column::Type::i32});
  return columns;
}

std::vector<std::vector<double>> repeated(const std::vector<double>& sizes, std::size_t n) {
  std::vector<std::vector<double>> all;
  for (const double size : sizes) all.emplace_back(n, size);
  return all;
}

void expect_same_bits(const std::vector<double>& want, const std::vector<double>& got, const std::string& what) {
  ASSERT_EQ(want.size(), got.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(std::memcmp(&want[i], &got[i], sizeof(double)) == 0 || (std::isnan(want[i]) && std::isnan(got[i])))
        << what << ", element " << i << ": " << want[i] << " and " << got[i];
}

// A function of x and one size whose elements are counted: x, or NaN at `nowhere`.
std::atomic<std::size_t> computed{0};
std::atomic<double> nowhere{-10}, seconds{0};
void count_and_wait(const nmath_host_argument* a, int begin, int end) {
  const double* const x = static_cast<const double*>(a[0].memory);
  double* const out = static_cast<double*>(a[2].memory);
  for (int i = begin; i < end; ++i) {
    ++computed;
    if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const double k = a[4].i32 == 1 ? 0.0 : std::floor(x[i] + 1e-7);
    out[i] = k == nowhere ? std::nan("") : k < 0 ? -1 : k;
  }
}

KernelSpec counted() {
  static const nmath_host_row row = {"test/counted.cl", "counted", 8, count_and_wait};
  add_host_kernel(&row);
  return {"counted",
          "counted",
          "test/counted.cl",
          2,
          0,
          "none",
          KernelKind::values,
          Cost::heavy,
          {Lookup::Rule::below, Lookup::Top::ranks}};
}

class Lookups : public fused_cases::Shares {
 protected:
  RunReport run(const std::vector<SharedDevice>& devices, const KernelSpec& spec, const std::vector<Column>& columns,
                std::vector<double>& out, const CallHooks& hooks = {}) {
    RunReport report;
    run_elementwise(devices, spec, columns, out.size(), out.data(), report, hooks);
    return report;
  }
  // Elements that the function itself computed of n, x being 0, ..., numbers - 1 again and again.
  std::size_t computed_of(std::size_t n, std::size_t numbers, double size, std::size_t device = 0) {
    const KernelSpec spec = counted();
    std::vector<double> x(n), got(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % numbers);
    const std::vector<double> sizes{size};
    computed = 0;
    run({devices_[device]}, spec, {column(x), column(sizes)}, got);
    EXPECT_EQ(x, got);
    return computed;
  }
  void TearDown() override {
    nowhere = -10;
    seconds = 0;
    Shares::TearDown();
  }
};

}  // namespace

TEST_F(Lookups, are_what_is_computed_element_by_element) {
  for (const Case& one : kCases) {
    const KernelSpec& spec = find_kernel_spec(one.name);
    const std::size_t n = 40000;
    const std::vector<double> x = quantiles(one.top, n);
    for (const std::vector<int>& flags : flags_of(spec)) {
      std::vector<double> want(n), got(n), apart(n), shared(n);
      const std::vector<std::vector<double>> scalars = repeated(one.sizes, 1), vectors = repeated(one.sizes, n);
      run({devices_[0]}, spec, columns_for(x, vectors, flags), want);
      run({devices_[0]}, spec, columns_for(x, scalars, flags), got);
      expect_same_bits(want, got, std::string(one.name) + " on the host");
      run({devices_[1]}, spec, columns_for(x, scalars, flags), apart);
      expect_same_bits(want, apart, std::string(one.name) + " on a device of its own memory");
      run(devices_, spec, columns_for(x, scalars, flags), shared);
      expect_same_bits(want, shared, std::string(one.name) + " on both");
    }
  }
}

TEST_F(Lookups, take_integers_and_missing_ones) {
  const std::size_t n = 30000;
  std::vector<int> x(n);
  std::vector<double> wide(n), want(n), got(n), apart(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 5 == 3 ? INT_MIN : static_cast<int>(i % 60) - 10;
  for (std::size_t i = 0; i < n; ++i) wide[i] = widened(x[i]);
  const std::vector<double> size{9}, sizes(n, 9.0);
  const std::vector<int> lower{1}, log{0};
  const KernelSpec& spec = find_kernel_spec("psignrank");
  run({devices_[0]}, spec, {column(wide), column(sizes), column(lower), column(log)}, want);
  run({devices_[0]}, spec, {column(x), column(size), column(lower), column(log)}, got);
  run({devices_[1]}, spec, {column(x), column(size), column(lower), column(log)}, apart);
  expect_same_bits(want, got, "host");
  expect_same_bits(want, apart, "a device of its own memory");
}

TEST_F(Lookups, compute_each_number_once_where_that_is_less) {
  EXPECT_EQ(11u, computed_of(1000, 10, 20));         // and -1
  EXPECT_EQ(255u, computed_of(255, 10, 20));         // few elements
  EXPECT_EQ(1000u, computed_of(1000, 600, 40));      // many numbers
  EXPECT_EQ(11u, computed_of(100000, 10, 511));      // 130819 places
  EXPECT_EQ(100000u, computed_of(100000, 10, 512));  // 131331
  EXPECT_EQ(1000u, computed_of(1000, 10, 200));      // too many places for so few elements
  EXPECT_EQ(16383u, computed_of(16383, 10, 20, 1));  // of a device with memory of its own
  EXPECT_EQ(11u, computed_of(16384, 10, 20, 1));
}

TEST_F(Lookups, leave_to_the_function_sizes_and_numbers_without_a_value) {
  const KernelSpec spec = counted();
  const std::size_t n = 5000;
  std::vector<double> x(n), got(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 10);
  for (const double size : {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, 0.4, -3.0, 1e9}) {
    const std::vector<double> sizes{size};
    computed = 0;
    run({devices_[0]}, spec, {column(x), column(sizes)}, got);
    EXPECT_EQ(n, computed) << size;
    EXPECT_EQ(x, got);
  }
  nowhere = 4;
  const std::vector<double> sizes{20};
  computed = 0;
  run({devices_[0]}, spec, {column(x), column(sizes)}, got);
  EXPECT_EQ(n + 11, computed);
  for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(x[i] == 4 ? std::isnan(got[i]) : got[i] == x[i]) << i;
}

TEST_F(Lookups, stop_while_the_table_is_computed) {
  seconds = 2e-3;
  const KernelSpec spec = counted();
  const std::size_t n = 100000;
  std::vector<double> x(n), got(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 20000);
  const std::vector<double> sizes{200};
  for (const std::size_t device : {0u, 1u}) {
    CallHooks hooks;
    hooks.interrupted = [] { return computed > 50; };
    computed = 0;
    EXPECT_THROW(run({devices_[device]}, spec, {column(x), column(sizes)}, got, hooks), Interrupted);
    EXPECT_LT(computed, 2000u) << device;
  }
}

TEST_F(Lookups, of_a_warm_call_build_nothing_and_tell_what_ran) {
  const KernelSpec& spec = find_kernel_spec("dwilcox");
  const std::size_t n = 20000;
  const std::vector<double> x = quantiles(25, n), size{5};
  const std::vector<int> log{0};
  std::vector<double> got(n);
  const std::vector<Column> columns{column(x), column(size), column(size), column(log)};
  run({devices_[1]}, spec, columns, got);
  std::size_t finished = 0;
  CallHooks hooks;
  hooks.finished = [&finished](std::size_t begin, std::size_t end) { finished += end - begin; };
  counts().clear();
  const RunReport report = run({devices_[1]}, spec, columns, got, hooks);
  EXPECT_EQ(0, report.built);
  EXPECT_EQ(n, report.elements);
  EXPECT_EQ(n, finished);
  EXPECT_EQ("dwilcox", report.function);
  EXPECT_EQ("a device that counts", report.device);
  EXPECT_EQ(report.chunks, counts().launches);
}

TEST_F(Lookups, stay_where_they_are_computed) {
  const KernelSpec& spec = find_kernel_spec("pwilcox");
  const std::size_t n = 50000;
  const std::vector<double> x = quantiles(30, n), m{5}, size{6};
  const std::vector<double> ms(n, 5.0), sizes(n, 6.0);
  const std::vector<int> lower{0}, log{1};
  std::vector<double> want(n), got(n);
  run({devices_[0]}, spec, {column(x), column(ms), column(sizes), column(lower), column(log)}, want);
  for (const std::size_t cut : {n, std::size_t{20000}}) {
    std::vector<ElementwisePart> parts;
    std::vector<Buffer> out;
    for (std::size_t first = 0; first < n; first += cut) {
      const std::size_t count = std::min(cut, n - first);
      const std::vector<Column> columns = {
          {x.data() + first, count, Column::Type::f64}, column(m), column(size), column(lower), column(log)};
      if (count >= 16384) parts.push_back({devices_[1], {spec, columns, {}, {0, count, count}}});
    }
    for (const ElementwisePart& part : parts)
      out.push_back(devices_[1]->allocate(ElementType::f64, part.call.range.count));
    for (std::size_t p = 0; p < parts.size(); ++p) parts[p].call.resident_out = &out[p];
    ASSERT_TRUE(may_look_up(parts));
    RunReport report;
    ASSERT_TRUE(run_resident_lookup(parts, report, {}));
    const std::unique_ptr<Queue> queue = devices_[1]->queue();
    std::size_t first = 0;
    for (std::size_t p = 0; p < parts.size(); first += parts[p++].call.range.count)
      queue->read(out[p], 0, got.data() + first, out[p].bytes());
    queue->finish();
    got.resize(first);
    want.resize(first);
    expect_same_bits(want, got, std::to_string(parts.size()) + " parts");
  }
  const std::vector<Column> few = {
      {x.data(), 100, Column::Type::f64}, column(m), column(size), column(lower), column(log)};
  EXPECT_FALSE(may_look_up({{devices_[1], {spec, few, {}, {0, 100, 100}}}}));
}
