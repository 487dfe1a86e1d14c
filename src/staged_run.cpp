// staged_run -- what a call from a plan sends to its device and fetches from there; see staged_call.h.
#include <algorithm>
#include <cstring>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "r_boundary.h"
#include "staged_call.h"
#include "vector_columns.h"

using openclPort::Buffer;
using openclPort::FusedCall;
using openclPort::FusedKernel;
using openclPort::NmathError;
using openclPort::RunReport;

bool StagedCall::find_device(const std::vector<std::string>& asked) {
  device_ = device_of_staged(plan_, inputs_, asked);
  return device_ != nullptr;
}

bool StagedCall::compute(RunReport& report) {
  openclPort::Stopwatch watch;
  if (!can_launch()) return false;
  if (!on_host()) prepare();
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    openclPort::stop_if(hooks_.interrupted);
    const StagedStep& step = plan_.steps[s];
    if (!(step.loop != nullptr ? loop_step(s, report) : step.launches() ? launch_step(s, report) : compute_step(s)))
      return false;
  }
  openclPort::begin_report(report, "opencl_function", device_->info(), elements_);
  report.total = watch.lap();
  report.compute = waited_;
  report.chunks = launches_;
  return true;
}

bool StagedCall::can_launch() const {
  static const Buffer there;
  for (const StagedStep& step : plan_.steps) {
    if (step.loop != nullptr && !can_loop(step)) return false;
    if (step.handle == nullptr) continue;
    FusedKernel& kernel = fused_kernel_of(step.handle);
    FusedCall call;
    call.n = static_cast<std::size_t>(step.n);
    for (std::size_t k = 0; k < step.columns.size(); ++k) {
      call.columns.emplace_back();
      call.columns.back().resident = &there;
    }
    if (on_host() ? kernel.known_on(device_) == nullptr : !openclPort::fits_queue(device_, kernel, call)) return false;
  }
  return true;
}

void StagedCall::prepare() {
  memory_ = std::move(plan_.memory);  // is given back once all has gone well
  if (memory_ == nullptr || memory_->device->identity() != device_->identity())
    memory_ = make_staged_memory(plan_, device_);
  queue_ = device_->queue(false);
  send_given();
}

unsigned char* StagedCall::departing(std::size_t input) {
  return static_cast<unsigned char*>(memory().departing.host()) + plan_.travels[input];
}

void StagedCall::send_given() {
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

void StagedCall::send_computed(std::size_t input) {
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

bool StagedCall::fetch() {
  if (on_host() || fetched_ == launched_) return true;
  const unsigned char* const landed = static_cast<const unsigned char*>(memory().landing.host());
  queue_->read(memory().results, 0, memory().landing.host(), plan_.back_bytes);
  openclPort::Stopwatch watch;
  queue_->finish();
  waited_ += watch.lap();
  for (std::size_t s = fetched_; s < launched_; ++s) {
    const StagedStep& step = plan_.steps[s];
    if (!step.launches() || taken_[s] != 0) continue;
    if (step.loop != nullptr && !take_carried(step, reinterpret_cast<const double*>(landed + step.outputs[0].first)))
      return false;
    if (step.handle != nullptr) {
      const openclPort::FusedSpec& spec = fused_kernel_of(step.handle).spec();
      const int* const words = reinterpret_cast<const int*>(landed + step.flags);
      if (spec.tells(words)) return false;
      raised_ = raised_ || std::any_of(words, words + spec.flags, [](int word) { return word != 0; });
    }
    if (!take_outputs(step, [&](std::size_t j) { return landed + step.outputs[j].first; })) return false;
    store_sums(s);
  }
  fetched_ = launched_;
  return true;
}

bool StagedCall::take_outputs(const StagedStep& step, const Left& left) {
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    const StagedOutput& output = step.outputs[j];
    if (!output.comes_back || output.input == 0) continue;
    if (output.joined.op.empty()) {
      take_in(output, left(j));
      continue;
    }
    const std::size_t at = static_cast<std::size_t>(output.input);
    const double second = output.joined.pair ? number_left(step.outputs[j + 1].type, left(j + 1), 0) : output.divisor;
    double value = 0;
    if (!joined_value(output.joined, number_left(output.type, left(j), 0), second, value)) return false;
    computed_[at] = {value};
    found_[at] = {computed_[at].data(), 1};
  }
  return true;
}

void StagedCall::take_in(const StagedOutput& output, const void* from) {
  const std::size_t at = static_cast<std::size_t>(output.input);
  const std::size_t count = std::min(plan_.sizes[at], output.numbers);
  if (output.type == openclPort::ElementType::f64 && output.divisor == 1.0) {
    found_[at] = {static_cast<const double*>(from), count};
    return;
  }
  std::vector<double>& to = computed_[at];
  to.resize(count);
  for (std::size_t i = 0; i < count; ++i) to[i] = number_left(output.type, from, i) / output.divisor;
  found_[at] = {to.data(), count};
}

void StagedCall::clear_flags() {
  for (const Buffer& flags : memory().flags) {
    if (!flags) continue;
    std::memset(memory().landing.host(), 0, flags.bytes());
    queue_->write(flags, 0, memory().landing.host(), flags.bytes());
    queue_->finish();
  }
}

void StagedCall::keep() {
  constexpr std::size_t most = 65536;  // numbers, of which memory is kept
  std::size_t numbers = 0;
  for (const std::vector<double>& one : known_) numbers += one.capacity();
  if (numbers <= most) plan_.values = std::move(known_);
  if (raised_) clear_flags();
  queue_.reset();
  if (memory_ != nullptr && memory_->bytes <= device_->info().global_mem / kLeastPartOfMemory)
    plan_.memory = std::move(memory_);
}

SEXP run_staged(StagedPlan& plan, SEXP inputs, const std::vector<std::string>& device, SEXP progress, bool keep,
                RunReport& report) {
  apply_thread_option();
  const r::Keep outputs(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(plan.steps.size())); }));
  double elements = 0;
  for (const StagedStep& step : plan.steps) elements += step.n;
  CallMonitor monitor(progress, static_cast<std::size_t>(elements));
  const openclPort::CallHooks hooks = hooks_of(monitor);
  report = RunReport();
  StagedCall run(plan, inputs, outputs, hooks);
  try {
    if (!run.find_device(device) || !run.compute(report)) return R_NilValue;
    if (plan.result != nullptr) {
      const r::Keep value(run.elements(progress, keep, report));
      if (value != R_NilValue) run.keep();
      return value;
    }
    const auto lacks = [&](const StagedCurve& one) { return run.values()[static_cast<std::size_t>(one.node)].empty(); };
    const std::size_t numbers = run.values()[static_cast<std::size_t>(plan.root)].size();
    if (plan.series > 0 ? numbers == 0 : numbers != 1) return R_NilValue;
    if (std::any_of(plan.curves.begin(), plan.curves.end(), lacks)) return R_NilValue;
  } catch (const NmathError& error) {
    if (openclPort::is_out_of_memory(error)) return R_NilValue;  // R collects its garbage, and goes in chunks
    throw;
  }
  const r::Keep value(plan.series > 0 ? series_value(plan, run.values(), run.found())
                                      : staged_value(plan, inputs, run.values(), run.found()));
  run.keep();
  return value;
}
