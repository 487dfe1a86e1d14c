// translate_helpers -- functions that the body calls or makes, with arguments that are evaluated when they are used.
#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr int kMostRecursions = 50;

Scope& new_scope(Translator& t) {
  t.scopes.emplace_back();
  return t.scopes.back();
}

// While a promise is evaluated: one that asks for itself has no value.
struct Forcing {
  explicit Forcing(Promise& of) : promise(of) { promise.forcing = true; }
  ~Forcing() { promise.forcing = false; }
  Forcing(const Forcing&) = delete;
  Forcing& operator=(const Forcing&) = delete;
  Promise& promise;
};

// While a function's body is translated.
struct Active {
  Active(Translator& of, const Function& function, const Syntax& call) : count(of.active[&function]) {
    if (count >= kMostRecursions)
      throw LimitError(quoted_text(call) + ": `" + call.name + "()` calls itself more than " +
                       std::to_string(kMostRecursions) +
                       " deep. An expression has no recursion without end: what is repeated a fixed number of times is "
                       "written so many times");
    ++count;
  }
  ~Active() { --count; }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;
  int& count;
};

// Whether whatever is evaluated now was evaluated with the promise.
bool is_covered(const std::vector<Guard>& first, const std::vector<Guard>& now) {
  return first.size() <= now.size() && std::equal(first.begin(), first.end(), now.begin());
}

// What the variables in it stand for; 0: no local variables.
void note_what_stands(const Syntax& expr, const Scope& scope, std::vector<int>& stands) {
  if (expr.kind == Syntax::Kind::symbol) {
    int value = 0;
    for (const Scope* at = &scope; at != nullptr && value == 0; at = at->parent) {
      const auto found = at->vars.find(expr.name);
      if (found != at->vars.end()) value = found->second;
    }
    stands.push_back(value);
  }
  for (const SyntaxPtr& arg : expr.args)
    if (arg != nullptr) note_what_stands(*arg, scope, stands);
}

// R evaluates an argument once. What was evaluated in a branch of ifelse(), and is used outside of it, is translated
// again, for the warnings.
int force(Translator& t, const std::string& name, Promise& promise, bool outside_loop = false) {
  if (promise.expr == nullptr) throw NmathError("argument \"" + name + "\" is missing, with no default");
  if (promise.forced && (promise.draws || is_covered(promise.guards, t.graph.guards))) return promise.value;
  if (promise.forcing)
    throw NmathError("the argument \"" + name +
                     "\" needs its own value: its default, or what is given, refers to itself");
  const Forcing mark(promise);
  const int draws = t.graph.draws;
  std::vector<int> stands;
  note_what_stands(*promise.expr, *promise.scope, stands);
  if (promise.forced && stands != promise.stands)
    throw LimitError("the argument \"" + name +
                     "\" is used first where a condition holds, and what it is made of is assigned before it is used "
                     "again: use it before, as " +
                     name + " <- " + name);
  promise.stands = stands;
  int value = translate_statement(t, *promise.expr, *promise.scope);
  if (value == 0) value = add_thing(t, Thing{});
  if (outside_loop && value > 0 && t.graph.in_round(value))
    throw LimitError("the argument \"" + name + "\" is used first inside " + t.rounds->what +
                     ", which changes what its default is made of: use it before the loop, as " + name + " <- " + name);
  if (!promise.forced || t.graph.guards.size() < promise.guards.size()) promise.guards = t.graph.guards;
  promise.forced = true;
  promise.draws = t.graph.draws != draws;
  promise.value = value;
  return value;
}

const KnownInput* known_input(const Translator& t, int input) {
  if (t.asked == nullptr) return nullptr;
  for (const KnownInput& known : t.asked->known)
    if (known.input == input) return &known;
  return nullptr;
}

int translate_input(Translator& t, int number) {
  if (const KnownInput* const known = known_input(t, number)) {
    Thing thing;
    thing.kind = known->kind == KnownInput::Kind::texts ? Thing::Kind::texts : Thing::Kind::null;
    thing.texts = known->texts;
    return add_thing(t, std::move(thing));
  }
  return input_as_node(t.graph, number);
}

// Whether a scope was there before the loop over data that is being translated.
bool is_outside_loop(const Translator& t, const Scope& scope) {
  if (t.rounds == nullptr) return false;
  for (const Scope* at = t.rounds->scope; at != nullptr; at = at->parent)
    if (at == &scope) return true;
  return false;
}

bool is_nowhere(const Translator& t, int value) { return value < 0 && thing_of(t, value).kind == Thing::Kind::nowhere; }

// Whether an argument is missing: it was not given, or what was given is a missing argument of the caller.
bool is_missing_name(const std::string& name, const Scope& scope, int level) {
  const auto found = scope.promises.find(name);
  if (found == scope.promises.end() || scope.vars.count(name) != 0) return false;
  const Promise& promise = found->second;
  if (!promise.given) return true;
  return level < 100 && promise.expr != nullptr && promise.expr->kind == Syntax::Kind::symbol &&
         is_missing_name(promise.expr->name, *promise.scope, level + 1);
}

}  // namespace

Scope& outer_scope(Translator& t, Scope& parent) {
  Scope& scope = new_scope(t);
  scope.parent = &parent;
  return scope;
}

Scope& outermost_scope(Translator& t, const Function& function) {
  Scope& scope = new_scope(t);
  scope.inputs = &function.inputs;
  scope.function = &function;
  for (std::size_t k = 0; k < function.formals.size(); ++k) {
    for (const auto& input : function.inputs) {
      if (input.first != function.formals[k]) continue;
      const KnownInput* const known = known_input(t, input.second);
      if (known == nullptr || known->kind != KnownInput::Kind::missing) continue;
      Promise promise;
      promise.expr = k < function.defaults.size() ? function.defaults[k].get() : nullptr;
      promise.scope = &scope;
      scope.promises[function.formals[k]] = promise;
    }
  }
  return scope;
}

void assign_nowhere(Translator& t, const std::string& name, const std::string& why, Scope& scope) {
  Thing thing;
  thing.kind = Thing::Kind::nowhere;
  thing.texts = {why};
  assign(t, name, add_thing(t, std::move(thing)), scope);
}

int value_before(Translator& t, const std::string& name, Scope& scope) {
  for (const Scope* at = &scope; at != nullptr; at = at->parent) {
    const auto local = at->vars.find(name);
    if (local != at->vars.end() && is_nowhere(t, local->second)) return 0;
    bool there = local != at->vars.end() || at->promises.count(name) != 0;
    if (at->inputs != nullptr)
      for (const auto& known : *at->inputs) there = there || known.first == name;
    if (there) return translate_name(t, name, scope);
  }
  return 0;
}

int translate_name(Translator& t, const std::string& name, Scope& scope) {
  for (Scope* at = &scope; at != nullptr; at = at->parent) {
    const auto local = at->vars.find(name);
    if (local != at->vars.end()) {
      if (local->second < 0 && thing_of(t, local->second).kind == Thing::Kind::unclear)
        throw LimitError("`" + name +
                         "` is a vector or a matrix, as the data say, when its loop has ended. Make it a matrix before "
                         "the loop, by matrix(), or a vector in each round, by drop()");
      if (is_nowhere(t, local->second)) throw NmathError("`" + name + "` " + thing_of(t, local->second).texts[0]);
      return local->second;
    }
    const auto promised = at->promises.find(name);
    if (promised != at->promises.end()) return force(t, name, promised->second, is_outside_loop(t, *at));
    if (at->inputs == nullptr) continue;
    for (const auto& known : *at->inputs)
      if (known.first == name) return translate_input(t, known.second);
  }
  throw NmathError("object '" + name + "' not found: it has no value where it is used");
}

const Syntax& expanded_call(Translator& t, const Syntax& call, const Scope& scope) {
  const auto is_dots = [](const SyntaxPtr& arg) {
    return arg != nullptr && arg->kind == Syntax::Kind::symbol && arg->name == "...";
  };
  if (std::none_of(call.args.begin(), call.args.end(), is_dots)) return call;
  const Scope* at = &scope;
  while (at != nullptr && !at->has_dots) at = at->parent;
  if (at == nullptr) throw NmathError(quoted_text(call) + ": `...` is an argument of functions that the body calls");
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::call;
  made->number = call.number;
  made->name = call.name;
  made->called = call.called;
  made->qualified = call.qualified;
  made->shown = call.shown.empty() ? syntax_text(call) : call.shown;
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    if (!is_dots(call.args[k])) {
      made->args.push_back(call.args[k]);
      made->names.push_back(k < call.names.size() ? call.names[k] : "");
      continue;
    }
    for (std::size_t one = 0; one < at->dots.size(); ++one) {
      const auto symbol = std::make_shared<Syntax>();
      symbol->kind = Syntax::Kind::symbol;
      symbol->name = ".." + std::to_string(one + 1);
      made->args.push_back(symbol);
      made->names.push_back(at->dots[one]);
    }
  }
  t.made.push_back(made);
  return *made;
}

void assign(Translator& t, const std::string& name, int value, Scope& scope) {
  if (value < 0 && thing_of(t, value).kind == Thing::Kind::function && language_row(name) != nullptr) t.shadowed = true;
  scope.promises.erase(name);
  scope.vars[name] = value;
}

// R looks for a function: values of the name that are none are passed by.
const Thing* function_of_scope(Translator& t, const Syntax& call, Scope& scope) {
  if (call.qualified) return nullptr;
  for (Scope* at = &scope; at != nullptr; at = at->parent) {
    int value = 0;
    const auto local = at->vars.find(call.name);
    if (local != at->vars.end()) {
      value = local->second;
    } else {
      const auto promised = at->promises.find(call.name);
      if (promised == at->promises.end()) continue;
      value = force(t, call.name, promised->second);
    }
    if (value < 0 && thing_of(t, value).kind == Thing::Kind::function) return &thing_of(t, value);
  }
  return nullptr;
}

bool is_hidden(Translator& t, const Syntax& call, Scope& scope) {
  return t.shadowed && call.kind == Syntax::Kind::call && function_of_scope(t, call, scope) != nullptr;
}

// `made_in`: of a function that the body has made, where; else it knows what its own environment has.
int translate_function(Translator& t, const Function& function, const Syntax& call, Scope& scope, Scope* made_in) {
  if (function.reduces)
    throw LimitError(
        quoted_text(call) +
        " reduces: an expression can call elementwise functions only. Call it first, and give its value as an "
        "argument");
  const Active mark(t, function, call);
  const Matched matched = match_named_call(function.formals, call);
  Scope& inner = new_scope(t);
  inner.inputs = made_in == nullptr ? &function.inputs : nullptr;
  inner.parent = made_in;
  inner.function = &function;
  inner.call = call.number;
  for (const auto& arg : matched.dots) {
    Promise promise;
    promise.expr = arg.second->kind == Syntax::Kind::empty ? nullptr : arg.second.get();
    promise.scope = &scope;
    promise.given = true;
    inner.dots.push_back(arg.first);
    inner.promises[".." + std::to_string(inner.dots.size())] = promise;
  }
  for (std::size_t k = 0; k < function.formals.size(); ++k) {
    const std::string& name = function.formals[k];
    if (name == "...") {
      inner.has_dots = true;
      continue;
    }
    Promise promise;
    for (const auto& arg : matched.args) {
      if (arg.first != name || arg.second->kind == Syntax::Kind::empty) continue;
      promise.expr = arg.second.get();
      promise.scope = &scope;
      promise.given = true;
    }
    if (!promise.given) {
      promise.expr = k < function.defaults.size() ? function.defaults[k].get() : nullptr;
      promise.scope = &inner;
    }
    if (language_row(name) != nullptr) t.shadowed = true;
    inner.promises[name] = promise;
  }
  return translate_body(t, *function.body, inner);
}

int translate_missing(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 1, 1);
  const Syntax& arg = *call.args[0];
  const bool is_formal = arg.kind == Syntax::Kind::symbol && scope.function != nullptr &&
                         std::find(scope.function->formals.begin(), scope.function->formals.end(), arg.name) !=
                             scope.function->formals.end();
  if (!is_formal) throw NmathError(quoted_text(call) + ": missing() is for arguments of the function that asks");
  return constant_node(t.graph, whole_constant(Type::logical, is_missing_name(arg.name, scope, 0)));
}

}  // namespace openclPort::expression
