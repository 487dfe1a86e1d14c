// series_lengths -- lengths of a function of one series: those of the series' rows, and others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

double fake_rows(const std::vector<double>& lengths);               // that none of these is near to
std::vector<int> sources_of(const Graph& graph, const Node& node);  // arguments, and what inputs are defined by
// Whether a length is one of a series' rows.
bool is_of_rows(const Graph& graph, double length);
// What is said of `text` where it differs from series to series.
bool differs_by_series(const Graph& graph, int id);
// The number of a node that is a length of the series, or so many more or fewer.
std::optional<double> fake_number(const Graph& graph, int id);
// Whether a number under `root` was made of the fake length, as that of the elements of a matrix with as many rows is:
// it is no series' own.
bool has_fake_product(const Graph& graph, int root);
// How long a vector is, as a node.
int length_node(Graph& graph, int id);
// An element of all series' rows, one for each: number `place` of its own rows, near the fake length so many from the
// end.
int element_of_series(Graph& graph, int rows, double place);

// Whether a node has a number for each series, which is made of others of them.
bool is_of_series_numbers(const Graph& graph, const Node& node);

}  // namespace openclPort::expression
