// elementwise -- columns of any length, piece by piece, in bounded memory; see piece_lane.h.
#include "engine/elementwise.h"

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/elementwise_plan.h"
#include "engine/piece_lane.h"

namespace openclPort {

namespace {

int flag_at(const Column& column, std::size_t i) {
  return static_cast<const int*>(column.data)[column.length == 1 ? 0 : i % column.length];
}

// The arguments of a kernel of the table: columns, result, length, those of draws, and what recycles the columns.
class ElementwiseKernel : public PieceKernel {
 public:
  ElementwiseKernel(const KernelSpec& spec, const ElementwisePlan& plan, std::uint64_t seed,
                    const std::vector<Buffer>& whole)
      : spec_(spec), plan_(plan), seed_(seed), whole_(whole), columns_(static_cast<unsigned>(plan.columns.size())) {}

  unsigned arguments() const override { return first_length() + columns_ * (plan_.recycles ? 3 : 2); }

  // Sets what has changed since the last launch: where data is copied, the buffers stay.
  void prepare(Launch& launch, const Piece& piece, const PieceMemory& memory, std::size_t previous) const override {
    const bool fresh = previous == 0;
    for (unsigned k = 0; k < columns_ && (fresh || plan_.share); ++k) {
      const PieceInput& input = plan_.inputs[k];
      launch.set_buffer(k, input.way == PieceInput::Way::whole    ? whole_[input.source]
                           : input.way == PieceInput::Way::pieces ? memory.inputs[input.source]
                                                                  : memory.outputs.front());  // not looked at
    }
    if (fresh || plan_.share) launch.set_buffer(columns_, memory.outputs.front());
    if (previous != piece.count) launch.set(columns_ + 1, static_cast<std::int32_t>(piece.count));
    if (spec_.draws() && fresh) launch.set(columns_ + 2, seed_);
    if (spec_.draws()) launch.set(columns_ + 3, static_cast<std::uint64_t>(piece.first));
    const unsigned each = plan_.recycles ? 3 : 2;
    for (unsigned k = 0; k < columns_ && (fresh || plan_.recycles || plan_.runs); ++k) {
      const Column& column = plan_.inputs[k].column;
      const unsigned index = first_length() + k * each;
      if (fresh) {
        launch.set(index, static_cast<std::int32_t>(plan_.length_argument(k)));
        launch.set(index + 1, plan_.columns[k].value);
      }
      if (plan_.columns[k].travel == Travel::runs)
        launch.set(index + 1, static_cast<std::int64_t>(flag_at(column, piece.first)));
      if (plan_.recycles) launch.set(index + 2, static_cast<std::uint32_t>(piece.first % column.length));
    }
    launch.items(piece.count, spec_.cost);
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

 private:
  unsigned first_length() const { return columns_ + (spec_.draws() ? 4 : 2); }  // the argument's number

  const KernelSpec& spec_;
  const ElementwisePlan& plan_;
  const std::uint64_t seed_;  // of draws: the kernel takes it, and the number of a piece's first draw
  const std::vector<Buffer>& whole_;
  const unsigned columns_;
};

Pace pace_of(const DeviceInfo& device, const KernelSpec& spec, const ElementwisePlan& plan, bool asked) {
  if (asked || device.immediate) return Pace(plan.chunk, plan.chunk, 1.0);
  return device_pace(device, spec.cost, plan.chunk, plan.share ? first_shared_piece(device) : plan.chunk);
}

ProgramSource source_of(const KernelSpec& spec, const ProgramText& text, bool recycles) {
  const std::string form = recycles ? "2" : "1";
  return {spec.kernel_file + std::string(recycles ? "|recycled" : ""),
          [form, text] { return "#define NMATH_RECYCLE " + form + "\n" + text(); }, ""};
}

}  // namespace

void run_elementwise(const DeviceInfo& info, const KernelSpec& spec, const ProgramText& program_text,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, const ElementwiseOptions& options, std::uint64_t seed) {
  Stopwatch watch;
  report.function = spec.name;
  report.device = info.name;
  report.device_type = info.type;
  report.elements = n;
  if (n == 0) return;
  const SharedDevice device = open_device(info);  // outlives all buffers
  check_columns(spec, columns, out);
  expect_writes(out, n * sizeof(double));

  const ElementwisePlan plan = plan_elementwise(info, spec, columns, n, out, options);
  SharedProgram program = device->program(source_of(spec, program_text, plan.recycles), &report);
  Pace pace = pace_of(info, spec, plan, options.chunk > 0);
  std::vector<Buffer> whole;
  const ElementwiseKernel kernel(spec, plan, seed, whole);
  PieceStream{device, std::move(program), spec.kernel_name, spec.cost, plan, kernel, hooks, pace, whole}.run(report);
  const double seconds = watch.lap();
  if (info.immediate) report.compute = seconds;
  report.total += seconds;
}

void run_elementwise(const std::string& device, const KernelSpec& spec, const std::vector<Column>& columns,
                     std::size_t n, double* out, RunReport& report, const CallHooks& hooks, std::uint64_t seed) {
  if (spec.kind == KernelKind::cells)
    throw NmathError(std::string("function '") + spec.name + "' does not work element by element");
  Stopwatch watch;
  const auto program = [&spec] { return kernel_program_text(spec); };
  run_elementwise(select_device(device), spec, program, columns, n, out, report, hooks, {}, seed);
  report.total = watch.lap();
}

}  // namespace openclPort
