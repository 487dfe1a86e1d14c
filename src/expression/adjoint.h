// adjoint -- differentiates a graph in reverse mode.
#pragma once

#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

// What a product with a matrix leaves to the gradient in its coefficients, t(X) %*% score over the rows that have a
// part in it.
struct Term {
  int product = 0;  // node
  int score = 0;    // node of doubles
  int mask = 0;     // node, FALSE in rows without a part; 0: all have one
  int cut = 0;  // node of the vector that rows are counted by, where a longer one was cut to its length; 0: none was
};

struct Adjoints {
  std::vector<int> nodes;                // by input of `wrt`: the adjoint, 0 where the value does not depend on it
  std::vector<std::vector<Term>> terms;  // by input of `wrt`
};

// `wrt`: numbers of inputs; `staged`: whether values may be computed in stages. Throws NmathError where something has
// no derivative.
Adjoints adjoints(Graph& graph, int root, const std::vector<int>& wrt, bool staged = false);

}  // namespace openclPort::expression
