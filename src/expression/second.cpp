// second -- see second.h
#include "expression/second.h"

#include <algorithm>
#include <string>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/levels.h"
#include "expression/rules.h"
#include "expression/tangents.h"

namespace openclPort::expression {

namespace {

constexpr double kMostDirections = 64;  // of one program
constexpr double kMostMoved = 1000;     // column by column

std::string most_text(double most) { return std::to_string(static_cast<int>(most)); }

[[noreturn]] void refuse_count(double count, double most, const std::string& why) {
  const std::string numbers = std::to_string(static_cast<long long>(count));
  if (!why.empty())
    throw LimitError("a Hessian of " + numbers + " numbers is not supported: " + why +
                     ", so that their part of it is not diagonal. It has up to " + most_text(most) +
                     " numbers besides vectors whose "
                     "elements are taken by codes, u[g], and meet no others: name fewer arguments in `gradient`");
  throw LimitError("a Hessian of " + numbers + " numbers is not supported: it has up to " + most_text(most) +
                   ", besides vectors whose elements are taken by codes, u[g]. "
                   "Name fewer arguments in `gradient`");
}

// `most`: of the numbers besides those whose part is diagonal.
Diagonals checked_parts(const Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& diagonal,
                        double most) {
  for (const Slope& slope : slopes)
    if (graph.input(slope.input).matrix)
      throw LimitError("second derivatives in `" + graph.input(slope.input).name + "`, a matrix, are not supported");
  Diagonals parts = diagonal_parts(graph, slopes, diagonal, kMostDirections);
  double rest = 0;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const Input& input = graph.input(slopes[k].input);
    if (parts.is[k] == 0) rest += input.length;
    if (parts.is[k] == 0 && std::find(diagonal.begin(), diagonal.end(), slopes[k].input) != diagonal.end())
      throw LimitError(parts.refused + ": effects of levels enter element by element, or by one vector of codes, u[g]");
  }
  if (rest > most) refuse_count(rest, most, parts.refused);
  return parts;
}

}  // namespace

std::vector<Curve> second_derivatives(Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& diagonal,
                                      bool for_r) {
  const Diagonals parts = checked_parts(graph, slopes, diagonal, for_r ? kMostMoved : kMostDirections);
  const Quietly quietly(graph);
  std::vector<int> wrt;
  for (const Slope& slope : slopes) wrt.push_back(slope.input);
  std::vector<Curve> curves;
  const auto add = [&](int direction, std::size_t slope, int node) {
    Curve curve;
    curve.direction = direction;
    curve.slope = static_cast<int>(slope) + 1;
    curve.node = as_double(graph, node == 0 ? constant_node(graph, 0.0) : node);
    if (graph.length(curve.node) != 1) curve.node = in_memory(graph, curve.node);
    curves.push_back(curve);
  };
  int direction = 0;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double length = graph.input(slopes[k].input).length;
    if (parts.is[k] != 0) {  // all elements move: each meets its own slope alone
      add(0, k, Tangents(graph, wrt, slopes[k].input, 0).of({slopes[k].node})[0]);
      direction += static_cast<int>(length);
      continue;
    }
    if (length != 1) graph.exact = true;  // there is a column for each element
    std::vector<std::size_t> moved;
    for (std::size_t j = 0; j < slopes.size(); ++j)
      if (j >= k || parts.is[j] != 0) moved.push_back(j);
    std::vector<int> nodes;
    for (const std::size_t j : moved) nodes.push_back(slopes[j].node);
    for (int element = 1; element <= static_cast<int>(length); ++element) {
      ++direction;
      const std::vector<int> found = Tangents(graph, wrt, slopes[k].input, element).of(nodes);
      for (std::size_t j = 0; j < moved.size(); ++j) add(direction, moved[j], found[j]);
    }
  }
  return curves;
}

std::vector<Slope> moved_slopes(Graph& graph, const std::vector<Slope>& slopes, const std::vector<int>& moves,
                                std::vector<int>& diagonal) {
  const Diagonals parts = checked_parts(graph, slopes, {}, kMostMoved);
  diagonal.assign(parts.is.begin(), parts.is.end());
  const Quietly quietly(graph);
  std::vector<int> wrt, moved, nodes;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    wrt.push_back(slopes[k].input);
    moved.push_back(input_as_node(graph, moves.at(k)));
    nodes.push_back(slopes[k].node);
  }
  const std::vector<int> found = Tangents(graph, wrt, moved).of(nodes);
  std::vector<Slope> made;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    Slope slope;
    slope.input = slopes[k].input;
    slope.node = as_double(graph, found[k] == 0 ? constant_node(graph, 0.0) : found[k]);
    if (graph.length(slope.node) != 1) slope.node = in_memory(graph, slope.node);
    made.push_back(slope);
  }
  return made;
}

std::vector<Slope> slopes_of_slopes(Graph& graph, const std::vector<Slope>& slopes, std::vector<Curve>& curves) {
  double all = 0;
  std::vector<int> wrt;
  for (const Slope& slope : slopes) {
    wrt.push_back(slope.input);
    all += graph.input(slope.input).length;
  }
  if (all > kMostDirections) refuse_count(all, kMostDirections, "");
  const Quietly quietly(graph);
  std::vector<Slope> made;
  int direction = 0;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double length = graph.input(slopes[k].input).length;
    if (length != 1) graph.exact = true;  // there is a column for each element
    std::vector<int> nodes;
    for (std::size_t j = k; j < slopes.size(); ++j) {
      if (slopes[j].node != 0) nodes.push_back(slopes[j].node);
      for (const Term& term : slopes[j].terms) nodes.push_back(term.score);
    }
    for (int element = 1; element <= static_cast<int>(length); ++element) {
      ++direction;
      const std::vector<int> found = Tangents(graph, wrt, slopes[k].input, element).of(nodes);
      auto moved = found.begin();
      for (std::size_t j = k; j < slopes.size(); ++j) {
        Slope one;
        one.input = slopes[j].input;
        if (slopes[j].node != 0) {
          one.node = as_double(graph, *moved == 0 ? constant_node(graph, 0.0) : *moved);
          ++moved;
        }
        for (Term term : slopes[j].terms) {
          const int score = *moved++;
          if (score == 0) continue;
          term.score = as_double(graph, score);
          one.terms.push_back(term);
        }
        made.push_back(std::move(one));
        Curve curve;
        curve.direction = direction;
        curve.slope = static_cast<int>(j) + 1;
        curves.push_back(curve);
      }
    }
  }
  return made;
}

}  // namespace openclPort::expression
