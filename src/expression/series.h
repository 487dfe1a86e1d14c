// series -- a function of one series computed for many at once, `by = id`: each number of a series becomes a vector
// with one for each of them, what is as long as the series becomes as long as all of them together, and a loop over the
// rows gets a work-item for each.
//
// The function is translated for a series of `fake` rows, a length that nothing else has: lengths near it are so many
// more or fewer than the series has rows. over_series() then makes the nodes for all of them.
#pragma once

#include <vector>

#include "expression/series_lengths.h"

namespace openclPort::expression {

struct OverSeries {
  int root = 0;             // a number for each series
  std::vector<int> wanted;  // by argument of the gradient and element: the input that has it for each series
  std::vector<int> sizes;   // by argument, how many of these
};
// `root`: a number of one series. `gradient`: numbers of inputs.
OverSeries over_series(Graph& graph, int root, const std::vector<int>& gradient);

}  // namespace openclPort::expression
