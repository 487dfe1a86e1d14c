// elementwise_kernel -- arguments of kernels of the table, and the launches of one device.
#include "engine/elementwise_kernel.h"

#include "base/stopwatch.h"

namespace openclPort {

namespace {

// In the form that a plan asks for (NMATH_RECYCLE in OPENCL.cl).
ProgramSource elementwise_program(const KernelSpec& spec, const ProgramText& text, const ElementwisePlan& plan) {
  const char* const name = plan.recycles ? "|recycled" : plan.scalars ? "|scalars" : "";
  const std::string form = plan.recycles ? "2" : plan.scalars ? "1\n#define NMATH_SCALARS" : "1";
  return {spec.kernel_file + std::string(name),
          [form, text] { return "#define NMATH_RECYCLE " + form + "\n" + text(); }, "", spec.registers};
}

int flag_at(const Column& column, std::size_t i) {
  return static_cast<const int*>(column.data)[column.length == 1 ? 0 : i % column.length];
}

}  // namespace

ElementwiseKernel::ElementwiseKernel(const KernelSpec& spec, const ElementwisePlan& plan, DrawStream stream,
                                     const std::vector<Buffer>& whole)
    : spec_(spec), plan_(plan), stream_(stream), whole_(whole), columns_(static_cast<unsigned>(plan.columns.size())) {}

void ElementwiseKernel::prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory,
                                std::size_t previous) const {
  const bool fresh = previous == 0;
  for (unsigned k = 0; k < columns_ && (fresh || plan_.zero_copy); ++k) {
    const ChunkInput& input = plan_.inputs[k];
    const Buffer* const resident = plan_.resident.empty() ? nullptr : plan_.resident[k];
    launch.set_buffer(k, resident != nullptr                                ? *resident
                         : input.transport == ChunkInput::Transport::whole  ? whole_[input.source]
                         : input.transport == ChunkInput::Transport::chunks ? memory.inputs[input.source]
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

std::size_t ElementwiseKernel::end_of_run(std::size_t begin, std::size_t end) const {
  if (!plan_.runs) return end;
  std::size_t last = begin + 1;
  for (; last < end; ++last)
    for (unsigned k = 0; k < columns_; ++k)
      if (plan_.columns[k].travel == Travel::runs &&
          flag_at(plan_.inputs[k].column, begin) != flag_at(plan_.inputs[k].column, last))
        return last;
  return last;
}

std::size_t items_of_draws(std::uint64_t first, std::size_t count) {
  constexpr std::size_t together = 32, pairs_of_item = 4;  // SUNIF_PAIRS
  const std::size_t pairs = (count + 1 + first % 2) / 2, in_step = together * pairs_of_item;
  return (pairs + in_step - 1) / in_step * together;
}

ElementwiseRange::ElementwiseRange(SharedDevice device, const ElementwiseCall& call, const ProgramText& text,
                                   RunReport& report)
    : device_(std::move(device)),
      spec_(call.spec),
      out_(call.out),
      stream_(call.stream),
      asked_(call.options.chunk_size > 0),
      plan_(plan_elementwise(device_->info(), call)) {
  program_ = device_->program(elementwise_program(call.spec, text, plan_), &report);
}

void ElementwiseRange::run(RunReport& report, const CallHooks& hooks) {
  const auto make = [this](const ElementwisePlan& plan, const std::vector<Buffer>& whole) {
    return std::make_unique<ElementwiseKernel>(spec_, plan, stream_, whole);
  };
  run(make, report, hooks);
}

void ElementwiseRange::run(const MakeKernel& make, RunReport& report, const CallHooks& hooks) {
  Stopwatch watch;
  const DeviceInfo& info = device_->info();
  if (out_ != nullptr) expect_writes(out_ + plan_.first, plan_.n * sizeof(double));
  Pace pace = pace_of(info, spec_.cost, plan_, 0.0, asked_);
  if (!info.immediate && !plan_.zero_copy && !plan_.staged && plan_.workers == 1 && pace.chunk() < plan_.n)
    plan_.slots = 2;
  std::vector<Buffer> whole;
  const std::unique_ptr<ChunkKernel> kernel = make(plan_, whole);
  ChunkStream{device_, program_, spec_.kernel_name, spec_.cost, plan_, *kernel, hooks, pace, whole}.run(report);
  const double seconds = watch.lap();
  if (info.immediate) report.compute += seconds;
  report.total += seconds;
}

void run_parts(const std::vector<ElementwisePart>& parts,
               const std::function<RangeTask(const ElementwisePart& part, RunReport& report)>& make, RunReport& report,
               const CallHooks& hooks) {
  std::vector<DeviceRange> ranges;
  for (const ElementwisePart& part : parts)
    ranges.push_back({part.device, part.call.range.first, part.call.range.count});
  const auto make_range = [&](const DeviceRange& range, RunReport& building) {
    return make(parts[static_cast<std::size_t>(&range - ranges.data())], building);
  };
  run_ranges(ranges, make_range, report, hooks);
}

}  // namespace openclPort
