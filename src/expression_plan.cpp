// expression_plan -- see expression_plan.h
#include "expression_plan.h"

#include "expression/series.h"
#include "expression_graph.h"
#include "r_boundary.h"

namespace compiler = openclPort::expression;
using compiler::Graph;
using compiler::Mark;
using compiler::Type;

namespace {

SEXP term_for_r(const compiler::Term& term) {
  return r::List(4)
      .add("product", term.product)
      .add("score", term.score)
      .add("mask", term.mask == 0 ? R_NilValue : Rf_ScalarInteger(term.mask))
      .add("cut", term.cut == 0 ? R_NilValue : Rf_ScalarInteger(term.cut))
      .done();
}

}  // namespace

SEXP slope_for_r(const compiler::Slope& slope) {
  if (slope.node != 0) return r::List(2).add("input", slope.input).add("node", slope.node).done();
  SEXP const terms = PROTECT(list_of(slope.terms, term_for_r));
  SEXP const made = r::List(2).add("input", slope.input).add("terms", terms).done();
  UNPROTECT(1);
  return made;
}

namespace {

// `sites`: those of the graph, for R.
SEXP mark_for_r(const Mark& mark, SEXP sites) {
  if (mark.site > 0) return VECTOR_ELT(sites, mark.site - 1);
  if (mark.odd) return r::List(2).add("node", 0).add("rule", "odd").done();
  return r::List(3).add("node", mark.node).add("rule", "test").add("way", mark.way).done();
}

SEXP plan_for_r(const compiler::KernelPlan& plan) {
  return r::List(23)
      .add("kernel", plan.kernel)
      .add("cost", plan.cost)
      .add("least", plan.least)
      .add("local_forms", plan.local_forms)
      .add("tables", plan.tables)
      .add("items", plan.items)
      .add("index", plan.index)
      .add("roles", plan.roles)
      .add("outputs", plan.outputs)
      .add("flags", plan.flags)
      .add("flag_rules", plan.flag_rules)
      .add("scalars", plan.scalars)
      .add("reduce", plan.reduces)
      .add("join", plan.join)
      .add("joins", plan.joins)
      .add("group_join", plan.group_join)
      .add("each", plan.each)
      .add("bundles", plan.bundles)
      .add("points_alone", plan.points_alone)
      .add("points_shared", plan.points_shared)
      .add("point_fours", plan.point_fours)
      .add("point_row_numbers", plan.point_row_numbers)
      .add("point_item_numbers", plan.point_item_numbers)
      .done();
}

SEXP text_for_r(const compiler::KernelText& text, const std::vector<std::string>& types,
                const std::vector<int>& columns, const std::vector<std::string>& outputs, SEXP marks) {
  return r::List(16)
      .add("text", text.text)
      .add("over", text.over)
      .add("columns", columns)
      .add("scalars", text.scalars)
      .add("lengths", text.lengths)
      .add("seeds", text.seeds)
      .add("sites", marks)
      .add("stems", text.stems)
      .add("cost", text.cost)
      .add("local_forms", text.local_forms)
      .add("n", text.n)
      .add("uses_index", text.uses_index)
      .add("odd_bit", text.odd_bit == 0 ? R_NilValue : Rf_ScalarInteger(text.odd_bit))
      .add("types", types)
      .add("outputs", outputs)
      .add("words", text.words)
      .done();
}

}  // namespace

// A kernel's text and plan for R. Inside r::enter().
SEXP kernel_for_r(const compiler::KernelText& text, const compiler::KernelPlan& plan, bool reduces, SEXP sites) {
  std::vector<std::string> types, outputs;
  for (const Type type : text.types) types.emplace_back(type_for_r(type));
  std::vector<int> columns;
  for (const compiler::TextColumn& column : text.columns) columns.push_back(column.input);
  for (const compiler::OutputPart& part : text.outputs) outputs.push_back(part.type);
  SEXP const marks = PROTECT(list_of(text.marks, [&](const Mark& mark) { return mark_for_r(mark, sites); }));
  SEXP const written = PROTECT(text_for_r(text, types, columns, outputs, marks));
  SEXP const planned = PROTECT(plan_for_r(plan));
  SEXP const widths = PROTECT(reduces ? r::value(plan.widths) : R_NilValue);
  SEXP const made = r::List(3).add("text", written).add("plan", planned).add("widths", widths).done();
  UNPROTECT(4);
  return made;
}

namespace {

const char* stage_name(compiler::Stage::Kind kind) {
  switch (kind) {
    case compiler::Stage::Kind::values:
      return "values";
    case compiler::Stage::Kind::sums:
      return "sums";
    case compiler::Stage::Kind::segments:
      return "segments";
    case compiler::Stage::Kind::elements:
      return "elements";
    case compiler::Stage::Kind::rounds:
      return "rounds";
    case compiler::Stage::Kind::result:
      break;
  }
  return "result";
}

// A loop over data: its kernel, the nodes that it takes, and how long what it writes is.
SEXP rounds_stage_for_r(const compiler::Stage& stage, const Graph& graph) {
  const compiler::Node& node = graph.at(stage.recursion);
  const compiler::Recursion& made = *graph.recursions[static_cast<std::size_t>(node.first) - 1];
  std::vector<double> lengths;
  const compiler::SeriesInputs& series = graph.series;
  for (const compiler::Recursion::Vector& vector : made.vectors)
    lengths.push_back(made.of_series ? series.rows : vector.length);
  std::vector<double> rounds = {made.rounds, made.from, made.step};
  if (made.of_series)
    for (std::size_t k = 0; k < 2; ++k)
      if (compiler::is_of_rows(graph, rounds[k])) rounds[k] -= series.fake;
  std::vector<int> of_series;
  if (made.of_series) of_series = {series.starts, series.counts};
  if (made.of_series && series.order != 0) of_series.push_back(series.order);
  std::vector<int> columns, scalars;
  for (const int number : stage.rounds.columns) columns.push_back(node.args[static_cast<std::size_t>(number) - 1]);
  for (const int number : stage.rounds.scalars) scalars.push_back(node.args[static_cast<std::size_t>(number) - 1]);
  return r::List(14)
      .add("kind", "rounds")
      .add("inputs", stage.inputs)
      .add("parts", std::vector<int>(stage.parts.begin(), stage.parts.end()))
      .add("text", stage.rounds.text)
      .add("cost", stage.rounds.cost)
      .add("columns", columns)
      .add("scalars", scalars)
      .add("lengths", stage.rounds.lengths)
      .add("rounds", rounds)
      .add("series", of_series)
      .add("items", made.of_series ? series.count : 1.0)
      .add("carried", static_cast<int>(made.carried.size()))
      .add("vectors", lengths)
      .add("node", stage.recursion)
      .done();
}

SEXP stage_for_r(const compiler::Stage& stage, const Graph& graph, SEXP sites) {
  if (stage.kind == compiler::Stage::Kind::rounds) return rounds_stage_for_r(stage, graph);
  const bool values = stage.kind == compiler::Stage::Kind::values;
  const bool reduces = stage.kind == compiler::Stage::Kind::sums || stage.kind == compiler::Stage::Kind::segments;
  SEXP const terms = PROTECT(list_of(stage.terms, term_for_r));
  SEXP const usual = PROTECT(values ? R_NilValue : kernel_for_r(stage.usual.text, stage.usual.plan, reduces, sites));
  SEXP const general =
      PROTECT(values ? R_NilValue : kernel_for_r(stage.general.text, stage.general.plan, reduces, sites));
  SEXP const made = r::List(11)
                        .add("kind", stage_name(stage.kind))
                        .add("inputs", stage.inputs)
                        .add("outputs", stage.outputs)
                        .add("reduce", stage.reduce)
                        .add("na_rm", stage.na_rm)
                        .add("parts", std::vector<int>(stage.parts.begin(), stage.parts.end()))
                        .add("terms", terms)
                        .add("each", static_cast<int>(stage.each.size()))
                        .add("codes", stage.codes)
                        .add("usual", usual)
                        .add("general", general)
                        .done();
  UNPROTECT(3);
  return made;
}

}  // namespace

// list(root, type, slopes, curves, stages, input_types, input_lengths). `curves`: of each direction, slope, node.
SEXP staged_for_r(const compiler::Staged& staged, const Graph& graph, SEXP tree) {
  std::vector<std::string> types;
  std::vector<double> lengths;
  for (const compiler::Input& input : graph.inputs) {
    types.emplace_back(type_for_r(input.type));
    lengths.push_back(input.length);
  }
  std::vector<int> named_inputs, positions, columns;
  std::vector<std::string> named;
  for (const compiler::Named& one : graph.named) {
    named_inputs.push_back(one.input);
    positions.push_back(one.position);
    columns.push_back(one.column ? 1 : 0);
    named.push_back(one.name);
  }
  return r::enter([&] {
    SEXP const sites = Rf_findVarInFrame(tree, Rf_install("sites"));
    SEXP const slopes = PROTECT(list_of(staged.slopes, slope_for_r));
    SEXP const stages =
        PROTECT(list_of(staged.stages, [&](const compiler::Stage& stage) { return stage_for_r(stage, graph, sites); }));
    SEXP const elements = PROTECT(r::List(4)
                                      .add("input", named_inputs)
                                      .add("name", named)
                                      .add("position", positions)
                                      .add("column", columns)
                                      .done());
    std::vector<int> curves;
    for (const compiler::Curve& curve : staged.curves)
      curves.insert(curves.end(), {curve.direction, curve.slope, curve.node});
    SEXP const made = r::List(9)
                          .add("root", staged.root)
                          .add("watched", staged.watched)
                          .add("type", type_for_r(graph.type(staged.root)))
                          .add("slopes", slopes)
                          .add("curves", curves)
                          .add("stages", stages)
                          .add("named", elements)
                          .add("input_types", types)
                          .add("input_lengths", lengths)
                          .done();
    UNPROTECT(3);
    return made;
  });
}
