// staged_reductions -- see staged_reductions.h
#include "staged_reductions.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "r_door.h"

namespace {

constexpr double kMostWhole = 2147483647.0;

double missing(double x) { return R_IsNA(x) != 0 ? NA_REAL : R_NaN; }

// The product of m * 2^(512 s), as scaled_product() in R has it.
double scaled(double m, double s) {
  const double up = std::ldexp(1.0, 512), down = std::ldexp(1.0, -512);
  const auto step = [](bool taken, double by) { return taken ? by : 1.0; };
  if (s >= 0) return m * step(s > 0, up) * step(s > 1, up) * step(s > 2, up);
  return m * step(s < -2, down) * step(s < -3, down) * std::ldexp(1.0, -512 * static_cast<int>(std::fmin(-s, 2.0)));
}

// any() and all(): by 1 the launch says that it has found `what`, by 2 that it has found NA.
double found(int bits, bool na_rm, bool what) {
  if ((bits & 1) != 0) return what;
  return (bits & 2) != 0 && !na_rm ? NA_REAL : double(!what);
}

bool extreme(const StagedReduction& reduction, double first, double& value) {
  if (std::isnan(first) && reduction.na_rm) return false;
  if (std::isinf(first) && (reduction.whole || reduction.na_rm)) return false;  // of no values, perhaps
  value = std::isnan(first) ? missing(first) : first;
  return true;
}

}  // namespace

bool has_joined(const std::string& op) {
  for (const char* const one : {"sum", "mean", "min", "max", "prod", "any", "all", "norm"})
    if (op == one) return true;
  return false;
}

bool joined_value(const StagedReduction& reduction, double first, double second, double& value) {
  const std::string& op = reduction.op;
  if (op == "min" || op == "max") return extreme(reduction, first, value);
  if (op == "any" || op == "all") {
    value = found(static_cast<int>(first), reduction.na_rm, op == "any");
    return true;
  }
  if (std::isnan(first))
    value = missing(first);
  else if (op == "prod")
    value = scaled(first, second);
  else if (op == "norm")
    value = std::sqrt(first);
  else
    value = first;
  if (op == "mean") value /= second;
  return op != "sum" || !reduction.whole || !(std::fabs(value) > kMostWhole);
}

double number_left(openclPort::ElementType type, const void* from, std::size_t i) {
  if (type == openclPort::ElementType::i32) {
    const int value = static_cast<const int*>(from)[i];
    return value == NA_INTEGER ? NA_REAL : value;
  }
  if (type != openclPort::ElementType::i64) return static_cast<const double*>(from)[i];
  std::int64_t value = 0;
  std::memcpy(&value, static_cast<const char*>(from) + i * sizeof value, sizeof value);
  return value == std::numeric_limits<std::int64_t>::min() ? NA_REAL : static_cast<double>(value);
}
