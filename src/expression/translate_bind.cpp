// translate_bind -- cbind() and rbind().
#include <algorithm>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

[[noreturn]] void refuse_bind(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

// A name as a word without spaces and points.
std::string encoded(const std::string& name) {
  const char* const digits = "0123456789ABCDEF";
  std::string made;
  for (const char one : name) {
    const auto byte = static_cast<unsigned char>(one);
    if ((one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9'))
      made += one;
    else
      made += std::string("%") + digits[byte / 16] + digits[byte % 16];
  }
  return made;
}

// A name that R would see: others are those of parts that a body is taken apart into.
bool is_written(const std::string& name) { return name.find_first_of("$()[] ,\"") == std::string::npos; }

// What R calls a vector that stands there without a name; of `...` that is what the caller wrote.
std::string name_of_itself(const Syntax* one, const Scope* at) {
  bool given = false;
  while (one != nullptr && one->kind == Syntax::Kind::symbol && one->name.rfind("..", 0) == 0) {
    while (at != nullptr && at->promises.count(one->name) == 0) at = at->parent;
    if (at == nullptr) return "";
    const Promise& promise = at->promises.at(one->name);
    one = promise.expr;
    at = promise.scope;
    given = true;
  }
  if (one == nullptr || one->kind != Syntax::Kind::symbol || (given && !is_written(one->name))) return "";
  return one->name;
}

}  // namespace

// cbind() and, of transposed matrices, rbind() of vectors, numbers and matrices.
int translate_bind(Translator& t, const Syntax& call, Scope& scope) {
  Graph& graph = t.graph;
  const bool by_rows = call.called.name == "rbind";
  std::vector<int> given;
  std::vector<std::string> bound;
  std::string names, row_names;
  double rows = 0, longest = 0;
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    const std::string name = k < call.names.size() ? call.names[k] : "";
    if (name == "deparse.level" || name == "stringsAsFactors")
      refuse_limit(call, "`" + name + " =` is not part of the language");
    int one = translate_given(t, call.args[k].get(), scope);
    if (by_rows && sides_of(graph, one).matrix) one = transposed(graph, one, call);
    given.push_back(one);
    const Sides sides = sides_of(graph, one);
    bound.push_back(names_word("bound", one, 2) + "." +
                    encoded(name.empty() ? name_of_itself(call.args[k].get(), &scope) : name));
    if (sides.matrix && rows != 0 && sides.rows != rows)
      refuse_bind(call, "number of rows of matrices must match (see arg " + std::to_string(k + 1) + ")");
    if (sides.matrix) rows = sides.rows;
    longest = std::max(longest, graph.length(given.back()));
  }
  if (given.empty()) refuse_bind(call, "there is nothing to bind");
  if (rows == 0) rows = longest;
  std::vector<int> columns;
  Type type = Type::logical;
  for (const int id : given) type = wider(type, graph.type(id));
  for (std::size_t k = 0; k < given.size(); ++k) {
    const int id = given[k];
    const Sides sides = sides_of(graph, id);
    if (!sides.matrix && graph.length(id) == 0 && rows > 0) continue;  // a vector of nothing has no part
    names += bound[k];
    if (sides.matrix || graph.length(id) == rows) row_names += names_word("rows", id, sides.matrix ? 1 : 0);
    if (!sides.matrix && graph.length(id) != rows && graph.length(id) != 1)
      refuse_limit(call, "vectors have to be as long as the matrix has " + std::string(by_rows ? "columns" : "rows") +
                             ", or numbers: it has " + whole_text(rows) + ", a vector " + length_text(graph, id));
    for (double j = 0; j < (sides.matrix ? sides.columns : 1); ++j)
      columns.push_back(widened(graph, sides.matrix ? column_of(graph, id, j) : bare_node(graph, id), type));
  }
  graph.exact = true;
  const int made = matrix_of_columns(graph, columns, rows, 0, 0, names + row_names);
  return by_rows ? transposed(graph, made, call) : made;
}

}  // namespace openclPort::expression
