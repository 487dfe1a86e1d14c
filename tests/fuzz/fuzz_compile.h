// fuzz_compile -- a function through the whole compiler of expressions, as the package asks it.
#ifndef NMATHOPENCL_FUZZ_COMPILE_H
#define NMATHOPENCL_FUZZ_COMPILE_H

#include <climits>
#include <string>
#include <vector>

#include "expression/build.h"
#include "expression/dependence.h"
#include "expression/prepare.h"
#include "expression/reductions.h"
#include "expression/slopes.h"
#include "expression/translate.h"
#include "fuzz.h"

namespace fuzz {

using namespace openclPort::expression;

// Bytes as small numbers; 0 where there are no more.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  unsigned below(unsigned count) { return empty() ? 0 : data_[at_++] % count; }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[below(static_cast<unsigned>(items.size()))];
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

inline const std::vector<std::string>& input_names() {
  static const std::vector<std::string> names = {"x", "y", "n", "l", "s", "X", "Z", "b"};
  return names;
}

inline std::vector<Input> some_inputs(Choices& choices) {
  const std::vector<double> lengths = {1, 2, 3, 6, 7, 3e9};
  std::vector<Input> inputs;
  for (const std::string& name : input_names()) {
    Input input;
    input.name = name;
    input.type = name == "n" || name == "Z" ? Type::integer : name == "l" ? Type::logical : Type::real;
    input.matrix = name == "X" || name == "Z";
    input.length = name == "s" ? 1 : choices.one_of(lengths);
    if (input.matrix) {
      input.rows = input.length;
      input.columns = 1 + choices.below(3);
      input.length *= input.columns;
    }
    if (name == "b") input.length = inputs[5].columns;
    inputs.push_back(input);
  }
  return inputs;
}

inline Asked some_answers(Choices& choices) {
  Asked asked;
  asked.value = [&choices](const Graph&, int) {
    const std::vector<Constant> values = {whole_constant(Type::logical, 1), whole_constant(Type::logical, 0),
                                          real_constant(3.0), whole_constant(Type::integer, INT_MIN)};
    return std::vector<Constant>(choices.below(8) == 7 ? choices.below(3) : 1, choices.one_of(values));
  };
  asked.whole_rounding = [&choices](const std::string&, Type, bool, const Constant*) {
    return choices.one_of(std::vector<std::string>{"double", "integer", "same"});
  };
  return asked;
}

// What holds of every graph and text that comes out.
inline void check_kernel(const Graph& graph, const KernelText& text) {
  for (int id = 1; id <= graph.size(); ++id)
    for (const int arg : graph.at(id).args) expect(0 < arg && arg < id, "arguments come before what is made of them");
  const KernelPlan plan = kernel_plan(text);
  expect(plan.items.size() == text.items.size() && plan.index.size() == text.items.size(), "each argument has a plan");
  expect(text.text.find("__kernel void nmath_fused(") != std::string::npos, "there is a kernel", text.text);
  expect(text.text.find('@', text.text.find("__kernel")) == std::string::npos, "columns have their places", text.text);
}

// Compiles it or throws NmathError.
inline void compile(std::shared_ptr<Function> function, Choices& choices) {
  Graph graph;
  graph.inputs = some_inputs(choices);
  for (std::size_t k = 0; k < graph.inputs.size(); ++k)
    function->inputs.emplace_back(graph.inputs[k].name, static_cast<int>(k) + 1);
  const bool has_gradient = choices.below(2) == 1;
  std::vector<int> gradient;
  std::vector<std::string> gradient_names;
  for (const int k : {1, 2, 5, 8})
    if (has_gradient && choices.below(2) == 1) gradient.push_back(k);
  for (const int k : gradient) gradient_names.push_back(graph.input(k).name);
  check_derivatives(*function, gradient_names);

  int root = translate(*function, graph, some_answers(choices));
  TextRequest wanted;
  const unsigned which = choices.below(16);
  if (which < reduction_rows().size()) wanted.reduce = reduction_named(reduction_rows()[which].name);
  const bool reduces = wanted.reduce != Reduction::none;
  if (reduces) root = as_type(graph, root, reduced_type(wanted.reduce, graph.type(root)));
  wanted.outputs = {root};
  std::vector<Slope> slopes;
  if (!gradient.empty()) slopes = gradient_slopes(graph, root, gradient, reduces, *function->body);
  const GradientOutputs more = gradient_outputs(slopes, reduces);
  wanted.outputs.insert(wanted.outputs.end(), more.outputs.begin(), more.outputs.end());
  wanted.slopes = reduces ? more.slopes : 0;
  wanted.terms = more.terms;
  wanted.na_rm = choices.below(2) == 1;
  wanted.general = choices.below(2) == 1;
  wanted.wide = choices.below(2) == 1;
  wanted.as_gpu = choices.below(2) == 1;
  if (reduces) wanted.grouping = choices.one_of(std::vector<std::string>{"", "by", "by order"});
  if (choices.below(2) == 1)
    wanted.fold = [](const Graph& made, int id, Constant& value) {
      value.type = made.type(id);
      value.whole = 1;
      value.real = 0.25;
      return true;
    };
  check_kernel(graph, kernel_text(graph, wanted));
}

}  // namespace fuzz

#endif
