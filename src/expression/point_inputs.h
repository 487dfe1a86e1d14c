// point_inputs -- which inputs of a function in stages are others at each of many points.
#pragma once

#include <map>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

class PointInputs {
 public:
  // `over`: the given inputs that differ.
  PointInputs(const Graph& graph, const std::vector<int>& over) : graph_(graph), over_(over) {}

  // Numbers that no parameter is in are the same at all points, but what a launch leaves of sums and loops is looked
  // for at its point.
  bool differ(int input);
  // `over`, and the computed ones that differ.
  std::vector<int> all();
  // Whether the elements of a node have a launch of all points: others are computed as values, point by point, where
  // they are short.
  bool has_elements(int id);

 private:
  bool differ_in(const Node& node);

  const Graph& graph_;
  const std::vector<int>& over_;
  std::map<int, bool> known_;
};

}  // namespace openclPort::expression
