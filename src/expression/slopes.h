// slopes -- parts of a function's gradient, and what they add to a kernel's outputs.
#pragma once

#include <vector>

#include "expression/adjoint.h"
#include "expression/graph.h"
#include "expression/syntax.h"

namespace openclPort::expression {

// The derivative in one input: a node, or of coefficients terms.
struct Slope {
  int input = 0;
  int node = 0;  // of doubles; 0 where it has terms
  std::vector<Term> terms;
};

// One for each input of `gradient`. `body` is the function's own; `reduced`: its values are reduced to one.
std::vector<Slope> gradient_slopes(Graph& graph, int root, const std::vector<int>& gradient, bool reduced,
                                   const Syntax& body);

struct GradientOutputs {
  std::vector<int>
      outputs;     // nodes: the slopes that are nodes, then, where nothing is reduced, scores and masks of terms
  int slopes = 0;  // how many of these are slopes
  std::vector<Term> terms;  // that a reduction sums itself
};

// Throws NmathError where there are more terms than a reduction has room for.
GradientOutputs gradient_outputs(const std::vector<Slope>& slopes, bool reduced);

}  // namespace openclPort::expression
