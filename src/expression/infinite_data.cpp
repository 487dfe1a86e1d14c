// infinite_data -- products of adjoints and slopes where 0 times an infinite slope is 0: where data are infinite, or 0
// where their log is taken, since what such an element is in stays as it is when parameters move; and where the slope
// of finite numbers is beyond the doubles, as that of exp(x), since what is left of it in the value is 0.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "expression/build.h"
#include "expression/rules.h"

namespace openclPort::expression {

namespace {

// The largest parts of a node that are made of data alone.
std::vector<int> parts_of_data(const Graph& graph, int id) {
  std::map<int, bool> of_data;
  for (const int part : nodes_under(graph, {id})) {
    const Node& node = graph.at(part);
    const bool given = node.op == Op::input || node.op == Op::column;
    const bool all = std::all_of(node.args.begin(), node.args.end(), [&](int arg) { return of_data[arg]; });
    of_data[part] = given ? graph.input(node.first).infinite : node.op == Op::constant || (all && !node.args.empty());
  }
  std::vector<int> found, left = {id};
  std::set<int> seen;
  while (!left.empty()) {
    const int part = left.back();
    left.pop_back();
    if (graph.at(part).op == Op::constant || !seen.insert(part).second) continue;
    if (of_data[part])
      found.push_back(part);
    else
      left.insert(left.end(), graph.at(part).args.begin(), graph.at(part).args.end());
  }
  return found;
}

// Whether data in a node are infinite, or 0; 0: of which data it is, nobody knows.
int infinite_data(Graph& graph, int id) {
  constexpr std::size_t most = 4;
  const std::vector<int> parts = graph.infinite ? parts_of_data(graph, id) : std::vector<int>();
  if (parts.empty() || parts.size() > most) return 0;
  const auto logical = [&](Op op, const std::vector<int>& args) { return plain_node(graph, op, Type::logical, args); };
  int found = 0;
  for (const int part : parts) {
    if (graph.length(part) != 1 && graph.length(part) != graph.length(id)) return 0;
    const int here = logical(Op::either, {logical(Op::negation, {logical(Op::is_finite, {part})}),
                                          logical(Op::equal, {part, constant_node(graph, 0.0)})});
    found = found == 0 ? here : logical(Op::either, {found, here});
  }
  return found;
}

// Whether a slope that is infinite has come of finite numbers, and of no division by 0; 0: nobody knows. Nor is one
// known of numbers next to 0, 1 / (q / p): what is left of it in a value may be 0 for want of smaller doubles, and have
// a slope all the same.
class Overflow {
 public:
  Overflow(Graph& graph, double length) : graph_(graph), length_(length) {}

  int overflows(int id, int level = 0) {
    const Node node = graph_.at(id);
    if (level > kMostLevels || !fits(id)) return 0;
    switch (node.op) {
      case Op::elementary:
        return is_one_of_names(node.name) ? whole(node.args[0], level) : 0;
      case Op::add:
      case Op::subtract:
      case Op::multiply:
        return both(whole(node.args[0], level), whole(node.args[1], level));
      case Op::divide:
        return both(whole(node.args[0], level), is_no_pole(node.args[1], level));
      case Op::power:
        return both(both(whole(node.args[0], level), is_off_zero(node.args[0])), is_finite(node.args[1]));
      case Op::negative:
      case Op::as_double:
        return overflows(node.args[0], level + 1);
      case Op::select:
        return both(whole(node.args[1], level), whole(node.args[2], level));
      default:
        return 0;
    }
  }

 private:
  static constexpr int kMostLevels = 6;
  static bool is_one_of_names(const std::string& name) { return name == "exp" || name == "cosh" || name == "sinh"; }

  bool fits(int id) const { return graph_.length(id) == 1 || graph_.length(id) == length_; }
  int logical(Op op, const std::vector<int>& args) { return plain_node(graph_, op, Type::logical, args); }
  int both(int a, int b) { return a == 0 || b == 0 ? 0 : logical(Op::both, {a, b}); }
  int either(int a, int b) { return a == 0 ? b : b == 0 ? a : logical(Op::either, {a, b}); }
  int is_finite(int id) { return fits(id) ? logical(Op::is_finite, {id}) : 0; }
  int is_off_zero(int id) {
    if (!fits(id)) return 0;
    Node size{Op::absolute, Type::real, graph_.length(id), {as_double(graph_, id)}};
    return logical(Op::greater, {graph_.add(std::move(size)), constant_node(graph_, 1e-100)});
  }

  // Finite, or beyond the doubles as above.
  int whole(int id, int level) {
    const int finite = is_finite(id);
    return finite == 0 ? 0 : either(finite, overflows(id, level + 1));
  }
  int is_no_pole(int id, int level) { return either(is_off_zero(id), underflows(id, level + 1)); }

  // Whether what is 0 is exp() of a finite number, or a multiple of it: then it is none.
  int underflows(int id, int level) {
    const Node node = graph_.at(id);
    if (level > kMostLevels || !fits(id)) return 0;
    if (node.op == Op::elementary && node.name == "exp") return whole(node.args[0], level);
    if (node.op == Op::divide) return both(is_no_pole(node.args[0], level), is_off_zero(node.args[1]));
    if (node.op == Op::multiply) return both(is_no_pole(node.args[0], level), is_no_pole(node.args[1], level));
    return 0;
  }

  Graph& graph_;
  const double length_;
};

}  // namespace

// What is 0 stays so where the other may be infinite, for an infinite constant or data, or where it overflows.
int multiple_node(Graph& graph, int a, int b) {
  if (is_constant_one(graph, a)) return b;
  if (is_constant_one(graph, b)) return a;
  const int product = arithmetic_node(graph, Op::multiply, a, b);
  const bool first = graph.may_be_infinite(a), second = graph.may_be_infinite(b);
  if (first == second && !graph.infinite) return product;
  const int zero = constant_node(graph, 0.0);
  const auto logical = [&](Op op, const std::vector<int>& args) { return plain_node(graph, op, Type::logical, args); };
  const auto is_none = [&](int id, int other, bool may_be_infinite) {
    const int is_zero = logical(Op::equal, {id, zero}), data = infinite_data(graph, other);
    int none = 0;
    if (may_be_infinite) none = data == 0 ? is_zero : logical(Op::both, {is_zero, data});
    const int overflow = graph.infinite ? Overflow(graph, graph.length(product)).overflows(other) : 0;
    if (overflow == 0) return none;
    const int lost = logical(Op::both, {is_zero, logical(Op::both, {logical(Op::is_infinite, {other}), overflow})});
    return none == 0 ? lost : logical(Op::either, {none, lost});
  };
  const int of_first = is_none(b, a, first), of_second = is_none(a, b, second);
  if (of_first == 0 && of_second == 0) return product;
  const int none = of_first == 0 ? of_second : of_second == 0 ? of_first : logical(Op::either, {of_first, of_second});
  return choice_node(graph, none, zero, product);
}

}  // namespace openclPort::expression
