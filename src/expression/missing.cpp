// missing -- what a kernel says of missing values: which NaN is NA, and which call made one of what was none.
//
// GPUs lose which NaN it was in every operation, but not where a number is moved or chosen. With `as_gpu` kernels do so
// on every device: for tests.
#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "expression/node_text.h"
#include "expression/point_levels.h"
#include "expression/reductions.h"

namespace openclPort::expression {

namespace {

constexpr int kWarningBits = 31;  // of a word of flags

// R says nothing of what is missing.
constexpr const char* kOddFirst = "fabs(FIRST - rint(FIRST)) > 0.0";
constexpr const char* kOddSecond = "fabs(SECOND - rint(SECOND)) > 0.0";
constexpr const char* kAtEdge = "RESULT == 0.0 || isinf(RESULT)";

// Where a function may have more to warn of than NaN: the text is R's to find, by the function's own rule
// (rules/missing_values.cpp), once the kernel has seen that there may be one.
struct SeenRule {
  const char* rule;
  const char* needs_general;
};
constexpr SeenRule kSeenRules[] = {{"dbinom", kOddFirst},
                                   {"dpois", kOddFirst},
                                   {"dgeom", kOddFirst},
                                   {"dhyper", kOddFirst},
                                   {"dnbinom", kOddFirst},
                                   {"dnbinom_mu", kOddFirst},
                                   {"choose", kOddSecond},
                                   {"pbinom", kOddSecond},
                                   {"gammafn", "FIRST < -10.0 || (FIRST < 1.0 && isinf(RESULT)) || isinf(RESULT)"},
                                   {"psigamma", "SECOND > 100.0"},
                                   {"bessel_i", kAtEdge},
                                   {"bessel_j", kAtEdge},
                                   {"bessel_k", "0"},
                                   {"bessel_y", kAtEdge},
                                   {"qtukey", "0"}};

const char* seen_rule(const std::string& rule) {
  for (const SeenRule& one : kSeenRules)
    if (rule == one.rule) return one.needs_general;
  return nullptr;
}

// A long condition gets a name, so that one which stands in many others does not grow with each.
std::string named_condition(Writer& w, int id, const Index& at, const std::string& text) {
  // Numbers of nodes have more digits where there are more nodes: they make no other text.
  if (std::count_if(text.begin(), text.end(), [](char c) { return !is_digit(c); }) < 170) return text;
  const std::string name = "na" + std::to_string(id) + index_suffix(at, w.graph.length(id));
  emit(w, at, "const int " + name + " = " + text + ';');
  return name;
}

bool is_settled(const std::string& condition) { return condition == "0" || condition == "1"; }

// Whether one of some nodes is NA.
std::string any_na(Writer& w, const std::vector<int>& ids, const Index& at) {
  std::vector<std::string> texts;
  for (const int id : ids) add_once(texts, na_text(w, id, at));
  if (holds(texts, std::string("1"))) return "1";
  texts.erase(std::remove(texts.begin(), texts.end(), "0"), texts.end());
  if (texts.empty()) return "0";
  return joined(texts, " | ");  // not ||: without branches a compiler takes several elements at a time
}

// A condition that is asked of a NaN only.
std::string guarded_by_nan(Writer& w, int id, const Index& at, const std::string& condition) {
  if (condition == "0") return condition;
  const std::string nan = "isnan(" + value_at(w, id, at) + ')';
  return condition == "1" ? '(' + nan + " != 0)" : '(' + nan + " && (" + condition + "))";
}

std::string guard_at(Writer& w, int id, const Index& at, const std::string& condition) {
  if (is_settled(condition) || w.graph.type(id) != Type::real) return condition;
  return "isnan(" + value_at(w, id, at) + ") && (" + condition + ')';
}

std::string na_of_select(Writer& w, const Node& node, const Index& at) {
  const std::string test = value_at(w, node.args[0], at);
  const std::string yes = na_text(w, node.args[1], at), no = na_text(w, node.args[2], at);
  if (yes == "0" && no == "0") return '(' + test + " == NMATH_NA_INT)";
  const std::string of_yes = guard_at(w, node.args[1], at, yes), of_no = guard_at(w, node.args[2], at, no);
  return '(' + test + " == NMATH_NA_INT || (" + test + " ? (" + of_yes + ") : (" + of_no + ")))";
}

std::string na_of_node(Writer& w, int id, const Node& node, const Index& at) {
  if (node.op == Op::constant) {
    const bool na = node.constant.type == Type::real ? is_na_real(node.constant.real) : is_missing(node.constant);
    return na ? "1" : "0";
  }
  if (node.type != Type::real) return '(' + value_at(w, id, at) + " == NMATH_NA_INT)";
  switch (node.op) {
    case Op::input:
    case Op::column:
    case Op::slice:
    case Op::gather:
    case Op::each:
      return "expr_is_na(" + value_at(w, id, at) + ')';
    case Op::part_sums:
    case Op::row_reduce: {
      const std::string value = value_at(w, id, at);
      return "(isnan(" + value + ") && na_of_" + value + ')';
    }
    case Op::bare:
      return na_text(w, node.args[0], at);
    case Op::product:
      return guarded_by_nan(w, id, at, '(' + product_na(w, node, at) + ')');
    case Op::draw:
    case Op::position:
      return "0";
    case Op::power:
      return guarded_by_nan(w, id, at, any_na(w, node.args, at));
    case Op::modulo: {  // x %% 0 is NaN, whatever x is
      const std::string by = value_at(w, node.args[1], at), found = any_na(w, node.args, at);
      return found == "0" ? found : "((" + by + ") != 0.0 && (" + found + "))";
    }
    case Op::pmin:
    case Op::pmax: {
      const std::string found = any_na(w, node.args, at);
      return node.flag ? guarded_by_nan(w, id, at, found) : found;
    }
    case Op::select:
      return na_of_select(w, node, at);
    default:
      return any_na(w, node.args, at);
  }
}

bool passes_nan(const Node& node) {
  if (is_one_of(node.op, Op::pmin, Op::pmax)) return !node.flag;
  return is_one_of(node.op, Op::negative, Op::plus, Op::bare, Op::add, Op::subtract, Op::multiply, Op::divide,
                   Op::elementary, Op::log, Op::absolute, Op::library);
}

bool has_missing_literal(const NodeUse& use) {
  for (const int id : use.node.args) {
    const Node& arg = use.w.graph.at(id);
    if (arg.op == Op::constant && is_missing(arg.constant)) return true;
  }
  return false;
}

// What has to be said of a site: nothing, if something else tells of what happens there.
bool is_reported_elsewhere(const NodeUse& use, const Site& site, bool literal) {
  const Writer& w = use.w;
  // Constant-parameter kernels know no warnings: what may warn needs the general kernel.
  if (holds(w.fixed, use.id) || holds(w.sure, use.id)) return true;
  const bool of_itself = site.rule == "draw" || site.rule == "index" || site.rule == "bounds" || site.rule == "stops";
  if (of_itself || seen_rule(site.rule) != nullptr) return false;
  // A literal NA makes nothing missing that was none before; a function's own rule may have more to say.
  return literal || (site.rule != "overflow" && holds(w.reported, use.id));
}

void write_site(const NodeUse& use, const Site& site, const std::string& mark, bool literal) {
  Writer& w = use.w;
  const bool in_rounds = w.request.recursion != nullptr;
  const std::string guards = in_rounds ? guards_text(w, site.guards) : "";
  if (site.rule == "overflow") {
    // What was computed before the rounds is a local number there, and missing where it is too large.
    const bool is_local = use.node.op != Op::add && use.node.op != Op::subtract && use.node.op != Op::multiply;
    const std::string found = is_local ? use.name + " == NMATH_NA_INT" : "over_" + use.name;
    emit(w, use.at, "if (" + guards + found + ") " + mark);
    return;
  }
  if (site.rule == "index") {
    emit(w, use.at, "if (at_" + use.name + " == -2) " + mark);
    return;
  }
  if (site.rule == "bounds") {  // a missing code is in no place either
    const std::string code = value_at(w, use.node.args[1], use.at);
    const std::string known =
        w.graph.type(use.node.args[1]) == Type::real ? "!isnan(" + code + ')' : code + " != NMATH_NA_INT";
    emit(w, use.at, "if (at_" + use.name + " < 0 && " + known + ") " + mark);
    return;
  }
  std::string made = use.node.type == Type::real ? "isnan(" + use.name + ')' : use.name + " == NMATH_NA_INT", clean;
  for (const int id : use.node.args) {
    if (w.graph.at(id).op == Op::constant || w.graph.type(id) != Type::real) continue;
    const std::string value = value_at(w, id, use.at);
    if (site.rule != "draw") clean += " && !isnan(" + value + ')';
  }
  const char* const needs_general = seen_rule(site.rule);
  if (needs_general == nullptr) {
    emit(w, use.at, "if (" + guards + made + clean + ") " + mark);
    return;
  }
  std::vector<std::string> values = {use.name};
  for (const std::string& value : use.args()) values.push_back(value);
  if (literal) made = "0";
  // Of what was computed before the rounds they have the value alone: what its arguments say is asked there.
  if (in_rounds && use.node.args.empty()) {
    emit(w, use.at, "if (" + guards + made + ") " + mark);
    return;
  }
  const std::string asked = substitute_words(needs_general, {"RESULT", "FIRST", "SECOND"}, values);
  if (in_rounds)  // R warns of no argument that is missing
    emit(w, use.at, "if (" + guards + "(" + asked + " || " + made + ")" + clean + ") " + mark);
  else
    emit(w, use.at, "if (" + asked + " || (" + made + clean + ")) " + mark);
}

}  // namespace

bool r_reports(const std::string& rule) { return seen_rule(rule) != nullptr; }

std::string canonical_text(const Node& node, const std::string& text) {
  const bool moved = holds({Op::input, Op::column, Op::slice, Op::gather, Op::each, Op::position, Op::select, Op::plus,
                            Op::bare, Op::as_double, Op::cut},
                           node.op);
  return node.type != Type::real || moved ? text : "expr_canonical(" + text + ')';
}

// Functions and arithmetic pass NaN on, so that of their arguments nothing else needs to be asked; the others say for
// themselves whether they are NaN.
std::string na_text(Writer& w, int id, const Index& at) {
  const Node& node = w.graph.at(id);
  const Index own = index_for(w, at, node.length);
  const std::string key = "na " + std::to_string(id) + ' ' + own.name;
  const auto known = w.known.find(key);
  if (known != w.known.end()) return known->second;
  const AtLevel level(w, varies(w, id));
  const std::string text = named_condition(w, id, own, na_of_node(w, id, node, own));
  w.known[key] = text;
  return text;
}

// Values are seldom missing, and to ask each of them is a good part of what a sum costs. Where a reduction passes a NaN
// on, its kernel asks once, at the end, whether there was one; if so, the call is made again in the "general" form,
// which asks everywhere.
bool tells_missing(const TextRequest& request) {
  return request.reduce != Reduction::none && !request.na_rm && reduction_row(request.reduce).passes_nan;
}

namespace {

// ifelse(is.na(x), x, other), and ifelse(test, NaN, other).
bool is_choice_of_itself(const Graph& graph, const Node& node) {
  if (node.op != Op::select) return false;
  const Node& test = graph.at(node.args[0]);
  return test.op == Op::is_na && test.args[0] == node.args[1];
}
bool is_choice_of_none(const Graph& graph, const Node& node) {
  if (node.op != Op::select || node.type != Type::real) return false;
  const Node& yes = graph.at(node.args[1]);
  return yes.op == Op::constant && yes.type == Type::real && is_missing(yes.constant);
}

}  // namespace

// Nodes whose NaN makes an output NaN, whatever the other values are.
std::vector<int> reported_nodes(const Writer& w, const std::vector<int>& outputs) {
  std::vector<int> reported;
  for (const int id : nodes_under(w.graph, outputs, [&](int of) {
         const Node& node = w.graph.at(of);
         // That its x is NaN has to be told by something else, where its test is left out (asks_for_reported()).
         if (is_choice_of_none(w.graph, node) || (node.type == Type::real && is_choice_of_itself(w.graph, node)))
           return std::vector<int>{node.args[2]};
         return node.type == Type::real && passes_nan(node) ? element_args(node) : std::vector<int>();
       }))
    if (w.graph.type(id) == Type::real && w.graph.at(id).op != Op::constant) reported.push_back(id);
  return reported;
}

// ifelse(is.na(x), x, other), where something else tells that x is NaN, as `other` that is computed of it.
bool asks_for_reported(const NodeUse& use) {
  return is_choice_of_itself(use.w.graph, use.node) && holds(use.w.reported, use.arg_id(2));
}

bool chooses_none(const Writer& w, int id) {
  return is_choice_of_none(w.graph, w.graph.at(id)) && holds(w.reported, id);
}

void write_sites(const NodeUse& use) {
  const std::vector<Site>& sites = use.w.graph.sites;
  const bool literal = has_missing_literal(use);
  for (std::size_t k = 0; k < sites.size(); ++k) {
    if (sites[k].node != use.id || is_reported_elsewhere(use, sites[k], literal)) continue;
    Mark mark;
    mark.site = static_cast<int>(k) + 1;
    write_site(use, sites[k], mark_text(use.w, mark), literal);
  }
}

// A part that is computed at two indices, in front of the loop and in it, has one bit: R computes it once.
std::string mark_text(Writer& w, const Mark& mark) {
  if (w.request.recursion != nullptr) return "needs_general = 1;";  // R then computes, and warns itself
  const int bit = number_in(w.marks, mark) - 1;
  return 'w' + std::to_string(bit / kWarningBits) + " |= 1 << " + std::to_string(bit % kWarningBits) + ';';
}

void write_test(const NodeUse& use) {
  for (const bool way : {true, false}) {
    Mark mark;
    mark.node = use.id;
    mark.way = way;
    emit(use.w, use.at, "if (" + use.name + (way ? " == 1) " : " == 0) ") + mark_text(use.w, mark));
  }
}

}  // namespace openclPort::expression
