// laplace -- the logarithm of an integral over effects of levels, by Laplace's approximation at their mode, and its
// gradient in the other parameters.
#pragma once

#include <vector>

#include "expression/graph.h"
#include "expression/slopes.h"

namespace openclPort::expression {

struct LaplaceValue {
  int value = 0;      // node: f - sum(log(-h)) / 2, f the log-likelihood and h its second derivatives in the effects
  int to_derive = 0;  // node whose derivatives are those of the value at the mode, which moves with the parameters
  int constant = 0;   // input that has none, for to_derive
};

// `root`: what is `sign` (1 or -1) times the log-likelihood; `effects`: the input, a vector. `value` is the
// approximation where the effects are at the mode, but for length(effects) / 2 * log(2 * pi). Throws NmathError where
// the part of the Hessian in the effects is not diagonal.
LaplaceValue laplace_value(Graph& graph, int root, int effects, int sign);

}  // namespace openclPort::expression
