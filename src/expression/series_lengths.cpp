// series_lengths -- lengths of a series among many, as numbers that are known when a call is and as nodes.
#include "expression/series_lengths.h"

#include <algorithm>
#include <cmath>

#include "expression/build.h"

namespace openclPort::expression {

namespace {

constexpr double kFakeRows = 7654321;  // near to no power, nor to a number one would write
constexpr double kNear = 4096;

}  // namespace

// Arguments, and what inputs are defined by.
std::vector<int> sources_of(const Graph& graph, const Node& node) {
  std::vector<int> args = node.args;
  if (node.op == Op::input && graph.input(node.first).definition != 0) args = {graph.input(node.first).definition};
  if (node.op == Op::product && graph.input(node.second).definition != 0) args = {graph.input(node.second).definition};
  return args;
}

bool is_of_rows(const Graph& graph, double length) {
  return graph.series.fake != 0 && std::fabs(length - graph.series.fake) <= kNear;
}

bool differs_by_series(const Graph& graph, int id) {
  if (graph.series.fake == 0) return false;
  const std::vector<int> under = nodes_under(graph, {id}, [&graph](int of) { return sources_of(graph, graph.at(of)); });
  return std::any_of(under.begin(), under.end(), [&graph](int one) {
    const Node& node = graph.at(one);
    if (node.op == Op::input && graph.input(node.first).matrix) return is_of_rows(graph, graph.input(node.first).rows);
    return is_of_rows(graph, node.length) || node.op == Op::count;
  });
}

bool has_fake_product(const Graph& graph, int root) {
  const std::vector<int> under =
      nodes_under(graph, {root}, [&graph](int of) { return sources_of(graph, graph.at(of)); });
  return std::any_of(under.begin(), under.end(), [&graph](int one) {
    const Node& node = graph.at(one);
    if (node.op != Op::constant || is_missing(node.constant)) return false;
    const double size = std::fabs(as_real(node.constant)), times = std::rint(size / graph.series.fake);
    return times >= 1 && times <= 64 && is_of_rows(graph, size / times);
  });
}

std::optional<double> fake_number(const Graph& graph, int id) {
  if (graph.series.fake == 0) return std::nullopt;
  const Node& node = graph.at(id);
  switch (node.op) {
    case Op::constant:
      return as_real(node.constant);
    case Op::count:
      return graph.length(node.args[0]);
    case Op::input:
      if (graph.input(node.first).definition == 0) return std::nullopt;
      return fake_number(graph, graph.input(node.first).definition);
    case Op::as_double:
    case Op::as_integer:
    case Op::bare:
    case Op::plus:
      return fake_number(graph, node.args[0]);
    case Op::add:
    case Op::subtract: {
      const std::optional<double> a = fake_number(graph, node.args[0]), b = fake_number(graph, node.args[1]);
      if (!a || !b) return std::nullopt;
      return node.op == Op::add ? *a + *b : *a - *b;
    }
    default:
      return std::nullopt;
  }
}

int length_node(Graph& graph, int id) {
  if (!is_of_rows(graph, graph.length(id))) return constant_node(graph, graph.length(id));
  return count_node(graph, id);
}

int element_of_series(Graph& graph, int rows, double place) {
  const SeriesInputs of = graph.series;
  const int starts = as_double(graph, input_as_node(graph, of.starts));
  const int counts = as_double(graph, input_as_node(graph, of.counts));
  int number = constant_node(graph, place);
  if (is_of_rows(graph, place))
    number = place == of.fake ? counts : arithmetic_node(graph, Op::add, counts, constant_node(graph, place - of.fake));
  const auto compared = [&](Op op, int a, int b) { return plain_node(graph, op, Type::logical, {a, b}); };
  const int there = compared(Op::both, compared(Op::greater_equal, number, constant_node(graph, 1.0)),
                             compared(Op::less_equal, number, counts));
  const int before = arithmetic_node(graph, Op::subtract, number, constant_node(graph, 1.0));
  const int row = arithmetic_node(graph, Op::add, starts, before);  // of all of them
  int at = graph.add({Op::select, Type::real, of.count, {there, row, constant_node(graph, na_real())}});
  if (of.order != 0)
    at = in_memory(graph, graph.add({Op::gather, Type::integer, of.count, {input_as_node(graph, of.order), at}}));
  return in_memory(graph, graph.add({Op::gather, graph.type(rows), of.count, {rows, at}}));
}

double fake_rows(const std::vector<double>& lengths) {
  for (double fake = kFakeRows;; fake *= 2) {
    const bool is_free = std::none_of(lengths.begin(), lengths.end(),
                                      [fake](double length) { return std::fabs(length - fake) <= 4 * kNear; });
    if (is_free) return fake;
  }
}

bool is_of_series_numbers(const Graph& graph, const Node& node) {
  const SeriesInputs& series = graph.series;
  if (series.fake == 0 || node.length != series.count || series.count == series.rows) return false;
  const std::vector<int> under = nodes_under(graph, {node.args[0]});
  return std::none_of(under.begin(), under.end(),
                      [&](int id) { return graph.length(id) >= series.rows && graph.at(id).op != Op::constant; });
}

}  // namespace openclPort::expression
