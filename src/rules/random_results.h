// random_results -- what the host makes of the draws of a call: missing values, and integers of counts.
#pragma once

#include <atomic>
#include <vector>

#include "base/columns.h"
#include "device/functions.h"

namespace openclPort {

struct DrawRule;

// Looks through the draws of one call, chunk by chunk as they arrive. Columns and counts must outlive it.
class DrawScan {
 public:
  // `counts` has room for the draws as integers, or is null if they stay doubles.
  DrawScan(const KernelSpec& spec, const std::vector<Column>& columns, int* counts);

  // Draws [begin, end), the first at `draws`: every NaN is made R's, counts are written as integers, the smallest int
  // where there is none. Thread-safe.
  void chunk(std::size_t begin, std::size_t end, double* draws);

  // Some draw has no value, and R would warn of it.
  bool produced_missing() const { return missing_; }
  // Some count is no int: the doubles hold.
  bool beyond_integers() const { return beyond_; }

 private:
  const std::vector<Column>& columns_;
  int* const counts_;
  const DrawRule* rule_;  // null: R warns of every NaN
  std::atomic<bool> missing_{false}, beyond_{false};
};

// Counts that stay doubles: missing values are made NA.
void finish_doubles(double* draws, std::size_t n);

// Whether R warns of missing draws: element i of `draws` is draw first + i of the call. Resident draws are
// looked through where they are found to miss a value only.
bool draws_warn(const KernelSpec& spec, const std::vector<Column>& columns, const double* draws, std::size_t first,
                std::size_t count);
bool draws_always_warn(const KernelSpec& spec);  // of every one

}  // namespace openclPort
