// tangents -- derivatives of a graph forwards, in the direction of one number. Its rules are in tangents.cpp, those of
// values that are computed in stages in tangents_stages.cpp, and of loops over data in tangents_recursion.cpp.
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

// What a node becomes: 0 where both are 0; a node as long as it, or of length one for all of its elements; or 1 at one
// place, from 1, and 0 elsewhere, of which a node is made only where one is needed.
struct Tangent {
  int node = 0;
  int place = 0;
  bool zero() const { return node == 0 && place == 0; }
};

class Tangents {
 public:
  // Element number `element`, from 1, of input number `input` moves; 0: all of them.
  Tangents(Graph& graph, const std::vector<int>& wrt, int input, int element);
  // The inputs `wrt` move by these nodes, each as long as its input.
  Tangents(Graph& graph, const std::vector<int>& wrt, const std::vector<int>& moves);
  // Each element of node `product`, X %*% b, moves by one, and no input does.
  Tangents(Graph& graph, int product);
  // Of a graph whose inputs have these tangents, nodes by input; 0: none.
  Tangents(Graph& graph, const std::vector<int>& given);
  // By node of `ids`.
  std::vector<int> of(const std::vector<int>& ids);

 private:
  static std::size_t at(int id) { return static_cast<std::size_t>(id) - 1; }
  std::vector<int> followed(int id) const;
  bool is_wrt(int input) const;
  Tangent made(int id);
  Tangent of_input(int number);
  bool is_constant_zero(int id) const;
  Tangent by_partials(int id, const Node& node);
  Tangent chosen(const Node& node);
  Tangent extreme(const Node& node);
  Tangent product(const Node& node);
  Tangent slice(const Node& node);
  Tangent gathered(const Node& node);
  Tangent concatenated(const Node& node);
  Tangent reduced(int id, const Node& node);
  Tangent recursion(const Node& node);
  Tangent recursion_part(const Node& node);
  Tangent row_reduced(int id, const Node& node);
  // The node's copy for the tangents of its first argument, and of the second one where it says so: of what is linear.
  Tangent linear(const Node& node, bool in_memory, std::size_t arguments = 1);
  int logical(Op op, const std::vector<int>& args);
  // A tangent of node `id` as a node, of length one or as long as it.
  int node_of(int id, const Tangent& tangent);
  // As long as it.
  int full(int id, const Tangent& tangent);
  const Tangent& known(int id) const { return known_[at(id)]; }
  Graph& graph_;
  const std::vector<int> wrt_, moves_, given_;
  const int input_, element_;
  const int product_ = 0;       // the node that moves; 0: none
  std::vector<Tangent> known_;  // by node of the graph as it was
};

}  // namespace openclPort::expression
