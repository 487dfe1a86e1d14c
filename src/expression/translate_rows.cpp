// translate_rows -- vapply() and sapply() over long vectors: the function is translated for one element, and what
// depends on that becomes a vector of as many elements as there are, or, where it is a vector for each of them, a
// matrix with a row for each. So its sums are sums of rows, and the program is as long whatever the lengths are.
#include <algorithm>
#include <climits>
#include <map>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/row_writer.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kFewFactors = 16;
constexpr std::size_t kFewColumns = 16;  // whose rows are added up, or compared, column by column

}  // namespace

int RowWriter::rows(int id) {
  const auto known = known_.find(id);
  if (known != known_.end()) return known->second;
  const int made = new_rows(id);
  known_[id] = made;
  if (made != id) move_sites(id, made);
  return made;
}

void RowWriter::refuse(const std::string& why) const { throw LimitError(what_ + ": " + why); }

void RowWriter::move_sites(int id, int made) {
  if (graph_.at(id).op != graph_.at(made).op) return;
  for (const Site& site : std::vector<Site>(graph_.sites)) {
    if (site.node != id) continue;
    Site own = site;
    own.node = made;
    for (Guard& guard : own.guards)
      if (graph_.in_round(guard.test)) guard.test = rows(guard.test);
    for (const Guard& guard : own.guards)
      if (std::find(graph_.tests.begin(), graph_.tests.end(), guard.test) == graph_.tests.end())
        graph_.tests.push_back(guard.test);
    graph_.sites.push_back(own);
  }
}

// A vector of its own in each row, of `length` elements.
int RowWriter::in_each_row(int id, double length) {
  if (graph_.length(id) == 1) return id;
  if (graph_.length(id) != length)
    refuse("vectors of " + length_text(graph_, id) + " and " + whole_text(length) + " elements are recycled in it");
  return each_of(graph_, id, rows_);
}

int RowWriter::argument(int id, double length) {
  if (!graph_.in_round(id)) return in_each_row(id, length);
  if (graph_.length(id) != length && graph_.length(id) != 1)
    refuse("vectors of " + length_text(graph_, id) + " and " + whole_text(length) + " elements are recycled in it");
  return rows(id);
}

int RowWriter::elementwise(const Node& node) {
  if (node.length * rows_ > INT_MAX) refuse("there are more than 2^31 - 1 elements in all its rows together");
  Node made = node;
  made.length = node.length * rows_;
  for (int& arg : made.args) arg = argument(arg, node.length);
  if (made.op == Op::bare && made.args.size() > 1) made.args.resize(1), made.name = "";
  return graph_.add(std::move(made));
}

namespace {

// What an input in memory is computed by, 0: it is given.
int computed_as(const Graph& graph, int id) {
  const Node& node = graph.at(id);
  return node.op == Op::input ? graph.input(node.first).definition : 0;
}

}  // namespace

// The columns of a row M[i, ] of a matrix that is computed, as they are computed; none where it is another one.
std::vector<int> RowWriter::own_columns(int x) const {
  const int row = computed_as(graph_, x);
  if (row == 0 || graph_.at(row).op != Op::concat) return {};
  std::vector<int> columns;
  for (const int id : graph_.at(row).args) {
    const Node& part = graph_.at(id);
    if (part.op != Op::gather || part.first != 0 || !is_number(part.args[1])) return {};
    const int column = part.args[0], definition = computed_as(graph_, column);
    if (graph_.length(column) != rows_ || definition == 0 || graph_.at(definition).op != Op::materialize) return {};
    columns.push_back(graph_.at(definition).args[0]);
  }
  return columns.size() > 1 && columns.size() <= kFewColumns ? columns : std::vector<int>();
}

// The same as reduced(), without the elements of the matrix in memory; 0: it is none of few columns.
int RowWriter::reduced_columns(const Node& node) {
  static const std::map<std::string, Op> ops = {
      {"sum", Op::add}, {"mean", Op::add}, {"min", Op::pmin}, {"max", Op::pmax}};
  const auto op = ops.find(node.name);
  const std::vector<int> columns = own_columns(node.args[0]);
  if (op == ops.end() || node.flag || columns.empty()) return 0;
  int value = 0;
  for (const int column : columns) {
    const int one = as_double(graph_, column);
    value = value == 0              ? one
            : op->second == Op::add ? arithmetic_node(graph_, Op::add, value, one)
                                    : plain_node(graph_, op->second, Type::real, {value, one});
  }
  const int count = constant_node(graph_, static_cast<double>(columns.size()));
  if (node.name == "mean") value = arithmetic_node(graph_, Op::divide, value, count);
  return as_type(graph_, bare_node(graph_, value), node.type);  // a vector: columns of products are matrices
}

int RowWriter::reduced(const Node& node) {
  if (const int made = reduced_columns(node)) return made;
  const int x = node.args[0];
  const double length = graph_.length(x);
  int given = as_double(graph_, rows(x));
  const bool mean = node.name == "mean";
  int count = constant_node(graph_, length);
  if (node.flag) {
    if (!mean && node.name != "sum" && node.name != "prod") refuse(node.name + "() with na.rm is not supported in it");
    const int lacks = plain_node(graph_, Op::is_na, Type::logical, {given});
    const auto without = [&](double otherwise, int value) {
      return select_node(graph_, lacks, constant_node(graph_, otherwise), value);
    };
    const int known = without(0.0, constant_node(graph_, 1.0));
    if (mean) count = length == 1 ? known : row_reduction(graph_, "sum", known, rows_);
    given = without(node.name == "prod" ? 1.0 : 0.0, given);
  }
  if (!mean && node.name != "sum" && node.name != "prod" && node.name != "min" && node.name != "max")
    refuse(node.name + "() of a value that differs from element to element is not supported in it");
  if (node.name == "prod" && length <= kFewFactors) {  // which has a gradient where factors are 0
    int product = slice_of(graph_, given, 1, rows_);
    for (double k = 1; k < length; ++k)
      product = arithmetic_node(graph_, Op::multiply, product, slice_of(graph_, given, k * rows_ + 1, rows_));
    return product;
  }
  int value = length == 1 ? given : row_reduction(graph_, mean ? "sum" : node.name, given, rows_);
  if (mean) value = arithmetic_node(graph_, Op::divide, value, count);
  return as_type(graph_, value, node.type);
}

// x[i] of the element's number, and X[i, j].
int RowWriter::gathered(const Node& node) {
  if (graph_.in_round(node.args[0]))
    refuse("elements of a value that differs from element to element can only be taken by known numbers, v[1]");
  if (is_number(node.args[1]) && node.first == 0 && graph_.length(node.args[0]) == rows_)
    return sides_of(graph_, node.args[0]).matrix ? bare_node(graph_, node.args[0]) : node.args[0];
  Node made = node;
  made.length = node.length * rows_;
  made.args = {node.args[0], rows(node.args[1])};
  if (node.first > 0) {  // of a matrix
    const int before = constant_node(graph_, static_cast<double>(node.second));
    made.args[1] = arithmetic_node(graph_, Op::add, as_double(graph_, made.args[1]), before);
    made.first = made.second = 0;
  }
  return graph_.add(std::move(made));
}

// Whether a node is the number of the element, which goes from 1 to the last one.
bool RowWriter::is_number(int id) const { return id == element_ && counts_up(graph_, vector_); }

// X[i, ] of all rows: the matrix itself.
int RowWriter::whole_matrix(const Node& node) const {
  const int matrix = graph_.at(node.args[0]).op == Op::gather ? graph_.at(node.args[0]).args[0] : 0;
  if (matrix == 0 || graph_.length(matrix) != node.length * rows_) return 0;
  for (std::size_t k = 0; k < node.args.size(); ++k) {
    const Node& part = graph_.at(node.args[k]);
    const bool fits = part.op == Op::gather && part.args[0] == matrix && is_number(part.args[1]) &&
                      part.first == rows_ && part.second == static_cast<double>(k) * rows_;
    if (!fits) return 0;
  }
  return matrix;
}

int RowWriter::concatenated(const Node& node) {
  if (const int matrix = whole_matrix(node)) return matrix;
  std::vector<int> parts;
  for (const int part : node.args) {
    if (graph_.in_round(part)) {
      parts.push_back(rows(part));
      continue;
    }
    Node made{graph_.length(part) == 1 ? Op::fill : Op::each, graph_.type(part), graph_.length(part) * rows_};
    made.args = {made.op == Op::fill ? part : in_memory(graph_, part)};
    const int id = graph_.add(made);
    parts.push_back(made.op == Op::fill ? graph_.defined(id) : id);
  }
  return concat_node(graph_, parts);
}

// What is made as columns, read the other way.
int RowWriter::turned(int id) {
  const int columns = in_memory(graph_, columns_(id));
  const double length = graph_.length(id);
  return length == 1 ? columns : transposed(graph_, columns, length, rows_);
}

int RowWriter::new_rows(int id) {
  const Node node = graph_.at(id);
  if (is_elementwise(node.op)) return elementwise(node);
  switch (node.op) {
    case Op::input: {
      if (id == element_) return vector_;
      const int definition = graph_.input(node.first).definition;
      if (definition == 0) refuse("a value of one round of a loop around it is used in it");
      return rows(definition);
    }
    case Op::materialize:
      return rows(node.args[0]);
    case Op::concat:
      return concatenated(node);
    case Op::reduce:
      return reduced(node);
    case Op::gather:
      if (columns_ && graph_.in_round(node.args[0])) return turned(id);
      return gathered(node);
    case Op::segments:
    case Op::product:
      if (columns_) return turned(id);
      break;
    case Op::fill: {
      Node made = node;
      made.length = node.length * rows_;
      made.op = Op::add;  // the number in each row
      made.args = {rows(node.args[0]), in_each_row(filled(0, node.length), node.length)};
      return graph_.add(std::move(made));
    }
    case Op::slice:
      if (node.second == 1 && !node.flag)
        return slice_of(graph_, rows(node.args[0]), (node.first - 1) * rows_ + 1, node.length * rows_);
      break;
    default:
      break;
  }
  refuse(
      "it takes arithmetic, functions and sums of numbers and vectors of each element: what goes beyond that is "
      "written "
      "for whole vectors");
}

int RowWriter::filled(double value, double length) {
  return graph_.defined(graph_.add({Op::fill, Type::real, length, {constant_node(graph_, value)}}));
}

namespace {

bool asks_in_round(Graph& graph, const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [&graph](const Guard& one) { return graph.in_round(one.test); });
}

// What is asked of one element when the function is called, from number `from` on, is asked of all of them. Limits are
// asked of elements as well of which R computes nothing.
void ask_of_all(Graph& graph, std::size_t from, ColumnWriter& writer, const std::string& what) {
  for (std::size_t k = from; k < graph.assertions.size(); ++k) {
    Assertion one = graph.assertions[k];
    if (asks_in_round(graph, one.guards)) {
      if (!one.limit) throw LimitError(what + ": an error of some elements alone is not part of the language");
      one.guards.erase(std::remove_if(one.guards.begin(), one.guards.end(),
                                      [&graph](const Guard& guard) { return graph.in_round(guard.test); }),
                       one.guards.end());
    }
    if (graph.in_round(one.node))
      one.node = graph.length(one.node) == 1 ? writer.numbers(one.node) : writer.columns(one.node);
    graph.assertions[k] = one;
  }
}

// R warns once for each element.
void refuse_warnings(Graph& graph, std::size_t from, double count, const std::string& what) {
  for (std::size_t k = from; k < graph.warnings.size(); ++k)
    if (count <= kMostRounds || asks_in_round(graph, graph.warnings[k].guards))
      throw LimitError(what + ": warnings of its elements are not part of the language");
}

}  // namespace

int translate_rows(Translator& t, const Syntax& call, const Thing& applied, int vector, Scope& scope) {
  Graph& graph = t.graph;
  const std::string what = quoted_text(call);
  if (t.rounds != nullptr)
    throw LimitError(what + " inside a loop over data is not supported: write it before the loop");
  Rounds rounds;
  rounds.loop = ++graph.loops;
  rounds.what = "`" + call.called.name + "()`";
  Input input;
  input.type = graph.type(vector);
  input.length = 1;
  input.round = rounds.loop;
  graph.inputs.push_back(input);
  const int element = input_as_node(graph, static_cast<int>(graph.inputs.size()));
  rounds.counter = element;
  rounds.as_columns = true;
  rounds.count = graph.length(vector);
  rounds.counts_up = counts_up(graph, in_memory(graph, vector));
  t.rounds = &rounds;
  int value = 0;
  const std::size_t assertions = graph.assertions.size(), warnings = graph.warnings.size(), sites = graph.sites.size();
  try {
    value = applied_value(t, call, applied, element, scope);
  } catch (...) {
    t.rounds = nullptr;
    throw;
  }
  t.rounds = nullptr;
  if (!rounds.holds.empty())
    throw LimitError(what + ": use ifelse() where the condition differs from element to element");
  refuse_warnings(graph, warnings, graph.length(vector), what);
  ColumnWriter writer(t, element, in_memory(graph, vector), what);
  ask_of_all(graph, assertions, writer, what);
  writer.ask_of_branches(sites);
  if (graph.length(value) > 1) {
    const double length = graph.length(value), count = graph.length(vector);
    if (!graph.in_round(value)) throw NmathError(what + ": the function gives the same for all elements");
    const std::string names = names_word("rows", value, 0) + names_word("columns", vector, 0);
    return with_named_sides(graph, in_memory(graph, writer.columns(value)), length, count, names);
  }
  // sapply() has the function's own name of its number, too.
  const std::string names = call.called.name == "sapply" ? "each " + std::to_string(value) : "names";
  if (!graph.in_round(value)) {
    graph.exact = true;
    value = filled_node(graph, value, graph.length(vector));
  } else {
    value = writer.numbers(value);
  }
  return named_by(graph, value, vector, names);
}

}  // namespace openclPort::expression
