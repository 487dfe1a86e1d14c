// point_slice_parts -- what the kernels of many points with gradients in few coefficients have in common: those that
// add on work-items (point_slices.h), and those that add on matrix units (point_matrix.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "expression/node_text.h"
#include "expression/point_names.h"
#include "expression/writer.h"

namespace openclPort::expression {

// How many columns a term has at most, in fours; and all terms.
int fours_of(const Writer& w, std::size_t t);
int all_fours(const Writer& w);
// The first term with the same matrix, and with the same product.
std::size_t matrix_of(const Writer& w, std::size_t t);
std::size_t product_of(const Writer& w, std::size_t t);
// How many columns a term has, as C text.
std::string point_width(const Writer& w, std::size_t t);

// What a row has that is the same at all points is computed once a row, and read from local memory; but not what is
// made of a product that has a term.
std::vector<Declared> row_values(const Writer& w);
// Whether a row's own lines run once a row. If not, they run at each point.
bool rows_come_first(const Writer& w);
// Whether rows side by side hide each other's waiting: they take a program's text twice, which longer functions would
// make long to build for nothing.
bool all_are_cheap(const Writer& w);

// `pattern` of each flag: needs_general, w0, ...
Lines flag_lines(const char* pattern, std::size_t words);
// The element of a column of doubles that a row's value is, where no other line of the row reads it; else "".
std::string column_element(const Writer& w, const std::string& value);
// Computes the values of row r, q_ of each, and notes the flags that this raises. `fetches`: those that are elements of
// columns are on their way from then on (EXPR_FETCH).
Lines row_value_lines(const Writer& w, const std::vector<Declared>& values, bool uses_index, std::size_t words,
                      bool fetches = false);

// Raises the flags of `point`; and, of all points of a group, those that were noted while row values were computed.
Lines raised_flags(std::size_t words, const std::string& needs_general);
Lines raised_flags_of_rows(const Writer& w, std::size_t words, const std::string& needs_general);

// The kernel of a group of work-items that has one block of rows after the other, at the same points.
Lines blocks_in_turn(Lines setup, const Lines& block, const Lines& ends);

}  // namespace openclPort::expression
