// row_weights -- second derivatives of a sum of rows in which vectors enter by products with matrices: a part of the
// Hessian is then t(X) W Z, W diagonal, so that a kernel has to give W alone, whatever the number of columns is.
#pragma once

#include <vector>

#include "expression/graph.h"
#include "expression/syntax.h"

namespace openclPort::expression {

// One weight of each row. A side is an argument of the gradient, by its number there, from 1, with the matrix input
// that it is multiplied by; 0 where the argument is a number.
struct RowWeight {
  int left = 0, left_matrix = 0;
  int right = 0, right_matrix = 0;
  int product = 0;  // the node of the one side that is a product; 0: both are, or none
  int node = 0;     // of doubles
};

struct RowWeights {
  int root = 0;        // the value of each row
  bool mean = false;   // whether the function's value is the mean of `root`'s, else it is their sum
  double scale = 1.0;  // times this
  int rest = 0;        // what the function's value has besides, a node; 0: nothing that moves
  // For each left <= right all products of the one with all of the other.
  std::vector<RowWeight> weights;
};

// `root`: values that `reduce`, "sum", "mean" or "", makes one; "": it is such a sum or mean itself, or a constant
// times one. Throws LimitError where the Hessian is not made so.
RowWeights row_weights(Graph& graph, int root, const std::string& reduce, const std::vector<int>& gradient,
                       const Syntax& body);

// The function without the sum that these weights are of. Throws LimitError where that is all, or where there is none.
int rest_of_rows(Graph& graph, int root, const std::vector<int>& gradient);

}  // namespace openclPort::expression
