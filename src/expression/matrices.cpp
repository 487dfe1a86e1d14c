// matrices -- see matrices.h
#include "expression/matrices.h"

#include <algorithm>
#include <map>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/series_lengths.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

bool starts_with(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

const std::string kSides = "matrix ";  // the name of a node that is a matrix: then rows and columns
constexpr double kMostColumns = 64;

int definition_of(const Graph& graph, const Node& node) {
  return node.op == Op::input ? graph.input(node.first).definition : 0;
}

// What lies in memory as what it was computed by.
int computed_by(const Graph& graph, int id) {
  const int definition = definition_of(graph, graph.at(id));
  if (definition == 0) return id;
  const Node& node = graph.at(definition);
  return node.op == Op::materialize ? computed_by(graph, node.args[0]) : id;
}

Sides named_sides(const std::string& name) {
  const std::size_t at = name.find(' ', kSides.size());
  return {std::stod(name.substr(kSides.size(), at - kSides.size())), std::stod(name.substr(at + 1)), true};
}

// Of what was put together by c(): the part that is the column.
int column_of_parts(Graph& graph, const Node& concat, int id, double j, double rows) {
  double at = 0;
  for (const int part : concat.args) {
    const double length = graph.length(part);
    if (j * rows >= at && (j + 1) * rows <= at + length) {
      const int made = computed_by(graph, part);
      const Node node = graph.at(made);
      if (length == rows) {
        const int definition = definition_of(graph, node);
        const bool filled = definition != 0 && graph.at(definition).op == Op::fill;
        return filled ? graph.at(definition).args[0] : made;
      }
      if (sides_of(graph, made).matrix) return column_of(graph, made, j - at / rows);
    }
    at += length;
  }
  if (static_cast<double>(concat.args.size()) == concat.length) {  // numbers
    std::vector<int> parts;
    for (double k = 0; k < rows; ++k) parts.push_back(concat.args[static_cast<std::size_t>(j * rows + k)]);
    return parts.size() == 1 ? parts[0] : concat_node(graph, parts);
  }
  return slice_of(graph, id, j * rows + 1, rows);
}

int column_at(Graph& graph, int id, double j, const Sides& sides);

// Of a vector that is neither as long as the matrix nor as one of its columns.
int recycled_column(Graph& graph, int id, double j, const Sides& sides) {
  const int length = constant_node(graph, graph.length(id));
  const int place =
      arithmetic_node(graph, Op::add, counted_from_zero(graph, sides.rows), constant_node(graph, j * sides.rows));
  const int times = elementary_node(graph, "floor", arithmetic_node(graph, Op::divide, place, length));
  const int rest = arithmetic_node(graph, Op::subtract, place, arithmetic_node(graph, Op::multiply, times, length));
  const int values = in_memory(graph, bare_node(graph, id));
  const int places = arithmetic_node(graph, Op::add, rest, constant_node(graph, 1.0));
  graph.exact = true;
  const int made = graph.add({Op::gather, graph.type(id), sides.rows, {values, places}});
  return sides.rows == 1 ? graph.defined(made) : made;
}

int column_of_input(Graph& graph, int id, const Node& node, double j, double rows) {
  const Input input = graph.input(node.first);
  if (input.definition != 0) {
    const Node definition = graph.at(input.definition);
    if (definition.op == Op::materialize) {
      const int made = definition.args[0];
      if (sides_of(graph, made).matrix) return column_of(graph, made, j);
      return column_at(graph, made, j, {rows, node.length / rows, true});
    }
    if (definition.op == Op::fill) return filled_node(graph, definition.args[0], rows);
    if (definition.op == Op::concat) return column_of_parts(graph, definition, id, j, rows);
  }
  if (!input.matrix || rows == 1) return slice_of(graph, id, j * rows + 1, rows);
  graph.exact = true;
  return column_node(graph, node.first, rows, j);
}

int column_at(Graph& graph, int id, double j, const Sides& sides) {
  const Node node = graph.at(id);
  if (node.length == 1 && sides.rows * sides.columns > 1) return id;
  if (node.length == sides.rows && sides.columns > 1) return id;  // R goes down the columns with it, again and again
  if (node.length != sides.rows * sides.columns) return recycled_column(graph, id, j, sides);
  const Sides own = sides_of(graph, id);  // ifelse() and functions take the elements of another matrix in their order
  if (own.matrix && !same_sides(own, sides)) return slice_of(graph, id, j * sides.rows + 1, sides.rows);
  if (node.op == Op::input) return column_of_input(graph, id, node, j, sides.rows);
  if (node.op == Op::bare) return column_at(graph, node.args[0], j, sides);
  if (node.op == Op::each && graph.length(node.args[0]) == sides.columns && node.length == sides.rows * sides.columns)
    return slice_of(graph, node.args[0], j + 1, 1);
  if (!is_elementwise(node.op) || node.length != sides.rows * sides.columns)
    return slice_of(graph, id, j * sides.rows + 1, sides.rows);
  Node made = node;
  made.length = 1;
  for (int& arg : made.args) {
    if (graph.length(arg) != 1) arg = column_at(graph, arg, j, sides);
    made.length = std::max(made.length, graph.length(arg));
  }
  const int column = graph.add(std::move(made));
  for (const Site& site : std::vector<Site>(graph.sites)) {
    if (site.node != id) continue;
    Site own = site;
    own.node = column;
    if (own.whole == 0) own.whole = id;
    const bool known = std::any_of(graph.sites.begin(), graph.sites.end(),
                                   [&own](const Site& one) { return one.node == own.node && one.call == own.call; });
    if (!known) graph.sites.push_back(own);
  }
  return column;
}

}  // namespace

int slice_of(Graph& graph, int id, double first, double count) {
  Node node{Op::slice, graph.type(id), count, {in_memory(graph, id)}};
  node.first = static_cast<int>(first);
  node.second = 1;
  graph.exact = true;
  const int made = graph.add(std::move(node));
  return count == 1 ? graph.defined(made) : made;
}

namespace {

Sides sides_known(const Graph& graph, int id, std::map<int, Sides>& known);

Sides sides_found(const Graph& graph, int id, std::map<int, Sides>& known) {
  const Node& node = graph.at(id);
  switch (node.op) {
    case Op::input: {
      const Input& input = graph.input(node.first);
      if (input.matrix) return {input.rows, input.columns, true};
      const bool kept = input.definition != 0 && graph.at(input.definition).op == Op::materialize;
      return kept ? sides_known(graph, graph.at(input.definition).args[0], known) : Sides();
    }
    case Op::product:
      return {node.length, 1, true};
    case Op::column:
      return node.flag ? Sides() : Sides{node.length, 1, true};
    case Op::bare: {
      if (node.name.compare(0, kSides.size(), kSides) == 0) return named_sides(node.name);
      if (node.name != "unname" && node.name != "drop") return {};
      const Sides sides = sides_known(graph, node.args[0], known);
      return node.name == "drop" && !(sides.rows > 1 && sides.columns > 1) ? Sides() : sides;
    }
    case Op::select:
      return graph.length(node.args[0]) == node.length ? sides_known(graph, node.args[0], known) : Sides();
    case Op::library:
    case Op::log_base:
    case Op::atan2:
    case Op::pmin:
    case Op::pmax:
      for (const int arg : node.args) {
        if (graph.length(arg) == node.length) return sides_known(graph, arg, known);
        if (node.op == Op::pmin || node.op == Op::pmax) break;
      }
      return {};
    default:
      break;
  }
  if (!is_elementwise(node.op)) return {};
  for (const int arg : node.args) {
    if (graph.length(arg) != node.length) continue;
    const Sides sides = sides_known(graph, arg, known);
    if (sides.matrix) return sides;
  }
  return {};
}

Sides sides_known(const Graph& graph, int id, std::map<int, Sides>& known) {
  const auto at = known.find(id);
  if (at != known.end()) return at->second;
  const Sides sides = sides_found(graph, id, known);
  known[id] = sides;
  return sides;
}

}  // namespace

Sides sides_of(const Graph& graph, int id) {
  std::map<int, Sides> known;
  return sides_known(graph, id, known);
}

int with_sides(Graph& graph, int id, double rows, double columns, int row_names, int column_names) {
  Node node{Op::bare, graph.type(id), graph.length(id), {id}};
  node.name = kSides + whole_text(rows) + " " + whole_text(columns);
  if (row_names != 0) node.args.push_back(row_names), node.name += " rows";
  if (column_names != 0) node.args.push_back(column_names), node.name += " columns";
  return graph.add(std::move(node));
}

int column_of(Graph& graph, int id, double j) {
  const Sides sides = sides_of(graph, id);
  if (sides.columns == 1 && j == 0) return id;
  return column_at(graph, id, j, sides);
}

int filled_node(Graph& graph, int id, double length) {
  return graph.defined(graph.add({Op::fill, graph.type(id), length, {id}}));
}

int with_named_sides(Graph& graph, int id, double rows, double columns, const std::string& names) {
  Node node{Op::bare, graph.type(id), graph.length(id), {id}};
  node.name = kSides + whole_text(rows) + " " + whole_text(columns) + names;
  return graph.add(std::move(node));
}

void check_columns(double columns) {
  if (columns > kMostColumns)
    throw LimitError("a matrix that is computed has more than 64 columns: compute it before the call");
}

int matrix_of_columns(Graph& graph, const std::vector<int>& columns, double rows, int row_names, int column_names,
                      const std::string& names) {
  check_columns(static_cast<double>(columns.size()));
  std::vector<int> parts;
  for (const int column : columns) {
    if (graph.length(column) == rows) {
      parts.push_back(column);
      continue;
    }
    parts.push_back(filled_node(graph, column, rows));
  }
  const int all = concat_node(graph, parts);
  const auto count = static_cast<double>(columns.size());
  if (!names.empty()) return with_named_sides(graph, all, rows, count, names);
  return with_sides(graph, all, rows, count, row_names, column_names);
}

int put_together(const Graph& graph, int id, bool* named, bool* unnamed) {
  for (;;) {
    const Node& node = graph.at(id);
    const int definition = definition_of(graph, node);
    if (definition != 0 && graph.at(definition).op == Op::concat) return definition;
    const bool kept = definition != 0 && graph.at(definition).op == Op::materialize;
    const bool bare =
        node.op == Op::bare &&
        (node.name == "names" || node.name == "unlisted" || starts_with(node.name, "each") ||
         starts_with(node.name, "first ") || starts_with(node.name, kNamesOf) ||
         (node.args.size() == 1 && (node.name.empty() || node.name.compare(0, kSides.size(), kSides) == 0)));
    if (!bare && !kept) return 0;
    if (named != nullptr && bare && !node.name.empty()) *named = true;
    if (unnamed != nullptr && bare && node.name.empty()) *unnamed = true;
    id = kept ? graph.at(definition).args[0] : node.args[0];
  }
}

bool counts_up(const Graph& graph, int id) {
  const int definition = definition_of(graph, graph.at(id));
  const Node& node = graph.at(definition == 0 ? id : definition);
  if (is_one_of(node.op, Op::materialize, Op::bare, Op::as_double)) return counts_up(graph, node.args[0]);
  if (node.op == Op::concat) {
    for (std::size_t k = 0; k < node.args.size(); ++k) {
      const Node& part = graph.at(node.args[k]);
      if (part.op != Op::constant || as_real(part.constant) != static_cast<double>(k) + 1) return false;
    }
    return static_cast<double>(node.args.size()) == node.length;
  }
  if (node.op != Op::add || graph.at(node.args[1]).op != Op::position) return false;
  const Node& one = graph.at(node.args[0]);
  return one.op == Op::constant && as_real(one.constant) == 1;
}

namespace {

// Constants with equal steps.
std::optional<Run> run_of_parts(const Graph& graph, const Node& node) {
  if (node.args.size() < 2 || static_cast<double>(node.args.size()) != node.length) return std::nullopt;
  std::vector<double> numbers;
  for (const int arg : node.args) {
    if (graph.at(arg).op != Op::constant) return std::nullopt;
    numbers.push_back(as_real(graph.at(arg).constant));
  }
  const Run run = {numbers[0], numbers[1] - numbers[0]};
  for (std::size_t k = 2; k < numbers.size(); ++k)
    if (numbers[k] != run.from + run.step * static_cast<double>(k)) return std::nullopt;
  return run;
}

}  // namespace

// A vector of numbers with equal steps, as seq_len(n)[-1], rev(1:n) and what is assigned these: the text that computes
// it says which they are.
std::optional<Run> run_of(const Graph& graph, int id) {
  const Node& node = graph.at(id);
  switch (node.op) {
    case Op::input: {
      const int definition = graph.input(node.first).definition;
      return definition == 0 ? std::nullopt : run_of(graph, definition);
    }
    case Op::materialize:
    case Op::bare:
    case Op::plus:
      return run_of(graph, node.args[0]);
    case Op::position:
      return Run{0, 1};
    case Op::concat:
      return run_of_parts(graph, node);
    case Op::slice: {
      const std::optional<Run> whole = run_of(graph, node.args[0]);
      if (!whole) return whole;
      const double first = node.first + (node.flag ? graph.length(node.args[0]) : 0);
      return Run{whole->from + whole->step * (first - 1), whole->step * node.second};
    }
    case Op::add:
    case Op::subtract: {
      const bool second = graph.at(node.args[1]).op == Op::constant;
      const Node& by = graph.at(node.args[second ? 1 : 0]);
      const std::optional<Run> run = run_of(graph, node.args[second ? 0 : 1]);
      if (!run || by.op != Op::constant) return std::nullopt;
      const double sign = node.op == Op::subtract ? -1 : 1, number = as_real(by.constant);
      return second ? Run{run->from + sign * number, run->step} : Run{number + sign * run->from, sign * run->step};
    }
    default:
      return std::nullopt;
  }
}

bool has_own_columns(const Graph& graph, int id) {
  const Sides sides = sides_of(graph, id);
  if (!sides.matrix || sides.columns < 2 || sides.columns > kMostColumns) return false;
  const std::vector<int> under = nodes_under(graph, {id}, [&graph](int of) {
    return is_elementwise(graph.at(of).op) ? graph.at(of).args : std::vector<int>();
  });
  return std::any_of(under.begin(), under.end(), [&](int one) {
    const Node& node = graph.at(one);
    return node.op == Op::bare && node.name.compare(0, kSides.size(), kSides) == 0 && node.length == graph.length(id);
  });
}

int reduced_matrix(Graph& graph, const std::string& op, bool na_rm, int x) {
  const bool sums = op == "sum" || (op == "mean" && !na_rm);
  if (!sums || graph.type(x) != Type::real || !has_own_columns(graph, x)) return reduce_node(graph, op, na_rm, x);
  const Sides sides = sides_of(graph, x);
  if (sides.columns > kMostColumns)
    return reduce_node(graph, op, na_rm, x);  // of t(): as many as there are rows of data
  int sum = 0, column = 0;
  for (double j = 0; j < sides.columns; ++j) {
    column = column_of(graph, x, j);
    if (graph.length(column) != sides.rows) return reduce_node(graph, op, na_rm, x);
    const int one = reduce_node(graph, "sum", na_rm, column);
    sum = sum == 0 ? one : arithmetic_node(graph, Op::add, sum, one);
  }
  if (op == "sum") return sum;
  int count = constant_node(graph, sides.rows * sides.columns);
  if (is_of_rows(graph, sides.rows))
    count = arithmetic_node(graph, Op::multiply, as_double(graph, length_node(graph, column)),
                            constant_node(graph, sides.columns));
  return arithmetic_node(graph, Op::divide, sum, count);
}

}  // namespace openclPort::expression
