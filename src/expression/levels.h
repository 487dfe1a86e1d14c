// levels -- which elements of a vector of parameters a part of a graph is made of: where each slope in a vector is made
// of its own element alone, the vector's block of the Hessian is diagonal. That is so of effects of levels, u[g].
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"
#include "expression/slopes.h"

namespace openclPort::expression {

// What the nodes of a graph are made of, of one input that is a vector. Values alone count, as far as they move: tests
// and comparisons are steps.
class Levels {
 public:
  // `wrt`: inputs that are given, whatever their definition.
  Levels(const Graph& graph, const std::vector<int>& wrt, int input);
  bool none(int id) const { return at(id) == kNone; }
  // Whether each element is made of the vector's element of the same number alone.
  bool own(int id) const { return at(id) == kNone || at(id) == kOwn; }
  // Whether elements of the vector are taken by codes, u[g], or those of a vector that is made of it element by
  // element.
  bool gathered() const { return gathered_; }

 private:
  static constexpr int kNone = 0, kOwn = -1, kMixed = -2;  // else the node of codes that they are taken by
  int at(int id) const { return made_of_[static_cast<std::size_t>(id) - 1]; }
  int of_input(int number) const;
  int of_node(const Node& node) const;
  int of_each_element(const Node& node) const;
  bool any(const Node& node) const;
  const Graph& graph_;
  const std::vector<int>& wrt_;
  const int input_;
  std::vector<int> made_of_;  // by node
  bool gathered_ = false;
};

struct Diagonals {
  std::vector<char> is;  // by slope
  std::string refused;   // of a vector that is taken by codes and is not diagonal: why
};

// Of which slopes' inputs the Hessian's part is diagonal, and with each other 0. Only vectors that are taken by codes
// are asked for, where there are more numbers than `most` all, and those of `wanted` in any case.
Diagonals diagonal_parts(const Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& wanted,
                         double most);

}  // namespace openclPort::expression
