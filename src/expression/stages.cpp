// stages -- which definitions are computed together, and when.
#include "expression/stages.h"

#include <algorithm>
#include <map>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/laplace.h"
#include "expression/matrices.h"
#include "expression/point_inputs.h"
#include "expression/reductions.h"
#include "expression/rules.h"
#include "expression/series.h"
#include "expression/shared_elements.h"

namespace openclPort::expression {

namespace {

// A slope that is a vector is computed by a launch.
int in_stages(Graph& graph, int id) { return graph.length(id) == 1 ? id : in_memory(graph, id); }

// `constant`: an input that does not move, whatever it is computed from; 0: none.
std::vector<Slope> staged_slopes(Graph& graph, int root, const std::vector<int>& gradient, int constant = 0) {
  const Quietly quietly(graph);
  std::vector<int> wrt = gradient;
  if (constant != 0) wrt.push_back(constant);
  const Adjoints found = adjoints(graph, root, wrt, true);
  std::vector<Slope> slopes;
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    Slope slope;
    slope.input = gradient[k];
    const int node = found.nodes[k];
    slope.node = in_stages(graph, as_double(graph, node != 0 ? node : constant_node(graph, 0.0)));
    slopes.push_back(slope);
  }
  return slopes;
}

// The inputs that a node is made of, as far as they have definitions.
class Schedule {
 public:
  Schedule(Graph& graph, const CompileRequest& request) : graph_(graph), request_(request), shared_elements_(graph) {}

  void need(const std::vector<int>& ids) {
    for (const int id : ids) depth_of(id);
  }

  std::vector<Stage> stages() {
    std::vector<Stage> made;
    for (int depth = 1; depth <= deepest_; ++depth) add_depth(made, depth);
    return made;
  }

  // A kernel for the function's own value.
  Stage result(int root) {
    Stage stage;
    stage.kind = Stage::Kind::result;
    stage.outputs = {root};
    write(stage, Reduction::none, "");
    return stage;
  }

 private:
  // How many stages have to come before what this node is part of.
  int depth_of(int id) {
    int deepest = 0;
    for (const int under : nodes_under(graph_, {id})) {
      const Node& node = graph_.at(under);
      if (node.op == Op::input) deepest = std::max(deepest, depth_of_input(node.first));
      if (node.op == Op::product || node.op == Op::column) deepest = std::max(deepest, depth_of_input(node.first));
      if (node.op == Op::product) deepest = std::max(deepest, depth_of_input(node.second));
    }
    return deepest;
  }

  int depth_of_input(int number) {
    const int definition = graph_.input(number).definition;
    if (definition == 0) return 0;
    const auto known = depths_.find(number);
    if (known != depths_.end()) return known->second;
    int depth = depth_of(definition);
    const Node& node = graph_.at(definition);
    if (node.op == Op::crossprod) depth = std::max(depth, depth_of(node.first));
    depths_[number] = depth + 1;
    deepest_ = std::max(deepest_, depth + 1);
    return depth + 1;
  }

  bool is_summed(const Node& node) const { return node.op == Op::reduce && graph_.length(node.args[0]) > 1; }

  // Sums of doubles, which share a kernel with others of as many rows.
  bool is_plain_sum(const Node& node) const {
    return is_summed(node) && (node.name == "sum" || node.name == "mean") && !node.flag &&
           graph_.type(node.args[0]) == Type::real;
  }

  // Whether a launch has room for no more sums of this kind.
  static bool is_filled(const Stage& stage, const Node& node) {
    return node.op == Op::crossprod ? stage.terms.size() >= kMostTerms : stage.outputs.size() >= kMostSums;
  }

  void add_depth(std::vector<Stage>& made, int depth) {
    Stage values;
    std::vector<Stage> launches;
    std::map<double, std::size_t> sums;  // by number of rows, the stage
    for (const auto& known : depths_) {
      if (known.second != depth) continue;
      const int input = known.first;
      const Node node = graph_.at(graph_.input(input).definition);
      if (is_plain_sum(node) || (node.op == Op::crossprod && graph_.length(node.args[0]) > 1)) {
        const double rows = graph_.length(node.args[0]);
        const auto at = sums.find(rows);
        if (at == sums.end() || is_filled(launches[at->second], node)) {
          sums[rows] = launches.size();
          launches.emplace_back();
          launches.back().kind = Stage::Kind::sums;
        }
        add_sum(launches[sums[rows]], input, node);
      } else if (is_summed(node)) {
        launches.emplace_back();
        launches.back().kind = Stage::Kind::sums;
        launches.back().na_rm = node.flag;
        add_sum(launches.back(), input, node);
      } else if (node.op == Op::recursion_part) {
        add_result(launches, input, node);
      } else if (node.op == Op::segments && graph_.length(node.args[0]) > 1) {
        launches.emplace_back();
        launches.back().kind = Stage::Kind::segments;
        launches.back().inputs = {input};
        launches.back().outputs = {node.args[0]};
        launches.back().codes = node.args[1];
      } else if (node.op != Op::materialize || graph_.length(node.args[0]) == 1 || is_of_series_numbers(graph_, node)) {
        values.inputs.push_back(input);
      }
    }
    add_elements(launches, sums, depth);
    if (!values.inputs.empty()) made.push_back(values);
    for (Stage& stage : launches) {
      finish(stage);
      made.push_back(stage);
    }
  }

  // Elements that are left in memory: by sums of as many rows, which are at hand there, else by a launch of their own.
  void add_elements(std::vector<Stage>& launches, const std::map<double, std::size_t>& sums, int depth) {
    for (const auto& known : depths_) {
      const int definition = graph_.input(known.first).definition;
      if (known.second != depth || graph_.at(definition).op != Op::materialize) continue;
      const int id = graph_.at(definition).args[0];
      if (graph_.length(id) == 1 || is_of_series_numbers(graph_, graph_.at(definition))) continue;
      const auto at = sums.find(graph_.length(id));
      if (at != sums.end() && graph_.type(id) == Type::real) {
        launches[at->second].each.push_back(id);
        launches[at->second].each_inputs.push_back(known.first);
        continue;
      }
      const auto shared = std::find_if(launches.begin(), launches.end(), [&](const Stage& stage) {
        return request_.over.empty() && stage.kind == Stage::Kind::elements &&
               shared_elements_.share(stage.outputs, id);
      });
      Stage& stage = shared == launches.end() ? launches.emplace_back() : *shared;
      stage.kind = Stage::Kind::elements;
      stage.inputs.push_back(known.first);
      stage.outputs.push_back(id);
    }
  }

  // A result of a loop: all that are needed come of one launch.
  void add_result(std::vector<Stage>& launches, int input, const Node& node) {
    Stage* found = nullptr;
    for (Stage& stage : launches)
      if (stage.recursion == node.args[0]) found = &stage;
    if (found == nullptr) {
      launches.emplace_back();
      found = &launches.back();
      found->kind = Stage::Kind::rounds;
      found->recursion = node.args[0];
    }
    found->inputs.push_back(input);
    found->parts.push_back(static_cast<std::size_t>(node.first));
  }

  void add_sum(Stage& stage, int input, const Node& node) {
    if (node.op == Op::crossprod) {
      Term term;
      term.product = node.first;
      term.score = node.args[0];
      term.mask = node.args.size() > 1 ? node.args[1] : 0;
      term.cut = node.second;
      stage.terms.push_back(term);
      stage.term_inputs.push_back(input);
      return;
    }
    stage.inputs.push_back(input);
    stage.outputs.push_back(node.args[0]);
    stage.reduce.push_back(node.name);
  }

  void finish(Stage& stage) {
    if (stage.kind == Stage::Kind::rounds) {
      TextRequest wanted;
      wanted.as_gpu = request_.as_gpu;
      wanted.arithmetic = request_.arithmetic;
      stage.rounds = recursion_text(graph_, stage.recursion, wanted);
      return;
    }
    if (stage.kind != Stage::Kind::sums)
      return write(stage, stage.kind == Stage::Kind::segments ? Reduction::sum : Reduction::none,
                   stage.kind == Stage::Kind::segments ? "by order" : "");
    if (stage.outputs.empty()) {  // a kernel that only has terms is none
      stage.outputs.push_back(stage.terms[0].score);
      stage.reduce.push_back("sum");
    }
    stage.inputs.insert(stage.inputs.end(), stage.term_inputs.begin(), stage.term_inputs.end());
    stage.inputs.insert(stage.inputs.end(), stage.each_inputs.begin(), stage.each_inputs.end());
    const std::string& first = stage.reduce[0];
    const Reduction op = {first == "mean" ? "sum" : first};
    if (first == "mean" && stage.na_rm) {  // and the number of those that stay
      const int missing = plain_node(graph_, Op::is_na, Type::logical, {stage.outputs[0]});
      stage.outputs.push_back(plain_node(graph_, Op::negation, Type::logical, {missing}));
      stage.reduce.push_back("");
    }
    write(stage, op, "");
    for (const int id : stage.outputs) stage.parts.push_back(typed_reduction(op, graph_.type(id)).state->parts.size());
  }

  void write(Stage& stage, const Reduction& op, const std::string& grouping) {
    TextRequest wanted;
    wanted.outputs = stage.outputs;
    wanted.reduce = op;
    wanted.na_rm = stage.na_rm;
    wanted.grouping = grouping;
    wanted.terms = stage.terms;
    wanted.each = stage.each;
    wanted.joins_groups = stage.kind == Stage::Kind::segments;
    wanted.wide = request_.wide;
    wanted.as_gpu = request_.as_gpu;
    wanted.arithmetic = request_.arithmetic;
    wanted.fold = request_.fold;
    wanted.over = over_of(stage);
    for (const bool general : {false, true}) {
      wanted.general = general;
      LaunchText& made = general ? stage.general : stage.usual;
      made.text = kernel_text(graph_, wanted);
      made.plan = kernel_plan(made.text);
    }
  }

  // At many points what is computed differs from point to point, too.
  std::vector<int> over_of(const Stage& stage) const {
    if (request_.over.empty()) return {};
    if (stage.kind == Stage::Kind::rounds || stage.kind == Stage::Kind::result)
      throw NmathError("points: no loops over data, and no values of more than one number");
    PointInputs inputs(graph_, request_.over);
    if (stage.kind == Stage::Kind::elements && !inputs.has_elements(stage.outputs[0])) return {};
    return inputs.all();
  }

  static constexpr std::size_t kMostTerms = 20;  // what local memory of 32 KiB has room for
  static constexpr std::size_t kMostSums = 100;  // of what one row keeps at hand
  Graph& graph_;
  const CompileRequest& request_;
  SharedElements shared_elements_;
  std::map<int, int> depths_;  // by input
  int deepest_ = 0;
};

}  // namespace

bool is_staged(const Graph& graph) {
  for (const Input& input : graph.inputs)
    if (input.definition != 0) return true;
  for (int id = 1; id <= graph.size(); ++id)
    if (is_one_of(graph.at(id).op, Op::slice, Op::gather, Op::each, Op::position, Op::part_sums, Op::row_reduce))
      return true;
  return false;
}

bool needs_stages(const Graph& graph, const CompileRequest& request) {
  if (request.form.compare(0, 2, "by") == 0) return false;
  if (request.hessian || !request.moves.empty() || request.effects != 0) return true;
  if (request.reduce == Reduction::none) return false;
  std::vector<char> wanted(graph.inputs.size() + 1, 0);
  for (const int input : request.gradient) wanted[static_cast<std::size_t>(input)] = graph.input(input).length != 1;
  const auto is_wanted = [&](const Node& node) {
    return (node.op == Op::input || node.op == Op::column) && wanted[static_cast<std::size_t>(node.first)] != 0;
  };
  for (int id = 1; id <= graph.size(); ++id) {
    const Node& node = graph.at(id);
    if (node.op == Op::column && is_wanted(node)) return true;
    for (const int arg : node.args)
      if (is_wanted(graph.at(arg))) return true;
  }
  return false;
}

Staged compile_stages(Graph& graph, int root, const CompileRequest& request) {
  Staged made;
  if (request.reduce != Reduction::none) root = reduced_matrix(graph, request.reduce.name, request.na_rm, root);
  const bool one = graph.length(root) == 1;
  if (!request.gradient.empty()) {
    if (!one)
      throw LimitError(
          "the gradient of a function that gives " + std::to_string(static_cast<long long>(graph.length(root))) +
          " numbers, with sums, parts or elements of vectors in it: let it give one number, sum(...), or use "
          "reduce = \"sum\"");
    graph.twice = request.hessian || !request.moves.empty() || request.effects != 0;
    if (request.effects != 0) {
      const LaplaceValue laplace = laplace_value(graph, root, request.effects, request.effects_sign);
      root = laplace.value;
      made.slopes = staged_slopes(graph, laplace.to_derive, request.gradient, laplace.constant);
    } else {
      made.slopes = staged_slopes(graph, root, request.gradient);
    }
    if (!request.moves.empty()) made.slopes = moved_slopes(graph, made.slopes, request.moves, made.diagonal);
    if (request.hessian) made.curves = second_derivatives(graph, made.slopes, request.diagonal, request.fallback);
  }
  if (graph.draws > 0)
    throw LimitError(
        "random numbers in a function with sums, parts or elements of vectors in it: draw them before the "
        "call, and give them as an argument");
  made.root = root;
  Schedule schedule(graph, request);
  std::vector<int> needed = {root};
  for (const Slope& slope : made.slopes) needed.push_back(slope.node);
  for (const Curve& curve : made.curves) needed.push_back(curve.node);
  if (request.effects == 0 && request.moves.empty() && !request.fallback && !request.rest)
    made.watched = watched_statements(graph, needed);
  graph.statements.clear();
  needed.insert(needed.end(), made.watched.begin(), made.watched.end());
  for (const int id : needed)
    if (graph.in_round(id))
      throw LimitError("a value of one round of a loop over data is used after the loop: assign it in the body");
  if (request.fallback) return made;
  schedule.need(needed);
  made.stages = schedule.stages();
  if (graph.length(root) > 1) made.stages.push_back(schedule.result(root));
  return made;
}

Staged compile_series(Graph& graph, int root, const CompileRequest& request) {
  if (!(request.reduce == Reduction::sum) && !(request.reduce == Reduction::mean))
    throw LimitError("`by` and a function of several steps: reduce = \"sum\" and \"mean\" are for it");
  if (graph.draws > 0) throw LimitError("random numbers in a function of several steps: draw them before the call");
  root = graph.length(root) == 1 && !request.na_rm ? as_double(graph, root)
                                                   : reduce_node(graph, request.reduce.name, request.na_rm, root);
  graph.statements.clear();
  const OverSeries over = over_series(graph, root, request.gradient);
  Staged made;
  made.root = in_stages(graph, as_double(graph, over.root));
  if (!request.gradient.empty()) {
    const Quietly quietly(graph);
    const Adjoints found = adjoints(graph, reduce_node(graph, "sum", false, made.root), over.wanted, true);
    std::size_t at = 0;
    for (std::size_t k = 0; k < request.gradient.size(); ++k)
      for (int element = 0; element < over.sizes[k]; ++element, ++at) {
        Slope slope;
        slope.input = request.gradient[k];
        const int node = found.nodes[at] != 0 ? found.nodes[at] : constant_node(graph, 0.0);
        slope.node = in_stages(graph, as_double(graph, node));
        made.slopes.push_back(slope);
      }
  }
  Schedule schedule(graph, request);
  std::vector<int> needed = {made.root};
  for (const Slope& slope : made.slopes) needed.push_back(slope.node);
  schedule.need(needed);
  made.stages = schedule.stages();
  return made;
}

}  // namespace openclPort::expression
