// term_slices -- gradients in a few dozen coefficients where a group has several work-items: in which order a block's
// numbers are added, the same at one point and at many.
//
// Row r of a block belongs to slice r % 8, or r % 16 where there are at most eight columns. A slice adds eight of its
// rows, or four, after the other to a chain of fused products, which goes into a sum that keeps what its roundings
// lost; then the slices are joined from the first to the last. The values of the rows are added in this order, too.
// Neither the number of work-items nor the height of a tile of rows has part in it. A chain rounds eight times at most,
// so that a sum's error is at most that of one product and seven additions, 8 u sum(|x score|) where u is 2^-53, beside
// that of sums that keep what they lose: it stays below 8 eps (1 + cond). A chain of wide terms rounds sixteen times at
// most, 16 u sum(|x score|), which is 8 eps (1 + cond).
#pragma once

#include <string>

#include "expression/slices.h"
#include "expression/writer.h"

namespace openclPort::expression {

// Whether a kernel's text has this order, for as few columns as it takes: `sliced` of a group tells, or, where columns
// are part of the text, slices_at_points() and matrix_at_points() (point_slices.h, point_matrix.h).
bool may_have_slices(const Writer& w);
// The same of more columns, on a device with matrix units. A linear predictor is a sum of eight or sixteen chains of
// fused products there, of ranges of neighbouring columns; neighbouring rows of a block, from its first on, are a chain
// of a gradient's sum, and of a value's: sixteen, or eight where there are more columns (chain_of_wide()).
bool may_be_wide(const Writer& w);
// The C text of how many columns a range of `width` has, of which a linear predictor is the sum: one or, of more than
// 16 columns and few terms, four; eight of wide terms. `ranges`: how many there are.
std::string columns_of_range(const std::string& width, const std::string& ranges = "ranges");
// Declares `sliced`, how many slices there are, `wide`, and `ranges`, 0 in another order.
Lines sliced_lines(const Writer& w);

// Of the rows of a block, for the work-items of a group together (reduce.cpp). `values` of the rows lie in front of the
// slices' sums, in `sums`.
Lines slice_rooms(const Writer& w);  // after `taken` is known, and `tile` and `rows` are not
Lines slice_clear(const Writer& w);
Lines slice_values(const Writer& w);  // of a row
Lines slice_add(const Writer& w);     // a tile
Lines slice_end(const Writer& w);     // the slices, as the block's results

// Of wide terms: adds the chains of a tile's `count` rows to `a`; `row`: how row r is found, `next`: the chain z with
// row r in it. The values of a row; those of a tile, in sums of some work-items.
std::string wide_chains(const std::string& row, const std::string& next);
Lines wide_values(const Writer& w);
Lines wide_add(const Writer& w);

// `x` more in a sum whose parts are `s` and `c`, as a statement: expr_sum_add() of numbers with names of their own.
std::string added_to_parts(const std::string& s, const std::string& c, const std::string& x);

}  // namespace openclPort::expression
