// expression_test -- an R function as text, from there to a graph and to a kernel's text: what R's side does otherwise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expression/slopes.h"
#include "expression/syntax.h"
#include "expression/translate.h"
#include "expression/writer.h"

namespace expression_test {

using namespace openclPort::expression;

Input real(const std::string& name, double length = 1);
Input whole(const std::string& name, double length = 1);
Input logical(const std::string& name, double length = 1);
Input matrix(const std::string& name, double rows, double columns, Type type = Type::real);

Asked nobody_knows();          // whatever is asked for fails the test's function by an NmathError
Asked answer(Constant value);  // one value for every question; whole numbers are rounded to doubles
Asked answer(bool value);

struct Translated {
  std::shared_ptr<const Function> function;
  Graph graph;
  int root = 0;

  const Node& node() const { return graph.at(root); }
  const Node& arg(std::size_t k) const { return graph.at(node().args.at(k)); }
};

std::shared_ptr<const Function> function_of(const std::string& text, const std::vector<Input>& inputs);
Translated translated(const std::string& text, const std::vector<Input>& inputs, const Asked& asked = nobody_knows());

// A call of opencl_function(): what is asked of the compiler.
struct Case {
  std::string name, text;
  std::vector<Input> inputs;
  std::string reduce;
  bool na_rm = false;
  std::string way;  // "", "by" or "by order"
  bool general = false;
  std::vector<int> gradient;  // numbers of inputs
  bool wide = false, as_gpu = false;
};

struct Compiled {
  Graph graph;
  int root = 0;
  std::vector<int> outputs;
  std::vector<Slope> slopes;
  KernelText text;
};

Compiled compiled(const Case& one, const std::string& arithmetic = "");

// Calls of every kind, whose texts have to compile (write_expressions).
std::vector<Case> all_cases();

}  // namespace expression_test
