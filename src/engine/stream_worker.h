// stream_worker -- one of the threads that feed a device in a long call: its buffers and the chunks it has under way.
//
// A chunk goes through upload, launch, download, drain. A worker belongs to one thread; workers share nothing but what
// ChunkStream holds, which does not change while they run.
//
// Where data is copied, several workers share the chunks out: each is a thread with a queue and buffers of its own that
// fills page-locked memory from the caller's, sends it on its way, waits, and empties the results; what the device and
// the bus do for one worker overlaps with the copies of the others. (A second chunk under way in each worker makes it
// slower: that doubles the memory which has to stay in the processor's cache.) A single worker has two slots instead.
// Where the device works on host memory its buffers lie over the caller's vectors: there is one worker with one slot,
// or, where launches are over when they return, one for each thread.
#pragma once

#include <memory>
#include <vector>

#include "base/report.h"
#include "base/stopwatch.h"
#include "device/device.h"
#include "engine/chunk_plan.h"

namespace openclPort {

// Where the inputs and outputs of a chunk lie.
struct ChunkMemory {
  std::vector<Buffer> inputs, outputs;
};

// What an engine adds to the chunks of its call. Asked by all workers at once.
class ChunkKernel {
 public:
  virtual ~ChunkKernel() = default;
  virtual unsigned arguments() const = 0;
  // `previous`: elements of the last chunk with these arguments; 0: they are not set yet. A chunk without elements, on
  // memory of zeros: a launch that computes none (first_run.h).
  virtual void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const = 0;
  // A second launch for each chunk, after the first one; null: there is none.
  virtual std::unique_ptr<Launch> follower() const { return nullptr; }
  virtual void prepare_follower(Launch& launch, const Chunk& chunk, const ChunkMemory& memory) const {
    (void)launch, (void)chunk, (void)memory;
  }
  // Where one queue has all launches, after each: may read what they left to the engine.
  virtual void collect(Queue& queue) const { (void)queue; }
  // The end of the elements from `begin` on that one launch can compute.
  virtual std::size_t end_of_run(std::size_t begin, std::size_t end) const {
    (void)begin;
    return end;
  }
};

struct ChunkStream {
  SharedDevice device;
  SharedProgram program;
  const char* kernel_name;
  Cost cost;
  const ChunkPlan& plan;
  const ChunkKernel& kernel;
  const CallHooks& hooks;
  Pace& pace;                  // of all workers
  std::vector<Buffer>& whole;  // the inputs that travel once; empty at first

  // Sends what travels once, computes all chunks, and adds to the report what was done.
  void run(RunReport& report);
};

class StreamWorker {
 public:
  StreamWorker(const ChunkStream& stream, RunReport& report);

  // Computes chunks of the pace's size until there are none left.
  void run(ChunkQueue& chunks, const InterruptCheck& interrupted);
  // Sends the inputs that travel once; the worker's own slots are not used yet.
  void send_whole(std::vector<Buffer>& whole);

 private:
  using Events = std::vector<std::unique_ptr<Event>>;

  // One chunk under way. Members are destroyed in reverse order: the queue is finished before buffers and staging go.
  struct Slot {
    Slot(const ChunkPlan& plan, std::unique_ptr<Launch> its_launch, std::unique_ptr<Launch> its_follower,
         std::unique_ptr<Queue> its_queue)
        : output_staging(plan.outputs.size()),
          scratch(plan.inputs.size()),
          raw(plan.inputs.size()),
          launch(std::move(its_launch)),
          follower(std::move(its_follower)),
          queue(std::move(its_queue)) {
      memory.inputs.resize(plan.inputs.size());
      memory.outputs.resize(plan.outputs.size());
    }
    Chunk chunk;
    Stopwatch under_way;
    std::size_t launched = 0;                         // elements of the last launch; 0: the kernel has no arguments yet
    std::vector<Buffer> staging, output_staging;      // one for each plane that is copied, as they come
    std::vector<std::vector<unsigned char>> scratch;  // where chunks are put together, without page-locked memory
    std::vector<Buffer> raw;                          // integers before they are widened
    ChunkMemory memory;
    Events transfers, computations;  // of timed chunks: a driver spends more on them than on a launch
    std::unique_ptr<Launch> launch, follower;
    std::unique_ptr<Queue> queue;
  };

  Queue::EventSlot new_event(Events& events);
  void compute(Slot& slot, const Chunk& chunk);
  void prepare_widening();
  void* stage(Slot& slot, Buffer& staging, std::size_t least = 0);
  void upload(Slot& slot);
  void upload_input(Slot& slot, std::size_t k, std::size_t& planes);
  void make_outputs(Slot& slot);
  void lend(const ChunkInput& input, const void* data, std::size_t count, Buffer& target);
  void widen(Slot& slot, const Buffer& raw, Buffer& target, std::size_t count, std::size_t capacity);
  void enqueue(Slot& slot, Launch& launch);
  void launch(Slot& slot);
  void compile_ahead(Slot& slot);
  void download(Slot& slot);
  void drain(Slot& slot);
  bool looked_through() const;
  void arrived(std::size_t begin, std::size_t end, void* results);
  void hand_over(const Slot& slot);
  double seconds_since(Stopwatch& watch) const { return timed_ ? watch.lap() : 0.0; }

  const ChunkStream& stream_;
  const ChunkPlan& plan_;
  Device& device_;
  const bool timed_;  // its parts are: those of immediate launches are too short
  RunReport& report_;
  std::unique_ptr<Launch> widen_;
  std::vector<Slot> slots_;
  InterruptCheck interrupted_;
  BusyTime busy_;
};

}  // namespace openclPort
