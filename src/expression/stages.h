// stages -- an expression whose value needs others first: sums inside it, parts of vectors, gradients through both.
// Inputs of the graph that have a definition are computed in stages, each from what the ones before have left.
#pragma once

#include <string>
#include <vector>

#include "expression/compile.h"
#include "expression/recursion.h"
#include "expression/second.h"

namespace openclPort::expression {

struct LaunchText {
  KernelText text;
  KernelPlan plan;
};

// One launch, or values that are so small that no kernel is worth it.
struct Stage {
  enum class Kind {
    values,    // the definitions of `inputs`, computed by who runs the plan
    sums,      // reductions of values of one length, and products with the columns of matrices: an input for each
    segments,  // sums of one value by codes
    elements,  // the elements of one value
    rounds,    // a loop over data: `parts` are the numbers of its results
    result     // those of the function's own value
  };
  Kind kind = Kind::values;
  std::vector<int> inputs;          // numbers of the inputs that it defines: of sums, then terms, then elements
  std::vector<int> outputs;         // nodes of the kernel's outputs; sums that nobody needs come last
  std::vector<std::string> reduce;  // by output: the reduction, ""
  bool na_rm = false;
  std::vector<std::size_t> parts;  // by output: how many of the kernel's outputs it has
  std::vector<int> term_inputs;    // the inputs that the terms define
  std::vector<Term> terms;         // behind the outputs
  std::vector<int> each_inputs;    // behind the terms', those whose elements the kernel of sums leaves as it goes
  std::vector<int> each;           // their nodes
  int codes = 0;                   // node, of segments
  LaunchText usual, general;       // the second one for what the first one does not know
  int recursion = 0;               // node of the loop, of rounds
  RecursionText rounds;            // its kernel
};

struct Staged {
  int root = 0;
  std::vector<Slope> slopes;  // as long as their inputs, or of length one
  std::vector<Curve> curves;  // of the Hessian
  std::vector<int> diagonal;  // of moved slopes: by slope, whether its part of the Hessian is
  std::vector<Stage> stages;
  std::vector<int> watched;  // nodes that are computed for what R warns of alone
};

// Statements and assigned values that nothing needs, where R may warn of them: what is computed, so that it does.
std::vector<int> watched_statements(Graph& graph, const std::vector<int>& needed);

// Whether a graph needs this: it has inputs with a definition, or parts of vectors.
bool is_staged(const Graph& graph);
// Whether the gradient of a sum does: it is one in a vector, or in a matrix, that is more than coefficients.
bool needs_stages(const Graph& graph, const CompileRequest& request);

// The same of a function of one series, for all of them: the value has a number for each, and so have the slopes, one
// after the other of the arguments' elements.
Staged compile_series(Graph& graph, int root, const CompileRequest& request);

// `root`: what translate() gave. Throws NmathError.
Staged compile_stages(Graph& graph, int root, const CompileRequest& request);

}  // namespace openclPort::expression
