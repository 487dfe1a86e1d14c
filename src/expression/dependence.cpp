// dependence -- which parts of a function's body depend on the arguments of its gradient.
#include "expression/dependence.h"

#include <algorithm>
#include <set>

#include "base/nmath_error.h"
#include "expression/match_call.h"
#include "expression/rules.h"
#include "expression/tables.h"

namespace openclPort::expression {

namespace {

constexpr int kMostCalls = 100;     // of calls within each other; of more the call will tell
constexpr int kMostFunctions = 20;  // of functions within each other

// Whether a part is computed in any case: not in what a condition decides on; unknown where there was more than is
// looked through.
enum class Sure { yes, no, unknown };

// Every part of an expression, itself first.
template <class See>
void each_part(const Syntax& expr, See see) {
  std::vector<const Syntax*> left = {&expr};
  while (!left.empty()) {
    const Syntax& part = *left.back();
    left.pop_back();
    see(part);
    for (const SyntaxPtr& arg : part.args)
      if (arg != nullptr) left.push_back(arg.get());
  }
}

bool mentions_return(const Syntax& expr) {
  bool found = false;
  each_part(expr, [&found](const Syntax& part) {
    found = found || ((part.kind == Syntax::Kind::call || part.kind == Syntax::Kind::symbol) && part.name == "return");
  });
  return found;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The names that the default of an argument speaks of: of "x, shape, rate = 1, scale = 1 / rate" those of scale are
// rate.
std::vector<std::string> named_by_default(const std::string& formals, const std::string& argument) {
  std::vector<std::string> names;
  for (const std::string& one : split_commas(formals)) {
    const std::size_t equals = one.find(" = ");
    if (equals == std::string::npos || one.substr(0, equals) != argument || one.substr(equals + 3) == "NULL") continue;
    each_part(*parse(one.substr(equals + 3)), [&names](const Syntax& part) {
      if (part.kind == Syntax::Kind::symbol) names.push_back(part.name);
    });
  }
  return names;
}

// Names of a library function's arguments, its flags last.
std::vector<std::string> argument_names_of(const FunctionRow& row) {
  std::vector<std::string> names;
  for (const std::string& one : split_commas(row.formals)) names.push_back(one.substr(0, one.find(" = ")));
  if (!row.draws()) names.insert(names.end(), row.flags.begin(), row.flags.end());
  return names;
}

// The form that the given arguments choose: with `ncp` the non-central one, with `mu` that by the mean.
const FunctionRow& chosen_form(const FunctionRow& row, const Matched& given) {
  std::string other;
  if (given.find("ncp") != nullptr)
    other = row.name.substr(0, 1) + 'n' + row.name.substr(1);
  else if (given.find("mu") != nullptr)
    other = row.name + "_mu";
  const FunctionRow* const found = other.empty() ? nullptr : function_row(other);
  return found == nullptr ? row : *found;
}

// A look through one function's body.
class Look {
 public:
  // `order` of derivatives: 1 or 2; 0: of a rule, which is differentiated once more.
  Look(const Function& function, const std::vector<std::string>& names, Sure sure, int depth, int level, int order)
      : names_(names.begin(), names.end()), sure_(sure), depth_(depth), level_(level), order_(order) {
    if (depth > 0) bound_.insert(function.formals.begin(), function.formals.end());
    each_part(*function.body, [this](const Syntax& part) {
      const bool assigns = part.kind == Syntax::Kind::call && (part.name == "<-" || part.name == "=");
      if (assigns && !part.args.empty() && part.args[0] != nullptr) bound_.insert(part.args[0]->name);
    });
  }

  Sure sure() const { return sure_; }

  // Whether a part's derivative can be other than 0.
  bool depends(const SyntaxPtr& expr) {
    if (expr == nullptr) return false;
    if (expr->kind == Syntax::Kind::symbol) return names_.count(expr->name) != 0;
    if (expr->kind != Syntax::Kind::call) return false;
    if (level_ > kMostCalls) {
      each_part(*expr, [this](const Syntax& part) {
        if (part.kind == Syntax::Kind::symbol) names_.insert(part.name);
      });
      sure_ = Sure::unknown;
      return true;
    }
    ++level_;
    const bool value = call_depends(*expr);
    --level_;
    return value;
  }

 private:
  bool call_depends(const Syntax& call) {
    // It may be a function of the body's own, or given what `...` is, of which the call will tell.
    const bool has_dots = std::any_of(call.args.begin(), call.args.end(), [](const SyntaxPtr& arg) {
      return arg != nullptr && arg->kind == Syntax::Kind::symbol && arg->name == "...";
    });
    if (has_dots || (!call.qualified && bound_.count(call.name) != 0)) {
      any_depends(call.args);
      sure_ = Sure::unknown;
      return true;
    }
    switch (call.called.kind) {
      case Called::Kind::own:
        return own_depends(call);
      case Called::Kind::library:
        return library_depends(call, *function_row(call.called.name));
      case Called::Kind::refused:
        throw NmathError(call.called.name);
      case Called::Kind::language:
        break;
    }
    return language_depends(call);
  }

  // All of them are looked through.
  bool any_depends(const std::vector<SyntaxPtr>& args, std::size_t from = 0) {
    bool any = false;
    for (std::size_t k = from; k < args.size(); ++k)
      if (depends(args[k])) any = true;
    return any;
  }

  bool language_depends(const Syntax& call) {
    const std::string& name = call.called.name;
    const std::string& kind = language_row(name)->at("kind");
    if (kind == "comparison" || kind == "logic" || kind == "size" || kind == "known" || name == "is.na" ||
        name == "is.nan" || name == "is.finite" || name == "is.infinite" || name == "as.integer" ||
        name == "as.logical") {
      any_depends(call.args);
      return false;
    }
    if (name == "{") {
      bool value = false;
      for (const SyntaxPtr& part : call.args) value = depends(part);
      return value;
    }
    if ((name == "<-" || name == "=") && call.args.size() == 2) return assignment_depends(call);
    if ((name == "if" || name == "switch") && !call.args.empty()) return condition_depends(call);
    if (name == "stop" || name == "warning" || name == "stopifnot") return false;
    if (name == "for" || name == "while" || name == "repeat") {  // what a round leaves the next one uses
      const Sure before = sure_;
      sure_ = Sure::no;
      any_depends(call.args);
      any_depends(call.args);
      sure_ = before == Sure::yes && mentions_return(call) ? Sure::unknown : before;
      return false;
    }
    if (name == "[") {
      const bool value = depends(call.args[0]);
      any_depends(call.args, 1);
      return value;
    }
    if (name == "any" || name == "all" || name == "seq_len" || name == "seq_along" || name == ":") {
      any_depends(call.args);
      return false;
    }
    if (name == ".c_text") {
      const bool value = any_depends(call.args, 1);
      if (value && sure_ == Sure::yes) throw LimitError("a text of OpenCL C has no derivative");
      return value;
    }
    if (name == "round" || name == "signif") {
      if (depends(given_as(match_call({"x", "digits"}, call), "digits"))) without_rule(name + "()", "digits", name);
    }
    if (name == "ifelse") {
      const Matched given = match_call({"test", "yes", "no"}, call);
      return any_depends({given_as(given, "yes"), given_as(given, "no")});
    }
    return any_depends(call.args);
  }

  bool assignment_depends(const Syntax& call) {
    const bool value = depends(call.args[1]);
    if (call.args[0] == nullptr) return value;
    const bool part = call.args[0]->kind == Syntax::Kind::call;  // v[k] <- value: others stay
    if (part && (call.args[0]->args.empty() || call.args[0]->args[0] == nullptr)) return value;
    const std::string& target = part ? call.args[0]->args[0]->name : call.args[0]->name;
    if (part && !value) return value;
    if (value)
      names_.insert(target);
    else if (sure_ == Sure::yes)
      names_.erase(target);
    return value;
  }

  bool condition_depends(const Syntax& call) {
    depends(call.args[0]);
    const Sure before = sure_;
    sure_ = Sure::no;
    const bool value = any_depends(call.args, 1);
    // With a return() what follows is not reached in any case.
    if (sure_ != Sure::unknown && !mentions_return(call)) sure_ = before;
    return value;
  }

  bool own_depends(const Syntax& call) {
    const Function& function = *call.called.function;
    const Matched given = match_call(function.formals, call);
    std::vector<std::string> used;
    for (const auto& arg : given.args)
      if (depends(arg.second)) used.push_back(arg.first);
    for (const auto& arg : given.dots)
      if (depends(arg.second)) used.push_back("...");
    if (depth_ > kMostFunctions) return !used.empty();
    Look inner(function, used, sure_, depth_ + 1, level_, order_);
    const bool value = inner.depends(function.body);
    if (inner.sure() == Sure::unknown) sure_ = Sure::unknown;
    return value;
  }

  bool library_depends(const Syntax& call, const FunctionRow& first) {
    const Matched given = match_named_call(argument_names_of(first), call);
    std::vector<std::string> used;
    for (const auto& arg : given.args)
      if (depends(arg.second)) used.push_back(arg.first);
    if (used.empty()) return false;
    if (first.draws()) {
      const bool any = std::any_of(used.begin(), used.end(),
                                   [&first](const std::string& name) { return has_name(first.columns, name); });
      if (any && sure_ == Sure::yes) throw LimitError("random numbers have no derivative");
      return true;
    }
    const FunctionRow& row = chosen_form(first, given);
    const std::string called =
        &row == &first ? row.r_name + "()" : first.r_name + (given.find("ncp") != nullptr ? "(ncp = )" : "(mu = )");
    std::vector<std::string> moving, written;  // `written`: as the call has them, `rate` of scale = 1 / rate
    for (const std::string& column : row.columns) {
      if (has_name(row.flags, column)) continue;
      const std::vector<std::string> from =
          given.find(column) != nullptr ? std::vector<std::string>{column} : named_by_default(row.formals, column);
      if (std::none_of(from.begin(), from.end(), [&used](const std::string& name) { return has_name(used, name); }))
        continue;
      const bool twice = order_ != 1;
      std::string shown = column;
      for (const std::string& name : from)
        if (has_name(used, name)) shown = name;
      if (!has_derivative(row.name, column, twice) && !has_derivative(row.r_name, column, twice))
        without_rule(called, shown, row.name);
      moving.push_back(column);
      if (!has_name(written, shown)) written.push_back(shown);
    }
    if (order_ == 2 && sure_ == Sure::yes) check_second(row, moving, called, written);
    return true;
  }

  // Of each argument some form of its rule has a derivative in all that move.
  void check_second(const FunctionRow& row, const std::vector<std::string>& moving, const std::string& called,
                    const std::vector<std::string>& written) const {
    std::vector<std::string> names = moving;
    names.emplace_back(".value");
    for (const std::string& column : moving) {
      int forms = 0, failed = 0;
      for (const char* const form : {"value", "log", "lower", "logupper", "tail", "quantile"}) {
        const std::string* rule = rule_text(true, row.name, column, form);
        if (rule == nullptr) rule = rule_text(true, row.r_name, column, form);
        if (rule == nullptr) continue;
        ++forms;
        Function function;
        function.body = parse_rule(*rule);
        try {
          Look(function, names, Sure::yes, depth_, level_, 0).depends(function.body);
        } catch (const NmathError&) {
          ++failed;
        }
      }
      if (forms == 0 || failed < forms) continue;
      std::string all;
      for (const std::string& one : written) all += (all.empty() ? "`" : " and `") + one + "`";
      refuse_second_derivative(called + " in " + all);
    }
  }

  void without_rule(const std::string& called, const std::string& argument, const std::string& row) const {
    if (sure_ == Sure::yes) refuse_derivative(called, argument, row);
  }

  static SyntaxPtr given_as(const Matched& given, const std::string& name) {
    for (const auto& arg : given.args)
      if (arg.first == name) return arg.second;
    return nullptr;
  }

  std::set<std::string> names_;  // that depend on the gradient's arguments
  std::set<std::string> bound_;  // that are assigned, or arguments, and may be functions
  Sure sure_;
  const int depth_;  // of functions within each other
  int level_;        // of calls within each other
  const int order_;
};

}  // namespace

void check_derivatives(const Function& function, const std::vector<std::string>& gradient, bool twice) {
  if (gradient.empty()) return;
  Look(function, gradient, Sure::yes, 0, 0, twice ? 2 : 1).depends(function.body);
}

}  // namespace openclPort::expression
