// counts -- what kernels compute of whole numbers once.
#include "expression/counts.h"

#include <cctype>
#include <set>

#include "base/text.h"
#include "expression/lines.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostTables = 4;

// The library's functions whose values are worth a table.
bool is_worth_a_table(const std::string& name) {
  static const std::set<std::string> names = {"lgammafn",     "digamma",      "trigamma",       "lchoose",
                                              "digamma_rise", "digamma_fall", "stirlerr_slope", "choose_slope",
                                              "lbeta",        "lgamma1p"};
  return names.count(name) > 0;
}

bool makes_tables(const Writer& w) {
  const TextRequest& request = w.request;
  return w.assume_no_nan && w.reduces && request.grouping.empty() && !request.as_gpu && request.recursion == nullptr &&
         w.n != 1;
}

bool is_plain(Op op) {
  return is_one_of(op, Op::as_double, Op::negative, Op::add, Op::subtract, Op::multiply, Op::library, Op::elementary,
                   Op::log);
}

// What is told of its single values: that one is no number the sum tells.
bool has_site(const Graph& graph, int id) {
  for (const Site& site : graph.sites)
    if (site.node == id && site.rule != "nan") return true;
  return false;
}

// Of a node: the column of which alone it is a function (a node; 0: of none, it is the same for all elements; -1: it is
// no such function), and whether it is worth a table.
struct Counted {
  int column = -1;
  bool worth = false;
};

Counted counted(const Writer& w, int id, const std::map<int, Counted>& known) {
  const Node& node = w.graph.at(id);
  if (node.op == Op::constant || w.folded.count(id) > 0 || node.length == 1) return {0, false};
  if (node.length != w.n) return {};
  if (node.op == Op::input) return {node.type == Type::logical ? -1 : id, false};
  if (!is_plain(node.op) || node.type != Type::real || has_site(w.graph, id)) return {};
  Counted made = {0, node.op == Op::library && is_worth_a_table(node.name)};
  for (const int arg : node.args) {
    const auto found = known.find(arg);
    const Counted of = found != known.end() ? found->second : counted(w, arg, known);
    if (of.column < 0 || (of.column > 0 && made.column > 0 && of.column != made.column)) return {};
    if (of.column > 0) made.column = of.column;
    made.worth = made.worth || of.worth;
  }
  return made;
}

// Forgets what is declared at the indices of elements, which a block of its own has declared since `before`.
void forget_declared(Writer& w, const std::map<std::string, std::string>& before) {
  for (auto at = w.known.begin(); at != w.known.end();) {
    const std::string& key = at->first;
    const std::size_t space = key.find(' ');
    const bool of_index = key.compare(0, 6, "index ") == 0;
    const bool of_node = space != std::string::npos && std::isdigit(static_cast<unsigned char>(key[0])) != 0;
    const bool local = of_index || (of_node && key.compare(space + 1, std::string::npos, "0") != 0);
    at = local && before.count(key) == 0 ? w.known.erase(at) : std::next(at);
  }
}

// The lines that compute a node at an index, in a block of their own, and the name of its value.
struct Block {
  Lines lines;
  std::string value;
};

Block written_apart(Writer& w, int id, const Index& at) {
  const std::map<std::string, std::string> before = w.known;
  Block made;
  made.lines.swap(w.loop_lines);
  made.value = value_at(w, id, at);
  made.lines.swap(w.loop_lines);
  forget_declared(w, before);
  return made;
}

std::string key_of(int id, const std::string& index) { return std::to_string(id) + ' ' + index; }

int new_table(Writer& w, const Lines& fill, const std::string& value) {
  const int number = ++w.tables;
  w.count_lines.push_back("{");
  add_lines(w.count_lines, fill, "    ");
  add_lines(w.count_lines, {filled("    count_%1[t] = %2;", {number, value}), "}"});
  return number;
}

// Declares the place in a table of a column's element.
std::string place_of(Writer& w, int table, int column) {
  const std::string name = filled("at_%1", {table});
  const std::string value = value_at(w, column, w.root);
  w.loop_lines.push_back("#ifndef EXPR_ALONE");
  w.loop_lines.push_back(filled("const int %1 = expr_count(%2);", {name, value}));
  w.loop_lines.push_back("#endif");
  return name;
}

}  // namespace

void find_counts(Writer& w, const std::vector<int>& ids) {
  if (!makes_tables(w)) return;
  std::map<int, Counted> known;
  const std::vector<int> below = nodes_below(w, ids);
  for (const int id : below) known[id] = counted(w, id, known);
  std::vector<int> used = ids;  // by what has no table
  for (const int id : below) {
    if (known[id].column >= 0) continue;
    for (const int arg : w.graph.at(id).args) used.push_back(arg);
  }
  for (const int id : below) {
    if (!known[id].worth || known[id].column <= 0 || !holds(used, id) || w.counted.size() == kMostTables) continue;
    w.counted[id] = known[id].column;
  }
}

std::optional<std::string> counted_text(const NodeUse& use) {
  Writer& w = use.w;
  const auto found = w.counted.find(use.id);
  if (found == w.counted.end() || use.at.name != w.root.name) return std::nullopt;
  const int column = found->second;
  w.counted.erase(found);
  const std::string name = filled("counted_%1", {use.id});
  const Block usual = written_apart(w, use.id, use.at);
  const std::string key = key_of(column, "t");
  w.known[key] = w.graph.type(column) == Type::real ? "(double)t" : "t";
  const Block tabulated = written_apart(w, use.id, {"t", use.at.length});
  w.known.erase(key);
  w.counted[use.id] = column;
  const int table = new_table(w, tabulated.lines, tabulated.value);
  const std::string place = place_of(w, table, column);
  add_lines(w.loop_lines, {filled("nmath_value %1;", {name}), "#ifndef EXPR_ALONE",
                           filled("if (%1 < counts) %2 = count_%3[%1]; else", {place, name, table}), "#endif", "{"});
  add_lines(w.loop_lines, usual.lines, "    ");
  add_lines(w.loop_lines, {filled("    %1 = %2;", {name, usual.value}), "}"});
  return name;
}

std::optional<std::string> weighted_text(const NodeUse& use) {
  Writer& w = use.w;
  const std::string& mass = use.node.name;
  if (!makes_tables(w) || use.at.name != w.root.name || (mass != "dpois" && mass != "dnbinom_mu")) return std::nullopt;
  const Constant& log = w.graph.at(use.node.args.back()).constant;
  if (is_missing(log) || as_real(log) == 0.0 || w.tables == static_cast<int>(kMostTables)) return std::nullopt;
  const int x = use.arg_id(1), column = w.graph.at(x).op == Op::as_double ? w.graph.at(x).args[0] : x;
  if (w.graph.at(column).op != Op::input || w.graph.length(column) != w.n || w.n == 1) return std::nullopt;
  if (w.graph.type(column) == Type::logical) return std::nullopt;
  std::string same;  // of the parameters, for all elements
  if (mass == "dnbinom_mu") {
    if (w.graph.length(use.arg_id(2)) != 1) return std::nullopt;
    same = ", " + use.arg(2);
  }
  const std::string arguments = joined(use.args(), ", ");
  note_function(w, mass, use.at);
  add_once(w.files, std::string("mass_weights"));
  const int table = new_table(w, {}, mass + "_weight((double)t" + same + ')');
  const std::string place = place_of(w, table, column), reals = arguments.substr(0, arguments.rfind(", "));
  return filled("EXPR_WEIGHTED(%1 < counts, %2_weighted(%3, count_%4[%1]), expr_%2(%5))",
                {place, mass, reals, table, arguments});
}

Lines count_tables(const Writer& w) {
  if (w.tables == 0) return {};
  Lines lines = {"#ifndef EXPR_ALONE"};
  for (int k = 1; k <= w.tables; ++k) lines.push_back(filled("    __local double count_%1[EXPR_COUNTS];", {k}));
  add_lines(lines, {"    const int counts = block < 8 * EXPR_COUNTS ? 0 : EXPR_COUNTS;",
                    "    for (int t = item; t < counts; t += items) {"});
  add_lines(lines, w.count_lines, "        ");
  add_lines(lines, {"    }", "    barrier(CLK_LOCAL_MEM_FENCE);", "#endif"});
  return lines;
}

}  // namespace openclPort::expression
