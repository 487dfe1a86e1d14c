// pairs -- doubles as pairs of floats, two in the place of one: how they travel to a device without doubles, and back.
#pragma once

#include <cstddef>

#include "base/nmath_error.h"

namespace openclPort {

// A number that no pair of floats stands for with all of its digits.
class PairRangeError : public NmathError {
 public:
  explicit PairRangeError(double x, const std::string& device = std::string());
};

// The status of such an error.
constexpr const char* kPairRange = "NMATHOPENCL_RANGE";

// 0, what is not finite, and all from 2^-100 to 2^100: outside of it digits of some steps leave a float's range.
bool is_pair_number(double x) noexcept;

// `to` may be `from`. False, with the first number in *outside, where one is outside of that range and no pair is equal
// to it.
bool split_pairs(const double* from, double* to, std::size_t count, double* outside) noexcept;

// The other way; R's NA comes back as what it was.
void join_pairs(const double* from, double* to, std::size_t count) noexcept;

}  // namespace openclPort
