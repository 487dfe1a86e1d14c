// sizes -- converts numbers of a caller to sizes; throws where a number is no size.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "base/nmath_error.h"

namespace openclPort {

constexpr double kMostElements = 9007199254740992.0;  // 2^53: doubles are whole numbers to here

// Throws NmathError unless it is a whole number from 0 to 2^53. `what` begins the message.
inline std::size_t size_of_number(double value, const std::string& what) {
  if (!(value >= 0 && value <= kMostElements && value == std::trunc(value)))
    throw NmathError(what + " is not a whole number from 0 to 2^53", "sizes");
  return static_cast<std::size_t>(value);
}

// Throws NmathError where the product is beyond 2^53.
inline std::size_t product_of_sizes(std::size_t a, std::size_t b, const std::string& what) {
  const std::size_t most = static_cast<std::size_t>(kMostElements);
  if (b != 0 && a > most / b) throw NmathError(what + " is beyond 2^53", "sizes");
  return a * b;
}

}  // namespace openclPort
