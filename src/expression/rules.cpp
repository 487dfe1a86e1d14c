// rules -- partial derivatives by the rules of inst/spec/derivatives.tsv. The order in which nodes are added is part of
// what is made: the numbers of nodes are names in a kernel's text.
#include "expression/rules.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/syntax.h"
#include "expression/translate.h"

namespace openclPort::expression {

namespace {

// A rule, parsed once and kept.
SyntaxPtr parsed_rule(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, SyntaxPtr> known;
  const std::lock_guard<std::mutex> lock(mutex);
  SyntaxPtr& rule = known[text];
  if (rule == nullptr) rule = parse_rule(text);
  return rule;
}

int rule_node(Graph& graph, const std::string& text, const std::vector<std::string>& names,
              const std::vector<int>& args, int own) {
  return as_double(graph, translate_rule(*parsed_rule(text), graph, names, args, own));
}

int missing_node(Graph& graph, int own) { return plain_node(graph, Op::is_na, Type::logical, {own}); }

// Whether a value is this one; FALSE where it is missing.
int is_node(Graph& graph, int own, double value) {
  const int is = plain_node(graph, Op::equal, Type::logical, {own, constant_node(graph, value)});
  const int missing = missing_node(graph, own);
  const int known = plain_node(graph, Op::negation, Type::logical, {missing});
  return plain_node(graph, Op::both, Type::logical, {is, known});
}

// Whether a log density or log probability is that of 0.
int log_of_zero_node(Graph& graph, int own) { return is_node(graph, own, -std::numeric_limits<double>::infinity()); }

// An argument that is 1/u, exp(u) or plogis(u) of another node u.
struct Chained {
  std::string inside;  // "1/u" or its like; "": it is none
  int u = 0;
};

Chained chained_argument(const Graph& graph, int argument) {
  const Node& node = graph.at(argument);
  if (node.op == Op::divide && is_constant_one(graph, node.args[0])) return {"1/u", node.args[1]};
  if (node.op == Op::elementary && node.name == "exp") return {"exp(u)", node.args[0]};
  if (node.op == Op::library && node.name == "plogis") {
    const double standard[] = {0, 1, 1, 0};  // location, scale, lower.tail, log.p
    bool is = true;
    for (std::size_t k = 1; k < node.args.size(); ++k) {
      const Node& given = graph.at(node.args[k]);
      is = is && given.op == Op::constant && as_real(given.constant) == standard[k - 1];
    }
    if (is) return {"plogis(u)", node.args[0]};
  }
  return {};
}

// The partial derivative of a function of the library at the scale that its flags ask for, in an argument or, where
// there are rules for that, in u of `chained`. `zero_outside`: of a log density or log probability, 0 rather than NaN
// where the function is constant.
class LibraryPartial {
 public:
  LibraryPartial(Graph& graph, int id, const FunctionRow& row, std::size_t k, Chained chained, bool zero_outside)
      : graph_(graph),
        id_(id),
        row_(row),
        k_(k),
        chained_(std::move(chained)),
        zero_outside_(zero_outside),
        args_(graph.at(id).args),
        names_(row.columns) {
    names_.insert(names_.end(), row.flags.begin(), row.flags.end());
    if (chained_.u == 0) return;
    names_.push_back("u");
    args_.push_back(chained_.u);
  }

  int node() {
    const bool logs = on("log.p"), lower = on("lower.tail");
    if (const std::string* const rule = form("value")) return applied(*rule, id_);
    if (const std::string* const rule = form("log"))
      if (row_.name[0] == 'd') return density(*rule);
    if (form("lower") != nullptr) return probability(lower, logs);
    if (const std::string* const rule = form("tail")) return quantile_by_tail(*rule, lower, logs);
    if (const std::string* const rule = form("quantile")) {
      int slope = applied(*rule, id_);
      if (k_ > 0) return slope;
      if (!lower) slope = negative_node(graph_, slope);
      return logs ? scaled_by_exponential(slope, args_[0]) : slope;
    }
    const auto ruled = graph_.ruled.find(id_);  // the user has what the rule is of
    if (ruled != graph_.ruled.end()) refuse_second_derivative(ruled->second);
    refuse_derivative(call_in_r(row_), row_.columns[k_], row_.name);
  }

 private:
  const std::string* form(const char* name) const {
    if (chained_.u != 0) return chained_rule(row_.name, row_.columns[k_], chained_.inside, name);
    const std::string* const own = rule_text(graph_.twice, row_.name, row_.columns[k_], name);
    return own != nullptr ? own : rule_text(graph_.twice, row_.r_name, row_.columns[k_], name);
  }

  bool on(const char* flag) const {
    const auto at = std::find(row_.flags.begin(), row_.flags.end(), flag);
    if (at == row_.flags.end()) return false;
    const std::size_t place = row_.columns.size() + static_cast<std::size_t>(at - row_.flags.begin());
    const Node& node = graph_.at(args_[place]);
    return node.op == Op::constant && !is_missing(node.constant) && as_real(node.constant) != 0;
  }

  int value_of(const std::string& rule, int own) { return rule_node(graph_, rule, names_, args_, own); }

  // NaN where the function's value is.
  int applied(const std::string& rule, int own) {
    const int missing = missing_node(graph_, own);
    return choice_node(graph_, missing, own, value_of(rule, own));
  }

  // That of a logarithm, and 0 where it is that of 0.
  int applied_or_zero(const std::string& rule, int own) {
    const int outside = log_of_zero_node(graph_, own), zero = constant_node(graph_, 0.0);
    const int slope = choice_node(graph_, outside, zero, value_of(rule, own));
    return missing_as(slope, own);
  }

  // A log density: NaN outside of the support, and within by the rule, also where the value is -Inf.
  int applied_to_density(const std::string& rule) {
    const std::string& support = support_of(row_.name);
    if (support == "TRUE") return missing_as(value_of(rule, id_), id_);
    const int zero = log_of_zero_node(graph_, id_);
    const int inside = translate_rule(*parsed_rule(support), graph_, names_, args_, id_);
    const int outside =
        plain_node(graph_, Op::both, Type::logical, {zero, plain_node(graph_, Op::negation, Type::logical, {inside})});
    return missing_as(none_where(outside, value_of(rule, id_)), id_);
  }

  // A log probability: NaN where it is -Inf and the rule finds it constant.
  int applied_to_probability(const std::string& rule) {
    const int slope = value_of(rule, id_), zero = constant_node(graph_, 0.0);
    const int missing = missing_node(graph_, slope);
    const int flat = plain_node(graph_, Op::both, Type::logical,
                                {plain_node(graph_, Op::negation, Type::logical, {missing}),
                                 plain_node(graph_, Op::equal, Type::logical, {slope, zero})});
    const int outside = plain_node(graph_, Op::both, Type::logical, {log_of_zero_node(graph_, id_), flat});
    return missing_as(none_where(outside, slope), id_);
  }

  // A factor, where it is differentiated in turn: it makes NaN of that derivative, too.
  int none_where(int outside, int slope) {
    const int none = constant_node(graph_, std::numeric_limits<double>::quiet_NaN());
    if (!graph_.twice) return choice_node(graph_, outside, none, slope);
    return multiple_node(graph_, slope, choice_node(graph_, outside, none, constant_node(graph_, 1.0)));
  }

  int missing_as(int slope, int own) { return choice_node(graph_, missing_node(graph_, own), own, slope); }

  // The function's value for the same arguments with these flags.
  int with_flags(const std::vector<int>& flags) {
    std::vector<int> args(args_.begin(), args_.begin() + static_cast<std::ptrdiff_t>(row_.columns.size()));
    args.insert(args.end(), flags.begin(), flags.end());
    return library_node(graph_, row_, std::move(args));
  }

  int flag_node(bool way) { return constant_node(graph_, whole_constant(Type::logical, way ? 1 : 0)); }

  int scaled_by_exponential(int slope, int log) {
    return multiple_node(graph_, slope, elementary_node(graph_, "exp", log));
  }

  // The rule is for the logarithm.
  int density(const std::string& rule) {
    const bool logged = on("log");
    if (logged && !zero_outside_) return applied_to_density(rule);
    const int own = logged ? id_ : with_flags({flag_node(true)});
    int slope = applied_or_zero(rule, own);
    if (logged) return slope;
    // Where the density has underflowed to 0 its logarithm may still be a number whose slope overflows.
    const int product = multiple_node(graph_, id_, slope);
    slope = choice_node(graph_, is_node(graph_, id_, 0.0), constant_node(graph_, 0.0), product);
    const std::string* const end = form("end");
    if (end == nullptr) return slope;
    // At the ends of a parameter's range a density may be 0 and its derivative not.
    const int missing = missing_node(graph_, own), outside = log_of_zero_node(graph_, own);
    const int at_end = choice_node(graph_, outside, value_of(*end, own), slope);
    return choice_node(graph_, missing, own, at_end);
  }

  int probability(bool lower, bool logs) {
    const std::string* const logged = form(lower ? "log" : "logupper");
    if (logs && logged != nullptr)
      return zero_outside_ ? applied_or_zero(*logged, id_) : applied_to_probability(*logged);
    const int yes = flag_node(true), no = flag_node(false);
    const int plain = lower && !logs ? id_ : with_flags({yes, no});
    int slope = applied(*form("lower"), plain);
    if (!lower) slope = negative_node(graph_, slope);
    if (!logs) return slope;
    return arithmetic_node(graph_, Op::divide, slope, elementary_node(graph_, "exp", id_));
  }

  // The rule is for the size of the derivative in the logarithm of the tail that p is; that of `slope`, for where
  // `edge` holds, is for the derivative itself.
  int quantile_by_tail(const std::string& rule, bool lower, bool logs) {
    int slope = value_of(rule, id_);
    if (!logs) slope = arithmetic_node(graph_, Op::divide, slope, args_[0]);
    if (const std::string* const edge = form("edge")) {
      const int there = translate_rule(*parsed_rule(*edge), graph_, names_, args_, id_);
      slope = choice_node(graph_, there, value_of(*form("slope"), id_), slope);
    }
    if (!logs) {
      const int p = args_[0];
      const std::string* const end = form("end");
      const int at_end =
          end == nullptr ? constant_node(graph_, std::numeric_limits<double>::infinity()) : value_of(*end, id_);
      const int zero = constant_node(graph_, 0.0);
      const int none = plain_node(graph_, Op::equal, Type::logical, {p, zero});
      slope = choice_node(graph_, none, at_end, slope);
    }
    if (!lower) slope = negative_node(graph_, slope);
    return missing_as(slope, id_);
  }

  Graph& graph_;
  const int id_;
  const FunctionRow& row_;
  const std::size_t k_;
  const Chained chained_;
  const bool zero_outside_;
  std::vector<int> args_;  // columns, then flags, then u
  std::vector<std::string> names_;
};

// What the rules call the arguments of an operation.
std::string operand_name(const std::string& op, std::size_t k) {
  if (op == "atan2") return k == 0 ? "y" : "x";
  return k == 0 ? "x" : k == 1 ? "y" : "NA";
}

}  // namespace

Quietly::Quietly(Graph& graph) : graph_(graph) { exchange(); }

Quietly::~Quietly() { exchange(); }

void Quietly::exchange() {
  sites_.swap(graph_.sites);
  recycled_.swap(graph_.recycled);
  singles_.swap(graph_.singles);
  tests_.swap(graph_.tests);
}

void refuse_derivative(const std::string& call, const std::string& argument, const std::string& row) {
  std::string others;
  for (const std::string& one : ruled_arguments(row))
    if (one != argument) others += (others.empty() ? "`" : ", `") + one + "`";
  throw LimitError("there is no rule for the derivative of " + call + " in `" + argument + "`" +
                   (others.empty() ? "" : ", but in " + others) + " (?opencl_derivatives)");
}

void refuse_second_derivative(const std::string& call_and_arguments) {
  throw LimitError("there is no rule for the second derivative of " + call_and_arguments + " (?opencl_derivatives)");
}

const std::string* rule_text(bool twice, const std::string& name, const std::string& argument,
                             const std::string& form) {
  return twice ? rule_to_differentiate(name, argument, form) : derivative_rule(name, argument, form);
}

bool has_derivative(const std::string& name, const std::string& argument, bool twice) {
  for (const char* const form : {"value", "log", "end", "lower", "logupper", "tail", "quantile"})
    if (rule_text(twice, name, argument, form) != nullptr) return true;
  return false;
}

bool is_constant_one(const Graph& graph, int id) {
  const Node& node = graph.at(id);
  return node.op == Op::constant && node.type == Type::real && node.constant.real == 1;
}

int negative_node(Graph& graph, int a) { return plain_node(graph, Op::negative, Type::real, {a}); }

int sum_node(Graph& graph, int a, int b) {
  if (a == 0) return b;
  return b == 0 ? a : arithmetic_node(graph, Op::add, a, b);
}

int choice_node(Graph& graph, int test, int yes, int no) {
  yes = as_double(graph, yes);
  no = as_double(graph, no);
  return plain_node(graph, Op::select, Type::real, {test, yes, no});
}

bool is_step(const Graph& graph, int id, std::size_t k) {
  const Node& node = graph.at(id);
  if (node.op != Op::library && node.op != Op::elementary) return false;
  std::string argument = "x", other;
  if (node.op == Op::library) {
    const FunctionRow& row = *function_row(node.name);
    if (k >= row.columns.size()) return false;
    argument = row.columns[k];
    other = row.r_name;
  }
  const std::string* rule = rule_text(graph.twice, node.name, argument, "value");
  if (rule == nullptr && !other.empty()) rule = rule_text(graph.twice, other, argument, "value");
  return rule != nullptr && *rule == "0";
}

int log_of_zero(Graph& graph, int id) {
  const Node& node = graph.at(id);
  if (node.op != Op::library) return 0;
  const FunctionRow& row = *function_row(node.name);
  for (std::size_t k = 0; k < row.flags.size(); ++k) {
    const Node& flag = graph.at(node.args[row.columns.size() + k]);
    const bool logs = (row.flags[k] == "log" || row.flags[k] == "log.p") && row.name[0] != 'q';
    if (logs && flag.op == Op::constant && !is_missing(flag.constant) && as_real(flag.constant) != 0)
      return log_of_zero_node(graph, id);
  }
  return 0;
}

Partial partial_of(Graph& graph, int id, std::size_t k, bool zero_outside) {
  const Node node = graph.at(id);  // a copy: the graph grows
  const FunctionRow* const row = node.op == Op::library ? function_row(node.name) : nullptr;
  if (row != nullptr &&
      (k >= row->columns.size() || std::count(row->flags.begin(), row->flags.end(), row->columns[k]) > 0))
    return {};
  const std::string name = row != nullptr || node.op == Op::elementary ? node.name : op_name(node.op);
  const std::string argument = row != nullptr ? row->columns[k] : operand_name(name, k);
  Chained chained = chained_argument(graph, node.args[k]);
  if (!has_chained_rule(name, argument, chained.inside)) chained = {};
  Partial made;
  made.in = chained.u != 0 ? chained.u : node.args[k];
  if (row != nullptr) {
    const auto ruled = graph.ruled.find(id);
    const std::string of = ruled != graph.ruled.end() ? ruled->second : call_in_r(*row) + " in `" + argument + "`";
    const int before = graph.size();
    made.node = LibraryPartial(graph, id, *row, k, chained, zero_outside).node();
    for (int added = before + 1; added <= graph.size(); ++added) graph.ruled.emplace(added, of);
    return made;
  }
  if (node.op == Op::log_base) {
    made.node =
        rule_node(graph, k == 0 ? "1 / (x * log(base))" : "-.value / (base * log(base))", {"x", "base"}, node.args, id);
    return made;
  }
  std::vector<std::string> names;
  for (std::size_t one = 0; one < node.args.size(); ++one) names.push_back(operand_name(name, one));
  std::vector<int> args = node.args;
  const std::string* const rule = chained.u != 0 ? chained_rule(name, argument, chained.inside, "value")
                                                 : rule_text(graph.twice, name, argument, "value");
  if (rule == nullptr) refuse_derivative(name + "()", argument, name);
  if (chained.u != 0) {
    names.emplace_back("u");
    args.push_back(chained.u);
  }
  made.node = rule_node(graph, *rule, names, args, id);
  return made;
}

}  // namespace openclPort::expression
