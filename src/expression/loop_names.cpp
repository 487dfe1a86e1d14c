// loop_names -- see loop_names.h
#include "expression/loop_names.h"

#include <algorithm>

#include "expression/matrices.h"
#include "expression/row_writer.h"

namespace openclPort::expression {

namespace {

// Nodes that are given, or that R can tell the names of, in the order in which R asks operands for names.
class NameSources {
 public:
  NameSources(Graph& graph, int value, const std::vector<LoopLocal>& locals)
      : graph_(graph), value_(value), locals_(locals) {}

  void visit(int id) {
    const Node node = graph_.at(id);
    if (node.length == 1) return;
    if (const int before = before_of(id)) {
      if (put_together(graph_, before) != 0)
        add(before);
      else if (before != id)
        visit(before);
      return;
    }
    switch (node.op) {
      case Op::input:
        return visit_input(id, node);
      case Op::column:
        return add(id);
      case Op::gather:
        return visit_column(node);
      case Op::select:
        return visit(node.args[0]);
      case Op::pmin:
      case Op::pmax:
        return visit_if_long(node.args[0], node.length);
      case Op::library:
      case Op::log_base:
      case Op::atan2:
        return visit_first(node);
      case Op::bare:
        return visit_bare(node);
      default:
        break;
    }
    if (!is_elementwise(node.op)) return;
    for (const int arg : node.args) visit_if_long(arg, node.length);
  }

  const std::vector<int>& found() const { return found_; }

 private:
  void add(int id) {
    if (std::find(found_.begin(), found_.end(), id) == found_.end()) found_.push_back(id);
  }

  int before_of(int id) const {
    const Node& node = graph_.at(id);
    int first = id;
    if (node.op == Op::input && graph_.input(node.first).definition != 0) {
      const Node& definition = graph_.at(graph_.input(node.first).definition);
      if (definition.op == Op::concat) first = definition.args[0];
    }
    for (const LoopLocal& one : locals_)
      if (one.local == id || one.local == first) return one.before;
    return 0;
  }

  void visit_if_long(int id, double length) {
    if (graph_.length(id) == length) visit(id);
  }

  void visit_first(const Node& node) {
    for (const int arg : node.args)
      if (graph_.length(arg) == node.length) return visit(arg);
  }

  void visit_input(int id, const Node& node) {
    const Input& input = graph_.input(node.first);
    if (input.round != 0 || input.matrix) return;
    if (input.definition == 0) return add(id);
    const Node definition = graph_.at(input.definition);
    if (definition.op == Op::materialize) visit(definition.args[0]);
    if (definition.op == Op::concat && !definition.names.empty()) add(id);
  }

  void visit_bare(const Node& node) {
    if (node.name == "names" && node.args.size() > 1) return visit_if_long(node.args[1], node.length);
    if (node.name == "c" || node.name == "drop") visit(node.args[0]);
    if (node.name.rfind(kNamesOf, 0) == 0) visit(graph_.at(node.args[0]).args[0]);
  }

  // X[, k] of the round: the names of the rows.
  void visit_column(const Node& node) {
    if (node.names != kColumnOfRound) return;
    int matrix = node.args[0];
    const Node kept = graph_.at(matrix);
    if (kept.op == Op::input && graph_.input(kept.first).definition != 0) {
      const Node definition = graph_.at(graph_.input(kept.first).definition);
      if (definition.op != Op::materialize) return;
      matrix = definition.args[0];
    }
    while (graph_.at(matrix).op == Op::bare && graph_.at(matrix).name.empty()) matrix = graph_.at(matrix).args[0];
    const int source = names_source(graph_, matrix);
    if (source != 0) add(named_by(graph_, value_, source, "rows"));
  }

  Graph& graph_;
  const int value_;  // as long as what is looked through
  const std::vector<LoopLocal>& locals_;
  std::vector<int> found_;
};

}  // namespace

int named_after_loop(Graph& graph, int value, int after, const std::vector<LoopLocal>& locals) {
  if (graph.length(value) == 1 || after <= 0 || graph.length(after) != graph.length(value)) return value;
  NameSources sources(graph, value, locals);
  sources.visit(after);
  if (sources.found().empty()) return value;
  Node node{Op::bare, graph.type(value), graph.length(value), {value}};
  node.args.insert(node.args.end(), sources.found().begin(), sources.found().end());
  node.name = "first " + whole_text(static_cast<double>(sources.found().size()));
  return graph.add(std::move(node));
}

int named_as_before(Graph& graph, int value, int before) {
  int from = before;
  for (;;) {  // what its elements were assigned to
    const Node& node = graph.at(from);
    const int defined = node.op == Op::input ? graph.input(node.first).definition : 0;
    const Op op = defined == 0 ? node.op : graph.at(defined).op;
    if (op == Op::fill) return value;
    if (op != Op::patch && op != Op::materialize) break;
    from = graph.at(defined == 0 ? from : defined).args[0];
  }
  for (const int id : nodes_under(graph, {from})) {
    const Node& node = graph.at(id);
    if (node.op == Op::input && graph.input(node.first).definition == 0 && graph.input(node.first).round == 0)
      return named_by(graph, value, before, "names");
  }
  return value;  // made of constants
}

}  // namespace openclPort::expression
