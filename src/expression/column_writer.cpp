// column_writer -- see row_writer.h
#include <algorithm>
#include <climits>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/row_writer.h"

namespace openclPort {
namespace expression {

int ColumnWriter::numbers(int id) { return in_memory(graph_, numbers_.rows(id)); }

int ColumnWriter::columns(int id) {
  const auto known = known_.find(id);
  if (known != known_.end()) return known->second;
  if (graph_.length(id) * count_ > INT_MAX) refuse("there are more than 2^31 - 1 elements in all its rounds together");
  graph_.exact = true;
  const int made = new_columns(id);
  known_[id] = made;
  if (made != id) move_sites(id, made);
  return made;
}

int ColumnWriter::last(int id) {
  const double length = graph_.length(id);
  const int all = length == 1 ? numbers(id) : columns(id);
  return slice_of(graph_, all, (count_ - 1) * length + 1, length);
}

void ColumnWriter::refuse(const std::string& why) const { throw LimitError(what_ + ": " + why); }

void ColumnWriter::move_sites(int id, int made) {
  if (graph_.at(id).op != graph_.at(made).op) return;
  for (const Site& site : std::vector<Site>(graph_.sites)) {
    if (site.node != id) continue;
    Site own = site;
    own.node = made;
    for (Guard& guard : own.guards) {
      if (graph_.in_round(guard.test)) guard.test = argument(guard.test, graph_.length(id));
      if (std::find(graph_.tests.begin(), graph_.tests.end(), guard.test) == graph_.tests.end())
        graph_.tests.push_back(guard.test);
    }
    graph_.sites.push_back(own);
  }
}

// A number of each round, in each of its elements.
int ColumnWriter::in_each_column(int numbers, double length) {
  Node node;
  node.op = Op::each;
  node.type = graph_.type(numbers);
  node.length = length * count_;
  node.args = {numbers};
  return graph_.add(std::move(node));
}

int ColumnWriter::argument(int id, double length) {
  const double own = graph_.length(id);
  if (own != 1 && own != length)
    refuse("vectors of " + length_text(graph_, id) + " and " + whole_text(length) + " elements are recycled in it");
  if (graph_.in_round(id)) return own == 1 ? in_each_column(numbers(id), length) : columns(id);
  return own == 1 ? id : bare_node(graph_, in_memory(graph_, id));  // computed once
}

int ColumnWriter::elementwise(const Node& node) {
  if (node.op == Op::bare) return columns(node.args[0]);
  Node made = node;
  made.length = node.length * count_;
  for (int& arg : made.args) arg = argument(arg, node.length);
  return graph_.add(std::move(made));
}

// What is made as rows, read the other way.
int ColumnWriter::by_rows(int id) {
  const double length = graph_.length(id);
  const int rows = in_memory(graph_, numbers_.rows(id));
  const int place = counted_from_zero(graph_, length * count_), width = constant_node(graph_, length);
  const int column = elementary_node(graph_, "floor", arithmetic_node(graph_, Op::divide, place, width));
  const int row = arithmetic_node(graph_, Op::subtract, place, arithmetic_node(graph_, Op::multiply, column, width));
  const int before = arithmetic_node(graph_, Op::multiply, row, constant_node(graph_, count_));
  Node node;
  node.op = Op::gather;
  node.type = graph_.type(id);
  node.length = length * count_;
  node.args = {rows, arithmetic_node(graph_, Op::add, arithmetic_node(graph_, Op::add, column, before),
                                     constant_node(graph_, 1.0))};
  return graph_.add(std::move(node));
}

int ColumnWriter::new_columns(int id) {
  const Node node = graph_.at(id);
  if (is_elementwise(node.op)) return elementwise(node);
  switch (node.op) {
    case Op::input: {
      const int definition = graph_.input(node.first).definition;
      if (definition == 0) refuse("a value of the round before is used in it");
      return columns(definition);
    }
    case Op::materialize:
      return columns(node.args[0]);
    case Op::fill:
      return in_each_column(numbers(node.args[0]), node.length);
    case Op::gather: {
      if (graph_.in_round(node.args[0])) break;
      if (node.names == kColumnOfRound && graph_.length(node.args[0]) == node.length * count_) return node.args[0];
      Node made = node;
      made.length = node.length * count_;
      made.args = {node.args[0], argument(node.args[1], node.length)};
      return graph_.add(std::move(made));
    }
    default:
      break;
  }
  return by_rows(id);
}

}  // namespace expression
}  // namespace openclPort
