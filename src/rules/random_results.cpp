// random_results -- missing values and integers of draws.
#include "rules/random_results.h"

#include <climits>
#include <cmath>
#include <limits>
#include <string>

#include "base/nmath_error.h"

namespace openclPort {

// Where R composes a draw of others, it warns only if one of these has no value. A rule sees the arguments of one draw.
struct DrawRule {
  const char* name;
  bool (*valid)(const double* arg);
};

namespace {

bool is_weight(double x) { return x >= 0 && std::isfinite(x); }

// rnorm(n, ncp) / sqrt(rchisq(n, df) / df)
bool valid_rnt(const double* arg) { return is_weight(arg[0]) && !std::isnan(arg[1]); }

// (rchisq(n, df1, ncp) / df1) / (rchisq(n, df2) / df2), and X / (X + Y) with X as rchisq(n, 2 a, ncp), Y as rchisq(n, 2
// b)
bool valid_ratio(const double* arg) { return arg[0] >= 0 && is_weight(arg[1]) && is_weight(arg[2]); }

const DrawRule* find_draw_rule(const std::string& name) {
  static const DrawRule rules[] = {{"rnt", valid_rnt}, {"rnf", valid_ratio}, {"rnbeta", valid_ratio}};
  if (name == "none") return nullptr;
  for (const DrawRule& rule : rules)
    if (name == rule.name) return &rule;
  throw NmathError("functions.tsv names an unknown warning rule of draws: " + name);
}

}  // namespace

static bool warns_of(const DrawRule* rule, const std::vector<Column>& columns, std::size_t i) {
  if (rule == nullptr) return true;
  double arg[kMaxColumns];
  for (std::size_t k = 0; k < columns.size(); ++k)
    widen_chunk(columns[k], columns[k].length == 1 ? 0 : i % columns[k].length, 1, arg + k);
  return !rule->valid(arg);
}

DrawScan::DrawScan(const KernelSpec& spec, const std::vector<Column>& columns, int* counts)
    : columns_(columns), counts_(counts), rule_(find_draw_rule(spec.warn_rule)) {}

void DrawScan::chunk(std::size_t begin, std::size_t end, double* draws) {
  bool missing = false, beyond = false;
  if (counts_ == nullptr) {
    for (std::size_t i = begin; i < end; ++i) {
      double& draw = draws[i - begin];
      if (!std::isnan(draw)) continue;
      draw = std::numeric_limits<double>::quiet_NaN();
      missing = missing || warns_of(rule_, columns_, i);
    }
  } else {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = draws[i - begin];
      const bool fits = x > INT_MIN && x <= INT_MAX;
      counts_[i] = fits ? static_cast<int>(x) : INT_MIN;
      if (fits) continue;
      missing = missing || std::isnan(x);
      beyond = beyond || !std::isnan(x);
    }
  }
  if (missing) missing_ = true;
  if (beyond) beyond_ = true;
}

bool draws_always_warn(const KernelSpec& spec) { return find_draw_rule(spec.warn_rule) == nullptr; }

bool draws_warn(const KernelSpec& spec, const std::vector<Column>& columns, const double* draws, std::size_t first,
                std::size_t count) {
  const DrawRule* const rule = find_draw_rule(spec.warn_rule);
  for (std::size_t i = 0; i < count; ++i)
    if (std::isnan(draws[i]) && warns_of(rule, columns, first + i)) return true;
  return false;
}

void finish_doubles(double* draws, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (std::isnan(draws[i])) draws[i] = na_real();
}

}  // namespace openclPort
