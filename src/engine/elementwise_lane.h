// elementwise_lane -- one of the threads that feed a device in an elementwise call: its buffers and chunks under way.
//
// A chunk goes through upload, launch, download, drain. A lane belongs to one thread; lanes share nothing but what
// ElementwiseStream holds, which does not change while they run.
#ifndef NMATHOPENCL_ELEMENTWISE_LANE_H
#define NMATHOPENCL_ELEMENTWISE_LANE_H

#include <memory>
#include <string>
#include <vector>

#include "engine/elementwise_plan.h"
#include "opencl/launch.h"
#include "engine/work_pieces.h"
#include "base/work_threads.h"

namespace openclPort {

struct ElementwiseStream {
  std::shared_ptr<Session> session;
  KernelBundle program;
  std::string kernel_name;
  ElementwisePlan plan;
  double* out;
  const CallHooks& hooks;
  bool draws;  // the kernel takes the seed, and the number of a chunk's first draw
  std::uint64_t seed;
  Cost cost;
  Pace& pace;                       // of all lanes
  std::vector<DeviceBuffer> whole;  // the columns that travel once

  const DeviceInfo& device() const { return session->device(); }
  std::size_t first_length() const { return plan.columns.size() + (draws ? 4 : 2); }  // the kernel's argument
};

class ElementwiseLane {
 public:
  ElementwiseLane(const ElementwiseStream& stream, RunReport& report);

  // Computes chunks of the pace's size until there are none left.
  void run(BlockQueue& chunks, const InterruptCheck& interrupted);
  // Sends the columns that travel once; the lane's own slots are not used yet.
  void send_whole(std::vector<DeviceBuffer>& whole);

 private:
  // One chunk under way. Members are destroyed in reverse order: the queue is finished before buffers and staging go.
  struct Slot {
    Slot(std::size_t columns, KernelHandle its_kernel, QueueLease lease)
        : inputs_staging(columns),
          raw(columns),
          inputs(columns),
          kernel(std::move(its_kernel)),
          queue(std::move(lease)) {}
    std::size_t first = 0, count = 0;
    Stopwatch under_way;
    std::size_t launched = 0;  // elements of the last launch; 0: the kernel has no arguments yet
    std::vector<std::unique_ptr<Staging>> inputs_staging;
    std::unique_ptr<Staging> output_staging;
    std::vector<std::vector<unsigned char>> recycled;  // where pieces are put together, without page-locked memory
    std::vector<DeviceBuffer> raw, inputs;             // integers before they are widened; what the kernel reads
    DeviceBuffer output;
    std::vector<EventHandle> transfers, computations;  // none of staged chunks: a driver spends more on them than on
                                                       // the launch
    KernelHandle kernel;
    QueueLease queue;
  };

  cl_event* new_event(std::vector<EventHandle>& events);
  void compute(Slot& slot, std::size_t begin, std::size_t end);
  void prepare_widening();
  void* stage(std::unique_ptr<Staging>& staging, Slot& slot);
  const void* piece_of(Slot& slot, std::size_t column);
  void upload(Slot& slot);
  void send(Slot& slot, const ColumnPlan& column, const void* data, std::size_t count, std::size_t capacity,
            DeviceBuffer& raw, DeviceBuffer& target);
  void enqueue(Slot& slot, cl_kernel kernel, const KernelInfo& info, std::size_t items, const std::string& name);
  template <typename T>
  void set(Slot& slot, std::size_t index, const T& value);
  void set_arguments(Slot& slot);
  void launch(Slot& slot);
  void download(Slot& slot);
  void drain(Slot& slot);
  void hand_over(const Slot& slot);

  const ElementwiseStream& stream_;
  const ElementwisePlan& plan_;
  const DeviceInfo& device_;
  RunReport& report_;
  KernelInfo info_;
  KernelHandle widen_;
  KernelInfo widen_info_;
  std::vector<Slot> slots_;
};

}  // namespace openclPort

#endif
