// match_call -- a call's arguments by the names of a function's formals, as R's match.call() gives them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "expression/syntax.h"

namespace openclPort::expression {

// What is given, in the order of the formals.
struct Matched {
  std::vector<std::pair<std::string, SyntaxPtr>> args;
  std::vector<std::pair<std::string, SyntaxPtr>> dots;  // what a formal `...` takes, by their own names
  bool has(const std::string& name) const;
  const Syntax* find(const std::string& name) const;  // nullptr: not given, or R's NULL
};

// Exact names first, then beginnings of names, then places. Throws NmathError with R's text.
Matched match_call(const std::vector<std::string>& formals, const Syntax& call);
// The same, and an error says in which call.
Matched match_named_call(const std::vector<std::string>& formals, const Syntax& call);

// R's text of a part, for messages.
std::string shown_text(const Syntax& syntax);
inline std::string quoted_text(const Syntax& syntax) { return "`" + shown_text(syntax) + "`"; }

}  // namespace openclPort::expression
