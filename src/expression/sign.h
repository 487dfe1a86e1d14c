// sign -- derives the sign of a node without its value, so that a kernel needs functions for that sign only.
#pragma once

#include "expression/graph.h"

namespace openclPort::expression {

// Whether a node of doubles is, whatever the inputs are, never of the other sign than `sign`, 1 or -1: it may be 0 or
// NaN. `depth`: how far into deep expressions it looks.
bool keeps_sign(const Graph& graph, int id, int sign, int depth = 6);

// exp(x) for an x that is never positive, and log1p() of that: inst/cl/nmath/log1p_unit.cl has both.
bool is_exp_to_unit(const Graph& graph, const Node& node);
bool is_log1p_of_unit(const Graph& graph, const Node& node);
// Whether log1p() of node `id` is log1p_exp(x) (the same file): x may be positive.
bool is_log1p_of_exp(const Graph& graph, int id);

}  // namespace openclPort::expression
