// total -- sums the results of a call's blocks.
#pragma once

#include <cmath>

#include "base/columns.h"

namespace openclPort {

// As R's sum() has it; NA before NaN.
class Total {
 public:
  void add(double x) {
    sum_ += x;
    if (std::isnan(x)) missing_ = missing_ || is_na(x);
  }
  double value() const { return missing_ ? na_real() : static_cast<double>(sum_); }

 private:
  long double sum_ = 0.0L;
  bool missing_ = false;
};

}  // namespace openclPort
