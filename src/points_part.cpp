// points_part -- see points_part.h
#include "points_part.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/point_groups.h"
#include "fused_call.h"
#include "points_door.h"
#include "resident_object.h"
#include "result_memory.h"

using openclPort::Buffer;
using openclPort::FusedKernel;
using openclPort::FusedSpec;
using openclPort::PointsCall;

namespace {

// The numbers of points [first, first + count) as R has them, column by column, to rows of `width`.
void copy_rows(SEXP part, std::size_t all, std::size_t first, std::size_t count, std::size_t width, double* to) {
  const std::size_t size = static_cast<std::size_t>(Rf_xlength(part)) / all;
  for (std::size_t j = 0; j < size; ++j) {
    const double* const from = TYPEOF(part) == REALSXP ? REAL(part) + j * all + first : nullptr;
    for (std::size_t p = 0; p < count; ++p)
      to[p * width + j] = from != nullptr ? from[p] : number_of_point(part, static_cast<R_xlen_t>(j * all + first + p));
  }
}

}  // namespace

std::vector<char> resident_elements(const PointsOfPlan& call) {
  const StagedPlan& plan = call.plan;
  std::vector<char> made(plan.sizes.size(), 0), read(plan.sizes.size(), 0);
  for (const int id : plan.nodes) {
    const openclPort::expression::Node& node = plan.graph().at(id);
    if (node.op == openclPort::expression::Op::input) read.at(static_cast<std::size_t>(node.first)) = 1;
  }
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const StagedStep& step = plan.steps[s];
    if (step.handle == nullptr) continue;
    const FusedSpec& spec = fused_kernel_of(step.handle).spec();
    for (std::size_t j = 0; j < step.outputs.size(); ++j)
      if (spec.reduces && spec.is_each(j)) made.at(static_cast<std::size_t>(step.outputs[j].input)) = 1;
    for (const int input : step.scalars) read.at(static_cast<std::size_t>(input)) = 1;
    for (const int input : step.columns) read.at(static_cast<std::size_t>(input)) = 1;
    for (const bool general : {false, true}) {
      if (general && call.general == nullptr) continue;
      const std::vector<int>& over = (general ? *call.general : plan).steps[s].over;
      for (const int input : over)
        if (step.groups == 0 || over.size() != 1) read.at(static_cast<std::size_t>(input)) = 1;
    }
  }
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = made[k] != 0 && read[k] == 0;
  return made;
}

PointsPart::PointsPart(const PointsOfPlan& call, const std::vector<char>& stays, std::size_t first, std::size_t count)
    : call_(call),
      plan_(call.plan),
      stays_(stays),
      first_(first),
      count_(count),
      flagged_(count),
      numbers_(call.plan, count),
      computed_(plan_.sizes.size()) {}

PointsPart::Done PointsPart::compute(openclPort::RunReport& report, const openclPort::CallHooks& hooks) {
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    openclPort::stop_if(hooks.interrupted);
    Done done = Done::yes;
    if (plan_.steps[s].handle == nullptr)
      compute_step(plan_.steps[s]);
    else
      done = launch_step(s, report, hooks);
    if (done != Done::yes) return done;
  }
  return Done::yes;
}

std::size_t PointsPart::size_of(int input) const {
  return std::max<std::size_t>(plan_.sizes[static_cast<std::size_t>(input)], 1);
}

SEXP PointsPart::part_of(int input) const {
  return input <= plan_.n_given ? VECTOR_ELT(call_.parts, input - 1) : R_NilValue;
}

// ---- values between launches

// An input's numbers at a point; false where only R has them.
bool PointsPart::value_of(std::size_t p, int input, std::vector<double>& value) const {
  SEXP const part = part_of(input);
  if (part != R_NilValue) {
    value.resize(static_cast<std::size_t>(Rf_xlength(part)) / call_.all);
    copy_rows(part, call_.all, first_ + p, 1, value.size(), value.data());
    return true;
  }
  if (input > plan_.n_given) {
    const std::vector<double>& made = computed_[static_cast<std::size_t>(input)];
    const std::size_t size = size_of(input);
    if (made.empty()) return false;
    value.assign(made.begin() + static_cast<std::ptrdiff_t>(p * size),
                 made.begin() + static_cast<std::ptrdiff_t>((p + 1) * size));
    return true;
  }
  SEXP const x = VECTOR_ELT(call_.inputs, input - 1);
  if (resident_object::is(x)) return false;
  value.resize(static_cast<std::size_t>(Rf_xlength(x)));
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = number_of_point(x, static_cast<R_xlen_t>(i));
  return true;
}

// The number of an input at each point.
bool PointsPart::numbers_of_input(int input, std::vector<double>& numbers) const {
  SEXP const part = part_of(input);
  numbers.resize(count_);
  if (part != R_NilValue) {
    if (static_cast<std::size_t>(Rf_xlength(part)) != call_.all) return false;
    copy_rows(part, call_.all, first_, count_, 1, numbers.data());
    return true;
  }
  if (input > plan_.n_given) {
    const std::vector<double>& made = computed_[static_cast<std::size_t>(input)];
    if (made.size() != count_) return false;
    numbers = made;
    return true;
  }
  SEXP const x = VECTOR_ELT(call_.inputs, input - 1);
  if (resident_object::is(x) || Rf_xlength(x) != 1) return false;
  std::fill(numbers.begin(), numbers.end(), number_of_point(x, 0));
  return true;
}

bool PointsPart::compute_numbers(const StagedStep& step) {
  if (std::any_of(step.inputs.begin(), step.inputs.end(), [this](int one) { return size_of(one) != 1; })) return false;
  const auto input = [this](int k, std::vector<double>& numbers) { return numbers_of_input(k, numbers); };
  if (!numbers_.compute(step, input, flagged_)) return false;
  for (std::size_t k = 0; k < step.inputs.size(); ++k)
    computed_[static_cast<std::size_t>(step.inputs[k])] = numbers_.of(step.nodes[k]);
  return true;
}

// What a point's values are where R has to say more is of no use: it is computed again.
void PointsPart::compute_step(const StagedStep& step) {
  if (all_numbers_ && compute_numbers(step)) return;
  if (all_numbers_) {
    known_.reserve(count_);
    for (std::size_t p = 0; p < count_; ++p) known_.push_back(numbers_.at(p));
    all_numbers_ = false;
  }
  for (const int input : step.inputs) computed_[static_cast<std::size_t>(input)].resize(count_ * size_of(input));
  for (std::size_t p = 0; p < count_; ++p) {
    if (flagged_[p] != 0) continue;
    const auto input = [this, p](int k, std::vector<double>& value) { return value_of(p, k, value); };
    if (!compute_values(plan_, step, input, known_[p])) {
      flagged_[p] = 1;
      continue;
    }
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      const std::size_t size = size_of(step.inputs[k]);
      const std::vector<double>& made = known_[p][static_cast<std::size_t>(step.nodes[k])];
      if (made.size() < size) {
        flagged_[p] = 1;
        break;
      }
      std::copy_n(made.begin(), size,
                  computed_[static_cast<std::size_t>(step.inputs[k])].begin() + static_cast<std::ptrdiff_t>(p * size));
    }
  }
}

// ---- launches

PointsPart::Done PointsPart::launch_step(std::size_t s, openclPort::RunReport& report,
                                         const openclPort::CallHooks& hooks) {
  PointsCall call;
  call.call.n = static_cast<std::size_t>(plan_.steps[s].n);
  call.count = count_;
  const bool general = fused_too_short(call_.device->info(), fused_kernel_of(plan_.steps[s].handle).spec(), call.call);
  if (general && call_.general == nullptr) return Done::too_short;
  const StagedStep& step = (general ? *call_.general : plan_).steps[s];
  FusedKernel& kernel = fused_kernel_of(step.handle);
  const FusedSpec& spec = kernel.spec();
  if (!find_columns(step, call) || !fits_points(call_.device->info(), call.call)) return Done::no;
  for (const int input : step.scalars) {
    std::vector<double> value;
    if (!value_of(known_point(), input, value) || value.size() != 1) return Done::no;
    call.call.scalars.push_back(value[0]);
  }
  call.call.scalars.insert(call.call.scalars.end(), step.lengths.begin(), step.lengths.end());
  std::vector<double> numbers;
  const Buffer* const there = numbers_of(step.over, call, numbers);
  if (call.call.scalars.size() != spec.scalars) return Done::no;
  std::shared_ptr<const openclPort::Grouping> groups;
  if (step.groups > 0) {
    groups = groups_of_step(plan_, s, call_.inputs);
    if (groups == nullptr) return Done::no;
    call.call.grouping = groups.get();
  }
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < spec.outputs.size(); ++j)
    widths.push_back(step.groups > 0 ? step.groups : points_width(spec, call.call, j));
  keep_elements(step, spec, call);
  std::vector<std::vector<double>> results(widths.size());
  for (std::size_t j = 0; j < widths.size(); ++j) {
    const bool stays = stays_[static_cast<std::size_t>(step.outputs[j].input)] != 0;
    if (!stays) results[j].resize(count_ * widths[j]);
    call.values.push_back(stays ? nullptr : results[j].data());
  }
  std::vector<int> flags(count_ * spec.flags);
  call.flags = flags.data();
  const std::size_t before = report.elements;
  if (step.groups > 0)
    run_point_groups(call_.device, kernel, call, there, report, hooks);
  else
    run_points(call_.device, kernel, call, report, hooks);
  report.elements += before;
  for (std::size_t p = 0; p < count_; ++p)
    if (spec.tells(flags.data() + p * spec.flags)) flagged_[p] = 1;
  for (std::size_t j = 0; j < widths.size(); ++j)
    if (call.values[j] != nullptr) take_in(step.outputs[j], results[j], widths[j]);
  return Done::yes;
}

std::size_t PointsPart::known_point() const {
  const auto found = std::find(flagged_.begin(), flagged_.end(), 0);
  return found == flagged_.end() ? 0 : static_cast<std::size_t>(found - flagged_.begin());
}

SEXP PointsPart::same_numbers(int input) const {
  std::vector<double> numbers;
  const std::size_t p = known_point();
  if (flagged_[p] != 0 || !value_of(p, input, numbers)) return R_NilValue;
  const bool whole = plan_.whole[static_cast<std::size_t>(input)] != 0;
  SEXP const made = new_result(whole ? INTSXP : REALSXP, static_cast<R_xlen_t>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!whole)
      REAL(made)[i] = numbers[i];
    else
      INTEGER(made)[i] = std::isnan(numbers[i]) ? NA_INTEGER : static_cast<int>(numbers[i]);
  }
  return made;
}

// False where a launch has a column that differs from point to point, or several devices have one.
bool PointsPart::find_columns(const StagedStep& step, PointsCall& call) const {
  const r::Keep columns(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(step.columns.size())); }));
  for (std::size_t k = 0; k < step.columns.size(); ++k) {
    const bool given = step.columns[k] <= plan_.n_given;
    SEXP const x = given ? VECTOR_ELT(call_.inputs, step.columns[k] - 1) : same_numbers(step.columns[k]);
    if (x == R_NilValue) return false;
    SET_VECTOR_ELT(columns, static_cast<R_xlen_t>(k),
                   resident_object::is(x) ? resident_object::field(x, resident_object::handle) : x);
  }
  return columns_on_device(columns, call.call, call_.device);
}

// Point by point; where each part of them begins follows the scalars. Those that stay are there: null of others.
const Buffer* PointsPart::numbers_of(const std::vector<int>& over, PointsCall& call, std::vector<double>& made) {
  std::vector<std::size_t> sizes;
  for (const int input : over) {
    SEXP const part = part_of(input);
    call.call.scalars.push_back(static_cast<double>(call.numbers));
    sizes.push_back(part != R_NilValue ? static_cast<std::size_t>(Rf_xlength(part)) / call_.all : size_of(input));
    call.numbers += sizes.back();
  }
  if (sizes.size() == 1 && stays_[static_cast<std::size_t>(over[0])] != 0)
    return &plan_.points->elements[static_cast<std::size_t>(over[0])];
  made.assign(call.numbers * count_, std::numeric_limits<double>::quiet_NaN());
  double* to = made.data();
  for (std::size_t k = 0; k < sizes.size(); to += sizes[k], ++k) {
    const int input = over[k];
    SEXP const part = part_of(input);
    const std::vector<double>& computed = computed_[static_cast<std::size_t>(input)];
    if (part != R_NilValue)
      copy_rows(part, call_.all, first_, count_, call.numbers, to);
    else
      for (std::size_t p = 0; p < count_ && !computed.empty(); ++p)
        std::copy_n(computed.begin() + static_cast<std::ptrdiff_t>(p * sizes[k]), sizes[k], to + p * call.numbers);
  }
  call.points = made.data();
  return nullptr;
}

// Room on the device for the elements of a launch, if some of them stay there.
void PointsPart::keep_elements(const StagedStep& step, const FusedSpec& spec, PointsCall& call) {
  std::vector<std::size_t> inputs;
  bool some = false;
  for (std::size_t j = 0; j < step.outputs.size(); ++j) {
    if (!spec.reduces || !spec.is_each(j)) continue;
    inputs.push_back(static_cast<std::size_t>(step.outputs[j].input));
    some = some || stays_[inputs.back()] != 0;
  }
  for (std::size_t k = 0; some && k < inputs.size(); ++k) {
    Buffer& room = plan_.points->elements[inputs[k]];
    if (!room || room.elements() < count_ * call.call.n)
      room = call_.device->allocate(openclPort::ElementType::f64, count_ * call.call.n);
    call.resident_out.push_back(&room);
  }
}

void PointsPart::take_in(const StagedOutput& output, std::vector<double>& from, std::size_t width) {
  if (output.input == 0) return;
  const std::size_t size = size_of(output.input);
  std::vector<double>& to = computed_[static_cast<std::size_t>(output.input)];
  if (output.divisor == 1.0 && size == width) {
    to = std::move(from);
    return;
  }
  to.resize(count_ * size);
  for (std::size_t p = 0; p < count_; ++p)
    for (std::size_t j = 0; j < size; ++j) {
      const double x = from[p * width + j];
      to[p * size + j] = output.divisor == 1.0 ? x : x / output.divisor;
    }
}

// ---- what R gets

double PointsPart::number_of(int node, std::size_t p, std::size_t j) const {
  if (all_numbers_) return numbers_.of(node).empty() ? NA_REAL : numbers_.of(node)[p];
  const std::vector<double>& made = known_[p][static_cast<std::size_t>(node)];
  return made.empty() ? NA_REAL : made[j % made.size()];
}

void PointsPart::write(double* value, double* gradient, double* hessian, const std::vector<std::size_t>& slopes) {
  for (std::size_t p = 0; p < count_; ++p) {
    if (flagged_[p] != 0) continue;
    value[first_ + p] = number_of(plan_.root, p, 0);
    if (std::isnan(value[first_ + p])) flagged_[p] = 1;
  }
  double* to = gradient;
  for (std::size_t k = 0; k < slopes.size(); to += slopes[k] * call_.all, ++k) write_slope(k, slopes[k], to);
  std::vector<std::size_t> firsts(1, 0);
  for (const std::size_t size : slopes) firsts.push_back(firsts.back() + size);
  const std::size_t numbers = firsts.back();
  if (hessian != nullptr)
    for (std::size_t j = 0; j < numbers * numbers; ++j) std::fill_n(hessian + j * call_.all + first_, count_, 0.0);
  for (const StagedCurve& curve : plan_.curves)
    write_curve(curve, firsts[curve.slope], slopes[curve.slope], numbers, hessian);
  const auto none = [this](double* numbers_of_points, std::size_t count, std::size_t p) {
    for (std::size_t j = 0; j < count; ++j) numbers_of_points[j * call_.all + first_ + p] = NA_REAL;
  };
  for (std::size_t p = 0; p < count_; ++p) {
    if (flagged_[p] == 0) continue;
    value[first_ + p] = NA_REAL;
    none(gradient, numbers, p);
    if (hessian != nullptr) none(hessian, numbers * numbers, p);
  }
}

// The curves are the lower half of a symmetric matrix.
void PointsPart::write_curve(const StagedCurve& curve, std::size_t first, std::size_t size, std::size_t numbers,
                             double* to) {
  for (std::size_t j = 0; j < size; ++j) {
    const std::size_t row = first + j;
    if (row < curve.column) continue;
    double* const below = to + (curve.column * numbers + row) * call_.all + first_;
    double* const above = to + (row * numbers + curve.column) * call_.all + first_;
    for (std::size_t p = 0; p < count_; ++p) {
      if (flagged_[p] != 0) continue;
      below[p] = above[p] = number_of(curve.node, p, j);
      if (std::isnan(below[p])) flagged_[p] = 1;
    }
  }
}

void PointsPart::write_slope(std::size_t k, std::size_t size, double* to) {
  const bool is_slope = plan_.is_slope[static_cast<std::size_t>(plan_.slopes[k])] != 0;
  const int input = is_slope ? plan_.graph().at(plan_.slopes[k]).first : 0;
  const std::size_t at = static_cast<std::size_t>(input), own = is_slope ? size_of(input) : 0;
  for (std::size_t j = 0; j < size; ++j, to += call_.all)
    for (std::size_t p = 0; p < count_; ++p) {
      if (flagged_[p] != 0) continue;
      const double x = is_slope ? computed_[at][p * own + j % own] : number_of(plan_.slopes[k], p, j);
      to[first_ + p] = x;
      if (std::isnan(x)) flagged_[p] = 1;
    }
}
