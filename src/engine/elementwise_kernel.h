// elementwise_kernel -- a function of the table as a kernel over chunks of columns: its program and arguments.
#ifndef NMATHOPENCL_ELEMENTWISE_KERNEL_H
#define NMATHOPENCL_ELEMENTWISE_KERNEL_H

#include <string>
#include <vector>

#include "device/program.h"
#include "engine/draw_table.h"
#include "engine/elementwise_plan.h"
#include "engine/stream_worker.h"

namespace openclPort {

// In the form that a plan asks for (NMATH_RECYCLE in OPENCL.cl).
inline ProgramSource elementwise_program(const KernelSpec& spec, const ProgramText& text, const ElementwisePlan& plan) {
  const char* const name = plan.recycles ? "|recycled" : plan.scalars ? "|scalars" : "";
  const std::string form = plan.recycles ? "2" : plan.scalars ? "1\n#define NMATH_SCALARS" : "1";
  return {spec.kernel_file + std::string(name),
          [form, text] { return "#define NMATH_RECYCLE " + form + "\n" + text(); }, "", spec.registers};
}

inline int flag_at(const Column& column, std::size_t i) {
  return static_cast<const int*>(column.data)[column.length == 1 ? 0 : i % column.length];
}

// The arguments of a kernel of the table: columns, result, length, those of draws, and what recycles the columns.
class ElementwiseKernel : public ChunkKernel {
 public:
  ElementwiseKernel(const KernelSpec& spec, const ElementwisePlan& plan, DrawStream stream,
                    const std::vector<Buffer>& whole)
      : spec_(spec),
        plan_(plan),
        stream_(stream),
        whole_(whole),
        columns_(static_cast<unsigned>(plan.columns.size())) {}

  unsigned arguments() const override { return first_length() + columns_ * (plan_.recycles ? 3 : 2); }

  // Sets what has changed since the last launch: where data is copied, the buffers stay.
  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const override {
    const bool fresh = previous == 0;
    for (unsigned k = 0; k < columns_ && (fresh || plan_.zero_copy); ++k) {
      const ChunkInput& input = plan_.inputs[k];
      const Buffer* const resident = plan_.resident.empty() ? nullptr : plan_.resident[k];
      launch.set_buffer(k, resident != nullptr                               ? *resident
                           : input.transport == ChunkInput::Transport::whole ? whole_[input.source]
                           : input.transport == ChunkInput::Transport::chunks
                               ? memory.inputs[input.source]
                               : memory.outputs.front());  // not looked at
    }
    if (fresh || plan_.zero_copy) launch.set_buffer(columns_, out(memory));
    if (fresh || previous != chunk.count) launch.set(columns_ + 1, static_cast<std::int32_t>(chunk.count));
    if (spec_.draws() && fresh) launch.set(columns_ + 2, stream_.seed);
    if (spec_.draws()) launch.set(columns_ + 3, first_draw(stream_, chunk));
    const unsigned each = plan_.recycles ? 3 : 2;
    for (unsigned k = 0; k < columns_ && (fresh || plan_.recycles || plan_.runs); ++k) {
      const Column& column = plan_.inputs[k].column;
      const unsigned index = first_length() + k * each;
      if (fresh) {
        launch.set(index, static_cast<std::int32_t>(plan_.length_argument(k)));
        launch.set(index + 1, plan_.columns[k].value);
      }
      if (plan_.columns[k].travel == Travel::runs)
        launch.set(index + 1, static_cast<std::int64_t>(flag_at(column, chunk.first)));
      if (plan_.recycles) launch.set(index + 2, static_cast<std::uint32_t>(chunk.first % column.length));
    }
    launch.items(spec_.draws() ? items_of_draws(first_draw(stream_, chunk), chunk.count) : chunk.count, spec_.cost);
  }

  // The end of the elements from `begin` on whose flags are equal.
  std::size_t end_of_run(std::size_t begin, std::size_t end) const override {
    if (!plan_.runs) return end;
    std::size_t last = begin + 1;
    for (; last < end; ++last)
      for (unsigned k = 0; k < columns_; ++k)
        if (plan_.columns[k].travel == Travel::runs &&
            flag_at(plan_.inputs[k].column, begin) != flag_at(plan_.inputs[k].column, last))
          return last;
    return last;
  }

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

// How a function of the table is computed: by the kernel of its row, or, draws of which there is a table, by that of
// tables.
class ElementwiseProgram {
 public:
  // What it is given outlives it, but for the device. `resident` as in the plan.
  ElementwiseProgram(SharedDevice device, const KernelSpec& spec, const std::vector<Column>& columns,
                     const std::vector<const Buffer*>& resident, DrawStream stream)
      : device_(std::move(device)), row_(spec), columns_(columns), resident_(resident), stream_(stream) {
    bool here = true;
    for (const Buffer* const buffer : resident) here = here && buffer == nullptr;
    if (spec.draws() && stream.tables && here) table_ = draw_table(spec, columns);
    if (table_ == nullptr) return;
    columns_.clear();
    resident_.clear();
  }

  const KernelSpec& spec() const { return table_ != nullptr ? table_->spec() : row_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<const Buffer*>& resident() const { return resident_; }

  // `text`: of the row's kernel.
  SharedProgram program(const ProgramText& text, const ElementwisePlan& plan, RunReport& report) const {
    if (table_ == nullptr) return device_->program(elementwise_program(row_, text, plan), &report);
    const auto tables = [this] { return kernel_program_text(table_->spec()); };
    return device_->program(elementwise_program(table_->spec(), tables, ElementwisePlan()), &report);
  }

  std::unique_ptr<ChunkKernel> kernel(const ElementwisePlan& plan, const std::vector<Buffer>& whole) const {
    if (table_ != nullptr) return std::make_unique<TableDrawsKernel>(*device_, table_, stream_);
    return std::make_unique<ElementwiseKernel>(row_, plan, stream_, whole);
  }

 private:
  const SharedDevice device_;
  const KernelSpec& row_;
  std::vector<Column> columns_;
  std::vector<const Buffer*> resident_;
  const DrawStream stream_;
  std::shared_ptr<const DrawTable> table_;
};

}  // namespace openclPort

#endif
