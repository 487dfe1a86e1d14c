// kernel -- the kernel around an expression: its arguments, its loop over elements or over the blocks of a reduction,
// what it writes.
#include "base/text.h"
#include "expression/flag_rules.h"
#include "expression/lines.h"
#include "expression/point_tiles.h"
#include "expression/point_wide.h"
#include "expression/points.h"
#include "expression/prepare.h"
#include "expression/products.h"
#include "expression/reductions.h"
#include "expression/slices.h"
#include "expression/tables.h"
#include "expression/term_slices.h"
#include "expression/writer.h"

#include <algorithm>
#include <cstring>

namespace openclPort::expression {

namespace {

constexpr const char* kCosts[] = {"cheap", "moderate", "heavy", "slow"};

std::string output_type_name(Type type) {
  return type == Type::real ? "double" : type == Type::integer ? "integer" : "logical";
}

// ---- arguments

// In order, and what the engine has to give for each.
struct Arguments {
  std::vector<TextItem> items;
  Lines declarations;

  void add(const std::string& declaration, const char* kind, std::size_t number = 0) {
    declarations.push_back(declaration);
    items.push_back({kind, static_cast<int>(number)});
  }
};

Arguments argument_list(const Writer& w) {
  const std::string& grouping = w.request.grouping;
  Arguments made;
  const bool points = !w.request.over.empty();
  for (std::size_t k = 1; k <= w.columns.size(); ++k)
    if (!is_over(w, w.columns[k - 1].input))
      made.add(filled("__global const %1* c%2", {c_type(w.graph.input(w.columns[k - 1].input).type), k}), "column", k);
  const std::vector<OutputPart> parts = output_parts(w);
  for (std::size_t k = 1; k <= parts.size(); ++k)
    made.add(filled("__global %1* %2%3", {c_output_type(parts[k - 1].type), points ? "all_" : "o", k}), "output", k);
  if (!w.reduces || !w.request.each.empty()) made.add("const nmath_i64 shift", "out_offset");
  if (!w.marks.empty()) made.add(points ? "__global int* all_flags" : "__global int* flags", "flags");
  made.add("const nmath_i64 first", "first");
  made.add("const int len", "len");
  if ((w.reduces || points) && grouping.empty()) made.add("const int block", "block");
  if (!w.terms.empty()) {
    made.add("__local double* area", "local");
    made.add("const int room", "room");
  }
  if (grouping == "by order") made.add("__global const int* order", "order");
  if (!grouping.empty()) made.add("__global const nmath_i64* starts", "starts");
  if (w.request.joins_groups || adds_by_groups(w)) made.add("const int blocks", "blocks");
  if (w.request.joins_groups) made.add("const int alone", "alone");
  if (points)
    for (const char* const one : {"__global const double* points", "const nmath_i64 numbers", "const int first_point",
                                  "const int last_point", "const nmath_i64 all_blocks"})
      made.add(one, std::strrchr(one, ' ') + 1);
  for (std::size_t k = 1; k <= used_over(w).size(); ++k) made.add(filled("const nmath_i64 place_%1", {k}), "place", k);
  for (std::size_t k = 1; k <= w.scalars.size(); ++k)
    if (!is_over(w, w.scalars[k - 1]))
      made.add(filled("const %1 s%2", {c_type(w.graph.input(w.scalars[k - 1]).type), k}), "scalar", k);
  for (std::size_t k = 1; k <= w.lengths.size(); ++k) made.add(filled("const nmath_i64 len_%1", {k}), "length", k);
  for (std::size_t k = 1; k <= w.columns.size(); ++k)
    if (w.columns[k - 1].role != Role::whole && !is_over(w, w.columns[k - 1].input))
      made.add(filled("const nmath_i64 off_%1", {k}), "offset", k);
  for (std::size_t k = 1; k <= w.columns.size(); ++k)
    if (w.columns[k - 1].role == Role::matrix) made.add(filled("const nmath_i64 stride_%1", {k}), "stride", k);
  for (std::size_t k = 1; k <= w.seeds.size(); ++k) made.add(filled("const nmath_u64 seed_%1", {k}), "seed", k);
  if (wide_at_points(w)) made.add("__global double* scores", "scores");
  return made;
}

// ---- functions of the library
// -------------------------------------------------------------------------------------------

const char* flag_parameter(const std::string& flag) {
  return flag == "log" ? "give_log" : flag == "log.p" ? "log_p" : "lower_tail";
}

// A function of the library under the name that the graph calls it by, from its row of the table.
void add_wrapper(Lines& lines, const FunctionRow& row) {
  if (row.draws()) return;
  Lines declared;
  for (std::size_t k = 0; k < row.columns.size(); ++k) declared.push_back("nmath_value " + row.params[k]);
  for (const std::string& flag : row.flags) declared.push_back(std::string("int ") + flag_parameter(flag));
  // The call is what stands behind the last semicolon.
  const std::size_t end = row.call.rfind(';');
  std::string body;
  if (end == std::string::npos)
    body = " return " + row.call + ";";
  else
    body = row.call.substr(0, end + 1) + " return " + row.call.substr(row.call.find_first_not_of(' ', end + 1)) + ";";
  lines.push_back(filled("NMATH_FN nmath_value expr_%1(%2)", {row.name, joined(declared, ", ")}));
  lines.push_back("{ " + body + " }");
}

std::vector<const FunctionRow*> called_rows(const Writer& w) {
  std::vector<const FunctionRow*> rows;
  for (const std::string& name : w.functions)
    if (name != "R_pow") rows.push_back(function_row(name));
  return rows;
}

void add_new(Lines& to, const std::string& text) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
}

// The files that the functions are in.
Lines needed_stems(const Writer& w, const std::vector<const FunctionRow*>& rows) {
  Lines stems;
  for (const FunctionRow* const row : rows) add_new(stems, row->stem);
  for (const std::string& stem : w.stems) add_new(stems, stem);
  for (const std::string& file : w.files) add_new(stems, file);
  if (std::find(w.functions.begin(), w.functions.end(), "R_pow") != w.functions.end()) add_new(stems, "nmath");
  stems.erase(std::remove(stems.begin(), stems.end(), "none"), stems.end());
  if (stems.empty()) stems.push_back("nmath");
  return stems;
}

std::string greatest_cost(const std::vector<const FunctionRow*>& rows) {
  std::size_t greatest = 0;
  for (const FunctionRow* const row : rows)
    for (std::size_t cost = 0; cost < 4; ++cost)
      if (row->cost == kCosts[cost]) greatest = std::max(greatest, cost);
  return kCosts[greatest];
}

// Whether what is computed once lies in a GPU's local memory: where all of it may and fits, at up to a kilobyte for
// each form.
bool shares_forms(const std::vector<std::string>& memory) {
  const auto forms = std::count(memory.begin(), memory.end(), "local");
  return forms > 0 && forms <= 16 && std::find(memory.begin(), memory.end(), "own") == memory.end();
}

// ---- loops
// --------------------------------------------------------------------------------------------------------------

Lines elementwise_loop(Writer& w, bool uses_index) {
  const std::size_t outputs = w.results.size();
  Lines body, stores;
  if (uses_index) body.push_back("        const expr_index e = (expr_index)(first + i);");
  add_lines(body, w.loop_lines, "        ");
  for (std::size_t k = 0; k < outputs; ++k)
    stores.push_back(filled("        o%1[i + shift] = %2;", {k + 1, w.results[k]}));
  Lines usual = {"    EXPR_SPAN", "    EXPR_EACH(i) {"};
  add_lines(usual, body);
  add_lines(usual, stores);
  usual.push_back("    }");
  const bool pairs = !w.fixed.empty() && !w.called;
  if (w.tiles.empty() && !pairs) return usual;
  Lines lines;
  if (!w.tiles.empty()) {
    lines.push_back("#ifdef EXPR_ALONE");
    add_lines(lines, tiled_elements(w, body, stores));
  } else {  // two elements at a time: constant-parameter kernels have no branches
    add_lines(lines, {"#ifdef NMATH_PREFERS_STRAIGHT", "    const int step = get_global_size(0);",
                      "    for (int at = get_global_id(0); at < len; at += 2 * step) {"});
    for (std::size_t k = 0; k < outputs; ++k)
      lines.push_back(filled("        %1 y%2[2];", {c_value_type(w.types[k]), k + 1}));
    add_lines(lines, {"        NMATH_STRAIGHT", "        for (int j = 0; j < 2; ++j) {",
                      "        const int i = at + j * step < len ? at + j * step : at;"});
    add_lines(lines, body);
    for (std::size_t k = 0; k < outputs; ++k) lines.push_back(filled("        y%1[j] = %2;", {k + 1, w.results[k]}));
    add_lines(lines, {"        }", "        NMATH_STRAIGHT"});
    for (std::size_t k = 1; k <= outputs; ++k)
      lines.push_back(filled(
          "        for (int j = 0; j < 2; ++j) if (at + j * step < len) o%1[at + j * step + shift] = y%1[j];", {k}));
    lines.push_back("    }");
  }
  lines.push_back("#else");
  add_lines(lines, usual);
  lines.push_back("#endif");
  return lines;
}

// Whether an index of elements stands in the loop.
bool reads_elements(const Writer& w) {
  if (uses_element(w)) return true;
  for (const WrittenTerm& term : w.terms)
    if (!is_plain_row(w, term.product)) return true;
  return false;
}

Lines kernel_body(Writer& w, bool uses_index, std::size_t words, const std::string& needs_general) {
  Lines lines, loop = w.tiling                  ? tiled_points(w, uses_index, words, needs_general)
                      : w.reduces               ? reduction_loop(w, uses_index)
                      : !w.request.over.empty() ? elements_at_points(w, uses_index)
                                                : elementwise_loop(w, uses_index);
  place_columns(w, loop);
  Lines flags;
  for (std::size_t k = 0; k < words; ++k) flags.push_back(filled("w%1 = 0", {k}));
  if (words > 0) lines.push_back("    int " + joined(flags, ", ") + ";");
  if (!needs_general.empty()) lines.push_back("    int needs_general = 0;");
  if (w.tiling) {
    add_lines(lines, loop);
    return lines;
  }
  add_lines(lines, point_lines(w));
  add_lines(lines, w.scalar_lines, "    ");
  add_lines(lines, loop);
  if (!needs_general.empty()) lines.push_back("    if (needs_general) " + needs_general);
  for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    if (w%1) atomic_or(flags + %1, w%1);", {k}));
  return lines;
}

// Lines that consist of blanks are left out, but not empty ones.
std::string lines_as_text(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines)
    if (line.empty() || !trimmed(line, " \t\r\n").empty()) text += line + "\n";
  return with_nodes_in_order(text);
}

void add_kernel(Lines& text, const std::string& name, const Lines& arguments, const Lines& body) {
  text.push_back(filled("__kernel void %1(", {name}));
  for (std::size_t k = 0; k < arguments.size(); ++k)
    text.push_back("    " + arguments[k] + (k + 1 < arguments.size() ? "," : ")"));
  text.push_back("{");
  add_lines(text, body);
  text.push_back("}");
}

// What comes before the kernel.
Lines program_head(const Writer& w, const std::vector<const FunctionRow*>& rows, const Lines& stems) {
  Lines text = {"// Written by opencl_function().", "// @library_deps: nmath"};
  if (w.own_text.empty()) text.push_back("// @depends_nmath: " + joined(stems, ", "));  // else the loader looks itself
  add_lines(text, text_lines(w.request.arithmetic));
  text.push_back(w.request.wide || has_long_vectors(w.graph) ? "typedef nmath_i64 expr_index;"
                                                             : "typedef nmath_u32 expr_index;");
  text.push_back(w.request.grouping == "by" ? "#define AT(k) (off_##k + p)" : "#define AT(k) (off_##k + i)");
  add_lines(text, span_lines());
  add_lines(text, point_tile_definitions(w));
  for (const FunctionRow* const row : rows) add_wrapper(text, *row);
  add_lines(text, w.own_text);
  return text;
}

}  // namespace

ProgramText program_text(const Writer& w, const std::string& kernel, const Lines& arguments, const Lines& body) {
  const std::vector<const FunctionRow*> rows = called_rows(w);
  Lines text = program_head(w, rows, needed_stems(w, rows));
  text.push_back("");
  add_kernel(text, kernel, arguments, body);
  return {lines_as_text(text), greatest_cost(rows)};
}

void finish_outputs(Writer& w, const std::vector<std::string>& values) {
  const std::vector<int>& outputs = w.request.outputs;
  w.results = values;
  w.value_missing = w.types[0] == Type::real ? "na_1" : filled("(%1 == NMATH_NA_INT ? 2 : 0)", {values[0]});
  if (!w.assume_no_nan) {
    std::vector<int> real;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (w.types[k] == Type::real) real.push_back(outputs[k]);
    for (const int id : nodes_below(w, real))
      if (w.graph.type(id) == Type::real) na_text(w, id, w.root);
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (w.types[k] != Type::real) continue;
    const std::string name = filled("r%1", {k + 1});
    w.results[k] = name;
    if (w.assume_no_nan) {
      w.loop_lines.push_back(filled("const nmath_value %1 = %2;", {name, values[k]}));
      continue;
    }
    const std::string na = na_text(w, outputs[k], w.root);
    w.loop_lines.push_back(filled("nmath_value %1 = %2;", {name, values[k]}));
    w.loop_lines.push_back(w.reduces ? filled("const int na_%1 = isnan(%2) ? ((%3) ? 2 : 1) : 0;", {k + 1, name, na})
                                     : filled("if (isnan(%1)) %1 = (%2) ? NMATH_NA_REAL : NAN;", {name, na}));
  }
}

// What the rows leave to gradients in coefficients: a score that is missing says by which NaN whether it is NA.
void finish_scores(Writer& w) {
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const Term& term = w.terms[t].term;
    std::string value = value_at(w, term.score, w.root);
    if (!w.assume_no_nan)
      value = filled("isnan(%1) ? ((%2) ? NMATH_NA_REAL : NAN) : %1", {value, na_text(w, term.score, w.root)});
    Lines out;
    if (w.request.na_rm) out.push_back(w.value_missing);
    if (term.mask > 0) out.push_back("!" + value_at(w, term.mask, w.root));
    if (!out.empty()) value = filled("%1 ? EXPR_NO_PART : %2", {joined(out, " || "), value});
    w.loop_lines.push_back(filled("const nmath_value g%1 = %2;", {t + 1, value}));
  }
}

// Elements that a reduction leaves in memory: its last outputs.
void finish_each(Writer& w) {
  std::size_t output = output_parts(w).size() - w.request.each.size();
  for (const int id : w.request.each) {
    const std::string name = filled("f%1", {++output}), value = value_at(w, id, w.root);
    if (w.assume_no_nan) {
      w.loop_lines.push_back(filled("const nmath_value %1 = %2; needs_general |= isnan(%1) != 0;", {name, value}));
    } else {
      const std::string na = na_text(w, id, w.root);
      w.loop_lines.push_back(
          filled("const nmath_value %1 = isnan(%2) ? ((%3) ? NMATH_NA_REAL : NAN) : %2;", {name, value, na}));
    }
    w.loop_lines.push_back(filled("o%1[i + shift] = %2;", {output, name}));
  }
}

// An elementwise kernel writes its outputs, a reduction what it keeps of each.
std::vector<OutputPart> output_parts(const Writer& w) {
  std::vector<OutputPart> parts;
  for (const Type type : w.types) {
    if (!w.reduces) {
      parts.push_back({output_type_name(type), 0});
      continue;
    }
    for (const std::string& part : typed_reduction(w.request.reduce, type).state->parts) parts.push_back({part, 0});
  }
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    parts.push_back({"double", w.terms[t].product.columns, false, bundle_of(w, t)});
  for (std::size_t k = 0; k < w.request.each.size(); ++k) parts.push_back({"double", 0, true});
  return parts;
}

// `@depends_nmath` names the files that the functions are in; the library's loader finds what those need.
KernelText assemble_text(Writer& w) {
  KernelText made;
  const bool real = std::find(w.types.begin(), w.types.end(), Type::real) != w.types.end();
  std::string needs_general;
  if (!w.stems.empty() || (w.assume_no_nan && real)) {
    Mark mark;
    mark.needs_general = true;
    needs_general = mark_text(w, mark);
    made.general_bit = static_cast<int>(w.marks.size());
  }
  for (const TextColumn& column : w.columns)
    if (column.role == Role::whole) length_number(w, w.n);  // a matrix may be read so
  begin_points(w);
  const Arguments arguments = argument_list(w);
  const std::size_t words = (w.marks.size() + kBitsOfFlags - 1) / kBitsOfFlags;
  const std::vector<const FunctionRow*> rows = called_rows(w);
  const Lines stems = needed_stems(w, rows);
  place_columns(w, w.loop_lines);
  place_columns(w, w.row_lines);
  const bool uses_index = reads_elements(w);

  Lines text = program_head(w, rows, stems);
  text.push_back("");
  add_lines(text, required_group(w));
  add_kernel(text, kElementKernel, arguments.declarations, kernel_body(w, uses_index, words, needs_general));
  if (wide_at_points(w)) {
    Lines sums = wide_sums(w, words, needs_general), body = {"#if defined(NMATH_MATRIX_UNITS) && !defined(EXPR_ALONE)"};
    place_columns(w, sums);
    add_lines(body, sums, "    ");
    body.push_back("#endif");
    add_kernel(text, kScoreKernel, arguments.declarations, body);
  }
  if (w.reduces) add_lines(text, join_kernel(w));
  if (w.request.joins_groups) add_lines(text, group_join_kernel(w));

  made.text = lines_as_text(text);
  made.items = arguments.items;
  made.columns = w.columns;
  made.scalars = w.scalars;
  for (const int input : w.scalars) made.scalar_types.push_back(w.graph.input(input).type);
  made.lengths = w.lengths;
  made.seeds = w.seeds;
  made.outputs = output_parts(w);
  made.joins_groups = w.request.joins_groups;
  made.joins = w.reduces ? static_cast<int>(w.types.size()) : 0;
  made.words = static_cast<int>(words);
  made.marks = w.marks;
  made.flag_rules = flag_rules(w);
  made.stems = stems;
  made.cost = greatest_cost(rows);
  made.least = std::max(w.least, 1);
  made.slices = may_have_slices(w) && !w.tiling;
  made.wide = may_be_wide(w) && !w.tiling;
  made.local_forms = shares_forms(w.memory);
  made.tables = w.tables;
  made.n = w.n;
  made.uses_index = uses_index;
  made.types = w.types;
  leave_out_points(w, made);
  return made;
}

}  // namespace openclPort::expression
