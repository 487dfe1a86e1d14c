// expression_variant -- one kernel of an expression, and which calls it is right for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/fused.h"
#include "expression/compile.h"
#include "expression/graph.h"

namespace openclPort {

struct ExpressionVariant {
  expression::Graph graph;
  expression::Compiled compiled;
  std::vector<double> measures;  // of the inputs that it was made for; see expression::shape_measures()
  // Which measure each of the kernel's lengths is, and the number of elements; -1: none, it is the same for all calls.
  std::vector<int> length_measures;
  int n_measure = -1;
  std::shared_ptr<FusedKernel> kernel;

  // Numbers that the kernel is given, for a call with these measures.
  std::vector<double> lengths(const std::vector<double>& now) const;
  std::size_t elements(const std::vector<double>& now) const;
  // Whether a call has raised the flag that says that it is one for the general form.
  bool needs_general(const std::vector<int>& flags) const;
};

// The program of a kernel's text: the files of the library that it calls, then itself.
std::string expression_program(const std::string& text);
// What an engine is told of a kernel. `options`: of the compiler.
FusedSpec fused_spec_of(const expression::KernelText& text, const expression::KernelPlan& plan,
                        const std::string& options = "");

// Room for the results of a call, which it points to.
class ExpressionResults {
 public:
  ExpressionResults(const FusedSpec& spec, FusedCall& call);  // of a reduction
  // The sum of what the blocks gave for number k of output j; one that is no sum has one block's result, the joint one.
  double total(std::size_t j, std::size_t k = 0) const;

 private:
  struct Output {
    ElementType type;
    std::size_t width = 1;
    std::vector<double> words;  // of eight bytes, whatever lies in them
    double at(std::size_t i) const;
  };
  std::size_t results_;
  std::vector<Output> outputs_;
};

// What a reduction gives, of the parts that were left of all values: as the column `joined` of inst/spec/reductions.tsv
// has it in R. `divisor`: of a mean.
using PartsJoiner = double (*)(const ExpressionResults& parts, bool na_rm, double divisor);
PartsJoiner parts_joiner(const expression::Reduction& reduce);  // throws where there is none

}  // namespace openclPort
