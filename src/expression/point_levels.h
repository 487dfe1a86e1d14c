// point_levels -- how often each value of a kernel at many points is computed. A node's line stands where its value
// changes: before all (scalar_lines), at each point (point_lines), at each row (row_lines), or at each row and point
// (loop_lines).
#pragma once

#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

// Whether a kernel may have tiles of points, as far as is known before it is written; and which nodes vary then.
void begin_point_tiles(Writer& w);
// What no point changes, which stands in no branch: it is computed once a row.
std::vector<int> nodes_of_rows(const Writer& w);
// Once branches are known: what stands in one, and what it is a branch of, is computed at each point.
void note_varying_branches(Writer& w);
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

}  // namespace openclPort::expression
