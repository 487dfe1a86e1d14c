// evaluate -- graphs of real arithmetic, computed: what a derivative's graph says is compared with differences.
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"

namespace expression_test {

// By input: its elements.
using Values = std::vector<std::vector<double>>;

// Element `at` (from 0) of a node. Whole numbers are doubles, logical ones 0 and 1, NA is R's. Throws std::logic_error
// where the node is of another operation.
double element(const openclPort::expression::Graph& graph, int id, std::size_t at, const Values& values);

}  // namespace expression_test
