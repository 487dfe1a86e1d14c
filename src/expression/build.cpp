// build -- nodes of a graph by R's rules for types and lengths.
#include "expression/build.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "expression/reductions.h"
#include "expression/sign.h"

namespace openclPort::expression {

const char* const kNotAMultiple = "longer object length is not a multiple of shorter object length";

namespace {

// What `storage.mode<-` makes of a number; a whole number that does not fit is NA.
Constant converted_constant(const Constant& value, Type type) {
  if (type == Type::real) return real_constant(as_real(value));
  if (is_missing(value)) return whole_constant(type, INT_MIN);
  const double number = as_real(value);
  if (type == Type::logical) return whole_constant(type, number != 0 ? 1 : 0);
  const bool fits = number > -2147483648.0 && number < 2147483648.0;
  return whole_constant(type, fits ? static_cast<int>(number) : INT_MIN);
}

Op conversion_to(Type type) {
  return type == Type::real ? Op::as_double : type == Type::integer ? Op::as_integer : Op::as_logical;
}

// R looks at a branch of ifelse() only if some element takes it.
const std::vector<Guard>& used_guards(Graph& graph) {
  for (const Guard& guard : graph.guards)
    if (std::find(graph.tests.begin(), graph.tests.end(), guard.test) == graph.tests.end())
      graph.tests.push_back(guard.test);
  return graph.guards;
}

constexpr int kMostBranches = 64;  // as many as rounds of a loop that is written out

// What both say: a part that two branches have is computed where either is taken, and no condition says that but what
// both begin with.
void join_guards(std::vector<Guard>& known, const std::vector<Guard>& more) {
  std::size_t same = 0;
  while (same < known.size() && same < more.size() && known[same] == more[same]) ++same;
  known.resize(same);
}

// Whether a node is made of inputs.
bool reads_inputs(Graph& graph, int id) {
  for (int next = static_cast<int>(graph.reads.size()) + 1; next <= id; ++next) {
    const Node& node = graph.at(next);
    bool reads = node.op == Op::input || node.op == Op::column || node.op == Op::product;
    for (const int arg : node.args) reads = reads || graph.reads[static_cast<std::size_t>(arg) - 1];
    graph.reads.push_back(reads);
  }
  return graph.reads[static_cast<std::size_t>(id) - 1];
}

// R warns of an array of one element that arithmetic recycles: which operand may be one.
void note_single(Graph& graph, int id, int call) {
  if (call == 0 || graph.in_rule || graph.muted > 0) return;
  const std::vector<int> args = graph.at(id).args;
  const double first = graph.length(args[0]), second = graph.length(args[1]);
  if (std::min(first, second) != 1 || std::max(first, second) == 1) return;
  const int one = first == 1 ? 1 : 2;
  if (!reads_inputs(graph, args[static_cast<std::size_t>(one) - 1])) return;
  for (Single& known : graph.singles) {  // equal parts are computed once
    if (known.node != id || known.call != call) continue;
    join_guards(known.guards, graph.guards);
    return;
  }
  graph.singles.push_back({id, call, one, graph.guards});
}

double longest_of_nodes(const Graph& graph, const std::vector<int>& ids) {
  double length = -HUGE_VAL;
  for (const int id : ids) {
    if (graph.length(id) == 0) return 0;  // of nothing there is nothing
    length = std::max(length, graph.length(id));
  }
  return length;
}

int built_node(Graph& graph, Op op, Type type, double length, std::vector<int> args) {
  return graph.add({op, type, length, std::move(args)});
}

}  // namespace

int constant_node(Graph& graph, const Constant& value) {
  Node node;
  node.type = value.type;
  node.constant = value;
  return graph.add(std::move(node));
}

int constant_node(Graph& graph, double value) { return constant_node(graph, real_constant(value)); }

int length_constant(Graph& graph, double length) {
  bool of_argument = false;
  for (const Input& input : graph.inputs) {
    of_argument = of_argument || (input.definition == 0 &&
                                  (input.length == length || input.rows == length || input.columns == length));
  }
  Node node;
  node.constant = length > INT_MAX ? real_constant(length) : whole_constant(Type::integer, static_cast<int>(length));
  node.type = node.constant.type;
  node.flag = of_argument;  // else no kernel is given it
  return graph.add(std::move(node));
}

int as_whole(Graph& graph, int id) {
  Node node{Op::as_integer, Type::integer, graph.length(id), {id}};
  node.flag = true;  // gradients go through
  return graph.add(std::move(node));
}

int as_type(Graph& graph, int id, Type type) {
  const Type from = graph.type(id);
  if (from == type || (type == Type::integer && from == Type::logical)) return id;
  if (graph.at(id).op == Op::constant && graph.at(id).flag && type == Type::real) {
    Node node = graph.at(id);  // still a length
    node.constant = converted_constant(node.constant, type);
    node.type = type;
    return graph.add(std::move(node));
  }
  if (graph.at(id).op == Op::constant) return constant_node(graph, converted_constant(graph.at(id).constant, type));
  return built_node(graph, conversion_to(type), type, graph.length(id), {id});
}

int widened(Graph& graph, int id, Type type) {
  if (type != Type::integer || graph.type(id) != Type::logical) return as_type(graph, id, type);
  return built_node(graph, Op::plus, type, graph.length(id), {id});
}

Type wider(Type a, Type b) {
  if (a == Type::real || b == Type::real) return Type::real;
  return a == Type::integer || b == Type::integer ? Type::integer : Type::logical;
}

int bare_node(Graph& graph, int id, const std::string& name) {
  Node node{Op::bare, graph.type(id), graph.length(id), {id}};
  node.name = name;
  return graph.add(std::move(node));
}

double common_length(Graph& graph, const std::vector<int>& ids, int call, const std::string& text) {
  if (call != 0 && ids.size() == 2 && graph.muted == 0) {
    const double first = graph.length(ids[0]), second = graph.length(ids[1]);
    if (std::min(first, second) > 1 && first != second)
      graph.recycled.push_back({std::min(first, second), std::max(first, second), call, text, used_guards(graph)});
  }
  return longest_of_nodes(graph, ids);
}

// A part that several branches have is computed where one of them is taken: a site for each, as far as they are few.
int add_site(Graph& graph, int id, int call, const std::string& rule, const std::string& reason) {
  if (graph.muted > 0 && rule != "index" && rule != "bounds" && rule != "stops")
    return id;  // suppressWarnings() suppresses no error
  Site* first = nullptr;
  int known = 0;
  for (Site& site : graph.sites) {
    if (site.node != id || site.call != call) continue;
    if (site.guards.empty() || site.guards == graph.guards) return id;
    if (first == nullptr) first = &site;
    ++known;
  }
  if (first != nullptr && (graph.guards.empty() || known >= kMostBranches))
    join_guards(first->guards, graph.guards);
  else
    graph.sites.push_back({id, call, rule, reason, used_guards(graph)});
  return id;
}

void add_stop(Graph& graph, int id, int call, const std::string& reason) { add_site(graph, id, call, "stops", reason); }

int arithmetic_node(Graph& graph, Op op, int a, int b, int call) {
  const bool whole = wider(graph.type(a), graph.type(b)) != Type::real && op != Op::divide && op != Op::power;
  const double length = common_length(graph, {a, b}, call);
  if (!whole) {
    a = as_double(graph, a);
    b = as_double(graph, b);
  }
  const int id = built_node(graph, op, whole ? Type::integer : Type::real, length, {a, b});
  note_single(graph, id, call);
  if (whole && (op == Op::add || op == Op::subtract || op == Op::multiply))
    add_site(graph, id, call, "overflow", "NAs produced by integer overflow");
  return id;
}

int sign_node(Graph& graph, Op op, int a) {
  const Type type = graph.type(a) == Type::real ? Type::real : Type::integer;
  return built_node(graph, op, type, graph.length(a), {as_type(graph, a, type)});
}

// As long as the test; the branches are recycled, or cut, to it. Rules of derivatives choose element by element, and
// ask for flags, which are constants.
int select_node(Graph& graph, int test, int yes, int no) {
  double length = graph.length(test);
  if (graph.in_rule) {
    const Node& known = graph.at(test);
    if (known.op == Op::constant && !is_missing(known.constant)) return as_real(known.constant) != 0 ? yes : no;
    length = longest_of_nodes(graph, {test, yes, no});
  }
  const Type type = wider(graph.type(yes), graph.type(no));
  test = as_type(graph, test, Type::logical);
  // What has no elements is recycled to NA.
  const auto chosen = [&](int branch) {
    if (graph.in_rule || !(length > 0) || graph.length(branch) > 0) return as_type(graph, branch, type);
    return constant_node(graph, type == Type::real ? real_constant(na_real()) : whole_constant(type, INT_MIN));
  };
  yes = chosen(yes);
  no = chosen(no);
  return built_node(graph, Op::select, type, length, {test, yes, no});
}

int elementary_node(Graph& graph, const std::string& name, int x, int call) {
  Node node{Op::elementary, Type::real, graph.length(x), {x}};
  node.name = name;
  const int id = graph.add(std::move(node));
  const Row* const row = language_row(name);
  if (row != nullptr && row->at("warns") == "nan") add_site(graph, id, call, "nan");
  return id;
}

int library_node(Graph& graph, const FunctionRow& row, std::vector<int> args, int call) {
  if (row.name == "log1p" && is_log1p_of_exp(graph, args[0]))
    return library_node(graph, *function_row("log1p_exp"), graph.at(args[0]).args);
  const std::size_t n_real = row.columns.size();
  for (std::size_t k = 0; k < args.size(); ++k)
    args[k] = k < n_real ? as_double(graph, args[k]) : as_type(graph, args[k], Type::logical);
  Node node{Op::library, Type::real,
            longest_of_nodes(graph, std::vector<int>(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(n_real))),
            std::move(args)};
  node.name = row.name;
  const int id = graph.add(std::move(node));
  if (row.warn != "silent") add_site(graph, id, call, row.warn == "none" ? "nan" : row.warn);
  return id;
}

int plain_node(Graph& graph, Op op, Type type, const std::vector<int>& args) {
  return built_node(graph, op, type, longest_of_nodes(graph, args), args);
}

int reduce_node(Graph& graph, const std::string& op, bool na_rm, int x) {
  x = as_type(graph, x, reduced_type({op}, graph.type(x)));
  Node node;
  const bool is_extreme = op == "min" || op == "max";
  if ((op == Reduction::sum.name || (is_extreme && na_rm)) && graph.type(x) != Type::real) {
    const int next = static_cast<int>(graph.whole_sums.size()) + 1;
    node.second = graph.whole_sums.emplace(std::make_tuple(op, x, na_rm), next).first->second;
    if (std::count(graph.wide_sums.begin(), graph.wide_sums.end(), node.second) > 0) x = as_double(graph, x);
  }
  node.op = Op::reduce;
  node.name = op;
  node.flag = na_rm;
  node.args = {x};
  node.type = graph.type(x) != Type::logical || op == "any" || op == "all" ? graph.type(x) : Type::integer;
  return graph.defined(graph.add(std::move(node)));
}

int cumsum_node(Graph& graph, int x, int call) {
  Node node{Op::cumsum, graph.type(x) == Type::logical ? Type::integer : graph.type(x), graph.length(x), {x}};
  const bool whole = node.type != Type::real;
  const int id = graph.add(std::move(node));
  if (whole && call != 0)
    add_site(graph, id, call, "running", "integer overflow in 'cumsum'; use 'cumsum(as.numeric(.))'");
  return graph.defined(id);
}

int count_node(Graph& graph, int id) { return graph.defined(graph.add({Op::count, Type::real, 1, {id}})); }

int input_as_node(Graph& graph, int number) {
  const Input& input = graph.input(number);
  Node node{Op::input, input.type, input.length};
  node.first = number;
  return graph.add(std::move(node));
}

int element_node(Graph& graph, int id, int place) {
  Node node{Op::slice, graph.type(id), 1, {id}};
  node.first = place;
  node.second = 1;
  return graph.defined(graph.add(std::move(node)));
}

int column_node(Graph& graph, int input, double rows, double j) {
  Node node{Op::column, graph.input(input).type, rows};
  node.first = input;
  node.second = static_cast<int>(j) + 1;
  node.flag = true;
  return graph.add(std::move(node));
}

int in_memory(Graph& graph, int id) {
  if (graph.at(id).op == Op::input) return id;
  return graph.defined(graph.add({Op::materialize, graph.type(id), graph.length(id), {id}}));
}

}  // namespace openclPort::expression
