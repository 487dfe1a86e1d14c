// staged_run -- one call of a function in stages from a plan: on a device all launches are put on one queue, and what
// comes back comes at once; on the host one is over before the next begins.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "expression_key.h"
#include "fused_call.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "result_memory.h"
#include "staged_plan.h"
#include "vector_columns.h"

using openclPort::Buffer;
using openclPort::ElementType;
using openclPort::FusedCall;
using openclPort::FusedColumn;
using openclPort::FusedKernel;
using openclPort::Grouping;
using openclPort::NmathError;
using openclPort::Queue;
using openclPort::RunReport;
using openclPort::SharedDevice;

namespace {

constexpr std::size_t kStays = SIZE_MAX;

double as_number(SEXP x, R_xlen_t i) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[i];
  const int value = TYPEOF(x) == INTSXP ? INTEGER(x)[i] : LOGICAL(x)[i];
  return value == NA_INTEGER ? NA_REAL : value;
}

int as_whole(double x) { return std::isnan(x) ? NA_INTEGER : static_cast<int>(x); }

// One call. Destroyed in reverse order: the queue is finished before what it reads goes.
class Run {
 public:
  Run(StagedPlan& plan, SEXP inputs, SEXP outputs, const openclPort::CallHooks& hooks)
      : plan_(plan),
        inputs_(inputs),
        outputs_(outputs),
        hooks_(hooks),
        computed_(plan.travels.size()),
        found_(plan.travels.size()) {}

  // False where several devices are asked for.
  bool find_device(const std::vector<std::string>& asked) {
    device_ = device_of_staged(plan_, inputs_, asked);
    return device_ != nullptr;
  }

  bool compute(RunReport& report) {
    openclPort::Stopwatch watch;
    if (!can_launch()) return false;
    if (!on_host()) prepare();
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      openclPort::stop_if(hooks_.interrupted);
      if (!(plan_.steps[s].handle == nullptr ? compute_step(s) : launch_step(s, report))) return false;
    }
    openclPort::begin_report(report, "opencl_function", device_->info(), elements_);
    report.total = watch.lap();
    report.compute = waited_;
    report.chunks = launches_;
    return true;
  }

  const StagedValues& values() const { return known_; }
  const std::vector<StagedNumbers>& found() const { return found_; }

 private:
  bool on_host() const { return device_->info().immediate; }
  bool is_given(int input) const { return input <= plan_.n_given; }
  SEXP given(int input) const { return VECTOR_ELT(inputs_, input - 1); }
  StagedMemory& memory() { return *memory_; }

  // Whether all kernels have run on the device, and are over soon where they come in one piece.
  bool can_launch() const {
    static const Buffer there;
    for (const StagedStep& step : plan_.steps) {
      if (step.handle == nullptr) continue;
      FusedKernel& kernel = fused_kernel_of(step.handle);
      FusedCall call;
      call.n = static_cast<std::size_t>(step.n);
      for (std::size_t k = 0; k < step.columns.size(); ++k) {
        call.columns.emplace_back();
        call.columns.back().resident = &there;
      }
      if (on_host() ? kernel.known_on(device_) == nullptr : !openclPort::fits_queue(device_, kernel, call))
        return false;
    }
    return true;
  }

  // ---- memory of a device

  void prepare() {
    memory_ = std::move(plan_.memory);  // is given back once all has gone well
    if (memory_ == nullptr || memory_->device->identity() != device_->identity())
      memory_ = make_staged_memory(plan_, device_);
    queue_ = device_->queue(false);
    send_given();
  }

  ElementType type_of(std::size_t input) const { return plan_.whole[input] != 0 ? ElementType::i32 : ElementType::f64; }
  std::size_t bytes_of(std::size_t input) const { return plan_.sizes[input] * element_bytes(type_of(input)); }
  unsigned char* departing(std::size_t input) {
    return static_cast<unsigned char*>(memory().departing.host()) + plan_.travels[input];
  }

  // The call's own vectors, all in one piece.
  void send_given() {
    std::size_t begin = SIZE_MAX, end = 0;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(plan_.n_given); ++k) {
      if (plan_.travels[k] == kStays) continue;
      const void* from = nullptr;
      r::enter([&] {
        from = column_of(given(static_cast<int>(k))).data;
        return R_NilValue;
      });
      std::memcpy(departing(k), from, bytes_of(k));
      begin = std::min(begin, plan_.travels[k]);
      end = std::max(end, plan_.travels[k] + bytes_of(k));
    }
    if (end > 0)
      queue_->write(memory().given, begin, static_cast<unsigned char*>(memory().departing.host()) + begin, end - begin);
  }

  void send_computed(std::size_t input) {
    if (plan_.travels[input] == kStays) return;
    const std::vector<double>& from = computed_[input];
    unsigned char* const to = departing(input);
    for (std::size_t i = 0; i < plan_.sizes[input]; ++i) {
      if (plan_.whole[input] != 0)
        reinterpret_cast<int*>(to)[i] = as_whole(from[i]);
      else
        reinterpret_cast<double*>(to)[i] = from[i];
    }
    queue_->write(memory().given, plan_.travels[input], to, bytes_of(input));
  }

  // Waits for all launches so far. False where the flags of one say something.
  bool fetch() {
    if (on_host() || fetched_ == launched_) return true;
    const unsigned char* const landed = static_cast<const unsigned char*>(memory().landing.host());
    queue_->read(memory().results, 0, memory().landing.host(), plan_.back_bytes);
    openclPort::Stopwatch watch;
    queue_->finish();
    waited_ += watch.lap();
    for (std::size_t s = fetched_; s < launched_; ++s) {
      const StagedStep& step = plan_.steps[s];
      if (step.handle == nullptr) continue;
      const openclPort::FusedSpec& spec = fused_kernel_of(step.handle).spec();
      const int* const words = reinterpret_cast<const int*>(landed + step.flags);
      if (spec.tells(words)) return false;
      raised_ = raised_ || std::any_of(words, words + spec.flags, [](int word) { return word != 0; });
      for (const StagedOutput& output : step.outputs)
        if (output.comes_back) take_in(output, reinterpret_cast<const double*>(landed + output.first));
    }
    fetched_ = launched_;
    return true;
  }

  // What a launch has left, where it lies until the call is over.
  void take_in(const StagedOutput& output, const double* from) {
    if (output.input == 0) return;
    const std::size_t at = static_cast<std::size_t>(output.input);
    found_[at] = {from, std::min(plan_.sizes[at], output.numbers)};
    if (output.divisor == 1.0) return;
    std::vector<double>& to = computed_[at];
    to.assign(from, from + found_[at].count);
    for (double& x : to) x /= output.divisor;
    found_[at].data = to.data();
  }

  // ---- steps

  bool compute_step(std::size_t s) {
    const StagedStep& step = plan_.steps[s];
    if (!fetch()) return false;
    const auto input = [this](int k, std::vector<double>& value) { return value_of(k, value); };
    if (!compute_values(plan_, step, input, known_)) return false;
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(step.inputs[k]);
      computed_[at] = known_[static_cast<std::size_t>(step.nodes[k])];
      if (computed_[at].size() < std::max<std::size_t>(plan_.sizes[at], 1)) return false;
      found_[at] = {computed_[at].data(), computed_[at].size()};
      if (!on_host()) send_computed(at);
    }
    launched_ = fetched_ = s + 1;
    return true;
  }

  bool value_of(int input, std::vector<double>& value) {
    if (!is_given(input)) {
      const StagedNumbers& known = found_[static_cast<std::size_t>(input)];
      value.assign(known.data, known.data + known.count);
      return !value.empty();
    }
    SEXP const x = given(input);
    if (resident_object::is(x)) return false;
    value.resize(static_cast<std::size_t>(Rf_xlength(x)));
    r::enter([&] {
      for (std::size_t i = 0; i < value.size(); ++i) value[i] = as_number(x, static_cast<R_xlen_t>(i));
      return R_NilValue;
    });
    return true;
  }

  bool launch_step(std::size_t s, RunReport& report) {
    const StagedStep& step = plan_.steps[s];
    FusedKernel& kernel = fused_kernel_of(step.handle);
    for (const int input : step.scalars)
      if (!is_given(input) && found_[static_cast<std::size_t>(input)].count == 0 && !fetch()) return false;
    FusedCall call;
    call.n = static_cast<std::size_t>(step.n);
    for (const int input : step.scalars) {
      std::vector<double> value;
      if (!value_of(input, value) || value.size() != 1) return false;
      call.scalars.push_back(value[0]);
    }
    call.scalars.insert(call.scalars.end(), step.lengths.begin(), step.lengths.end());
    whole_.clear();
    for (const int input : step.columns) call.columns.push_back(column(input));
    std::shared_ptr<const Grouping> groups;
    if (step.groups > 0) {
      groups = groups_of_step(plan_, s, inputs_);
      if (groups == nullptr || groups->positions() == 0) return false;
      call.grouping = groups.get();
      groups_.push_back(groups);
    }
    elements_ = call.n;
    return on_host() ? run_here(s, kernel, call, report) : queue(s, kernel, call);
  }

  bool queue(std::size_t s, FusedKernel& kernel, const FusedCall& call) {
    openclPort::queue_fused(*queue_, device_, kernel, call, openclPort::pointers_to(memory().outputs[s]),
                            kernel.spec().flags > 0 ? &memory().flags[s] : nullptr, memory().calls[s]);
    launched_ = s + 1;
    ++launches_;
    return true;
  }

  bool run_here(std::size_t s, FusedKernel& kernel, FusedCall& call, RunReport& report) {
    const StagedStep& step = plan_.steps[s];
    SEXP const results = r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(step.outputs.size())); });
    SET_VECTOR_ELT(outputs_, static_cast<R_xlen_t>(s), results);
    for (std::size_t j = 0; j < step.outputs.size(); ++j) {
      SEXP const result = new_result(REALSXP, static_cast<R_xlen_t>(step.outputs[j].numbers));
      SET_VECTOR_ELT(results, static_cast<R_xlen_t>(j), result);
      call.values.push_back(REAL(result));
    }
    openclPort::Stopwatch watch;
    const std::vector<int> flags = run_fused(device_, kernel, call, report, hooks_);
    waited_ += watch.lap();
    ++launches_;
    if (kernel.spec().tells(flags.data())) return false;
    for (std::size_t j = 0; j < step.outputs.size(); ++j)
      if (step.outputs[j].comes_back) take_in(step.outputs[j], static_cast<const double*>(call.values[j]));
    return true;
  }

  // Where a launch finds an input.
  FusedColumn column(int input) {
    using openclPort::Column;
    const std::size_t at = static_cast<std::size_t>(input);
    FusedColumn column;
    const Column::Type type = plan_.whole[at] != 0 ? Column::Type::i32 : Column::Type::f64;
    if (is_given(input) && resident_object::is(given(input))) {
      const openclPort::Resident& there =
          handles::resident_of(resident_object::field(given(input), resident_object::handle));
      column.column = {nullptr, there.elements(), type};
      column.resident = &there.buffer();
      return column;
    }
    if (on_host()) return host_column(input, type);
    column.column = {nullptr, plan_.sizes[at], type};
    column.resident = plan_.travels[at] != kStays ? &memory().columns[at] : output_of(input);
    if (column.resident != nullptr) column.column.length = column.resident->elements();
    return column;
  }

  const Buffer* output_of(int input) {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      for (std::size_t j = 0; j < plan_.steps[s].outputs.size(); ++j)
        if (plan_.steps[s].outputs[j].input == input) return &memory().outputs[s][j];
    return nullptr;
  }

  FusedColumn host_column(int input, openclPort::Column::Type type) {
    const std::size_t at = static_cast<std::size_t>(input);
    FusedColumn column;
    if (is_given(input)) {
      r::enter([&] {
        column.column = column_of(given(input));
        return R_NilValue;
      });
      return column;
    }
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      for (std::size_t j = 0; j < plan_.steps[s].outputs.size(); ++j)
        if (plan_.steps[s].outputs[j].input == input) {
          SEXP const made = VECTOR_ELT(VECTOR_ELT(outputs_, static_cast<R_xlen_t>(s)), static_cast<R_xlen_t>(j));
          column.column = {REAL(made), plan_.sizes[at], type};
          return column;
        }
    const std::vector<double>& made = computed_[at];
    column.column = {made.data(), made.size(), type};
    if (type == openclPort::Column::Type::f64) return column;
    whole_.emplace_back(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) whole_.back()[i] = as_whole(made[i]);
    column.column.data = whole_.back().data();
    return column;
  }

  StagedPlan& plan_;
  SEXP const inputs_;
  SEXP const outputs_;  // on the host: by step, a list of vectors
  const openclPort::CallHooks& hooks_;
  std::vector<std::vector<double>> computed_;  // by input, what is computed here
  std::vector<StagedNumbers> found_;           // by input, what has come back
  StagedValues known_;
  std::vector<std::vector<int>> whole_;
  std::vector<std::shared_ptr<const Grouping>> groups_;
  std::size_t elements_ = 0, launched_ = 0, fetched_ = 0, launches_ = 0;
  double waited_ = 0.0;  // seconds, for the device
  bool raised_ = false;  // whether some flags are not 0
  SharedDevice device_;
  std::unique_ptr<StagedMemory> memory_;
  std::unique_ptr<Queue> queue_;

  void clear_flags() {
    for (const Buffer& flags : memory().flags) {
      if (!flags) continue;
      std::memset(memory().landing.host(), 0, flags.bytes());
      queue_->write(flags, 0, memory().landing.host(), flags.bytes());
      queue_->finish();
    }
  }

 public:
  // What is on the device is good for the next call.
  void keep() {
    if (raised_) clear_flags();
    queue_.reset();
    if (memory_ != nullptr && memory_->bytes <= device_->info().global_mem / kMostKept)
      plan_.memory = std::move(memory_);
  }
};

}  // namespace

SEXP run_staged(StagedPlan& plan, SEXP inputs, const std::vector<std::string>& device, SEXP progress,
                RunReport& report) {
  apply_thread_option();
  const r::Keep outputs(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(plan.steps.size())); }));
  double elements = 0;
  for (const StagedStep& step : plan.steps) elements += step.n;
  CallMonitor monitor(progress, static_cast<std::size_t>(elements));
  const openclPort::CallHooks hooks = hooks_of(monitor);
  report = RunReport();
  Run run(plan, inputs, outputs, hooks);
  try {
    if (!run.find_device(device) || !run.compute(report)) return R_NilValue;
    const auto lacks = [&](const StagedCurve& one) { return run.values()[static_cast<std::size_t>(one.node)].empty(); };
    if (run.values()[static_cast<std::size_t>(plan.root)].size() != 1) return R_NilValue;
    if (std::any_of(plan.curves.begin(), plan.curves.end(), lacks)) return R_NilValue;
  } catch (const NmathError& error) {
    if (openclPort::is_out_of_memory(error)) return R_NilValue;  // R collects its garbage, and goes in pieces
    throw;
  }
  const r::Keep value(staged_value(plan, inputs, run.values(), run.found()));
  run.keep();
  return value;
}
