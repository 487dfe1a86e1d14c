// expression_test -- see the header.
#include "expression_test.h"

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/reductions.h"

namespace expression_test {

namespace {

Input vector_of(const std::string& name, Type type, double length) {
  Input input;
  input.name = name;
  input.type = type;
  input.length = length;
  return input;
}

}  // namespace

Input real(const std::string& name, double length) { return vector_of(name, Type::real, length); }
Input whole(const std::string& name, double length) { return vector_of(name, Type::integer, length); }
Input logical(const std::string& name, double length) { return vector_of(name, Type::logical, length); }

Input matrix(const std::string& name, double rows, double columns, Type type) {
  Input input = vector_of(name, type, rows * columns);
  input.matrix = true;
  input.rows = rows;
  input.columns = columns;
  return input;
}

Asked nobody_knows() {
  Asked asked;
  asked.value = [](const Graph&, int) -> std::vector<Constant> {
    throw openclPort::NmathError("a value was asked for");
  };
  asked.whole_rounding = [](const std::string&, Type, bool, const Constant*) -> std::string {
    throw openclPort::NmathError("a rounding was asked for");
  };
  return asked;
}

Asked answer(Constant value) {
  Asked asked;
  asked.value = [value](const Graph&, int) { return std::vector<Constant>{value}; };
  asked.whole_rounding = [](const std::string&, Type, bool, const Constant*) { return std::string("double"); };
  return asked;
}

Asked answer(bool value) { return answer(whole_constant(Type::logical, value ? 1 : 0)); }

std::shared_ptr<const Function> function_of(const std::string& text, const std::vector<Input>& inputs) {
  auto function = std::make_shared<Function>(*parse_function(text));
  for (std::size_t k = 0; k < inputs.size(); ++k)
    function->inputs.emplace_back(inputs[k].name, static_cast<int>(k) + 1);
  return function;
}

Translated translated(const std::string& text, const std::vector<Input>& inputs, const Asked& asked) {
  Translated made;
  made.function = function_of(text, inputs);
  made.graph.inputs = inputs;
  made.root = translate(*made.function, made.graph, asked);
  return made;
}

Compiled compiled(const Case& one, const std::string& arithmetic) {
  Compiled made;
  const auto function = function_of(one.text, one.inputs);
  Graph& graph = made.graph;
  graph.inputs = one.inputs;
  made.root = translate(*function, graph, answer(true));
  TextRequest wanted;
  wanted.reduce = reduction_named(one.reduce);
  wanted.na_rm = one.na_rm;
  const bool reduces = wanted.reduce != Reduction::none;
  if (reduces) made.root = as_type(graph, made.root, reduced_type(wanted.reduce, graph.type(made.root)));
  wanted.outputs = {made.root};
  if (wanted.reduce == Reduction::mean) {  // a sum, and how many values there are
    if (one.na_rm) {
      const int missing = plain_node(graph, Op::is_na, Type::logical, {made.root});
      wanted.outputs.push_back(plain_node(graph, Op::negation, Type::logical, {missing}));
    }
    wanted.reduce = Reduction::sum;
  }
  if (!one.gradient.empty()) made.slopes = gradient_slopes(graph, made.root, one.gradient, reduces, *function->body);
  const GradientOutputs more = gradient_outputs(made.slopes, reduces);
  wanted.outputs.insert(wanted.outputs.end(), more.outputs.begin(), more.outputs.end());
  wanted.slopes = reduces ? more.slopes : 0;
  wanted.terms = more.terms;
  wanted.general = one.general;
  wanted.grouping = one.way;
  wanted.wide = one.wide;
  wanted.as_gpu = one.as_gpu;
  wanted.arithmetic = arithmetic;
  made.outputs = wanted.outputs;
  made.text = kernel_text(graph, wanted);
  return made;
}

}  // namespace expression_test
