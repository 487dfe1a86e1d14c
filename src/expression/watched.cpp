// watched -- see stages.h
#include <algorithm>
#include <set>

#include "expression/build.h"
#include "expression/stages.h"

namespace openclPort::expression {

namespace {

// All that nodes are made of, inputs' definitions among it.
std::set<int> all_under(const Graph& graph, std::vector<int> ids) {
  std::set<int> found;
  while (!ids.empty()) {
    std::vector<int> more;
    for (const int id : nodes_under(graph, ids)) {
      if (!found.insert(id).second) continue;
      const Node& node = graph.at(id);
      const auto follow = [&](int input) {
        if (input > 0 && graph.input(input).definition != 0) more.push_back(graph.input(input).definition);
      };
      if (node.op == Op::input || node.op == Op::product || node.op == Op::column) follow(node.first);
      if (node.op == Op::product) follow(node.second);
    }
    ids = more;
  }
  return found;
}

}  // namespace

std::vector<int> watched_statements(Graph& graph, const std::vector<int>& needed) {
  std::set<int> known = all_under(graph, needed);
  std::vector<int> watched;
  std::vector<int> computed = graph.statements;
  for (const Decision& one : graph.decisions) computed.push_back(one.node);
  for (const int id : computed) {
    if (known.count(id) != 0 || graph.in_round(id)) continue;
    const std::set<int> under = all_under(graph, {id});
    const auto loop_warns = [&](int one) {
      const Node& node = graph.at(one);
      return node.op == Op::recursion && known.count(one) == 0 &&
             !graph.recursions[static_cast<std::size_t>(node.first) - 1]->body.sites.empty();
    };
    const bool warns = std::any_of(under.begin(), under.end(), loop_warns) ||
                       std::any_of(graph.sites.begin(), graph.sites.end(), [&](const Site& site) {
                         return !tells_of_places(site) && under.count(site.node) != 0 && known.count(site.node) == 0;
                       });
    if (!warns) continue;
    watched.push_back(graph.length(id) == 1 ? id : reduce_node(graph, "sum", false, as_double(graph, id)));
    known.insert(under.begin(), under.end());
  }
  return watched;
}

}  // namespace openclPort::expression
