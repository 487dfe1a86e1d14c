// staged_make -- makes a plan for a function in stages: see staged_plan.h
#include <algorithm>
#include <cmath>
#include <set>

#include "base/nmath_error.h"
#include "expression/series_lengths.h"
#include "expression_key.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "resident_object.h"
#include "staged_plan.h"

namespace compiler = openclPort::expression;
using compiler::Graph;
using compiler::Node;
using compiler::Op;
using compiler::Stage;
using compiler::Type;

namespace {

constexpr std::size_t kMostTravels = std::size_t{4} << 20;  // bytes of a call's own vectors: more go in chunks

// Nodes that have to be computed for some, in order. How many elements a vector has is known: it is not needed itself.
std::vector<int> order_of(const Graph& graph, const std::vector<int>& ids) {
  return compiler::nodes_under(graph, ids, [&](int id) {
    const Node& node = graph.at(id);
    return node.op == Op::input || node.op == Op::count ? std::vector<int>() : node.args;
  });
}

StagedStep step_of_values(const Graph& graph, const std::vector<int>& inputs, const std::vector<int>& nodes) {
  StagedStep step;
  step.order = order_of(graph, nodes);
  step.inputs = inputs;
  step.nodes = nodes;
  return step;
}

std::vector<int> definitions(const Graph& graph, const std::vector<int>& inputs) {
  std::vector<int> nodes;
  for (const int input : inputs) nodes.push_back(graph.input(input).definition);
  return nodes;
}

// Some nodes, and all that they are made of, by way of what is computed before them.
std::vector<int> all_under(const Graph& graph, const std::vector<int>& ids) {
  const auto definition_of = [&](int input) {
    const int id = graph.input(input).definition;
    return id == 0 ? std::vector<int>() : std::vector<int>{id};
  };
  return compiler::nodes_under(graph, ids, [&](int id) {
    const Node& node = graph.at(id);
    return node.op == Op::input     ? definition_of(node.first)
           : node.op == Op::product ? definition_of(node.second)
                                    : node.args;
  });
}

// Whether some of them are made of more than their arguments say.
bool has_hidden(const Graph& graph, const std::vector<int>& ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](int id) { return graph.at(id).op == Op::recursion_part || graph.at(id).op == Op::crossprod; });
}

// The arguments among the inputs of some nodes, in order.
std::vector<int> given_among(const Graph& graph, const std::vector<int>& ids, int n_given) {
  std::vector<int> found;
  for (const int id : ids) {
    const Node& node = graph.at(id);
    if (node.op == Op::input || node.op == Op::column || node.op == Op::product) found.push_back(node.first);
    if (node.op == Op::product) found.push_back(node.second);
  }
  found.erase(std::remove_if(found.begin(), found.end(), [&](int input) { return input > n_given; }), found.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// The arguments that sums are computed from.
std::vector<int> sources_of(const Graph& graph, const Stage& stage, int n_given) {
  std::vector<int> ids = definitions(graph, stage.inputs);
  if (stage.codes != 0) ids.push_back(stage.codes);
  ids = all_under(graph, ids);
  return has_hidden(graph, ids) ? std::vector<int>() : given_among(graph, ids, n_given);
}

// Makes the steps of a plan.
class StepMaker {
 public:
  StepMaker(const StagedPlan& plan, SEXP inputs, SEXP handles, bool points)
      : plan_(plan), inputs_(inputs), handles_(handles), points_(points) {}

  // False of what is not for C++ alone. `kernels`: R's environment of what it keeps of the stage.
  bool add(std::size_t s, bool general, SEXP kernels, StagedStep& step) const {
    const Stage& stage = plan_.made->staged.stages[s];
    if (stage.kind == Stage::Kind::rounds) return add_loop(stage, VECTOR_ELT(handles_, 2 * s), step);
    const compiler::KernelText& text = (general ? stage.general : stage.usual).text;
    const auto is_double = [](const compiler::OutputPart& part) { return std::string(part.type) == "double"; };
    const bool doubles = std::all_of(text.outputs.begin(), text.outputs.end(), is_double);
    const bool has_types = stage.kind == Stage::Kind::sums || stage.kind == Stage::Kind::elements;
    if ((!doubles && (points_ || !has_types)) || !text.seeds.empty()) return false;
    step.handle = VECTOR_ELT(handles_, static_cast<R_xlen_t>(2 * s + general));
    for (const compiler::TextColumn& column : text.columns) step.columns.push_back(column.input);
    step.scalars = text.scalars;
    step.lengths = text.lengths;
    step.over = text.over;
    step.n = text.n;
    step.kernels = kernels;
    if (stage.kind == Stage::Kind::segments && !add_codes(stage, step)) return false;
    if (stage.kind == Stage::Kind::segments || (stage.kind == Stage::Kind::sums && stage.each.empty()))
      step.sources = sources_of(graph(), stage, plan_.n_given);
    if (stage.kind == Stage::Kind::sums) return add_sums(stage, step);
    for (const int input : stage.inputs) add_output(step, input);
    if (stage.kind == Stage::Kind::result) add_output(step, 0);
    return true;
  }

 private:
  const Graph& graph() const { return plan_.graph(); }
  bool is_given(int input) const { return input <= plan_.n_given; }
  SEXP given(int input) const { return VECTOR_ELT(inputs_, input - 1); }

  static void add_output(StagedStep& step, int input, double divisor = 1.0) {
    StagedOutput output;
    output.input = input;
    output.divisor = divisor;
    step.outputs.push_back(output);
  }

  bool add_codes(const Stage& stage, StagedStep& step) const {
    const std::vector<int> under = all_under(graph(), {stage.codes});
    if (has_hidden(graph(), under)) return false;
    step.made_of = given_among(graph(), under, plan_.n_given);
    step.groups = static_cast<std::size_t>(graph().length(graph().input(stage.inputs.at(0)).definition));
    const Node& codes = graph().at(stage.codes);
    if (codes.op != Op::input || !is_given(codes.first)) return true;
    const bool by_r = codes.type == Type::logical ||  // R sorts these
                      (codes.type == Type::real && resident_object::is(given(codes.first)));
    if (!by_r) step.codes = codes.first;
    return true;
  }

  bool add_sums(const Stage& stage, StagedStep& step) const {
    const std::size_t own = stage.inputs.size() - stage.terms.size() - stage.each.size();
    for (std::size_t j = 0; j < stage.reduce.size(); ++j) {
      const std::string& op = stage.reduce[j];
      const bool mean = op == "mean", counted = mean && stage.na_rm;
      const bool whole = graph().type(stage.outputs[j]) != Type::real;
      add_output(step, j < own ? stage.inputs[j] : 0, mean ? step.n : 1.0);  // behind `own` are sums that nobody needs
      if (op.empty() || ((mean || op == "sum") && !counted && !whole)) continue;
      if (points_ || !has_joined(op)) return false;
      StagedOutput& output = step.outputs.back();
      output.joined = {op, stage.na_rm, whole, counted || stage.parts[j] == 2};
      if (stage.parts[j] == 2) add_output(step, 0);
    }
    for (std::size_t j = own; j < stage.inputs.size(); ++j) add_output(step, stage.inputs[j]);
    return true;
  }

  bool add_loop(const Stage& stage, SEXP handle, StagedStep& step) const {
    const LoopOfData loop = loop_of_stage(graph(), stage);
    for (const int id : loop.columns) {
      const Node& node = graph().at(id);
      if (node.op != Op::input || (plan_.whole[static_cast<std::size_t>(node.first)] == 0) != (node.type == Type::real))
        return false;
      step.columns.push_back(node.first);
    }
    step.loop = handle;
    step.series = loop.series;
    step.items = static_cast<std::size_t>(loop.items);
    step.n = loop.items;
    step.loop_numbers.numbers = loop.numbers;
    for (const int id : loop.scalars) {
      const Node& node = graph().at(id);
      const bool constant = node.op == Op::constant;
      step.scalars.push_back(constant ? 0 : node.op == Op::input ? node.first : 0);
      step.loop_numbers.scalars.push_back(constant ? compiler::as_real(node.constant) : 0.0);
      step.loop_numbers.whole.push_back(node.type != Type::real);
    }
    std::vector<int> left(loop.sizes.size(), 0);  // by result the input that it is; the first one has those carried
    for (std::size_t k = 0; k < stage.inputs.size(); ++k) {
      const std::size_t part = stage.parts[k], carried = static_cast<std::size_t>(loop.carried);
      if (part > carried) {
        left.at(part - carried) = stage.inputs[k];
      } else {
        step.inputs.push_back(stage.inputs[k]);
        step.parts.push_back(static_cast<int>(part));
      }
    }
    for (std::size_t j = 0; j < left.size(); ++j) {
      add_output(step, left[j]);
      step.outputs[j].numbers = static_cast<std::size_t>(loop.sizes[j]);
    }
    return true;
  }

  const StagedPlan& plan_;
  SEXP const inputs_;
  SEXP const handles_;
  const bool points_;
};

// Directions, by their order, are columns of the Hessian, or of its dense block and border; direction 0 is the
// diagonal.
std::vector<StagedCurve> columns_of_curves(const std::vector<compiler::Curve>& made) {
  std::vector<int> directions;
  for (const compiler::Curve& curve : made)
    if (curve.direction != 0) directions.push_back(curve.direction);
  std::sort(directions.begin(), directions.end());
  directions.erase(std::unique(directions.begin(), directions.end()), directions.end());
  std::vector<StagedCurve> curves;
  for (const compiler::Curve& curve : made) {
    const auto place = std::lower_bound(directions.begin(), directions.end(), curve.direction) - directions.begin();
    curves.push_back(
        {static_cast<std::size_t>(place), static_cast<std::size_t>(curve.slope) - 1, curve.node, curve.direction == 0});
  }
  return curves;
}

bool is_multiple(const compiler::Recycled& pair) { return std::fmod(pair.longer, pair.shorter) == 0; }

// The conditions that a function was compiled for and what it asserts; false where they are R's to look at. `points`:
// its calls are at many points; `in_launches`: the nodes that launches compute.
bool find_checks(const Graph& graph, bool points, const std::set<int>& in_launches, std::vector<StagedCheck>& checks) {
  const auto told = [&in_launches](const compiler::Assertion& one) {
    return one.guards.empty() &&
           std::any_of(one.told.begin(), one.told.end(), [&](int id) { return in_launches.count(id) > 0; });
  };
  if (graph.decisions.empty() && std::all_of(graph.assertions.begin(), graph.assertions.end(), told)) return true;
  if (points || graph.series.fake != 0) return false;
  for (const compiler::Decision& decision : graph.decisions) {
    if (decision.value.empty()) return false;
    checks.push_back({decision.node, {}});
    for (const compiler::Constant& one : decision.value) checks.back().value.push_back(compiler::as_real(one));
  }
  for (const compiler::Assertion& assertion : graph.assertions) {
    if (!assertion.guards.empty()) return false;
    if (told(assertion)) continue;
    checks.push_back({assertion.node, {}});
  }
  return true;
}

// Whether nothing of a function's value is R's to say: lengths that R warns of, a warning of the user's own. `points`:
// its calls are at many points, which have no diagonal second derivatives.
bool is_for_plans(const CompiledStages& made, bool points) {
  const Graph& graph = made.graph;
  const bool of_elements = graph.series.fake == 0 && graph.length(made.staged.root) != 1;
  const bool has_result = !made.staged.stages.empty() && made.staged.stages.back().kind == Stage::Kind::result;
  if (of_elements && (points || !has_result || !made.staged.slopes.empty())) return false;
  if (graph.type(made.staged.root) != Type::real || !graph.warnings.empty() ||
      !std::all_of(graph.recycled.begin(), graph.recycled.end(), is_multiple))
    return false;
  for (const compiler::Curve& curve : made.staged.curves)
    if (curve.direction == 0 && (points || graph.series.fake != 0)) return false;
  const auto is_loop = [](const Stage& stage) { return stage.kind == Stage::Kind::rounds; };
  return !points || std::none_of(made.staged.stages.begin(), made.staged.stages.end(), is_loop);
}

void measure_inputs(StagedPlan& plan, SEXP inputs) {
  for (int k = 1; k <= 3 * plan.n_given; ++k) plan.measures.push_back(expression_measure(inputs, k));
  const std::vector<compiler::Input>& all = plan.graph().inputs;
  plan.sizes.assign(all.size() + 1, 0);
  plan.whole.assign(all.size() + 1, 0);
  for (std::size_t k = 1; k <= all.size(); ++k) {
    const bool given = k <= static_cast<std::size_t>(plan.n_given);
    SEXP const x = given ? VECTOR_ELT(inputs, static_cast<R_xlen_t>(k) - 1) : R_NilValue;
    const bool resident = given && resident_object::is(x);
    const double length = given ? plan.measures[k - 1] : all[k - 1].length;
    plan.sizes[k] = resident ? 0 : static_cast<std::size_t>(length);
    plan.whole[k] = all[k - 1].type != Type::real;
    if (given) plan.attributes.push_back(attributes_of_input(x));
  }
  for (const compiler::Named& one : plan.graph().named) {
    plan.named_inputs.push_back(one.input);
    plan.named_places.push_back(one.position);
    plan.named.push_back(one.name);
    plan.named_columns.push_back(one.column);
  }
}

// The plan's nodes. False where R has to compute one of them.
bool find_nodes(StagedPlan& plan) {
  std::vector<char> computed(static_cast<std::size_t>(plan.graph().size()) + 1, 0);
  for (const StagedStep& step : plan.steps)
    for (const int id : step.order) computed[static_cast<std::size_t>(id)] = 1;
  for (int id = 1; id <= plan.graph().size(); ++id) {
    if (computed[static_cast<std::size_t>(id)] == 0) continue;
    if (!has_value(plan.graph(), id)) return false;
    plan.nodes.push_back(id);
  }
  for (const compiler::Site& site : plan.graph().sites)
    plan.warns = plan.warns || computed[static_cast<std::size_t>(site.node)] != 0;
  return true;
}

// The nodes under `last` that are computed, but for those of steps without a launch and those that come after all
// steps.
std::set<int> launched(const StagedPlan& plan, const std::vector<int>& last) {
  const Graph& graph = plan.graph();
  const auto sources = [&graph](int id) { return compiler::sources_of(graph, graph.at(id)); };
  const std::vector<int> all = compiler::nodes_under(graph, last, sources);
  std::set<int> found(all.begin(), all.end());
  const auto erase = [&found](const std::vector<int>& ids) {
    for (const int id : ids) found.erase(id);
  };
  for (const StagedStep& step : plan.steps) erase(step.order);
  if (plan.result == nullptr) erase(compiler::nodes_under(graph, last, [&graph](int id) { return graph.at(id).args; }));
  return found;
}

// Puts the checks of what is given before all steps, and others into the last one, with the definitions of inputs that
// no step computes.
void add_checks(StagedPlan& plan, const std::vector<StagedCheck>& checks) {
  if (checks.empty()) return;
  const Graph& graph = plan.graph();
  std::set<int> computed;
  for (const StagedStep& step : plan.steps) {
    computed.insert(step.inputs.begin(), step.inputs.end());
    for (const StagedOutput& output : step.outputs) computed.insert(output.input);
  }
  const auto order_under = [&](const std::vector<int>& ids) {
    return compiler::nodes_under(graph, ids, [&](int id) {
      const Node& node = graph.at(id);
      if (node.op == Op::count) return std::vector<int>();
      if (node.op != Op::input) return node.args;
      const bool known = node.first <= plan.n_given || computed.count(node.first) > 0;
      return known ? std::vector<int>() : std::vector<int>{graph.input(node.first).definition};
    });
  };
  const auto is_computed = [&](int id) {
    return graph.at(id).op == Op::input && computed.count(graph.at(id).first) > 0;
  };
  StagedStep before;
  StagedStep& last = plan.steps.back();
  std::vector<int> first, others = last.nodes;
  for (const StagedCheck& check : checks) {
    const std::vector<int> under = order_under({check.node});
    const bool late = std::any_of(under.begin(), under.end(), is_computed);
    (late ? last : before).checks.push_back(check);
    (late ? others : first).push_back(check.node);
  }
  if (!last.checks.empty()) last.order = order_under(others);
  before.order = order_under(first);
  if (!before.checks.empty()) plan.steps.insert(plan.steps.begin(), std::move(before));
}

}  // namespace

// The plan of a function in stages for calls with inputs like these. `compiled`: see staged_for_r(); `forms`: of each
// stage "usual" or "general", the kernel that runs, or "values", where it is computed by no kernel; `kept`: of each an
// environment, where R keeps what has become of codes; `labels`: one that keeps the gradient's names; `dim`: of the
// elements, or NULL; `points`: for calls at many points. NULL where R has to compute values between its launches.
// [[Rcpp::export(rng = false)]]
SEXP staged_plan_cpp(SEXP compiled, SEXP inputs, const std::vector<std::string>& forms, SEXP kept, SEXP labels,
                     SEXP dim, bool points) {
  return guard_core([&]() -> SEXP {
    const CompiledStages& made = handles::object_of<CompiledStages>(compiled);
    const compiler::Staged& staged = made.staged;
    auto plan = std::make_unique<StagedPlan>();
    std::vector<StagedCheck> checks;
    if (!is_for_plans(made, points)) return R_NilValue;
    plan->made = &made;
    plan->n_given = static_cast<int>(Rf_xlength(inputs));
    plan->root = staged.root;
    plan->labels = labels;
    plan->dim = dim;
    plan->series = made.graph.series.fake != 0 ? static_cast<std::size_t>(made.graph.series.count) : 0;
    plan->curves = columns_of_curves(staged.curves);
    for (const compiler::Slope& slope : staged.slopes) {
      plan->slopes.push_back(slope.node);
      plan->slope_inputs.push_back(slope.input);
      plan->slope_names.push_back(made.graph.input(slope.input).name);
    }
    measure_inputs(*plan, inputs);
    const StepMaker maker(*plan, inputs, R_ExternalPtrProtected(compiled), points);
    for (std::size_t s = 0; s < staged.stages.size(); ++s) {
      const Stage& stage = staged.stages[s];
      StagedStep step;
      if (forms.at(s) == "values")
        step = step_of_values(made.graph, stage.inputs, definitions(made.graph, stage.inputs));
      else if (!maker.add(s, forms[s] == "general", VECTOR_ELT(kept, static_cast<R_xlen_t>(s)), step))
        return R_NilValue;
      if (stage.kind == Stage::Kind::result)
        plan->result = std::make_unique<StagedStep>(std::move(step));
      else
        plan->steps.push_back(std::move(step));
    }
    std::vector<int> last = {plan->root};
    last.insert(last.end(), plan->slopes.begin(), plan->slopes.end());
    for (const StagedCurve& curve : plan->curves) last.push_back(curve.node);
    last.insert(last.end(), staged.watched.begin(), staged.watched.end());
    if (!find_checks(made.graph, points, launched(*plan, last), checks)) return R_NilValue;
    if (plan->result != nullptr && (!staged.watched.empty() || !checks.empty())) return R_NilValue;
    if (plan->result == nullptr) plan->steps.push_back(step_of_values(made.graph, {}, last));
    add_checks(*plan, checks);
    for (std::size_t k = 0; k < plan->steps.size(); ++k) plan->codes.push_back(std::make_unique<SortedCodes>());
    plan->kept.resize(plan->steps.size());
    if (!find_nodes(*plan)) return R_NilValue;
    find_slopes(*plan);
    find_operations(*plan);
    if (!place_staged(*plan)) return R_NilValue;
    if (plan->there_bytes > kMostTravels) return R_NilValue;
    const r::Keep all(r::enter([&] { return Rf_list4(compiled, kept, labels, dim); }));
    return handles::make(std::move(plan), all);
  });
}
