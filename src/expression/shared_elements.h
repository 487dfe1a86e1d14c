// shared_elements -- vectors of elements that are left by one launch, because they have in common what takes long.
#pragma once

#include <map>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

class SharedElements {
 public:
  explicit SharedElements(const Graph& graph) : graph_(graph) {}

  // Whether one launch is to leave the elements of node `id` as well as those of `nodes`: they are as many, and call a
  // function of the library, or another that takes long, that the first of `nodes` calls, too.
  bool share(const std::vector<int>& nodes, int id);

 private:
  const std::vector<int>& long_parts(int id);

  const Graph& graph_;
  std::map<int, std::vector<int>> long_parts_;
};

}  // namespace openclPort::expression
