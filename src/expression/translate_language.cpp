// translate_language -- R's own arithmetic and mathematics in a graph.
#include <algorithm>
#include <climits>
#include <cstdio>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/series.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

Node node_of_one(Op op, Type type, const Graph& graph, int x) { return {op, type, graph.length(x), {x}}; }

int translate_arithmetic(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  const std::vector<int> args = translate_operands(t, call, scope, name == "+" || name == "-" ? 1 : 2, 2);
  if (args.size() == 1) return sign_node(t.graph, name == "-" ? Op::negative : Op::plus, args[0]);
  check_arrays(t, call, args[0], args[1], 1);
  return arithmetic_node(t.graph, op_named(name), args[0], args[1], call.number);
}

int translate_comparison(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 2);
  std::vector<int> args;
  for (const SyntaxPtr& arg : call.args) {
    args.push_back(translate_statement(t, *arg, scope));
    if (args.back() == 0) refuse_no_value(*arg);
  }
  if (args[0] < 0 || args[1] < 0) return compare_things(t, call, args);
  check_arrays(t, call, args[0], args[1]);
  const bool real = wider(t.graph.type(args[0]), t.graph.type(args[1])) == Type::real;
  Node node;
  node.length = common_length(t.graph, args, call.number);
  if (real)
    for (int& id : args) id = as_double(t.graph, id);
  node.op = op_named(call.called.name);
  node.type = Type::logical;
  node.args = std::move(args);
  return t.graph.add(std::move(node));
}

void check_condition(const Graph& graph, int id, const Syntax& call) {
  if (graph.length(id) == 1) return;
  throw NmathError("`" + call.name + "` needs a condition of length one, and that of " + quoted_text(call) + " has " +
                   length_text(graph, id) + ": use ifelse(), & or | to choose element by element");
}

int truth_node(Graph& graph, bool value) { return constant_node(graph, whole_constant(Type::logical, value)); }

// The operands of `&&` and `||`: the second one is looked at only if the first, where it is known, does not decide, and
// R warns of nothing in an operand that it does not compute.
std::vector<int> condition_operands(Translator& t, const Syntax& call, Scope& scope) {
  check_operands(call, 2, 2);
  std::vector<int> args;
  for (const SyntaxPtr& arg : call.args) {
    const bool guarded = !args.empty() && t.graph.at(args[0]).op != Op::constant;
    if (guarded) t.graph.guards.push_back({args[0], call.called.name == "&&"});
    if (guarded) t.graph.leads.push_back(t.graph.guards.back());
    const auto before = scope.vars;
    const int id = translate_given(t, arg.get(), scope);
    if (!args.empty() && t.graph.at(args[0]).op != Op::constant) forget_assigned(t, before, scope, call);
    if (guarded) t.graph.guards.pop_back();
    if (guarded) t.graph.leads.pop_back();
    args.push_back(as_type(t.graph, id, Type::logical));
    check_condition(t.graph, args.back(), call);
    const Node& node = t.graph.at(args[0]);
    const bool known = node.op == Op::constant && !is_missing(node.constant);
    if (known && (node.constant.whole != 0) == (call.called.name == "||")) break;
  }
  return args;
}

int translate_logic(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  const bool scalar = name == "&&" || name == "||";
  const std::size_t count = name == "!" ? 1 : 2;
  std::vector<int> args =
      scalar ? condition_operands(t, call, scope) : translate_operands(t, call, scope, count, count);
  if (scalar && args.size() == 1) return args[0];
  for (int& id : args) id = as_type(t.graph, id, Type::logical);
  const Node& first = t.graph.at(args[0]);
  const bool is_known = first.op == Op::constant && !is_missing(first.constant);
  if (scalar && is_known)  // it does not decide
    return t.graph.at(args[1]).op == Op::constant ? args[1] : bare_node(t.graph, args[1]);
  if (name == "!" && is_known) return truth_node(t.graph, first.constant.whole == 0);
  if (count == 2 && !scalar) check_arrays(t, call, args[0], args[1]);
  const int id = t.graph.add({name == "xor" ? Op::exclusive : op_named(name.substr(0, 1)), Type::logical,
                              common_length(t.graph, args, call.number), std::move(args)});
  return scalar ? bare_node(t.graph, id) : id;  // R's && and || give no attributes
}

// Of one series among many, as a number of its own.
int size_in_series(Translator& t, const Syntax& call, int id) {
  const Sides sides = sides_of(t.graph, id);
  const std::string& name = call.called.name;
  const bool columns = name == "ncol" || name == "NCOL";
  if (sides.matrix && columns)
    return constant_node(t.graph, whole_constant(Type::integer, static_cast<int>(sides.columns)));
  if (columns) return constant_node(t.graph, whole_constant(Type::integer, 1));
  if (!sides.matrix) return as_type(t.graph, length_node(t.graph, id), Type::integer);
  if (name == "length") throw LimitError(quoted_text(call) + " of a matrix, by series, is not supported: nrow() is");
  return as_type(t.graph, length_node(t.graph, whole_column(t.graph, id, 0, sides.rows)), Type::integer);
}

// length(x) and its like are known when the call is: the graph then holds for these lengths alone.
int translate_size(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  t.graph.exact = true;
  const int id = translate_operand(t, call, scope);
  const Node& node = t.graph.at(id);
  const Sides sides = sides_of(t.graph, id);
  const bool matrix = sides.matrix;
  if (t.graph.series.fake != 0) return size_in_series(t, call, id);
  double size = node.length;
  if (name == "nrow" || name == "ncol") {
    if (!matrix)
      throw NmathError(quoted_text(call) +
                       " needs a matrix: an argument, or one computed from arguments; for a vector use length()");
  }
  if (name == "nrow" || name == "NROW") size = matrix ? sides.rows : node.length;
  if (name == "ncol" || name == "NCOL") size = matrix ? sides.columns : 1;
  return length_constant(t.graph, size);
}

int translate_c_text(Translator& t, const Syntax& call, Scope& scope) {
  if (call.args.empty() || call.args[0]->kind != Syntax::Kind::text)
    throw NmathError(quoted_text(call) + ": the first argument is a text of OpenCL C");
  Node node{Op::c_text, Type::real};
  for (std::size_t k = 1; k < call.args.size(); ++k) {
    const Syntax& arg = *call.args[k];
    node.args.push_back(as_double(t.graph, translate_value(t, arg, scope)));
    node.names += (k > 1 ? "," : "") + (arg.kind == Syntax::Kind::symbol ? arg.name : shown_text(arg));
  }
  node.name = call.args[0]->name;
  node.length = common_length(t.graph, node.args);
  const int id = t.graph.add(std::move(node));
  return add_site(t.graph, id, call.number, "nan");
}

int translate_log(Translator& t, const Syntax& call, Scope& scope) {
  const Matched given = match_named_call({"x", "base"}, call);
  const int x = as_double(t.graph, translate_given(t, given.find("x"), scope));
  if (given.find("base") == nullptr)
    return add_site(t.graph, t.graph.add(node_of_one(Op::log, Type::real, t.graph, x)), call.number, "nan");
  const int base = as_double(t.graph, translate_given(t, given.find("base"), scope));
  return add_site(t.graph, plain_node(t.graph, Op::log_base, Type::real, {x, base}), call.number, "nan");
}

int translate_atan2(Translator& t, const Syntax& call, Scope& scope) {
  const Matched given = match_named_call({"y", "x"}, call);
  const int y = as_double(t.graph, translate_given(t, given.find("y"), scope));
  const int x = as_double(t.graph, translate_given(t, given.find("x"), scope));
  return plain_node(t.graph, Op::atan2, Type::real, {y, x});
}

int translate_extreme(Translator& t, const Syntax& call, Scope& scope) {
  std::vector<SyntaxPtr> args = call.args;
  bool na_rm = false;
  const auto named = std::find(call.names.begin(), call.names.end(), "na.rm");
  if (named != call.names.end()) {
    const auto at = args.begin() + (named - call.names.begin());
    const Decided value = decide(t, **at, scope);
    na_rm = value.length == 1 && !is_missing(value.value[0]) && as_real(value.value[0]) != 0;
    args.erase(at);
  }
  if (args.empty()) throw NmathError(quoted_text(call) + " has no arguments");
  std::vector<int> ids;
  for (const SyntaxPtr& arg : args) ids.push_back(translate_given(t, arg.get(), scope));
  Type type = Type::integer;
  for (const int id : ids) type = wider(type, t.graph.type(id));
  int value = as_type(t.graph, ids[0], type);
  for (std::size_t k = 1; k < ids.size(); ++k) {
    const int other = as_type(t.graph, ids[k], type);
    Node node{op_named(call.called.name),
              type,
              common_length(t.graph, {value, other}, call.number, "an argument will be fractionally recycled"),
              {value, other}};
    node.flag = na_rm;
    value = t.graph.add(std::move(node));
  }
  return value;
}

int row_node(Translator& t, const char* row, std::vector<int> args, const Syntax& call) {
  return library_node(t.graph, *function_row(row), std::move(args), call.number);
}

// What they make of whole numbers depends on R's version, so R is asked.
int translate_rounding(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  const Matched given = match_named_call({"x", "digits"}, call);
  const Syntax* const asked = given.find("digits");
  const int digits =
      asked == nullptr ? constant_node(t.graph, name == "round" ? 0.0 : 6.0) : translate_value(t, *asked, scope);
  const int x = translate_given(t, given.find("x"), scope);
  const auto rounded = [&] {
    const int real = as_double(t.graph, x);
    return row_node(t, name == "round" ? "fround" : "fprec", {real, as_double(t.graph, digits)}, call);
  };
  const Type type = t.graph.type(x);
  if (type == Type::real || t.asked == nullptr) return rounded();
  const Node& known = t.graph.at(digits);
  const Constant constant = known.constant;
  const bool is_known = asked != nullptr && known.op == Op::constant;
  const std::string way = t.asked->whole_rounding(name, type, asked != nullptr, is_known ? &constant : nullptr);
  if (way == "double") return rounded();
  return as_type(t.graph, way == "same" ? x : rounded(), Type::integer);
}

int translate_as_integer(Translator& t, const Syntax& call, Scope& scope) {
  const int x = translate_operand(t, call, scope);
  int id = as_type(t.graph, x, Type::integer);
  const auto is_missing_node = [&t](int node) {
    return t.graph.at(node).op == Op::constant && is_missing(t.graph.at(node).constant);
  };
  if (is_missing_node(id) && !is_missing_node(x)) warn(t, "NAs introduced by coercion to integer range", scope.call);
  if (t.graph.at(id).op == Op::as_integer)
    add_site(t.graph, id, call.number, "nan", "NAs introduced by coercion to integer range");
  if (t.graph.type(id) == Type::logical) id = t.graph.add(node_of_one(Op::plus, Type::integer, t.graph, id));
  return bare_node(t.graph, id);
}

int translate_absolute(Translator& t, const Syntax& call, Scope& scope) {
  int x = translate_operand(t, call, scope);
  const Type type = t.graph.type(x) == Type::real ? Type::real : Type::integer;
  x = as_type(t.graph, x, type);
  return t.graph.add(node_of_one(Op::absolute, type, t.graph, x));
}

// Functions of one argument; 0 where `name` is none of them.
int translate_of_one(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  const auto real = [&] { return as_double(t.graph, translate_operand(t, call, scope)); };
  const auto plus_one = [&] {
    const int x = real();
    return arithmetic_node(t.graph, Op::add, x, constant_node(t.graph, 1));
  };
  if (name == "abs") return translate_absolute(t, call, scope);
  if (name == "as.double" || name == "as.numeric") return bare_node(t.graph, real());
  if (name == "as.vector") return bare_node(t.graph, translate_operand(t, call, scope));
  if (name == "as.integer") return translate_as_integer(t, call, scope);
  if (name == "as.logical")
    return bare_node(t.graph, as_type(t.graph, translate_operand(t, call, scope), Type::logical));
  if (name == "sign") return row_node(t, "sign", {real()}, call);
  if (name == "trunc") return row_node(t, "ftrunc", {real()}, call);
  if (name == "factorial") return row_node(t, "gammafn", {plus_one()}, call);
  if (name == "lfactorial") return row_node(t, "lgammafn", {plus_one()}, call);
  if (name == "is.na" || name == "is.nan" || name == "is.finite" || name == "is.infinite") {
    const int x = translate_operand(t, call, scope);
    return t.graph.add(node_of_one(op_named(name), Type::logical, t.graph, x));
  }
  return 0;
}

int translate_other(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  const int of_one = translate_of_one(t, call, scope);
  if (of_one != 0) return of_one;
  if (name == ".c_text") return translate_c_text(t, call, scope);
  if (name == "log") return translate_log(t, call, scope);
  if (name == "pmin" || name == "pmax") return translate_extreme(t, call, scope);
  if (name == "atan2") return translate_atan2(t, call, scope);
  if (name == "round" || name == "signif") return translate_rounding(t, call, scope);
  if (name == "matrix") return translate_matrix(t, call, scope);
  if (name == "var" || name == "sd") return translate_spread(t, call, scope);
  if (is_linear_call(name)) return translate_linear(t, call, scope);
  if (name == ".solved") {  // solve(V, r) of V's inverse: a vector where r is one
    const std::vector<int> args = translate_operands(t, call, scope, 2, 2);
    const int product = matvec_node(t.graph, args[0], args[1], call);
    return sides_of(t.graph, args[1]).matrix ? product : bare_node(t.graph, product, "drop");
  }
  if (name == "%*%") {
    check_operands(call, 2, 2);
    if (const int product = translate_of_transposed(t, call, scope)) return product;
    const std::vector<int> args = translate_operands(t, call, scope, 2, 2);
    if (const int made = translate_column_by_row(t.graph, args[0], args[1], call)) return made;
    const int small = translate_small_product(t, args[0], args[1], call);
    if (small != 0) return small;
    const Sides left = sides_of(t.graph, args[0]), right = sides_of(t.graph, args[1]);
    if (!left.matrix && right.matrix && t.graph.length(args[0]) == right.rows) {  // b %*% M: the vector is a row
      const int sums = bare_node(t.graph, crossprod_node(t.graph, args[1], args[0], call));
      return with_named_sides(t.graph, sums, 1, right.columns, names_word("columns", args[1], 2));
    }
    const int product = matvec_node(t.graph, args[0], args[1], call);
    if (!right.matrix || right.columns != 1) return product;
    const double rows = t.graph.length(product);  // a column may have a name
    return with_named_sides(t.graph, bare_node(t.graph, product), rows, 1, names_of_product(t.graph, args[0], args[1]));
  }
  throw LimitError("`" + name + "()` is not supported: make the vector before the call and give it as an argument");
}

}  // namespace

CallKind call_kind(const std::string& name) {
  static const std::unordered_map<std::string, CallKind> known = [] {
    const std::map<std::string, CallKind> kinds = {{"arithmetic", CallKind::arithmetic},
                                                   {"comparison", CallKind::comparison},
                                                   {"logic", CallKind::logic},
                                                   {"structure", CallKind::structure},
                                                   {"size", CallKind::size},
                                                   {"elementary", CallKind::elementary},
                                                   {"index", CallKind::index},
                                                   {"reduction", CallKind::reduction},
                                                   {"known", CallKind::known},
                                                   {"passing", CallKind::passing},
                                                   {"list", CallKind::none},
                                                   {"other", CallKind::other}};
    std::unordered_map<std::string, CallKind> made;
    for (const Row& row : language_rows()) made.emplace(row.at("name"), kinds.at(row.at("kind")));
    return made;
  }();
  const auto found = known.find(name);
  return found == known.end() ? CallKind::none : found->second;
}

int translate_language(Translator& t, const Syntax& call, Scope& scope) {
  switch (call_kind(call.called.name)) {
    case CallKind::arithmetic:
      return translate_arithmetic(t, call, scope);
    case CallKind::comparison:
      return translate_comparison(t, call, scope);
    case CallKind::logic:
      return translate_logic(t, call, scope);
    case CallKind::structure:
      return translate_structure(t, call, scope);
    case CallKind::size:
      return translate_size(t, call, scope);
    case CallKind::elementary: {
      const int x = as_double(t.graph, translate_operand(t, call, scope));
      return elementary_node(t.graph, call.called.name, x, call.number);
    }
    case CallKind::index:
      return translate_index(t, call, scope);
    case CallKind::reduction:
      return translate_reduction(t, call, scope);
    case CallKind::known:
      return translate_known(t, call, scope);
    case CallKind::passing:
      return translate_passing(t, call, scope);
    case CallKind::other:
    case CallKind::none:
      break;
  }
  return translate_other(t, call, scope);
}

std::string whole_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

// R's integers are shown by all digits, its doubles by an exponent where that is shorter: lengths of vectors are
// integers, and those that were computed of several are doubles.
std::string length_text(const Graph& graph, int id) {
  const double length = graph.length(id);
  const std::string fixed = whole_text(length);
  bool is_integer = false;
  for (int at = id;;) {
    const Node& node = graph.at(at);
    is_integer = (node.op == Op::input && length <= INT_MAX) || node.op == Op::product || node.op == Op::column;
    const bool hands_on = node.args.size() == 1 || node.op == Op::select;
    if (!hands_on || node.op == Op::draw || node.op == Op::library) break;
    at = node.args[0];
  }
  if (is_integer || length == 0) return fixed;
  std::string digits = fixed;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const std::size_t significant = std::min<std::size_t>(digits.size(), 7);
  const std::size_t width = (significant > 1 ? significant + 1 : 1) + 4;
  if (fixed.size() <= width) return fixed;
  char text[32];
  std::snprintf(text, sizeof text, "%d", static_cast<int>(fixed.size()) - 1);
  const std::string exponent = std::string(fixed.size() - 1 < 10 ? "e+0" : "e+") + text;
  return digits.substr(0, 1) + (significant > 1 ? "." + digits.substr(1, significant - 1) : "") + exponent;
}

}  // namespace openclPort::expression
