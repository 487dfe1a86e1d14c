// adjoint_backward -- the sweep from a value down to the arguments. Its rules are in adjoint_backward.cpp, those of
// values that are computed in stages in adjoint_stages.cpp.
#pragma once

#include <map>
#include <vector>

#include "expression/adjoint.h"
#include "expression/build.h"

namespace openclPort::expression {

// What is handed to a node: the node of the adjoint, 0 for 1; a logical node, FALSE in elements that the node has no
// part in, 0 where there are none; and the node of the vector that the elements are counted by where a longer one was
// cut to its length, as ifelse() cuts its branches, 0 where none was.
struct Adjoint {
  int value = 0, mask = 0, cut = 0;
};

class Backward {
 public:
  Backward(Graph& graph, const std::vector<int>& wrt, bool staged);
  Adjoints from(int root);

 private:
  static std::size_t at(int id) { return static_cast<std::size_t>(id) - 1; }
  static bool has_definitions(const Graph& graph);
  // The nodes that a node may hand an adjoint to, all of them older.
  std::vector<int> followed(const Node& node);
  int input_node(int number);
  bool input_depends(int number);
  // By node: whether an input of `wrt` has part in it.
  void note_depending();
  std::size_t place(int input) const;
  void hand(int id, const Adjoint& adjoint);
  // In stages an adjoint is as long as what it is handed to, or of length one for all of its elements: what an element
  // has part in several times is added up.
  Adjoint fitted(int id, const Adjoint& adjoint);
  Adjoint lengthened(int id, Adjoint adjoint);
  // The adjoint's value, one for each element of node `id`.
  int spread_over(int id, const Adjoint& adjoint);
  // What was handed to a node, as one adjoint for each way that its elements are counted.
  std::vector<Adjoint> totals(const std::vector<Adjoint>& adjoints);
  Adjoint total(const std::vector<Adjoint>& adjoints);
  // 0 where the mask is FALSE.
  int value(const Adjoint& adjoint);
  int given_or_one(const Adjoint& adjoint) { return adjoint.value != 0 ? adjoint.value : constant_node(graph_, 1.0); }
  int logical(Op op, const std::vector<int>& args) { return plain_node(graph_, op, Type::logical, args); }
  // A node's values at the elements that `cut` counts.
  int cut_to(int id, int cut);
  // Whether an adjoint may be 0 because elements were not taken, as of y[1:3]; they have no part, as those of a branch.
  bool has_gaps(int id);
  Adjoint without_gaps(Adjoint adjoint);
  // The adjoint times a partial derivative.
  Adjoint scaled(Adjoint adjoint, int partial);
  Adjoint spared(int id, const Adjoint& adjoint, Adjoint product);
  bool is_reciprocal(const Node& node, std::size_t k);
  Adjoint by_value(int id, const Node& node, Adjoint adjoint);
  void pass(int id, const Adjoint& given);
  Adjoint of_step(int id, Adjoint adjoint);
  Adjoint negative(Adjoint adjoint);
  // The adjoint of a choice between two nodes: of the one that is taken, and NA for both where the test is missing.
  void choose(int test, const Adjoint& adjoint, int yes, int no);
  // `none`: where NA goes both ways.
  void either_way(int test, Adjoint adjoint, int none, int asked, const std::vector<int>& branches);
  void hand_to_branches(int test, const Adjoint& adjoint, const std::vector<int>& branches,
                        const std::vector<int>& masks);
  // That of the argument that is taken, the first one at a tie. With `flag`, R's na.rm, the other one is taken where
  // one is missing.
  void extreme(const Node& node, const Adjoint& adjoint);
  // t(X) %*% score, computed before it is handed on.
  void product(int id, const Node& node, const Adjoint& adjoint);
  void hand_to_part(const Node& node, int value);
  int of_slice(const Node& node, const Adjoint& adjoint);
  int of_gather(const Node& node, const Adjoint& adjoint);
  void column(int id, const Node& node, const Adjoint& adjoint);
  int of_each(const Node& node, const Adjoint& adjoint);
  int of_part_sums(const Node& node, const Adjoint& adjoint);
  void row_reduced(int id, const Node& node, const Adjoint& adjoint);
  int whole_value(const Adjoint& adjoint);
  int reversed(int id);
  // Of cumsum(): sums from the end.
  void cumulated(const Node& node, const Adjoint& adjoint);
  void concatenated(const Node& node, const Adjoint& adjoint);
  // Loops over data: what was handed to their results is taken in, then the loop goes backwards
  // (adjoint_recursion.cpp).
  void recursion_part(const Node& node, const Adjoint& adjoint);
  void recursion(int id);
  void patched(const Node& node, const Adjoint& adjoint);
  // Of min() and max() the elements that are least or largest have equal parts; of prod() each has the others' product.
  void reduced(int id, const Node& node, Adjoint adjoint);
  Graph& graph_;
  const std::vector<int>& wrt_;
  const bool staged_;
  int from_ = 0;                               // the node that hands on
  std::vector<char> depends_;                  // by node of the graph as it was
  std::vector<std::vector<Adjoint>> handed_;   // by node
  std::map<int, bool> gaps_;                   // has_gaps() by node
  std::map<int, std::map<int, int>> results_;  // by node of a loop and number of its result, the adjoint
  Adjoints found_;
};

}  // namespace openclPort::expression
