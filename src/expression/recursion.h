// recursion -- a loop over rows of data, whose rounds depend on the ones before: a launch of its own, in which one
// work-item goes round after round.
//
// A round is a graph of its own, `body`, whose inputs are all of length one: what differs from round to round, what was
// carried over from the round before, numbers from outside, elements of vectors. How often the loop goes round, how
// long vectors are, and where it begins are arguments of its kernel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

struct Recursion {
  // What an input of the body is. `number`, from 1: of `carried`, of an argument, or of `vectors`.
  struct Local {
    enum class Kind {
      counter,  // the loop's variable
      round,    // the number of the round, from 1
      carried,  // what the round before has left
      scalar,   // an argument, one number
      element,  // of an argument, a vector
      own       // an element of one of `vectors`, as the rounds before have left it
    };
    Kind kind = Kind::scalar;
    int number = 0;
    int place = 0;              // node of the element's number, from 1
    double skip = 0;            // elements of the argument that come before: of columns of matrices
    double length = 0;          // elements that numbers reach
    bool strict = false;        // none may be beyond the end
    std::vector<Guard> guards;  // R reads it only where the tests, nodes of the body, go these ways
  };
  struct Carried {
    int start = 0;  // number of the argument that it begins as; 0: as 0
    int next = 0;   // node
    Type type = Type::real;
  };
  // A vector of doubles that rounds write to.
  struct Vector {
    double length = 0;
    int start = 0;  // number of the argument, a vector or a number for all elements, that it begins as; 0: all are
                    // written before they are read; -1: zeros
    std::vector<std::pair<double, int>> patches;  // then elements, from 1, which begin as arguments
  };
  // In this order, at the end of a round.
  struct Write {
    int vector = 0, place = 0, value = 0;  // the number of the vector, nodes
    bool adds = false;                     // to what is there; nothing where there is no such element
  };

  // Of a loop for each of several series: what an argument is for one of them.
  enum class Taken { common, number, rows };

  bool of_series = false;
  std::vector<Taken> kinds;  // by argument
  Graph body;
  std::vector<Local> locals;  // by input of `body`
  std::vector<Carried> carried;
  std::vector<Vector> vectors;
  std::vector<Write> writes;
  std::vector<int> holds;  // nodes that R would stop at, were they not TRUE
  std::vector<int> codes;  // of these, whether a code says an element that there is
  double from = 1, step = 1, rounds = 0;
  bool backwards = false;  // the last round comes first

  bool is_taken(int argument, Taken kind) const {
    return of_series && kinds[static_cast<std::size_t>(argument) - 1] == kind;
  }
  // Results have numbers from 1: those of `carried`, then those of `vectors`.
  int result_of_vector(std::size_t k) const { return static_cast<int>(carried.size() + k) + 1; }
};

// The node of a result of a recursion, computed before what uses it.
// The loop as a node of the graph, of these arguments.
int recursion_node(Graph& graph, std::shared_ptr<Recursion> made, std::vector<int> args);
int recursion_result(Graph& graph, int recursion, int number, Type type, double length);
// A node that a recursion takes as an argument: a constant, or an input.
int recursion_argument(Graph& graph, int id);

// An input of the body, which is there only once; `name` tells equal ones.
int body_input(Recursion& made, Type type, const Recursion::Local& local);

// What is asked of the body of a loop: nodes of the graph that it was translated into.
struct RoundsAsked {
  int loop = 0;     // Input::round
  int counter = 0;  // the inputs of the graph, by number
  int round = 0;
  std::vector<int> carried;       // inputs, by number of `carried`
  std::vector<int> vectors;       // inputs, by number of `vectors`
  std::vector<int> next;          // nodes of length one
  std::vector<int> next_element;  // of longer ones, which of their elements, from 0; as many as `next`
  struct Write {
    int vector = 0, place = 0, value = 0;
  };
  std::vector<Write> writes;
  std::vector<int> holds, codes;
  std::string what;  // the loop, for messages
  double most = 64;  // elements of vectors from outside that are used as a whole
};

// Sets body, locals, next, writes and holds. `args`: nodes that the loop takes from outside.
void write_body(Graph& graph, Recursion& made, const RoundsAsked& asked, std::vector<int>& args);
// Whether two lists of elements of nodes are the same computations of a round.
bool same_in_body(Graph& graph, const RoundsAsked& asked, const std::vector<std::pair<int, double>>& first,
                  const std::vector<std::pair<int, double>>& second);

// recursion_text.cpp
struct RecursionText {
  std::string text, cost;
  std::vector<int> columns;  // numbers of arguments that are vectors, in the kernel's order
  std::vector<int> scalars;  // and of those that are numbers
  std::vector<double> lengths;
};
struct TextRequest;
RecursionText recursion_text(const Graph& graph, int node, const TextRequest& request);

}  // namespace openclPort::expression
