// translate_index -- parts of vectors: x[i], X[, j], head(), tail(), rev(), diff(), c().
//
// Three kinds of index. Numbers that the text says or the lengths of arguments give, such as 2:n and -1, make a slice,
// which a kernel reads where it lies. A single number makes one element, taken before the kernels run. A vector of
// codes gathers: each element of the result is looked up.
#include <algorithm>
#include <climits>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/series.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostParts = 4096;  // of positions that are no slice

// What an index says before anything is computed: numbers in R's sense, or nothing.
struct Known {
  bool known = false;
  double from = 0, to = 0;  // of a run
  bool run = false;
  std::vector<double> numbers;
  double of = 0;  // of lower.tri(M): how many elements M has

  double size() const { return run ? std::fabs(to - from) + 1 : static_cast<double>(numbers.size()); }
  double at(std::size_t k) const {
    if (!run) return numbers[k];
    return to >= from ? from + static_cast<double>(k) : from - static_cast<double>(k);
  }
  void negate() {
    from = -from;
    to = -to;
    for (double& number : numbers) number = -number;
  }
};

Known known_number(double value) {
  Known made;
  made.known = true;
  made.numbers = {value};
  return made;
}

Known known_run(double from, double to, const Syntax& call) {
  if (!std::isfinite(from) || !std::isfinite(to)) throw NmathError(quoted_text(call) + ": NA/NaN argument");
  Known made;
  made.known = made.run = true;
  made.from = from;
  made.to = to >= from ? from + std::floor(to - from) : from - std::floor(from - to);
  return made;
}

bool is_language_call(const Syntax& expr, const char* name, std::size_t count) {
  return expr.kind == Syntax::Kind::call && expr.called.kind == Called::Kind::language && expr.called.name == name &&
         expr.args.size() == count;
}

}  // namespace

// The value of a number that decides how long something is.
double decided_number(Translator& t, const Syntax& expr, Scope& scope) {
  const Decided found = decide(t, expr, scope);
  if (found.length != 1 || found.value.size() != 1)
    throw NmathError(quoted_text(expr) + " has length " + whole_text(found.length) + ", and has to be one number");
  return as_real(found.value[0]);
}

namespace {

double elements_known(Translator& t, const Syntax& of, Scope& scope) {
  t.graph.exact = true;
  return t.graph.length(translate_value(t, of, scope));
}

Known known_index(Translator& t, const Syntax& index, Scope& scope) {
  if (index.kind == Syntax::Kind::constant) {
    if (index.constant.type == Type::logical)
      throw NmathError("an index has to be a number, and is " + shown_text(index) +
                       ": choose elements by their numbers, x[seq(1, length(x), by = 2)], by a test, x[x > 0], or "
                       "before the call");
    return known_number(as_real(index.constant));
  }
  if (is_hidden(t, index, scope)) return {};
  if (is_language_call(index, "(", 1)) return known_index(t, *index.args[0], scope);
  if (is_language_call(index, "-", 1)) {
    const Syntax& of = *index.args[0];
    Known made = known_index(t, of, scope);
    if (!made.known) {
      if (t.graph.length(translate_value(t, of, scope)) != 1) return made;
      made = known_number(decided_number(t, of, scope));
    }
    made.negate();
    return made;
  }
  if (is_language_call(index, ":", 2))
    return known_run(decided_number(t, *index.args[0], scope), decided_number(t, *index.args[1], scope), index);
  const bool along = is_language_call(index, "seq_along", 1);
  if (along || is_language_call(index, "seq_len", 1)) {
    const double count = along ? elements_known(t, *index.args[0], scope) : decided_number(t, *index.args[0], scope);
    if (!(count >= 0)) throw NmathError(quoted_text(index) + ": argument of length 0, or no number from 0 on");
    if (count == 0) {
      Known none;
      none.known = true;
      return none;
    }
    return known_run(1, count, index);
  }
  if (index.kind == Syntax::Kind::call && index.called.kind == Called::Kind::language && index.called.name == "c") {
    Known made;
    for (const SyntaxPtr& arg : index.args) {
      const Known part = known_index(t, *arg, scope);
      if (!part.known || part.size() > kMostParts || made.numbers.size() > kMostParts) return {};
      for (std::size_t k = 0; k < static_cast<std::size_t>(part.size()); ++k) made.numbers.push_back(part.at(k));
    }
    made.known = true;
    return made;
  }
  if (is_triangle(index)) {
    Known made;
    made.known = true;
    made.of = triangle_places(t, index, made.numbers, scope);
    for (double& place : made.numbers) ++place;
    return made;
  }
  const int id = translate_value(t, index, scope);
  if (const std::optional<double> number = fake_number(t.graph, id)) return known_number(*number);
  const Node* node = &t.graph.at(id);
  while (node->op == Op::bare) node = &t.graph.at(node->args[0]);
  if (node->op == Op::constant) return known_number(as_real(node->constant));
  return {};
}

[[noreturn]] void refuse_index(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

}  // namespace

int slice_from(Graph& graph, int x, double from, int step, double count) {
  const double length = graph.length(x);
  bool named = false, unnamed = false;
  const int definition = put_together(graph, x, &named, &unnamed);
  if (definition != 0 && graph.at(definition).op == Op::concat && count == 1 && from >= 1 && from <= length) {
    const std::vector<int> parts = graph.at(definition).args;  // whose elements are there
    if (static_cast<double>(parts.size()) == length) {
      const int part = parts[static_cast<std::size_t>(from) - 1];
      named = named || !graph.at(definition).names.empty();
      if (named) return with_names(graph, part, names_word("names", x, 0, {from}));
      return unnamed || sides_of(graph, part).matrix ? bare_node(graph, part) : part;
    }
  }
  Node node{Op::slice, graph.type(x), count, {x}};
  node.second = step;
  // What counts from the end is the same text for every length; the graph must hold for these lengths alone.
  node.flag = graph.exact && from > 64 && std::fabs(from - length) < std::fabs(from - 1);
  const double first = node.flag ? from - length : from;
  if (std::fabs(first) > INT_MAX - 1.0) throw LimitError("a slice that begins beyond 2^31 - 1");
  node.first = static_cast<int>(first);
  const int id = graph.add(std::move(node));
  if (count == 1) return graph.defined(id);
  graph.exact = true;
  return id;
}

namespace {

// A vector of no elements.
int no_elements(Graph& graph, int x) {
  graph.exact = true;
  return slice_from(graph, x, 1, 1, 0);
}

// x[numbers], the numbers positive and known.
int gathered_positions(Graph& graph, int x, const std::vector<double>& positions, const Syntax& call) {
  if (positions.size() > kMostParts)
    refuse_limit(call, "these elements do not follow a rule such as 2:n or -1. Take them before the call");
  std::vector<int> parts;
  for (const double position : positions) parts.push_back(slice_from(graph, x, position, 1, 1));
  return concat_node(graph, parts);
}

int positive_index(Graph& graph, int x, const Known& index, const Syntax& call) {
  const std::size_t count = static_cast<std::size_t>(index.size());
  bool regular = true;
  double step = 1;
  std::vector<double> positions;
  if (index.run) {
    step = index.to >= index.from ? 1 : -1;
  } else {
    for (std::size_t k = 0; k < count; ++k) {
      const double number = index.at(k);
      if (std::isnan(number)) {
        positions.push_back(graph.length(x) + 1);  // NA, as beyond the end
      } else if (std::trunc(number) != 0) {
        positions.push_back(std::trunc(number));
      }
    }
    if (positions.size() > 1) step = positions[1] - positions[0];
    for (std::size_t k = 1; k < positions.size(); ++k) regular = regular && positions[k] - positions[k - 1] == step;
    if (positions.empty()) return no_elements(graph, x);
    if (positions.size() == 1) return slice_from(graph, x, positions[0], 1, 1);
  }
  const double from = index.run ? std::trunc(index.from) : positions[0];
  const double size = index.run ? index.size() : static_cast<double>(positions.size());
  const double to = from + step * (size - 1);
  const bool inside = std::max(from, to) <= graph.length(x) && std::min(from, to) >= 1;
  if (regular && std::fabs(step) == 1 && inside) {
    graph.exact = true;
    return slice_from(graph, x, from, static_cast<int>(step), size);
  }
  if (index.run) {
    if (index.size() > kMostParts) refuse_index(call, "it goes beyond the end of the vector");
    for (std::size_t k = 0; k < count; ++k)
      if (index.at(k) != 0) positions.push_back(index.at(k));
  }
  graph.exact = true;
  return gathered_positions(graph, x, positions, call);
}

int negative_index(Graph& graph, int x, const Known& index, const Syntax& call) {
  const double length = graph.length(x);
  const double low = index.run ? std::min(-index.from, -index.to) : -index.at(0);
  const double high = index.run ? std::max(-index.from, -index.to) : low;
  graph.exact = true;
  if (index.run || index.numbers.size() == 1) {
    const double first = std::trunc(low), last = std::min(std::trunc(high), length);
    if (first > length) return slice_from(graph, x, 1, 1, length);
    if (first <= 1 && last >= length) return no_elements(graph, x);
    if (first <= 1) return slice_from(graph, x, last + 1, 1, length - last);
    if (last >= length) return slice_from(graph, x, 1, 1, first - 1);
    return concat_node(graph, {in_memory(graph, slice_from(graph, x, 1, 1, first - 1)),
                               in_memory(graph, slice_from(graph, x, last + 1, 1, length - last))});
  }
  if (length > kMostParts)
    refuse_limit(call, "these elements do not follow a rule such as 2:n or -1. Take them before the call");
  std::vector<char> out(static_cast<std::size_t>(length) + 1, 0);
  for (const double number : index.numbers)
    if (-number <= length) out[static_cast<std::size_t>(-std::trunc(number))] = 1;
  std::vector<double> positions;
  for (std::size_t k = 1; k < out.size(); ++k)
    if (out[k] == 0) positions.push_back(static_cast<double>(k));
  if (positions.empty()) return no_elements(graph, x);
  return gathered_positions(graph, x, positions, call);
}

int known_part(Graph& graph, int x, const Known& index, const Syntax& call) {
  if (index.of != 0 && index.of != graph.length(x))
    refuse_index(call, "the matrix in the index has another number of elements");
  if (index.size() == 0) return no_elements(graph, x);
  bool negative = false, positive = false;
  const std::size_t ends = index.run ? 2 : index.numbers.size();
  for (std::size_t k = 0; k < ends; ++k) {
    const double number = index.run ? (k == 0 ? index.from : index.to) : index.numbers[k];
    negative = negative || number <= -1;
    positive = positive || number >= 1 || std::isnan(number);
  }
  if (negative && positive)
    refuse_index(call, "can't mix positive and negative subscripts");  // R's text up to its version
  return negative ? negative_index(graph, x, index, call) : positive_index(graph, x, index, call);
}

const Input* matrix_of(const Graph& graph, int x) {
  const Node& node = graph.at(x);
  if (node.op != Op::input || !graph.input(node.first).matrix) return nullptr;
  return &graph.input(node.first);
}

}  // namespace

// A vector in memory, for its parts.
int bare_vector(Translator& t, int id, const Syntax& call) {
  if (matrix_of(t.graph, id) != nullptr) {
    std::string why = "of a matrix, parts are columns, as X[, 1], and elements, as X[1, 2]";
    if (!call.args.empty()) {
      const Syntax& x = *call.args[0];
      why +=
          "; its numbers as a vector are as.vector(" + (x.kind == Syntax::Kind::symbol ? x.name : syntax_text(x)) + ")";
    }
    refuse_index(call, why);
  }
  return in_memory(t.graph, sides_of(t.graph, id).matrix ? bare_node(t.graph, id) : id);
}

Numbers known_numbers(Translator& t, const Syntax& over, Scope& scope, int most, double& count) {
  const Known known = known_index(t, over, scope);
  Numbers made;
  made.known = known.known;
  if (!known.known) return made;
  count = known.size();
  made.whole = known.run && known.from == std::trunc(known.from);
  for (std::size_t k = 0; k < static_cast<std::size_t>(std::min(count, static_cast<double>(most))); ++k)
    made.numbers.push_back(known.at(k));
  return made;
}

namespace {

// Whether an index is no matrix, as its text says.
bool is_known_index(const Syntax& index) {
  if (index.kind != Syntax::Kind::call) return index.kind != Syntax::Kind::symbol;
  return index.called.kind == Called::Kind::language && (index.called.name == ":" || index.called.name == "-");
}

// 1:K, seq_len(n) and seq_along(x) as vectors.
int sequence_node(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const Known known = known_index(t, call, scope);
  const double count = known.size();
  const bool whole = !known.run || (known.from == std::trunc(known.from) && std::fabs(known.from) <= INT_MAX &&
                                    std::fabs(known.to) <= INT_MAX);
  const auto number = [&](double value) {
    return whole ? constant_node(graph, whole_constant(Type::integer, static_cast<int>(value)))
                 : constant_node(graph, value);
  };
  if (count == 0) return no_elements(graph, number(1));
  if (count == 1) return number(known.at(0));
  graph.exact = true;
  if (count <= 64) {
    std::vector<int> numbers;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) numbers.push_back(number(known.at(k)));
    return concat_node(graph, numbers);
  }
  Node steps{Op::position, whole ? Type::integer : Type::real, count};
  return arithmetic_node(graph, known.to >= known.from ? Op::add : Op::subtract, number(known.from),
                         graph.add(std::move(steps)));
}

}  // namespace

int rows_left(Translator& t, const Syntax& index, double rows, const Syntax& call, Scope& scope) {
  if (is_hidden(t, index, scope)) return 0;
  if (!is_language_call(index, "-", 1) && !is_language_call(index, "c", index.args.size())) return 0;
  const Known known = known_index(t, index, scope);
  if (!known.known || known.size() == 0 || !(known.at(0) <= -1)) return 0;
  if (rows == 1) refuse_limit(call, "no row is left");
  const int numbers = arithmetic_node(t.graph, Op::add, counted_from_zero(t.graph, rows), constant_node(t.graph, 1.0));
  const int left = known_part(t.graph, in_memory(t.graph, numbers), known, call);
  if (t.graph.length(left) == 0) refuse_limit(call, "no row is left");
  return left;
}

int translate_index(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (name == "head" || name == "tail") return end_part(t, call, scope);
  if (name == "cumsum")
    return cumsum_node(t.graph, bare_vector(t, translate_operand(t, call, scope), call), call.number);
  if (name == "ave") return group_values(t, call, scope);
  if (name == "rev") {
    const int x = bare_vector(t, translate_operand(t, call, scope), call);
    const double length = t.graph.length(x);
    t.graph.exact = true;
    return slice_from(t.graph, x, length, -1, length);
  }
  if (name == ":" || name == "seq_len" || name == "seq_along") return sequence_node(t, call, scope);
  if (name == "lower.tri" || name == "upper.tri" || name == ".diag") return translate_triangle_value(t, call, scope);
  if (const int shape = translate_shape(t, call, scope)) return shape;
  if (name != "[") return translate_matrix_call(t, call, scope);
  if (name == "[" && call.names.size() == call.args.size() && call.names.back() == "drop" && call.args.size() > 2)
    return undropped(t, call, scope);
  if (call.args.size() < 2 || call.args.size() > 3)
    refuse_index(call, "an index is one of a vector, or a column, X[, 1], or an element, X[1, 2], of a matrix");
  for (const std::string& given : call.names)
    if (!given.empty()) refuse_limit(call, "of names of an index, drop = at its end is part of the language");
  const int given = translate_value(t, *call.args[0], scope);
  if (call.args.size() == 3) return matrix_part(t, given, call, scope);
  const Syntax& index = *call.args[1];
  if (index.kind == Syntax::Kind::empty) return given;
  if (const int written = read_written(t, given, call, scope)) return written;
  if (is_triangle(index))
    return known_part(t.graph, in_memory(t.graph, bare_node(t.graph, given)), known_index(t, index, scope), call);
  if (sides_of(t.graph, given).matrix && !is_known_index(index)) {
    if (const int chosen = matrix_elements(t, given, translate_value(t, index, scope), call, scope)) return chosen;
  }
  const int x = bare_vector(t, given, call);
  if (const std::vector<std::string> texts = texts_in(t, index, scope); !texts.empty())
    return named_part(t, x, texts, call);
  const Known known = known_index(t, index, scope);
  if (known.known) return known_part(t.graph, x, known, call);
  return taken_by_codes(t, x, translate_value(t, index, scope), call, scope);
}

}  // namespace openclPort::expression
