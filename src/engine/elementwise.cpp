// elementwise -- which kernel computes a call: that of a law's table, of values that are looked up, of constant
// parameters, or of the function's row.
#include "engine/elementwise.h"

#include <mutex>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "engine/constant_parameters.h"
#include "engine/elementwise_kernel.h"
#include "engine/find_draw_table.h"
#include "engine/lookup.h"

namespace openclPort {

namespace {

constexpr std::size_t kDrawsTogether = 256;  // those of 32 work-items (sunif.cl): device ranges do not divide them

// The table that draws come from; null: there is none.
std::shared_ptr<const DrawTable> table_of(const ElementwiseCall& call) {
  for (const Buffer* const buffer : call.resident)
    if (buffer != nullptr) return nullptr;
  return call.spec.draws() && call.stream.tables ? find_draw_table(call.spec, call.columns) : nullptr;
}

// A device's elements of a call. Made on the caller's thread, which builds the programs.
class ElementwiseTask {
 public:
  ElementwiseTask(SharedDevice device, ElementwiseCall call, const ProgramText& text, RunReport& report)
      : device_(std::move(device)),
        call_(std::move(call)),
        table_(table_of(call_)),
        range_(table_ == nullptr ? ElementwiseRange(device_, call_, text, report) : range_of_table(report)),
        lookup_(LookupRange::make(device_, call_, report)) {
    if (call_.resident_out != nullptr) resident_draws_program(device_);
  }

  void run(RunReport& report, const CallHooks& hooks) {
    begin_report(report, call_.spec.name, device_->info(), call_.range.count);
    if (lookup_ != nullptr && lookup_->run(report, hooks)) return;
    if (table_ == nullptr) return range_.run(report, hooks);
    range_.run([this](const ElementwisePlan&, const std::vector<Buffer>&) { return table_kernel(); }, report, hooks);
  }

  // The same where the results are resident draws.
  DrawsFound draw(bool na, RunReport& report, const CallHooks& hooks) {
    begin_report(report, call_.spec.name, device_->info(), call_.range.count);
    const DrawStore store(device_, *call_.resident_out, call_.range.first, na);
    const auto make = [&](const ElementwisePlan& plan, const std::vector<Buffer>& whole) {
      std::unique_ptr<ChunkKernel> draws = table_kernel();
      if (draws == nullptr) draws = std::make_unique<ElementwiseKernel>(call_.spec, plan, call_.stream, whole);
      return std::make_unique<StoringKernel>(std::move(draws), store);
    };
    range_.run(make, report, hooks);
    return store.found();
  }

 private:
  ElementwiseRange range_of_table(RunReport& report) const {
    const KernelSpec& spec = table_->spec();
    const ElementwiseCall own = {spec, {}, {}, call_.range, call_.out, call_.resident_out, call_.stream, call_.options};
    const auto text = [&spec] { return kernel_program_text(spec); };
    return ElementwiseRange(device_, own, text, report);
  }
  std::unique_ptr<ChunkKernel> table_kernel() const {
    return table_ == nullptr ? nullptr : std::make_unique<TableDrawsKernel>(*device_, table_, call_.stream);
  }

  const SharedDevice device_;
  const ElementwiseCall call_;
  const std::shared_ptr<const DrawTable> table_;
  ElementwiseRange range_;
  const std::unique_ptr<LookupRange> lookup_;  // null: each element is computed
};

void check_call(const ElementwiseCall& call) {
  check_columns(call);
  if (call.out == nullptr) throw NmathError("there is no room for the results", "run_elementwise");
}

}  // namespace

void run_elementwise(const DeviceInfo& info, const KernelSpec& spec, const ProgramText& program_text,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, const ElementwiseOptions& options, DrawStream stream) {
  begin_report(report, spec.name, info, n);
  if (n == 0) return;
  const SharedDevice device = open_device(info);
  ElementwiseCall call = {spec, columns, {}, {0, n, n}, out, nullptr, stream, options};
  check_call(call);
  ElementwiseTask(device, std::move(call), program_text, report).run(report, hooks);
}

void run_elementwise(const std::vector<SharedDevice>& devices, const KernelSpec& spec,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks, DrawStream stream) {
  if (spec.kind == KernelKind::cells)
    throw NmathError(std::string("function '") + spec.name + "' does not work element by element");
  Stopwatch watch;
  begin_report(report, spec.name, devices.front()->info(), n);
  if (n == 0) return;
  ElementwiseCall call = {spec, columns, {}, {0, n, n}, out, nullptr, stream};
  check_call(call);
  if (run_constant_parameters(devices, call, report, hooks)) return;
  const auto make = [&](const DeviceRange& range, RunReport& own) -> RangeTask {
    ElementwiseCall its = devices.size() == 1 ? std::move(call) : call;
    its.range = {range.first, range.count, n};
    const auto text = [&spec] { return kernel_program_text(spec); };
    const auto work = std::make_shared<ElementwiseTask>(range.device, std::move(its), text, own);
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

DrawsFound run_resident_draws(const std::vector<ElementwisePart>& parts, bool na, RunReport& report,
                              const CallHooks& hooks) {
  DrawsFound found;
  std::mutex mutex;
  const auto make = [&](const ElementwisePart& part, RunReport& building) -> RangeTask {
    check_columns(part.call);
    const auto text = [&part] { return kernel_program_text(part.call.spec); };
    const auto work = std::make_shared<ElementwiseTask>(part.device, part.call, text, building);
    return [&, work, na](RunReport& done, const CallHooks& its_hooks) {
      const DrawsFound own = work->draw(na, done, its_hooks);
      const std::lock_guard<std::mutex> lock(mutex);
      found.missing = found.missing || own.missing;
      found.beyond = found.beyond || own.beyond;
    };
  };
  run_parts(parts, make, report, hooks);
  return found;
}

}  // namespace openclPort
