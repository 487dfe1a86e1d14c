// scalar_value -- computes conditions in C++, for callers without R.
#pragma once

#include <functional>

#include "expression/graph.h"

namespace openclPort::expression {

// R's value of a node that is made of numbers of length one by arithmetic, comparisons and logic. `input`: the value of
// an input, by number. Throws NmathError of any other node.
Constant scalar_value(const Graph& graph, int id, const std::function<Constant(int)>& input);

}  // namespace openclPort::expression
