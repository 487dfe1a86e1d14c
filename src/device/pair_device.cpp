// pair_device -- a device whose programs compute with pairs of floats in the place of doubles.
#include "device/pair_device.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/nmath_error.h"
#include "base/pairs.h"
#include "base/process_mutex.h"
#include "loader/nmath_library.h"
#include "pair/pair_program.h"

namespace openclPort {

namespace {

// ---- programs ----

// The macros that "-DNAME=VALUE -D NAME" define.
PairDefinitions definitions_of_options(const std::string& options) {
  PairDefinitions found;
  std::istringstream words(options);
  bool open = false;
  for (std::string word; words >> word; open = word == "-D") {
    if (!open && word.compare(0, 2, "-D") != 0) continue;
    const std::string all = open ? word : word.substr(2);
    const std::size_t sign = all.find('=');
    if (!all.empty()) found.emplace_back(all.substr(0, sign), sign == std::string::npos ? "1" : all.substr(sign + 1));
  }
  return found;
}

// What the device's compiler predefines, as far as layer 0 of a program asks for it (OPENCL.cl).
PairDefinitions definitions_of_device(const DeviceInfo& device) {
  if (device.type == "host") return pair_definitions_of_host();
  PairDefinitions found = pair_definitions_of_opencl();
  const auto of_platform = [&](const char* part) { return device.platform_name.find(part) != std::string::npos; };
  if (of_platform("NVIDIA")) found.emplace_back("__NV_CL_C_VERSION", "120");
  if (of_platform("Portable")) found.emplace_back("POCL_DEVICE_ADDRESS_BITS", "64");
  if (of_platform("AMD")) found.emplace_back("__AMDGCN__", "1");
  return found;
}

// Translations of users' texts, which a call brings anew. Never destroyed.
class Translations {
 public:
  std::string of(const std::string& text, const PairDefinitions& definitions) {
    std::string key = text;
    for (const auto& one : definitions) key += '\0' + one.first + '=' + one.second;
    {
      const std::lock_guard<ProcessMutex> lock(mutex_);
      const auto found = known_.find(key);
      if (found != known_.end()) return found->second;
    }
    std::string made = pair_program(text, definitions, library());
    const std::lock_guard<ProcessMutex> lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    return known_[std::move(key)] = std::move(made);
  }

 private:
  static constexpr std::size_t kMost = 64;
  static const std::string& library() {
    static const std::string* const text = new std::string(pair_library());
    return *text;
  }
  ProcessMutex mutex_;
  std::unordered_map<std::string, std::string> known_;
};

Translations& translations() {
  static Translations* const instance = new Translations;
  return *instance;
}

class PairProgram : public Program {
 public:
  PairProgram(SharedProgram program, ProgramText text) : program_(std::move(program)), text_(std::move(text)) {}

  std::unique_ptr<Launch> launch(const std::string& kernel) const override { return program_->launch(kernel); }
  KernelInfo kernel_info(const std::string& kernel) const override { return program_->kernel_info(kernel); }
  KernelSignature signature(const std::string& kernel) const override {
    const auto found = parse_kernel_signature(text_(), kernel);  // with its doubles
    return found ? *found : program_->signature(kernel);
  }

 private:
  const SharedProgram program_;
  const ProgramText text_;
};

// ---- memory ----

struct Numbers {
  std::size_t first, count;  // a byte, and how many
};

// Where there are numbers in memory of bytes: what parts of it hold. By what the device keeps of the memory, until that
// becomes another's. Never destroyed.
class NumbersInBytes {
 public:
  static NumbersInBytes& all() {
    static NumbersInBytes* const instance = new NumbersInBytes;
    return *instance;
  }
  void forget(const Buffer& whole) {
    const std::lock_guard<ProcessMutex> lock(mutex_);
    parts_.erase(whole.memory());
  }
  // What is made of a part, in the place of what was there.
  void note(const Buffer& whole, std::size_t first, ElementType type, std::size_t elements) {
    const std::size_t end = first + elements * element_bytes(type);
    const std::lock_guard<ProcessMutex> lock(mutex_);
    std::vector<Numbers>& parts = parts_[whole.memory()];
    parts.erase(std::remove_if(parts.begin(), parts.end(),
                               [&](const Numbers& one) {
                                 return one.first < end && first < one.first + one.count * sizeof(double);
                               }),
                parts.end());
    if (type == ElementType::f64) parts.push_back({first, elements});
  }
  // Those from byte `offset` on, counted from there.
  std::vector<Numbers> within(const Buffer& whole, std::size_t offset, std::size_t bytes) {
    std::vector<Numbers> found;
    const std::lock_guard<ProcessMutex> lock(mutex_);
    const auto known = parts_.find(whole.memory());
    if (known == parts_.end()) return found;
    for (const Numbers& part : known->second) {
      const std::size_t begin = std::max(part.first, offset);
      const std::size_t end = std::min(part.first + part.count * sizeof(double), offset + bytes);
      if (begin >= end) continue;
      if ((begin - part.first) % sizeof(double) != 0 || (end - begin) % sizeof(double) != 0)
        throw NmathError("a part of a number cannot travel where doubles are pairs of floats", "pair_device");
      found.push_back({begin - offset, (end - begin) / sizeof(double)});
    }
    return found;
  }

 private:
  ProcessMutex mutex_;
  std::unordered_map<const void*, std::vector<Numbers>> parts_;
};

std::vector<Numbers> numbers_of(const Buffer& buffer, std::size_t offset, std::size_t bytes) {
  if (buffer.type() == ElementType::bytes) return NumbersInBytes::all().within(buffer, offset, bytes);
  if (buffer.type() != ElementType::f64) return {};
  if (offset % sizeof(double) != 0 || bytes % sizeof(double) != 0)
    throw NmathError("a part of a number cannot travel where doubles are pairs of floats", "pair_device");
  return {{0, bytes / sizeof(double)}};
}

thread_local int own_numbers = 0;

constexpr std::size_t kMostHeld = std::size_t{64} << 20;  // bytes of split numbers that are on their way

class PairQueue : public Queue {
 public:
  PairQueue(std::unique_ptr<Queue> queue, const std::string& device) : queue_(std::move(queue)), device_(device) {}

  Queue& of_device() { return *queue_; }

  void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes, EventSlot event) override {
    const std::vector<Numbers> numbers = numbers_of(to, offset, bytes);
    if (numbers.empty()) return queue_->write(to, offset, from, bytes, event);
    if (held_bytes_ + bytes > kMostHeld) finish();
    held_.emplace_back(new double[bytes / sizeof(double) + 1]);
    held_bytes_ += bytes;
    double* const held = held_.back().get();
    if (to.type() == ElementType::bytes) std::memcpy(held, from, bytes);
    for (const Numbers& part : numbers) {
      double outside = 0;
      double* const into = held + part.first / sizeof(double);
      const double* const numbers_from = static_cast<const double*>(from) + part.first / sizeof(double);
      if (!split_pairs(numbers_from, into, part.count, &outside) && own_numbers == 0)
        throw PairRangeError(outside, device_);
    }
    queue_->write(to, offset, held, bytes, event);
  }

  void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes, EventSlot event) override {
    for (const Numbers& part : numbers_of(from, offset, bytes))
      landed_.push_back({static_cast<double*>(to) + part.first / sizeof(double), part.count});
    queue_->read(from, offset, to, bytes, event);
  }

  void run(const Launch& launch, EventSlot event) override { queue_->run(launch, event); }
  void publish(const Buffer& borrowed) override { queue_->publish(borrowed); }
  void flush() override { queue_->flush(); }
  void finish() override {
    queue_->finish();
    for (const Landed& one : std::exchange(landed_, {})) join_pairs(one.numbers, one.numbers, one.count);
    held_.clear();
    held_bytes_ = 0;
  }
  double take_run_seconds() override { return queue_->take_run_seconds(); }

 private:
  struct Landed {
    double* numbers;
    std::size_t count;
  };

  std::vector<std::unique_ptr<double[]>> held_;  // outlives the queue that reads it
  const std::unique_ptr<Queue> queue_;
  const std::string device_;
  std::size_t held_bytes_ = 0;
  std::vector<Landed> landed_;
};

class PairDevice : public Device {
 public:
  PairDevice(SharedDevice device, bool single)
      : device_(std::move(device)), info_(as_pair_device(device_->info(), single)) {}

  const DeviceInfo& info() const override { return info_; }
  // Another one than that of the device, whose buffers hold doubles.
  const void* identity() const override {
    return static_cast<const char*>(device_->identity()) + (info_.single ? 2 : 1);
  }

  SharedProgram program(const ProgramSource& source, RunReport* report) override {
    ProgramSource own = source;
    PairDefinitions definitions = definitions_of_device(info_);
    if (info_.single) definitions.emplace_back("NMATH_SINGLE", "1");
    for (auto& one : definitions_of_options(source.options)) definitions.push_back(std::move(one));
    own.text = [text = source.text, definitions] { return translations().of(layered_program(text()), definitions); };
    if (!own.name.empty()) own.name += info_.single ? "|single" : "|pairs";
    return std::make_shared<const PairProgram>(device_->program(own, report), source.text);
  }

  Buffer allocate(ElementType type, std::size_t elements) override {
    Buffer made = device_->allocate(type, elements);
    if (type == ElementType::bytes) NumbersInBytes::all().forget(made);
    return made;
  }
  Buffer part(const Buffer& whole, ElementType type, std::size_t first, std::size_t elements) override {
    if (whole.type() == ElementType::bytes) NumbersInBytes::all().note(whole, first, type, elements);
    return device_->part(whole, type, first, elements);
  }
  Buffer borrow(ElementType type, void* memory, std::size_t elements, Access access) override {
    if (type == ElementType::bytes) return device_->borrow(type, memory, elements, access);  // of no numbers
    throw NmathError("no memory is lent where doubles are pairs of floats", "pair_device", "", "", info_.name);
  }
  Buffer stage(std::size_t bytes, Queue& queue) override {
    return device_->stage(bytes, static_cast<PairQueue&>(queue).of_device());
  }
  std::unique_ptr<Queue> queue(bool timed) override {
    return std::make_unique<PairQueue>(device_->queue(timed), info_.name);
  }
  bool give_up(Unfinished work) override { return device_->give_up(std::move(work)); }

 private:
  const SharedDevice device_;
  const DeviceInfo info_;
};

}  // namespace

OwnNumbers::OwnNumbers() { ++own_numbers; }
OwnNumbers::~OwnNumbers() { --own_numbers; }

DeviceInfo as_pair_device(const DeviceInfo& device, bool single) {
  DeviceInfo info = device;
  info.pairs = true;
  info.single = single;
  info.host_memory = info.immediate = false;  // R's memory has doubles
  info.recycles = true;
  info.matrix_units = 0;
  return info;
}

SharedDevice pair_device(SharedDevice device, bool single) {
  return std::make_shared<PairDevice>(std::move(device), single);
}

void check_pair_number(const DeviceInfo& device, double x) {
  double split = 0, outside = 0;
  if (device.pairs && !split_pairs(&x, &split, 1, &outside)) throw PairRangeError(x, device.name);
}

}  // namespace openclPort
