// translate -- a function's body as a typed graph.
#ifndef NMATHOPENCL_EXPRESSION_TRANSLATE_H
#define NMATHOPENCL_EXPRESSION_TRANSLATE_H

#include <functional>
#include <vector>

#include "expression/graph.h"
#include "expression/syntax.h"

namespace openclPort {
namespace expression {

// What only the caller knows.
struct Asked {
  // R's value of a node, of any length: of conditions, flags and counts of draws.
  std::function<std::vector<Constant>(const Graph&, int id)> value;
  // The place of the element of this name in an input, from 1; 0: there is none.
  std::function<int(int input, const std::string& name)> position;
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

}  // namespace expression
}  // namespace openclPort

#endif
