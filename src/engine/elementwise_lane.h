// elementwise_lane -- one of the threads that feed a device in an elementwise call: its buffers and chunks under way.
//
// A chunk goes through upload, launch, download, drain. A lane belongs to one thread; lanes share nothing but what
// ElementwiseStream holds, which does not change while they run.
#ifndef NMATHOPENCL_ELEMENTWISE_LANE_H
#define NMATHOPENCL_ELEMENTWISE_LANE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "base/work_threads.h"
#include "device/device.h"
#include "engine/elementwise_plan.h"
#include "engine/work_pieces.h"

namespace openclPort {

struct ElementwiseStream {
  SharedDevice device;
  SharedProgram program;
  const KernelSpec& spec;
  ElementwisePlan plan;
  double* out;
  const CallHooks& hooks;
  std::uint64_t seed;         // of draws: the kernel takes it, and the number of a chunk's first draw
  Pace& pace;                 // of all lanes
  std::vector<Buffer> whole;  // the columns that travel once

  std::size_t first_length() const { return plan.columns.size() + (spec.draws() ? 4 : 2); }  // the kernel's argument
};

class ElementwiseLane {
 public:
  ElementwiseLane(const ElementwiseStream& stream, RunReport& report);

  // Computes chunks of the pace's size until there are none left.
  void run(BlockQueue& chunks, const InterruptCheck& interrupted);
  // Sends the columns that travel once; the lane's own slots are not used yet.
  void send_whole(std::vector<Buffer>& whole);

 private:
  using Events = std::vector<std::unique_ptr<Event>>;

  // One chunk under way. Members are destroyed in reverse order: the queue is finished before buffers and staging go.
  struct Slot {
    Slot(std::size_t columns, std::unique_ptr<Launch> its_launch, std::unique_ptr<Queue> its_queue)
        : inputs_staging(columns),
          raw(columns),
          inputs(columns),
          launch(std::move(its_launch)),
          queue(std::move(its_queue)) {}
    std::size_t first = 0, count = 0;
    Stopwatch under_way;
    std::size_t launched = 0;  // elements of the last launch; 0: the kernel has no arguments yet
    std::vector<Buffer> inputs_staging;
    Buffer output_staging;
    std::vector<std::vector<unsigned char>> recycled;  // where pieces are put together, without page-locked memory
    std::vector<Buffer> raw, inputs;                   // integers before they are widened; what the kernel reads
    Buffer output;
    Events transfers, computations;  // none of staged chunks: a driver spends more on them than on the launch
    std::unique_ptr<Launch> launch;
    std::unique_ptr<Queue> queue;
  };

  Queue::EventSlot new_event(Events& events);
  void compute(Slot& slot, std::size_t begin, std::size_t end);
  void compute_piece(Slot& slot, std::size_t begin, std::size_t end);
  std::size_t run_of_flags(std::size_t begin, std::size_t end) const;
  void prepare_widening();
  void* stage(Buffer& staging, Slot& slot);
  const void* piece_of(Slot& slot, std::size_t column);
  void upload(Slot& slot);
  void send(Slot& slot, const ColumnPlan& column, const void* data, std::size_t count, std::size_t capacity,
            Buffer& raw, Buffer& target);
  void enqueue(Slot& slot, Launch& launch, std::size_t items);
  void set_arguments(Slot& slot);
  void launch(Slot& slot);
  void download(Slot& slot);
  void drain(Slot& slot);
  void hand_over(const Slot& slot);
  double seconds_since(Stopwatch& watch) const { return timed_ ? watch.lap() : 0.0; }

  const ElementwiseStream& stream_;
  const ElementwisePlan& plan_;
  Device& device_;
  const bool timed_;  // its parts are: those of immediate launches are too short
  RunReport& report_;
  std::unique_ptr<Launch> widen_;
  std::vector<Slot> slots_;
};

}  // namespace openclPort

#endif
