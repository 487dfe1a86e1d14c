// elementwise -- columns of any length, chunk by chunk, in bounded memory; see stream_worker.h.
#include "engine/elementwise.h"

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/device_split.h"
#include "engine/elementwise_kernel.h"
#include "engine/lookup.h"

namespace openclPort {

namespace {

constexpr std::size_t kDrawsTogether = 256;  // those of 32 work-items (sunif.cl): device ranges do not divide them

Pace pace_of(const DeviceInfo& device, const KernelSpec& spec, const ElementwisePlan& plan, bool asked) {
  if (asked || device.immediate) return Pace(plan.chunk_size, plan.chunk_size, 1.0);
  return device_pace(device, spec.cost, plan.chunk_size,
                     plan.zero_copy ? first_zero_copy_chunk(device) : plan.chunk_size);
}

// What a call computes; all of it outlives the call.
struct ElementwiseCall {
  const KernelSpec& spec;
  const std::vector<Column>& columns;
  std::size_t n;
  double* out;
  const ElementwiseOptions& options;
  DrawStream stream;
  bool for_table = false;  // that another call looks its elements up in
};

// A device's elements of a call. Made on the caller's thread, which builds the program.
class ElementwiseRange {
 public:
  ElementwiseRange(const ElementwiseCall& call, const DeviceRange& range, const ProgramText& program_text,
                   RunReport& report)
      : call_(call),
        device_(range.device),
        program_of_(device_, call.spec, call.columns, {}, call.stream),
        plan_(plan_elementwise(device_->info(), program_of_.spec(), program_of_.columns(), {},
                               {range.first, range.count, call.n}, call.out, kDefaultChunk, call.options)) {
    program_ = program_of_.program(program_text, plan_, report);
    const LookupCall lookup = {call_.spec, call_.columns, {range.first, range.count, call_.n}, call_.out, nullptr,
                               nullptr,    call_.options};
    if (!call_.for_table) lookup_ = LookupRange::make(device_, lookup, report);
  }

  void run(RunReport& report, const CallHooks& hooks) {
    const auto direct = [this](const std::vector<Column>& columns, std::size_t n, double* out, RunReport& own,
                               const CallHooks& asking) {
      const auto text = [this] { return kernel_program_text(call_.spec); };
      ElementwiseRange({call_.spec, columns, n, out, call_.options, 0, true}, {device_, 0, n}, text, own)
          .run(own, asking);
    };
    if (lookup_ == nullptr || !lookup_->run(direct, report, hooks)) run_itself(report, hooks);
  }

 private:
  void run_itself(RunReport& report, const CallHooks& hooks) {
    Stopwatch watch;
    const DeviceInfo& info = device_->info();
    begin_report(report, call_.spec.name, info, plan_.n);
    expect_writes(call_.out + plan_.first, plan_.n * sizeof(double));
    const KernelSpec& spec = program_of_.spec();
    Pace pace = pace_of(info, spec, plan_, call_.options.chunk_size > 0);
    std::vector<Buffer> whole;
    const std::unique_ptr<ChunkKernel> kernel = program_of_.kernel(plan_, whole);
    ChunkStream{device_, program_, spec.kernel_name, spec.cost, plan_, *kernel, hooks, pace, whole}.run(report);
    const double seconds = watch.lap();
    if (info.immediate) report.compute = seconds;
    report.total += seconds;
  }

  const ElementwiseCall call_;
  const SharedDevice device_;  // outlives all buffers
  const ElementwiseProgram program_of_;
  const ElementwisePlan plan_;
  SharedProgram program_;
  std::unique_ptr<LookupRange> lookup_;  // null: each element is computed
};

void check_call(const ElementwiseCall& call) {
  check_columns(call.spec, call.columns);
  if (call.out == nullptr) throw NmathError("there is no room for the results", "run_elementwise");
}

void refuse_cells(const KernelSpec& spec) {
  if (spec.kind == KernelKind::cells)
    throw NmathError(std::string("function '") + spec.name + "' does not work element by element");
}

}  // namespace

void run_elementwise(const DeviceInfo& info, const KernelSpec& spec, const ProgramText& program_text,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, const ElementwiseOptions& options, DrawStream stream) {
  begin_report(report, spec.name, info, n);
  if (n == 0) return;
  const SharedDevice device = open_device(info);
  const ElementwiseCall call = {spec, columns, n, out, options, stream};
  check_call(call);
  ElementwiseRange(call, {device, 0, n}, program_text, report).run(report, hooks);
}

void run_elementwise(const std::vector<SharedDevice>& devices, const KernelSpec& spec,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, DrawStream stream) {
  refuse_cells(spec);
  Stopwatch watch;
  begin_report(report, spec.name, devices.front()->info(), n);
  if (n == 0) return;
  const ElementwiseOptions options;
  const ElementwiseCall call = {spec, columns, n, out, options, stream};
  check_call(call);
  const auto program = [&spec] { return kernel_program_text(spec); };
  const auto make = [&](const DeviceRange& range, RunReport& own) -> RangeTask {
    const auto work = std::make_shared<ElementwiseRange>(call, range, program, own);
    return [work](RunReport& done, const CallHooks& its_hooks) { work->run(done, its_hooks); };
  };
  const std::size_t multiple = spec.draws() ? kDrawsTogether : 1;
  run_divided(devices, {spec.kernel_name, n, multiple, least_divided(spec.cost)}, make, report, hooks);
  report.total = watch.lap();
}

void run_elementwise(const std::string& device, const KernelSpec& spec, const std::vector<Column>& columns,
                     std::size_t n, double* out, RunReport& report, const CallHooks& hooks, DrawStream stream) {
  run_elementwise({open_device(select_device(device))}, spec, columns, n, out, report, hooks, stream);
}

}  // namespace openclPort
