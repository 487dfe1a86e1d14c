// translate_added -- loops that add up: rounds that depend on the ones before only by what is added to, multiplied
// with, or compared with. A round is translated once; what it adds becomes a matrix with a column for each round, whose
// rows are reduced. So the program is as long whatever the number of rounds is.
#include <algorithm>
#include <set>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/loop_names.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/row_writer.h"
#include "expression/translator.h"

namespace openclPort::expression {

int local_input(Graph& graph, int loop, const std::string& name, Type type, double length) {
  Input input;
  input.name = name;
  input.type = type;
  input.length = length;
  input.round = loop;
  graph.inputs.push_back(input);
  return input_as_node(graph, static_cast<int>(graph.inputs.size()));
}

namespace {

// What a variable of the loop is handed: `op` add (or subtract, of which each part says so), multiply, pmin, pmax.
struct AddedParts {
  Op op = Op::constant;                     // none yet
  std::vector<std::pair<int, bool>> parts;  // node, whether it is taken away
};

struct AddedVariable {
  std::string name;
  int before = 0, local = 0, shown = 0;  // `shown`: the local as what the name stands for
  double length = 1;
  Type type = Type::real;
  bool in_parts = false;
};

class AddedLoop {
 public:
  AddedLoop(Translator& t, const Syntax& call, Scope& scope)
      : t_(t), graph_(t.graph), call_(call), scope_(scope), variable_(call.args[0]->name) {
    what_ = "`for (" + variable_ + " in " + shown_text(*call.args[1]) + ")`";
  }

  void run() {
    const Syntax& body = *call_.args[2];
    find_assigned(body, variable_, names_, in_parts_);
    if (leaves_round(body, true) || leaves_round(body, false)) refuse("`break` and `next` in it");
    if (std::find(names_.begin(), names_.end(), variable_) != names_.end()) refuse("its variable is assigned in it");
    const int over = translate_value(t_, *call_.args[1], scope_);
    const int vector = in_memory(graph_, over);
    for (const std::string& name : names_) add_variable(name);
    const auto vars = scope_.vars;
    const auto promises = scope_.promises;
    const std::size_t recycled = graph_.recycled.size(), singles = graph_.singles.size(),
                      reported = graph_.warnings.size(), assertions = graph_.assertions.size(),
                      decisions = graph_.decisions.size();
    const int draws = graph_.draws;
    const std::vector<Site> sites = graph_.sites;
    for (bool again = true; again;) {
      graph_.sites = sites;
      scope_.vars = vars;
      scope_.promises = promises;
      graph_.assertions.resize(assertions);
      translate_round(over, vector);
      again = widen();
    }
    const bool stops =
        std::any_of(graph_.assertions.begin() + static_cast<std::ptrdiff_t>(assertions), graph_.assertions.end(),
                    [](const Assertion& one) { return !one.limit || !one.guards.empty(); });
    if (graph_.recycled.size() > recycled || graph_.warnings.size() > reported || stops || graph_.draws != draws)
      refuse("statements in it that warn, stop or draw random numbers");
    (void)decisions;
    graph_.singles.resize(singles);
    finish(vector, assertions, sites.size());
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw LimitError(what_ + ": " + why); }

  void add_variable(const std::string& name) {
    const int before = value_before(t_, name, scope_);
    if (before < 0) refuse("`" + name + "` is not a number before it");
    if (before == 0) return;
    AddedVariable one;
    one.name = name;
    one.before = before;
    one.length = graph_.length(before);
    one.type = graph_.type(before);
    one.in_parts = in_parts_.count(name) != 0 && one.length > 1;
    if (one.length == 0) refuse("`" + name + "` has no elements");
    variables_.push_back(one);
  }

  void translate_round(int over, int vector) {
    rounds_ = Rounds();
    rounds_.loop = ++graph_.loops;
    rounds_.what = what_;
    rounds_.scope = &scope_;
    rounds_.as_columns = true;
    rounds_.count = graph_.length(vector);
    rounds_.counts_up = counts_up(graph_, over);
    rounds_.counter = local_input(graph_, rounds_.loop, variable_, graph_.type(vector), 1);
    assign(t_, variable_, rounds_.counter, scope_);
    for (AddedVariable& one : variables_) {
      one.local = one.shown = local_input(graph_, rounds_.loop, one.name, one.type, one.length);
      const Sides sides = one.in_parts ? sides_of(graph_, one.before) : Sides();
      if (sides.matrix) one.shown = with_sides(graph_, one.local, sides.rows, sides.columns);
      if (one.in_parts) rounds_.in_parts[one.name] = one.shown;
      assign(t_, one.name, one.shown, scope_);
    }
    t_.rounds = &rounds_;
    try {
      translate_statement(t_, *call_.args[2], scope_);
    } catch (...) {
      t_.rounds = nullptr;
      throw;
    }
    t_.rounds = nullptr;
    if (!rounds_.holds.empty()) refuse("if () with a condition that differs from round to round");
  }

  int value_after(const std::string& name) const {
    const auto found = scope_.vars.find(name);
    return found == scope_.vars.end() ? 0 : found->second;
  }

  bool widen() {
    bool wider_now = false;
    for (AddedVariable& one : variables_) {
      const int after = value_after(one.name);
      if (after <= 0) refuse("`" + one.name + "` is a number before the loop, and not after a round");
      if (one.in_parts) {
        if (after != one.shown) refuse("`" + one.name + "` is replaced as a whole in it");
        continue;
      }
      if (!touches(after, one.local) || after == one.local) continue;
      const Type type = wider(one.type, graph_.type(after));
      const double length = graph_.length(after);
      if (length != one.length && one.length != 1) refuse("`" + one.name + "` has another length after a round");
      wider_now = wider_now || type != one.type || length != one.length;
      one.type = type;
      one.length = length;
    }
    return wider_now;
  }

  // Whether a node depends on another one, by what it is defined by as well.
  bool touches(int id, int on) {
    std::map<int, bool>& known = touched_[on];
    const auto at = known.find(id);
    if (at != known.end()) return at->second;
    bool found = id == on;
    const Node node = graph_.at(id);
    const auto of_input = [&](int number) {
      if (number == graph_.at(on).first) return true;  // locals are inputs
      const int definition = graph_.input(number).definition;
      return definition != 0 && touches(definition, on);
    };
    if (!found && node.op == Op::input) found = of_input(node.first);
    if (!found && node.op == Op::product) found = of_input(node.second);
    for (std::size_t k = 0; k < node.args.size() && !found; ++k) found = touches(node.args[k], on);
    known[id] = found;
    return found;
  }

  bool touches_any(int id) {
    return std::any_of(variables_.begin(), variables_.end(),
                       [&](const AddedVariable& one) { return touches(id, one.local); });
  }

  bool take_apart(int id, int local, AddedParts& handed) {
    if (id == local) return true;
    const Node node = graph_.at(id);
    if ((node.op == Op::as_double || node.op == Op::plus || node.op == Op::bare) && node.length == graph_.length(local))
      return take_apart(node.args[0], local, handed);
    if (node.op == Op::input) {
      const int definition = graph_.input(node.first).definition;
      const bool kept = definition != 0 && graph_.at(definition).op == Op::materialize;
      return kept && take_apart(graph_.at(definition).args[0], local, handed);
    }
    const bool extreme = (node.op == Op::pmin || node.op == Op::pmax) && !node.flag;
    const bool sum = node.op == Op::add || node.op == Op::subtract;
    if (!extreme && !sum && node.op != Op::multiply) return false;
    const Op op = sum ? Op::add : node.op;
    if (handed.op != Op::constant && handed.op != op) return false;
    handed.op = op;
    const std::size_t side = touches(node.args[0], local) ? 0 : 1;
    if (side == 1 && node.op == Op::subtract) return false;
    const int part = node.args[1 - side];
    if (touches_any(part)) return false;
    handed.parts.emplace_back(part, node.op == Op::subtract);
    return take_apart(node.args[side], local, handed);
  }

  // `assertions`, `sites`: how many there were before the loop.
  void finish(int vector, std::size_t assertions, std::size_t sites) {
    ColumnWriter writer(t_, rounds_.counter, vector, what_);
    writer.ask_of_branches(sites);
    for (std::size_t k = assertions; k < graph_.assertions.size(); ++k) {  // whether sums of integers are some
      const int node = graph_.assertions[k].node;
      if (touches_any(node)) refuse("sums of integers depend on the round before");
      if (!graph_.in_round(node)) continue;
      const int all = graph_.length(node) == 1 ? writer.numbers(node) : writer.columns(node);
      graph_.assertions[k].node = all;
    }
    std::map<std::string, int> made;
    for (const AddedVariable& one : variables_)
      made[one.name] = one.in_parts ? parts_of(one, writer) : total_of(one, writer);
    for (const std::string& name : names_)
      if (made.count(name) == 0) made[name] = others_last(value_after(name), writer);
    for (const auto& one : made) {
      if (one.second != 0)
        assign(t_, one.first, one.second, scope_);
      else
        assign_nowhere(t_, one.first, "is not handed on by " + what_, scope_);
    }
    assign(t_, variable_, slice_of(graph_, vector, writer.count(), 1), scope_);
  }

  // What the rounds have made of a variable.
  int total_of(const AddedVariable& one, ColumnWriter& writer) {
    const int after = value_after(one.name);
    if (after == one.local) return one.before;
    if (!touches_any(after)) return graph_.in_round(after) ? writer.last(after) : after;
    AddedParts handed;
    if (!touches(after, one.local) || !take_apart(after, one.local, handed) || handed.parts.empty())
      refuse("`" + one.name + "` is computed from its value in the round before, other than by + - * pmin pmax");
    if (graph_.type(after) != Type::real) refuse("`" + one.name + "` is a whole number");
    int part = 0;
    for (auto at = handed.parts.rbegin(); at != handed.parts.rend(); ++at) {  // the first ones come last
      const int value = as_double(graph_, at->first);
      if (part == 0)
        part = at->second ? sign_node(graph_, Op::negative, value) : value;
      else if (handed.op == Op::add || handed.op == Op::multiply)
        part = arithmetic_node(graph_, at->second ? Op::subtract : handed.op, part, value);
      else
        part = plain_node(graph_, handed.op, Type::real, {part, value});
    }
    const int before = as_double(graph_, one.before);
    // A number is multiplied with the product of vectors last: that product may leave the range where R's does not.
    const bool is_one = graph_.at(before).op == Op::constant && as_real(graph_.at(before).constant) == 1;
    if (handed.op == Op::multiply && graph_.length(before) == 1 && graph_.length(part) > 1 && !is_one &&
        writer.count() <= kMostRounds)
      refuse("`" + one.name + "` begins with a number and becomes a product of vectors");
    int reduced = reduced_part(handed.op, part, writer);
    if (handed.op != Op::add) reduced = in_memory(graph_, reduced);  // its gradient asks which it is
    int value = handed.op == Op::add || handed.op == Op::multiply
                    ? arithmetic_node(graph_, handed.op, before, reduced)
                    : plain_node(graph_, handed.op, Type::real, {before, reduced});
    const Sides sides = sides_of(graph_, after), own = sides_of(graph_, value);
    const int names = names_source(graph_, after);
    if (sides.matrix) return own.matrix ? value : with_sides(graph_, value, sides.rows, sides.columns, names, names);
    return named_after_loop(graph_, value, after, {{one.local, one.before}});
  }

  // Of what a round adds: the sum over all of them.
  int reduced_part(Op op, int part, ColumnWriter& writer) {
    if (!graph_.in_round(part)) {
      if (op == Op::multiply) refuse("all its rounds multiply with the same");
      return op == Op::add ? arithmetic_node(graph_, Op::multiply, part, constant_node(graph_, writer.count())) : part;
    }
    const char* const name = op == Op::add ? "sum" : op == Op::multiply ? "prod" : op == Op::pmin ? "min" : "max";
    const double length = graph_.length(part);
    if (length == 1) return reduce_node(graph_, name, false, as_double(graph_, writer.numbers(part)));
    return row_reduction(graph_, name, writer.columns(part), length);
  }

  // A vector or matrix whose elements or columns the rounds have assigned, one after the other.
  int parts_of(const AddedVariable& one, ColumnWriter& writer) {
    const auto found = rounds_.assigned.find(one.name);
    if (found == rounds_.assigned.end()) return one.before;
    const Sides sides = sides_of(graph_, one.before);
    const double rows = sides.matrix ? sides.rows : 1;
    if (!rounds_.counts_up || writer.count() * rows != one.length)
      refuse("`" + one.name + "` is assigned in part: the loop has to go over all of its " +
             (sides.matrix ? "columns" : "elements"));
    const int value = found->second;
    if (touches_any(value)) refuse("`" + one.name + "` is assigned a value of the round before");
    int all;
    if (!graph_.in_round(value))
      all = in_memory(graph_, repeated(value, rows, writer.count()));
    else if (graph_.length(value) == 1 && rows > 1)
      all = in_memory(graph_, each_of(graph_, writer.numbers(value), rows));
    else
      all = rows == 1 ? writer.numbers(value) : in_memory(graph_, writer.columns(value));
    if (!sides.matrix) return named_as_before(graph_, all, one.before);
    return with_sides(graph_, all, sides.rows, sides.columns);
  }

  // The same in each round.
  int repeated(int value, double rows, double count) {
    if (graph_.length(value) == 1) return filled_node(graph_, value, rows * count);
    const int zeros = filled_node(graph_, constant_node(graph_, 0.0), rows * count);
    return arithmetic_node(graph_, Op::add, zeros, as_double(graph_, in_memory(graph_, value)));
  }

  // What the last round has left of what each makes for itself; 0: nothing that can be used.
  int others_last(int after, ColumnWriter& writer) {
    if (after == 0) return 0;
    if (after < 0 || !graph_.in_round(after)) return after;
    if (touches_any(after)) return 0;
    try {
      return writer.last(after);
    } catch (const NmathError&) {
      return 0;
    }
  }

  Translator& t_;
  Graph& graph_;
  const Syntax& call_;
  Scope& scope_;
  const std::string variable_;
  std::string what_;
  std::vector<std::string> names_;
  std::set<std::string> in_parts_;
  std::vector<AddedVariable> variables_;
  std::map<int, std::map<int, bool>> touched_;
  Rounds rounds_;
};

}  // namespace

bool try_added(Translator& t, const Syntax& call, Scope& scope) {
  if (t.rounds != nullptr) return false;
  const Undone before(t, scope);
  try {
    AddedLoop(t, call, scope).run();
    return true;
  } catch (const NmathError&) {
    before.restore();
    return false;
  }
}

// v[k] <- value and M[, k] <- values, in a loop that adds up.
bool assign_in_added(Translator& t, const Syntax& call, int vector, const Syntax& index, int value) {
  if (t.rounds == nullptr || !t.rounds->as_columns || t.rounds->inner > 0) return false;
  Rounds& rounds = *t.rounds;
  const std::string& name = call.args[0]->args[0]->name;
  const auto known = rounds.in_parts.find(name);
  if (known == rounds.in_parts.end() || known->second != vector) return false;
  const auto refuse = [&](const char* why) { throw NmathError(quoted_text(call) + ": " + why); };
  const bool of_round =
      index.kind == Syntax::Kind::symbol && index.name == t.graph.input(t.graph.at(rounds.counter).first).name;
  if (!of_round || rounds.path != 0) refuse("the element is that of the round");
  const Sides sides = sides_of(t.graph, known->second);
  const double rows = sides.matrix ? sides.rows : 1;
  if (t.graph.length(value) != 1 && t.graph.length(value) != rows) refuse("the assigned value has another length");
  rounds.assigned[name] = widened(t.graph, bare_node(t.graph, value), wider(t.graph.type(vector), t.graph.type(value)));
  return true;
}

// X[, k] of the round; 0: it is none.
int column_of_round(Translator& t, int x, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  if (t.rounds == nullptr || !t.rounds->as_columns || call.args.size() != 3 ||
      call.args[1]->kind != Syntax::Kind::empty || call.args[2]->kind == Syntax::Kind::empty)
    return 0;
  const int column = translate_value(t, *call.args[2], scope);
  if (!graph.in_round(column)) return 0;
  const Sides sides = sides_of(graph, x);
  if (graph.length(column) != 1 || column != t.rounds->counter || !t.rounds->counts_up ||
      t.rounds->count > sides.columns)
    throw NmathError(quoted_text(call) + ": the column is that of the round, from 1 on");
  const int before = arithmetic_node(graph, Op::subtract, as_double(graph, column), constant_node(graph, 1.0));
  const int place =
      arithmetic_node(graph, Op::add, arithmetic_node(graph, Op::multiply, before, constant_node(graph, sides.rows)),
                      arithmetic_node(graph, Op::add, counted_from_zero(graph, sides.rows), constant_node(graph, 1.0)));
  Node node{Op::gather, graph.type(x), sides.rows, {in_memory(graph, bare_node(graph, x)), place}};
  node.names = kColumnOfRound;
  graph.exact = true;
  return graph.add(std::move(node));
}

}  // namespace openclPort::expression
