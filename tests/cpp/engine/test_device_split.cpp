// test_device_split -- calls divided between the host and a device that counts: which elements each computes, and how
// calls end.
#include <chrono>
#include <thread>

#include "base/stopwatch.h"
#include "engine/elementwise.h"
#include "shared_calls.h"

using namespace fused_cases;
using logging_device::counts;

namespace {

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

// Tasks that take a time for each element, as if the second device were `slower` times as slow as the host.
static RangeTaskMaker sleeping(double slower) {
  return [slower](const DeviceRange& range, RunReport&) -> RangeTask {
    const bool host = range.device->info().name == "host";
    const double seconds = 2e-6 * static_cast<double>(range.count) * (host ? 1.0 : slower);
    return [seconds](RunReport&, const CallHooks&) { sleep_for(seconds); };
  };
}

TEST_F(Shares, follow_from_speed) {
  const DividedWork work = {"three times as slow", 40000, 1, 100};
  RunReport report;
  run_divided(devices_, work, sleeping(3.0), report, {});  // measures with some, and divides the rest accordingly
  report = RunReport();
  run_divided(devices_, work, sleeping(3.0), report, {});
  expect_shared(report, work.n);
  const double ratio = static_cast<double>(report.device_ranges[0].elements) / report.device_ranges[1].elements;
  EXPECT_GT(ratio, 1.8);
  EXPECT_LT(ratio, 5.0);
}

TEST_F(Shares, of_what_is_short_or_slow_are_the_fastest_devices_alone) {
  std::vector<std::string> ran;
  const RangeTaskMaker noting = [&](const DeviceRange& range, RunReport&) -> RangeTask {
    ran.push_back(range.device->info().name);
    return [](RunReport&, const CallHooks&) {};
  };
  RunReport report;
  run_divided(devices_, {"short", 99, 1, 100}, noting, report, {});
  EXPECT_EQ(1u, ran.size());
  EXPECT_TRUE(report.device_ranges.empty());
  const DividedWork work = {"a thousand times as slow", 2000, 1, 100};
  for (int k = 0; k < 3; ++k) run_divided(devices_, work, sleeping(1000.0), report, {});
  ran.clear();
  run_divided(devices_, work, noting, report, {});
  EXPECT_EQ(std::vector<std::string>{"host"}, ran);
}

TEST_F(Shares, the_first_failure_stops_all_and_is_told) {
  std::atomic<bool> stopped{false};
  const RangeTaskMaker failing = [&](const DeviceRange& range, RunReport&) -> RangeTask {
    if (range.device->info().name == "host")
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

  // No memory on one device: the other's range is given up, nothing is left behind.
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
  const RangeTaskMaker endless = [&](const DeviceRange&, RunReport&) -> RangeTask {
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
    const std::vector<DeviceRange> before = resident_split(devices_, n);
    RunReport report;
    run_divided(devices_, {"anything", 2000, 1, 1}, sleeping(5.0), report, {});
    const std::vector<DeviceRange> after = resident_split(devices_, n);
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
