// translate_loops -- for, while, repeat, break, next; vapply() and sapply(); rep() and numeric(). What is repeated is
// known when a call is: it is written out, round by round.
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr int kMostNodes = 20000;

[[noreturn]] void refuse_long(const Syntax& call, const char* what) {
  throw LimitError(
      quoted_text(call) + ": " + what + " more than " + std::to_string(kMostRounds) +
      " times. A loop in an expression is written out round by round; what goes over the data is written for "
      "whole vectors, as sum(), cumsum() or y[-1]");
}

const char* values_text(Type type) {
  return type == Type::real ? "doubles" : type == Type::integer ? "integers" : "logical";
}

// While a loop inside a loop over data is written out.
struct InnerLoop {
  explicit InnerLoop(Rounds* of) : rounds(of) {
    if (rounds != nullptr) ++rounds->inner;
  }
  ~InnerLoop() {
    if (rounds != nullptr) --rounds->inner;
  }
  InnerLoop(const InnerLoop&) = delete;
  InnerLoop& operator=(const InnerLoop&) = delete;
  Rounds* rounds;
};

// One round; false where the loop is left.
bool round_of(Translator& t, const Syntax& body, Scope& scope, const Syntax& call) {
  if (t.graph.size() > kMostNodes)
    throw LimitError(quoted_text(call) + ": its rounds, written out, are too long. Fewer rounds, or a shorter body");
  const InnerLoop mark(t.rounds);
  try {
    note_statement(t.graph, translate_statement(t, body, scope));
  } catch (const Left& left) {
    return left.goes_on;
  }
  return true;
}

// The nodes that a loop's variable stands for, one after the other.
std::vector<int> rounds_of(Translator& t, const Syntax& call, const Syntax& over, Scope& scope) {
  std::vector<int> rounds;
  double count = 0;
  const Numbers known = known_numbers(t, over, scope, kMostRounds, count);
  if (count > kMostRounds) refuse_long(call, "it goes round");
  if (known.known) {
    for (const double number : known.numbers)
      rounds.push_back(known.whole ? constant_node(t.graph, whole_constant(Type::integer, static_cast<int>(number)))
                                   : constant_node(t.graph, number));
    return rounds;
  }
  const int vector = bare_node(t.graph, translate_value(t, over, scope));
  if (t.graph.length(vector) > kMostRounds) refuse_long(call, "it goes round");
  return elements_of(t.graph, vector);
}

// A loop over more than can be written out is one over data, and a shorter one may be.
bool translate_long(Translator& t, const Syntax& call, Scope& scope) {
  const Syntax& over = *call.args[1];
  double count = 0, from = 1, step = 1;
  int vector = 0;
  const Numbers known = known_numbers(t, over, scope, 2, count);
  if (known.known) {
    if (count <= kMostWrittenOut || (!known.whole && count <= kMostRounds)) return false;
    if (!known.whole)
      throw LimitError(quoted_text(over) +
                       " in `for`: a loop over data goes over whole numbers that follow each other, "
                       "as 2:n, or over the elements of a vector");
    from = known.numbers[0];
    step = known.numbers[1] - from;
  } else {
    vector = translate_value(t, over, scope);
    count = t.graph.length(vector);
    const std::optional<Run> run = t.graph.type(vector) == Type::integer ? run_of(t.graph, vector) : std::nullopt;
    if (run && count > kMostWrittenOut && std::fabs(run->step) == 1 && std::isfinite(run->from)) {
      t.graph.exact = true;
      from = run->from, step = run->step, vector = 0;
    }
  }
  if (count > kMostRounds) {
    const Undone before(t, scope);
    try {
      translate_rounds(t, call, vector, from, step, count, scope);
    } catch (const NmathError&) {
      before.restore();
      if (!try_added(t, call, scope)) throw;
    }
    return true;
  }
  return count > kMostWrittenOut && t.rounds == nullptr &&
         (try_rounds(t, call, vector, from, step, count, scope) || try_added(t, call, scope));
}

int translate_for(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 3, 3);
  if (translate_long(t, call, scope)) return 0;
  const std::vector<int> rounds = rounds_of(t, call, *call.args[1], scope);
  if (rounds.empty()) assign(t, call.args[0]->name, add_thing(t, Thing{}), scope);  // NULL, as in R
  for (const int round : rounds) {
    assign(t, call.args[0]->name, round, scope);
    if (!round_of(t, *call.args[2], scope, call)) break;
  }
  return 0;
}

// repeat has no condition.
int translate_while(Translator& t, const Syntax& call, Scope& scope) {
  const bool asks = call.called.name == "while";
  check_operands(call, asks ? 2 : 1, asks ? 2 : 1);
  for (int round = 0;; ++round) {
    if (asks) {
      const Decided condition = decide(t, *call.args[0], scope);
      if (condition.length != 1)
        throw NmathError("the condition of `while` has length " + whole_text(condition.length));
      if (is_missing(condition.value[0]))
        throw NmathError("missing value where TRUE/FALSE needed in " + quoted_text(call));
      if (as_real(condition.value[0]) == 0) return 0;
    }
    if (round == kMostRounds) refuse_long(call, "it goes round");
    if (!round_of(t, *call.args[asks ? 1 : 0], scope, call)) return 0;
  }
}

// Whether a call of c() names what it joins.
bool gives_names(const Syntax& call) {
  return std::any_of(call.names.begin(), call.names.end(), [](const std::string& name) { return !name.empty(); });
}

// What vapply() gives of no elements; sapply() makes a list of them.
int of_nothing(Translator& t, const Syntax& call, const Syntax* like, Scope& scope) {
  const int value = like != nullptr ? translate_value(t, *like, scope) : 0;
  if (value == 0 || t.graph.length(value) != 1)
    throw LimitError(quoted_text(call) + ": there are no elements, of which R makes " +
                     (value == 0 ? "a list: vapply() with numeric(1) gives numbers" : "a matrix without columns"));
  t.graph.exact = true;
  return slice_from(t.graph, value, 1, 1, 0);
}

int applied_to_each(Translator& t, const Syntax& call, const Matched& given, Scope& scope) {
  const Syntax* const over = given.find("X");
  const Syntax* const applied = given.find("FUN");
  if (over == nullptr || applied == nullptr) throw NmathError(quoted_text(call) + ": it needs X and FUN");
  const int function = translate_any(t, *applied, scope);
  if (function >= 0 || thing_of(t, function).kind != Thing::Kind::function)
    throw NmathError(quoted_text(call) +
                     ": the second argument has to be a function of the body's own, function(k) ...");
  const Thing thing = thing_of(t, function);
  double count = 0;
  const int vector = known_numbers(t, *over, scope, 1, count).known ? 0 : translate_value(t, *over, scope);
  if (vector != 0) count = t.graph.length(vector);
  if (count > kMostRounds) return translate_rows(t, call, thing, translate_value(t, *over, scope), scope);
  if (count > kMostWrittenOut && t.rounds == nullptr) {
    const Undone before(t, scope);
    try {
      return translate_rows(t, call, thing, translate_value(t, *over, scope), scope);
    } catch (const NmathError&) {
      before.restore();
    }
  }
  std::vector<int> values;
  for (const int round : rounds_of(t, call, *over, scope)) {
    values.push_back(applied_value(t, call, thing, round, scope));
    if (t.graph.length(values.back()) != t.graph.length(values[0]))
      throw LimitError(quoted_text(call) +
                       ": the function gives vectors of different lengths, of which R makes a list");
  }
  if (values.empty()) return of_nothing(t, call, given.find("FUN.VALUE"), scope);
  const int named = vector != 0 || !gives_names(*over) ? vector : translate_value(t, *over, scope);
  const double length = t.graph.length(values[0]);
  if (length == 1) {
    const bool by_vector = call.called.name == "vapply";  // else elements have their own names, too
    const int all = concat_node(t.graph, values);
    return named == 0 && !by_vector ? all : named_by(t.graph, all, named, by_vector ? "names" : "each");
  }
  std::string names = names_word("rows", values[0], 0);
  if (named != 0) names += names_word("columns", named, 0);
  for (int& value : values) value = bare_node(t.graph, value);
  return matrix_of_columns(t.graph, values, length, 0, 0, names);
}

// vapply(1:K, function(k) ..., 0), sapply().
int translate_apply(Translator& t, const Syntax& call, Scope& scope) {
  const Matched given = match_named_call({"X", "FUN", "FUN.VALUE"}, call);
  const Syntax* const like = given.find("FUN.VALUE");
  if ((call.called.name == "vapply") != (like != nullptr))
    throw NmathError(quoted_text(call) + (like == nullptr ? ": argument \"FUN.VALUE\" is missing, with no default"
                                                          : ": sapply() takes no FUN.VALUE"));
  const int value = applied_to_each(t, call, given, scope);
  if (like == nullptr || t.graph.length(value) == 0) return value;
  const int shown = translate_value(t, *like, scope);
  const Sides sides = sides_of(t.graph, value);
  const double length = sides.matrix ? sides.rows : 1;
  if (t.graph.length(shown) != length)
    throw NmathError(quoted_text(call) + ": values must be length " + length_text(t.graph, shown) +
                     ", but those of the function have length " + whole_text(length));
  const Type asked = t.graph.type(shown), found = t.graph.type(value);
  if (wider(asked, found) != asked)
    throw NmathError(quoted_text(call) + ": values must be " + values_text(asked) + ", but those of the function are " +
                     values_text(found));
  const int made = widened(t.graph, value, asked);
  if (!sides.matrix || (like->kind == Syntax::Kind::call && !gives_names(*like))) return made;
  const std::string names =
      names_word("rows", shown, 0) + names_word("rows", value, 1) + names_word("columns", value, 2);
  return with_named_sides(t.graph, bare_node(t.graph, made), sides.rows, sides.columns, names);
}

// A number so many times, with its name at each.
int repeated_number(Graph& graph, int x, double times) {
  const int filled = filled_node(graph, x, times);
  return graph.at(x).op == Op::constant ? filled : named_by(graph, filled, x, "filled");
}

// A vector behind itself, so many times.
int repeated_node(Translator& t, int x, double times, const Syntax& call) {
  Graph& graph = t.graph;
  graph.exact = true;
  if (times == 1) return x;
  if (graph.length(x) == 1) return repeated_number(graph, x, times);
  if (times > kMostRounds) refuse_long(call, "a vector is repeated");
  const int whole = in_memory(graph, x);
  return concat_node(graph, std::vector<int>(static_cast<std::size_t>(times), whole));
}

// rep(x, each = k), rep(x, length.out = n), rep_len(x, n), and rep(x, times) of a long x.
int translate_rep(Translator& t, const Syntax& call, const Matched& given, Scope& scope) {
  Graph& graph = t.graph;
  const auto number = [&](const char* name) {
    const Syntax* const asked = given.find(name);
    if (asked == nullptr) return -1.0;
    const Decided many = decide(t, *asked, scope);
    if (many.length != 1 || is_missing(many.value[0]) || !(as_real(many.value[0]) >= 1))
      throw NmathError(quoted_text(call) + ": how many has to be one number from 1 on");
    return std::trunc(as_real(many.value[0]));
  };
  int x = translate_given(t, given.find("x"), scope);
  if (call.called.name == "rep_len") x = bare_node(graph, x);
  const double each = number("each"), length = number("length.out");
  if (each > 1 && graph.length(x) == 1) {
    x = repeated_number(graph, x, each);
  } else if (each > 1) {
    const int place = arithmetic_node(graph, Op::divide, counted_from_zero(graph, graph.length(x) * each),
                                      constant_node(graph, each));
    const int code = arithmetic_node(graph, Op::add, elementary_node(graph, "floor", place), constant_node(graph, 1.0));
    x = gathered_node(graph, in_memory(graph, x), code, call);
  }
  if (length < 0) return repeated_node(t, x, std::max(1.0, number("times")), call);
  const double have = graph.length(x);
  if (have == 0) throw NmathError(quoted_text(call) + ": it has no elements");
  x = repeated_node(t, x, std::ceil(length / have), call);
  return graph.length(x) == length ? x : slice_of(graph, x, 1, length);
}

// numeric(K) and rep(x, K).
int translate_repeated(Translator& t, const Syntax& call, Scope& scope) {
  const bool zeros = call.called.name == "numeric";
  const std::vector<std::string> formals = zeros ? std::vector<std::string>{"length"}
                                           : call.called.name == "rep_len"
                                               ? std::vector<std::string>{"x", "length.out"}
                                               : std::vector<std::string>{"x", "times", "each", "length.out"};
  const Matched given = match_named_call(formals, call);
  if (!zeros && given.find("x") == nullptr) throw NmathError(quoted_text(call) + ": it needs a vector");
  if (!zeros && (given.find("each") != nullptr || given.find("length.out") != nullptr ||
                 t.graph.length(translate_given(t, given.find("x"), scope)) > 1))
    return translate_rep(t, call, given, scope);
  const Syntax* const count = given.find(zeros ? "length" : "times");
  if (count == nullptr && zeros) return slice_from(t.graph, constant_node(t.graph, 0.0), 1, 1, 0);
  if (count == nullptr) throw NmathError(quoted_text(call) + ": it needs how many");
  const Decided many = decide(t, *count, scope);
  if (many.length != 1 || is_missing(many.value[0]) || as_real(many.value[0]) < 0)
    throw NmathError(quoted_text(call) + ": how many has to be one number from 0 on");
  const double times = std::trunc(as_real(many.value[0]));
  if (times == 0)
    return slice_from(t.graph, zeros ? constant_node(t.graph, 0.0) : translate_given(t, given.find("x"), scope), 1, 1,
                      0);
  if (times > kMostRounds) {
    const int x = zeros ? constant_node(t.graph, 0.0) : translate_given(t, given.find("x"), scope);
    if (t.graph.length(x) != 1) refuse_long(call, "it has elements");
    Node node{Op::fill, t.graph.type(x), std::trunc(times), {x}};
    t.graph.exact = true;
    const int filled = t.graph.defined(t.graph.add(std::move(node)));
    return zeros || t.graph.at(x).op == Op::constant ? filled : named_by(t.graph, filled, x, "filled");
  }
  std::vector<int> parts;
  if (zeros) {
    parts.push_back(constant_node(t.graph, 0.0));
  } else {
    const int x = translate_given(t, given.find("x"), scope);
    if (t.graph.length(x) == 0) return x;
    if (t.graph.length(x) > kMostRounds) refuse_long(call, "it has elements");
    parts = elements_of(t.graph, x);
  }
  std::vector<int> all;
  for (int k = 0; k < static_cast<int>(times); ++k) all.insert(all.end(), parts.begin(), parts.end());
  return concat_node(t.graph, all);
}

}  // namespace

int applied_value(Translator& t, const Syntax& call, const Thing& applied, int element, Scope& scope) {
  auto argument = std::make_shared<Syntax>();
  argument->kind = Syntax::Kind::symbol;
  argument->name = ".round";
  auto one = std::make_shared<Syntax>();
  one->kind = Syntax::Kind::call;
  one->name = "FUN";
  one->number = call.number;
  one->args = {argument};
  t.made.push_back(one);
  Scope& around = outer_scope(t, scope);
  around.vars[".round"] = element;
  const int value = translate_function(t, *applied.function, *one, around, applied.scope);
  if (value <= 0) throw NmathError(quoted_text(call) + ": the function has to give numbers");
  if (t.graph.length(value) == 0)
    throw NmathError(quoted_text(call) + ": the function gives vectors of no elements, of which R makes a list");
  return value;
}

bool is_loop_call(const std::string& name) {
  return name == "for" || name == "while" || name == "repeat" || name == "break" || name == "next" ||
         name == "vapply" || name == "sapply" || name == "numeric" || name == "rep" || name == "rep_len";
}

int translate_loop(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (name == "for") return translate_for(t, call, scope);
  if (name == "break" || name == "next") {
    if (t.rounds == nullptr || t.rounds->inner > 0 || t.rounds->scope != &scope) throw Left{name == "next"};
    leave_round(t, name == "break", scope);
    return 0;
  }
  if (name == "vapply" || name == "sapply") return translate_apply(t, call, scope);
  if (name == "numeric" || name == "rep" || name == "rep_len") return translate_repeated(t, call, scope);
  return translate_while(t, call, scope);
}

}  // namespace openclPort::expression
