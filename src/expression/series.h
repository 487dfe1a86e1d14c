// series -- a function of one series computed for many at once, `by = id`: each number of a series becomes a vector
// with one for each of them, what is as long as the series becomes as long as all of them together, and a loop over the
// rows gets a work-item for each.
//
// The function is translated for a series of `fake` rows, a length that nothing else has: lengths near it are so many
// more or fewer than the series has rows. over_series() then makes the nodes for all of them.
#ifndef NMATHOPENCL_EXPRESSION_SERIES_H
#define NMATHOPENCL_EXPRESSION_SERIES_H

#include <optional>
#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort {
namespace expression {

double fake_rows(const std::vector<double>& lengths);               // that none of these is near to
std::vector<int> sources_of(const Graph& graph, const Node& node);  // arguments, and what inputs are defined by
int input_as_node(Graph& graph, int number);
// Whether a length is one of a series' rows.
bool is_of_rows(const Graph& graph, double length);
// What is said of `text` where it differs from series to series.
bool differs_by_series(const Graph& graph, int id);
// The number of a node that is a length of the series, or so many more or fewer.
std::optional<double> fake_number(const Graph& graph, int id);
// How long a vector is, as a node.
int length_node(Graph& graph, int id);
// An element of all series' rows, one for each: number `place` of its own rows, near the fake length so many from the
// end.
int element_of_series(Graph& graph, int rows, double place);

struct OverSeries {
  int root = 0;             // a number for each series
  std::vector<int> wanted;  // by argument of the gradient and element: the input that has it for each series
  std::vector<int> sizes;   // by argument, how many of these
};
// `root`: a number of one series. `gradient`: numbers of inputs.
OverSeries over_series(Graph& graph, int root, const std::vector<int>& gradient);

}  // namespace expression
}  // namespace openclPort

#endif
