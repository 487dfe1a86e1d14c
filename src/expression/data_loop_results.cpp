// data_loop_results -- the recursion that a loop over data becomes, and what names stand for after it.
#include <algorithm>

#include "expression/build.h"
#include "expression/data_loop.h"
#include "expression/loop_names.h"
#include "expression/matrices.h"

namespace openclPort::expression {

void DataLoop::add_carried(int start, Type type, int next, double element) {
  Recursion::Carried carried;
  carried.start = start;
  carried.type = type;
  made_->carried.push_back(carried);
  asked_.next.push_back(next);
  asked_.next_element.push_back(static_cast<int>(element));
}

int DataLoop::argument(int id) {
  args_.push_back(recursion_argument(graph_, id));
  return static_cast<int>(args_.size());
}

void DataLoop::add_vector(const LoopVariable& one) {
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

RoundsAsked DataLoop::asked_of_inputs() const {
  RoundsAsked asked = asked_;
  asked.what = what_;
  asked.loop = rounds_.loop;
  asked.round = input_number(round_);
  asked.counter = rounds_.counter == 0 ? 0 : input_number(rounds_.counter);
  for (const LoopVariable& one : variables_)
    for (const int local : one.locals) (one.written ? asked.vectors : asked.carried).push_back(input_number(local));
  return asked;
}

void DataLoop::finish() {
  asked_ = asked_of_inputs();
  asked_.holds = rounds_.holds;
  asked_.codes = rounds_.codes;
  for (const LoopVariable& one : variables_) {
    if (one.written) {
      add_vector(one);
      continue;
    }
    for (double k = 0; k < one.length; ++k) {
      const int bare = without_sides(one.before);
      const int before = one.length == 1 ? bare : elements_of(graph_, bare)[static_cast<std::size_t>(k)];
      add_carried(argument(as_type(graph_, before, one.type)), one.type, without_sides(value_after(one.name)), k);
    }
  }
  // What the last round has left of what each makes for itself.
  std::vector<std::pair<std::string, int>> others;  // and its node
  for (const std::string& name : assigned_) {
    const int after = value_after(name);
    const bool is_variable = std::any_of(variables_.begin(), variables_.end(),
                                         [&name](const LoopVariable& one) { return one.name == name; });
    const bool is_table =
        std::any_of(tables_.begin(), tables_.end(), [&name](const LoopTable& one) { return one.name == name; });
    if (is_table || is_variable || after <= 0 || !graph_.in_round(after)) continue;
    const double length = graph_.length(after);
    if (length < 1 || length > kMostCarried) {
      assign_nowhere(t_, name,
                     "has " + whole_text(length) + " elements when " + what_ + " has ended, which hands on up to " +
                         whole_text(kMostCarried),
                     scope_);
      continue;
    }
    others.emplace_back(name, after);
    for (double k = 0; k < length; ++k) add_carried(0, graph_.type(after), without_sides(after), k);
  }
  for (const auto& write : rounds_.written) {
    const Node place = place_node(write.first.second);
    asked_.writes.push_back({write.first.first, graph_.add(place), as_double(graph_, write.second)});
  }
  write_body(graph_, *made_, asked_, args_);
  const int recursion = recursion_node(graph_, made_, args_);
  graph_.exact = true;
  int number = 0, vector = 0;
  for (const LoopVariable& one : variables_) {
    if (one.written) {
      const int result = made_->result_of_vector(static_cast<std::size_t>(vector++));
      const int elements = recursion_result(graph_, recursion, result, Type::real, one.length);
      assign(t_, one.name, named_as_before(graph_, as_type(graph_, elements, one.type), one.before), scope_);
    } else {
      const int after = value_after(one.name);
      assign_results(one.name, recursion, number, one.length, one.before, one.later);
      if (one.length > 1 && !one.sides.matrix && !one.later.matrix) {
        std::vector<LoopLocal> locals;
        for (const LoopVariable& other : variables_)
          if (!other.written) locals.push_back({other.locals[0], other.before});
        assign(t_, one.name, named_after_loop(graph_, value_after(one.name), after, locals), scope_);
      }
    }
  }
  for (const LoopVariable& one : variables_)  // R goes round even where nothing uses them
    if (value_after(one.name) > 0) note_statement(graph_, value_after(one.name));
  for (const LoopTable& table : tables_) {
    std::vector<int> columns;
    for (std::size_t j = 0; j < table.columns; ++j) columns.push_back(value_after(variables_[table.first + j].name));
    assign(t_, table.name, matrix_of_columns(graph_, columns, table.rows), scope_);
  }
  for (const auto& other : others)
    assign_results(other.first, recursion, number, graph_.length(other.second), other.second);
  Thing unclear;
  unclear.kind = Thing::Kind::unclear;
  for (const std::string& name : unclear_) assign(t_, name, add_thing(t_, unclear), scope_);
  const double last = made_->from + made_->step * (made_->rounds - 1);
  const std::string& name = call_.args[0]->name;
  if (leaves_round(*call_.args[2], true))
    assign_nowhere(
        t_, name,
        "is the variable of " + what_ + ", which `break` may end: hand it on by a variable of its own, last <- " + name,
        scope_);
  else if (vector_ != 0)
    assign(t_, name, bare_node(graph_, slice_of(graph_, vector_, made_->rounds, 1)), scope_);
  else
    assign(t_, name, constant_node(graph_, whole_constant(Type::integer, static_cast<int>(last))), scope_);
}

Node DataLoop::place_node(double distance) {
  return {Op::add, Type::real, 1, {as_double(graph_, rounds_.counter), constant_node(graph_, distance)}};
}

void DataLoop::assign_results(const std::string& name, int recursion, int& number, double length, int like,
                              const Sides& later) {
  std::vector<int> parts;
  for (double k = 0; k < length; ++k) {
    ++number;
    const Type type = made_->carried[static_cast<std::size_t>(number) - 1].type;
    parts.push_back(recursion_result(graph_, recursion, number, type, 1));
  }
  const Sides sides = later.matrix ? later : sides_of(graph_, like);
  assign(t_, name, with_sides_of(sides, parts, later.matrix ? 0 : names_source(graph_, like)), scope_);
}

}  // namespace openclPort::expression
