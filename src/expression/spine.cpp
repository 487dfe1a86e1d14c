// spine -- deep expressions: arithmetic and elementary functions within each other, in a loop.
#include "expression/build.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

// How many names are in a part, which tells which of two operands is the deeper one.
int names_in(Translator& t, const Syntax& part) {
  std::vector<const Syntax*> path{&part};
  while (!path.empty()) {
    const Syntax* const top = path.back();
    if (t.sizes.count(top) != 0) {
      path.pop_back();
      continue;
    }
    const std::size_t before = path.size();
    int size = top->kind == Syntax::Kind::call || top->kind == Syntax::Kind::symbol ? 1 : 0;
    for (const SyntaxPtr& arg : top->args) {
      if (arg == nullptr) continue;
      const auto known = t.sizes.find(arg.get());
      if (known == t.sizes.end())
        path.push_back(arg.get());
      else
        size += known->second;
    }
    if (path.size() > before) continue;
    t.sizes[top] = size;
    path.pop_back();
  }
  return t.sizes.at(&part);
}

struct SpineStep {
  const Syntax* call;
  bool right;  // the spine goes on in the right operand
  int left;    // node of the left one, then
};

int finish_step(Translator& t, const SpineStep& step, int value, Scope& scope) {
  const Syntax& call = *step.call;
  const std::string& name = call.called.name;
  if (call.args.size() == 1) {
    if (call_kind(name) == CallKind::arithmetic)
      return sign_node(t.graph, name == "-" ? Op::negative : Op::plus, value);
    return elementary_node(t.graph, name, as_double(t.graph, value), call.number);
  }
  const int left = step.right ? step.left : value;
  const int right = step.right ? value : translate_value(t, *call.args[1], scope);
  check_arrays(t, call, left, right, 1);
  return arithmetic_node(t.graph, op_named(name), left, right, call.number);
}

}  // namespace

bool is_spine_call(const Syntax& expr) {
  if (expr.kind != Syntax::Kind::call || expr.called.kind != Called::Kind::language) return false;
  for (const std::string& name : expr.names)
    if (!name.empty()) return false;
  for (const SyntaxPtr& arg : expr.args)
    if (arg == nullptr || (arg->kind == Syntax::Kind::symbol && arg->name == "...")) return false;
  const std::string& name = expr.called.name;
  const CallKind kind = call_kind(name);
  const std::size_t operands = expr.args.size();
  if (kind == CallKind::arithmetic) return operands == 2 || (operands == 1 && (name == "+" || name == "-"));
  return operands == 1 && (name == "(" || kind == CallKind::elementary);
}

// Calls within calls take no deeper stack the deeper they are: on the way down left operands are translated where the
// right one is the deeper, on the way up the rest.
int translate_spine(Translator& t, const Syntax& expr, Scope& scope) {
  std::vector<SpineStep> path;
  const Syntax* part = &expr;
  while (is_spine_call(*part)) {
    if (part->called.name == "(") {
      part = part->args[0].get();
      continue;
    }
    const bool right = part->args.size() == 2 && names_in(t, *part->args[1]) > names_in(t, *part->args[0]);
    path.push_back({part, right, right ? translate_value(t, *part->args[0], scope) : 0});
    part = right ? part->args[1].get() : part->args[0].get();
  }
  int value = translate_other_call(t, *part, scope);
  if (path.empty() && value < 0) return value;
  if (value == 0) refuse_no_value(*part);
  if (value < 0) refuse_thing(t, value, *part);
  for (std::size_t k = path.size(); k-- > 0;) value = finish_step(t, path[k], value, scope);
  return value;
}

}  // namespace openclPort::expression
