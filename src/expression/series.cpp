// series -- see series.h
#include "expression/series.h"

#include <algorithm>
#include <map>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/recursion.h"
#include "expression/series_elements.h"
#include "expression/series_lengths.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

const char* const kBy = "`by` and a function of several steps: ";

enum class Extent { common, number, rows };

class Series {
 public:
  Series(Graph& graph, const std::vector<int>& gradient) : graph_(graph), of_(graph.series), gradient_(gradient) {}

  OverSeries run(int root) {
    if (has_fake_product(graph_, root))
      refuse("a number that depends on the length of a series, as the number of a matrix's elements, is not supported");
    OverSeries made;
    made.root = in_all(root);
    for (const int input : gradient_) {
      const double length = graph_.input(input).length;
      if (is_of_rows(graph_, length) || length > 4096)
        refuse("the gradient in `" + graph_.input(input).name +
               "`: arguments of the gradient are parameters, a few numbers");
      for (double k = 1; k <= length; ++k)
        made.wanted.push_back(graph_.at(parameter(input, length == 1 ? 0 : static_cast<int>(k))).first);
      made.sizes.push_back(static_cast<int>(length));
    }
    if (kind(root) == Extent::common) made.root = filled_node(graph_, made.root, of_.count);
    return made;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw LimitError(kBy + why); }

  bool is_wanted(int input) const { return std::find(gradient_.begin(), gradient_.end(), input) != gradient_.end(); }

  void note_kinds() {
    for (int id = static_cast<int>(differs_.size()); id <= graph_.size(); ++id) {
      const Node& node = graph_.at(id);
      const auto reads = [&](int input) {
        const Input& of = graph_.input(input);
        return is_of_rows(graph_, of.length) || (of.matrix && is_of_rows(graph_, of.rows)) || is_wanted(input);
      };
      bool differs = is_of_rows(graph_, node.length) || node.op == Op::count;
      if (node.op == Op::input && graph_.input(node.first).definition == 0) differs = differs || reads(node.first);
      if (node.op == Op::product || node.op == Op::column) differs = differs || reads(node.first);
      if (node.op == Op::product) differs = differs || reads(node.second);
      for (const int arg : sources_of(graph_, node)) differs = differs || differs_[static_cast<std::size_t>(arg)] != 0;
      differs_.push_back(differs ? 1 : 0);
    }
  }

  Extent kind(int id) {
    note_kinds();
    if (differs_[static_cast<std::size_t>(id)] == 0) return Extent::common;
    return is_of_rows(graph_, graph_.length(id)) ? Extent::rows : Extent::number;
  }

  int codes() { return input_as_node(graph_, of_.codes); }
  int counts() { return as_double(graph_, input_as_node(graph_, of_.counts)); }

  // A number of each series, for its rows.
  int spread(int id) {
    if (graph_.length(id) == 1) return id;
    return graph_.add({Op::gather, graph_.type(id), of_.rows, {in_memory(graph_, id), codes()}});
  }

  // An argument of the gradient, or one of its elements, for each series.
  int parameter(int input, int element) {
    if (graph_.input(input).length == 1) element = 0;  // p[1] of one number is p
    int& made = parameters_[{input, element}];
    if (made != 0) return made;
    const int whole = input_as_node(graph_, input);
    const int one = element > 0 ? element_node(graph_, whole, element) : whole;
    made = filled_node(graph_, as_double(graph_, one), of_.count);
    return made;
  }

  // The same with the type it has, which what is computed of it goes by.
  int own_parameter(int input, int element) {
    const Type type = graph_.input(input).type;
    if (type == Type::logical) refuse("an argument of the gradient is logical");
    const int made = parameter(input, element);
    return type == Type::real ? made : as_whole(graph_, made);
  }

  int in_all(int id) {
    if (kind(id) == Extent::common) return id;
    const auto known = made_.find(id);
    if (known != made_.end()) return known->second;
    const int made = new_in_all(id);
    made_[id] = made;
    return made;
  }

  // An argument that is as long as the rows of all series, or one number.
  int as_rows(int id, double length) {
    const int made = in_all(id);
    if (kind(id) == Extent::rows && graph_.length(id) != length)
      refuse("vectors that are not as long as the series, as y[-1], are not computed with: write a loop over its rows");
    if (kind(id) == Extent::common && graph_.length(id) != 1)
      refuse("a vector of " + length_text(graph_, id) + " elements is recycled to the rows of a series");
    return kind(id) == Extent::number ? spread(made) : made;
  }

  // Of a vector the first element, which ifelse() takes of its branches where the test is one number.
  int first_in_all(int id) {
    const int made = in_all(id);
    if (graph_.length(id) == 1) return made;
    if (kind(id) == Extent::number)
      refuse(
          "ifelse() with a test of one number takes the first element of a vector that differs from series to series");
    if (kind(id) == Extent::common) return element_node(graph_, made, 1);
    if (graph_.length(id) != of_.fake) refuse("parts of parts of a series are not supported");
    return element_of_series(graph_, in_memory(graph_, made), 1);
  }

  int elementwise(int id, const Node& node) {
    Node made = node;
    const bool rows = kind(id) == Extent::rows;
    if (!rows && node.length != 1)
      refuse("vectors of a few numbers that differ from series to series are computed with element by element");
    if (rows && node.length != of_.fake)
      refuse("vectors that are not as long as the series, as y[-1], are not computed with: write a loop over its rows");
    made.length = rows ? of_.rows : of_.count;
    if (made.op == Op::bare) made.args.resize(1), made.name = "";
    for (int& arg : made.args) arg = rows ? as_rows(arg, node.length) : first_in_all(arg);
    const int all = graph_.add(std::move(made));
    for (const Site& site : std::vector<Site>(graph_.sites)) {
      if (site.node != id) continue;
      Site own = site;
      own.node = all;
      own.by_series = !own.guards.empty();
      own.guards.clear();
      graph_.sites.push_back(own);
    }
    return all;
  }

  int reduced(const Node& node) {
    const int x = node.args[0];
    if (kind(x) == Extent::number && graph_.length(x) == 1) return as_type(graph_, in_all(x), node.type);
    if (kind(x) != Extent::rows) {
      const int value = reduced_short(graph_, node);
      if (value == 0) refuse(node.name + "() of a vector that is made of numbers of a series is not supported");
      return in_all(value);
    }
    if (node.name != "sum" && node.name != "mean")
      refuse(node.name + "() of a series' rows is not supported: sum() and mean() are, or carry it in the loop");
    int values = as_double(graph_, as_rows(x, of_.fake));
    if (graph_.length(values) == 1) values = filled_node(graph_, values, of_.rows);
    const int missing = plain_node(graph_, Op::is_na, Type::logical, {values});
    int divisor = counts();
    if (node.flag) {
      divisor = sums_of(as_double(graph_, plain_node(graph_, Op::negation, Type::logical, {missing})));
      values = select_node(graph_, missing, constant_node(graph_, 0.0), values);
    }
    const int sum = sums_of(values);
    if (node.name == "mean") return arithmetic_node(graph_, Op::divide, sum, divisor);
    return node.type == Type::integer ? as_whole(graph_, sum) : as_type(graph_, sum, node.type);
  }

  int sums_of(int values) {
    return graph_.defined(graph_.add({Op::segments, Type::real, of_.count, {values, codes()}}));
  }

  int part(const Node& node) {
    const int x = node.args[0];
    if (kind(x) == Extent::number && graph_.at(x).op == Op::input && is_wanted(graph_.at(x).first) && node.length == 1)
      return own_parameter(graph_.at(x).first, node.first);
    if (kind(x) == Extent::number && node.length == 1) {
      const double at = node.first - 1 + (node.flag ? graph_.length(x) : 0);
      const int one = at < graph_.length(x) ? element_of_short(graph_, x, at) : 0;
      if (one != 0) return in_all(one);
    }
    if (kind(x) != Extent::rows || node.length != 1)
      refuse("parts of a series, as y[-1] and y[2:n], are taken in a loop over its rows, as y[t - 1]");
    const double length = graph_.length(x);
    if (length != of_.fake) refuse("parts of parts of a series are not supported");
    return element_of_series(graph_, in_memory(graph_, in_all(x)), node.first + (node.flag ? length : 0));
  }

  int product(const Node& node) {
    const Input matrix = graph_.input(node.first);
    if (!is_of_rows(graph_, matrix.rows)) refuse("a product with a matrix that is the same for all series");
    Node whole = node;
    whole.length = of_.rows;
    const int vector = input_as_node(graph_, node.second);
    if (kind(vector) == Extent::common) return graph_.add(std::move(whole));
    int sum = 0;
    for (double j = 0; j < matrix.columns; ++j) {
      const int column = as_double(graph_, column_node(graph_, node.first, of_.rows, j));
      const int term = arithmetic_node(graph_, Op::multiply, column, spread(coefficient(vector, j)));
      sum = sum == 0 ? term : arithmetic_node(graph_, Op::add, sum, term);
    }
    return sum;
  }

  int coefficient(int vector, double j) {
    const int number = graph_.at(vector).first;
    if (is_wanted(number)) return parameter(number, static_cast<int>(j) + 1);
    const int one = element_of_short(graph_, vector, j);
    if (one == 0) refuse("coefficients that differ from series to series are an argument or c() of numbers");
    return as_double(graph_, in_all(one));
  }

  int patched(const Node& node) {
    const int positions = input_as_node(graph_, of_.positions);
    const double place = node.first;
    int wanted = constant_node(graph_, whole_constant(Type::integer, node.first));
    const bool from_end = is_of_rows(graph_, place);
    graph_.series.least = std::max(graph_.series.least, from_end ? of_.fake - place : place);
    if (from_end)
      wanted = spread(as_type(
          graph_, arithmetic_node(graph_, Op::add, counts(), constant_node(graph_, place - of_.fake)), Type::integer));
    const int here = plain_node(graph_, Op::equal, Type::logical, {positions, wanted});
    return select_node(graph_, here, as_rows(node.args[1], of_.fake), as_rows(node.args[0], of_.fake));
  }

  int recursion(const Node& node) {
    const Recursion& loop = *graph_.recursions[static_cast<std::size_t>(node.first) - 1];
    auto all = std::make_shared<Recursion>(loop);
    all->of_series = true;
    if (!is_of_rows(graph_, loop.rounds) || loop.rounds > of_.fake)
      refuse("a loop goes over the rows of the series, as 2:length(y) or seq_along(y)");
    for (const Recursion::Vector& vector : loop.vectors)
      if (!is_of_rows(graph_, vector.length) || vector.length > of_.fake)
        refuse("a loop writes to a vector that is not as long as the series");
    std::vector<int> args;
    for (const int arg : node.args) {
      const Extent of = kind(arg);
      if (of == Extent::rows && graph_.length(arg) != of_.fake && !is_matrix(arg))
        refuse(
            "a loop reads a vector that is not as long as the series, as y[-1]: take elements of the whole, y[t - 1]");
      if (of == Extent::number && graph_.length(arg) != 1 && !is_matrix(arg))
        refuse(
            "a loop takes elements, by numbers that differ, of a vector of the gradient: give it as an argument alone");
      const int made = in_all(arg);
      args.push_back(graph_.at(made).op == Op::constant ? made : in_memory(graph_, made));
      all->kinds.push_back(of == Extent::number && !is_matrix(arg) ? Recursion::Taken::number
                           : of == Extent::common                  ? Recursion::Taken::common
                                                                   : Recursion::Taken::rows);
    }
    return recursion_node(graph_, std::move(all), std::move(args));
  }

  bool is_matrix(int id) const {
    const Node& node = graph_.at(id);
    return node.op == Op::input && graph_.input(node.first).matrix && is_of_rows(graph_, graph_.input(node.first).rows);
  }

  int input_in_all(const Node& node) {
    const Input input = graph_.input(node.first);
    if (input.definition != 0) return in_all(input.definition);
    if (is_wanted(node.first)) {
      if (input.length == 1) return own_parameter(node.first, 0);
      refuse("elements of `" + input.name + "`, a vector of the gradient, are taken by numbers that are known, " +
             input.name + "[1]");
    }
    Node whole = node;
    whole.length = input.matrix ? of_.rows * input.columns : of_.rows;
    return graph_.add(std::move(whole));
  }

  int new_in_all(int id) {
    const Node node = graph_.at(id);
    if (is_elementwise(node.op)) return elementwise(id, node);
    switch (node.op) {
      case Op::input:
        return input_in_all(node);
      case Op::materialize:
        return in_memory(graph_, in_all(node.args[0]));
      case Op::column: {
        Node column = node;
        column.length = of_.rows;
        return graph_.add(std::move(column));
      }
      case Op::product:
        return product(node);
      case Op::count: {
        const double length = graph_.length(node.args[0]);
        if (length == of_.fake) return counts();
        return arithmetic_node(graph_, Op::add, counts(), constant_node(graph_, length - of_.fake));
      }
      case Op::reduce:
        return reduced(node);
      case Op::slice:
        return part(node);
      case Op::fill: {
        if (node.length != of_.fake) refuse("vectors are as long as the series, numeric(length(y))");
        const int value = in_all(node.args[0]);
        return kind(node.args[0]) == Extent::common ? filled_node(graph_, value, of_.rows)
                                                    : in_memory(graph_, spread(value));
      }
      case Op::patch:
        return in_memory(graph_, patched(node));
      case Op::gather: {
        if (kind(id) == Extent::number && node.length == 1)
          if (const int one = element_of_short(graph_, id, 0); one != 0 && one != graph_.defined(id))
            return in_all(one);
        if (kind(node.args[0]) != Extent::common || kind(node.args[1]) != Extent::rows)
          refuse("elements of a series by computed numbers are taken in a loop over its rows");
        Node made = node;
        made.length = of_.rows;
        made.args[1] = as_rows(node.args[1], node.length);
        return graph_.add(std::move(made));
      }
      case Op::recursion:
        return recursion(node);
      case Op::recursion_part: {
        const int loop = in_all(node.args[0]);
        const bool rows = is_of_rows(graph_, node.length);
        return recursion_result(graph_, loop, node.first, node.type, rows ? of_.rows : of_.count);
      }
      default:
        break;
    }
    refuse(std::string("what is computed by ") + (node.op == Op::concat ? "c()" : op_name(node.op)) +
           " of a series is not supported: loops over its rows, arithmetic, sums and means of its rows are");
  }

  Graph& graph_;
  const SeriesInputs of_;
  const std::vector<int>& gradient_;
  std::vector<char> differs_ = {0};  // by node, from 1
  std::map<int, int> made_;
  std::map<std::pair<int, int>, int> parameters_;
};

}  // namespace

OverSeries over_series(Graph& graph, int root, const std::vector<int>& gradient) {
  for (const Recycled& pair : graph.recycled)
    if (is_of_rows(graph, pair.longer))
      throw LimitError(std::string(kBy) + "vectors that are not as long as the series are recycled to its rows");
  graph.exact = true;
  graph.singles.clear();
  const OverSeries made = Series(graph, gradient).run(root);
  for (Input& input : graph.inputs) {  // they are as long as they are
    if (input.definition != 0 || input.round != 0) continue;
    const bool matrix = input.matrix && is_of_rows(graph, input.rows);
    if (matrix) input.rows = graph.series.rows;
    if (matrix || is_of_rows(graph, input.length)) input.length = graph.series.rows * (matrix ? input.columns : 1);
  }
  return made;
}

}  // namespace openclPort::expression
