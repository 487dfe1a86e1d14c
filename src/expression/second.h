// second -- second derivatives: what a gradient's nodes become when an argument moves. The gradient is made of nodes of
// the language, so it is differentiated once more, forwards, for each number that the gradient is in.
#pragma once

#include <vector>

#include "expression/graph.h"
#include "expression/slopes.h"

namespace openclPort::expression {

// A part of one column of the Hessian: what slope number `slope`, from 1, becomes when number `direction`, from 1, of
// all numbers of the gradient moves. As long as its input, or of length one for all of its elements. Of a vector whose
// part of the Hessian is diagonal that diagonal, with direction 0.
struct Curve {
  int direction = 0;
  int slope = 0;
  int node = 0;  // of doubles
};

// Of each direction the slopes from its own input on, and those in vectors whose part is diagonal (levels.h): the rest
// is the same by symmetry. `diagonal`: inputs whose part has to be. Throws NmathError where something has no second
// derivative, where there are too many numbers besides those, or where a part of `diagonal` is none.
std::vector<Curve> second_derivatives(Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& diagonal);

// What each slope becomes where the gradient's numbers move by those of the inputs `moves`, one as long as each slope's
// input: the Hessian times a vector, whose program is as long whatever the number of columns is. `diagonal`: by slope,
// whether its part of the Hessian is diagonal, and 0 with those of others that are. Throws NmathError as above.
std::vector<Slope> moved_slopes(Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& moves,
                                std::vector<int>& diagonal);

// The same of a reduction that is not computed in stages, as slopes of the slopes: each a node, or terms, whose sums
// are the Hessian's. `curves` gets direction and slope of each. Throws NmathError as above; nothing is kept as a
// diagonal.
std::vector<Slope> slopes_of_slopes(Graph& graph, const std::vector<Slope>& slopes, std::vector<Curve>& curves);

}  // namespace openclPort::expression
