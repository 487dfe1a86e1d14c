// logging_device -- the host's programs and memory behind counters.
#include "logging/logging_device.h"

#include "base/nmath_error.h"

namespace logging_device {

using namespace openclPort;

namespace {

class LoggedMemory : public Buffer::Memory {
 public:
  explicit LoggedMemory(Buffer own) : own_(std::move(own)) {
    ++counts().alive;
    counts().alive_bytes += bytes();
  }
  ~LoggedMemory() override {
    --counts().alive;
    counts().alive_bytes -= bytes();
  }

 private:
  std::size_t bytes() const { return own_.borrowed() ? 0 : own_.bytes(); }

  const Buffer own_;
};

Buffer logged(Buffer own) {
  const ElementType type = own.type();
  const std::size_t elements = own.elements();
  void* const data = own.host();
  const bool borrowed = own.borrowed();
  (borrowed ? counts().borrowed : counts().allocated) += own.bytes();
  return Buffer(std::make_unique<LoggedMemory>(std::move(own)), type, elements, data, borrowed);
}

class LoggingQueue : public Queue {
 public:
  explicit LoggingQueue(std::unique_ptr<Queue> own) : own_(std::move(own)) {}
  void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes, EventSlot event) override {
    counts().written += bytes;
    ++counts().writes;
    own_->write(to, offset, from, bytes, event);
  }
  void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes, EventSlot event) override {
    counts().read += bytes;
    ++counts().reads;
    own_->read(from, offset, to, bytes, event);
  }
  void run(const Launch& launch, EventSlot event) override {
    ++counts().launches;
    own_->run(launch, event);
  }
  void publish(const Buffer& borrowed) override { own_->publish(borrowed); }
  void flush() override { own_->flush(); }
  void finish() override { own_->finish(); }

 private:
  const std::unique_ptr<Queue> own_;
};

class LoggingDevice : public Device {
 public:
  const DeviceInfo& info() const override { return logging_device::info(); }
  const void* identity() const override { return &counts(); }
  SharedProgram program(const ProgramSource& source, RunReport* report) override {
    return own_->program(source, report);
  }
  Buffer allocate(ElementType type, std::size_t elements) override {
    if (counts().alive_bytes + elements * element_bytes(type) > counts().memory)
      throw NmathError("no memory left", "allocate", "", "", info().name);
    return logged(own_->allocate(type, elements));
  }
  Buffer part(const Buffer& whole, ElementType type, std::size_t first, std::size_t elements) override {
    return own_->part(whole, type, first, elements);
  }
  Buffer borrow(ElementType type, void* memory, std::size_t elements, Access access) override {
    return logged(own_->borrow(type, memory, elements, access));
  }
  Buffer stage(std::size_t bytes, Queue& queue) override { return own_->stage(bytes, queue); }
  std::unique_ptr<Queue> queue(bool timed) override { return std::make_unique<LoggingQueue>(own_->queue(timed)); }
  bool give_up(Unfinished) override { return false; }

 private:
  const SharedDevice own_ = open_device(host_device());
};

class LoggingKind : public DeviceKind {
 public:
  void enter(const char*) override {}
  bool installed() noexcept override { return true; }
  std::vector<DeviceInfo> list() override { return {info()}; }
  Fp64Probe probe(const DeviceInfo&, bool) override { return {true, "", ""}; }
  SharedDevice open(const DeviceInfo&) override { return std::make_shared<LoggingDevice>(); }
};

}  // namespace

Counts& counts() {
  static Counts* const instance = new Counts;
  return *instance;
}

DeviceInfo& info() {
  static DeviceInfo* const instance = [] {
    DeviceInfo* own = new DeviceInfo(host_device());
    own->name = "a device that counts";
    own->platform_name = "tests";
    own->type = "accelerator";
    own->compute_units = 2;
    own->global_mem = own->max_alloc = std::size_t{1} << 30;
    own->host_memory = own->immediate = false;
    return own;
  }();
  note_device_change();
  return *instance;
}

DeviceKind* kind() {
  static LoggingKind* const instance = new LoggingKind;
  return instance;
}

}  // namespace logging_device
