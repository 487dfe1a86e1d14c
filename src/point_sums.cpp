// point_sums -- see point_sums.h
#include "point_sums.h"

#include <algorithm>

#include "base/columns.h"
#include "base/total.h"
#include "result_memory.h"

using openclPort::FusedSpec;
using openclPort::PointsCall;

namespace {

constexpr std::size_t kBytesAtATime = std::size_t{64} << 20;  // of sums of blocks

std::size_t groups_of(const PointsCall& call) {
  return call.call.grouping != nullptr ? call.call.grouping->groups() : 1;
}

// Inside r::enter().
SEXP with_sides(SEXP x, const std::vector<std::size_t>& sides) {
  SEXP const kept = PROTECT(x);
  SEXP const dim = PROTECT(Rf_allocVector(INTSXP, static_cast<R_xlen_t>(sides.size())));
  for (std::size_t k = 0; k < sides.size(); ++k) INTEGER(dim)[k] = static_cast<int>(sides[k]);
  Rf_setAttrib(kept, R_DimSymbol, dim);
  UNPROTECT(2);
  return kept;
}

SEXP new_array(const std::vector<std::size_t>& sides) {
  R_xlen_t length = 1;
  for (const std::size_t side : sides) length *= static_cast<R_xlen_t>(side);
  const r::Keep made(new_result(REALSXP, length));
  return r::enter([&] { return sides.size() > 1 ? with_sides(made, sides) : static_cast<SEXP>(made); });
}

// Sums of one number come before wide ones.
template <class Number>
std::vector<Number> numbers_of(const PointsCall& call, const FusedSpec& spec, const std::vector<int>& wide) {
  std::vector<Number> numbers = {{0, 0}};
  std::size_t output = 1, next_wide = 1 + static_cast<std::size_t>(std::count(wide.begin(), wide.end(), 0));
  for (const int one : wide) {
    const std::size_t at = one != 0 ? next_wide++ : output++;
    const std::size_t size = one != 0 ? fused_width(spec, call.call, at) / 2 : 1;
    for (std::size_t j = 0; j < size; ++j) numbers.push_back({at, j});
  }
  return numbers;
}

}  // namespace

PointSums::PointSums(PointsCall& call, const FusedSpec& spec, const std::vector<int>& wide, bool mean)
    : call_(call),
      spec_(spec),
      grouping_(call.call.grouping),
      mean_(mean),
      groups_(groups_of(call)),
      numbers_(numbers_of<Number>(call, spec, wide)),
      value_(grouping_ != nullptr ? new_array({groups_, call.count}) : new_array({call.count})),
      gradient_(wide.empty() ? R_NilValue : make_gradient()) {
  const std::size_t blocks = grouping_ != nullptr ? grouping_->blocks() : 1;
  std::size_t all = 0;
  for (std::size_t j = 0; j < spec.outputs.size(); ++j) all += blocks * fused_width(spec, call.call, j);
  call.together =
      std::max<std::size_t>(1, std::min(call.count, kBytesAtATime / std::max<std::size_t>(all * sizeof(double), 1)));
  for (std::size_t j = 0; j < spec.outputs.size(); ++j) {
    values_.emplace_back(call.together * blocks * fused_width(spec, call.call, j));
    call.values.push_back(values_.back().data());
  }
  call.take = [this](std::size_t first, std::size_t last) { take(first, last); };
  if (grouping_ == nullptr ? call.call.n > 0 : grouping_->positions() > 0) return;
  const double none = grouping_ != nullptr ? openclPort::na_real() : 0.0;  // nothing runs
  std::fill_n(REAL(value_), Rf_xlength(value_), none);
  if (gradient_ != R_NilValue) std::fill_n(REAL(gradient_), Rf_xlength(gradient_), none);
}

SEXP PointSums::make_gradient() const {
  const std::size_t slopes = numbers_.size() - 1;
  return grouping_ != nullptr ? new_array({groups_, call_.count, slopes}) : new_array({call_.count, slopes});
}

void PointSums::take(std::size_t first, std::size_t last) {
  const double divisor = mean_ ? static_cast<double>(call_.call.n) : 1.0;
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    const std::size_t width = fused_width(spec_, call_.call, numbers_[k].output);
    const double* from = values_[numbers_[k].output].data() + numbers_[k].place;
    double* to = (k == 0 ? REAL(value_) : REAL(gradient_) + (k - 1) * groups_ * call_.count) + first * groups_;
    for (std::size_t p = first; p < last; ++p, to += groups_) {
      if (grouping_ != nullptr)
        add_blocks(from, width, to);
      else
        *to = *from / divisor;
      from += width * (grouping_ != nullptr ? grouping_->blocks() : 1);
    }
  }
}

// As R has them of one call; NA where a group has no element.
void PointSums::add_blocks(const double* from, std::size_t width, double* to) {
  const std::vector<int>& group = grouping_->group();
  const std::vector<double>& counts = grouping_->counts();
  std::vector<openclPort::Total> totals(groups_);
  for (std::size_t b = 0; b < group.size(); ++b) totals[static_cast<std::size_t>(group[b]) - 1].add(from[b * width]);
  for (std::size_t g = 0; g < groups_; ++g)
    to[g] = counts[g] == 0 ? openclPort::na_real() : mean_ ? totals[g].value() / counts[g] : totals[g].value();
}
