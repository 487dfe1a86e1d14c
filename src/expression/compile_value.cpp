// compile_value -- see compile.h
#include "expression/compile.h"

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/reductions.h"
#include "expression/stages.h"

namespace openclPort::expression {

namespace {

TextRequest text_request(const CompileRequest& request) {
  TextRequest wanted;
  wanted.na_rm = request.na_rm;
  const std::size_t general = request.form.find("general");
  wanted.general = general != std::string::npos;
  wanted.grouping = request.form.substr(0, general);
  while (!wanted.grouping.empty() && wanted.grouping.back() == ' ') wanted.grouping.pop_back();
  wanted.wide = request.wide;
  wanted.as_gpu = request.as_gpu;
  wanted.arithmetic = request.arithmetic;
  wanted.fold = request.fold;
  wanted.over = request.over;
  // A mean is a sum, and where values are left out the number of those that stay.
  wanted.reduce = request.reduce == Reduction::mean ? Reduction::sum : request.reduce;
  return wanted;
}

}  // namespace

Compiled compile_weights(Graph& graph, int root, const Function& function, const CompileRequest& request) {
  Compiled made;
  made.weights = row_weights(graph, root, request.reduce.name, request.gradient, *function.body);
  made.root = made.weights.root;
  TextRequest wanted = text_request(request);
  wanted.reduce = Reduction::sum;  // compilers take a tenth of the time that a kernel of elements alone takes them
  wanted.outputs = {made.root};
  for (const RowWeight& weight : made.weights.weights) {
    if (weight.product != 0) {
      Term term;
      term.product = weight.product;
      term.score = weight.node;
      wanted.terms.push_back(term);
    } else if (weight.left_matrix == 0) {
      wanted.outputs.push_back(weight.node);
    } else {
      wanted.each.push_back(weight.node);
    }
  }
  made.own = 1;
  made.text = kernel_text(graph, wanted);
  made.plan = kernel_plan(made.text);
  made.outputs = wanted.outputs;
  made.own_parts = typed_reduction(wanted.reduce, Type::real).state->parts.size();
  return made;
}

Compiled compile_value(Graph& graph, int root, const Function& function, const CompileRequest& request) {
  if (is_staged(graph))
    throw NmathError(
        "sums, parts and elements of vectors inside a function are computed in stages, which R's "
        "opencl_function() runs: a runner has one kernel");
  const bool reduces = request.reduce != Reduction::none;
  TextRequest wanted = text_request(request);
  Compiled made;
  made.root = reduces ? as_type(graph, root, reduced_type(request.reduce, graph.type(root))) : root;
  wanted.outputs = {made.root};
  if (request.reduce == Reduction::mean && request.na_rm) {
    const int missing = plain_node(graph, Op::is_na, Type::logical, {made.root});
    wanted.outputs.push_back(plain_node(graph, Op::negation, Type::logical, {missing}));
  }
  made.own = wanted.outputs.size();
  graph.twice = request.hessian;
  if (!request.gradient.empty())
    made.slopes = gradient_slopes(graph, made.root, request.gradient, reduces, *function.body);
  if (request.hessian) {
    const std::vector<Slope> second = slopes_of_slopes(graph, made.slopes, made.curves);
    made.slopes.insert(made.slopes.end(), second.begin(), second.end());
  }
  const GradientOutputs more = gradient_outputs(made.slopes, reduces);
  wanted.outputs.insert(wanted.outputs.end(), more.outputs.begin(), more.outputs.end());
  wanted.slopes = reduces ? more.slopes : 0;
  wanted.terms = more.terms;
  made.text = kernel_text(graph, wanted);
  made.plan = kernel_plan(made.text);
  made.outputs = wanted.outputs;
  if (!reduces) return made;
  made.own_parts = 0;
  for (std::size_t k = 0; k < made.own; ++k)
    made.own_parts += typed_reduction(wanted.reduce, made.text.types[k]).state->parts.size();
  return made;
}

}  // namespace openclPort::expression
