// point_tiles -- a sum at many points, some points at a time: what a row has of its own is read and computed once for
// all points of a tile, and what a point has once for all rows. Each point adds up as a kernel of one point does, so
// that its bits are the same.
//
// A node's line stands where its value changes: before all (scalar_lines), at each point (point_lines), at each row
// (row_lines), or at each row and point (loop_lines). A tile is as many points as a vector has numbers, EXPR_POINTS.
#ifndef NMATHOPENCL_EXPRESSION_POINT_TILES_H
#define NMATHOPENCL_EXPRESSION_POINT_TILES_H

#include <vector>

#include "expression/writer.h"

namespace openclPort {
namespace expression {

// Whether a kernel may have tiles of points, as far as is known before it is written; and which nodes vary then.
void begin_point_tiles(Writer& w);
// What no point changes, which stands in no branch: it is computed once a row.
std::vector<int> nodes_of_rows(const Writer& w);
// Once branches are known: what stands in one, and what it is a branch of, is computed at each point.
void note_varying_branches(Writer& w);
// Whether what was written can stand in tiles; else it is to be written without.
bool fits_point_tiles(const Writer& w);

// The lines that are emitted meanwhile belong to what varies from point to point, or do not.
class AtLevel {
 public:
  AtLevel(Writer& w, bool varies) : w_(w), before_(w.varying) { w.varying = varies; }
  ~AtLevel() { w_.varying = before_; }
  AtLevel(const AtLevel&) = delete;
  AtLevel& operator=(const AtLevel&) = delete;

 private:
  Writer& w_;
  const bool before_;
};
bool varies(const Writer& w, int id);

// Points of a tile: where a group is one work-item, and where it has more.
int points_alone(const Writer& w);
int points_shared(const Writer& w);

Lines point_tile_definitions(const Writer& w);
// All of the kernel behind its words of flags. `odd`: the line that notes an odd value, or "".
Lines tiled_points(Writer& w, bool uses_index, std::size_t words, const std::string& odd);
// The value of a product of the rows of a tile, number `tile` from 1; `shared` and `loop` are how a group has it
// otherwise.
Lines tiled_product(const Writer& w, const std::string& name, std::size_t tile, const std::string& shared,
                    const std::string& loop);

}  // namespace expression
}  // namespace openclPort

#endif
