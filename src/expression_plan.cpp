// expression_plan -- see expression_plan.h
#include "expression_plan.h"

#include <algorithm>

#include "compiled_stages.h"
#include "engine/expression_variant.h"
#include "expression_graph.h"
#include "fused_call.h"
#include "loop_run.h"
#include "r_handles.h"

namespace compiler = openclPort::expression;
using compiler::Graph;
using compiler::Mark;
using compiler::Type;

namespace {

const char* const kAsGpu = "-DNMATH_AS_GPU";

SEXP number_or_null(int number) { return number == 0 ? R_NilValue : Rf_ScalarInteger(number); }

SEXP term_for_r(const compiler::Term& term) {
  r::List list(4);
  list.add("product", term.product).add("score", term.score).add("mask", number_or_null(term.mask));
  return list.add("cut", number_or_null(term.cut)).done();
}

}  // namespace

SEXP slope_for_r(const compiler::Slope& slope) {
  r::List list(2);
  list.add("input", slope.input);
  if (slope.node != 0) return list.add("node", slope.node).done();
  return list.add("terms", list_of(slope.terms, term_for_r)).done();
}

namespace {

// `sites`: those of the graph, for R.
SEXP mark_for_r(const Mark& mark, SEXP sites) {
  if (mark.site > 0) return VECTOR_ELT(sites, mark.site - 1);
  if (mark.needs_general) return r::List(2).add("node", 0).add("rule", "needs_general").done();
  return r::List(3).add("node", mark.node).add("rule", "test").add("way", mark.way).done();
}

bool takes_points(const compiler::KernelText& text) {
  const auto is_points = [](const compiler::TextItem& item) { return item.kind == "points"; };
  return std::any_of(text.items.begin(), text.items.end(), is_points);
}

}  // namespace

SEXP kernel_handle(const compiler::KernelText& text, const compiler::KernelPlan& plan, bool as_gpu) {
  openclPort::FusedSpec spec = openclPort::fused_spec_of(text, plan, as_gpu ? kAsGpu : "");
  spec.function = "opencl_function";
  return prepare_fused(std::move(spec), plan.outputs);
}

SEXP text_for_r(const compiler::KernelText& text, SEXP sites) {
  const auto mark = [sites](const Mark& one) { return mark_for_r(one, sites); };
  r::List list(15);
  list.add("text", text.text).add("over", text.over).add("at_points", takes_points(text));
  list.add("columns", r::column(text.columns, &compiler::TextColumn::input)).add("scalars", text.scalars);
  list.add("lengths", text.lengths).add("seeds", text.seeds).add("sites", list_of(text.marks, mark));
  list.add("cost", text.cost).add("local_forms", text.local_forms).add("n", text.n).add("uses_index", text.uses_index);
  list.add("general_bit", number_or_null(text.general_bit)).add("types", r::column(text.types, type_for_r));
  return list.add("outputs", r::column(text.outputs, &compiler::OutputPart::type)).done();
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

SEXP loop_handle(const compiler::RecursionText& text, bool as_gpu) {
  auto loop = std::make_unique<Loop>();
  loop->text = text.text;
  loop->options = as_gpu ? kAsGpu : "";
  return handles::make(std::move(loop), R_NilValue);
}

std::vector<int> parts_of(const compiler::Stage& stage) { return {stage.parts.begin(), stage.parts.end()}; }

SEXP rounds_stage_for_r(const compiler::Stage& stage, const Graph& graph, SEXP handle) {
  const LoopOfData loop = loop_of_stage(graph, stage);
  r::List list(12);
  list.add("kind", "rounds").add("handle", handle).add("inputs", stage.inputs).add("parts", parts_of(stage));
  list.add("columns", loop.columns).add("scalars", loop.scalars).add("numbers", loop.numbers).add("sizes", loop.sizes);
  list.add("series", loop.series).add("items", loop.items).add("carried", loop.carried);
  return list.add("node", stage.recursion).done();
}

SEXP kernel_for_r(const compiler::KernelText& text, SEXP handle, SEXP sites) {
  return r::List(2).add("text", text_for_r(text, sites)).add("handle", handle).done();
}

SEXP stage_for_r(const compiler::Stage& stage, const Graph& graph, SEXP usual, SEXP general, SEXP sites) {
  if (stage.kind == compiler::Stage::Kind::rounds) return rounds_stage_for_r(stage, graph, usual);
  const bool values = stage.kind == compiler::Stage::Kind::values;
  r::List list(11);
  list.add("kind", stage_name(stage.kind)).add("inputs", stage.inputs).add("outputs", stage.outputs);
  list.add("reduce", stage.reduce).add("na_rm", stage.na_rm).add("parts", parts_of(stage));
  list.add("terms", list_of(stage.terms, term_for_r)).add("each", static_cast<int>(stage.each.size()));
  list.add("codes", stage.codes);
  list.add("usual", values ? R_NilValue : kernel_for_r(stage.usual.text, usual, sites));
  return list.add("general", values ? R_NilValue : kernel_for_r(stage.general.text, general, sites)).done();
}

// Handles of the usual and of the general kernel of each stage, one after the other. Outside r::enter().
SEXP handles_of_stages(const compiler::Staged& staged, bool as_gpu) {
  const r::Keep list(r::enter([&] { return Rf_allocVector(VECSXP, 2 * static_cast<R_xlen_t>(staged.stages.size())); }));
  R_xlen_t at = 0;
  for (const compiler::Stage& stage : staged.stages) {
    const bool loop = stage.kind == compiler::Stage::Kind::rounds;
    if (loop) SET_VECTOR_ELT(list, at, loop_handle(stage.rounds, as_gpu));
    if (!loop && stage.kind != compiler::Stage::Kind::values) {
      SET_VECTOR_ELT(list, at, kernel_handle(stage.usual.text, stage.usual.plan, as_gpu));
      SET_VECTOR_ELT(list, at + 1, kernel_handle(stage.general.text, stage.general.plan, as_gpu));
    }
    at += 2;
  }
  return list;
}

}  // namespace

SEXP staged_for_r(compiler::Staged staged, Graph graph, SEXP tree, bool as_gpu) {
  const r::Keep handles(handles_of_stages(staged, as_gpu));
  const auto type = [](const compiler::Input& input) { return type_for_r(input.type); };
  std::vector<int> curves;
  for (const compiler::Curve& curve : staged.curves)
    curves.insert(curves.end(), {curve.direction, curve.slope, curve.node});
  const r::Keep list(r::enter([&] {
    SEXP const sites = Rf_findVarInFrame(tree, Rf_install("sites"));
    R_xlen_t at = 0;
    const auto stage = [&](const compiler::Stage& one) {
      at += 2;
      return stage_for_r(one, graph, VECTOR_ELT(handles, at - 2), VECTOR_ELT(handles, at - 1), sites);
    };
    r::List made(11);
    made.add("root", staged.root).add("watched", staged.watched).add("type", type_for_r(graph.type(staged.root)));
    made.add("slopes", list_of(staged.slopes, slope_for_r)).add("curves", curves).add("diagonal", staged.diagonal);
    made.add("stages", list_of(staged.stages, stage)).add("named", named_for_r(graph));
    made.add("input_types", r::column(graph.inputs, type));
    made.add("input_lengths", r::column(graph.inputs, &compiler::Input::length));
    return made.add("compiled", R_NilValue).done();
  }));
  auto kept = std::make_unique<CompiledStages>();
  kept->graph = std::move(graph);
  kept->staged = std::move(staged);
  SET_VECTOR_ELT(list, Rf_xlength(list) - 1, handles::make(std::move(kept), handles));
  return list;
}
