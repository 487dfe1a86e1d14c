// translate_parts -- elements by codes, vectors that are put together, head() and tail().
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/rules.h"
#include "expression/series_lengths.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

// What there is instead of a vector of elements that a test chooses.
[[noreturn]] void refuse_chosen(const Syntax& call) {
  std::string text =
      quoted_text(call) +
      ": a logical index leaves elements out, so that how many are left depends on the data. Of such "
      "elements an expression has sum(), mean(), prod() and length(), also of what is computed of them one by one";
  const bool of_vector =
      call.name == "[" && call.args.size() == 2 && call.args[0] != nullptr && call.args[1] != nullptr;
  if (of_vector) {
    const Syntax& test = *call.args[1];
    const std::string of = shown_text(*call.args[0]);
    text += ", sum(" + shown_text(call) + "^2)";
    if (test.name == "==" && test.args.size() == 2) {
      const std::string groups = shown_text(*test.args[0]);
      text += "; sums of all groups are tapply(" + of + ", " + groups + ", sum)";
    }
    if (test.kind == Syntax::Kind::symbol)  // in a function of the user's own, whose arguments only the compiler knows
      text += ", and to be seen there to be a test: sum(" + of + "[" + shown_text(test) + " & TRUE]^2)";
    if (shown_text(test).find("which(") == std::string::npos)  // of which numbers are shown, where a test is meant
      text += ". The largest one is max(ifelse(" + shown_text(test) + ", " + of + ", -Inf))";
  }
  if (!of_vector)
    text += ". Of rows it has, with A <- Z[id == i, , drop = FALSE], crossprod(A), colSums(A), nrow(A) and A %*% b";
  throw LimitError(text +
                   ". For other functions of the elements of each group call the function with `by`; elements of "
                   "arguments can be taken before the call");
}

// Behind an operand of && or || that decides R reads no element: its code is missing then, i > 1 && y[i] > y[i - 1].
int code_where_read(Graph& graph, int code) {
  const Node& node = graph.at(code);
  if (graph.length(code) != 1 || (node.op == Op::constant && as_real(node.constant) >= 1)) return code;
  const int missing = constant_node(graph, real_constant(std::numeric_limits<double>::quiet_NaN()));
  const auto logical = [&](Op op, const std::vector<int>& args) { return plain_node(graph, op, Type::logical, args); };
  for (const Guard& lead : graph.leads) {
    if (graph.length(lead.test) != 1 || graph.in_round(lead.test)) continue;
    const int test = as_type(graph, lead.test, Type::logical);
    const int is_known = logical(Op::negation, {logical(Op::is_na, {as_double(graph, test)})});  // NA decides nothing
    const int decides = logical(Op::both, {is_known, lead.way ? logical(Op::negation, {test}) : test});
    code = choice_node(graph, decides, missing, as_double(graph, code));
  }
  return code;
}

}  // namespace

// x[codes].
int gathered_node(Graph& graph, int x, int codes, const Syntax& call, const std::string& rule) {
  if (graph.type(codes) == Type::logical) refuse_chosen(call);
  if (!graph.in_round(codes)) codes = code_where_read(graph, codes);
  const int id = graph.add({Op::gather, graph.type(x), graph.length(codes), {x, codes}});
  if (graph.length(codes) == 1 && !graph.in_round(id)) return graph.defined(id);
  return add_site(graph, id, call.number, graph.in_round(id) ? "index" : rule, "");
}

int taken_by_codes(Translator& t, int x, int codes, const Syntax& call, const Scope& scope) {
  const int id = gathered_node(t.graph, x, codes, call);
  const Node& node = t.graph.at(id);
  const int taken = node.op == Op::input ? t.graph.input(node.first).definition : id;
  t.graph.taken.push_back({taken, scope.call, quoted_text(call), t.graph.guards});
  return id;
}

// R leaves out codes of 0 and takes negative ones for what it leaves out: length(x[codes]) is another number then.
void ask_of_unused_codes(Graph& graph, int root) {
  if (graph.taken.empty()) return;
  std::vector<int> used = {root};
  for (const Assertion& one : graph.assertions) used.push_back(one.node);
  for (const Decision& one : graph.decisions) used.push_back(one.node);
  std::vector<char> is_used(static_cast<std::size_t>(graph.size()) + 1, 0);
  const auto sources = [&graph](int id) { return sources_of(graph, graph.at(id)); };
  for (const int id : nodes_under(graph, used, sources)) is_used[static_cast<std::size_t>(id)] = 1;
  for (const Taken& one : graph.taken) {
    if (is_used[static_cast<std::size_t>(one.node)] || graph.in_round(one.node)) continue;
    const int codes = as_double(graph, graph.at(one.node).args[1]);
    const int missing = plain_node(graph, Op::is_na, Type::logical, {codes});
    const int there = plain_node(graph, Op::greater_equal, Type::logical, {codes, constant_node(graph, 1.0)});
    const int fits = plain_node(graph, Op::either, Type::logical, {missing, there});
    graph.assertions.push_back(
        {fits, one.call, one.shown + ": a vector of codes has numbers from 1 on", true, true, one.guards, true});
  }
}

std::vector<int> elements_of(Graph& graph, int vector) {
  const double length = graph.length(vector);
  if (length == 1) return {vector};
  graph.exact = true;
  const int x = in_memory(graph, vector);
  std::vector<int> parts;
  for (double k = 1; k <= length; ++k) parts.push_back(slice_from(graph, x, k, 1, 1));
  return parts;
}

int concat_node(Graph& graph, const std::vector<int>& parts, const std::string& names) {
  Type type = Type::logical;
  double length = 0;
  for (const int id : parts) {
    type = wider(type, graph.type(id));
    length += graph.length(id);
  }
  graph.exact = true;  // no argument has to be as long as the result
  Node node{Op::concat, type, length};
  node.names = names;
  for (const int id : parts)
    node.args.push_back(widened(graph, graph.length(id) == 1 ? id : in_memory(graph, id), type));
  return graph.defined(graph.add(std::move(node)));
}

namespace {

double count_of(Translator& t, const Matched& given, double standard, double length, Scope& scope) {
  const Syntax* const n = given.find("n");
  if (n == nullptr) return std::min(standard, length);
  t.graph.exact = true;
  const double count = decided_number(t, *n, scope);
  if (std::isnan(count)) throw NmathError("invalid 'n' - must be numeric, possibly NA");
  return count < 0 ? std::max(length + std::trunc(count), 0.0) : std::min(std::trunc(count), length);
}

}  // namespace

// R takes these of a matrix by its rows.
void refuse_parts_of_rows(const Graph& graph, int x, const Syntax& call) {
  if (sides_of(graph, x).matrix)
    refuse_limit(call, "of a matrix it is one of rows: give as.vector() of it, or M[1:2, ]");
}

// head(x, n) and tail(x, n).
int end_part(Translator& t, const Syntax& call, Scope& scope) {
  const Matched given = match_named_call({"x", "n"}, call);
  const int all = translate_given(t, given.find("x"), scope), x = bare_vector(t, all, call);
  refuse_parts_of_rows(t.graph, all, call);
  const double length = t.graph.length(x), count = count_of(t, given, 6, length, scope);
  if (count == 0) return slice_from(t.graph, x, 1, 1, 0);
  t.graph.exact = true;
  return slice_from(t.graph, x, call.called.name == "head" ? 1 : length - count + 1, 1, count);
}

}  // namespace openclPort::expression
