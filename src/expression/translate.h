// translate -- translates a function's body to a typed graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "expression/graph.h"
#include "expression/syntax.h"

namespace openclPort::expression {

// An argument or a variable that is no number, which the translation holds for.
struct KnownInput {
  enum class Kind { null, texts, missing };
  int input = 0;
  Kind kind = Kind::null;
  std::vector<std::string> texts;
};

// What stop() or stopifnot() says while a function is translated. `call`: as Assertion and UserWarning have it.
class Stopped : public NmathError {
 public:
  Stopped(const std::string& text, int of) : NmathError(text), call(of) {}
  const int call;
};

// What only the caller knows.
struct Asked {
  std::vector<KnownInput> known;
  // R's as.character() of a node's value, for the texts of stop() and warning(); empty: nobody tells.
  std::function<std::vector<std::string>(const Graph&, int id)> text;
  // R's value of a node, of any length: of conditions, flags and counts of draws.
  std::function<std::vector<Constant>(const Graph&, int id)> value;
  // The place of the element of this name in an input, from 1; 0: there is none.
  // `column`: of the column of a matrix.
  std::function<int(int input, const std::string& name, bool column)> position;
  // What round() or signif() gives for whole numbers in the running R: "double", "integer" or "same" (see
  // whole_rounding() in R).
  std::function<std::string(const std::string& name, Type type, bool digits_given, const Constant* digits)>
      whole_rounding;
};

// The node of the function's value; `graph.inputs` are set, and `function.inputs` has its formals, too. Throws
// NmathError.
int translate(const Function& function, Graph& graph, const Asked& asked);

// A rule of a derivative: `names` stand for `args`, .value for `own`. Choices are made element by element.
int translate_rule(const Syntax& rule, Graph& graph, const std::vector<std::string>& names,
                   const std::vector<int>& args, int own);

}  // namespace openclPort::expression
