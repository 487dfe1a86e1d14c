// translate_reductions -- sum(), mean() and the like inside a body.
#include <limits>
#include <string>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/reductions.h"
#include "expression/translator.h"

namespace openclPort::expression {

// sum(), mean() and the like inside a body.
int translate_reduction(Translator& t, const Syntax& call, Scope& scope) {
  const Reduction op = {call.called.name};
  bool na_rm = false;
  std::vector<int> parts;
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    const std::string name = k < call.names.size() ? call.names[k] : "";
    if (name == "na.rm") {
      const Decided flag = decide(t, *call.args[k], scope);
      if (flag.length != 1 || is_missing(flag.value[0])) throw NmathError(quoted_text(call) + ": invalid na.rm");
      na_rm = as_real(flag.value[0]) != 0;
    } else if (name.empty() || (name == "x" && op == Reduction::mean)) {
      parts.push_back(translate_given(t, call.args[k].get(), scope));
    } else {
      throw NmathError(quoted_text(call) + ": `" + name + " =` is not part of the language");
    }
  }
  if (parts.empty()) throw NmathError(quoted_text(call) + ": there is nothing to reduce");
  if (op == Reduction::mean && parts.size() > 1) throw NmathError(quoted_text(call) + ": mean() takes one vector");
  int x = parts[0];
  if (parts.size() > 1) x = concat_node(t.graph, parts);
  const bool is_min = call.called.name == "min", is_extreme = is_min || call.called.name == "max";
  const std::string text =
      std::string("no non-missing arguments to ") + op.name + "; returning " + (is_min ? "Inf" : "-Inf");
  if (is_extreme && t.graph.length(x) == 0) {
    warn(t, text, call.number);
    return constant_node(t.graph,
                         is_min ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
  }
  const int value = reduced_matrix(t.graph, op.name, na_rm, x);
  if (is_extreme && na_rm)
    add_site(t.graph, t.graph.input(t.graph.at(value).first).definition, call.number, "none", text);
  return value;
}

}  // namespace openclPort::expression
