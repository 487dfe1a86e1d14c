// point_matrix -- a sum with gradients in a few dozen coefficients at many points, on the matrix units of a device that
// has them for doubles (NMATH_MATRIX_UNITS): the numbers of the sums, and their order, are those of term_slices.h.
#pragma once

#include <string>
#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

bool matrix_at_points(const Writer& w);

// By term: how many columns it has at most, in fours. Empty where matrix units do not serve.
std::vector<int> matrix_fours(const Writer& w);
// How many numbers of local memory a group has.
int matrix_numbers(const Writer& w);

// The kernel's body after the declaration of its flags, as tiled_points() has it.
Lines matrix_points(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general);

}  // namespace openclPort::expression
