// match_call -- a call's arguments by the names of a function's formals, as R's match.call() gives them.
#include "expression/match_call.h"

#include <algorithm>

#include "base/near_names.h"
#include "base/nmath_error.h"

namespace openclPort::expression {

namespace {

enum class Use { none, partial, exact };

struct ArgumentMatcher {
  const std::vector<std::string>& formals;
  const Syntax& call;
  std::vector<int> given;       // by formal: number of the argument, from 1; 0: none
  std::vector<Use> formal_use;  // by formal
  std::vector<Use> used;        // by argument

  ArgumentMatcher(const std::vector<std::string>& of, const Syntax& in)
      : formals(of), call(in), given(of.size(), 0), formal_use(of.size(), Use::none), used(in.args.size(), Use::none) {}

  // The formals behind `...` are matched by whole names only.
  std::size_t before_dots() const {
    return static_cast<std::size_t>(std::find(formals.begin(), formals.end(), "...") - formals.begin());
  }

  std::string name(std::size_t k) const { return k < call.names.size() ? call.names[k] : ""; }

  [[noreturn]] void several_arguments(std::size_t formal) const {
    throw NmathError("formal argument \"" + formals[formal] + "\" matched by multiple actual arguments");
  }
  [[noreturn]] void several_formals(std::size_t k) const {
    throw NmathError("argument " + std::to_string(k + 1) + " matches multiple formal arguments");
  }

  void take(std::size_t formal, std::size_t k, Use use) {
    given[formal] = static_cast<int>(k) + 1;
    formal_use[formal] = use;
    used[k] = use;
  }

  void by_names() {
    for (std::size_t formal = 0; formal < formals.size(); ++formal) {
      for (std::size_t k = 0; k < used.size(); ++k) {
        if (name(k).empty() || name(k) != formals[formal]) continue;
        if (formal_use[formal] == Use::exact) several_arguments(formal);
        if (used[k] == Use::exact) several_formals(k);
        take(formal, k, Use::exact);
      }
    }
  }

  void by_beginnings() {
    for (std::size_t formal = 0; formal < before_dots(); ++formal) {
      if (formal_use[formal] != Use::none) continue;
      for (std::size_t k = 0; k < used.size(); ++k) {
        const std::string begin = name(k);
        if (used[k] == Use::exact || begin.empty() || formals[formal].compare(0, begin.size(), begin) != 0) continue;
        if (used[k] != Use::none) several_formals(k);
        if (formal_use[formal] == Use::partial) several_arguments(formal);
        take(formal, k, Use::partial);
      }
    }
  }

  void by_places() {
    std::size_t k = 0;
    for (std::size_t formal = 0; formal < before_dots(); ++formal) {
      if (given[formal] != 0) continue;
      while (k < used.size() && (used[k] != Use::none || !name(k).empty())) ++k;
      if (k == used.size()) return;
      take(formal, k, Use::partial);
    }
  }

  void refuse_unused() const {
    Syntax unused;
    unused.kind = Syntax::Kind::call;
    unused.name = "list";
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (used[k] != Use::none) continue;
      unused.args.push_back(call.args[k]);
      unused.names.push_back(name(k));
    }
    if (unused.args.empty()) return;
    const std::string text = syntax_text(unused);
    throw NmathError((unused.args.size() == 1 ? "unused argument " : "unused arguments ") +
                     text.substr(text.find('(')) +
                     (unused.names[0].empty() ? "" : did_you_mean(unused.names[0], formals)));
  }
};

// R's NULL is a text that is shown so.
bool is_null(const Syntax& syntax) {
  return syntax.kind == Syntax::Kind::text && syntax.name.empty() && syntax.shown == "NULL";
}

}  // namespace

bool Matched::has(const std::string& name) const {
  for (const auto& arg : args)
    if (arg.first == name) return true;
  return false;
}

const Syntax* Matched::find(const std::string& name) const {
  for (const auto& arg : args)
    if (arg.first == name) return is_null(*arg.second) ? nullptr : arg.second.get();
  return nullptr;
}

Matched match_call(const std::vector<std::string>& formals, const Syntax& call) {
  ArgumentMatcher matcher(formals, call);
  matcher.by_names();
  matcher.by_beginnings();
  matcher.by_places();
  Matched matched;
  if (matcher.before_dots() < formals.size()) {
    for (std::size_t k = 0; k < call.args.size(); ++k)
      if (matcher.used[k] == Use::none) matched.dots.emplace_back(matcher.name(k), call.args[k]);
  } else {
    matcher.refuse_unused();
  }
  for (std::size_t formal = 0; formal < formals.size(); ++formal) {
    const int k = matcher.given[formal];
    if (k != 0 && call.args[static_cast<std::size_t>(k) - 1] != nullptr)
      matched.args.emplace_back(formals[formal], call.args[static_cast<std::size_t>(k) - 1]);
  }
  return matched;
}

Matched match_named_call(const std::vector<std::string>& formals, const Syntax& call) {
  try {
    return match_call(formals, call);
  } catch (const NmathError& error) {
    throw NmathError(quoted_text(call) + ": " + error.what());
  }
}

std::string shown_text(const Syntax& syntax) { return syntax.shown.empty() ? syntax_text(syntax) : syntax.shown; }

}  // namespace openclPort::expression
