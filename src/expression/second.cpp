// second -- see second.h
#include "expression/second.h"

#include <string>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/rules.h"
#include "expression/tangents.h"

namespace openclPort {
namespace expression {

namespace {

constexpr double kMostDirections = 64;

void check_inputs(const Graph& graph, const std::vector<Slope>& slopes) {
  double all = 0;
  for (const Slope& slope : slopes) {
    const Input& input = graph.input(slope.input);
    if (input.matrix) throw NmathError("second derivatives in `" + input.name + "`, a matrix, are not supported");
    all += input.length;
  }
  if (all > kMostDirections)
    throw NmathError("a Hessian of " + std::to_string(static_cast<long long>(all)) +
                     " numbers is not supported: it has up to 64. Name fewer arguments in `gradient`");
}

}  // namespace

std::vector<Curve> second_derivatives(Graph& graph, const std::vector<Slope>& slopes) {
  check_inputs(graph, slopes);
  const Quietly quietly(graph);
  std::vector<int> wrt;
  for (const Slope& slope : slopes) wrt.push_back(slope.input);
  std::vector<Curve> curves;
  int direction = 0;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double length = graph.input(slopes[k].input).length;
    if (length != 1) graph.exact = true;  // there is a column for each element
    std::vector<int> nodes;
    for (std::size_t j = k; j < slopes.size(); ++j) nodes.push_back(slopes[j].node);
    for (int element = 1; element <= static_cast<int>(length); ++element) {
      ++direction;
      const std::vector<int> found = Tangents(graph, wrt, slopes[k].input, element).of(nodes);
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        Curve curve;
        curve.direction = direction;
        curve.slope = static_cast<int>(k + j) + 1;
        curve.node = as_double(graph, found[j] == 0 ? constant_node(graph, 0.0) : found[j]);
        if (graph.length(curve.node) != 1) curve.node = in_memory(graph, curve.node);
        curves.push_back(curve);
      }
    }
  }
  return curves;
}

}  // namespace expression
}  // namespace openclPort
