// point_tiles -- a sum at many points, some points at a time: what a row has of its own is read and computed once for
// all points of a tile, and what a point has once for all rows. Each point adds up as a kernel of one point does, so
// that its bits are the same.
// A tile is as many points as a vector has numbers, EXPR_POINTS.
#pragma once

#include "expression/point_levels.h"

namespace openclPort::expression {

// Whether what was written can stand in tiles; else it is to be written without.
bool fits_point_tiles(const Writer& w);

// Points of a tile: where a group is one work-item, and where it has more.
int points_alone(const Writer& w);
int points_shared(const Writer& w);

Lines point_tile_definitions(const Writer& w);
// All of the kernel behind its words of flags. `needs_general`: the line that notes an needs_general value, or "".
Lines tiled_points(Writer& w, bool uses_index, std::size_t words, const std::string& needs_general);

}  // namespace openclPort::expression
