// staged_steps -- the steps of a call from a plan: values, launches, loops over data; see staged_call.h.
#include <algorithm>

#include "base/stopwatch.h"
#include "engine/fused_join.h"
#include "expression/prepare.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "result_memory.h"
#include "staged_call.h"
#include "vector_columns.h"

using openclPort::FusedCall;
using openclPort::FusedColumn;
using openclPort::FusedKernel;
using openclPort::RunReport;

namespace {

double as_number(SEXP x, R_xlen_t i) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[i];
  const int value = TYPEOF(x) == INTSXP ? INTEGER(x)[i] : LOGICAL(x)[i];
  return value == NA_INTEGER ? NA_REAL : value;
}

}  // namespace

bool StagedCall::can_loop(const StagedStep& step) const {
  constexpr std::size_t least_items = 64;
  if (!on_host() && step.items < least_items) return false;
  double most = 0;
  for (const StagedOutput& output : step.outputs) most = std::max(most, static_cast<double>(output.numbers));
  return loop_of(step.loop).find(device_) != nullptr &&
         is_short_loop(step.loop_numbers, most, static_cast<double>(step.items), device_->info());
}

bool StagedCall::take_carried(const StagedStep& step, const double* from) {
  if (std::any_of(from, from + step.items, [](double x) { return x != 0; })) return false;
  for (std::size_t k = 0; k < step.inputs.size(); ++k) {
    const std::size_t at = static_cast<std::size_t>(step.inputs[k]);
    const double* const first = from + static_cast<std::size_t>(step.parts[k]) * step.items;
    computed_[at].assign(first, first + step.items);
    found_[at] = {computed_[at].data(), step.items};
    if (!on_host()) send_computed(at);
  }
  return true;
}

namespace {

bool holds(const StagedCheck& check, const std::vector<double>& found) {
  if (check.value.empty()) return std::all_of(found.begin(), found.end(), [](double x) { return x != 0 && x == x; });
  return std::equal(found.begin(), found.end(), check.value.begin(), check.value.end());  // of NaN R decides
}

}  // namespace

bool StagedCall::compute_step(std::size_t s) {
  const StagedStep& step = plan_.steps[s];
  if (!fetch()) return false;
  const auto input = [this](int k, std::vector<double>& value) { return value_of(k, value); };
  if (!compute_values(plan_, step, input, known_)) return false;
  for (const StagedCheck& check : step.checks)
    if (!holds(check, known_[static_cast<std::size_t>(check.node)])) return false;
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

namespace {

// Numbers that R has in its own memory, too: those of data of a function. NULL of other resident vectors.
SEXP in_memory_of_r(SEXP x) {
  if (!resident_object::is(x)) return x;
  SEXP const origin = resident_object::field(x, resident_object::origin);
  if (origin == R_NilValue) return R_NilValue;
  const r::Keep found(r::enter([&] { return Rf_eval(VECTOR_ELT(origin, 0), VECTOR_ELT(origin, 1)); }));
  SEXP const value = found;
  const bool plain = TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP || TYPEOF(value) == LGLSXP;
  const bool same = plain && static_cast<double>(Rf_xlength(value)) == resident_object::length_of(x);
  return same ? value : R_NilValue;
}

}  // namespace

bool StagedCall::value_of(int input, std::vector<double>& value) {
  if (!is_given(input)) {
    const StagedNumbers& known = found_[static_cast<std::size_t>(input)];
    value.assign(known.data, known.data + known.count);
    return !value.empty();
  }
  const r::Keep kept(in_memory_of_r(given(input)));
  SEXP const x = kept;
  if (x == R_NilValue) return false;
  value.resize(static_cast<std::size_t>(Rf_xlength(x)));
  r::enter([&] {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = as_number(x, static_cast<R_xlen_t>(i));
    return R_NilValue;
  });
  return true;
}

bool StagedCall::launch_step(std::size_t s, RunReport& report) {
  const StagedStep& step = plan_.steps[s];
  elements_ = static_cast<std::size_t>(step.n);
  if (take_stored(s)) return true;
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
  std::shared_ptr<const openclPort::Grouping> groups;
  if (step.groups > 0) {
    groups = groups_of_step(plan_, s, inputs_);
    if (groups == nullptr || groups->positions() == 0) return false;
    call.grouping = groups.get();
    groups_.push_back(groups);
  }
  return on_host() ? run_here(s, kernel, call, report) : queue(s, kernel, call);
}

std::vector<std::shared_ptr<openclPort::Resident>> StagedCall::sources(const StagedStep& step) const {
  std::vector<std::shared_ptr<openclPort::Resident>> found;
  for (const int input : step.sources) {
    if (!resident_object::is(given(input))) return {};
    const std::vector<handles::Part> parts =
        handles::parts_of(resident_object::field(given(input), resident_object::handle));
    if (parts.size() != 1) return {};
    found.push_back(parts.front().resident);
  }
  return found;
}

bool StagedCall::take_stored(std::size_t s) {
  const StagedStep& step = plan_.steps[s];
  const StoredSums& kept = plan_.kept[s];
  const auto now = sources(step);
  const auto same = [](const auto& one, const auto& before) { return one == before.lock(); };
  if (now.empty() || !std::equal(now.begin(), now.end(), kept.of.begin(), kept.of.end(), same)) return false;
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    const std::size_t at = static_cast<std::size_t>(step.outputs[j].input);
    if (at == 0) continue;
    computed_[at] = kept.values[j];
    found_[at] = {computed_[at].data(), computed_[at].size()};
  }
  taken_[s] = 1;
  launched_ = s + 1;
  return true;
}

void StagedCall::store_sums(std::size_t s) {
  const StagedStep& step = plan_.steps[s];
  const auto now = sources(step);
  if (now.empty()) return;
  StoredSums& kept = plan_.kept[s];
  kept.of.assign(now.begin(), now.end());
  kept.values.assign(step.outputs.size(), {});
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    const StagedNumbers& found = found_[static_cast<std::size_t>(step.outputs[j].input)];
    if (step.outputs[j].input != 0) kept.values[j].assign(found.data, found.data + found.count);
  }
}

bool StagedCall::loop_step(std::size_t s, RunReport& report) {
  const StagedStep& step = plan_.steps[s];
  if (!fetch()) return false;
  if (!on_host()) queue_->finish();
  LoopNumbers numbers = step.loop_numbers;
  for (std::size_t k = 0; k < step.scalars.size(); ++k) {
    std::vector<double> value;
    if (step.scalars[k] == 0) continue;
    if (!value_of(step.scalars[k], value) || value.size() != 1) return false;
    numbers.scalars[k] = value[0];
  }
  openclPort::KernelCall call(device_, loop_of(step.loop).on(device_, report), openclPort::expression::kRecursionKernel,
                              &report);
  whole_.clear();
  for (const int input : step.columns) add_loop_vector(call, column(input));
  const std::vector<void*> results = on_host() ? new_results(s) : std::vector<void*>();
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    if (on_host())
      call.output("result", static_cast<double*>(results[j]), step.outputs[j].numbers);
    else
      call.memory("result", memory().outputs[s][j]);
  }
  for (const int input : step.series) add_loop_vector(call, column(input));
  add_loop_numbers(call, numbers);
  set_loop_items(call, step.items, device_->info());
  openclPort::Stopwatch watch;
  call.run();
  waited_ += watch.lap();
  ++launches_;
  elements_ = static_cast<std::size_t>(numbers.numbers.at(1));
  launched_ = s + 1;
  if (!on_host()) return fetch();
  if (!take_carried(step, static_cast<const double*>(results[0]))) return false;
  return take_outputs(step, [&](std::size_t j) { return results[j]; });
}

std::vector<void*> StagedCall::new_results(std::size_t s) {
  const StagedStep& step = plan_.steps[s];
  SEXP const list = r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(step.outputs.size())); });
  SET_VECTOR_ELT(outputs_, static_cast<R_xlen_t>(s), list);
  std::vector<void*> results;
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    const StagedOutput& output = step.outputs[j];
    const bool whole = output.type == openclPort::ElementType::i32;  // what is wider lies where doubles would
    SEXP const result = new_result(whole ? INTSXP : REALSXP, static_cast<R_xlen_t>(output.numbers));
    SET_VECTOR_ELT(list, static_cast<R_xlen_t>(j), result);
    results.push_back(whole ? static_cast<void*>(INTEGER(result)) : static_cast<void*>(REAL(result)));
  }
  return results;
}

bool StagedCall::queue(std::size_t s, FusedKernel& kernel, const FusedCall& call) {
  openclPort::queue_fused(*queue_, device_, kernel, call, openclPort::pointers_to(memory().outputs[s]),
                          kernel.spec().flags > 0 ? &memory().flags[s] : nullptr, memory().calls[s]);
  waited_ += queue_->take_run_seconds();
  launched_ = s + 1;
  ++launches_;
  return true;
}

bool StagedCall::run_here(std::size_t s, FusedKernel& kernel, FusedCall& call, RunReport& report) {
  const StagedStep& step = plan_.steps[s];
  call.values = new_results(s);
  openclPort::Stopwatch watch;
  const std::vector<int> flags = run_fused(device_, kernel, call, report, hooks_);
  waited_ += watch.lap();
  ++launches_;
  if (kernel.spec().tells(flags.data())) return false;
  if (!take_outputs(step, [&](std::size_t j) { return call.values[j]; })) return false;
  store_sums(s);
  return true;
}

FusedColumn StagedCall::column(int input) {
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

const openclPort::Buffer* StagedCall::output_of(int input) {
  for (std::size_t s = 0; s < plan_.steps.size(); ++s)
    for (std::size_t j = 0; j < plan_.steps[s].outputs.size(); ++j)
      if (plan_.steps[s].outputs[j].input == input) return &memory().outputs[s][j];
  return nullptr;
}

FusedColumn StagedCall::host_column(int input, openclPort::Column::Type type) {
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
        const bool whole = TYPEOF(made) == INTSXP;
        column.column = {whole ? static_cast<const void*>(INTEGER(made)) : REAL(made), plan_.sizes[at], type};
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
