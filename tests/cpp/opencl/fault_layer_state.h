// fault_layer_state -- what the calls of the fault layer ask before and tell after they go on to the driver.
#pragma once

#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "fault_layer.h"
#include "opencl/cl_api.h"

namespace fault_layer {

using namespace openclPort;  // the names of OpenCL

class State {
 public:
  static State& get();

  // The status that call must fail with; CL_SUCCESS: none. `queue` is that of clFinish, `staging` tells that the call
  // only maps host memory.
  cl_int enter(const char* function, cl_command_queue queue = nullptr, bool staging = false);

  void made(Kind kind, void* handle);
  void released(Kind kind, void* handle);
  void device_buffer_made(cl_mem memory, std::size_t bytes);
  bool exceeds_memory(std::size_t bytes);

  // Commands of a queue in order, so that a failing finish knows what it leaves undone. `target`: host memory that a
  // read without waiting fills.
  void enqueued(cl_command_queue queue, cl_event event, void* target, std::size_t bytes, bool waited);
  void finished(cl_command_queue queue);
  void finished(cl_uint count, const cl_event* events);
  void spoil_unfinished_reads(cl_command_queue queue);  // the results of a lost device never arrive

  void build_failed(cl_program program);
  bool has_failed_build(cl_program program);

  Lies lies();

  void fail_call(const Fault& fault);
  Fired fired();
  void start_counting();
  std::map<std::string, long> calls();
  Live live();
  std::size_t device_bytes(bool peak);
  void set_lies(const Lies& lies);

 private:
  struct Read {
    long command;
    void* target;
    std::size_t bytes;
  };
  struct Queue {
    long enqueued = 0, done = 0;
    std::vector<Read> reads;
  };
  struct Command {
    cl_command_queue queue;
    long number;
  };

  State();
  void finished_up_to(Queue& queue, long command);

  std::mutex mutex_;
  Fault fault_;
  Fired fired_;
  cl_int lost_ = CL_SUCCESS;  // what a lost device answers
  std::map<std::string, long> calls_;
  Live live_;
  Lies lies_;
  std::unordered_map<cl_command_queue, Queue> queues_;
  std::unordered_map<cl_event, Command> events_;
  std::unordered_map<cl_mem, std::size_t> buffers_;  // bytes of those in the device's memory
  std::size_t device_bytes_ = 0, peak_bytes_ = 0;
  std::set<cl_program> failed_builds_;
};

}  // namespace fault_layer
