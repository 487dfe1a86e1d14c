// translate_named -- elements and columns that are called by names or numbers: x["a"], X[, c("a", "b")], X[, -1].
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "base/text.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort {
namespace expression {

namespace {

constexpr int kMostChosen = 4096;

[[noreturn]] void refuse_choice(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

// The argument that a vector has its names from; 0: it may have others.
int named_input(const Graph& graph, int id) {
  for (;;) {
    const Node& node = graph.at(id);
    if (node.op == Op::input) {
      const int definition = graph.input(node.first).definition;
      if (definition == 0) return graph.input(node.first).matrix ? 0 : node.first;
      if (graph.at(definition).op != Op::materialize && graph.at(definition).op != Op::patch) return 0;
      id = graph.at(definition).args[0];
      continue;
    }
    if (node.op == Op::bare) {
      if (node.name != "names" || node.args.size() != 2) return 0;
      id = node.args[1];
      continue;
    }
    if (!is_elementwise(node.op) || node.op == Op::select) return 0;
    const auto is_long = [&](int arg) { return graph.length(arg) == node.length; };
    if (std::count_if(node.args.begin(), node.args.end(), is_long) != 1) return 0;
    id = *std::find_if(node.args.begin(), node.args.end(), is_long);
  }
}

}  // namespace

// The number of the element that is named, from 1.
int named_element(Translator& t, int x, const std::string& name, const Syntax& call) {
  const int input = named_input(t.graph, x);
  if (input == 0 || t.asked == nullptr || !t.asked->position)
    refuse_limit(call,
                 "elements have names in an argument, and in what is computed of one such vector element by element");
  const int position = t.asked->position(input, name, false);
  if (position < 1)
    refuse_choice(call, "`" + t.graph.input(input).name + "` has no element of that name: subscript out of bounds");
  t.graph.named.push_back({input, name, position, false});
  return position;
}

// x["a"] and x[c("a", "b")].
int named_part(Translator& t, int x, const std::vector<const Syntax*>& texts, const Syntax& call) {
  std::vector<int> parts;
  for (const Syntax* const text : texts)
    parts.push_back(slice_from(t.graph, x, named_element(t, x, text->name, call), 1, 1));
  return parts.size() == 1 ? parts[0] : concat_node(t.graph, parts);
}

// The number of a column that is named, or given by its number.
double column_number(Translator& t, int x, const Syntax& column, const Syntax& call, Scope& scope) {
  if (column.kind != Syntax::Kind::text) return decided_number(t, column, scope);
  if (t.graph.at(x).op != Op::input || t.graph.input(t.graph.at(x).first).definition != 0)
    refuse_limit(call, "columns have names in an argument as it is given: give their numbers");
  const int input = t.graph.at(x).first;
  const int position = t.asked != nullptr && t.asked->position ? t.asked->position(input, column.name, true) : 0;
  if (position < 1)
    refuse_choice(call, "`" + t.graph.input(input).name + "` has no column of that name: subscript out of bounds");
  t.graph.named.push_back({input, column.name, position, true});
  return position;
}

std::vector<const Syntax*> texts_in(const Syntax& index) {
  std::vector<const Syntax*> texts;
  if (index.kind == Syntax::Kind::text) texts.push_back(&index);
  if (index.kind != Syntax::Kind::call || index.called.kind != Called::Kind::language || index.called.name != "c")
    return texts;
  for (const SyntaxPtr& arg : index.args) {
    if (arg->kind != Syntax::Kind::text) return {};
    texts.push_back(arg.get());
  }
  return texts;
}

std::vector<double> columns_chosen(Translator& t, int x, const Syntax& index, double most, const Syntax& call,
                                   Scope& scope) {
  std::vector<double> chosen;
  if (const std::vector<const Syntax*> texts = texts_in(index); !texts.empty()) {
    for (const Syntax* const text : texts) chosen.push_back(column_number(t, x, *text, call, scope));
  } else {
    double count = 0;
    const Numbers known = known_numbers(t, index, scope, kMostChosen, count);
    if (count > kMostChosen) refuse_limit(call, "there are more than 4096 columns in it");
    if (known.known)
      for (const double number : known.numbers) chosen.push_back(std::trunc(number));
    else
      chosen.push_back(std::trunc(decided_number(t, index, scope)));
  }
  const auto is_negative = [](double number) { return number < 0; };
  chosen.erase(std::remove(chosen.begin(), chosen.end(), 0.0), chosen.end());
  if (chosen.empty()) refuse_choice(call, "the column has to be one number from 1 on");
  if (std::any_of(chosen.begin(), chosen.end(), is_negative)) {
    if (!std::all_of(chosen.begin(), chosen.end(), is_negative))
      refuse_choice(call, "can't mix positive and negative subscripts");
    std::vector<double> others;
    for (double j = 1; j <= most; ++j)
      if (std::find(chosen.begin(), chosen.end(), -j) == chosen.end()) others.push_back(j);
    if (others.empty()) refuse_limit(call, "no column is left");
    return others;
  }
  for (const double number : chosen)
    if (!(number <= most)) refuse_choice(call, "subscript out of bounds");
  return chosen;
}

}  // namespace expression
}  // namespace openclPort
