// compile -- from a graph and what is wanted of it to a kernel's text, and what an engine is told of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "expression/graph.h"
#include "expression/prepare.h"
#include "expression/row_weights.h"
#include "expression/second.h"
#include "expression/slopes.h"
#include "expression/syntax.h"
#include "expression/writer.h"

namespace openclPort::expression {

struct CompileRequest {
  Reduction reduce;
  bool na_rm = false;
  std::vector<int> gradient;  // numbers of inputs
  bool hessian = false;       // and second derivatives in them
  bool weights = false;       // instead of all else: the Hessian's weights of rows (row_weights.h)
  bool rest = false;          // of the function's value what is beside the sum that these weights are of
  std::vector<int> moves;     // instead: inputs by which those of `gradient` move (moved_slopes())
  std::vector<int> diagonal;  // of these, those whose part of the Hessian has to be diagonal
  int effects = 0;            // the input that is integrated out (laplace.h); 0: none
  int effects_sign = 1;       // what the value is of the log-likelihood
  bool wide = false;
  std::string form;       // TextRequest's `grouping`, then "general" where it is
  bool fallback = false;  // for the fallback: no kernels, of a function in stages
  bool as_gpu = false;
  std::string arithmetic;
  std::vector<int> over;                                            // see TextRequest
  std::function<bool(const Graph&, int id, Constant& value)> fold;  // empty: nobody computes constants
};

struct Compiled {
  int root = 0;               // node of the value, in the type that it is reduced in
  std::vector<int> outputs;   // nodes
  std::size_t own = 1;        // of these, the value's: of means that leave values out, then what is counted
  std::size_t own_parts = 1;  // of the kernel's outputs, the value's
  std::vector<Slope> slopes;  // and behind them those of the Hessian, one for each of `curves`
  std::vector<Curve> curves;  // without nodes
  RowWeights weights;         // behind the sum of the rows' values: sums, sums of products, elements
  KernelText text;
  KernelPlan plan;
};

// A kernel that sums the weights of two numbers, and the products with those of one, and leaves the rows' own weights
// of two products. Throws as row_weights().
Compiled compile_weights(Graph& graph, int root, const Function& function, const CompileRequest& request);

// `root`: what translate() gave of `function`. Throws NmathError.
Compiled compile_value(Graph& graph, int root, const Function& function, const CompileRequest& request);

}  // namespace openclPort::expression
