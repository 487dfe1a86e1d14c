// translate_rounds -- loops over data, which are not written out: what a body does to variables becomes what one round
// hands to the next.
//
// While the body is translated, inputs of the graph that nothing gives (Input::round) stand for the loop's variable,
// for what is carried from round to round, and for vectors that the loop writes to. recursion.cpp then takes out what
// depends on them.
#include <algorithm>
#include <set>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/recursion.h"
#include "expression/row_writer.h"
#include "expression/rules.h"
#include "expression/translator.h"

namespace openclPort {
namespace expression {

namespace {

constexpr double kMostCarried = 64;  // elements of a vector

// The variables of a loop.
struct Variable {
  std::string name;
  int before = 0;  // node
  double length = 1;
  Sides sides;  // of a matrix that is handed on
  Type type = Type::real;
  std::vector<int> locals;  // nodes; of a vector that is written, the one that stands for it
  bool written = false;
};

struct Table {
  std::string name;
  double rows = 0;
  std::size_t first = 0, columns = 0;  // of the variables
  int local = 0;                       // node
};

class Loop {
 public:
  // `most`: RoundsAsked::most.
  Loop(Translator& t, const Syntax& call, Scope& scope, double most)
      : t_(t), graph_(t.graph), call_(call), scope_(scope) {
    asked_.most = most;
    const Syntax& over = *call.args[1];
    what_ = "`for (" + call.args[0]->name + " in " + shown_text(over) + ")`";
    if (t.rounds != nullptr)
      refuse(
          "a loop over data inside a loop over data is not supported: write the inner one for a fixed number of "
          "rounds, up to 64");
    find_assigned(*call.args[2], call.args[0]->name, assigned_, in_parts_);
    for (const std::string& name : assigned_)
      if (name == call.args[0]->name) refuse("its variable, `" + name + "`, is assigned in its body");
  }

  // `vector`: whose elements the loop goes over; 0: numbers.
  int run(int vector, double from, double step, double count) {
    for (const std::string& name : assigned_) add_variable(name);
    if (leaves_round(*call_.args[2], true)) {
      Variable stopped;
      stopped.name = kStopped;
      stopped.before = constant_node(graph_, whole_constant(Type::logical, 0));
      stopped.type = Type::logical;
      variables_.push_back(stopped);
    }
    made_ = std::make_shared<Recursion>();
    made_->from = from;
    made_->step = step;
    made_->rounds = count;
    const auto vars = scope_.vars;
    const auto promises = scope_.promises;
    const std::size_t recycled = graph_.recycled.size(), singles = graph_.singles.size();
    // A variable that becomes wider in a round is as wide from the start.
    for (bool again = true; again;) {
      scope_.vars = vars;
      scope_.promises = promises;
      translate_round(vector);
      again = widen();
    }
    if (graph_.recycled.size() > recycled) refuse("lengths in it do not fit each other");
    graph_.singles.resize(singles);
    finish();
    return 0;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw NmathError(what_ + ": " + why); }

  void add_variable(const std::string& name) {
    const int before = value_before(t_, name, scope_);
    if (before <= 0) return;  // what a round makes for itself
    if (add_table(name, before)) return;
    Variable made;
    made.name = name;
    made.before = before;
    made.length = graph_.length(before);
    made.type = graph_.type(before);
    const bool in_parts = in_parts_.count(name) != 0 && made.length > 1;
    if (made.length > kMostCarried || in_parts) {
      if (!in_parts)
        refuse("`" + name + "` has " + whole_text(made.length) +
               " elements, and what a round of a loop of more than 64 rounds hands to the next is a number or a vector "
               "of up to 64. Write elements, " +
               name + "[t] <- value, of a vector made by numeric(n)");
      if (made.type != Type::real && made.type != Type::integer && made.type != Type::logical) return;
      made.written = true;
      made.type = Type::real;
    }
    if (made.length == 0) refuse("`" + name + "` has no elements: make it by numeric(n) before the loop");
    if (!made.written) made.sides = sides_of(graph_, before);
    variables_.push_back(made);
  }

  int with_sides_of(const Sides& sides, const std::vector<int>& elements, int named = 0) const {  // 0: without names
    const int all = elements.size() == 1 ? elements[0] : concat_node(graph_, elements);
    return sides.matrix ? with_sides(graph_, all, sides.rows, sides.columns, named, named) : all;
  }

  int without_sides(int id) const { return sides_of(graph_, id).matrix ? bare_node(graph_, id) : id; }

  // A matrix whose elements are written, M[t, j]: each column is a vector.
  bool add_table(const std::string& name, int before) {
    const Sides sides = sides_of(graph_, before);
    if (!sides.matrix || in_parts_.count(name) == 0 || sides.rows < 2) return false;
    if (sides.columns > 16) refuse("`" + name + "` has more than 16 columns, whose elements are written");
    Table table;
    table.name = name;
    table.rows = sides.rows;
    table.first = variables_.size();
    table.columns = static_cast<std::size_t>(sides.columns);
    for (double j = 0; j < sides.columns; ++j) {
      Variable made;
      made.name = name + "[," + whole_text(j + 1) + "]";
      made.before = column_of(graph_, as_double(graph_, before), j);
      if (graph_.length(made.before) != sides.rows) made.before = filled_node(graph_, made.before, sides.rows);
      made.length = sides.rows;
      made.written = true;
      variables_.push_back(made);
    }
    tables_.push_back(table);
    return true;
  }

  void translate_round(int vector) {
    rounds_ = Rounds();
    rounds_.loop = ++graph_.loops;
    rounds_.what = what_;
    rounds_.scope = &scope_;
    const std::string& name = call_.args[0]->name;
    round_ = local_input(graph_, rounds_.loop, "", Type::integer, 1);
    rounds_.counter = vector == 0 ? local_input(graph_, rounds_.loop, name, Type::integer, 1) : round_;
    int variable = rounds_.counter;
    if (vector != 0) {
      Node element;
      element.op = Op::gather;
      element.type = graph_.type(vector);
      element.args = {in_memory(graph_, vector), round_};
      variable = graph_.add(std::move(element));
      rounds_.counter = 0;
    }
    assign(t_, name, variable, scope_);
    for (Variable& one : variables_) {
      one.locals.clear();
      if (one.written) {
        one.locals = {local_input(graph_, rounds_.loop, one.name, Type::real, one.length)};
        rounds_.vectors.push_back(one.locals[0]);
        assign(t_, one.name, one.locals[0], scope_);
        continue;
      }
      for (double k = 0; k < one.length; ++k)
        one.locals.push_back(local_input(graph_, rounds_.loop, one.name, one.type, 1));
      assign(t_, one.name, with_sides_of(one.sides, one.locals), scope_);
    }
    for (Table& table : tables_) {
      std::vector<int> columns;
      for (std::size_t j = 0; j < table.columns; ++j) columns.push_back(variables_[table.first + j].locals[0]);
      table.local = matrix_of_columns(graph_, columns, table.rows);
      assign(t_, table.name, table.local, scope_);
    }
    t_.rounds = &rounds_;
    try {
      translate_unless_stopped(t_, call_.args[2], scope_);
    } catch (...) {
      t_.rounds = nullptr;
      throw;
    }
    t_.rounds = nullptr;
    for (const Table& table : tables_)
      if (value_after(table.name) != table.local)
        refuse("`" + table.name + "` is replaced as a whole in it. Write its elements, " + table.name +
               "[t, 1] <- value");
  }

  int value_after(const std::string& name) const {
    const auto found = scope_.vars.find(name);
    return found == scope_.vars.end() ? 0 : found->second;
  }

  bool widen() {
    bool wider_now = false;
    for (Variable& one : variables_) {
      const int after = value_after(one.name);
      if (after <= 0) refuse("`" + one.name + "` is a number before the loop, and none after a round");
      if (one.written) {
        if (after != one.locals[0])
          refuse("`" + one.name + "` is replaced as a whole in it. Write its elements, " + one.name + "[t] <- value");
        continue;
      }
      if (graph_.length(after) != one.length)
        refuse(
            "`" + one.name + "` has length " + whole_text(one.length) + " before a round, and " +
            whole_text(graph_.length(after)) +
            " after it. A loop of more than 64 rounds hands numbers and vectors of one length on: take elements of the "
            "data, as x[t]");
      const Sides sides = sides_of(graph_, after);
      const bool row_or_column = !one.sides.matrix && (sides.rows == 1 || sides.columns == 1);  // stays a vector
      if (sides.matrix != one.sides.matrix ? !row_or_column : sides.matrix && sides.rows != one.sides.rows)
        refuse("`" + one.name + "` is " + shape_text(one.sides) + " before a round, and " + shape_text(sides) +
               " after it. Make it the same before the loop, by matrix(), or after each round, by drop()");
      const Type type = wider(one.type, graph_.type(after));
      wider_now = wider_now || type != one.type;
      one.type = type;
    }
    return wider_now;
  }

  static std::string shape_text(const Sides& sides) {
    return sides.matrix ? "a matrix of " + whole_text(sides.rows) + " x " + whole_text(sides.columns) : "a vector";
  }

  void add_carried(int start, Type type, int next, double element) {
    Recursion::Carried carried;
    carried.start = start;
    carried.type = type;
    made_->carried.push_back(carried);
    asked_.next.push_back(next);
    asked_.next_element.push_back(static_cast<int>(element));
  }

  int argument(int id) {
    args_.push_back(recursion_argument(graph_, id));
    return static_cast<int>(args_.size());
  }

  int input_number(int node) const { return graph_.at(node).first; }

  // numeric(n), of which some elements were assigned, is made by the kernel.
  void add_vector(const Variable& one) {
    Recursion::Vector vector;
    vector.length = one.length;
    int id = one.before;
    std::set<double> known;
    for (;;) {
      const Node node = graph_.at(id);
      if (node.op != Op::input || graph_.input(node.first).definition == 0) break;
      const Node definition = graph_.at(graph_.input(node.first).definition);
      if (definition.op == Op::patch) {
        if (known.insert(definition.first).second)
          vector.patches.emplace_back(definition.first, argument(as_double(graph_, definition.args[1])));
        id = definition.args[0];
        continue;
      }
      if (definition.op == Op::fill && graph_.at(definition.args[0]).op == Op::constant) {
        vector.start = argument(as_double(graph_, definition.args[0]));
        made_->vectors.push_back(vector);
        return;
      }
      break;
    }
    vector.patches.clear();
    vector.start = argument(in_memory(graph_, as_double(graph_, one.before)));
    made_->vectors.push_back(vector);
  }

  void finish() {
    asked_.what = what_;
    asked_.loop = rounds_.loop;
    asked_.round = input_number(round_);
    asked_.counter = rounds_.counter == 0 ? 0 : input_number(rounds_.counter);
    asked_.holds = rounds_.holds;
    for (const Variable& one : variables_) {
      if (one.written) {
        asked_.vectors.push_back(input_number(one.locals[0]));
        add_vector(one);
        continue;
      }
      for (double k = 0; k < one.length; ++k) {
        const int bare = without_sides(one.before);
        const int before = one.length == 1 ? bare : elements_of(graph_, bare)[static_cast<std::size_t>(k)];
        asked_.carried.push_back(input_number(one.locals[static_cast<std::size_t>(k)]));
        add_carried(argument(as_type(graph_, before, one.type)), one.type, without_sides(value_after(one.name)), k);
      }
    }
    // What the last round has left of what each makes for itself.
    std::vector<std::pair<std::string, int>> others;  // and its node
    for (const std::string& name : assigned_) {
      const int after = value_after(name);
      const bool is_variable =
          std::any_of(variables_.begin(), variables_.end(), [&name](const Variable& one) { return one.name == name; });
      const bool is_table =
          std::any_of(tables_.begin(), tables_.end(), [&name](const Table& one) { return one.name == name; });
      if (is_table || is_variable || after <= 0 || !graph_.in_round(after)) continue;
      const double length = graph_.length(after);
      if (length < 1 || length > kMostCarried) {
        scope_.vars.erase(name);
        continue;
      }
      others.emplace_back(name, after);
      for (double k = 0; k < length; ++k) add_carried(0, graph_.type(after), without_sides(after), k);
    }
    for (const auto& write : rounds_.written) {
      const Node place = place_node(write.first.second);
      asked_.writes.push_back({write.first.first, graph_.add(place), write.second});
    }
    write_body(graph_, *made_, asked_, args_);
    const int recursion = recursion_node(graph_, made_, args_);
    graph_.exact = true;
    int number = 0, vector = 0;
    for (const Variable& one : variables_) {
      if (one.written) {
        const int result = made_->result_of_vector(static_cast<std::size_t>(vector++));
        assign(t_, one.name, recursion_result(graph_, recursion, result, Type::real, one.length), scope_);
      } else {
        assign_results(one.name, recursion, number, one.length, one.before);
      }
    }
    for (const Table& table : tables_) {
      std::vector<int> columns;
      for (std::size_t j = 0; j < table.columns; ++j) columns.push_back(value_after(variables_[table.first + j].name));
      assign(t_, table.name, matrix_of_columns(graph_, columns, table.rows), scope_);
    }
    for (const auto& other : others)
      assign_results(other.first, recursion, number, graph_.length(other.second), other.second);
    const double last = made_->from + made_->step * (made_->rounds - 1);
    const std::string& name = call_.args[0]->name;
    if (rounds_.counter != 0 && !leaves_round(*call_.args[2], true))
      assign(t_, name, constant_node(graph_, whole_constant(Type::integer, static_cast<int>(last))), scope_);
    else
      scope_.vars.erase(name);
  }

  Node place_node(double distance) {
    Node node;
    node.op = Op::add;
    node.type = Type::real;
    node.args = {as_double(graph_, rounds_.counter), constant_node(graph_, distance)};
    return node;
  }

  void assign_results(const std::string& name, int recursion, int& number, double length, int like) {
    std::vector<int> parts;
    for (double k = 0; k < length; ++k) {
      ++number;
      const Type type = made_->carried[static_cast<std::size_t>(number) - 1].type;
      parts.push_back(recursion_result(graph_, recursion, number, type, 1));
    }
    assign(t_, name, with_sides_of(sides_of(graph_, like), parts, names_source(graph_, like)), scope_);
  }

  Translator& t_;
  Graph& graph_;
  const Syntax& call_;
  Scope& scope_;
  std::string what_;
  std::vector<std::string> assigned_;
  std::set<std::string> in_parts_;
  std::vector<Variable> variables_;
  std::vector<Table> tables_;
  std::shared_ptr<Recursion> made_;
  Rounds rounds_;
  RoundsAsked asked_;
  std::vector<int> args_;
  int round_ = 0;
};

}  // namespace

int translate_rounds(Translator& t, const Syntax& call, int vector, double from, double step, double count,
                     Scope& scope) {
  return Loop(t, call, scope, kMostCarried).run(vector, from, step, count);
}

bool try_rounds(Translator& t, const Syntax& call, int vector, double from, double step, double count, Scope& scope) {
  constexpr double most = 12;  // elements: more are data, which belong into no text
  const Undone before(t, scope);
  try {
    Loop(t, call, scope, most).run(vector, from, step, count);
    return true;
  } catch (const NmathError&) {
    before.restore();
    return false;
  }
}

}  // namespace expression
}  // namespace openclPort
