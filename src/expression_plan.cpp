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
  std::vector<std::string> types, outputs;
  for (const Type type : text.types) types.emplace_back(type_for_r(type));
  std::vector<int> columns;
  for (const compiler::TextColumn& column : text.columns) columns.push_back(column.input);
  for (const compiler::OutputPart& part : text.outputs) outputs.push_back(part.type);
  SEXP const marks = PROTECT(list_of(text.marks, [&](const Mark& mark) { return mark_for_r(mark, sites); }));
  SEXP const written = r::List(15)
                           .add("text", text.text)
                           .add("over", text.over)
                           .add("at_points", takes_points(text))
                           .add("columns", columns)
                           .add("scalars", text.scalars)
                           .add("lengths", text.lengths)
                           .add("seeds", text.seeds)
                           .add("sites", marks)
                           .add("cost", text.cost)
                           .add("local_forms", text.local_forms)
                           .add("n", text.n)
                           .add("uses_index", text.uses_index)
                           .add("general_bit", text.general_bit == 0 ? R_NilValue : Rf_ScalarInteger(text.general_bit))
                           .add("types", types)
                           .add("outputs", outputs)
                           .done();
  UNPROTECT(1);
  return written;
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

SEXP rounds_stage_for_r(const compiler::Stage& stage, const Graph& graph, SEXP handle) {
  const LoopOfData loop = loop_of_stage(graph, stage);
  return r::List(12)
      .add("kind", "rounds")
      .add("handle", handle)
      .add("inputs", stage.inputs)
      .add("parts", std::vector<int>(stage.parts.begin(), stage.parts.end()))
      .add("columns", loop.columns)
      .add("scalars", loop.scalars)
      .add("numbers", loop.numbers)
      .add("sizes", loop.sizes)
      .add("series", loop.series)
      .add("items", loop.items)
      .add("carried", loop.carried)
      .add("node", stage.recursion)
      .done();
}

SEXP kernel_for_r(const compiler::KernelText& text, SEXP handle, SEXP sites) {
  SEXP const written = PROTECT(text_for_r(text, sites));
  SEXP const made = r::List(2).add("text", written).add("handle", handle).done();
  UNPROTECT(1);
  return made;
}

SEXP stage_for_r(const compiler::Stage& stage, const Graph& graph, SEXP usual, SEXP general, SEXP sites) {
  if (stage.kind == compiler::Stage::Kind::rounds) return rounds_stage_for_r(stage, graph, usual);
  const bool values = stage.kind == compiler::Stage::Kind::values;
  SEXP const terms = PROTECT(list_of(stage.terms, term_for_r));
  SEXP const first = PROTECT(values ? R_NilValue : kernel_for_r(stage.usual.text, usual, sites));
  SEXP const second = PROTECT(values ? R_NilValue : kernel_for_r(stage.general.text, general, sites));
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
                        .add("usual", first)
                        .add("general", second)
                        .done();
  UNPROTECT(3);
  return made;
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
  std::vector<std::string> types;
  std::vector<double> lengths;
  for (const compiler::Input& input : graph.inputs) {
    types.emplace_back(type_for_r(input.type));
    lengths.push_back(input.length);
  }
  std::vector<int> curves;
  for (const compiler::Curve& curve : staged.curves)
    curves.insert(curves.end(), {curve.direction, curve.slope, curve.node});
  const r::Keep list(r::enter([&] {
    SEXP const sites = Rf_findVarInFrame(tree, Rf_install("sites"));
    SEXP const slopes = PROTECT(list_of(staged.slopes, slope_for_r));
    R_xlen_t at = 0;
    SEXP const stages = PROTECT(list_of(staged.stages, [&](const compiler::Stage& stage) {
      at += 2;
      return stage_for_r(stage, graph, VECTOR_ELT(handles, at - 2), VECTOR_ELT(handles, at - 1), sites);
    }));
    SEXP const elements = PROTECT(named_for_r(graph));
    SEXP const made = r::List(11)
                          .add("root", staged.root)
                          .add("watched", staged.watched)
                          .add("type", type_for_r(graph.type(staged.root)))
                          .add("slopes", slopes)
                          .add("curves", curves)
                          .add("diagonal", staged.diagonal)
                          .add("stages", stages)
                          .add("named", elements)
                          .add("input_types", types)
                          .add("input_lengths", lengths)
                          .add("compiled", R_NilValue)
                          .done();
    UNPROTECT(3);
    return made;
  }));
  auto kept = std::make_unique<CompiledStages>();
  kept->graph = std::move(graph);
  kept->staged = std::move(staged);
  SET_VECTOR_ELT(list, Rf_xlength(list) - 1, handles::make(std::move(kept), handles));
  return list;
}
