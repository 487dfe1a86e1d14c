// syntax -- an R function's body as plain structs, with the names that it calls resolved.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

struct Syntax;
using SyntaxPtr = std::shared_ptr<const Syntax>;
struct Function;

// What the name of a call stands for where it is called.
struct Called {
  enum class Kind {
    language,  // an entry of inst/spec/language.tsv
    library,   // a function of inst/spec/functions.tsv: `name` is the row's
    own,       // another function of the language: `function`
    refused    // what no expression can call: `name` is the error's text, for when the call is reached
  };
  Kind kind = Kind::language;
  std::string name;
  std::shared_ptr<const Function> function;
};

struct Syntax {
  enum class Kind { constant, text, symbol, call, empty, function };  // empty: of X[, 1]
  Kind kind = Kind::constant;
  int number = 0;     // of a call, as whoever made it counts them, from 1; 0: of a rule
  Constant constant;  // of `constant`
  std::string name;   // of a symbol; of a call, what it is called by ("dnorm", "stats::dnorm"); of `text`, the text
                      // (only of .c_text)
  Called called;      // of a call
  bool qualified = false;                    // a call by "stats::dnorm", which names of its own do not hide
  std::shared_ptr<const Function> function;  // of `function`: one that the body makes
  std::vector<SyntaxPtr> args;               // of a call
  std::vector<std::string> names;            // of the arguments, "" where it has none; as many as `args`, or none
  std::string shown;                         // R's text of it, for messages; "": syntax_text() makes one

  ~Syntax();  // without recursion, however deep
};

// A function that the body may call, or the body's own.
struct Function {
  std::vector<std::string> formals;
  std::vector<SyntaxPtr> defaults;  // nullptr: none
  SyntaxPtr body;
  // What names that are neither formals nor assigned stand for: numbers of inputs.
  std::vector<std::pair<std::string, int>> inputs;
  bool reduces = false;
};

std::string syntax_text(const Syntax& syntax);  // as R's deparse1() shows it

// An expression as text, in R's syntax without functions and subscripts: numbers, names, calls, operators, if, {}, <-.
// Names that are called are resolved by the tables: the language first, then functions by R's name. Throws NmathError.
SyntaxPtr parse(const std::string& text);
// A rule of a derivative: functions that only rules call come first, and calls have no numbers.
SyntaxPtr parse_rule(const std::string& text);
// A whole `function(x, a = 1) body`.
std::shared_ptr<const Function> parse_function(const std::string& text);

}  // namespace openclPort::expression
