// test_shared_calls -- what the engines give where the host and a device that counts share a call.
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "glm_problem.h"
#include "host_test.h"
#include "shared_calls.h"

using namespace fused_cases;
using SharedCalls = Shares;

TEST_F(SharedCalls, elements_are_those_of_one_device) {
  const std::size_t n = 300007;
  std::vector<double> x(n), want(n), got(n, -1.0);
  std::vector<int> mean(n), log{0, 1, 1};
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = 1e-4 * static_cast<double>(i) - 5.0;
    mean[i] = i % 1000 == 7 ? INT_MIN : static_cast<int>(i % 3);
  }
  const std::vector<double> sd{0.5, 2.0, 1.0, 3.0, 0.7};
  const KernelSpec& spec = find_kernel_spec("dnorm");
  const std::vector<Column> columns{plain(x), plain(mean), plain(sd), plain(log)};
  RunReport report, own;
  run_on_host(spec, columns, n, want.data(), own);
  std::vector<std::atomic<int>> seen(n);
  CallHooks hooks;
  hooks.finished = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::fill(got.begin(), got.end(), -1.0);
    report = RunReport();
    run_elementwise(devices_, spec, columns, n, got.data(), report, hooks);
    expect_shared(report, n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(repeat + 1, seen[i]) << i;
      ASSERT_EQ(std::isnan(want[i]), std::isnan(got[i])) << i;
      ASSERT_TRUE(std::isnan(want[i]) || want[i] == got[i]) << i;
    }
  }
}

TEST_F(SharedCalls, draws_are_those_of_one_device_from_any_number_on) {
  const std::size_t n = 300007, first = 54321;
  const std::vector<double> mean{1.0, 2.0}, sd{0.5};
  const KernelSpec& spec = find_kernel_spec("rnorm");
  std::vector<double> all(n), shared(n), later(n - first), own_mean{2.0, 1.0};
  RunReport report;
  run_on_host(spec, {plain(mean), plain(sd)}, n, all.data(), report, {}, 7);
  report = RunReport();
  run_elementwise(devices_, spec, {plain(mean), plain(sd)}, n, shared.data(), report, {}, 7);
  EXPECT_EQ(all, shared);
  expect_shared(report, n);
  report = RunReport();
  // Parameters are recycled over the call's own draws: those from an odd number on begin with the other mean.
  run_elementwise(devices_, spec, {plain(own_mean), plain(sd)}, n - first, later.data(), report, {}, {7, first});
  EXPECT_EQ(std::vector<double>(all.begin() + first, all.end()), later);
  expect_shared(report, n - first);

  const std::vector<double> prob{1, 2, 3};
  const KernelSpec& cells = find_kernel_spec("rmultinom");
  std::vector<int> columns(3 * 60000), together(columns.size());
  run_multinomial("host", cells, {50, prob.data(), 3}, 60000, columns.data(), report, {}, 3);
  report = RunReport();
  run_multinomial(devices_, cells, {50, prob.data(), 3}, 59999, together.data() + 3, report, {}, {3, 1});
  run_multinomial("host", cells, {50, prob.data(), 3}, 1, together.data(), report, {}, 3);
  EXPECT_EQ(columns, together);
}

TEST_F(SharedCalls, sums_are_the_same_bits) {
  const std::size_t n = 300007;
  std::vector<double> x(n);
  std::vector<int> w(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i)), w[i] = static_cast<int>(i % 7);
  FusedKernel kernel(sum());
  FusedCall call;
  call.n = n;
  call.columns = {column(x), column(w)};
  const std::size_t blocks = (n + 1023) / 1024;
  std::vector<double> want(blocks), got(blocks, -1.0);
  std::vector<std::int64_t> want_counts(blocks), got_counts(blocks, -1);
  call.values = {want.data(), want_counts.data()};
  RunReport report;
  run_fused(devices_[0], kernel, call, report);
  call.values = {got.data(), got_counts.data()};
  report = RunReport();
  run_fused(devices_, kernel, call, report);
  EXPECT_EQ(want, got);
  EXPECT_EQ(want_counts, got_counts);
  expect_shared(report, n);

  // A vector that lies in parts.
  const std::vector<DeviceRange> ranges = resident_split(devices_, n);
  ASSERT_EQ(2u, ranges.size());
  EXPECT_EQ(0u, ranges[1].first % 1024);
  std::vector<OnDevice> there;
  std::vector<FusedPart> parts;
  for (const DeviceRange& range : ranges)
    there.push_back(
        resident(range.device, std::vector<double>(x.begin() + range.first, x.begin() + range.first + range.count)));
  for (std::size_t p = 0; p < 2; ++p) {
    parts.push_back({ranges[p].device, call});
    FusedCall& own = parts[p].call;
    own.range = {ranges[p].first, ranges[p].count};
    own.columns[0] = {{nullptr, n, Column::Type::f64}, &there[p].buffer, true};
  }
  std::fill(got.begin(), got.end(), -1.0);
  report = RunReport();
  run_fused(parts, kernel, report);
  EXPECT_EQ(want, got);
  expect_shared(report, n);
  parts[1].call.range.first += 1;
  EXPECT_THROW(run_fused(parts, kernel, report), NmathError);
}

TEST_F(SharedCalls, elements_stay_in_parts_and_flags_are_joined) {
  const std::size_t n = 100003;
  std::vector<double> x(n), r{0.5, 0.25, 100.0}, want(n);
  std::vector<int> w(n, 1), want_above(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
  FusedKernel kernel(pair());
  FusedCall call;
  call.n = n;
  call.columns = {column(x), column(w), column(r)};
  call.scalars = {0.25, 2.0, 3.0};
  call.values = {want.data(), want_above.data()};
  w[n - 1] = INT_MIN;  // the last device's flag
  RunReport report;
  const std::vector<int> flags = run_fused(devices_[0], kernel, call, report);
  const std::vector<DeviceRange> ranges = resident_split(devices_, n);
  std::vector<Buffer> y, above;
  std::vector<OnDevice> there;
  for (const DeviceRange& range : ranges) {
    y.push_back(range.device->allocate(ElementType::f64, range.count));
    above.push_back(range.device->allocate(ElementType::i32, range.count));
    there.push_back(
        resident(range.device, std::vector<double>(x.begin() + range.first, x.begin() + range.first + range.count)));
  }
  std::vector<FusedPart> parts;
  call.values = {nullptr, nullptr};
  for (std::size_t p = 0; p < ranges.size(); ++p) {
    parts.push_back({ranges[p].device, call});
    parts[p].call.range = {ranges[p].first, ranges[p].count};
    parts[p].call.resident_out = {&y[p], &above[p]};
    parts[p].call.columns[0] = {{nullptr, n, Column::Type::f64}, &there[p].buffer, true};
  }
  EXPECT_EQ(flags, run_fused(parts, kernel, report));
  for (std::size_t p = 0; p < ranges.size(); ++p) {
    const std::vector<double> own = brought<double>(ranges[p].device, y[p]);
    for (std::size_t i = 0; i + 1 < own.size(); ++i) ASSERT_EQ(want[ranges[p].first + i], own[i]) << i;
  }
}

TEST_F(SharedCalls, groups_are_summed) {
  const std::size_t n = 400009, levels = 37;
  std::vector<double> x(n);
  std::vector<int> w(n, 1), codes(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = std::cos(static_cast<double>(i)), codes[i] = static_cast<int>(i % levels) + 1;
  const Grouping grouping(codes.data(), n, levels, 512);
  for (const bool ordered : {false, true}) {
    FusedKernel kernel(groups(ordered));
    FusedCall call;
    call.n = n;
    call.grouping = &grouping;
    call.columns = {column(x), column(w)};
    std::vector<double> want(grouping.blocks()), got(grouping.blocks(), -1.0);
    std::vector<std::int64_t> counts(grouping.blocks());
    call.values = {want.data(), counts.data()};
    RunReport report;
    run_fused(devices_[0], kernel, call, report);
    call.values = {got.data(), counts.data()};
    report = RunReport();
    run_fused(devices_, kernel, call, report);
    EXPECT_EQ(want, got);
    expect_shared(report, grouping.blocks());
  }
}

TEST_F(SharedCalls, a_grid_of_coefficients) {
  const glm_test::GlmKernelSpec& spec = glm_test::glm_kernel_registry().front();
  const glm_test::Problem a = glm_test::random_problem(spec.kernel_name, 500, 4, 3001, true, 1);
  glm_test::Result got;
  const glm_test::GlmProblem problem = glm_test::problem_of(a, got);
  RunReport report;
  ex_glmbayes::opencl::run_f2_f3(devices_, spec, problem, report, {});
  glm_test::expect_same(got, glm_test::plain_result(spec, a), "two devices");
  expect_shared(report, 3001);
}
