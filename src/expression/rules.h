// rules -- partial derivatives of operations and functions, by inst/spec/derivatives.tsv, as parts of a graph.
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

// The rules' own calls may make a NaN where the value is one; that is no news. What a graph notes of warnings while
// there is one of these is forgotten.
class Quietly {
 public:
  explicit Quietly(Graph& graph);
  ~Quietly();
  Quietly(const Quietly&) = delete;
  Quietly& operator=(const Quietly&) = delete;

 private:
  void exchange();
  Graph& graph_;
  std::vector<Site> sites_;
  std::vector<Recycled> recycled_;
  std::vector<Single> singles_;
  std::vector<int> tests_;
};

// `name`: R's name; `row`: that of the table, which tells central and non-central distributions apart. The message says
// which arguments have a derivative.
// `call`: of the function, as the user has it, "dnorm()".
[[noreturn]] void refuse_derivative(const std::string& call, const std::string& argument, const std::string& row);
[[noreturn]] void refuse_second_derivative(const std::string& call_and_arguments);
// Whether there is a rule of any form; `twice`: see Graph.
bool has_derivative(const std::string& name, const std::string& argument, bool twice = false);
// A rule's text for derivatives that are differentiated in turn or not; nullptr where there is none.
const std::string* rule_text(bool twice, const std::string& name, const std::string& argument, const std::string& form);

bool is_constant_one(const Graph& graph, int id);
int negative_node(Graph& graph, int a);
int sum_node(Graph& graph, int a, int b);       // node 0 is 0
int multiple_node(Graph& graph, int a, int b);  // what is 1 leaves the other
// A choice between two doubles, as long as the longest of the three.
int choice_node(Graph& graph, int test, int yes, int no);
// Of each element of a matrix, whose rows have these products: the product of the others in its row.
int other_factors(Graph& graph, int x, int product);

// Whether node `id` is a step function of its argument number k, from 0: its derivative is 0, whatever the derivatives
// that it would be multiplied by are, and NaN where its value is.
bool is_step(const Graph& graph, int id, std::size_t k);
// The partial derivative of node `id` in node `in`: its argument number k, from 0, or that of which this is the
// reciprocal, the exponential or plogis(), where there is a rule for that (inst/spec/chained_derivatives.tsv). `node`
// is 0 where the argument says how the node is computed.
struct Partial {
  int in = 0, node = 0;
};
// `zero_outside`: 0 rather than NaN outside of the support of a log density or log probability.
Partial partial_of(Graph& graph, int id, std::size_t k, bool zero_outside = false);
// Of a log density or log probability, whether it is -Inf, a logical node; 0 of other nodes.
int log_of_zero(Graph& graph, int id);

}  // namespace openclPort::expression
