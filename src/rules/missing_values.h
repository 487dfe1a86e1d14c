// missing_values -- what the host adds to computed values: NA, and R's warnings.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/columns.h"
#include "device/functions.h"

namespace openclPort {

struct WarningRule;

// Looks through the results of one call, chunk by chunk as they arrive. Columns must outlive it.
class ResultScan {
 public:
  ResultScan(const KernelSpec& spec, const std::vector<Column>& columns);

  // Results [begin, end), the first at `results`: puts NA where a result is NaN and an argument was NA, and collects
  // warnings. Thread-safe.
  void chunk(std::size_t begin, std::size_t end, double* results);

  // Those of the function's own rule (`spec.warn_rule`) in element order, 10,000 at most, then "NaNs produced" if a NaN
  // arose from arguments none of which was missing (functions that R calls in C only have no R function to warn for
  // them: rule "silent").
  std::vector<std::string> warnings() const;

 private:
  bool restore_missing(std::size_t begin, std::size_t end, double* results);
  void apply_rule(std::size_t begin, std::size_t end, const double* results);

  using Found = std::pair<std::size_t, std::string>;  // element, text

  const KernelSpec& spec_;
  const std::vector<Column>& columns_;
  const WarningRule& rule_;
  mutable std::mutex mutex_;  // guards what follows
  bool produced_ = false;
  std::vector<Found> found_;
};

}  // namespace openclPort
