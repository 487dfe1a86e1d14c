// missing_values -- what the host adds to computed values: NA, and R's warnings.
#include "rules/missing_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/nmath_error.h"

namespace openclPort {

// A rule sees the arguments of one element, none of them NaN, and its result. If R warns, it gives the text.
struct WarningRule {
  const char* name;
  bool (*warns)(const double* arg, double result, std::string& text);
  int integer;  // the argument that has to be an integer: while it is, there is nothing to warn of; -1: none
};

namespace {

constexpr std::size_t kMaxWarnings = 10000;  // R keeps 50 by default; beyond this many nobody reads on

// NaN and NA of an argument at one element.
double value_at(const Column& column, std::size_t i) {
  const std::size_t at = column.length == 1 ? 0 : i % column.length;
  if (column.type == Column::Type::f64) return static_cast<const double*>(column.data)[at];
  return widened(static_cast<const int*>(column.data)[at]);
}

template <typename... Values>
std::string format(const char* text, Values... values) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, text, values...);
  return buffer;
}

bool is_integer(double x) {
  return std::fabs(x) < 4503599627370496.0 && x == static_cast<double>(static_cast<std::int64_t>(x));
}

// R 4.2's rule, as R_nonint in inst/cl/nmath/nmath.cl.
bool non_integer(double x) {
  return !is_integer(x) && std::fabs(x - std::nearbyint(x)) > 1e-7 * std::fmax(1.0, std::fabs(x));
}

bool non_integer_x(double x, std::string& text) {
  if (!non_integer(x)) return false;
  text = format("non-integer x = %f", x);
  return true;
}

bool warn_dbinom(const double* arg, double, std::string& text) {
  const bool valid = arg[2] >= 0 && arg[2] <= 1 && arg[1] >= 0 && !non_integer(arg[1]);
  return valid && non_integer_x(arg[0], text);
}

bool warn_dpois(const double* arg, double, std::string& text) { return arg[1] >= 0 && non_integer_x(arg[0], text); }

bool warn_pbinom(const double* arg, double, std::string& text) {
  if (!non_integer(arg[1])) return false;
  text = format("non-integer n = %f", arg[1]);
  return true;
}

bool warn_dnbinom(const double* arg, double, std::string& text) {
  return arg[2] > 0 && arg[2] <= 1 && arg[1] >= 0 && non_integer_x(arg[0], text);
}

bool warn_dnbinom_mu(const double* arg, double, std::string& text) {
  return arg[1] >= 0 && arg[2] >= 0 && non_integer_x(arg[0], text);
}

bool warn_dgeom(const double* arg, double, std::string& text) {
  return arg[1] > 0 && arg[1] <= 1 && non_integer_x(arg[0], text);
}

bool warn_dhyper(const double* arg, double, std::string& text) {
  for (int k = 1; k <= 3; ++k)
    if (arg[k] < 0 || non_integer(arg[k])) return false;
  return arg[3] <= arg[1] + arg[2] && arg[0] >= 0 && non_integer_x(arg[0], text);
}

bool warn_psigamma(const double* arg, double, std::string& text) {
  const double deriv = std::nearbyint(arg[1]);
  if (!(deriv > 100 && std::isfinite(deriv))) return false;
  text = format("deriv = %.0f > 100 (= n_max)", deriv);
  return true;
}

bool warn_gammafn(const double* arg, double result, std::string& text) {
  const double x = arg[0];
  if (x >= 1 || (x >= -10 && std::isfinite(result))) return false;
  if (x > 0 && std::isinf(result)) {
    text = "value out of range in 'gammafn'";
    return true;
  }
  // Half the digits of x are spent on its distance from the pole. R looks only beyond -10.
  const double distance = std::fabs(x - std::nearbyint(x));
  if (!(x < -10 && distance > 0 && distance < std::sqrt(std::numeric_limits<double>::epsilon()) * std::fabs(x) &&
        std::fabs(result) > 0))
    return false;
  text = "full precision may not have been achieved in 'gammafn'";
  return true;
}

// R looks for the quantile of infinitely many means in vain.
bool warn_qtukey(const double* arg, double result, std::string& text) {
  if (!(std::isinf(arg[2]) && arg[2] > 0 && arg[1] >= 1 && arg[3] >= 2 && arg[0] <= 1 && std::isnan(result)))
    return false;
  text = "convergence failed in 'qtukey'";
  return true;
}

bool warn_choose(const double* arg, double, std::string& text) {
  const double k = arg[1], rounded = std::nearbyint(k);
  if (!(std::fabs(k - rounded) > 1e-7)) return false;
  text = format("'k' (%.2f) must be integer, rounded to %.0f", k, rounded);
  return true;
}

// Bessel functions: J or I that underflows and Y that overflows "lost precision", whichever of them a negative order
// asks for.
bool bessel_lost(const char* function, const double* arg, std::string& text) {
  if (!(arg[0] > 0 && std::isfinite(arg[0]) && std::isfinite(arg[1]))) return false;
  text = format("%s(%g,nu=%g): precision lost in result", function, arg[0], std::fabs(arg[1]));
  return true;
}

bool bessel_out_of_range(const char* function, const double* arg, std::string& text) {
  if (!(arg[0] < 0)) return false;
  text = format("value out of range in '%s'", function);
  return true;
}

bool warn_bessel_i(const double* arg, double result, std::string& text) {
  return bessel_out_of_range("bessel_i", arg, text) || (result == 0 && bessel_lost("bessel_i", arg, text));
}

bool warn_bessel_k(const double* arg, double, std::string& text) { return bessel_out_of_range("bessel_k", arg, text); }

bool warn_bessel_j(const double* arg, double result, std::string& text) {
  if (arg[0] > 0 && std::isinf(arg[0]) && result == 0) {
    text = "value out of range in 'J_bessel'";
    return true;
  }
  return bessel_out_of_range("bessel_j", arg, text) || (result == 0 && bessel_lost("bessel_j", arg, text)) ||
         (std::isinf(result) && bessel_lost("bessel_y", arg, text));
}

bool warn_bessel_y(const double* arg, double result, std::string& text) {
  return bessel_out_of_range("bessel_y", arg, text) || (std::isinf(result) && bessel_lost("bessel_y", arg, text)) ||
         (result == 0 && bessel_lost("bessel_j", arg, text));
}

const WarningRule& find_rule(const std::string& name) {
  static const WarningRule rules[] = {{"none", nullptr, -1},
                                      {"silent", nullptr, -1},
                                      {"dbinom", warn_dbinom, 0},
                                      {"pbinom", warn_pbinom, 1},
                                      {"dpois", warn_dpois, 0},
                                      {"dnbinom", warn_dnbinom, 0},
                                      {"dnbinom_mu", warn_dnbinom_mu, 0},
                                      {"dgeom", warn_dgeom, 0},
                                      {"dhyper", warn_dhyper, 0},
                                      {"gammafn", warn_gammafn, -1},
                                      {"choose", warn_choose, 1},
                                      {"qtukey", warn_qtukey, -1},
                                      {"psigamma", warn_psigamma, -1},
                                      {"bessel_i", warn_bessel_i, -1},
                                      {"bessel_j", warn_bessel_j, -1},
                                      {"bessel_k", warn_bessel_k, -1},
                                      {"bessel_y", warn_bessel_y, -1}};
  for (const WarningRule& rule : rules)
    if (name == rule.name) return rule;
  throw NmathError("functions.tsv names an unknown warning rule: " + name);
}

// Two at a time: a pair is unordered if either is NaN.
bool holds_nan(const double* x, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const bool nan = std::isunordered(x[i], x[i + 1]) | std::isunordered(x[i + 2], x[i + 3]) |
                     std::isunordered(x[i + 4], x[i + 5]) | std::isunordered(x[i + 6], x[i + 7]);
    if (nan) return true;
  }
  for (; i < n; ++i)
    if (std::isnan(x[i])) return true;
  return false;
}

}  // namespace

ResultScan::ResultScan(const KernelSpec& spec, const std::vector<Column>& columns)
    : spec_(spec), columns_(columns), rule_(find_rule(spec.warn_rule)) {}

void ResultScan::chunk(std::size_t begin, std::size_t end, double* results) {
  if (holds_nan(results, end - begin) && restore_missing(begin, end, results)) {
    std::lock_guard<std::mutex> lock(mutex_);
    produced_ = true;
  }
  if (rule_.warns != nullptr) apply_rule(begin, end, results);
}

bool ResultScan::restore_missing(std::size_t begin, std::size_t end, double* results) {
  const std::size_t n_real = static_cast<std::size_t>(spec_.n_real);
  bool produced = false;
  for (std::size_t i = begin; i < end; ++i) {
    double& result = results[i - begin];
    if (!std::isnan(result)) continue;
    bool any_na = false, any_nan = false;
    for (std::size_t k = 0; k < n_real; ++k) {
      const double x = value_at(columns_[k], i);
      any_na = any_na || is_na(x);
      any_nan = any_nan || std::isnan(x);
    }
    if (any_na) {
      result = na_real();
    } else {
      result = std::numeric_limits<double>::quiet_NaN();
      produced = produced || !any_nan;
    }
  }
  return produced;
}

void ResultScan::apply_rule(std::size_t begin, std::size_t end, const double* results) {
  const std::size_t n_real = static_cast<std::size_t>(spec_.n_real);
  const Column* decisive = rule_.integer >= 0 ? &columns_[static_cast<std::size_t>(rule_.integer)] : nullptr;
  if (decisive != nullptr && (decisive->type == Column::Type::i32 ||
                              (decisive->length == 1 && is_integer(*static_cast<const double*>(decisive->data)))))
    return;
  const bool own = decisive != nullptr && decisive->length >= end;
  std::vector<Found> found;
  double arg[kMaxColumns];
  std::string text;
  for (std::size_t i = begin; i < end && found.size() < kMaxWarnings; ++i) {
    if (decisive != nullptr && is_integer(own ? static_cast<const double*>(decisive->data)[i] : value_at(*decisive, i)))
      continue;
    bool missing = false;
    for (std::size_t k = 0; k < n_real; ++k) {
      arg[k] = value_at(columns_[k], i);
      missing = missing || std::isnan(arg[k]);
    }
    if (!missing && rule_.warns(arg, results[i - begin], text)) found.emplace_back(i, text);
  }
  if (found.empty()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  found_.insert(found_.end(), found.begin(), found.end());
  if (found_.size() > 2 * kMaxWarnings) {  // only the first in element order are kept
    std::sort(found_.begin(), found_.end());
    found_.resize(kMaxWarnings);
  }
}

std::vector<std::string> ResultScan::warnings() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Found> sorted = found_;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() > kMaxWarnings) sorted.resize(kMaxWarnings);
  std::vector<std::string> texts;
  for (Found& entry : sorted) texts.push_back(std::move(entry.second));
  if (produced_ && std::strcmp(spec_.warn_rule, "silent") != 0) texts.push_back("NaNs produced");
  return texts;
}

}  // namespace openclPort
