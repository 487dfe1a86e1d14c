// series_elements -- see series_elements.h
#include "expression/series_elements.h"

#include <climits>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "expression/build.h"
#include "expression/series_lengths.h"

namespace openclPort::expression {

namespace {

constexpr double kMostShort = 64;

int missing_short(Graph& graph, Type type) {
  return as_type(graph, constant_node(graph, whole_constant(Type::logical, INT_MIN)), type);
}

double place_in_short(const Graph& graph, int id, double k) {
  const double length = graph.length(id);
  return length > 0 ? std::fmod(k, length) : 0;
}

// R warns of an element where it would warn of the whole.
void copy_sites_to(Graph& graph, int whole, int part) {
  if (whole == part) return;
  for (const Site& site : std::vector<Site>(graph.sites)) {
    if (site.node != whole) continue;
    Site own = site;
    own.node = part;
    graph.sites.push_back(own);
  }
}

int elementwise_short(Graph& graph, int id, const Node& node, double k) {
  Node made = node;
  made.length = 1;
  for (int& arg : made.args) {
    arg = element_of_short(graph, arg, place_in_short(graph, arg, k));
    if (arg == 0) return 0;
  }
  const int one = graph.add(std::move(made));
  copy_sites_to(graph, id, one);
  return one;
}

// The elements of a vector added up and the like, one after the other, every `step`th from `first`.
int combined_short(Graph& graph, const std::string& name, Type type, int x, double first, double step) {
  const std::map<std::string, Op> ops = {{"sum", Op::add},  {"mean", Op::add}, {"prod", Op::multiply},
                                         {"min", Op::pmin}, {"max", Op::pmax}, {"any", Op::either},
                                         {"all", Op::both}};
  const auto op = ops.find(name);
  if (op == ops.end()) return 0;
  int value = 0;
  for (double k = first; k < graph.length(x); k += step) {
    int one = element_of_short(graph, x, k);
    if (one == 0) return 0;
    if (type != Type::logical) one = as_type(graph, one, type);
    if (value == 0)
      value = one;
    else if (op->second == Op::add || op->second == Op::multiply)
      value = arithmetic_node(graph, op->second, value, one);
    else
      value = plain_node(graph, op->second, type, {value, one});
  }
  return value;
}

int running_short(Graph& graph, int x, double k) {
  int sum = element_of_short(graph, x, 0);
  for (double j = 1; j <= k && sum != 0; ++j) {
    const int one = element_of_short(graph, x, j);
    sum = one == 0 ? 0 : arithmetic_node(graph, Op::add, sum, one);
  }
  return sum;
}

int numbered_short(Graph& graph, int x, int number) {
  if (number == 0) return 0;
  const Node& place = graph.at(number);
  if (place.op != Op::constant) return 0;
  const double at = is_missing(place.constant) ? 0 : std::trunc(as_real(place.constant));
  if (at < 1 || at > graph.length(x)) return missing_short(graph, graph.type(x));
  return element_of_short(graph, x, at - 1);
}

}  // namespace

bool is_short(const Graph& graph, int id) {
  const double length = graph.length(id);
  return length >= 1 && length <= kMostShort && !is_of_rows(graph, length);
}

int element_of_short(Graph& graph, int id, double k) {
  if (!is_short(graph, id)) return 0;
  const Node node = graph.at(id);  // a copy: the graph grows
  switch (node.op) {
    case Op::input: {
      const int definition = graph.input(node.first).definition;
      if (definition != 0 && node.length > 1) return element_of_short(graph, definition, k);
      return node.length == 1 ? id : element_node(graph, id, static_cast<int>(k) + 1);
    }
    case Op::concat:
      for (const int part : node.args) {
        if (k < graph.length(part)) return element_of_short(graph, part, k);
        k -= graph.length(part);
      }
      return 0;
    case Op::materialize:
    case Op::bare:  // shape and names
      return element_of_short(graph, node.args[0], k);
    case Op::slice: {
      const double length = graph.length(node.args[0]);
      const double at = node.first - 1 + (node.flag ? length : 0) + node.second * k;
      if (!is_short(graph, node.args[0])) return node.length == 1 ? graph.defined(id) : 0;
      return at >= length ? missing_short(graph, node.type) : element_of_short(graph, node.args[0], at);
    }
    case Op::fill:
      return element_of_short(graph, node.args[0], 0);
    case Op::patch:
      return k + 1 == node.first ? element_of_short(graph, node.args[1], 0) : element_of_short(graph, node.args[0], k);
    case Op::each:
      return element_of_short(graph, node.args[0], std::floor(k * graph.length(node.args[0]) / node.length));
    case Op::position:
      return as_type(graph, constant_node(graph, k), node.type);
    case Op::gather:
      if (!is_short(graph, node.args[0]) || node.first != 0 || node.second != 0)
        return node.length == 1 ? graph.defined(id) : 0;
      return numbered_short(graph, node.args[0], element_of_short(graph, node.args[1], k));
    case Op::cumsum:
      return running_short(graph, node.args[0], k);
    case Op::row_reduce:
      return is_short(graph, node.args[0]) ? combined_short(graph, node.name, node.type, node.args[0], k, node.length)
                                           : 0;
    default:
      break;
  }
  if (is_elementwise(node.op)) return node.length == 1 ? id : elementwise_short(graph, id, node, k);
  return node.length == 1 ? id : 0;
}

int reduced_short(Graph& graph, const Node& reduction) {
  const int x = reduction.args[0];
  if (reduction.flag || !is_short(graph, x)) return 0;
  const int value = combined_short(graph, reduction.name, reduction.type, x, 0, 1);
  if (value == 0 || reduction.name != "mean") return value;
  return arithmetic_node(graph, Op::divide, value, constant_node(graph, graph.length(x)));
}

}  // namespace openclPort::expression
