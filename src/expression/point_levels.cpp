// point_levels -- see point_levels.h
#include "expression/point_levels.h"

#include "expression/points.h"

namespace openclPort::expression {

void begin_point_tiles(Writer& w) {
  const TextRequest& request = w.request;
  const bool in_order = request.grouping.empty() || request.grouping == "by";  // of rows
  if (request.over.empty() || !w.assume_no_nan || request.reduce != Reduction::sum || !in_order || request.as_gpu)
    return;
  for (const Type type : w.types)
    if (type != Type::real) return;
  if (!w.counted.empty()) return;
  if (!request.each.empty() && !request.terms.empty()) return;  // slices of a tile leave no elements
  // Terms of one product may be a bundle, of which a tile has none.
  for (std::size_t t = 1; t < request.terms.size(); ++t)
    if (request.terms[t].product == request.terms[t - 1].product) return;
  w.tiling = true;
  w.node_varies.assign(static_cast<std::size_t>(w.graph.size()) + 1, 0);
  note_varying_branches(w);
}

void note_varying_branches(Writer& w) {
  for (const Branch& branch : w.branches)
    if (branch.select > 0) w.node_varies[static_cast<std::size_t>(branch.select)] = 1;
  for (int id = 1; id <= w.graph.size(); ++id) {
    const Node& node = w.graph.at(id);
    bool found = w.node_varies[static_cast<std::size_t>(id)] != 0 || in_branch(w, id);
    if (node.op == Op::input || node.op == Op::column) found = found || is_over(w, node.first);
    if (node.op == Op::product) found = found || is_over(w, node.first) || is_over(w, node.second);
    for (const int arg : node.args) found = found || varies(w, arg);
    w.node_varies[static_cast<std::size_t>(id)] = found;
  }
}

std::vector<int> nodes_of_rows(const Writer& w) {
  std::vector<int> ids;
  for (int id = 1; w.tiling && id <= w.graph.size(); ++id)
    if (!varies(w, id)) ids.push_back(id);
  return ids;
}

bool varies(const Writer& w, int id) { return !w.tiling || w.node_varies[static_cast<std::size_t>(id)] != 0; }

}  // namespace openclPort::expression
