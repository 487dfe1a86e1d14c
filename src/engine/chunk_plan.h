// chunk_plan -- plans how the data of a long call travel to a device, and in what chunks; used by all engines that
// stream columns.
//
// Nothing here owns memory: columns and results belong to the caller for the duration of the call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/columns.h"
#include "base/cost.h"
#include "base/work_threads.h"
#include "device/buffer.h"
#include "device/device_info.h"
#include "engine/work_chunks.h"

namespace openclPort {

struct ChunkOptions {
  enum class Transfer {
    automatic,
    copy,
    zero_copy
  };                              // zero_copy: the device works on host memory; automatic: where it can
  std::size_t chunk_size = 0;     // elements per launch at most; 0: by length and device
  std::size_t memory_budget = 0;  // bytes of device memory at most, where data is copied; 0: 128 MiB
  Transfer transfer = Transfer::automatic;
  int workers = 0;  // threads that feed the device; 0: by length and device, at most 16 where data is copied
};

using ElementwiseOptions = ChunkOptions;

constexpr std::size_t kMaxChunk = std::size_t{1} << 30;  // `len` is an int, and rounding up must not leave its range

// The most elements of one launch, but for calls that copy all of their data first.
constexpr std::size_t kDefaultChunk = std::size_t{1} << 22;

// Chunks that are copied: a few megabytes stay in the processor's cache on their way through page-locked memory.
constexpr std::size_t kCopiedChunk = std::size_t{3} << 17;
constexpr std::size_t kStagingBlock = kCopiedChunk * sizeof(double);

inline std::size_t ceiling_ratio(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Elements of a block of a reduction over n elements: a power of two.
std::size_t reduction_block(std::size_t n, Cost cost);

// A column in host memory. Where `fill` is not `plain`, this process puts chunks together.
struct ChunkInput {
  enum class Transport { none, whole, chunks };            // by value or on the device already; once; chunk by chunk
  enum class Fill { plain, recycled, widened, gathered };  // as it lies; see base/columns.h; in the plan's order
  Column column;
  Transport transport = Transport::none;
  Fill fill = Fill::plain;
  bool widen = false;      // integers where the kernel takes doubles: widened on the device
  std::size_t planes = 1;  // columns of a matrix: a chunk has its rows of each
  std::size_t source = 0;  // the first input with the same data: its buffer serves both

  ElementType sent() const {
    return column.type == Column::Type::f64 || fill == Fill::widened ? ElementType::f64 : ElementType::i32;
  }
  std::size_t bytes_per_element() const { return planes * (element_bytes(sent()) + (widen ? sizeof(double) : 0)); }
};

// Results, one per element or, of reductions, one per block.
struct ChunkOutput {
  ElementType type = ElementType::f64;
  void* host = nullptr;    // null: the results are resident
  bool passed_on = false;  // and a second kernel takes them from the chunk's own memory: ChunkKernel::follower()
  std::size_t width = 1;   // numbers of a result
  bool each = false;       // of a reduction: a number for each element

  std::size_t first(std::size_t result) const { return result * width; }
  std::size_t count(std::size_t results) const { return results * width; }
};

// Consecutive elements of a call, and where their results go.
struct Chunk {
  std::size_t first = 0, count = 0;          // elements
  std::size_t out_first = 0, out_count = 0;  // results

  // Of an output's results, the first, and how many.
  std::size_t first_of(const ChunkOutput& output) const { return output.first(output.each ? first : out_first); }
  std::size_t count_of(const ChunkOutput& output) const { return output.count(output.each ? count : out_count); }
};

struct ChunkPlan {
  std::vector<ChunkInput> inputs;
  std::vector<ChunkOutput> outputs;
  std::size_t n = 0;                     // elements
  std::size_t first = 0;                 // the first of them: those of a call may be shared among devices
  std::size_t block = 0;                 // of reductions: elements of a block at most; 0: one result per element
  std::size_t results = 0;               // of reductions: number of blocks
  std::size_t first_result = 0;          // and the first of them
  const std::int64_t* starts = nullptr;  // where blocks begin, and the last one ends; null: every `block` elements
  bool empty_blocks = false;             // there may be blocks of no element
  const int* order = nullptr;            // the element at each position, where inputs are gathered

  std::size_t chunk_size = 0;  // elements per launch at most
  std::size_t workers = 1;     // threads, each with buffers of its own
  std::size_t slots = 1;       // chunks that a worker has under way
  std::size_t staging = 0;     // bytes of page-locked memory for one plane of a chunk; 0: nothing is copied in chunks
  bool zero_copy = false;      // the device works on the caller's memory
  bool staged = false;         // copies go through page-locked memory
  bool streams = false;        // results leave it past the caches
  bool timed = true;           // the device's clock says what commands took; else this machine's, in all

  bool reduces() const { return block > 0; }
  std::size_t capacity_of(const ChunkOutput& output) const {
    return output.count(output.each ? chunk_size : out_capacity());
  }
  std::size_t out_capacity() const {
    if (!reduces()) return chunk_size;
    return empty_blocks ? results : std::min(results, starts ? chunk_size : ceiling_ratio(chunk_size, block));
  }
};

// Points each input at the first one with the same memory, so that the data is sent once.
void find_shared_inputs(std::vector<ChunkInput>& inputs);

bool uses_zero_copy(const DeviceInfo& device, const ChunkOptions& options);

// Fills in chunk, workers and slots; the rest of the plan is made. `most` bounds a chunk, `chunk_bytes` the device
// memory of all that is copied.
void plan_chunks(ChunkPlan& plan, const DeviceInfo& device, Cost cost, std::size_t most, std::size_t chunk_bytes,
                 const ChunkOptions& options);

// The pace of a call's chunks. `rate`: elements a second of an earlier call by the same kernel, 0 of the first one;
// `asked`: the size of chunks is given.
Pace pace_of(const DeviceInfo& device, Cost cost, const ChunkPlan& plan, double rate, bool asked);

// Writes elements [first, first + count) of one plane of an input to `target`.
void fill_chunk(const ChunkPlan& plan, const ChunkInput& input, std::size_t plane, std::size_t first, std::size_t count,
                void* target);

// Hands chunks out. Thread-safe.
class ChunkQueue {
 public:
  explicit ChunkQueue(const ChunkPlan& plan) : plan_(plan), queue_(plan.reduces() ? plan.results : plan.n, 1) {}
  bool next(Chunk& chunk, std::size_t elements);  // of about so many elements
  BlockQueue& blocks() { return queue_; }

 private:
  const ChunkPlan& plan_;
  BlockQueue queue_;  // of results
};

}  // namespace openclPort
