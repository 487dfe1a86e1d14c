// point_terms -- gradients in coefficients at some points at a time, where a group has several work-items: its rows lie
// in local memory once for all points of a tile.
#pragma once

#include <string>

#include "expression/writer.h"

namespace openclPort::expression {

// How many points a group's local memory has room for: 4, 2 or 1.
int points_with_terms(const Writer& w);

// The rows of a block. `coefficient(t)`: of term t, the text of number j of its coefficients at point `t`; `row`: what
// is done for a row, which leaves scores in `part`; `sums_at`: where a point's sums of term t go.
struct PointTerms {
  Lines coefficients, row, sums_at;
};
Lines shared_point_terms(const Writer& w, const PointTerms& of);

}  // namespace openclPort::expression
