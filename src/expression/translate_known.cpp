// translate_known -- what is known when a call is translated: texts, NULL, types; and functions that change no number.
#include <algorithm>

#include "base/nmath_error.h"
#include "base/text.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

int truth(Translator& t, bool value) { return constant_node(t.graph, whole_constant(Type::logical, value)); }

// Any value; what has none is NULL.

// The same of what is asked about: R computes it, whatever is asked.
int translate_asked(Translator& t, const Syntax& expr, Scope& scope) {
  const int id = translate_any(t, expr, scope);
  note_statement(t.graph, id);
  return id;
}

bool is_texts(const Translator& t, int id) { return id < 0 && thing_of(t, id).kind == Thing::Kind::texts; }

const std::vector<std::string>& texts_of(const Translator& t, int id) { return thing_of(t, id).texts; }

// Whether R's type of a value may be another than that of its node: ifelse() has the wider type of its branches here.
bool has_choices(const Graph& graph, int id) {
  const std::vector<int> under = nodes_under(graph, {id});
  return std::any_of(under.begin(), under.end(), [&](int one) { return graph.at(one).op == Op::select; });
}

// is.numeric() and its like.
bool is_of_type(Translator& t, const Syntax& call, int id) {
  const std::string& name = call.called.name;
  if (name == "is.null") return is_null_value(t, id);
  if (name == "is.character") return is_texts(t, id);
  if (name == "is.function") return id < 0 && thing_of(t, id).kind == Thing::Kind::function;
  if (id < 0) return false;
  if (has_choices(t.graph, id))
    throw LimitError(quoted_text(call) +
                     " asks for the type of a value of ifelse(), which R knows only when it is computed");
  const Type type = t.graph.type(id);
  if (name == "is.numeric") return type != Type::logical;
  if (name == "is.double") return type == Type::real;
  if (name == "is.integer") return type == Type::integer;
  return type == Type::logical;
}

// isTRUE() and isFALSE().
int translate_truth(Translator& t, const Syntax& call, Scope& scope) {
  const int id = translate_asked(t, *call.args[0], scope);
  if (id < 0 || t.graph.type(id) != Type::logical || t.graph.length(id) != 1) return truth(t, false);
  const bool wanted = call.called.name == "isTRUE";
  const Node& node = t.graph.at(id);
  if (node.op == Op::constant) return truth(t, !is_missing(node.constant) && (node.constant.whole != 0) == wanted);
  const int missing = plain_node(t.graph, Op::is_na, Type::logical, {id});
  const int known = plain_node(t.graph, Op::negation, Type::logical, {missing});
  const int way = wanted ? id : plain_node(t.graph, Op::negation, Type::logical, {id});
  return bare_node(t.graph, plain_node(t.graph, Op::both, Type::logical, {known, way}));
}

bool same_things(const Thing& a, const Thing& b) {
  return a.kind == b.kind && a.texts == b.texts && a.function == b.function && a.scope == b.scope;
}

int translate_identical(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 2);
  const int a = translate_asked(t, *call.args[0], scope), b = translate_asked(t, *call.args[1], scope);
  if (a < 0 && b < 0) return truth(t, same_things(thing_of(t, a), thing_of(t, b)));
  if (a < 0 || b < 0) return truth(t, false);
  throw LimitError(
      quoted_text(call) +
      " compares numbers: an expression knows texts and NULL by identical(). Write a == b, or all(a == b)");
}

// Comparisons of each of several texts, which are data.
[[noreturn]] void refuse_several_texts(const Syntax& call) {
  const std::string text = syntax_text(call);
  throw LimitError("`" + text +
                   "` compares several texts: an expression compares one text with another. Make it numbers before the "
                   "call, v <- as.numeric(" +
                   text + "), and use v, take elements by it, x[" + text +
                   "], or make the function with the vector in `data`");
}

int translate_in(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 2);
  const int a = translate_any(t, *call.args[0], scope), b = translate_any(t, *call.args[1], scope);
  if (is_texts(t, a) && texts_of(t, a).size() > 1) refuse_several_texts(call);
  if (!is_texts(t, a) || texts_of(t, a).size() != 1 || !(is_texts(t, b) || is_null_value(t, b)))
    throw LimitError(
        quoted_text(call) +
        ": an expression knows %in% of one text among others. Of numbers, compare with each value, x == a | "
        "x == b, or compute it before the call and give what comes of it as an argument");
  const std::vector<std::string>& all = texts_of(t, b);
  return truth(t, std::find(all.begin(), all.end(), texts_of(t, a)[0]) != all.end());
}

int translate_nzchar(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 1, 1);
  const int id = translate_any(t, *call.args[0], scope);
  if (!is_texts(t, id) || texts_of(t, id).size() != 1)
    throw NmathError(quoted_text(call) + ": nzchar() is for one text");
  return truth(t, !texts_of(t, id)[0].empty());
}

// The argument that switch() takes; nullptr: none.
const Syntax* chosen_by_text(const Syntax& call, const std::string& text) {
  const auto name_of = [&call](std::size_t k) { return k < call.names.size() ? call.names[k] : std::string(); };
  const Syntax* standard = nullptr;
  for (std::size_t k = 1; k < call.args.size(); ++k) {
    if (name_of(k).empty()) {
      if (standard != nullptr) throw NmathError(quoted_text(call) + ": switch() has several arguments without a name");
      standard = call.args[k].get();
    }
  }
  for (std::size_t k = 1; k < call.args.size(); ++k) {
    if (name_of(k).empty() || name_of(k) != text) continue;
    while (k < call.args.size() && call.args[k]->kind == Syntax::Kind::empty) ++k;  // it shares the next one's
    return k < call.args.size() ? call.args[k].get() : nullptr;
  }
  return standard;
}

}  // namespace

int translate_any(Translator& t, const Syntax& expr, Scope& scope) {
  const int id = translate_statement(t, expr, scope);
  return id == 0 ? add_thing(t, Thing{}) : id;
}

int add_thing(Translator& t, Thing thing) {
  t.things.push_back(std::move(thing));
  return -static_cast<int>(t.things.size());
}

bool is_null_value(const Translator& t, int id) {
  return id == 0 || (id < 0 && thing_of(t, id).kind == Thing::Kind::null);
}

int thing_node(Translator& t, const Syntax& expr, Scope& scope) {
  Thing thing;
  if (expr.kind == Syntax::Kind::function) {
    thing.kind = Thing::Kind::function;
    thing.function = expr.function.get();
    thing.scope = &scope;
  } else if (expr.shown.empty()) {
    thing.kind = Thing::Kind::texts;
    thing.texts = {expr.name};
  }
  return add_thing(t, std::move(thing));
}

// == and != of texts.
int compare_things(Translator& t, const Syntax& call, const std::vector<int>& ids) {
  const std::string& name = call.called.name;
  for (std::size_t k = 0; k < 2; ++k)
    if (!is_texts(t, ids[k]) || texts_of(t, ids[k]).size() != 1) {
      const Syntax& arg = *call.args[k];
      if (ids[k] < 0 && !is_texts(t, ids[k])) refuse_thing(t, ids[k], arg);
      if (is_texts(t, ids[k])) refuse_several_texts(call);
      throw LimitError(quoted_text(call) +
                       " compares a text with what is not one text: an expression compares one text with another");
    }
  const bool same = texts_of(t, ids[0]) == texts_of(t, ids[1]);
  if (name == "==") return truth(t, same);
  if (name == "!=") return truth(t, !same);
  throw LimitError(quoted_text(call) + " puts texts in an order: an expression knows == and != of them");
}

int translate_known(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (name == "missing") return translate_missing(t, call, scope);
  if (name == "identical") return translate_identical(t, call, scope);
  if (name == "%in%") return translate_in(t, call, scope);
  if (name == "nzchar") return translate_nzchar(t, call, scope);
  check_operands(call, 1, 1);
  if (name == "isTRUE" || name == "isFALSE") return translate_truth(t, call, scope);
  return truth(t, is_of_type(t, call, translate_asked(t, *call.args[0], scope)));
}

int translate_passing(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if ((name == "invisible" || name == "c") && call.args.empty()) return add_thing(t, Thing{});
  if (name == "c" && call.args.size() != 1) {
    Thing all;
    all.kind = Thing::Kind::texts;
    std::vector<int> ids;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < call.args.size(); ++k) {
      const Syntax* const arg = call.args[k].get();
      const int id = translate_any(t, *arg, scope);
      if (is_null_value(t, id) && t.rounds != nullptr)
        throw LimitError(
            quoted_text(call) +
            ": a vector that grows in a loop over data: make it before, by numeric(n), and write its elements");
      if (is_null_value(t, id)) continue;
      if (id < 0 && !is_texts(t, id)) refuse_thing(t, id, *arg);
      if (is_texts(t, id))
        all.texts.insert(all.texts.end(), texts_of(t, id).begin(), texts_of(t, id).end());
      else
        ids.push_back(id), names.push_back(k < call.names.size() ? call.names[k] : "");
    }
    if (ids.empty()) return add_thing(t, all.texts.empty() ? Thing{} : std::move(all));
    if (!all.texts.empty()) throw LimitError(quoted_text(call) + ": c() of texts and numbers is not supported");
    return concat_node(t.graph, ids, call.names.empty() ? "" : joined(names, ","));
  }
  check_operands(call, 1, 1);
  const int id = translate_any(t, *call.args[0], scope);
  if (id > 0 && name == "c" && !call.names.empty()) return concat_node(t.graph, {id}, call.names[0]);
  if (id < 0 || name == "invisible" || name == "identity") return id;
  return bare_node(t.graph, id, name);
}

int translate_switch(Translator& t, const Syntax& call, Scope& scope) {
  if (call.args.empty()) throw NmathError(quoted_text(call) + ": switch() needs a first argument, by which it chooses");
  if (!call.names.empty() && !call.names[0].empty() && call.names[0] != "EXPR")
    throw NmathError(quoted_text(call) + ": the first argument of switch() is the value by which it chooses");
  const Syntax& by = *call.args[0];
  const Syntax* chosen = nullptr;
  const int id = translate_any(t, by, scope);
  if (is_texts(t, id)) {
    if (texts_of(t, id).size() != 1) throw NmathError("EXPR must be a length 1 vector in " + quoted_text(call));
    chosen = chosen_by_text(call, texts_of(t, id)[0]);
  } else {
    if (id < 0) refuse_thing(t, id, by);
    const Decided value = decided_value(t, id, by);
    if (value.length != 1) throw NmathError("EXPR must be a length 1 vector in " + quoted_text(call));
    const double number = is_missing(value.value[0]) ? 0 : as_real(value.value[0]);
    if (number >= 1 && number < static_cast<double>(call.args.size()))
      chosen = call.args[static_cast<std::size_t>(number)].get();
    if (chosen != nullptr && chosen->kind == Syntax::Kind::empty)
      throw NmathError("empty alternative in numeric switch in " + quoted_text(call));
  }
  return chosen == nullptr ? 0 : translate_statement(t, *chosen, scope);
}

}  // namespace openclPort::expression
