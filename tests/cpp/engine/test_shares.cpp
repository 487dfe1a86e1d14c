// test_shares -- calls that the host and a device that counts share: what they give, who computes what, how they end.
#include "engine/shares.h"

#include <chrono>
#include <thread>

#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "fused_cases.h"
#include "glm_problem.h"
#include "host_test.h"
#include "logging/logging_device.h"

using namespace fused_cases;
using logging_device::counts;

namespace {

class Shares : public ::testing::Test {
 protected:
  void SetUp() override {
    add_device_kind(logging_device::kind());
    counts().clear();
    forget_speeds();
    devices_ = open_devices({"a device that counts", "host"});
  }
  void TearDown() override {
    devices_.clear();
    remove_device_kind(logging_device::kind());
    EXPECT_EQ(0u, counts().alive);
  }

  // Both had a part, and all parts together are the call.
  static void expect_shared(const RunReport& report, std::size_t n) {
    ASSERT_EQ(2u, report.shares.size());
    EXPECT_EQ("host + a device that counts", report.device);
    EXPECT_EQ("host + accelerator", report.device_type);
    EXPECT_GT(report.shares[0].elements, 0u);
    EXPECT_GT(report.shares[1].elements, 0u);
    EXPECT_EQ(n, report.shares[0].elements + report.shares[1].elements);
    EXPECT_EQ(n, report.elements);
  }

  std::vector<SharedDevice> devices_;  // the host is the first
};

Column plain(const std::vector<double>& data) { return {data.data(), data.size(), Column::Type::f64}; }
Column plain(const std::vector<int>& data) { return {data.data(), data.size(), Column::Type::i32}; }

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

TEST_F(Shares, devices_are_named_once_in_any_order) {
  EXPECT_EQ("host", devices_[0]->info().name);
  EXPECT_EQ("a device that counts", devices_[1]->info().name);
  EXPECT_THROW(select_devices({"host", "0", "host"}), NmathError);
  EXPECT_THROW(select_devices({}), NmathError);
  EXPECT_THROW(select_device("all"), NmathError);
  EXPECT_EQ("host", select_devices({"all"}).front().name);  // there is no GPU
  DeviceInfo& counting = logging_device::info();
  const std::string type = counting.type;
  counting.type = "gpu";
  EXPECT_EQ("a device that counts", select_devices({" ALL "}).front().name);
  counting.type = type;
}

TEST_F(Shares, elements_are_those_of_one_device) {
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

TEST_F(Shares, draws_are_those_of_one_device_from_any_number_on) {
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

TEST_F(Shares, sums_are_the_same_bits) {
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
  const std::vector<Share> shares = resident_shares(devices_, n);
  ASSERT_EQ(2u, shares.size());
  EXPECT_EQ(0u, shares[1].first % 1024);
  std::vector<OnDevice> there;
  std::vector<FusedPart> parts;
  for (const Share& share : shares)
    there.push_back(
        resident(share.device, std::vector<double>(x.begin() + share.first, x.begin() + share.first + share.count)));
  for (std::size_t p = 0; p < 2; ++p) {
    parts.push_back({shares[p].device, call});
    FusedCall& own = parts[p].call;
    own.range = {shares[p].first, shares[p].count};
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

TEST_F(Shares, elements_stay_in_parts_and_flags_are_joined) {
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
  const std::vector<Share> shares = resident_shares(devices_, n);
  std::vector<Buffer> y, above;
  std::vector<OnDevice> there;
  for (const Share& share : shares) {
    y.push_back(share.device->allocate(ElementType::f64, share.count));
    above.push_back(share.device->allocate(ElementType::i32, share.count));
    there.push_back(
        resident(share.device, std::vector<double>(x.begin() + share.first, x.begin() + share.first + share.count)));
  }
  std::vector<FusedPart> parts;
  call.values = {nullptr, nullptr};
  for (std::size_t p = 0; p < shares.size(); ++p) {
    parts.push_back({shares[p].device, call});
    parts[p].call.range = {shares[p].first, shares[p].count};
    parts[p].call.kept = {&y[p], &above[p]};
    parts[p].call.columns[0] = {{nullptr, n, Column::Type::f64}, &there[p].buffer, true};
  }
  EXPECT_EQ(flags, run_fused(parts, kernel, report));
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const std::vector<double> own = brought<double>(shares[p].device, y[p]);
    for (std::size_t i = 0; i + 1 < own.size(); ++i) ASSERT_EQ(want[shares[p].first + i], own[i]) << i;
  }
}

TEST_F(Shares, groups_are_summed) {
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

TEST_F(Shares, a_grid_of_coefficients) {
  const glm_test::GlmKernelSpec& spec = glm_test::glm_kernel_registry().front();
  const glm_test::Problem a = glm_test::random_problem(spec.kernel_name, 500, 4, 3001, true, 1);
  glm_test::Result got;
  const glm_test::GlmProblem problem = glm_test::problem_of(a, got);
  RunReport report;
  ex_glmbayes::opencl::run_f2_f3(devices_, spec, problem, report, {});
  glm_test::expect_same(got, glm_test::plain_result(spec, a), "two devices");
  expect_shared(report, 3001);
}

// Tasks that take a time for each element, as if the second device were `slower` times as slow as the host.
static ShareMaker sleeping(double slower) {
  return [slower](const Share& share, RunReport&) -> ShareTask {
    const bool host = share.device->info().name == "host";
    const double seconds = 2e-6 * static_cast<double>(share.count) * (host ? 1.0 : slower);
    return [seconds](RunReport&, const CallHooks&) { sleep_for(seconds); };
  };
}

TEST_F(Shares, follow_from_speed) {
  const DividedWork work = {"three times as slow", 40000, 1, 100};
  RunReport report;
  run_divided(devices_, work, sleeping(3.0), report, {});  // measures with some, and shares out the rest by that
  report = RunReport();
  run_divided(devices_, work, sleeping(3.0), report, {});
  expect_shared(report, work.n);
  const double ratio = static_cast<double>(report.shares[0].elements) / report.shares[1].elements;
  EXPECT_GT(ratio, 1.8);
  EXPECT_LT(ratio, 5.0);
}

TEST_F(Shares, of_what_is_short_or_slow_are_the_fastest_devices_alone) {
  std::vector<std::string> ran;
  const ShareMaker noting = [&](const Share& share, RunReport&) -> ShareTask {
    ran.push_back(share.device->info().name);
    return [](RunReport&, const CallHooks&) {};
  };
  RunReport report;
  run_divided(devices_, {"short", 99, 1, 100}, noting, report, {});
  EXPECT_EQ(1u, ran.size());
  EXPECT_TRUE(report.shares.empty());
  const DividedWork work = {"a thousand times as slow", 2000, 1, 100};
  for (int k = 0; k < 3; ++k) run_divided(devices_, work, sleeping(1000.0), report, {});
  ran.clear();
  run_divided(devices_, work, noting, report, {});
  EXPECT_EQ(std::vector<std::string>{"host"}, ran);
}

TEST_F(Shares, the_first_failure_stops_all_and_is_told) {
  std::atomic<bool> stopped{false};
  const ShareMaker failing = [&](const Share& share, RunReport&) -> ShareTask {
    if (share.device->info().name == "host")
      return [](RunReport&, const CallHooks&) {
        sleep_for(0.02);
        throw NmathError("the first one");
      };
    return [&](RunReport&, const CallHooks& hooks) {
      while (!hooks.interrupted()) sleep_for(0.001);
      stopped = true;
      throw NmathError("a later one");
    };
  };
  RunReport report;
  EXPECT_EQ(0u, error_of([&] { run_divided(devices_, {"fails", 1000, 1, 1}, failing, report, {}); }).find("the first"));
  EXPECT_TRUE(stopped);

  // No memory on one device: the other's share is given up, nothing is left behind.
  const std::size_t n = 1000000;
  std::vector<double> x(n, 0.5), y(n);
  const std::vector<double> one{1.0};
  const std::vector<int> log{0};
  counts().memory = 100;
  EXPECT_EQ(0u, error_of([&] {
                  run_elementwise(devices_, find_kernel_spec("dnorm"), {plain(x), plain(one), plain(one), plain(log)},
                                  n, y.data(), report);
                }).find("no memory left"));
}

TEST_F(Shares, an_interrupt_is_asked_for_on_the_callers_thread_and_stops_all) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> asked{0}, elsewhere{0}, stopped{0};
  const ShareMaker endless = [&](const Share&, RunReport&) -> ShareTask {
    return [&](RunReport&, const CallHooks& hooks) {
      while (!hooks.interrupted()) sleep_for(0.001);
      ++stopped;
      throw Interrupted();
    };
  };
  CallHooks hooks;
  hooks.interrupted = [&] {
    if (std::this_thread::get_id() != caller) ++elsewhere;
    return ++asked == 3;
  };
  RunReport report;
  Stopwatch watch;
  EXPECT_THROW(run_divided(devices_, {"endless", 1000, 1, 1}, endless, report, hooks), Interrupted);
  EXPECT_LT(watch.lap(), 1.0);
  EXPECT_EQ(2, stopped);
  EXPECT_EQ(0, elsewhere);
}

TEST_F(Shares, of_vectors_are_cut_alike_whatever_was_measured) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{10}, std::size_t{5000}, std::size_t{100000000}}) {
    const std::vector<Share> before = resident_shares(devices_, n);
    RunReport report;
    run_divided(devices_, {"anything", 2000, 1, 1}, sleeping(5.0), report, {});
    const std::vector<Share> after = resident_shares(devices_, n);
    ASSERT_EQ(before.size(), after.size());
    std::size_t all = 0;
    for (std::size_t k = 0; k < after.size(); ++k) {
      EXPECT_EQ(before[k].first, after[k].first);
      EXPECT_EQ(all, after[k].first);
      EXPECT_EQ(0u, after[k].first % reduction_block(n, Cost::cheap));
      all += after[k].count;
    }
    EXPECT_EQ(n, all);
  }
}
