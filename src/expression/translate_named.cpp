// translate_named -- elements and columns that are called by names or numbers: x["a"], X[, c("a", "b")], X[, -1].
#include <algorithm>
#include <cmath>

#include "base/nmath_error.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr int kMostChosen = 4096;

[[noreturn]] void refuse_choice(const Syntax& call, const std::string& why) {
  throw NmathError(quoted_text(call) + ": " + why);
}

// What a vector has its names from: an argument, or what was put together by c(a = ..., b = ...), a node.
struct NamesFrom {
  int input = 0, parts = 0;
};

NamesFrom names_from(const Graph& graph, int id) {
  const std::string own = names_word("names", 0, 0);  // as with_names() has it of a vector's own names
  const std::string before = kNamesOf + own.substr(0, own.find('0')), behind = own.substr(own.find('0') + 1);
  for (;;) {
    const Node& node = graph.at(id);
    if (node.op == Op::input) {
      const int definition = graph.input(node.first).definition;
      if (definition == 0) return {graph.input(node.first).matrix ? 0 : node.first, 0};
      const Node& made = graph.at(definition);
      if (made.op == Op::concat && !made.names.empty() && static_cast<double>(made.args.size()) == made.length)
        return {0, definition};
      if (made.op != Op::materialize && made.op != Op::patch) return {};
      id = made.args[0];
      continue;
    }
    if (node.op == Op::bare) {
      const bool of_other = node.name.rfind(before, 0) == 0 && node.name.find('.') == node.name.rfind(behind);
      if (of_other)
        id = std::stoi(node.name.substr(before.size()));
      else if (node.name == "names" && node.args.size() == 2)
        id = node.args[1];
      else
        return {};
      continue;
    }
    if (!is_elementwise(node.op) || node.op == Op::select) return {};
    const auto is_long = [&](int arg) { return graph.length(arg) == node.length; };
    if (std::count_if(node.args.begin(), node.args.end(), is_long) != 1) return {};
    id = *std::find_if(node.args.begin(), node.args.end(), is_long);
  }
}

// From 1; 0: there is none. `names`: joined by commas.
int place_of_name(const std::string& names, const std::string& name) {
  std::size_t from = 0;
  for (int place = 1;; ++place) {
    const std::size_t end = std::min(names.find(',', from), names.size());
    if (names.compare(from, end - from, name) == 0) return place;
    if (end == names.size()) return 0;
    from = end + 1;
  }
}

}  // namespace

int named_of_loop(Graph& graph, int local, int before) {
  if (names_from(graph, before).parts == 0) return local;
  return with_names(graph, local, names_word("names", before, 0));
}

// The number of the element that is named, from 1.
int named_element(Translator& t, int x, const std::string& name, const Syntax& call) {
  const NamesFrom from = names_from(t.graph, x);
  if (from.parts != 0) {
    const int place = place_of_name(t.graph.at(from.parts).names, name);
    if (place == 0)
      refuse_choice(
          call, "it has no element of that name, but `" + t.graph.at(from.parts).names + "`: subscript out of bounds");
    return place;
  }
  if (from.input == 0 || t.asked == nullptr || !t.asked->position)
    refuse_limit(call,
                 "elements have names in an argument, in c(a = x, b = y), and in what is computed of one such vector "
                 "element by element");
  const int position = t.asked->position(from.input, name, false);
  if (position < 1)
    refuse_choice(call,
                  "`" + t.graph.input(from.input).name + "` has no element of that name: subscript out of bounds");
  t.graph.named.push_back({from.input, name, position, false});
  return position;
}

// x["a"] and x[c("a", "b")].
int named_part(Translator& t, int x, const std::vector<std::string>& texts, const Syntax& call) {
  std::vector<int> parts;
  for (const std::string& text : texts) parts.push_back(slice_from(t.graph, x, named_element(t, x, text, call), 1, 1));
  return parts.size() == 1 ? parts[0] : concat_node(t.graph, parts);
}

// The number of a column that is named, or given by its number.
double column_named(Translator& t, int x, const std::string& name, const Syntax& call) {
  if (t.graph.at(x).op != Op::input || t.graph.input(t.graph.at(x).first).definition != 0)
    refuse_limit(call, "columns have names in an argument as it is given: give their numbers");
  const int input = t.graph.at(x).first;
  const int position = t.asked != nullptr && t.asked->position ? t.asked->position(input, name, true) : 0;
  if (position < 1)
    refuse_choice(call, "`" + t.graph.input(input).name + "` has no column of that name: subscript out of bounds");
  t.graph.named.push_back({input, name, position, true});
  return position;
}

void refuse_logical_index(Translator& t, const Syntax& index, const Syntax& call, Scope& scope) {
  if (index.kind != Syntax::Kind::constant && t.graph.type(translate_value(t, index, scope)) == Type::logical)
    refuse_limit(call, "`" + shown_text(index) +
                           "` is logical, and takes the rows or columns where it is TRUE: give their numbers, or take "
                           "them before the call");
}

double column_number(Translator& t, int x, const Syntax& column, const Syntax& call, Scope& scope) {
  const std::vector<std::string> texts = texts_in(t, column, scope);
  if (texts.empty()) refuse_logical_index(t, column, call, scope);
  return texts.size() == 1 ? column_named(t, x, texts[0], call) : decided_number(t, column, scope);
}

// Texts that an index is: "a", c("a", "b"), and a name that stands for texts in this call.
std::vector<std::string> texts_in(Translator& t, const Syntax& index, Scope& scope) {
  if (index.kind == Syntax::Kind::text) return {index.name};
  if (index.kind == Syntax::Kind::symbol) {
    const int id = value_before(t, index.name, scope);
    const bool texts = id < 0 && thing_of(t, id).kind == Thing::Kind::texts;
    return texts ? thing_of(t, id).texts : std::vector<std::string>{};
  }
  if (index.kind != Syntax::Kind::call || index.called.kind != Called::Kind::language || index.called.name != "c" ||
      is_hidden(t, index, scope))
    return {};
  std::vector<std::string> texts;
  for (const SyntaxPtr& arg : index.args) {
    if (arg->kind != Syntax::Kind::text) return {};
    texts.push_back(arg->name);
  }
  return texts;
}

// A NaN alone: the number is missing.
std::vector<double> columns_chosen(Translator& t, int x, const Syntax& index, double most, const Syntax& call,
                                   Scope& scope) {
  std::vector<double> chosen;
  if (const std::vector<std::string> texts = texts_in(t, index, scope); !texts.empty()) {
    for (const std::string& text : texts) chosen.push_back(column_named(t, x, text, call));
  } else {
    refuse_logical_index(t, index, call, scope);
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
    if (!(number <= most) && !(std::isnan(number) && chosen.size() == 1))
      refuse_choice(call, "subscript out of bounds");
  return chosen;
}

}  // namespace openclPort::expression
