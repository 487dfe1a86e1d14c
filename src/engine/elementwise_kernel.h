// elementwise_kernel -- a function of the table as a kernel over chunks of columns: its program, its arguments, and one
// device's elements of a call.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/program.h"
#include "engine/device_split.h"
#include "engine/elementwise_plan.h"
#include "engine/stream_worker.h"

namespace openclPort {

// The arguments of a kernel of the table: columns, result, length, those of draws, and what recycles the columns.
class ElementwiseKernel : public ChunkKernel {
 public:
  // What it is given outlives it.
  ElementwiseKernel(const KernelSpec& spec, const ElementwisePlan& plan, DrawStream stream,
                    const std::vector<Buffer>& whole);

  unsigned arguments() const override { return first_length() + columns_ * (plan_.recycles ? 3 : 2); }
  // Sets what has changed since the last launch: where data is copied, the buffers stay.
  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const override;
  // The end of the elements from `begin` on whose flags are equal.
  std::size_t end_of_run(std::size_t begin, std::size_t end) const override;

 protected:
  // Where the results of a chunk go.
  virtual const Buffer& out(const ChunkMemory& memory) const { return memory.outputs.front(); }
  // Arguments between the length and what recycles the columns: those of draws.
  virtual unsigned further() const { return spec_.draws() ? 2 : 0; }

  const KernelSpec& spec_;
  const ElementwisePlan& plan_;

 private:
  unsigned first_length() const { return columns_ + 2 + further(); }  // the argument's number

  const DrawStream stream_;  // of draws: the kernel takes its seed, and the number of a chunk's first draw
  const std::vector<Buffer>& whole_;
  const unsigned columns_;
};

// Work-items of a launch that draws: each makes four pairs of draws, 32 of them 128 neighbouring pairs (sunif.cl).
std::size_t items_of_draws(std::uint64_t first, std::size_t count);

// The number of a chunk's first draw; 0 of a chunk without elements, or its kernel would look at one before the first.
inline std::uint64_t first_draw(const DrawStream& stream, const Chunk& chunk) {
  return chunk.count == 0 ? 0 : stream.first + static_cast<std::uint64_t>(chunk.first);
}

// The elements of a call that one device computes by one kernel. Made on the caller's thread, which builds the program;
// runs on any.
class ElementwiseRange {
 public:
  // `text`: of the program, with NMATH_RECYCLE still to be defined.
  ElementwiseRange(SharedDevice device, const ElementwiseCall& call, const ProgramText& text, RunReport& report);

  // By the kernel that sets the program's arguments, of its plan and the inputs that travel once.
  using MakeKernel =
      std::function<std::unique_ptr<ChunkKernel>(const ElementwisePlan& plan, const std::vector<Buffer>& whole)>;
  void run(const MakeKernel& make, RunReport& report, const CallHooks& hooks);
  void run(RunReport& report, const CallHooks& hooks);  // by that of the function's row

 private:
  const SharedDevice device_;  // outlives all buffers
  const KernelSpec& spec_;
  double* const out_;
  const DrawStream stream_;
  const bool asked_;  // for this size of chunks
  ElementwisePlan plan_;
  SharedProgram program_;
};

// Runs the parts of a call at the same time, each as the task that is made of it on the caller's thread.
void run_parts(const std::vector<ElementwisePart>& parts,
               const std::function<RangeTask(const ElementwisePart& part, RunReport& report)>& make, RunReport& report,
               const CallHooks& hooks);

}  // namespace openclPort
