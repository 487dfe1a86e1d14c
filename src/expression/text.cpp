// text -- OpenCL C for a typed graph: one kernel for all its outputs, and the list of the kernel's arguments.
#include "expression/branches.h"
#include "expression/counts.h"
#include "expression/literals.h"
#include "expression/node_text.h"
#include "expression/point_tiles.h"
#include "expression/writer.h"

namespace openclPort::expression {

namespace {

std::vector<int> joined_ids(std::vector<int> ids, const std::vector<int>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

std::vector<int> without(const std::vector<int>& ids, const std::vector<int>& others) {
  const std::set<int> left_out(others.begin(), others.end());
  std::vector<int> kept;
  for (const int id : ids)
    if (left_out.count(id) == 0) add_once(kept, id);
  return kept;
}

// Statements whose value no output needs, but of which R may warn. One that is longer than the outputs is left out: the
// loop does not reach all of its elements.
std::vector<int> unused_statements(const Writer& w) {
  const Graph& graph = w.graph;
  std::vector<int> computed = w.request.outputs, warning;  // what R has computed, and what it may warn of
  for (const Decision& decision : graph.decisions) computed.push_back(decision.node);
  for (const Site& site : graph.sites) warning.push_back(site.node);
  warning = without(warning, nodes_under(graph, computed));
  std::vector<int> unused;
  if (warning.empty()) return unused;
  for (const int id : without(graph.statements, nodes_under(graph, w.request.outputs))) {
    if (graph.length(id) > w.n) continue;
    for (const int under : nodes_under(graph, {id})) {
      if (!holds(warning, under)) continue;
      unused.push_back(id);
      break;
    }
  }
  return unused;
}

std::vector<WrittenTerm> written_terms(Writer& w) {
  const Graph& graph = w.graph;
  std::vector<WrittenTerm> terms;
  for (const Term& term : w.request.terms) {
    const Index counted = term.cut == 0 ? w.root : index_for(w, w.root, graph.length(term.cut));
    const Index at = index_for(w, counted, graph.length(term.product));
    const bool skips = term.mask != 0 || w.request.na_rm;
    terms.push_back({term, product_at(w, graph.at(term.product), at), skips});
  }
  return terms;
}

bool asks_which_nan(const Graph& graph) {  // of what a branch is made of, too
  for (int id = 1; id <= graph.size(); ++id)
    if (graph.at(id).op == Op::is_nan) return true;
  return false;
}

void write_all(Writer& w, const std::vector<int>& ids) {
  for (const int id : nodes_below(w, ids))
    if (!in_branch(w, id)) value_at(w, id, w.root);
}

}  // namespace

namespace {

// What no NaN goes into unseen: a score that a mask leaves out is not looked at.
std::vector<int> what_tells(const TextRequest& request) {
  std::vector<int> nodes = joined_ids(request.outputs, request.each);
  for (const Term& term : request.terms)
    if (term.mask == 0) nodes.push_back(term.score);
  return nodes;
}

// Nothing where tiles of points are wanted, and the kernel cannot have them.
std::optional<KernelText> written_kernel(const Graph& graph, const TextRequest& request, bool tiles) {
  Writer w(graph, request);
  std::vector<int> needed = request.outputs;
  for (const Term& term : request.terms) {
    needed.push_back(term.score);
    if (term.mask != 0) needed.push_back(term.mask);
  }
  needed.insert(needed.end(), request.each.begin(), request.each.end());
  w.terms = written_terms(w);
  if (w.assume_no_nan) w.reported = reported_nodes(w, what_tells(request));
  note_constant_nodes(w, needed);
  const std::vector<int> unused = unused_statements(w), all = joined_ids(needed, unused);
  find_counts(w, all);
  if (tiles) begin_point_tiles(w);
  if (tiles && !w.tiling) return std::nullopt;
  if (w.assume_no_nan && !asks_which_nan(graph))
    find_branches(w, nodes_below(w, all), joined_ids(all, nodes_of_rows(w)));
  if (tiles) note_varying_branches(w);
  write_all(w, needed);
  std::vector<std::string> values;
  for (const int id : request.outputs) values.push_back(value_at(w, id, w.root));
  write_all(w, unused);
  finish_outputs(w, values);
  finish_scores(w);
  finish_each(w);
  if (tiles && !fits_point_tiles(w)) return std::nullopt;
  return assemble_text(w);
}

}  // namespace

KernelText kernel_text(const Graph& graph, const TextRequest& request) {
  if (!request.over.empty())
    if (std::optional<KernelText> tiled = written_kernel(graph, request, true)) return *tiled;
  return *written_kernel(graph, request, false);
}

}  // namespace openclPort::expression
