// pairs -- doubles as pairs of floats.
#include "base/pairs.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <locale>
#include <sstream>

namespace openclPort {

namespace {

struct Pair {
  float hi, lo;
};
static_assert(sizeof(Pair) == sizeof(double), "a pair takes the place of a double");

constexpr std::uint32_t kPayload = 0x3fffff;  // of a float's quiet NaN; R's NA has 1954 in it

float float_of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// As pair_of_bits() and pair_bits() of inst/cl/pair have it.
Pair nan_pair(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << 31;
  return {float_of_bits(sign | 0x7fc00000U | (static_cast<std::uint32_t>(bits) & kPayload)), 0.0F};
}
double nan_of(float hi) {
  std::uint32_t b;
  std::memcpy(&b, &hi, sizeof b);
  const std::uint64_t bits = static_cast<std::uint64_t>(b >> 31) << 63 | UINT64_C(0x7ff8000000000000) | (b & kPayload);
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::string shown(double x) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << x;
  return out.str();
}

}  // namespace

PairRangeError::PairRangeError(double x, const std::string& device)
    : NmathError("the number " + shown(x) + " is beyond what pairs of floats compute with, 7.9e-31 to 1.3e+30",
                 "arithmetic", kPairRange,
                 "Use the log scale, other units, or fallback = TRUE, by which the host device "
                 "computes" NMATHOPENCL_SEE_LIMITS ".",
                 device) {}

bool is_pair_number(double x) noexcept {
  const double size = std::fabs(x);
  return (size >= 0x1p-100 && size <= 0x1p100) || x == 0 || !std::isfinite(x);
}

bool split_pairs(const double* from, double* to, std::size_t count, double* outside) noexcept {
  bool good = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = from[i];
    Pair pair{static_cast<float>(x), 0.0F};
    if (std::isnan(x)) {
      pair = nan_pair(x);
    } else if (!std::isinf(x)) {
      pair.lo = std::isinf(pair.hi) ? 0.0F : static_cast<float>(x - static_cast<double>(pair.hi));
      if (!is_pair_number(x) && static_cast<double>(pair.hi) + static_cast<double>(pair.lo) != x) {
        if (good) *outside = x;
        good = false;
      }
    }
    std::memcpy(to + i, &pair, sizeof pair);
  }
  return good;
}

void join_pairs(const double* from, double* to, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    Pair pair;
    std::memcpy(&pair, from + i, sizeof pair);
    if (std::isnan(pair.hi))
      to[i] = nan_of(pair.hi);
    else if (std::isinf(pair.hi) || pair.lo == 0)  // of which one may be -0
      to[i] = static_cast<double>(pair.hi);
    else
      to[i] = static_cast<double>(pair.hi) + static_cast<double>(pair.lo);
  }
}

}  // namespace openclPort
