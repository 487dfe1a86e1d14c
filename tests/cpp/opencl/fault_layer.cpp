// fault_layer -- its state: the fault to come, the calls and handles counted, the lies told.
#include "fault_layer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "fault_layer_state.h"

namespace fault_layer {

namespace {

const char* const kKindNames[] = {"context", "queue", "program", "kernel", "memory", "event", "mapping"};

bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

// What a lost device still answers: questions, and the release of what was its own.
bool survives_loss(const std::string& function) {
  return starts_with(function, "clGet") || starts_with(function, "clRelease") || function == "clCreateContext";
}

Fault fault_from_environment() {
  Fault fault;
  const char* text = std::getenv("NMATH_FAULT");
  if (text == nullptr) return fault;
  std::stringstream stream(text);
  std::string call, status, lasting;
  std::getline(stream, fault.function, ':');
  std::getline(stream, call, ':');
  std::getline(stream, status, ':');
  std::getline(stream, lasting);
  fault.call = std::atol(call.c_str());
  fault.status = std::atoi(status.c_str());
  fault.lasting = lasting == "lasting";
  return fault;
}

Lies lies_from_environment() {
  Lies lies;
  const char* text = std::getenv("NMATH_FAULT_LIE");
  std::stringstream stream(text == nullptr ? "" : text);
  for (std::string lie; std::getline(stream, lie, ',');) {
    if (lie == "single") lies.single_precision = true;
    if (lie == "no_fp64") lies.no_fp64 = true;
    if (lie == "gpu") lies.gpu = true;
    if (starts_with(lie, "group=")) lies.group_limit = std::strtoul(lie.c_str() + 6, nullptr, 10);
    if (starts_with(lie, "memory=")) lies.memory_limit = std::strtoul(lie.c_str() + 7, nullptr, 10);
  }
  return lies;
}

}  // namespace

State::State() : fault_(fault_from_environment()), lies_(lies_from_environment()) {}

State& State::get() {
  static State* const state = new State;  // never destroyed: handles are released at exit too
  return *state;
}

cl_int State::enter(const char* function, cl_command_queue queue, bool staging) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++calls_[function];
  if (std::strcmp(function, "clCreateContext") == 0) lost_ = CL_SUCCESS;
  if (lost_ != CL_SUCCESS) return survives_loss(function) ? CL_SUCCESS : lost_;
  const bool meant = fault_.function.empty() || fault_.function == "*" || fault_.function == function;
  if (!meant || fault_.call <= 0 || --fault_.call > 0) return CL_SUCCESS;
  fired_.function = function;
  const auto known = queues_.find(queue);
  const bool idle = queue != nullptr && (known == queues_.end() || known->second.done == known->second.enqueued);
  fired_.harmless = idle || staging;
  if (fault_.lasting) lost_ = fault_.status;
  return fault_.status;
}

void State::made(Kind kind, void* handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++live_.count[static_cast<int>(kind)];
  // A driver may give the address of a released object to a new one.
  if (kind == Kind::program) failed_builds_.erase(static_cast<cl_program>(handle));
  if (kind == Kind::queue) queues_.erase(static_cast<cl_command_queue>(handle));
  if (kind == Kind::event) events_.erase(static_cast<cl_event>(handle));
}

void State::released(Kind kind, void* handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  --live_.count[static_cast<int>(kind)];
  if (kind != Kind::memory) return;
  const auto buffer = buffers_.find(static_cast<cl_mem>(handle));
  if (buffer == buffers_.end()) return;
  device_bytes_ -= buffer->second;
  buffers_.erase(buffer);
}

void State::device_buffer_made(cl_mem memory, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  buffers_[memory] = bytes;
  device_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, device_bytes_);
}

bool State::exceeds_memory(std::size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  return lies_.memory_limit > 0 && device_bytes_ + bytes > lies_.memory_limit;
}

void State::enqueued(cl_command_queue queue, cl_event event, void* target, std::size_t bytes, bool waited) {
  std::lock_guard<std::mutex> lock(mutex_);
  Queue& known = queues_[queue];
  ++known.enqueued;
  if (event != nullptr) events_[event] = {queue, known.enqueued};
  if (waited)
    finished_up_to(known, known.enqueued);
  else if (target != nullptr)
    known.reads.push_back({known.enqueued, target, bytes});
}

void State::finished_up_to(Queue& queue, long command) {
  queue.done = std::max(queue.done, command);
  const auto arrived = [&](const Read& read) { return read.command <= queue.done; };
  queue.reads.erase(std::remove_if(queue.reads.begin(), queue.reads.end(), arrived), queue.reads.end());
}

void State::finished(cl_command_queue queue) {
  std::lock_guard<std::mutex> lock(mutex_);
  Queue& known = queues_[queue];
  finished_up_to(known, known.enqueued);
}

void State::finished(cl_uint count, const cl_event* events) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (cl_uint k = 0; k < count; ++k) {
    const auto known = events_.find(events[k]);
    if (known != events_.end()) finished_up_to(queues_[known->second.queue], known->second.number);
  }
}

void State::spoil_unfinished_reads(cl_command_queue queue) {
  std::lock_guard<std::mutex> lock(mutex_);
  Queue& known = queues_[queue];
  for (const Read& read : known.reads) std::memset(read.target, 0xff, read.bytes);  // NaN, as doubles
  finished_up_to(known, known.enqueued);
}

void State::build_failed(cl_program program) {
  std::lock_guard<std::mutex> lock(mutex_);
  failed_builds_.insert(program);
}

bool State::has_failed_build(cl_program program) {
  std::lock_guard<std::mutex> lock(mutex_);
  return failed_builds_.count(program) > 0;
}

Lies State::lies() {
  std::lock_guard<std::mutex> lock(mutex_);
  return lies_;
}

void State::fail_call(const Fault& fault) {
  std::lock_guard<std::mutex> lock(mutex_);
  fault_ = fault;
  fired_ = Fired();
}

Fired State::fired() {
  std::lock_guard<std::mutex> lock(mutex_);
  return fired_;
}

void State::start_counting() {
  std::lock_guard<std::mutex> lock(mutex_);
  calls_.clear();
  peak_bytes_ = device_bytes_;
}

std::map<std::string, long> State::calls() {
  std::lock_guard<std::mutex> lock(mutex_);
  return calls_;
}

Live State::live() {
  std::lock_guard<std::mutex> lock(mutex_);
  return live_;
}

std::size_t State::device_bytes(bool peak) {
  std::lock_guard<std::mutex> lock(mutex_);
  return peak ? peak_bytes_ : device_bytes_;
}

void State::set_lies(const Lies& lies) {
  std::lock_guard<std::mutex> lock(mutex_);
  lies_ = lies;
}

long Live::total() const {
  long sum = 0;
  for (const long n : count) sum += n;
  return sum;
}

std::string Live::text() const {
  std::string list;
  for (std::size_t k = 0; k < 7; ++k)
    if (count[k] != 0) list += (list.empty() ? "" : ", ") + std::to_string(count[k]) + " " + kKindNames[k];
  return list.empty() ? "nothing" : list;
}

void fail_call(const Fault& fault) { State::get().fail_call(fault); }
void stop_failing() { State::get().fail_call(Fault()); }
Fired fired() { return State::get().fired(); }
void start_counting() { State::get().start_counting(); }
long calls() {
  long sum = 0;
  for (const auto& entry : State::get().calls()) sum += entry.second;
  return sum;
}
std::map<std::string, long> calls_by_function() { return State::get().calls(); }
Live live() { return State::get().live(); }
std::size_t device_bytes() { return State::get().device_bytes(false); }
std::size_t peak_device_bytes() { return State::get().device_bytes(true); }
void set_lies(const Lies& lies) { State::get().set_lies(lies); }

}  // namespace fault_layer
