// point_slices -- a sum with gradients in few coefficients at many points, where a group has several work-items: each
// of these has one point and one slice of the rows (term_slices.h), with the point's coefficients and all of its sums
// in registers. How many columns the terms have is part of the text, in fours.
#pragma once

#include <string>
#include <vector>

#include "expression/point_names.h"

namespace openclPort::expression {

bool slices_at_points(const Writer& w);

// By term: how many columns it has at most, in fours. Empty where there are no slices.
std::vector<int> point_fours(const Writer& w);
// How many numbers a row has in local memory.
int point_row_numbers(const Writer& w);

// All of the kernel behind its words of flags, as tiled_points() has it.
Lines sliced_points(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general);

}  // namespace openclPort::expression
