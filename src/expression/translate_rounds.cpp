// translate_rounds -- loops over data, which are not written out: what a body does to variables becomes what one round
// hands to the next.
//
// While the body is translated, inputs of the graph that nothing gives (Input::round) stand for the loop's variable,
// for what is carried from round to round, and for vectors that the loop writes to. recursion.cpp then takes out what
// depends on them.
#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/data_loop.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/recursion.h"
#include "expression/row_writer.h"
#include "expression/translator.h"

namespace openclPort::expression {

DataLoop::DataLoop(Translator& t, const Syntax& call, Scope& scope, double most)
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

int DataLoop::run(int vector, double from, double step, double count) {
  vector_ = vector;
  for (const std::string& name : assigned_) add_variable(name);
  if (leaves_round(*call_.args[2], true)) {
    LoopVariable stopped;
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
  const std::vector<Site> sites = graph_.sites;
  // A variable that becomes wider in a round is as wide from the start.
  for (bool again = true; again;) {
    scope_.vars = vars;
    scope_.promises = promises;
    graph_.sites = sites;
    translate_round(vector);
    again = widen();
  }
  const bool changes =
      std::any_of(variables_.begin(), variables_.end(), [](const LoopVariable& one) { return one.later.matrix; });
  if (changes || rounds_.mixes) compare_later_rounds(vars, promises);
  if (graph_.recycled.size() > recycled) refuse("lengths in it do not fit each other");
  graph_.singles.resize(singles);
  finish();
  return 0;
}

void DataLoop::add_variable(const std::string& name) {
  const int before = value_before(t_, name, scope_);
  if (before < 0) things_.push_back(name);
  if (before <= 0) return;  // what a round makes for itself
  if (add_table(name, before)) return;
  LoopVariable made;
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
  }
  if (made.length == 0) refuse("`" + name + "` has no elements: make it by numeric(n) before the loop");
  if (!made.written) made.sides = sides_of(graph_, before);
  variables_.push_back(made);
}

int DataLoop::with_sides_of(const Sides& sides, const std::vector<int>& elements, int named) const {
  const int all = elements.size() == 1 ? elements[0] : concat_node(graph_, elements);
  return sides.matrix ? with_sides(graph_, all, sides.rows, sides.columns, named, named) : all;
}

bool DataLoop::add_table(const std::string& name, int before) {
  const Sides sides = sides_of(graph_, before);
  if (!sides.matrix || in_parts_.count(name) == 0 || sides.rows < 2) return false;
  if (sides.columns > 16) refuse("`" + name + "` has more than 16 columns, whose elements are written");
  LoopTable table;
  table.name = name;
  table.rows = sides.rows;
  table.first = variables_.size();
  table.columns = static_cast<std::size_t>(sides.columns);
  for (double j = 0; j < sides.columns; ++j) {
    LoopVariable made;
    made.name = name + "[," + whole_text(j + 1) + "]";
    made.before = column_of(graph_, as_double(graph_, before), j);
    made.type = graph_.type(before);
    if (graph_.length(made.before) != sides.rows) made.before = filled_node(graph_, made.before, sides.rows);
    made.length = sides.rows;
    made.written = true;
    variables_.push_back(made);
  }
  tables_.push_back(table);
  return true;
}

void DataLoop::translate_round(int vector) {
  rounds_ = Rounds();
  rounds_.loop = ++graph_.loops;
  rounds_.what = what_;
  if (vector != 0)
    rounds_.over_vector =
        ". What this loop goes over is a vector, of which R alone knows the numbers: write them as 2:n, n:1, "
        "seq(2, n), seq_along(y), seq_len(n)[-1] or rev(seq_len(n)) in for () itself";
  rounds_.scope = &scope_;
  const std::string& name = call_.args[0]->name;
  round_ = local_input(graph_, rounds_.loop, "", Type::integer, 1);
  rounds_.counter = vector == 0 ? local_input(graph_, rounds_.loop, name, Type::integer, 1) : round_;
  variable_ = rounds_.counter;
  if (vector != 0) {
    variable_ = graph_.add({Op::gather, graph_.type(vector), 1, {in_memory(graph_, vector), round_}});
    rounds_.counter = 0;
  }
  for (LoopVariable& one : variables_) {
    one.locals.clear();
    if (one.written) {
      one.locals = {local_input(graph_, rounds_.loop, one.name, Type::real, one.length)};
      rounds_.vectors.push_back(one.locals[0]);
      rounds_.types.push_back(one.type);
      continue;
    }
    for (double k = 0; k < one.length; ++k)
      one.locals.push_back(local_input(graph_, rounds_.loop, one.name, one.type, 1));
  }
  rounds_.types_after = rounds_.types;
  for (LoopTable& table : tables_) {
    std::vector<int> columns;
    for (std::size_t j = 0; j < table.columns; ++j) columns.push_back(variables_[table.first + j].locals[0]);
    table.local = matrix_of_columns(graph_, columns, table.rows);
  }
  std::vector<Sides> sides;
  for (const LoopVariable& one : variables_) sides.push_back(one.sides);
  translate_body(sides);
  for (const LoopTable& table : tables_)
    if (value_after(table.name) != table.local)
      refuse("`" + table.name + "` is replaced as a whole in it. Write its elements, " + table.name +
             "[t, 1] <- value");
}

void DataLoop::translate_body(const std::vector<Sides>& sides) {
  assign(t_, call_.args[0]->name, variable_, scope_);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const LoopVariable& one = variables_[k];
    const int local = one.written ? one.locals[0] : with_sides_of(sides[k], one.locals);
    assign(t_, one.name, one.written || one.length == 1 ? local : named_of_loop(graph_, local, one.before), scope_);
  }
  for (const LoopTable& table : tables_) assign(t_, table.name, table.local, scope_);
  for (const std::string& name : things_)  // what a round before has made of it
    assign_nowhere(
        t_, name,
        "is not a number before " + what_ +
            ", but NULL, a text or a function, and is assigned in it: a loop over data hands on numbers from "
            "round to round. Give it a number before the loop",
        scope_);
  t_.rounds = &rounds_;
  try {
    translate_unless_stopped(t_, call_.args[2], scope_);
  } catch (...) {
    t_.rounds = nullptr;
    throw;
  }
  t_.rounds = nullptr;
}

Sides DataLoop::sides_of_name(const std::string& name) const {
  const int after = value_after(name);
  return after > 0 ? sides_of(graph_, after) : Sides();
}

RoundLeft DataLoop::left_by_round() {
  RoundLeft left;
  for (const LoopVariable& one : variables_) left.sides.push_back(sides_of_name(one.name));
  for (const std::string& name : assigned_) {
    const int after = value_after(name);
    if (after <= 0 || !graph_.in_round(after) || graph_.length(after) > kMostCarried) continue;
    for (double k = 0; k < graph_.length(after); ++k) left.numbers.emplace_back(without_sides(after), k);
  }
  for (const auto& write : rounds_.written) left.numbers.emplace_back(write.second, 0);
  for (const int id : rounds_.holds) left.numbers.emplace_back(id, 0);
  return left;
}

void DataLoop::compare_later_rounds(const std::map<std::string, int>& vars,
                                    const std::map<std::string, Promise>& promises) {
  const RoundLeft first = left_by_round();
  const Rounds of_first = rounds_;
  const Undone before(t_, scope_);
  const RoundsAsked asked = asked_of_inputs();
  std::map<std::string, Sides> sides_in_first;
  for (const std::string& name : assigned_) sides_in_first[name] = sides_of_name(name);
  LaterRounds of;
  of.what = what_;
  for (const LoopVariable& one : variables_) {
    of.names.push_back(one.name);
    of.before.push_back(one.sides);
  }
  of.translate = [&](const Reading& reading) {
    scope_.vars = vars;
    scope_.promises = promises;
    rounds_ = of_first;
    rounds_.written.clear();
    rounds_.holds.clear();
    rounds_.codes.clear();
    rounds_.mixed_as_matrix = reading.mixed_as_matrix;
    translate_body(reading.sides);
    for (const std::string& name : assigned_) {
      if (!same_sides(sides_of_name(name), sides_in_first[name])) unclear_.insert(name);
    }
    return left_by_round();
  };
  of.same = [&](const RoundLeft& a, const RoundLeft& b) { return same_in_body(graph_, asked, a.numbers, b.numbers); };
  const std::vector<Sides> later = check_later_rounds(of, first);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if (variables_[k].sides.matrix || !later[k].matrix) continue;
    if (first.sides[k].matrix) unclear_.erase(variables_[k].name);  // each round has made it one
    variables_[k].later = later[k];
  }
  before.restore();
  rounds_ = of_first;
}

int DataLoop::value_after(const std::string& name) const {
  const auto found = scope_.vars.find(name);
  return found == scope_.vars.end() ? 0 : found->second;
}

// The elements of a vector are of one type, and so are those of a matrix.
bool DataLoop::widen_written() {
  std::size_t vector = 0;
  std::vector<Type> types;
  for (const LoopVariable& one : variables_) types.push_back(one.written ? rounds_.types_after[vector++] : one.type);
  for (const LoopTable& table : tables_) {
    const auto from = types.begin() + static_cast<std::ptrdiff_t>(table.first),
               until = from + static_cast<std::ptrdiff_t>(table.columns);
    Type widest = *from;
    for (auto at = from; at != until; ++at) widest = wider(widest, *at);
    std::fill(from, until, widest);
  }
  bool wider_now = false;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if (!variables_[k].written || variables_[k].type == types[k]) continue;
    variables_[k].type = types[k];
    wider_now = true;
  }
  return wider_now;
}

bool DataLoop::widen() {
  bool wider_now = widen_written();
  for (LoopVariable& one : variables_) {
    const int after = value_after(one.name);
    if (after <= 0) refuse("`" + one.name + "` is a number before the loop, and not after a round");
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
    const bool row_or_column = !one.sides.matrix && (sides.rows == 1 || sides.columns == 1);
    if (sides.matrix != one.sides.matrix ? !row_or_column : sides.matrix && sides.rows != one.sides.rows)
      refuse("`" + one.name + "` is " + shape_text(one.sides) + " before a round, and " + shape_text(sides) +
             " after it. Make it the same before the loop, by matrix(), or after each round, by drop()");
    one.later = sides.matrix != one.sides.matrix ? sides : Sides();
    const Type type = wider(one.type, graph_.type(after));
    wider_now = wider_now || type != one.type;
    one.type = type;
  }
  return wider_now;
}

std::string DataLoop::shape_text(const Sides& sides) {
  return sides.matrix ? "a matrix of " + whole_text(sides.rows) + " x " + whole_text(sides.columns) : "a vector";
}

int translate_rounds(Translator& t, const Syntax& call, int vector, double from, double step, double count,
                     Scope& scope) {
  return DataLoop(t, call, scope, kMostCarried).run(vector, from, step, count);
}

bool try_rounds(Translator& t, const Syntax& call, int vector, double from, double step, double count, Scope& scope) {
  constexpr double most = 12;  // elements: more are data, which belong into no text
  const Undone before(t, scope);
  try {
    DataLoop(t, call, scope, most).run(vector, from, step, count);
    return true;
  } catch (const NmathError&) {
    before.restore();
    return false;
  }
}

}  // namespace openclPort::expression
