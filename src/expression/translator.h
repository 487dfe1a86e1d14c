// translator -- what the parts of the translation share.
#ifndef NMATHOPENCL_EXPRESSION_TRANSLATOR_H
#define NMATHOPENCL_EXPRESSION_TRANSLATOR_H

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expression/graph.h"
#include "expression/syntax.h"
#include "expression/tables.h"
#include "expression/translate.h"

namespace openclPort {
namespace expression {

// What names stand for.
struct Scope {
  std::map<std::string, int> vars;  // nodes of local variables
  const std::vector<std::pair<std::string, int>>* inputs = nullptr;
  bool is_body = false;  // of a function, which return() leaves
};

struct Translator {
  Graph& graph;
  const Asked* asked;                            // nullptr: nobody is there to ask
  std::unordered_map<const Syntax*, int> sizes;  // see names_in()
  int level = 0;                                 // of parts within each other
};

// translate.cpp. The node of a value; an error where there is none.
int translate_value(Translator& t, const Syntax& expr, Scope& scope);
int translate_statement(Translator& t, const Syntax& expr, Scope& scope);   // 0 where there is no value
int translate_other_call(Translator& t, const Syntax& expr, Scope& scope);  // what is no call of a spine
// An argument that is needed: nullptr stands for R's NULL.
int translate_given(Translator& t, const Syntax* expr, Scope& scope);
[[noreturn]] void refuse_no_value(const Syntax& expr);

// What decides the shape of a graph is computed when it is made, and noted: it serves calls that give the same.
struct Decided {
  std::vector<Constant> value;  // empty where nothing is known of more than one
  double length = 1;
};
Decided decide(Translator& t, const Syntax& expr, Scope& scope, bool whole = false);  // `whole`: of any length

// The operands of a call that takes them by position.
std::vector<int> translate_operands(Translator& t, const Syntax& call, Scope& scope, std::size_t least,
                                    std::size_t most);
inline int translate_operand(Translator& t, const Syntax& call, Scope& scope) {
  return translate_operands(t, call, scope, 1, 1)[0];
}

// The column `kind` of inst/spec/language.tsv.
enum class CallKind { none, arithmetic, comparison, logic, structure, size, elementary, index, reduction, other };
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
// c(), with the names of its arguments, joined by commas.
int concat_node(Graph& graph, const std::vector<int>& parts, const std::string& names = "");
// translate_reductions.cpp
int translate_reduction(Translator& t, const Syntax& call, Scope& scope);

int matvec_node(Graph& graph, int matrix, int vector, const Syntax& call);  // matvec.cpp: X %*% b

}  // namespace expression
}  // namespace openclPort

#endif
