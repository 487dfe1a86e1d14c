// point_wide -- a sum with gradients in more coefficients than a group keeps sums of (point_matrix.h), at many points
// on matrix units. One kernel adds up the rows' values and leaves their scores in memory, the next one adds up the
// scores' products with the columns; the order is that of wide terms in term_slices.h.
#pragma once

#include <string>

#include "expression/writer.h"

namespace openclPort::expression {

bool wide_at_points(const Writer& w);

// How many numbers of local memory a group of either kernel has.
int wide_numbers(const Writer& w);

// The bodies of the kernels: after the declaration of its flags, as tiled_points() has it; and all of the second one.
Lines wide_scores(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general);
Lines wide_sums(const Writer& w, std::size_t words, const std::string& needs_general);

}  // namespace openclPort::expression
