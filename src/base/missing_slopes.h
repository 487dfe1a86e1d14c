// missing_slopes -- the gradient of what is missing is missing, as R's differences of it are.
#ifndef NMATHOPENCL_MISSING_SLOPES_H
#define NMATHOPENCL_MISSING_SLOPES_H

#include <cmath>
#include <cstddef>

namespace openclPort {

// `gradient`: `numbers` columns of as many slopes as there are values.
inline void spread_missing(const double* values, std::size_t count, double* gradient, std::size_t numbers) {
  for (std::size_t k = 0; k < count; ++k) {
    if (!std::isnan(values[k])) continue;
    for (std::size_t j = 0; j < numbers; ++j) gradient[j * count + k] = values[k];
  }
}

}  // namespace openclPort

#endif
