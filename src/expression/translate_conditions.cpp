// translate_conditions -- stop(), stopifnot(), warning() and suppressWarnings().
#include <algorithm>
#include <set>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

std::string name_of(const Syntax& call, std::size_t k) { return k < call.names.size() ? call.names[k] : ""; }

// While nothing warns.
struct Muted {
  explicit Muted(Graph& of) : graph(of) { ++graph.muted; }
  ~Muted() { --graph.muted; }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;
  Graph& graph;
};

// The argument `name`, TRUE or FALSE; `standard` where it is not given.
bool flag_argument(Translator& t, const Syntax& call, const char* name, bool standard, Scope& scope) {
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    if (name_of(call, k) != name) continue;
    const Decided value = decide(t, *call.args[k], scope);
    return value.length == 1 && !is_missing(value.value[0]) && as_real(value.value[0]) != 0;
  }
  return standard;
}

// The text that stop() and warning() make of their arguments.
std::string said(Translator& t, const Syntax& call, Scope& scope) {
  static const std::set<std::string> others = {"call.", "domain", "immediate.", "noBreaks."};
  std::string text;
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    if (others.count(name_of(call, k)) != 0) continue;
    const int id = translate_statement(t, *call.args[k], scope);
    if (is_null_value(t, id)) continue;
    std::vector<std::string> parts;
    if (id < 0) {
      if (thing_of(t, id).kind != Thing::Kind::texts) refuse_thing(t, id, *call.args[k]);
      parts = thing_of(t, id).texts;
    } else {
      if (t.asked == nullptr || !t.asked->text)
        throw NmathError(quoted_text(call) + ": the text of stop() and warning() is made of texts");
      decided_value(t, id, *call.args[k], true);
      parts = t.asked->text(t.graph, id);
    }
    for (const std::string& part : parts) text += part;
  }
  return text;
}

int translate_stop(Translator& t, const Syntax& call, Scope& scope) {
  const std::string text = said(t, call, scope);
  if (!t.graph.guards.empty())
    throw LimitError(quoted_text(call) +
                     " stands in a branch of ifelse(), which R computes only if some element takes it: "
                     "ask before, by stopifnot() or if () stop()");
  throw Stopped{text, flag_argument(t, call, "call.", true, scope) ? scope.call : -1};
}

int translate_warning(Translator& t, const Syntax& call, Scope& scope) {
  Thing thing;
  thing.kind = Thing::Kind::texts;
  thing.texts = {said(t, call, scope)};
  warn(t, thing.texts[0], flag_argument(t, call, "call.", true, scope) ? scope.call : -1);
  return add_thing(t, std::move(thing));
}

bool is_all_of_one(const Syntax& expr) {
  return expr.kind == Syntax::Kind::call && expr.name == "all" && expr.called.kind != Called::Kind::own &&
         expr.args.size() == 1 && expr.names.empty() && expr.args[0]->kind != Syntax::Kind::text;
}

// Looked at when it is translated, and at each call.
void assert_true(Translator& t, const Syntax& expr, const std::string& message, Scope& scope) {
  Assertion made;
  made.is_message = !message.empty();
  made.text = made.is_message ? message : shown_text(expr);
  made.call = scope.call;
  made.whole = is_all_of_one(expr);
  const Syntax& of = made.whole ? *expr.args[0] : expr;
  const int id = translate_value(t, of, scope);
  refuse_in_round(t, id, expr);
  made.node = id;
  made.guards = t.graph.guards;
  const bool is_logical = t.graph.type(id) == Type::logical;
  if (made.whole && !is_logical)
    throw NmathError(quoted_text(expr) + ": all() is for conditions, and `" + shown_text(of) + "` is a number");
  std::vector<Constant> values;
  if (t.graph.at(id).op == Op::constant)
    values = {t.graph.at(id).constant};
  else if (is_logical && made.guards.empty())
    values = t.asked->value(t.graph, id);
  const bool holds = is_logical && std::all_of(values.begin(), values.end(), [](const Constant& value) {
                       return !is_missing(value) && value.whole != 0;
                     });
  if (!holds) {
    if (!made.guards.empty())
      throw NmathError("`stopifnot(" + shown_text(expr) +
                       ")` stands in a branch of ifelse(), and its condition is not TRUE");
    const bool one = made.whole || values.size() == 1 || (!is_logical && t.graph.length(id) == 1);
    throw Stopped{made.is_message ? made.text : made.text + (one ? " is not TRUE" : " are not all TRUE"), made.call};
  }
  if (t.graph.at(id).op != Op::constant) t.graph.assertions.push_back(std::move(made));
}

}  // namespace

// In a function of each element, which is translated once: it is asked of all elements. False: another statement.
bool stops_where(Translator& t, const Syntax& call, int test, Scope& scope) {
  if (!t.rounds->as_columns || call.args.size() != 2) return false;
  const Syntax* body = call.args[1].get();
  while (body->kind == Syntax::Kind::call && body->name == "{" && body->args.size() == 1) body = body->args[0].get();
  const bool stops =
      body->kind == Syntax::Kind::call && body->called.kind == Called::Kind::language && body->called.name == "stop";
  if (!stops) return false;
  const auto negated = [&t](int node) { return plain_node(t.graph, Op::negation, Type::logical, {node}); };
  test = as_type(t.graph, test, Type::logical);
  Assertion made;
  made.is_message = true;
  made.text = "missing value where TRUE/FALSE needed";
  made.call = scope.call;
  made.node = negated(plain_node(t.graph, Op::is_na, Type::logical, {test}));
  made.guards = t.graph.guards;
  t.graph.assertions.push_back(made);
  made.text = said(t, *body, scope);
  made.call = flag_argument(t, *body, "call.", true, scope) ? scope.call : -1;
  made.node = negated(test);
  t.graph.assertions.push_back(std::move(made));
  return true;
}

void warn(Translator& t, const std::string& text, int call) {
  if (t.graph.muted > 0 || t.graph.in_rule) return;
  for (const Guard& guard : t.graph.guards)
    if (std::find(t.graph.tests.begin(), t.graph.tests.end(), guard.test) == t.graph.tests.end())
      t.graph.tests.push_back(guard.test);
  t.graph.warnings.push_back({text, call, t.graph.guards});
}

bool is_condition_call(const std::string& name) {
  return name == "stop" || name == "stopifnot" || name == "warning" || name == "suppressWarnings";
}

int translate_condition_call(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (t.asked == nullptr) throw NmathError("`" + name + "()` has no place in the rule of a derivative");
  if (t.rounds != nullptr && t.rounds->path != 0)
    throw LimitError(quoted_text(call) + " in an `if` whose condition differs from round to round of " +
                     t.rounds->what + ": ask before the loop, as stopifnot(all(x > 0))");
  if (name == "stop") return translate_stop(t, call, scope);
  if (name == "warning") return translate_warning(t, call, scope);
  if (name == "suppressWarnings") {
    check_operands(call, 1, 1);
    const Muted mark(t.graph);
    return translate_statement(t, *call.args[0], scope);
  }
  for (std::size_t k = 0; k < call.args.size(); ++k) assert_true(t, *call.args[k], name_of(call, k), scope);
  return add_thing(t, Thing{});
}

}  // namespace openclPort::expression
