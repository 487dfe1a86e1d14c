// translate_statements -- a function's body as a typed graph: names, own functions, conditions.
#include "expression/translate.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/series.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

// What return() throws, to the body that it leaves.
struct Returned {
  int id;
  const Scope* scope;
};

// While a rule of a derivative is translated.
struct InRule {
  explicit InRule(Graph& of) : graph(of), outer(of.in_rule) { graph.in_rule = true; }
  ~InRule() { graph.in_rule = outer; }
  InRule(const InRule&) = delete;
  InRule& operator=(const InRule&) = delete;
  Graph& graph;
  bool outer;
};

// While a branch of ifelse() is translated.
struct InBranch {
  InBranch(Graph& of, int test, bool way) : graph(of) { graph.guards.push_back({test, way}); }
  ~InBranch() { graph.guards.pop_back(); }
  InBranch(const InBranch&) = delete;
  InBranch& operator=(const InBranch&) = delete;
  Graph& graph;
};

// While a part is translated: parts within each other take stack, and a function that calls itself has no end.
struct InPart {
  static constexpr int kMostParts = 2000;
  explicit InPart(Translator& of) : t(of) {
    if (t.level >= kMostParts)
      throw LimitError("expressions are nested more than " + std::to_string(kMostParts) +
                       " deep, or a function calls itself: give parts of it names, x <- ...");
    ++t.level;
  }
  ~InPart() { --t.level; }
  InPart(const InPart&) = delete;
  InPart& operator=(const InPart&) = delete;
  Translator& t;
};

[[noreturn]] void refuse_constant(const std::string& text) {
  throw NmathError(
      "the constant `" + text +
      "` is not a number: an expression has numbers, TRUE, FALSE and NA. Compare texts before the call, and give "
      "what comes of it as an argument");
}

int translate_call(Translator& t, const Syntax& written, Scope& scope) {
  const Syntax& call = expanded_call(t, written, scope);
  if (t.graph.in_rule) {
    const FunctionRow* const row = rule_function_row(call.name);
    if (row != nullptr) return translate_library(t, call, *row, scope);
  }
  if (const Thing* const own = function_of_scope(t, call, scope))
    return translate_function(t, *own->function, call, scope, own->scope);
  switch (call.called.kind) {
    case Called::Kind::own:
      return translate_function(t, *call.called.function, call, scope, nullptr);
    case Called::Kind::library:
      return translate_library(t, call, *function_row(call.called.name), scope);
    case Called::Kind::refused:
      throw NmathError(call.called.name);
    case Called::Kind::language:
      break;
  }
  return translate_language(t, call, scope);
}

int translate_block(Translator& t, const Syntax& call, Scope& scope) {
  if (call.args.empty()) throw NmathError("`{}` has no value");
  int value = 0;
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    const Syntax& part = *call.args[k];
    value = translate_statement(t, part, scope);
    note_statement(t.graph, value);
    const bool leaves =
        t.rounds != nullptr && t.rounds->inner == 0 && t.rounds->scope == &scope && leaves_round(part, false);
    if (leaves && k + 1 < call.args.size()) return translate_rest(t, call, k + 1, scope);
  }
  return value;
}

int translate_assignment(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 2);
  if (call.args[0]->kind != Syntax::Kind::symbol) return assign_part(t, call, scope);
  int value = translate_statement(t, *call.args[1], scope);
  if (value == 0) value = add_thing(t, Thing{});
  note_statement(t.graph, value);
  assign(t, call.args[0]->name, value, scope);
  return value;
}

[[noreturn]] void refuse_condition(const Syntax& test, double length) {
  throw NmathError("the condition of `if` has length " + whole_text(length) + " in `if (" + shown_text(test) +
                   ")`: use ifelse() to choose element by element");
}

int translate_if(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 3);
  const Syntax& test = *call.args[0];
  if (t.rounds != nullptr) {
    const int id = translate_value(t, test, scope);
    if (t.graph.length(id) == 1 && t.graph.in_round(id))
      return stops_where(t, call, id, scope) ? 0 : translate_choice(t, call, id, scope);
    if (t.graph.length(id) != 1) refuse_condition(test, t.graph.length(id));
  }
  const Decided condition = decide(t, test, scope);
  if (condition.length != 1) refuse_condition(test, condition.length);
  if (is_missing(condition.value[0])) {
    const std::string missing = "missing value where TRUE/FALSE needed in `if (" + shown_text(test) + ")`";
    if (t.graph.guards.empty()) throw NmathError(missing);
    throw LimitError(missing +
                     ". It stands where a condition decides, as in a branch of ifelse(): R may not come there, "
                     "but an expression computes every branch");
  }
  if (as_real(condition.value[0]) != 0) return translate_statement(t, *call.args[1], scope);
  return call.args.size() > 2 ? translate_statement(t, *call.args[2], scope) : 0;
}

int translate_branch(Translator& t, const Syntax& call, const Syntax* part, Scope& scope, int test, bool way) {
  const InBranch mark(t.graph, test, way);
  const auto before = scope.vars;
  const int made = translate_given(t, part, scope);
  forget_assigned(t, before, scope, call);
  return made;
}

int translate_ifelse(Translator& t, const Syntax& call, Scope& scope) {
  const Matched given = match_named_call({"test", "yes", "no"}, call);
  if (given.args.size() != 3) throw NmathError(quoted_text(call) + ": ifelse takes test, yes and no");
  const int test = as_type(t.graph, translate_given(t, given.find("test"), scope), Type::logical);
  const int yes = translate_branch(t, call, given.find("yes"), scope, test, true);
  const int no = translate_branch(t, call, given.find("no"), scope, test, false);
  return select_node(t.graph, test, yes, no);
}

int translate_return(Translator& t, const Syntax& call, Scope& scope) {
  if (call.args.size() != 1) throw NmathError("`return()` needs a value");
  if (!scope.is_body) throw NmathError("`return()` is for the body of a function");
  if (t.rounds != nullptr && t.rounds->scope == &scope)
    throw LimitError(quoted_text(call) + " inside " + t.rounds->what +
                     ": a loop over data can only end after its last round");
  const int id = translate_statement(t, *call.args[0], scope);
  if (t.graph.guards.size() > scope.guards)
    throw LimitError(quoted_text(call) +
                     " in a branch of ifelse() would leave the function for some elements only: write if and else, or "
                     "the value itself");
  throw Returned{id, &scope};
}

}  // namespace

void forget_assigned(Translator& t, const std::map<std::string, int>& before, Scope& scope, const Syntax& call) {
  const auto after = scope.vars;
  for (const auto& one : after) {
    const auto known = before.find(one.first);
    if (known == before.end() || known->second != one.second)
      assign_nowhere(t, one.first,
                     "is assigned in a part of " + quoted_text(call) +
                         " that R may not come to: assign it before, or by if and else",
                     scope);
  }
}

// R computes statements even where nothing uses them.
void note_statement(Graph& graph, int id) {
  if (graph.in_rule || id <= 0) return;
  if (std::find(graph.statements.begin(), graph.statements.end(), id) == graph.statements.end())
    graph.statements.push_back(id);
}

// Operators may be called by their names, with any number of arguments.
void check_operands(const Syntax& call, std::size_t least, std::size_t most) {
  const std::size_t count = call.args.size();
  if (count >= least && count <= most) return;
  const std::string takes =
      least == most ? std::to_string(least) : std::to_string(least) + " or " + std::to_string(most);
  throw NmathError(quoted_text(call) + ": " + call.called.name + " takes " + takes +
                   (least == 1 && most == 1 ? " argument" : " arguments"));
}

int translate_body(Translator& t, const Syntax& body, Scope& scope) {
  scope.is_body = true;
  scope.guards = t.graph.guards.size();
  try {
    return translate_statement(t, body, scope);
  } catch (const Returned& returned) {
    if (returned.scope != &scope) throw;
    return returned.id;
  }
}

int translate_structure(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (name == "{") return translate_block(t, call, scope);
  if (name == "<-" || name == "=") return translate_assignment(t, call, scope);
  if (name == "if") return translate_if(t, call, scope);
  if (name == "ifelse") return translate_ifelse(t, call, scope);
  if (name == "return") return translate_return(t, call, scope);
  if (name == "switch") return translate_switch(t, call, scope);
  if (is_loop_call(name)) return translate_loop(t, call, scope);
  if (is_condition_call(name)) return translate_condition_call(t, call, scope);
  return translate_given(t, call.args.empty() ? nullptr : call.args[0].get(), scope);
}

int translate_value(Translator& t, const Syntax& expr, Scope& scope) {
  const int id = translate_statement(t, expr, scope);
  if (id == 0) refuse_no_value(expr);
  if (id < 0) refuse_thing(t, id, expr);
  return id;
}

namespace {

// What gives the value of a block; of `if` without `else` the way that is there, where that ends in a loop.
const Syntax& last_statement(const Syntax& expr) {
  const Syntax* at = &expr;
  while (at->kind == Syntax::Kind::call && (at->name == "{" || at->name == "(") && !at->args.empty() &&
         at->args.back() != nullptr)
    at = at->args.back().get();
  if (at->kind != Syntax::Kind::call || at->name != "if" || at->args.size() < 2) return *at;
  for (std::size_t k = 1; k < at->args.size(); ++k) {
    if (at->args[k] == nullptr) continue;
    const Syntax& way = last_statement(*at->args[k]);
    if (way.name == "for" || way.name == "while" || way.name == "repeat") return way;
  }
  return *at;
}

// The name that the last assignment in an expression gives a value.
std::string last_assigned(const Syntax& expr) {
  if (expr.kind != Syntax::Kind::call) return std::string();
  if ((expr.name == "<-" || expr.name == "=") && expr.args.size() == 2) {
    const Syntax* target = expr.args[0].get();
    while (target->kind == Syntax::Kind::call && !target->args.empty() && target->args[0] != nullptr)
      target = target->args[0].get();
    return target->kind == Syntax::Kind::symbol ? target->name : std::string();
  }
  for (std::size_t k = expr.args.size(); k > 0; --k) {
    const std::string found = expr.args[k - 1] == nullptr ? std::string() : last_assigned(*expr.args[k - 1]);
    if (!found.empty()) return found;
  }
  return std::string();
}

}  // namespace

int translate_statement(Translator& t, const Syntax& expr, Scope& scope) {
  const InPart mark(t);
  return is_spine_call(expr) && !t.shadowed ? translate_spine(t, expr, scope) : translate_other_call(t, expr, scope);
}

int translate_other_call(Translator& t, const Syntax& expr, Scope& scope) {
  switch (expr.kind) {
    case Syntax::Kind::call:
      return translate_call(t, expr, scope);
    case Syntax::Kind::symbol:
      return translate_name(t, expr.name, scope);
    case Syntax::Kind::constant:
      return constant_node(t.graph, expr.constant);
    case Syntax::Kind::empty:
      throw NmathError("an argument is empty");
    case Syntax::Kind::text:
    case Syntax::Kind::function:
      break;
  }
  return thing_node(t, expr, scope);
}

int translate_given(Translator& t, const Syntax* expr, Scope& scope) {
  if (expr == nullptr) refuse_constant("NULL");
  return translate_value(t, *expr, scope);
}

void refuse_thing(const Translator& t, int id, const Syntax& expr) {
  const Thing& thing = thing_of(t, id);
  if (expr.kind == Syntax::Kind::text) refuse_constant(shown_text(expr));
  const char* const what = thing.kind == Thing::Kind::null    ? "NULL"
                           : thing.kind == Thing::Kind::texts ? "a text"
                                                              : "a function";
  std::string cure;
  if (thing.kind == Thing::Kind::texts && expr.kind == Syntax::Kind::symbol)
    cure = ". Give groups as factor(" + expr.name +
           "), and before a loop numbers of what is compared with a text, ifelse(" + expr.name +
           " == \"a\", 1, 0) of texts in `data`";
  throw NmathError(quoted_text(expr) + " is " + what +
                   " where a number is needed: texts, NULL and functions of the body may be compared, chosen by and "
                   "given to functions of your own, but not computed with" +
                   cure);
}

void refuse_no_value(const Syntax& expr) {
  const Syntax& last = last_statement(expr);
  const std::string& name = last.called.name;
  if (name == "switch")
    throw NmathError(quoted_text(last) + " has no value: none of its alternatives is chosen, of which R makes NULL");
  if (name != "for" && name != "while" && name != "repeat")
    throw NmathError(quoted_text(last) + " has no value: its condition is FALSE and there is no `else`");
  const std::string found = last_assigned(last);
  throw NmathError(quoted_text(last) +
                   " stands last, and the value of a loop is NULL in R: write the value behind it, " +
                   (found.empty() ? "as `s`" : '`' + found + '`') + " in a line of its own");
}

void refuse_limit(const Syntax& call, const std::string& why) { throw LimitError(quoted_text(call) + ": " + why); }

Decided decide(Translator& t, const Syntax& expr, Scope& scope, bool whole) {
  return decided_value(t, translate_value(t, expr, scope), expr, whole);
}

Decided decided_value(Translator& t, int id, const Syntax& expr, bool whole) {
  const Node& node = t.graph.at(id);
  if (node.op == Op::constant) return {{node.constant}, 1};
  if (const std::optional<double> number = fake_number(t.graph, id)) return {{real_constant(*number)}, 1};
  refuse_in_round(t, id, expr);
  if (differs_by_series(t.graph, id))
    throw LimitError(quoted_text(expr) +
                     " differs from series to series of `by`, and has to be known when the call is: of lengths, "
                     "length(y) and length(y) - 1 do. Choose by ifelse(), or in the loop by if ()");
  if (node.length != 1 && !whole) return {{}, node.length};
  if (t.asked == nullptr) throw NmathError(quoted_text(expr) + " is not known when a derivative is made");
  std::vector<Constant> value = t.asked->value(t.graph, id);
  t.graph.decisions.push_back({id, value});
  const double length = static_cast<double>(value.size());
  return {std::move(value), length};
}

std::vector<int> translate_operands(Translator& t, const Syntax& call, Scope& scope, std::size_t least,
                                    std::size_t most) {
  check_operands(call, least, most);
  std::vector<int> ids;
  for (const SyntaxPtr& arg : call.args) ids.push_back(translate_given(t, arg.get(), scope));
  return ids;
}

int translate(const Function& function, Graph& graph, const Asked& asked) {
  Translator t{graph, &asked, {}, 0};
  const int id = translate_body(t, *function.body, outermost_scope(t, function));
  if (id == 0) refuse_no_value(*function.body);
  if (id < 0) refuse_thing(t, id, *function.body);
  ask_of_unused_codes(graph, id);
  return id;
}

int translate_rule(const Syntax& rule, Graph& graph, const std::vector<std::string>& names,
                   const std::vector<int>& args, int own) {
  Translator t{graph, nullptr, {}, 0};
  Scope scope;
  // R's list has the first of equal names found.
  for (std::size_t k = 0; k < names.size() && k < args.size(); ++k) scope.vars.emplace(names[k], args[k]);
  scope.vars[".value"] = own;
  const InRule mark(graph);
  return translate_value(t, rule, scope);
}

}  // namespace openclPort::expression
