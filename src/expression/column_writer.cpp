// column_writer -- see row_writer.h
#include <algorithm>
#include <climits>
#include <set>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/row_writer.h"

namespace openclPort::expression {

namespace {

// Whether an element costs no more than a look into memory.
bool is_read(const Graph& graph, int id) {
  const Node& node = graph.at(id);
  if (node.op == Op::input || node.op == Op::column) return true;
  if (node.op != Op::bare && node.op != Op::as_double && node.op != Op::gather) return false;
  return std::all_of(node.args.begin(), node.args.end(), [&graph](int arg) { return is_read(graph, arg); });
}

}  // namespace

// Integers: floats have no numbers for all places.
Place place_in_columns(Graph& graph, double count, double rows) {
  Node all{Op::position, Type::integer, count};
  graph.exact = true;
  const int number = count == 1 ? whole_node(graph, 0) : graph.add(std::move(all));
  const int length = length_constant(graph, rows);
  return {arithmetic_node(graph, Op::quotient, number, length), arithmetic_node(graph, Op::modulo, number, length)};
}

int whole_node(Graph& graph, int value) { return constant_node(graph, whole_constant(Type::integer, value)); }

int transposed(Graph& graph, int matrix, double rows, double columns) {
  const Place place = place_in_columns(graph, rows * columns, columns);
  const int before = arithmetic_node(graph, Op::multiply, place.row, length_constant(graph, rows));
  const int from_zero = arithmetic_node(graph, Op::add, place.column, before);
  const int place_there = arithmetic_node(graph, Op::add, from_zero, whole_node(graph, 1));
  return graph.add({Op::gather, graph.type(matrix), rows * columns, {matrix, place_there}});
}

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

bool ColumnWriter::is_of_element(int id) const {
  std::set<int> seen;
  for (std::vector<int> left = {id}; !left.empty();) {
    const int one = left.back();
    left.pop_back();
    if (one == element_) return true;
    if (!seen.insert(one).second) continue;
    const Node& node = graph_.at(one);
    left.insert(left.end(), node.args.begin(), node.args.end());
    const int definition = node.op == Op::input ? graph_.input(node.first).definition : 0;
    if (definition != 0) left.push_back(definition);
  }
  return false;
}

// Where several tests decide, one element has to pass them all: then R says what it warns of.
void ColumnWriter::ask_of_branches(std::size_t from) {
  for (std::size_t k = from; k < graph_.sites.size(); ++k) {
    if (graph_.in_round(graph_.sites[k].node)) continue;
    std::vector<Guard> guards = graph_.sites[k].guards;
    const auto differs = [this](const Guard& guard) {
      return graph_.in_round(guard.test) && is_of_element(guard.test);
    };
    if (std::count_if(guards.begin(), guards.end(), differs) != 1) continue;
    Guard& guard = *std::find_if(guards.begin(), guards.end(), differs);
    guard.test = graph_.length(guard.test) == 1 ? numbers_.rows(guard.test) : columns(guard.test);
    if (std::find(graph_.tests.begin(), graph_.tests.end(), guard.test) == graph_.tests.end())
      graph_.tests.push_back(guard.test);
    graph_.sites[k].guards = guards;
  }
}

// A number of each round, in each of its elements.
int ColumnWriter::in_each_column(int numbers, double length) {
  return graph_.add({Op::each, graph_.type(numbers), length * count_, {numbers}});
}

int ColumnWriter::argument(int id, double length) {
  const double own = graph_.length(id);
  if (own != 1 && own != length)
    refuse("vectors of " + length_text(graph_, id) + " and " + whole_text(length) + " elements are recycled in it");
  if (graph_.in_round(id)) return own == 1 ? in_each_column(numbers(id), length) : columns(id);
  return own == 1 ? id : bare_node(graph_, is_read(graph_, id) ? id : in_memory(graph_, id));  // computed once
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
  return length == 1 ? rows : transposed(graph_, rows, count_, length);
}

// Codes of elements, from 1 to `most`, become those of elements and rounds: each round has `most` of its own. What is
// no code stays none, so that no round meets what is another's.
int ColumnWriter::codes_of_rounds(int codes, double length, double most) {
  const int width = length_constant(graph_, most), one = whole_node(graph_, 1), none = whole_node(graph_, INT_MIN);
  const int round = place_in_columns(graph_, length * count_, length).column;
  const int nothing = arithmetic_node(graph_, Op::multiply, round, whole_node(graph_, 0));
  // As long as all rounds: a test says how many elements there are.
  const auto less = [this](int a, int b) { return plain_node(graph_, Op::less, Type::logical, {a, b}); };
  int given = argument(codes, length);
  if (graph_.type(given) == Type::real) {  // far below 0 is no integer, and no missing code either
    const int negative = less(given, constant_node(graph_, 0.0));
    given = as_type(graph_, select_node(graph_, negative, constant_node(graph_, -1.0), given), Type::integer);
  }
  const int code = arithmetic_node(graph_, Op::add, given, nothing);
  const int inside = select_node(graph_, less(width, code), none, code);
  const int before = arithmetic_node(graph_, Op::multiply, round, width);
  return select_node(graph_, less(inside, one), inside, arithmetic_node(graph_, Op::add, inside, before));
}

int ColumnWriter::gathered(const Node& node) {
  const int x = node.args[0];
  const bool is_column = node.names == kColumnOfRound && graph_.length(x) == node.length * count_;
  if (is_column && !graph_.in_round(x)) return x;
  if (graph_.in_round(x) && (node.first != 0 || node.second != 0))
    refuse("elements of a matrix of the round are in it");
  Node made = node;
  made.length = node.length * count_;
  if (graph_.in_round(x)) {
    const double length = graph_.length(x);
    made.args = {in_memory(graph_, length == 1 ? numbers(x) : columns(x)),
                 codes_of_rounds(node.args[1], node.length, length)};
  } else {
    made.args = {x, argument(node.args[1], node.length)};
  }
  return graph_.add(std::move(made));
}

// Sums of groups: those of each round are groups of their own.
int ColumnWriter::segments(const Node& node) {
  const double length = std::max(graph_.length(node.args[0]), graph_.length(node.args[1]));
  if (node.length * count_ > INT_MAX || length * count_ > INT_MAX)
    refuse("there are more than 2^31 - 1 elements in all its rounds together");
  const int place = as_double(graph_, place_in_columns(graph_, length * count_, length).column);
  int x = as_double(graph_, argument(node.args[0], length));
  if (graph_.length(x) != length * count_)
    x = select_node(graph_, plain_node(graph_, Op::is_na, Type::logical, {place}), place, x);
  Node made = node;
  made.length = node.length * count_;
  made.args = {x, codes_of_rounds(node.args[1], length, node.length)};
  return graph_.defined(graph_.add(std::move(made)));
}

// Row number `row`, from 0, of a matrix with a column for each round, in memory.
int ColumnWriter::row_of_rounds(int matrix, double rows, double row) {
  const int column = place_in_columns(graph_, count_, 1).column;
  const int before = arithmetic_node(graph_, Op::multiply, column, length_constant(graph_, rows));
  const int place = arithmetic_node(graph_, Op::add, before, whole_node(graph_, static_cast<int>(row) + 1));
  return graph_.add({Op::gather, graph_.type(matrix), count_, {matrix, place}});
}

// X %*% b: a column of sums for each round. The columns of a wide matrix are no part of the text, and take memory.
int ColumnWriter::product(const Node& node) {
  const Input matrix = graph_.input(node.first);
  const int coefficients = graph_.input(node.second).definition;
  if (coefficients == 0 || (matrix.definition != 0 && graph_.in_round(matrix.definition)))
    refuse("a product with a matrix of the round is in it");
  const double rows = node.length, width = matrix.columns;
  if (rows * width * count_ > INT_MAX) refuse("there are more than 2^31 - 1 products in all its rounds together");
  if (width > kMostWrittenOut) {
    const int given = in_memory(graph_, as_double(graph_, numbers_.rows(coefficients)));
    const Place place = place_in_columns(graph_, rows * width * count_, rows);  // a column for each number and round
    const int column = arithmetic_node(graph_, Op::quotient, place.column, length_constant(graph_, count_));
    const int before = arithmetic_node(graph_, Op::multiply, column, length_constant(graph_, rows));
    const int one = whole_node(graph_, 1);
    const int elements = input_as_node(graph_, node.first);
    const int there = arithmetic_node(graph_, Op::add, arithmetic_node(graph_, Op::add, place.row, before), one);
    const int element =
        as_double(graph_, graph_.add({Op::gather, matrix.type, rows * width * count_, {elements, there}}));
    return row_reduction(graph_, "sum", arithmetic_node(graph_, Op::multiply, element, each_of(graph_, given, rows)),
                         rows * count_);
  }
  const int given = in_memory(graph_, as_double(graph_, width == 1 ? numbers(coefficients) : columns(coefficients)));
  int sum = 0;
  for (double j = 0; j < width; ++j) {
    const int values = as_double(graph_, column_node(graph_, node.first, rows, j));
    const int numbers = width == 1 ? given : in_memory(graph_, row_of_rounds(given, width, j));
    const int part = arithmetic_node(graph_, Op::multiply, values, in_each_column(numbers, rows));
    sum = sum == 0 ? part : arithmetic_node(graph_, Op::add, sum, part);
  }
  return sum;
}

int ColumnWriter::new_columns(int id) {
  const Node node = graph_.at(id);
  if (is_elementwise(node.op)) return elementwise(node);
  const bool is_joint =
      node.op == Op::segments || node.op == Op::product || (node.op == Op::gather && graph_.in_round(node.args[0]));
  if (is_joint && graph_.by_codes) refuse("`by` and sums of groups or products in it");
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
    case Op::gather:
      return gathered(node);
    case Op::segments:
      return segments(node);
    case Op::product:
      return product(node);
    default:
      break;
  }
  return by_rows(id);
}

}  // namespace openclPort::expression
