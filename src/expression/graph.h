// graph -- the typed graph of an expression: for each part of an R function its type, its length, and the parts that it
// is computed from. Equal subexpressions share one node. Knows neither R nor devices.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace openclPort::expression {

enum class Type { logical, integer, real };

enum class Op {
  constant,  // a number
  input,     // argument or variable number `first`, with its own type and length
  draw,      // random numbers of the function `name`, site number `first`: arguments are the parameters
  as_double,
  as_logical,
  as_integer,
  bare,  // the same value without attributes, or, by `name`, with those that "c", "drop" or "unname" leave it
  add,
  subtract,
  multiply,
  divide,
  power,
  modulo,
  quotient,  // %/%
  negative,
  plus,
  equal,
  unequal,
  less,
  greater,
  less_equal,
  greater_equal,
  both,        // &
  either,      // |
  negation,    // !
  exclusive,   // xor()
  select,      // ifelse(): arguments test, yes, no
  elementary,  // the function `name` of the language's table
  library,     // the function `name` of inst/spec/functions.tsv: arguments are its columns, then its flags
  c_text,      // the C expression `name` of its arguments, which it calls by `names` ("x,a")
  absolute,
  log,
  log_base,
  atan2,
  pmin,  // `flag`: na.rm
  pmax,
  is_na,
  is_nan,
  is_finite,
  is_infinite,
  column,   // column j = `second`, from 1, of matrix input `first`: X[, j] with `flag`, else a matrix of one column
  product,  // X %*% b of matrix input `first` and vector input `second`
  cut,      // the first argument's elements that the second one has: only of derivatives
  slice,    // elements first, first + second, ... of the first argument; `flag`: `first` counts from behind its end
  gather,   // the first argument's elements with the numbers of the second one, from 1: NA of NA and beyond the end
  // What no kernel has in it: inputs are defined by these (Input::definition).
  reduce,       // the reduction `name` of inst/spec/reductions.tsv; `flag`: na.rm; `second`: Graph::whole_sums
  concat,       // c()
  cumsum,       // cumsum()
  count,        // how many elements the argument has, a double
  spread,       // `slice` the other way: 0 where the elements of the argument are not put
  segments,     // sums of the first argument's elements by the numbers of the second one; `flag`: tapply()'s array
  crossprod,    // t(X) %*% score of the product node `first`: arguments score and, of rows that have part, mask
  materialize,  // the argument's elements, computed
  fill,         // the argument, a number, so many times
  patch,        // the first argument's elements, but number `first` is the second argument
  each,         // each of the argument's elements so many times as it takes to be as long as the node
  position,     // each element's number, from 0
  part_sums,   // sums of the argument's columns, `first` of them, each in as many parts as the node has elements for it
  row_reduce,  // the reduction `name` of the argument's rows: a matrix, column by column, of as many rows as the node
  recursion,   // loop number `first` over rows of data (recursion.h): arguments are what it takes from outside
  recursion_part  // result number `first` of the argument, a recursion
};

template <typename... Ops>
constexpr bool is_one_of(Op op, Ops... ops) {
  return ((op == ops) || ...);
}
constexpr bool is_comparison(Op op) {
  return is_one_of(op, Op::equal, Op::unequal, Op::less, Op::greater, Op::less_equal, Op::greater_equal);
}
const char* op_name(Op op);            // as R and the table of the language have it: "+", "as_double", "is.na"
Op op_named(const std::string& name);  // throws where there is none
bool has_no_slope(Op op);              // step functions: their derivative is 0 wherever there is one
bool is_elementwise(Op op);

// A number of R: NA among whole ones is INT_MIN, among doubles R's own NaN.
struct Constant {
  Type type = Type::real;
  int whole = 0;      // of logical and integer
  double real = 0.0;  // of real
};
Constant real_constant(double value);
Constant whole_constant(Type type, int value);
double na_real();                        // R's NA
bool is_na_real(double value);           // NA, and no other NaN
bool is_missing(const Constant& value);  // NA or NaN
double as_real(const Constant& value);   // NA stays NA

// Numbers of nodes, inputs and sites are from 1; 0: none.
struct Node {
  Op op = Op::constant;
  Type type = Type::real;
  double length = 1;      // as R would have it
  std::vector<int> args;  // numbers of nodes, all smaller than its own
  Constant constant;
  std::string name, names;
  int first = 0, second = 0;
  bool flag = false;

  Node() = default;
  // In braces, which evaluate from left to right: arguments that are added first may move nodes.
  Node(Op op, Type type, double length = 1, std::vector<int> args = {})
      : op(op), type(type), length(length), args(std::move(args)) {}
};

bool has_no_slope(const Node& node);  // of its operation, but for as_integer of whole numbers, whose `flag` is set

struct Input {
  std::string name;
  Type type = Type::real;
  double length = 0;
  bool matrix = false;
  double rows = 0, columns = 0;
  bool array = false;     // of one dimension, as table() gives it
  int definition = 0;     // the node that it is the value of, which is computed before; 0: it is given
  int round = 0;          // of a loop over data, what differs from round to round: the loop's number, from 1; 0: none
  bool infinite = false;  // data that may be infinite, or 0 where their log is taken: see Graph::may_be_infinite()
};

// A branch of ifelse(): R looks at it only where some element of the test goes this way.
struct Guard {
  int test = 0;
  bool way = false;
  bool operator==(const Guard& other) const { return test == other.test && way == other.way; }
};

// A call that R warns of; `call` is the number of the call in the R function (Syntax::number), 0: none.
struct Site {
  int node = 0;
  int call = 0;
  std::string rule;  // "nan", "overflow", "draw", "running" (of a running sum), "index", "bounds", "stops", or the rule
                     // of a function's own
  std::string reason;  // R's text
  std::vector<Guard> guards;
  bool by_series = false;  // it had guards: which series they hold in is R's to say
  int whole = 0;           // of a column of a matrix the node that this is, of which R warns once
};
// Whether it tells of codes that are no places in a vector or matrix.
inline bool tells_of_places(const Site& site) { return site.rule == "index" || site.rule == "bounds"; }

// A pair of lengths of which R says that the longer is no multiple of the shorter.
struct Recycled {
  double shorter = 0, longer = 0;
  int call = 0;
  std::string text;
  std::vector<Guard> guards;
};

// Arithmetic that recycles operand number `one` of one element.
struct Single {
  int node = 0;
  int call = 0;
  int one = 0;
  std::vector<Guard> guards;
};

// What decides the shape of the graph, and was computed when it was made.
struct Decision {
  int node = 0;
  std::vector<Constant> value;
};

// An element that is taken by its name, and where it is: checked at each call.
struct Named {
  int input = 0;
  std::string name;
  int position = 0;
  bool column = false;  // it is a column of a matrix
};

// What stopifnot() asks of a call: all elements of the node are to be TRUE.
struct Assertion {
  int node = 0;
  int call = 0;  // of the function that asks, 0: the outermost
  std::string text;
  bool is_message = false;  // `text` is the message, not the condition
  bool whole = false;       // the condition is all(node)
  std::vector<Guard> guards;
  bool limit = false;     // R computes it, and an expression does not
  std::vector<int> told;  // nodes whose sites tell where it does not hold, if a launch computes one of them
};

// Elements that the user's x[codes] takes. Where nothing but their number is used, no kernel sees the codes.
struct Taken {
  int node = 0;
  int call = 0;  // as Assertion has it
  std::string shown;
  std::vector<Guard> guards;
};

// A warning of the user's own.
struct UserWarning {
  std::string text;
  int call = 0;  // of the function that warns, 0: the outermost, -1: none is shown
  std::vector<Guard> guards;
};

// Of a function of one series that is computed for many, by whose codes (series.h). Numbers of inputs; 0: none.
struct SeriesInputs {
  double fake = 0;  // rows that the function is translated for; 0: it is of no series
  double rows = 0, count = 0;
  int codes = 0;                 // of each row, which series it is of
  int starts = 0;                // of each series, its first row, in `order`
  int counts = 0;                // how many it has
  int order = 0, positions = 0;  // rows by series, 0: they lie so; of each row, its number in its series
  double least = 0;              // fewer rows have no such element as is assigned
};

struct Recursion;  // recursion.h

struct Graph {
  std::vector<Named> named;
  std::vector<Input> inputs;  // input k is inputs[k - 1]
  std::vector<Decision> decisions;
  bool exact = false;  // it holds for these lengths alone
  std::vector<Site> sites;
  std::vector<Recycled> recycled;
  std::vector<Single> singles;
  std::vector<Assertion> assertions;
  std::vector<Taken> taken;
  std::vector<UserWarning> warnings;
  int muted = 0;              // of suppressWarnings() within each other: nothing that is translated warns
  std::vector<Guard> guards;  // the branches that are being translated
  std::vector<Guard> leads;   // of these, first operands of && and ||
  std::vector<int> tests;     // nodes of tests that warnings depend on
  std::vector<int>
      statements;              // nodes of statements and assigned values, which R computes even where nothing uses them
  std::vector<char> reads;     // by node, as far as it was asked for: whether it is made of inputs
  std::vector<char> matrices;  // whether it may be a matrix, or is an array of one dimension (conformable.cpp)
  std::vector<std::shared_ptr<Recursion>> recursions;  // loop k is recursions[k - 1]
  SeriesInputs series;
  bool infinite = false;  // some of the inputs may be so
  bool by_codes = false;  // it is computed for parts of the data, by = codes, which products with rounds are not
  int loops = 0;          // over data, so far
  int draws = 0;
  // R's sum of integers is an integer, and a double where it is beyond them, as the minimum and maximum are of no
  // values: which it is only a call knows. Such reductions are numbered from 1, by name, what is reduced and na.rm;
  // those in `wide_sums` are doubles.
  std::map<std::tuple<std::string, int, bool>, int> whole_sums;
  std::vector<int> wide_sums;
  std::map<int, std::string> ruled;  // of nodes that a derivative's rule added: call and argument that it is of
  bool in_rule = false;              // while a rule of a derivative is translated
  bool twice = false;                // derivatives are differentiated in turn

  // The number of the node: one that is there, if it is equal.
  int add(Node node);
  // A node that stands for the value of node `id`, which is computed before what uses it: an input of its own.
  int defined(int id);
  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& at(int id) const { return nodes_[static_cast<std::size_t>(id) - 1]; }
  Type type(int id) const { return at(id).type; }
  double length(int id) const { return at(id).length; }
  const Input& input(int k) const { return inputs[static_cast<std::size_t>(k) - 1]; }
  // Whether the value differs from round to round of a loop over data.
  bool in_round(int id);
  // Whether each element takes a pass through a row or a column: what is longer reads such a vector from memory.
  bool is_costly(int id);
  // Whether it is made of Inf, as c(-Inf, par, Inf)[y] is: then a derivative that is 0 stays so.
  bool may_be_infinite(int id);

 private:
  std::vector<Node> nodes_;
  std::map<std::string, int> known_;
  std::map<int, int> defined_;  // by definition, the input
  std::vector<char> rounds_;    // by node, as far as it was asked for: in_round()
  std::vector<char> costly_;    // and is_costly()
  std::vector<char> infinite_;  // and may_be_infinite()
};

// Whether elements of a vector need 64 bits: an argument may be as long, and what the function makes, seq_len(n).
bool has_long_vectors(const Graph& graph);

// The numbers of some nodes and of all that they are made of, in ascending order: arguments come first. `args_of(id)`
// are the arguments of a node that are followed.
template <class ArgsOf>
std::vector<int> nodes_under(const Graph& graph, const std::vector<int>& ids, ArgsOf args_of) {
  std::vector<char> needed(static_cast<std::size_t>(graph.size()) + 1, 0);
  for (const int id : ids) needed[static_cast<std::size_t>(id)] = 1;
  std::vector<int> found;
  for (int id = graph.size(); id > 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    for (const int arg : args_of(id)) needed[static_cast<std::size_t>(arg)] = 1;
  }
  for (int id = 1; id <= graph.size(); ++id)
    if (needed[static_cast<std::size_t>(id)]) found.push_back(id);
  return found;
}
std::vector<int> nodes_under(const Graph& graph, const std::vector<int>& ids);  // all arguments

}  // namespace openclPort::expression
