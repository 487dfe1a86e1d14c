// points -- a reduction at many points in one launch: some of its inputs, parameters, have other numbers at each point,
// which lie one point after the other in memory. A group of work-items has a block of rows at one point, or at some.
//
// The kernel takes, besides its other arguments, `points`, the numbers of a part of the points; `numbers`, how many
// each has; `first_point` and `last_point`, those of the launch; `all_blocks`, how many results each point has; and for
// each input where its numbers begin. Point by point it does what the kernel of one point does, in the same order.
#pragma once

#include <string>

#include "expression/point_names.h"
#include "expression/writer.h"

namespace openclPort::expression {

// Whether a kernel of points adds what equal codes have; whether it leaves elements, all of a point's together.
bool adds_by_codes(const Writer& w);
bool leaves_elements(const Writer& w);
// Whether it has the sums of the blocks of groups, which R joins, at each point.
bool adds_by_groups(const Writer& w);
// Whether an input has other numbers at each point.
bool is_over(const Writer& w, int input);

// What the text needs besides. Throws NmathError where the kernel cannot have points.
void begin_points(Writer& w);

// The inputs among TextRequest::over that the kernel reads.
std::vector<int> used_over(const Writer& w);
// Where an input's numbers are among the parts of a point's, from 1.
std::size_t place_of_input(const Writer& w, int input);
// Where vectors with a number for each row begin.
Lines point_offsets(const Writer& w);
// The numbers of a point, which are at `row`, and where the results and flags of `point` go.
Lines point_inputs(const Writer& w);
Lines point_outputs(const Writer& w);
// The same of point t of a tile; those that lines read; and pointers to them, made where they are read: a compiler
// keeps no array of them in registers.
Lines numbers_of_point(const Writer& w);
std::vector<Declared> inputs_of_point(const Writer& w, const Lines& users);
Lines pointers_of_point(const Writer& w, const Lines& users, const std::string& row);
// Where its elements go.
Lines point_elements(const Writer& w, const std::string& point);
// The loop of a kernel that has elements alone: a group has a block of them.
Lines elements_at_points(const Writer& w, bool uses_index);

// What the kernel does first: which block and which point, where this point's numbers and results are.
Lines point_lines(const Writer& w);
// The same of the kernel that joins blocks: which number of which point.
Lines joined_point_lines(const Writer& w);

// The attribute that says how many work-items a group of the first kernel has, where it is for so many alone.
Lines required_group(const Writer& w);

// Leaves out what the engine does not give: columns and scalars are those that all points share.
void leave_out_points(const Writer& w, KernelText& text);

}  // namespace openclPort::expression
