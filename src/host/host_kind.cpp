// host_kind -- the host device: programs out of a table, memory as it lies, launches on the thread that gives them.
#include "host/host_kind.h"

#include <chrono>
#include <climits>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "base/work_threads.h"
#include "device/host_compiler.h"
#include "host/host_image.h"
#include "host/host_program.h"

namespace openclPort {

namespace {

// Rows by program and kernel; never destroyed.
struct HostKernels {
  ProcessMutex mutex;
  std::unordered_map<std::string, const nmath_host_row*> rows;
  std::unordered_set<std::string> programs;

  static std::string key(const std::string& program, const std::string& kernel) { return program + '\n' + kernel; }
  void add(const nmath_host_row* row) {
    rows[key(row->program, row->kernel)] = row;
    programs.insert(row->program);
  }
  HostKernels() {
    for (const nmath_host_row* row = nmath_host_table; row->kernel != nullptr; ++row) add(row);
  }
};

HostKernels& host_kernels() {
  static HostKernels* const instance = new HostKernels;
  return *instance;
}

class HostLaunch : public Launch {
 public:
  explicit HostLaunch(const nmath_host_row* row) : row_(row), kernel_(row->kernel) { info_.arguments = row->arguments; }

  const std::string& kernel() const override { return kernel_; }
  const KernelInfo& info() const override { return info_; }
  void set_value(unsigned index, const void* value, std::size_t bytes) override {
    std::memcpy(&at(index), value, std::min(bytes, sizeof(nmath_host_argument)));
  }
  void set_buffer(unsigned index, const Buffer& buffer) override { at(index).memory = buffer.host(); }
  void set_local(unsigned, std::size_t) override {
    throw NmathError("the host device has no local memory", "KernelCall");
  }
  void items(std::size_t count, Cost) override {
    range_.dimensions = 1;
    range_.global[0] = count;
  }
  void run() const { row_->run(arguments_, 0, static_cast<int>(range_.global[0])); }

 private:
  static constexpr unsigned kMost = 32;
  nmath_host_argument& at(unsigned index) {
    if (index >= kMost)
      throw NmathError("kernel '" + kernel_ + "' has no argument " + std::to_string(index + 1), "KernelCall");
    return arguments_[index];
  }

  const nmath_host_row* row_;
  const std::string kernel_;
  KernelInfo info_;
  nmath_host_argument arguments_[kMost] = {};
};

class HostProgram : public Program {
 public:
  explicit HostProgram(const std::string& name) : name_(name) {}

  std::unique_ptr<Launch> launch(const std::string& kernel) const override {
    return std::make_unique<HostLaunch>(row_of(kernel));
  }
  KernelInfo kernel_info(const std::string& kernel) const override { return HostLaunch(row_of(kernel)).info(); }
  KernelSignature signature(const std::string& kernel) const override {
    return KernelSignature(row_of(kernel)->arguments);
  }

 private:
  const nmath_host_row* row_of(const std::string& kernel) const {
    HostKernels& known = host_kernels();
    const std::lock_guard<ProcessMutex> lock(known.mutex);
    const auto found = known.rows.find(HostKernels::key(name_, kernel));
    if (found == known.rows.end())
      throw NmathError("the host device lacks the kernel " + kernel + " of " + name_, "KernelCall");
    return found->second;
  }

  const std::string name_;
};

bool has_program(const std::string& name) {
  HostKernels& known = host_kernels();
  const std::lock_guard<ProcessMutex> lock(known.mutex);
  return known.programs.count(name) > 0;
}

std::uint64_t nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Of a command that is over.
class HostEvent : public Event {
 public:
  explicit HostEvent(std::uint64_t start) : start_(start), end_(nanoseconds()) {}
  bool ended() const override { return true; }
  std::uint64_t start() const override { return start_; }
  std::uint64_t end() const override { return end_; }

 private:
  const std::uint64_t start_, end_;
};

// Of a kernel that runs on threads of its own.
class JobEvent : public Event {
 public:
  explicit JobEvent(std::shared_ptr<HostJob> job) : job_(std::move(job)) {}
  bool ended() const override { return job_->ended(); }
  void stop() override { job_->stop(); }
  std::uint64_t start() const override { return start_; }
  std::uint64_t end() const override { return start_ + static_cast<std::uint64_t>(job_->seconds() * 1e9); }

 private:
  const std::shared_ptr<HostJob> job_;
  const std::uint64_t start_ = nanoseconds();
};

void note(Queue::EventSlot event, std::uint64_t start) {
  if (event != nullptr) *event = std::make_unique<HostEvent>(start);
}

// Every command is over when it returns, but for a compiled kernel whose event is wanted.
class HostQueue : public Queue {
 public:
  ~HostQueue() override {
    try {
      finish();
    } catch (...) {  // the run's failure: its caller has one already
    }
  }
  void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes, EventSlot event) override {
    finish();
    const std::uint64_t start = event != nullptr ? nanoseconds() : 0;
    std::memcpy(static_cast<unsigned char*>(to.host()) + offset, from, bytes);
    note(event, start);
  }
  void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes, EventSlot event) override {
    finish();
    const std::uint64_t start = event != nullptr ? nanoseconds() : 0;
    std::memcpy(to, static_cast<const unsigned char*>(from.host()) + offset, bytes);
    note(event, start);
  }
  void run(const Launch& launch, EventSlot event) override {
    const CompiledLaunch* const compiled = dynamic_cast<const CompiledLaunch*>(&launch);
    if (compiled != nullptr && event != nullptr) {
      finish();
      running_ = compiled->job();
      HostJob::start(running_);
      *event = std::make_unique<JobEvent>(running_);
      return;
    }
    const std::uint64_t start = nanoseconds();
    if (compiled != nullptr)
      compiled->job()->run();
    else
      static_cast<const HostLaunch&>(launch).run();
    if (event == nullptr) run_seconds_ += static_cast<double>(nanoseconds() - start) * 1e-9;
    note(event, start);
  }
  void publish(const Buffer&) override {}
  void flush() override {}
  void finish() override {
    if (running_ != nullptr) std::exchange(running_, nullptr)->finish();
  }
  double take_run_seconds() override { return std::exchange(run_seconds_, 0.0); }

 private:
  double run_seconds_ = 0.0;
  std::shared_ptr<HostJob> running_;
};

class HostMemory : public Buffer::Memory {
 public:
  explicit HostMemory(std::size_t bytes) : words_(new double[bytes / sizeof(double) + 1]) {}
  void* data() { return words_.get(); }

 private:
  const std::unique_ptr<double[]> words_;
};

class HostDevice : public Device {
 public:
  HostDevice() {
    info_.name = info_.type = "host";
    info_.compute_units = static_cast<unsigned>(host_threads());
    info_.global_mem = info_.max_alloc = SIZE_MAX;
    info_.local_mem = kHostLocalMemory;
    info_.max_work_group = kHostGroup;
    info_.fp64_extension = info_.host_memory = info_.immediate = info_.wide_cores = true;
    info_.recycles = false;
  }

  const DeviceInfo& info() const override { return info_; }
  const void* identity() const override { return this; }
  SharedProgram program(const ProgramSource& source, RunReport* report) override {
    if (has_program(source.name)) return std::make_shared<const HostProgram>(source.name);
    return compiled_program(source, report);
  }
  Buffer allocate(ElementType type, std::size_t elements) override {
    auto memory = std::make_unique<HostMemory>(elements * element_bytes(type));
    void* const data = memory->data();
    return Buffer(std::move(memory), type, elements, data, false);
  }
  Buffer part(const Buffer& whole, ElementType type, std::size_t first, std::size_t elements) override {
    return Buffer(nullptr, type, elements, static_cast<unsigned char*>(whole.host()) + first, true);
  }
  Buffer borrow(ElementType type, void* memory, std::size_t elements, Access) override {
    return Buffer(nullptr, type, elements, memory, true);
  }
  Buffer stage(std::size_t bytes, Queue&) override { return allocate(ElementType::bytes, bytes); }
  std::unique_ptr<Queue> queue(bool) override { return std::make_unique<HostQueue>(); }
  // The threads that the kernel keeps are its own: others compute as before.
  bool give_up(Unfinished) override { return false; }

 private:
  DeviceInfo info_;
};

class HostKind : public DeviceKind {
 public:
  void enter(const char*) override {}
  bool installed() noexcept override { return true; }
  std::vector<DeviceInfo> list() override { return {device_->info()}; }
  bool compiles() override { return host_compiler_expected(); }
  Fp64Probe probe(const DeviceInfo&, bool) override { return {true, "", ""}; }
  SharedDevice open(const DeviceInfo&) override { return device_; }
  SharedImage source_image(const DeviceInfo& device, ImageSource source) override {
    return host_source_image(device, std::move(source));
  }

 private:
  const SharedDevice device_ = std::make_shared<HostDevice>();
};

}  // namespace

DeviceKind* host_kind() {
  static HostKind* const kind = new HostKind;
  return kind;
}

void add_host_kernel(const nmath_host_row* row) {
  HostKernels& known = host_kernels();
  const std::lock_guard<ProcessMutex> lock(known.mutex);
  known.add(row);
}

}  // namespace openclPort
