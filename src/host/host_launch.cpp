// host_launch -- runs of compiled kernels: work-items over threads, groups with barriers as fibres.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fibres.h"
#include "base/memory_limit.h"
#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "base/work_threads.h"
#include "host/host_program.h"

namespace openclPort {

namespace {

constexpr double kAloneSeconds = 1e-4;   // what ends sooner is not worth a second thread
constexpr double kBlockSeconds = 1e-3;   // of a block of work-items, after which stop() is seen
constexpr std::size_t kAlignment = 128;  // of local memory

std::size_t product(const std::size_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

void wait_for_group(void* fibres) { static_cast<Fibres*>(fibres)->wait(); }

// Bytes that private arrays of all threads may take: half of the memory that there is. So few are not compared with it:
// to ask the system takes longer than a short call.
constexpr std::uint64_t kFewBytes = std::uint64_t{1} << 24;

std::uint64_t private_limit() {
  const std::uint64_t here = memory_limit();
  return here > 0 ? here / 2 : std::uint64_t{4} << 30;
}

// Threads that may work at a time where each has arrays of so many bytes.
std::size_t most_workers(std::uint64_t bytes) {
  if (bytes <= kFewBytes / static_cast<std::uint64_t>(std::max(host_threads(), 1))) return SIZE_MAX;
  return static_cast<std::size_t>(std::max<std::uint64_t>(private_limit() / bytes, 1));
}

[[noreturn]] void refuse(const std::string& kernel, const std::string& what, const char* status) {
  throw NmathError("kernel '" + kernel + "': " + what, "clEnqueueNDRangeKernel", status, "", "host");
}

}  // namespace

// What one thread needs: local memory of its own, stacks for the work-items of a group.
class HostJob::Worker {
 public:
  explicit Worker(const HostJob& job) : job_(job), arguments_(job.arguments_) {
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      if (job.local_[k] == 0) continue;
      memory_.push_back(std::make_unique<char[]>(job.local_[k] + kAlignment));
      const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory_.back().get()) % kAlignment;
      arguments_[k].memory = memory_.back().get() + (kAlignment - beyond);
    }
    const std::size_t stack = Fibres::kStackBytes + static_cast<std::size_t>(job.private_bytes_);
    if (job.unit_items_ > 1 || (job.private_bytes_ > 0 && Fibres::supported()))
      fibres_ = std::make_unique<Fibres>(job.unit_items_, stack);
  }

  void run(std::size_t begin, std::size_t end) {
    const auto all = [&](std::size_t) { job_.kernel_.run(arguments_.data(), &job_.range_, begin, end); };
    if (job_.kernel_.item == nullptr) return fibres_ == nullptr ? all(0) : fibres_->run(1, all);
    for (std::size_t group = begin; group < end; ++group) run_group(group);
  }

 private:
  void run_group(std::size_t group) {
    const nmath_range& range = job_.range_;
    std::size_t first[3];
    for (int d = 0; d < 3; ++d) {
      const std::size_t groups = range.global[d] / range.group[d];
      first[d] = group % groups * range.group[d];
      group /= groups;
    }
    const auto item = [&](std::size_t number) {
      nmath_work_item one = {{first[0] + number % range.group[0], first[1] + number / range.group[0] % range.group[1],
                              first[2] + number / range.group[0] / range.group[1]},
                             &range,
                             job_.unit_items_ > 1 ? fibres_.get() : nullptr};
      job_.kernel_.item(arguments_.data(), &one);
    };
    if (fibres_ == nullptr)
      item(0);
    else
      fibres_->run(job_.unit_items_, item);
  }

  const HostJob& job_;
  std::vector<nmath_host_argument> arguments_;
  std::vector<std::unique_ptr<char[]>> memory_;
  std::unique_ptr<Fibres> fibres_;
};

HostJob::HostJob(std::shared_ptr<const CompiledProgram> program, const nmath_kernel& kernel,
                 std::vector<nmath_host_argument> arguments, std::vector<std::size_t> local, const nmath_range& range)
    : program_(std::move(program)),
      kernel_(kernel),
      arguments_(std::move(arguments)),
      local_(std::move(local)),
      range_(range),
      private_bytes_(program_->stack_bytes()) {
  range_.wait = wait_for_group;
  static_assert(sizeof stopped_ == 1 && std::atomic<bool>::is_always_lock_free, "kernels read it as a byte");
  range_.stopped = reinterpret_cast<const volatile unsigned char*>(&stopped_);
  unit_items_ = kernel.item == nullptr ? 1 : product(range_.group);
  units_ = product(range_.global) / unit_items_;
}

// Blocks grow until they take a while. What is over soon this thread does alone.
void HostJob::run_all() {
  BlockQueue queue(units_, 1);
  const std::size_t most = std::max<std::size_t>(units_ / (4 * static_cast<std::size_t>(host_threads())), 1);
  std::size_t known = 1;  // a good size of a block
  const auto work = [&](Worker& worker, double limit) {
    Stopwatch watch;
    double spent = 0;
    std::size_t block = known, begin, end;
    while (!stopped_ && spent < limit && queue.next(begin, end, block)) {
      worker.run(begin, end);
      const double seconds = watch.lap();
      spent += seconds;
      if (seconds < kBlockSeconds / 4) block = std::min(2 * block, most);
      if (seconds > kBlockSeconds) block = std::max<std::size_t>(block / 2, 1);
    }
    if (limit < 1) known = block;
    return queue.left() && !stopped_;
  };
  Worker own(*this);
  if (!work(own, kAloneSeconds)) return;
  const std::size_t threads =
      std::min({static_cast<std::size_t>(host_threads()), queue.left(), most_workers(unit_items_ * private_bytes_)});
  constexpr double kNoLimit = 1e300;
  run_workers(static_cast<int>(threads), queue, [&](int id) {
    if (id == 0) {
      work(own, kNoLimit);
    } else {
      Worker worker(*this);
      work(worker, kNoLimit);
    }
  });
}

void HostJob::run() {
  run_all();
  end(nullptr);
}

void HostJob::start(const std::shared_ptr<HostJob>& job) {
  const auto body = [job] {
    std::exception_ptr failure;
    try {
      job->run_all();
    } catch (...) {
      failure = std::current_exception();
    }
    job->end(failure);
  };
  try {
    std::thread(body).detach();
  } catch (const std::exception&) {  // the system has no more threads
    body();
  }
}

void HostJob::end(std::exception_ptr failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_ = failure;
  seconds_ = watch_.lap();
  ended_ = true;
  change_.notify_all();
}

bool HostJob::ended() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

double HostJob::seconds() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return seconds_;
}

void HostJob::finish() {
  std::unique_lock<std::mutex> lock(mutex_);
  change_.wait(lock, [this] { return ended_; });
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  if (failure) std::rethrow_exception(failure);
}

// ---- launches ----

CompiledLaunch::CompiledLaunch(std::shared_ptr<const CompiledProgram> program, const nmath_kernel& kernel)
    : program_(std::move(program)),
      row_(kernel),
      name_(kernel.name),
      arguments_(kernel.arguments),
      local_(kernel.arguments) {
  info_.work_group_size = kernel.item != nullptr && !Fibres::supported() ? 1 : kHostGroup;
  info_.preferred_multiple = 1;
  info_.arguments = kernel.arguments;
  std::copy(kernel.required, kernel.required + 3, info_.required_group);
}

void CompiledLaunch::check_index(unsigned index) const {
  if (index >= arguments_.size())
    throw NmathError("kernel '" + name_ + "' has no argument " + std::to_string(index + 1), "KernelCall");
}

void CompiledLaunch::set_value(unsigned index, const void* value, std::size_t bytes) {
  check_index(index);
  std::memcpy(&arguments_[index], value, std::min(bytes, sizeof(nmath_host_argument)));
  local_[index] = 0;
}

void CompiledLaunch::set_buffer(unsigned index, const Buffer& buffer) {
  check_index(index);
  arguments_[index].memory = buffer.host();
  local_[index] = 0;
}

void CompiledLaunch::set_local(unsigned index, std::size_t bytes) {
  check_index(index);
  local_[index] = bytes;
}

// One work-item is a group: what computes alone waits for nobody.
void CompiledLaunch::items(std::size_t count, Cost) {
  const std::size_t group = std::max<std::size_t>(info_.required_group[0], 1);
  range_ = Range();
  range_.dimensions = 1;
  range_.group[0] = group;
  range_.global[0] = (count + group - 1) / group * group;
}

// Where work-items wait for one another, all of a group have their arrays at a time.
void CompiledLaunch::check_private_memory(const nmath_range& range) const {
  const std::uint64_t bytes = program_->stack_bytes(), items = row_.item == nullptr ? 1 : product(range.group);
  const std::uint64_t most = Fibres::supported() ? kHostPrivateMemory : 0;
  if (bytes > most)
    refuse(name_,
           "private arrays of " + std::to_string(bytes) +
               " bytes, of the program's functions together, are more than " + std::to_string(most),
           "CL_OUT_OF_RESOURCES");
  if (bytes * items > kFewBytes && bytes * items > private_limit())
    refuse(name_,
           "private arrays of " + std::to_string(bytes) + " bytes for each of a group's " + std::to_string(items) +
               " work-items are more than half of this machine's memory",
           "CL_OUT_OF_RESOURCES");
}

std::shared_ptr<HostJob> CompiledLaunch::job() const {
  nmath_range range = {};
  range.dimensions = static_cast<unsigned>(range_.dimensions);
  for (int d = 0; d < 3; ++d) {
    const std::size_t required = info_.required_group[d], asked = d < range_.dimensions ? range_.group[d] : 1;
    range.global[d] = range_.global[d];
    range.group[d] = asked > 0 ? asked : std::max<std::size_t>(required, 1);
    if (required > 0 && range.group[d] != required)
      refuse(name_, "it requires groups of " + std::to_string(required), "CL_INVALID_WORK_GROUP_SIZE");
    if (range.global[d] % range.group[d] != 0)
      refuse(name_,
             "the range of " + std::to_string(range.global[d]) + " is not a multiple of the group of " +
                 std::to_string(range.group[d]),
             "CL_INVALID_WORK_GROUP_SIZE");
  }
  if (product(range.group) > info_.work_group_size)
    refuse(name_,
           "a group of " + std::to_string(product(range.group)) + " work-items is more than " +
               std::to_string(info_.work_group_size),
           "CL_INVALID_WORK_GROUP_SIZE");
  check_private_memory(range);
  return std::make_shared<HostJob>(program_, row_, arguments_, local_, range);
}

}  // namespace openclPort
