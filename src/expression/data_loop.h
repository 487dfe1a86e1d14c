// data_loop -- a loop over data while it is translated (translate_rounds.cpp); what it leaves (data_loop_results.cpp).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/later_rounds.h"
#include "expression/matrices.h"
#include "expression/recursion.h"
#include "expression/translator.h"

namespace openclPort::expression {

constexpr double kMostCarried = 64;  // elements of a vector

// The variables of a loop.
struct LoopVariable {
  std::string name;
  int before = 0;  // node
  double length = 1;
  Sides sides;  // of a matrix that is handed on
  Sides later;  // of a vector that rounds make a row or a column of
  Type type = Type::real;
  std::vector<int> locals;  // nodes; of a vector that is written, the one that stands for it
  bool written = false;
};

struct LoopTable {
  std::string name;
  double rows = 0;
  std::size_t first = 0, columns = 0;  // of the variables
  int local = 0;                       // node
};

// The recursion that `for` over data becomes.
class DataLoop {
 public:
  // `most`: RoundsAsked::most.
  DataLoop(Translator& t, const Syntax& call, Scope& scope, double most);
  // `vector`: whose elements the loop goes over; 0: numbers.
  int run(int vector, double from, double step, double count);

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw LimitError(what_ + ": " + why); }
  void add_variable(const std::string& name);
  int with_sides_of(const Sides& sides, const std::vector<int>& elements, int named = 0) const;  // 0: without names
  int without_sides(int id) const { return sides_of(graph_, id).matrix ? bare_node(graph_, id) : id; }
  // A matrix whose elements are written, M[t, j]: each column is a vector.
  bool add_table(const std::string& name, int before);
  void translate_round(int vector);
  void translate_body(const std::vector<Sides>& sides);
  Sides sides_of_name(const std::string& name) const;
  RoundLeft left_by_round();
  // `vars`, `promises`: as they are before a round.
  void compare_later_rounds(const std::map<std::string, int>& vars, const std::map<std::string, Promise>& promises);
  int value_after(const std::string& name) const;
  bool widen();
  bool widen_written();
  static std::string shape_text(const Sides& sides);
  void add_carried(int start, Type type, int next, double element);
  int argument(int id);
  int input_number(int node) const { return graph_.at(node).first; }
  // numeric(n), of which some elements were assigned, is made by the kernel.
  void add_vector(const LoopVariable& one);
  // What the loop's inputs of the graph are.
  RoundsAsked asked_of_inputs() const;
  void finish();
  Node place_node(double distance);
  // `like`: whose sides and names it has, unless rounds have given it sides.
  void assign_results(const std::string& name, int recursion, int& number, double length, int like,
                      const Sides& later = Sides());

  Translator& t_;
  Graph& graph_;
  const Syntax& call_;
  Scope& scope_;
  std::string what_;
  std::vector<std::string> assigned_;
  std::vector<std::string> things_;           // of these that are no numbers before the loop
  std::set<std::string> in_parts_, unclear_;  // unclear_: vectors or matrices, as the data say
  std::vector<LoopVariable> variables_;
  std::vector<LoopTable> tables_;
  std::shared_ptr<Recursion> made_;
  Rounds rounds_;
  RoundsAsked asked_;
  std::vector<int> args_;
  int round_ = 0;     // node of the round's number
  int variable_ = 0;  // and of what the loop's variable is
  int vector_ = 0;    // whose elements it goes over
};

}  // namespace openclPort::expression
