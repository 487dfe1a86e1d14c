// device_split -- ranges of elements, and the threads of one call on several devices.
#include "engine/device_split.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "base/stopwatch.h"
#include "engine/chunk_plan.h"
#include "engine/device_speed.h"

namespace openclPort {

namespace {

constexpr double kShortSeconds = 300e-6;  // of a call: what threads for several devices may cost
constexpr double kLeastPart = 1.0 / 64;   // of a call: a device that would get less is left out
constexpr std::size_t kProbes = 8;        // the first of so many parts of a call shows how fast devices are

// Elements [first, end) by weight, cut at multiples; devices that get none are left out.
std::vector<DeviceRange> cut(const std::vector<SharedDevice>& devices, const std::vector<double>& weights,
                             std::size_t first, std::size_t end, std::size_t multiple) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<DeviceRange> ranges;
  double sum = 0;
  for (std::size_t k = 0, from = first; k < devices.size(); ++k) {
    sum += weights[k];
    const double place = static_cast<double>(first) + sum / all * static_cast<double>(end - first);
    const std::size_t cut_at = static_cast<std::size_t>(std::llround(place / static_cast<double>(multiple))) * multiple;
    const std::size_t to = k + 1 == devices.size() ? end : std::min(end, std::max(from, cut_at));
    if (to > from) ranges.push_back({devices[k], from, to - from});
    from = to;
  }
  return ranges;
}

// ---- running them ----

// The threads of a call: passes interrupts to them and the first failure to the caller.
class DeviceThreads {
 public:
  explicit DeviceThreads(const CallHooks& hooks) : hooks_(hooks) {
    own_.arrived = hooks.arrived;
    own_.finished = hooks.finished;
    own_.interrupted = [this] { return stopped_.load(); };
  }
  ~DeviceThreads() { join(); }

  void start(std::function<void(const CallHooks&)> work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++running_;
    }
    const auto body = [this, work = std::move(work)] {
      run(work, own_);
      const std::lock_guard<std::mutex> lock(mutex_);
      --running_;
      ended_.notify_all();
    };
    try {
      threads_.emplace_back(body);
    } catch (const std::exception&) {  // the system has no more threads: this one does it
      body();
    }
  }

  // Runs `work` on the caller's thread while the others work.
  void run_here(const std::function<void(const CallHooks&)>& work) {
    CallHooks asking;
    asking.arrived = hooks_.arrived;
    asking.finished = hooks_.finished;
    asking.interrupted = [this] { return stopped_ || (hooks_.interrupted && hooks_.interrupted()); };
    run(work, asking);
  }

  // Waits until all have ended, asking for interrupts meanwhile; then throws the first failure.
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (running_ > 0) {
      ended_.wait_for(lock, std::chrono::milliseconds(20));
      if (stopped_ || running_ == 0) continue;
      lock.unlock();
      if (hooks_.interrupted && hooks_.interrupted()) stop(std::make_exception_ptr(Interrupted()));
      lock.lock();
    }
    lock.unlock();
    join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(const std::function<void(const CallHooks&)>& work, const CallHooks& hooks) {
    try {
      work(hooks);
    } catch (...) {
      stop(std::current_exception());
    }
  }
  void stop(std::exception_ptr why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_) failure_ = std::move(why);
    stopped_ = true;
  }
  void join() {
    stopped_ = true;
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  const CallHooks& hooks_;
  CallHooks own_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;  // of the caller's thread
};

void add_report(RunReport& sum, const RunReport& own) {
  if (sum.function.empty()) sum.function = own.function;
  sum.chunks += own.chunks;
  sum.built += own.built;
  sum.cache_hits += own.cache_hits;
  sum.disk_hits += own.disk_hits;
  sum.threads += own.threads;
  sum.build += own.build;
  sum.transfer = std::max(sum.transfer, own.transfer);
  sum.compute = std::max(sum.compute, own.compute);
}

void add_range(RunReport& sum, const DeviceRange& range, double seconds) {
  const DeviceInfo& info = range.device->info();
  const auto known = std::find_if(
      sum.device_ranges.begin(), sum.device_ranges.end(),
      [&](const DeviceRangeReport& other) { return other.index == info.index && other.device == info.name; });
  const bool first = known == sum.device_ranges.end();
  DeviceRangeReport& entry = first ? (sum.device_ranges.push_back({}), sum.device_ranges.back()) : *known;
  entry.device = info.name;
  entry.index = info.index;
  entry.elements += range.count;
  entry.seconds += seconds;
  if (!first) return;
  sum.device += (sum.device.empty() ? "" : " + ") + info.name;
  const std::string arithmetic = info.arithmetic();
  if (sum.arithmetic.find(arithmetic) == std::string::npos)
    sum.arithmetic += (sum.arithmetic.empty() ? "" : " + ") + arithmetic;
  if (sum.device_type.find(info.type) == std::string::npos)
    sum.device_type += (sum.device_type.empty() ? "" : " + ") + info.type;
}

// Runs all ranges; returns the seconds that each took, without building.
std::vector<double> run_threads(const std::vector<DeviceRange>& ranges, const RangeTaskMaker& make, RunReport& report,
                                const CallHooks& hooks) {
  Stopwatch watch;
  std::vector<RunReport> reports(ranges.size());
  std::vector<double> seconds(ranges.size());
  std::vector<RangeTask> tasks;
  for (std::size_t k = 0; k < ranges.size(); ++k) tasks.push_back(make(ranges[k], reports[k]));
  {
    DeviceThreads threads(hooks);
    const auto task = [&](std::size_t k) {
      return [&, k](const CallHooks& own) {
        Stopwatch mine;
        tasks[k](reports[k], own);
        seconds[k] = mine.lap();
      };
    };
    for (std::size_t k = 1; k < ranges.size(); ++k) threads.start(task(k));
    threads.run_here(task(0));
    threads.wait();
  }
  if (report.device_ranges.empty()) {  // what was said of one device
    report.device.clear();
    report.device_type.clear();
    report.arithmetic.clear();
    report.elements = 0;
  }
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    report.elements += ranges[k].count;
    add_report(report, reports[k]);
    add_range(report, ranges[k], seconds[k]);
  }
  report.total += watch.lap();
  return seconds;
}

void run_measured(const std::vector<DeviceRange>& ranges, const DividedWork& work, const RangeTaskMaker& make,
                  RunReport& report, const CallHooks& hooks) {
  const std::vector<double> seconds = run_threads(ranges, make, report, hooks);
  for (std::size_t k = 0; k < ranges.size(); ++k)
    note_rate(work.name, ranges[k].device->info(), static_cast<double>(ranges[k].count), seconds[k]);
}

// Leaves out devices too slow to be of use, unless only a first call of theirs was measured.
void leave_out(std::vector<SharedDevice>& devices, DeviceRates& rates, const std::string& work) {
  const double all = std::accumulate(rates.of.begin(), rates.of.end(), 0.0);
  for (std::size_t k = devices.size(); k-- > 0;) {
    if (rates.of[k] >= kLeastPart * all) continue;
    if (!rates.settled[k]) {
      rates.of[k] = kLeastPart * all;
      continue;
    }
    trust_more(work, devices[k]->info());
    devices.erase(devices.begin() + static_cast<std::ptrdiff_t>(k));
    rates.of.erase(rates.of.begin() + static_cast<std::ptrdiff_t>(k));
    rates.settled.erase(rates.settled.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

void run_ranges(const std::vector<DeviceRange>& ranges, const RangeTaskMaker& make, RunReport& report,
                const CallHooks& hooks) {
  if (ranges.size() == 1)
    make(ranges.front(), report)(report, hooks);
  else if (!ranges.empty())
    run_threads(ranges, make, report, hooks);
}

std::size_t least_divided(Cost cost) {
  static constexpr std::size_t least[] = {std::size_t{1} << 17, std::size_t{1} << 13, 512, 32};
  return least[static_cast<int>(cost)];
}

void run_divided(const std::vector<SharedDevice>& all, const DividedWork& work, const RangeTaskMaker& make,
                 RunReport& report, const CallHooks& hooks) {
  if (all.size() == 1) return run_ranges({{all.front(), 0, work.n}}, make, report, hooks);
  std::vector<SharedDevice> devices = all;
  DeviceRates rates = rates_of(devices, work.name);
  const auto fastest = std::max_element(rates.of.begin(), rates.of.end());
  const bool brief = rates.measured && static_cast<double>(work.n) < kShortSeconds * *fastest;
  if (work.n < std::max(work.least, 2 * work.multiple) || brief) {
    const SharedDevice& one = devices[static_cast<std::size_t>(fastest - rates.of.begin())];
    return run_ranges({{one, 0, work.n}}, make, report, hooks);
  }
  std::size_t done = 0;
  const std::size_t probe = work.n / kProbes / work.multiple * work.multiple;
  if (!rates.measured && probe >= work.least) {
    run_measured(cut(devices, rates.of, 0, probe, work.multiple), work, make, report, hooks);
    done = probe;
    rates = rates_of(devices, work.name);
  }
  if (rates.measured) leave_out(devices, rates, work.name);
  run_measured(cut(devices, rates.of, done, work.n, work.multiple), work, make, report, hooks);
}

std::vector<DeviceRange> resident_split(const std::vector<SharedDevice>& devices, std::size_t n) {
  const std::vector<double> weights = guessed_rates(devices);
  const std::size_t block = reduction_block(n, Cost::cheap);
  if (n > block) return cut(devices, weights, 0, n, block);
  const auto fastest = std::max_element(weights.begin(), weights.end());
  return {{devices[static_cast<std::size_t>(fastest - weights.begin())], 0, n}};
}

}  // namespace openclPort
