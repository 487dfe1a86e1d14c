// branches -- finds which parts belong to one branch alone, and writes a choice that has such.
#include "expression/branches.h"

#include <algorithm>
#include <map>
#include <utility>

namespace openclPort::expression {

namespace {

std::size_t place_number(int id) { return static_cast<std::size_t>(id); }

struct BranchSearch {
  explicit BranchSearch(const Writer& w_)
      : w(w_), graph(w_.graph), place(place_number(graph.size()) + 1, 0), users(place.size()), stays(place.size(), 0) {}

  const Writer& w;
  const Graph& graph;
  std::vector<int> place;               // by node, the branch that it is computed in: 0, or a number of `branches`
  std::vector<std::vector<int>> users;  // by node, the branches that its users want it in
  std::vector<char> stays;              // by node
  std::vector<Branch> branches;
  std::map<std::pair<int, int>, int> numbers;

  Branch& branch(int number) { return branches[place_number(number) - 1]; }

  int branch_of(int select, int way) {
    int& number = numbers[{select, way}];
    if (number == 0) {
      branches.push_back({select, way, place[place_number(select)]});
      number = static_cast<int>(branches.size());
    }
    return number;
  }

  int depth(int number) {
    int levels = 0;
    for (; number > 0; number = branch(number).parent) ++levels;
    return levels;
  }

  int common(int a, int b) {
    while (a != b) {
      int& inner = depth(a) >= depth(b) ? a : b;
      inner = branch(inner).parent;
    }
    return a;
  }

  bool is_movable(int id) const {
    const Node& node = graph.at(id);
    if (node.length != w.n || !(w.n > 1) || stays[place_number(id)]) return false;
    return !is_one_of(node.op, Op::product, Op::row_reduce, Op::draw, Op::input, Op::column, Op::constant, Op::c_text);
  }

  // A choice of a NaN that is told of anyway is its last argument (asks_for_reported(), chooses_none()): no branch is
  // written for it.
  bool is_written_as_last(int id) const {
    if (chooses_none(w, id)) return true;
    const Node& node = graph.at(id);
    const Node& test = graph.at(node.args[0]);
    return test.op == Op::is_na && test.args[0] == node.args[1] && holds(w.reported, node.args[1]);
  }

  void visit(int id) {
    const Node& node = graph.at(id);
    const std::vector<int>& wanted = users[place_number(id)];
    int here = 0;
    if (!wanted.empty() && is_movable(id)) {
      here = wanted[0];
      for (const int number : wanted) here = common(here, number);
    }
    place[place_number(id)] = here;
    const bool chooses = node.op == Op::select && node.type == Type::real && node.length == w.n &&
                         graph.length(node.args[0]) == w.n && !is_written_as_last(id);
    for (std::size_t k = 0; k < node.args.size(); ++k) {
      const int arg = node.args[k];
      const bool whole = chooses && k > 0 && std::count(node.args.begin(), node.args.end(), arg) == 1;
      users[place_number(arg)].push_back(whole ? branch_of(id, static_cast<int>(k)) : here);
    }
  }

  bool is_dear(const Node& node) const {
    if (node.op == Op::library || node.op == Op::log || node.op == Op::log_base) return true;
    return node.op == Op::elementary && node.name != "sqrt" && node.name != "floor" && node.name != "ceiling";
  }

  // Leaves the branches that cost something: what another one has goes to where that is.
  void keep_dear() {
    const int count = static_cast<int>(branches.size());
    std::vector<char> dear(branches.size() + 1, 0);
    for (int id = 1; id <= graph.size(); ++id)
      if (is_dear(graph.at(id))) dear[place_number(place[place_number(id)])] = 1;
    for (int b = count; b > 0; --b)  // inner branches first: what holds one that is dear is dear
      if (dear[place_number(b)]) dear[place_number(branch(b).parent)] = 1;
    for (int b = count; b > 0; --b) {
      if (dear[place_number(b)]) continue;
      std::replace(place.begin(), place.end(), b, branch(b).parent);
      for (Branch& inner : branches)
        if (inner.parent == b) inner.parent = branch(b).parent;
    }
    for (int b = 1; b <= count; ++b)
      if (!dear[place_number(b)]) branch(b) = Branch();
  }
};

// The number of the branch that a choice computes one of its two values in, or 0.
int branch_number(const Writer& w, int id, int way) {
  for (std::size_t b = 0; b < w.branches.size(); ++b)
    if (w.branches[b].select == id && w.branches[b].way == way) return static_cast<int>(b) + 1;
  return 0;
}

}  // namespace

void find_branches(Writer& w, const std::vector<int>& ids, const std::vector<int>& stay) {
  BranchSearch search(w);
  for (const int id : stay) search.stays[place_number(id)] = 1;
  for (const Site& site : w.graph.sites) search.stays[place_number(site.node)] = 1;
  for (const int id : w.graph.tests) search.stays[place_number(id)] = 1;
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) search.visit(*id);
  search.keep_dear();
  w.branch_of = std::move(search.place);
  w.branches = std::move(search.branches);
}

bool in_branch(const Writer& w, int id) {
  return w.assume_no_nan && place_number(id) < w.branch_of.size() && w.branch_of[place_number(id)] > 0;
}

bool write_branches(const NodeUse& use) {
  Writer& w = use.w;
  const int numbers[] = {branch_number(w, use.id, 1), branch_number(w, use.id, 2)};
  if (use.at.scalar() || (numbers[0] == 0 && numbers[1] == 0)) return false;
  const std::string test = use.arg(1);
  for (int way = 1; way <= 2; ++way)
    if (numbers[way - 1] == 0) use.arg(way + 1);
  const auto write_branch = [&](int way) {
    const int number = numbers[way - 1];
    if (number > 0)
      for (int id = 1; id <= w.graph.size(); ++id)
        if (w.branch_of[place_number(id)] == number) value_at(w, id, use.at);
    const std::string value = use.arg(way + 1);
    emit(w, use.at, "    " + use.name + " = " + value + ';');
  };
  emit(w, use.at, "nmath_value " + use.name + " = NMATH_NA_REAL;");
  emit(w, use.at, "if (" + test + " == 1) {");
  write_branch(1);
  emit(w, use.at, "} else if (" + test + " == 0) {");
  write_branch(2);
  emit(w, use.at, "}");
  return true;
}

}  // namespace openclPort::expression
