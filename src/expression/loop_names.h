// loop_names -- the names of a vector that a loop has computed.
#pragma once

#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

// What stands for a variable in a round, a node or the first of its elements, and what it was before the loop.
struct LoopLocal {
  int local = 0, before = 0;
};

// The node `value` with the names that the first round gives what is `after` at its end.
int named_after_loop(Graph& graph, int value, int after, const std::vector<LoopLocal>& locals);

// The node `value` with the names of the vector `before`, whose elements a loop has assigned.
int named_as_before(Graph& graph, int value, int before);

}  // namespace openclPort::expression
