// matrix_names -- where names of elements, rows and columns come from: words that R reads (R/expression_attributes.R).
#include <string>

#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

std::string names_word(const char* side, int id, int of, const std::vector<double>& places) {
  std::string word = std::string(" ") + side + "=" + std::to_string(id) + "." + std::to_string(of);
  for (const double place : places) word += "." + whole_text(place);
  return word;
}

std::string places_word(const char* side, int id, int of, int places) {
  return names_word(side, id, of) + ".@" + std::to_string(places);
}

int with_names(Graph& graph, int id, const std::string& words) {
  return bare_node(graph, bare_node(graph, id), kNamesOf + words);
}

int names_source(const Graph& graph, int id) {
  for (const int under : nodes_under(graph, {id})) {
    const Node& node = graph.at(under);
    if (node.op == Op::input && graph.input(node.first).matrix && node.length == graph.length(id)) return under;
    if (node.op == Op::bare && node.args.size() > 1 && node.name.find(" rows") != std::string::npos)
      return node.args[1];
  }
  return 0;
}

int named_by(Graph& graph, int id, int source, const std::string& how) {
  Node node{Op::bare, graph.type(id), graph.length(id), {id}};
  if (source != 0) node.args.push_back(source), node.name = how;
  return graph.add(std::move(node));
}

}  // namespace openclPort::expression
