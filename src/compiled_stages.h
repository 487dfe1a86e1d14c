// compiled_stages -- what the compiler made of a function in stages; staged_plan.h makes plans of it.
#pragma once

#include <vector>

#include "expression/graph.h"
#include "expression/stages.h"

// Behind a handle, which keeps those of the kernels: of each stage the usual one, or its loop, then the general one.
struct CompiledStages {
  static const char* name() { return "nmathopencl compiled stages"; }
  openclPort::expression::Graph graph;
  openclPort::expression::Staged staged;
};

// What a loop over data takes. `columns` and `scalars` are nodes; `series` inputs that say where each series lies;
// `numbers`: those that its kernel takes, and lengths; `sizes`: how many numbers each result has.
struct LoopOfData {
  std::vector<int> columns, scalars, series;
  std::vector<double> numbers, sizes;
  double items = 1;
  int carried = 0;
};
LoopOfData loop_of_stage(const openclPort::expression::Graph& graph, const openclPort::expression::Stage& stage);
