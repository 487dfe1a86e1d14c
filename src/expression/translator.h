// translator -- shared by all parts of the translation.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expression/graph.h"
#include "expression/syntax.h"
#include "expression/tables.h"
#include "expression/translate.h"

namespace openclPort::expression {

constexpr int kMostRounds = 64;  // that are written out, one after the other

struct Scope;

// What is known when a call is translated and is no number. Where such a value may stand, its id is negative.
struct Thing {
  // unclear: numbers, as a vector or a matrix, as the data say; nowhere: what has a value in some rounds only.
  enum class Kind { null, texts, function, unclear, nowhere };
  Kind kind = Kind::null;
  std::vector<std::string> texts;  // of `nowhere`: why
  const Function* function = nullptr;
  Scope* scope = nullptr;  // of `function`: where it was made
};

// An argument of a function that is being translated: its value is asked for when it is used, as in R.
struct Promise {
  const Syntax* expr = nullptr;  // nullptr: missing, and there is no default
  Scope* scope = nullptr;
  bool given = false;  // not the default
  bool forced = false, forcing = false;
  bool draws = false;  // it has random numbers, which are drawn once
  int value = 0;
  std::vector<Guard> guards;  // in which it was asked for
  std::vector<int> stands;    // what names in it stood for then
};

// What names stand for. Those of `vars` come before promises, and these before the names of `parent`.
struct Scope {
  std::map<std::string, int> vars;  // nodes, or things, of local variables
  std::map<std::string, Promise> promises;
  const std::vector<std::pair<std::string, int>>* inputs = nullptr;
  bool is_body = false;  // of a function, which return() leaves
  Scope* parent = nullptr;
  const Function* function = nullptr;
  bool has_dots = false;          // it has an argument `...`
  std::vector<std::string> dots;  // the names of what that is; their promises are called "..1", "..2"
  int call = 0;                   // the call of the function, 0: the outermost
  std::size_t guards = 0;         // branches of ifelse() around the function's call
};

// What break and next throw, to the loop that they are for.
struct Left {
  bool goes_on;
};

// A loop over data that is being translated (translate_rounds.cpp).
struct Rounds {
  int loop = 0;                                   // Input::round
  std::string what;                               // for messages
  const Scope* scope = nullptr;                   // that its body assigns in
  int counter = 0;                                // node of the loop's variable
  std::vector<int> vectors;                       // nodes that stand for the vectors that it writes to
  std::vector<Type> types;                        // of their elements, in R
  std::vector<Type> types_after;                  // which the round makes wider
  std::map<std::pair<int, double>, int> written;  // by number of the vector and distance from the counter: the value
  int path = 0;                                   // logical node: whether R comes here; 0: always
  std::vector<int> holds;                         // nodes that are TRUE, or R would stop
  std::vector<int> codes;                         // of these, whether a code says an element that there is
  int inner = 0;                                  // loops inside it that are being written out
  std::string over_vector;                        // for messages, where the loop's variable takes a vector's elements
  bool mixes = false, mixed_as_matrix = false;    // an if () makes a matrix in one branch alone: later_rounds.h
  // Of a loop that adds up (translate_added.cpp): its rounds become columns.
  bool as_columns = false, counts_up = false;  // counts_up: it goes over 1, 2, ..., count
  double count = 0;
  std::map<std::string, int> in_parts;  // what the names of vectors stand for whose elements are assigned
  std::map<std::string, int> assigned;  // and what is assigned to the element of the round
};

struct Translator {
  Graph& graph;
  const Asked* asked;                            // nullptr: nobody is there to ask
  std::unordered_map<const Syntax*, int> sizes;  // see names_in()
  int level = 0;                                 // of parts within each other
  std::vector<Thing> things = {};                // number -1 is the first
  std::deque<Scope> scopes = {};                 // of functions, which those that they make may outlive
  std::unordered_map<const Function*, int> active = {};
  std::vector<SyntaxPtr> made = {};  // calls that no text has
  bool shadowed = false;             // names of the language may be functions of the body's own
  Rounds* rounds = nullptr;
};

// translate_statements.cpp. The node of a value; an error where there is none.
int translate_value(Translator& t, const Syntax& expr, Scope& scope);
int translate_statement(Translator& t, const Syntax& expr, Scope& scope);   // 0 where there is no value; < 0: a thing
int translate_other_call(Translator& t, const Syntax& expr, Scope& scope);  // what is no call of a spine
// An argument that is needed: nullptr stands for R's NULL.
int translate_given(Translator& t, const Syntax* expr, Scope& scope);
[[noreturn]] void refuse_no_value(const Syntax& expr);
[[noreturn]] void refuse_limit(const Syntax& call, const std::string& why);  // which R has not
// After a part of `call` that R evaluates only where a condition holds: what it assigned has no value behind it.
// `before`: Scope::vars before the part.
void forget_assigned(Translator& t, const std::map<std::string, int>& before, Scope& scope, const Syntax& call);
[[noreturn]] void refuse_thing(const Translator& t, int id, const Syntax& expr);
int translate_body(Translator& t, const Syntax& body, Scope& scope);  // any value: of a function, which return() leaves
void note_statement(Graph& graph, int id);                            // R computes it, even where nothing uses it
// Operators may be called by their names, with any number of arguments.
void check_operands(const Syntax& call, std::size_t least, std::size_t most);

// translate_helpers.cpp: functions that the body calls or makes.
Scope& outer_scope(Translator& t, Scope& parent);  // an empty one, in which the names of `parent` are seen
Scope& outermost_scope(Translator& t, const Function& function);
int translate_name(Translator& t, const std::string& name, Scope& scope);
int translate_function(Translator& t, const Function& function, const Syntax& call, Scope& scope, Scope* made_in);
const Thing* function_of_scope(Translator& t, const Syntax& call, Scope& scope);  // nullptr: none hides the name
// Whether a call that looks as one of the language is of a function that the body has under this name.
bool is_hidden(Translator& t, const Syntax& call, Scope& scope);
const Syntax& expanded_call(Translator& t, const Syntax& call, const Scope& scope);  // `...` as what it is
void assign(Translator& t, const std::string& name, int value, Scope& scope);
// Where a name is used from now on, the error says that it "`name` <why>".
void assign_nowhere(Translator& t, const std::string& name, const std::string& why, Scope& scope);
// What a name stands for before a loop, or where a branch does not assign it; 0: nothing.
int value_before(Translator& t, const std::string& name, Scope& scope);
int translate_missing(Translator& t, const Syntax& call, Scope& scope);

// translate_known.cpp: what is known when a call is translated.
int add_thing(Translator& t, Thing thing);
int translate_any(Translator& t, const Syntax& expr, Scope& scope);  // a node or a thing
inline const Thing& thing_of(const Translator& t, int id) { return t.things[static_cast<std::size_t>(-id) - 1]; }
int thing_node(Translator& t, const Syntax& expr, Scope& scope);  // of a text, NULL or function
bool is_null_value(const Translator& t, int id);
int translate_known(Translator& t, const Syntax& call, Scope& scope);
int translate_passing(Translator& t, const Syntax& call, Scope& scope);  // drop() and others that change no number
int translate_switch(Translator& t, const Syntax& call, Scope& scope);
int compare_things(Translator& t, const Syntax& call, const std::vector<int>& ids);

// translate_conditions.cpp: stop(), stopifnot(), warning(), suppressWarnings().
bool is_condition_call(const std::string& name);
void warn(Translator& t, const std::string& text, int call);  // `call`: see UserWarning
int translate_condition_call(Translator& t, const Syntax& call, Scope& scope);

// What decides the shape of a graph is computed when it is made, and noted: it serves calls that give the same.
struct Decided {
  std::vector<Constant> value;  // empty where nothing is known of more than one
  double length = 1;
};
Decided decide(Translator& t, const Syntax& expr, Scope& scope, bool whole = false);   // `whole`: of any length
Decided decided_value(Translator& t, int id, const Syntax& expr, bool whole = false);  // of a node

// The operands of a call that takes them by position.
std::vector<int> translate_operands(Translator& t, const Syntax& call, Scope& scope, std::size_t least,
                                    std::size_t most);
inline int translate_operand(Translator& t, const Syntax& call, Scope& scope) {
  return translate_operands(t, call, scope, 1, 1)[0];
}

// The column `kind` of inst/spec/language.tsv.
enum class CallKind {
  none,
  arithmetic,
  comparison,
  logic,
  structure,
  size,
  elementary,
  known,
  passing,
  index,
  reduction,
  other
};
CallKind call_kind(const std::string& name);  // translate_language.cpp

// spine.cpp: calls within calls of arithmetic and elementary functions, in a loop.
bool is_spine_call(const Syntax& expr);
int translate_spine(Translator& t, const Syntax& expr, Scope& scope);

int translate_structure(Translator& t, const Syntax& call, Scope& scope);
int translate_library(Translator& t, const Syntax& call, const FunctionRow& row,
                      Scope& scope);  // translate_library.cpp
// translate_language.cpp
int translate_language(Translator& t, const Syntax& call, Scope& scope);
std::string length_text(const Graph& graph, int id);  // R's format() of a node's length
std::string whole_text(double value);                 // digits of a whole number

// translate_index.cpp
int translate_index(Translator& t, const Syntax& call, Scope& scope);
int bare_vector(Translator& t, int id, const Syntax& call);
int gathered_node(Graph& graph, int x, int codes, const Syntax& call, const std::string& rule = "index");  // x[codes]
int taken_by_codes(Translator& t, int x, int codes, const Syntax& call, const Scope& scope);  // the user's own
void ask_of_unused_codes(Graph& graph, int root);                        // of those whose elements `root` does not use
int group_values(Translator& t, const Syntax& call, Scope& scope);       // translate_groups.cpp
int translate_sums_by(Translator& t, const Syntax& call, Scope& scope);  // the same
int translate_element(Translator& t, const Syntax& call, Scope& scope);
// translate_shapes.cpp
int translate_shape(Translator& t, const Syntax& call, Scope& scope);  // 0: the call is another
int translate_of_transposed(Translator& t, const Syntax& call, Scope& scope);
int undropped(Translator& t, const Syntax& call, Scope& scope);  // an index with drop =
int counted_from_zero(Graph& graph, double count);               // 0, 1, 2, ...
int crossprod_node(Graph& graph, int left, int right, const Syntax& call);
// Numbers that are known when the call is: of an index, or what a loop goes over.
struct Numbers {
  bool known = false, whole = false;  // whole: integers of R
  std::vector<double> numbers;        // the first ones
};
Numbers known_numbers(Translator& t, const Syntax& over, Scope& scope, int most, double& count);
std::vector<int> elements_of(Graph& graph, int vector);  // each as a node of its own
// c(), with the names of its arguments, joined by commas.
int concat_node(Graph& graph, const std::vector<int>& parts, const std::string& names = "");
// translate_loops.cpp
bool is_loop_call(const std::string& name);
int translate_loop(Translator& t, const Syntax& call, Scope& scope);
int assign_part(Translator& t, const Syntax& call, Scope& scope);
// translate_places.cpp: elements of small matrices. False, or 0: the places are not known, or it is another call.
bool assign_known_places(Translator& t, const Syntax& call, int matrix, int value, Scope& scope);  // M[1:2, 3] <- v
bool assign_coded_place(Translator& t, const Syntax& call, int matrix, int value, Scope& scope);   // M[i, j] <- v
int assign_triangle(Translator& t, const Syntax& call, Scope& scope);
bool is_triangle(const Syntax& index);  // lower.tri(M), upper.tri(M), or one of them behind `!`
double triangle_places(Translator& t, const Syntax& index, std::vector<double>& places, Scope& scope);
int translate_triangle_value(Translator& t, const Syntax& call, Scope& scope);  // lower.tri() and upper.tri()
// What is known before something is tried that may not be possible. Of nodes that nobody uses nothing is left.
class Undone {
 public:
  Undone(Translator& t, Scope& scope);
  void restore() const;

 private:
  Translator& t_;
  Scope& scope_;
  const std::map<std::string, int> vars_;
  const std::map<std::string, Promise> promises_;
  const std::vector<Site> sites_;
  const std::vector<Guard> guards_;
  const std::vector<int> tests_, statements_;
  const std::size_t recycled_, singles_, warnings_, assertions_, taken_, decisions_, named_;
  const int draws_;
  const bool exact_;
};
// translate_rounds.cpp: loops over data.
// `vector`: node of what the loop goes over the elements of; 0: over `count` numbers from `from` on.
int translate_rounds(Translator& t, const Syntax& call, int vector, double from, double step, double count,
                     Scope& scope);
// The same for a loop that may be written out: false where that is what it needs.
bool try_rounds(Translator& t, const Syntax& call, int vector, double from, double step, double count, Scope& scope);
bool stops_where(Translator& t, const Syntax& call, int test, Scope& scope);      // if (test) stop("text")
int translate_choice(Translator& t, const Syntax& call, int test, Scope& scope);  // if () inside a round
int read_written(Translator& t, int vector, const Syntax& call, Scope& scope);    // 0: the loop does not write to it
bool assign_written(Translator& t, const Syntax& call, int vector, const Syntax& index, int value, Scope& scope);
// Names that a body assigns to, in order, and those of which it assigns elements whose place the loop's variable says.
void find_assigned(const Syntax& body, const std::string& variable, std::vector<std::string>& names,
                   std::set<std::string>& in_parts);
int row_of_round(Translator& t, int x, const Syntax& call, Scope& scope);  // X[t, ] and X[t, j]; 0: it is none
double column_number(Translator& t, int x, const Syntax& column, const Syntax& call, Scope& scope);
// An error where the index of rows or columns is a logical value.
void refuse_logical_index(Translator& t, const Syntax& index, const Syntax& call, Scope& scope);
// break and next on what differs from round to round: they set variables, which what follows asks. Whether a part has
// one that leaves the loop around it.
bool leaves_round(const Syntax& part, bool by_break);
void leave_round(Translator& t, bool by_break, Scope& scope);
int hold_in_round(Translator& t, int condition);  // else R computes the call; the node that holds
int translate_unless_stopped(Translator& t, const SyntaxPtr& body, Scope& scope);        // of a round
int translate_rest(Translator& t, const Syntax& block, std::size_t from, Scope& scope);  // statements of a block
extern const char* const kStopped;                                                       // TRUE: the loop was left
void refuse_in_round(Translator& t, int id, const Syntax& expr);  // what has to be known when the call is
// translate_added.cpp: loops that add up. False where it is none, or its rounds are no columns.
bool try_added(Translator& t, const Syntax& call, Scope& scope);
bool assign_in_added(Translator& t, const Syntax& call, int vector, const Syntax& index, int value);
int column_of_round(Translator& t, int x, const Syntax& call, Scope& scope);
// translate_small.cpp
int translate_matrix(Translator& t, const Syntax& call, Scope& scope);
int translate_diagonal(Translator& t, const Syntax& call, Scope& scope);
int translate_column_by_row(Graph& graph, int left, int right, const Syntax& call);   // 0: it is none
int translate_small_product(Translator& t, int left, int right, const Syntax& call);  // 0: it is none
int translate_spread(Translator& t, const Syntax& call, Scope& scope);                // var() and sd()
// translate_linear.cpp: chol(), solve() and their like
bool is_linear_call(const std::string& name);
int translate_linear(Translator& t, const Syntax& call, Scope& scope);
// translate_matrices.cpp
int translate_matrix_call(Translator& t, const Syntax& call, Scope& scope);  // cbind(), rowSums() and its like
int matrix_part(Translator& t, int x, const Syntax& call, Scope& scope);     // X[, j], X[i, j], X[g, ]
// translate_bind.cpp, translate_named.cpp
int translate_bind(Translator& t, const Syntax& call, Scope& scope);
int named_part(Translator& t, int x, const std::vector<std::string>& texts, const Syntax& call);
// Texts that an index is: x["a"], X[, c("a", "b")]. None where it is something else.
std::vector<std::string> texts_in(Translator& t, const Syntax& index, Scope& scope);
// The value of a number that decides how long something is.
double decided_number(Translator& t, const Syntax& expr, Scope& scope);
// Elements from, from + step, ... of x: `count` of them.
int slice_from(Graph& graph, int x, double from, int step, double count);
// The numbers of the rows that are left by M[-1, ]; 0: the index is no such one.
int rows_left(Translator& t, const Syntax& index, double rows, const Syntax& call, Scope& scope);
int end_part(Translator& t, const Syntax& call, Scope& scope);  // translate_parts.cpp: head() and tail()
void refuse_parts_of_rows(const Graph& graph, int x, const Syntax& call);
// The vector of a round that a loop over data carries, with the names that it has before.
int named_of_loop(Graph& graph, int local, int before);
int named_element(Translator& t, int x, const std::string& name, const Syntax& call);  // translate_index.cpp
// The numbers of the columns that an index says, from 1: X[, 2:3], X[, -1], X[, c("a", "b")]. `most`: how many there
// are.
std::vector<double> columns_chosen(Translator& t, int x, const Syntax& index, double most, const Syntax& call,
                                   Scope& scope);
int transposed(Graph& graph, int id, const Syntax& call);  // translate_shapes.cpp: t()
int matrix_elements(Translator& t, int x, int index, const Syntax& call, Scope& scope);
int part_of_matrix(Translator& t, int x, const Syntax& call, Scope& scope);
// translate_rows.cpp: a function of each element of a long vector; 0: it is written out
// A function's value of one element, a number.
int applied_value(Translator& t, const Syntax& call, const Thing& applied, int element, Scope& scope);
int translate_rows(Translator& t, const Syntax& call, const Thing& applied, int vector, Scope& scope);
// translate_reductions.cpp
int translate_reduction(Translator& t, const Syntax& call, Scope& scope);

// conformable.cpp: R's error where matrices do not fit. Those of up to `least` elements are as good as vectors.
void check_arrays(Translator& t, const Syntax& call, int a, int b, double least = 0);

int matvec_node(Graph& graph, int matrix, int vector, const Syntax& call);  // matvec.cpp: X %*% b

}  // namespace openclPort::expression
