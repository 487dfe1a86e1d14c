// expression_compile_wrappers -- an R function as a kernel, for arguments of given types and lengths.
#include <algorithm>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "expression/compile.h"
#include "expression/dependence.h"
#include "expression/reductions.h"
#include "expression/series.h"
#include "expression/stages.h"
#include "expression/translate.h"
#include "expression_graph.h"
#include "expression_plan.h"
#include "expression_syntax.h"
#include "r_boundary.h"

using openclPort::NmathError;
namespace compiler = openclPort::expression;
using compiler::Graph;
using compiler::Mark;
using compiler::Type;

namespace {

SEXP member(SEXP list, const char* name) { return r::element_or_null(list, name); }
std::string string_member(SEXP list, const char* name) {
  SEXP const x = member(list, name);
  return TYPEOF(x) == STRSXP && Rf_xlength(x) == 1 ? CHAR(STRING_ELT(x, 0)) : std::string();
}
bool switch_member(SEXP list, const char* name) { return Rf_asLogical(member(list, name)) == TRUE; }
std::vector<int> whole_member(SEXP list, const char* name) {
  SEXP const x = member(list, name);
  if (TYPEOF(x) != INTSXP && TYPEOF(x) != LGLSXP) return {};
  const int* const from = TYPEOF(x) == INTSXP ? INTEGER(x) : LOGICAL(x);
  return {from, from + Rf_xlength(x)};
}

Type type_named(const std::string& name) {
  return name == "double" ? Type::real : name == "integer" ? Type::integer : Type::logical;
}

// What R's closure `f` gives of one number.
SEXP asked_of_r(SEXP f, int number) {
  return r::enter([&] {
    SEXP const argument = PROTECT(Rf_ScalarInteger(number));
    SEXP const call = PROTECT(Rf_lang2(f, argument));
    SEXP const value = Rf_eval(call, R_GlobalEnv);
    UNPROTECT(2);
    return value;
  });
}

// Inside r::enter().
void define(SEXP env, const char* name, SEXP value) {
  PROTECT(value);
  Rf_defineVar(Rf_install(name), value, env);
  UNPROTECT(1);
}

// Keeps the nodes of R's tree those of the graph.
class NodesForR {
 public:
  explicit NodesForR(SEXP tree) : tree_(tree) {}
  void bring(const Graph& graph) {
    if (graph.size() == known_) return;
    r::enter([&] {
      define(tree_, "nodes", nodes_for_r(graph));
      return R_NilValue;
    });
    known_ = graph.size();
  }

 private:
  SEXP tree_;
  int known_ = -1;
};

// The inputs that say of rows which series they are of, and rows as the function is translated for.
void read_series(SEXP request, Graph& graph) {
  SEXP const given = member(request, "series");
  if (given == R_NilValue) return;
  const std::vector<int> inputs = whole_member(given, "inputs");
  compiler::SeriesInputs& series = graph.series;
  series.rows = Rf_asReal(member(given, "rows"));
  series.count = Rf_asReal(member(given, "count"));
  series.codes = inputs.at(0);
  series.starts = inputs.at(1);
  series.counts = inputs.at(2);
  series.positions = inputs.at(3);
  series.order = inputs.at(4);
  std::vector<double> lengths = {series.count};
  for (const compiler::Input& input : graph.inputs) lengths.insert(lengths.end(), {input.length, input.rows});
  series.fake = compiler::fake_rows(lengths);
  for (std::size_t k = 0; k < static_cast<std::size_t>(series.codes) - 1; ++k) {
    compiler::Input& input = graph.inputs[k];
    if (input.matrix && input.rows == series.rows) {
      input.rows = series.fake;
      input.length = input.rows * input.columns;
    } else if (!input.matrix && input.length == series.rows) {
      input.length = series.fake;
    }
  }
}

void read_inputs(SEXP request, Graph& graph) {
  const std::vector<std::string> names = r::strings_of(member(request, "names"));
  const std::vector<std::string> types = r::strings_of(member(request, "types"));
  SEXP const lengths = member(request, "lengths"), dims = member(request, "dims");
  for (std::size_t k = 0; k < names.size(); ++k) {
    compiler::Input input;
    input.name = names[k];
    input.type = type_named(types[k]);
    input.length = REAL(lengths)[k];
    SEXP const dim = VECTOR_ELT(dims, static_cast<R_xlen_t>(k));
    if (TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 2) {
      input.matrix = true;
      input.rows = INTEGER(dim)[0];
      input.columns = INTEGER(dim)[1];
    }
    input.array = TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 1;
    graph.inputs.push_back(input);
  }
  graph.infinite = switch_member(request, "infinite");
  if (!graph.infinite) return;
  std::vector<int> parameters = whole_member(request, "gradient");
  for (const char* const also : {"moves", "effects"})
    for (const int input : whole_member(request, also)) parameters.push_back(input);
  for (std::size_t k = 0; k < graph.inputs.size(); ++k)
    graph.inputs[k].infinite =
        graph.inputs[k].type == Type::real &&
        std::find(parameters.begin(), parameters.end(), static_cast<int>(k) + 1) == parameters.end();
}

compiler::Asked asked_by(SEXP request, NodesForR& nodes) {
  compiler::Asked asked;
  SEXP const value = member(request, "value"), rounding = member(request, "rounding");
  asked.value = [value, &nodes](const Graph& graph, int id) {
    nodes.bring(graph);
    const r::Keep answer(asked_of_r(value, id));
    return constants_of_r(answer);
  };
  SEXP const position = member(request, "position");
  asked.position = [position](int input, const std::string& name, bool column) {
    const r::Keep answer(r::enter([&] {
      SEXP const number = PROTECT(Rf_ScalarInteger(input));
      SEXP const of = PROTECT(r::value(name, CE_UTF8));
      SEXP const side = PROTECT(Rf_ScalarLogical(column));
      SEXP const call = PROTECT(Rf_lang4(position, number, of, side));
      SEXP const found = Rf_eval(call, R_GlobalEnv);
      UNPROTECT(4);
      return found;
    }));
    return Rf_asInteger(answer);
  };
  SEXP const text = member(request, "text");
  asked.text = [text, &nodes](const Graph& graph, int id) {
    nodes.bring(graph);
    const r::Keep answer(asked_of_r(text, id));
    return r::strings_of(answer);
  };
  SEXP const known = member(request, "known");
  for (R_xlen_t k = 0; k < Rf_xlength(known); ++k) {
    SEXP const one = VECTOR_ELT(known, k);
    if (one == R_NilValue) continue;
    compiler::KnownInput input;
    input.input = static_cast<int>(k) + 1;
    const std::string kind = string_member(one, "kind");
    input.kind = kind == "texts"     ? compiler::KnownInput::Kind::texts
                 : kind == "missing" ? compiler::KnownInput::Kind::missing
                                     : compiler::KnownInput::Kind::null;
    input.texts = r::strings_of(member(one, "texts"));
    asked.known.push_back(input);
  }
  asked.whole_rounding = [rounding](const std::string& name, Type type, bool given, const compiler::Constant* digits) {
    const r::Keep answer(r::enter([&] {
      SEXP const of = PROTECT(r::value(name));
      SEXP const kind = PROTECT(Rf_mkString(type_for_r(type)));
      SEXP const known = PROTECT(Rf_ScalarLogical(given));
      SEXP const number = PROTECT(digits == nullptr ? R_NilValue : constant_for_r(*digits));
      SEXP const call = PROTECT(Rf_lang5(rounding, of, kind, known, number));
      SEXP const way = Rf_eval(call, R_GlobalEnv);
      UNPROTECT(5);
      return way;
    }));
    return r::strings_of(answer).at(0);
  };
  return asked;
}

// What compiling adds to a graph: sites of parts of nodes, and whether the graph holds for these lengths alone.
void note_compiled(const Graph& graph, const SyntaxReader& reader, SEXP tree) {
  const CallOf call = [&reader](int number) { return reader.call(number); };
  r::enter([&] {
    define(tree, "sites", sites_for_r(graph, call));
    define(tree, "tests", r::value(graph.tests));
    define(tree, "exact", r::value(graph.exact));
    define(tree, "least_rows", r::value(graph.series.least));
    return R_NilValue;
  });
}

// What the graph's nodes are for R, behind the translation.
void describe_graph(const Graph& graph, const SyntaxReader& reader, SEXP tree) {
  const CallOf call = [&reader](int number) { return reader.call(number); };
  note_compiled(graph, reader, tree);
  r::enter([&] {
    define(tree, "recycled", recycled_for_r(graph, call));
    define(tree, "singles", singles_for_r(graph, call));
    define(tree, "assertions", assertions_for_r(graph, call));
    define(tree, "warnings", warnings_for_r(graph, call));
    define(tree, "decisions", decisions_for_r(graph));
    define(tree, "named", named_for_r(graph));
    return R_NilValue;
  });
}

}  // namespace

// Compiles an R function, list(formals, body, env), for inputs of given types and lengths. `request`:
//   function   its parts; resolve  see SyntaxReader
//   names, envs, formal, types, lengths, dims  of the inputs
//   tree       an environment, which gets nodes, sites, recycled, singles, decisions, tests and exact
//   value      a function that gives the value of a node by number; rounding: see compiler::Asked
//   shapes     a function of the value's node, an error where arrays do not fit
//   reduce     "" or a reduction; na_rm; gradient: numbers of inputs; hessian
//   weights    TRUE: the Hessian's weights of rows alone, see compiler::RowWeights; rest  TRUE: what is beside their
//   sum moves      numbers of inputs: by what the gradient's inputs move, where the slopes are to be what they become
//   diagonal   numbers of inputs whose part of the Hessian has to be
//   effects    the number of the input that is integrated out, and 1 or -1: see compiler::laplace_value()
//   wide, form, as_gpu, arithmetic: see TextRequest
//   series     NULL, or of which series rows are, list(rows, count, inputs): codes, starts, counts, positions, order
//   over       numbers of inputs that differ from point to point
//   typed      TRUE: only the value's type is asked for
//   known      of the inputs that are no numbers, list(kind, texts), else NULL; text: a function that gives the texts
//   of
//              a node's value
// Gives list(root, type), list(stopped, call, is_shown) of a stop() or stopifnot(), or list(root, type, own, own_parts,
// outputs, slopes, curves, weights, scale, mean, rest, text, handle), or what staged_for_r() gives of a function in
// stages.
// [[Rcpp::export(rng = false)]]
SEXP expression_compile_cpp(SEXP request) {
  return guard_core([&]() -> SEXP {
    SEXP const parts = member(request, "function"), tree = member(request, "tree");
    SyntaxReader reader(member(request, "resolve"), r::strings_of(member(request, "names")), member(request, "envs"),
                        whole_member(request, "formal"));
    const auto function = reader.read(member(parts, "formals"), member(parts, "body"), member(parts, "env"), true);
    Graph graph;
    read_inputs(request, graph);
    read_series(request, graph);
    graph.by_codes = graph.series.fake != 0 || string_member(request, "form").compare(0, 2, "by") == 0;
    graph.wide_sums = whole_member(request, "wide_sums");
    NodesForR nodes(tree);
    const compiler::Asked asked = asked_by(request, nodes);
    int root = 0;
    try {
      root = compiler::translate(*function, graph, asked);
    } catch (const compiler::Stopped& stopped) {
      const char* const message = stopped.what();
      return r::enter([&] {
        SEXP const call = stopped.call > 0 ? reader.call(stopped.call) : R_NilValue;
        return r::List(3).add("stopped", message).add("call", call).add("is_shown", stopped.call >= 0).done();
      });
    }
    nodes.bring(graph);
    describe_graph(graph, reader, tree);
    if (switch_member(request, "typed"))
      return r::enter([&] { return r::List(2).add("root", root).add("type", type_for_r(graph.type(root))).done(); });
    if (graph.series.fake == 0) {
      const r::Keep fits(asked_of_r(member(request, "shapes"), root));
    }

    compiler::CompileRequest wanted;
    wanted.reduce = compiler::reduction_named(string_member(request, "reduce"));
    wanted.na_rm = switch_member(request, "na_rm");
    wanted.gradient = whole_member(request, "gradient");
    wanted.hessian = switch_member(request, "hessian");
    wanted.diagonal = whole_member(request, "diagonal");
    wanted.moves = whole_member(request, "moves");
    wanted.weights = switch_member(request, "weights");
    wanted.rest = switch_member(request, "rest");
    const std::vector<int> effects = whole_member(request, "effects");
    if (effects.size() == 2) {
      wanted.effects = effects[0];
      wanted.effects_sign = effects[1];
    }
    wanted.over = whole_member(request, "over");
    wanted.form = string_member(request, "form");
    wanted.wide = switch_member(request, "wide");
    wanted.fallback = switch_member(request, "fallback");
    wanted.as_gpu = switch_member(request, "as_gpu");
    wanted.arithmetic = string_member(request, "arithmetic");
    wanted.fold = [&](const Graph& made, int id, compiler::Constant& value) {
      const std::vector<compiler::Constant> values = asked.value(made, id);
      if (values.size() != 1) return false;
      value = values[0];
      return true;
    };
    if (graph.series.fake != 0) {
      compiler::Staged staged = compiler::compile_series(graph, root, wanted);
      nodes.bring(graph);
      describe_graph(graph, reader, tree);
      return staged_for_r(std::move(staged), std::move(graph), tree, wanted.as_gpu);
    }
    if (wanted.rest) root = compiler::rest_of_rows(graph, root, wanted.gradient);
    // A function with sums or loops in it that gives one number has a slope in each element, even where none is left.
    const bool of_one = switch_member(request, "staged") && !wanted.gradient.empty() && graph.length(root) == 1 &&
                        wanted.reduce == compiler::Reduction::none && wanted.form.compare(0, 2, "by") != 0;
    if (!wanted.weights && (of_one || compiler::is_staged(graph) || compiler::needs_stages(graph, wanted))) {
      if (wanted.form.compare(0, 2, "by") == 0)
        throw NmathError(
            "`by` and sums, parts or elements of vectors inside the function: write the sums by groups in it");
      compiler::Staged staged = compiler::compile_stages(graph, root, wanted);
      nodes.bring(graph);
      note_compiled(graph, reader, tree);
      return staged_for_r(std::move(staged), std::move(graph), tree, wanted.as_gpu);
    }
    const compiler::Compiled compiled = wanted.weights ? compiler::compile_weights(graph, root, *function, wanted)
                                                       : compiler::compile_value(graph, root, *function, wanted);
    root = compiled.root;
    const r::Keep handle(kernel_handle(compiled.text, compiled.plan, wanted.as_gpu));
    nodes.bring(graph);
    note_compiled(graph, reader, tree);

    std::vector<int> curves;
    for (const compiler::Curve& curve : compiled.curves)
      curves.insert(curves.end(), {curve.direction, curve.slope, curve.node});
    std::vector<int> weights;
    for (const compiler::RowWeight& weight : compiled.weights.weights)
      weights.insert(weights.end(), {weight.left, weight.left_matrix, weight.right, weight.right_matrix});
    return r::enter([&] {
      SEXP const text = PROTECT(text_for_r(compiled.text, Rf_findVarInFrame(tree, Rf_install("sites"))));
      SEXP const of_slopes = PROTECT(list_of(compiled.slopes, slope_for_r));
      SEXP const made = r::List(13)
                            .add("root", root)
                            .add("type", type_for_r(graph.type(root)))
                            .add("own", static_cast<int>(compiled.own))
                            .add("own_parts", static_cast<int>(compiled.own_parts))
                            .add("outputs", compiled.outputs)
                            .add("slopes", of_slopes)
                            .add("curves", curves)
                            .add("weights", weights)
                            .add("scale", compiled.weights.scale)
                            .add("mean", compiled.weights.mean)
                            .add("rest", compiled.weights.rest != 0)
                            .add("text", text)
                            .add("handle", static_cast<SEXP>(handle))
                            .done();
      UNPROTECT(2);
      return made;
    });
  });
}

// An error where a function has no derivative in the arguments of `gradient`, names, whatever it is called with;
// `twice`: or no second derivative.
// [[Rcpp::export(rng = false)]]
SEXP expression_dependence_cpp(SEXP request, const std::vector<std::string>& gradient, bool twice) {
  return guard_core([&]() -> SEXP {
    SEXP const parts = member(request, "function");
    SyntaxReader reader(member(request, "resolve"), {}, R_NilValue, {});
    const auto function = reader.read(member(parts, "formals"), member(parts, "body"), member(parts, "env"), true);
    compiler::check_derivatives(*function, gradient, twice);
    return R_NilValue;
  });
}
