// series_elements -- short vectors and small matrices of one series, element by element: numbers are what each of many
// series has of its own.
#pragma once

#include "expression/graph.h"

namespace openclPort::expression {

// Whether a node has few elements, as many for each series.
bool is_short(const Graph& graph, int id);
// Element k, from 0, of a short vector as a node of its own; 0 where it cannot be said.
int element_of_short(Graph& graph, int id, double k);
// The reduction of a short vector as arithmetic with its elements; 0 where it cannot be said.
int reduced_short(Graph& graph, const Node& reduction);

}  // namespace openclPort::expression
