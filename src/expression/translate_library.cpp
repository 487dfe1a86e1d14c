// translate_library -- calls of the functions of inst/spec/functions.tsv in a graph.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

struct LibraryFormals {
  std::vector<std::string> names;
  std::vector<SyntaxPtr> defaults;  // nullptr: none
};

// "x, mean = 0, sd = 1". Parsed once: defaults stay where the translation has seen them.
const LibraryFormals& library_formals(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, LibraryFormals> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  LibraryFormals formals;
  for (const std::string& part : split_commas(text)) {
    const std::size_t equals = part.find(" = ");
    const std::string standard = equals == std::string::npos ? "" : part.substr(equals + 3);
    formals.names.push_back(part.substr(0, equals));
    formals.defaults.push_back(standard.empty() || standard == "NULL" ? nullptr : parse_rule(standard));
  }
  return known.emplace(text, std::move(formals)).first->second;
}

// The names that a default speaks of.
void add_variables(const Syntax& part, std::vector<std::string>& names) {
  if (part.kind == Syntax::Kind::symbol && std::find(names.begin(), names.end(), part.name) == names.end())
    names.push_back(part.name);
  for (const SyntaxPtr& arg : part.args) add_variables(*arg, names);
}

// Arguments that choose another form of a function, as R chooses it: by whether they are given.
const FunctionRow& form_of(const FunctionRow& row, const Matched& given) {
  std::string other;
  if (given.has("ncp"))
    other = row.name.substr(0, 1) + 'n' + row.name.substr(1);
  else if (given.has("mu"))
    other = row.name + "_mu";
  const FunctionRow* const found = function_row(other);
  return found == nullptr ? row : *found;
}

[[noreturn]] void refuse_missing(const Syntax& call, const std::string& name) {
  throw NmathError(quoted_text(call) + ": argument \"" + name + "\" is missing, with no default");
}

// Nodes of the arguments of one call.
struct LibraryArguments {
  Translator& t;
  const Syntax& call;
  const LibraryFormals& formals;
  const Matched& given;
  Scope& scope;

  LibraryArguments(Translator& of, const Syntax& in, const FunctionRow& row, const Matched& matched, Scope& around)
      : t(of), call(in), formals(library_formals(row.formals)), given(matched), scope(around) {
    if (given.has("rate") && given.has("scale"))
      throw NmathError(quoted_text(call) + ": specify 'rate' or 'scale' but not both");
    if (given.has("prob") && given.has("mu")) throw NmathError(quoted_text(call) + ": 'prob' and 'mu' both specified");
  }

  // As given, or the default, which may speak of other arguments.
  int node(const std::string& name) {
    const Syntax* const mine = given.find(name);
    if (mine != nullptr) return translate_value(t, *mine, scope);
    const auto at = std::find(formals.names.begin(), formals.names.end(), name);
    const Syntax* const standard = at == formals.names.end()
                                       ? nullptr
                                       : formals.defaults[static_cast<std::size_t>(at - formals.names.begin())].get();
    if (standard == nullptr) refuse_missing(call, name);
    std::vector<std::string> others;
    add_variables(*standard, others);
    Scope inner;
    for (const std::string& other : others)
      if (std::find(formals.names.begin(), formals.names.end(), other) != formals.names.end())
        inner.vars[other] = node(other);
    return translate_value(t, *standard, inner);
  }
};

// R's reading of a flag: the first of a vector as an integer; NA and nothing at all count as TRUE.
bool as_flag(const std::vector<Constant>& value) {
  if (value.empty() || is_missing(value[0])) return true;
  const double number = as_real(value[0]);
  return std::fabs(number) >= 1;
}

// A flag is TRUE or FALSE for all elements.
int library_flag(Translator& t, const std::string& name, const Matched& given, Scope& scope) {
  const Syntax* const mine = given.find(name);
  const bool on = mine == nullptr ? name == "lower.tail" : as_flag(decide(t, *mine, scope, true).value);
  return constant_node(t.graph, whole_constant(Type::logical, on ? 1 : 0));
}

// How many are drawn, by the value of a count.
double draw_count(const std::vector<Constant>& value) {
  if (value.size() != 1) return static_cast<double>(value.size());
  const double count = as_real(value[0]);
  if (std::isnan(count) || count < 0 || count > 4503599627370496.0) throw NmathError("invalid arguments");
  return std::trunc(count);
}

// n of r*(): one draw per element of the count that R would read.
int translate_draw(Translator& t, const Syntax& call, const FunctionRow& first, const Matched& given, Scope& scope) {
  if (first.flags[0] == "cells")
    throw LimitError(
        quoted_text(call) +
        ": rmultinom gives a matrix, which no expression has: call rmultinom_opencl() and give its result as "
        "an argument");
  std::string count_name;
  for (const std::string& name : library_formals(first.formals).names) {
    if (std::find(first.columns.begin(), first.columns.end(), name) != first.columns.end()) continue;
    count_name = name;
    break;
  }
  const Syntax* const count = given.find(count_name);
  if (count == nullptr) refuse_missing(call, count_name);
  t.graph.exact = true;
  const double length = t.graph.length(translate_value(t, *count, scope));
  const double n = length == 1 ? draw_count(decide(t, *count, scope).value) : length;
  const FunctionRow& row = form_of(first, given);
  LibraryArguments arguments(t, call, row, given, scope);
  Node node;
  for (const std::string& name : row.columns) node.args.push_back(as_double(t.graph, arguments.node(name)));
  node.op = Op::draw;
  node.type = row.flags[0] == "counts" ? Type::integer : Type::real;
  node.length = n;
  node.name = row.name;
  node.first = ++t.graph.draws;
  const int id = t.graph.add(std::move(node));
  return add_site(t.graph, id, call.number, "draw", "NAs produced");
}

}  // namespace

int translate_library(Translator& t, const Syntax& call, const FunctionRow& first, Scope& scope) {
  std::vector<std::string> formals = library_formals(first.formals).names;
  if (!first.draws()) formals.insert(formals.end(), first.flags.begin(), first.flags.end());
  const Matched given = match_named_call(formals, call);
  if (first.draws()) return translate_draw(t, call, first, given, scope);
  const FunctionRow& row = form_of(first, given);
  LibraryArguments arguments(t, call, row, given, scope);
  std::vector<int> args;
  for (const std::string& name : row.columns) {
    const int id = arguments.node(name);
    // A switch has a value for each element: R takes whatever is not 0 for TRUE.
    args.push_back(name == "expon.scaled" ? as_double(t.graph, as_type(t.graph, id, Type::logical)) : id);
  }
  for (const std::string& name : row.flags) args.push_back(library_flag(t, name, given, scope));
  return library_node(t.graph, row, std::move(args), call.number);
}

}  // namespace openclPort::expression
