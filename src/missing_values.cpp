// missing_values -- what the host adds to the values a device computed: NA, and the warnings R gives.
#include "missing_values.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "nmath_error.h"

namespace openclPort {

namespace {

double value_at(const Column& column, std::size_t i) {
  return static_cast<const double*>(column.data)[column.length == 1 ? 0 : i % column.length];
}

std::size_t count_real(const std::vector<Column>& columns) {
  std::size_t count = 0;
  while (count < columns.size() && columns[count].type == Column::Type::f64) ++count;
  return count;
}

std::string format(const char* text, double x) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, text, x);
  return buffer;
}

// R 4.2's rule, as R_nonint in inst/cl/nmath/nmath.cl.
bool non_integer(double x) { return std::fabs(x - std::nearbyint(x)) > 1e-7 * std::fmax(1.0, std::fabs(x)); }

// A rule sees the arguments of one element, none of them NaN, and its result; "" means no warning.
using Rule = std::string (*)(const double* arg, double result);

std::string non_integer_x(double x) { return non_integer(x) ? format("non-integer x = %f", x) : ""; }

std::string warn_dbinom(const double* arg, double) {
  const bool valid = arg[2] >= 0 && arg[2] <= 1 && arg[1] >= 0 && !non_integer(arg[1]);
  return valid ? non_integer_x(arg[0]) : "";
}

std::string warn_dpois(const double* arg, double) { return arg[1] >= 0 ? non_integer_x(arg[0]) : ""; }

std::string warn_pbinom(const double* arg, double) {
  return non_integer(arg[1]) ? format("non-integer n = %f", arg[1]) : "";
}

std::string warn_dnbinom(const double* arg, double) {
  const bool valid = arg[2] > 0 && arg[2] <= 1 && arg[1] >= 0;
  return valid ? non_integer_x(arg[0]) : "";
}

std::string warn_dnbinom_mu(const double* arg, double) {
  return arg[1] >= 0 && arg[2] >= 0 ? non_integer_x(arg[0]) : "";
}

std::string warn_dgeom(const double* arg, double) {
  return arg[1] > 0 && arg[1] <= 1 ? non_integer_x(arg[0]) : "";
}

std::string warn_dhyper(const double* arg, double) {
  for (int k = 1; k <= 3; ++k)
    if (arg[k] < 0 || non_integer(arg[k])) return "";
  const bool valid = arg[3] <= arg[1] + arg[2] && arg[0] >= 0;
  return valid ? non_integer_x(arg[0]) : "";
}

std::string warn_psigamma(const double* arg, double) {
  const double deriv = std::nearbyint(arg[1]);
  if (!(deriv > 100 && std::isfinite(deriv))) return "";
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, "deriv = %.0f > 100 (= n_max)", deriv);
  return buffer;
}

std::string warn_gammafn(const double* arg, double result) {
  const double x = arg[0];
  if (x > 0 && std::isinf(result) && x < 1) return "value out of range in 'gammafn'";
  // Half the digits of x are spent on its distance from the pole. R looks only beyond -10.
  const double distance = std::fabs(x - std::nearbyint(x));
  if (x < -10 && distance > 0 && distance < std::sqrt(std::numeric_limits<double>::epsilon()) * std::fabs(x) &&
      std::fabs(result) > 0)
    return "full precision may not have been achieved in 'gammafn'";
  return "";
}

std::string warn_choose(const double* arg, double) {
  const double k = arg[1], rounded = std::nearbyint(k);
  if (!(std::fabs(k - rounded) > 1e-7)) return "";
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, "'k' (%.2f) must be integer, rounded to %.0f", k, rounded);
  return buffer;
}

Rule find_rule(const std::string& name) {
  static const struct {
    const char* name;
    Rule rule;
  } rules[] = {{"none", nullptr},
               {"silent", nullptr},
               {"dbinom", warn_dbinom},
               {"pbinom", warn_pbinom},
               {"dpois", warn_dpois},
               {"dnbinom", warn_dnbinom},
               {"dnbinom_mu", warn_dnbinom_mu},
               {"dgeom", warn_dgeom},
               {"dhyper", warn_dhyper},
               {"gammafn", warn_gammafn},
               {"choose", warn_choose},
               {"psigamma", warn_psigamma}};
  for (const auto& entry : rules)
    if (name == entry.name) return entry.rule;
  throw NmathError("functions.tsv names an unknown warning rule: " + name);
}

}  // namespace

double na_real() {
  const std::uint64_t bits = 0x7FF00000000007A2u;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

bool is_na(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return std::isnan(x) && static_cast<std::uint32_t>(bits) == 1954u;
}

bool warns_of_nan(const KernelSpec& spec) { return std::string(spec.warn_rule) != "silent"; }

bool restore_missing(const std::vector<Column>& columns, std::size_t n, double* out) {
  const std::size_t n_real = count_real(columns);
  bool produced = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isnan(out[i])) continue;
    bool any_na = false, any_nan = false;
    for (std::size_t k = 0; k < n_real; ++k) {
      const double x = value_at(columns[k], i);
      any_na = any_na || is_na(x);
      any_nan = any_nan || std::isnan(x);
    }
    if (any_na) {
      out[i] = na_real();
    } else {
      out[i] = std::numeric_limits<double>::quiet_NaN();
      produced = produced || !any_nan;
    }
  }
  return produced;
}

std::vector<std::string> element_warnings(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n,
                                          const double* out, std::size_t limit) {
  std::vector<std::string> warnings;
  const Rule rule = find_rule(spec.warn_rule);
  if (!rule) return warnings;
  const std::size_t n_real = count_real(columns);
  double arg[NMATH_MAX_COLUMNS];
  for (std::size_t i = 0; i < n && warnings.size() < limit; ++i) {
    bool missing = false;
    for (std::size_t k = 0; k < n_real; ++k) {
      arg[k] = value_at(columns[k], i);
      missing = missing || std::isnan(arg[k]);
    }
    if (missing) continue;
    std::string text = rule(arg, out[i]);
    if (!text.empty()) warnings.push_back(std::move(text));
  }
  return warnings;
}

}  // namespace openclPort
