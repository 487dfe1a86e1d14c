// point_text -- see points.h
#include "expression/points.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/lines.h"
#include "expression/point_matrix.h"
#include "expression/point_slice_parts.h"
#include "expression/point_slices.h"
#include "expression/point_tiles.h"
#include "expression/point_wide.h"
#include "expression/prepare.h"
#include "expression/slices.h"

namespace openclPort::expression {

namespace {

// How many numbers a result of an output has.
std::string width_text(const OutputPart& part, const char* length) {
  return part.width > 0 ? filled(" * (2 * %1%2)", {length, part.width}) : "";
}

[[noreturn]] void refuse(const char* what) { throw NmathError(std::string("points: ") + what); }

}  // namespace

std::vector<int> used_over(const Writer& w) {
  std::vector<int> used;
  for (const int input : w.request.over) {
    const bool scalar = std::find(w.scalars.begin(), w.scalars.end(), input) != w.scalars.end();
    const bool column =
        std::any_of(w.columns.begin(), w.columns.end(), [input](const TextColumn& one) { return one.input == input; });
    if (scalar || column) used.push_back(input);
  }
  return used;
}

std::size_t place_of_input(const Writer& w, int input) {
  const std::vector<int> used = used_over(w);
  return static_cast<std::size_t>(std::find(used.begin(), used.end(), input) - used.begin()) + 1;
}

bool adds_by_codes(const Writer& w) {
  return !w.request.over.empty() && w.request.grouping == "by order" && w.request.joins_groups;
}

bool adds_by_groups(const Writer& w) {
  return !w.request.over.empty() && !w.request.grouping.empty() && !w.request.joins_groups;
}

bool leaves_elements(const Writer& w) { return !w.request.over.empty() && (!w.reduces || !w.request.each.empty()); }

bool is_over(const Writer& w, int input) {
  return std::find(w.request.over.begin(), w.request.over.end(), input) != w.request.over.end();
}

void begin_points(Writer& w) {
  if (w.request.over.empty()) return;
  if (leaves_elements(w)) length_number(w, w.n);
  if (!w.reduces && !w.tiles.empty()) refuse("no elements of products");
  if (!w.seeds.empty()) refuse("no random numbers");
  for (const TextColumn& column : w.columns)
    if (is_over(w, column.input) && (column.role == Role::matrix || w.graph.input(column.input).type != Type::real))
      refuse("only numbers and vectors of doubles");
  if (w.request.grouping != "by") return;
  for (const TextColumn& column : w.columns)  // the engine brings what all points share into the order of groups
    if (is_over(w, column.input) && column.role == Role::full) refuse("no elements in the order of groups");
}

Lines point_offsets(const Writer& w) {
  Lines lines;
  const char* const first =
      w.request.grouping.empty() ? "first * block" : "0";  // by groups rows are counted from the call's first
  for (std::size_t k = 1; k <= w.columns.size(); ++k)
    if (is_over(w, w.columns[k - 1].input) && w.columns[k - 1].role == Role::full)
      lines.push_back(filled("const nmath_i64 off_%1 = %2;", {k, first}));
  return lines;
}

Lines point_inputs(const Writer& w) {
  Lines lines;
  for (std::size_t k = 1; k <= w.scalars.size(); ++k) {
    const int input = w.scalars[k - 1];
    if (!is_over(w, input)) continue;
    const std::string number = filled("row[place_%1]", {place_of_input(w, input)});
    lines.push_back(w.graph.input(input).type == Type::real
                        ? filled("const double s%1 = %2;", {k, number})
                        : filled("const int s%1 = isnan(%2) ? NMATH_NA_INT : (int)%2;", {k, number}));
  }
  for (std::size_t k = 1; k <= w.columns.size(); ++k)
    if (is_over(w, w.columns[k - 1].input))
      lines.push_back(
          filled("__global const double* c%1 = row + place_%2;", {k, place_of_input(w, w.columns[k - 1].input)}));
  return lines;
}

// The numbers of point t of a tile.
Lines numbers_of_point(const Writer& w) {
  Lines lines = {"__global const double* row = own + EXPR_ROW(t);"};
  add_lines(lines, point_inputs(w));
  return lines;
}

std::vector<Declared> inputs_of_point(const Writer& w, const Lines& users) {
  std::vector<Declared> found;
  for (const std::string& line : point_inputs(w)) {
    const Declared one = declared_by(line);
    if (!one.name.empty() && uses(users, one.name)) found.push_back(one);
  }
  return found;
}

Lines pointers_of_point(const Writer& w, const Lines& users, const std::string& row) {
  Lines lines;
  for (std::size_t k = 1; k <= w.columns.size(); ++k) {
    const int input = w.columns[k - 1].input;
    if (!is_over(w, input) || !uses(users, filled("c%1", {k}))) continue;
    lines.push_back(filled("__global const double* c%1 = own + %2 + place_%3;", {k, row, place_of_input(w, input)}));
  }
  return lines;
}

Lines point_elements(const Writer& w, const std::string& point) {
  Lines lines;
  if (!leaves_elements(w)) return lines;
  const std::vector<OutputPart> parts = output_parts(w);
  const std::size_t rows =
      static_cast<std::size_t>(std::find(w.lengths.begin(), w.lengths.end(), w.n) - w.lengths.begin()) + 1;
  for (std::size_t k = 1; k <= parts.size(); ++k)
    if (!w.reduces || parts[k - 1].each)
      lines.push_back(
          filled("__global double* o%1 = all_%1 + (nmath_i64)%2 * len_%3 + first * block;", {k, point, rows}));
  return lines;
}

Lines point_outputs(const Writer& w) {
  Lines lines;
  const std::vector<OutputPart> parts = output_parts(w);
  for (std::size_t k = 1; k <= parts.size(); ++k)
    if (w.reduces && !parts[k - 1].each)
      lines.push_back(filled("__global %1* o%2 = all_%2 + ((nmath_i64)point * all_blocks + first)%3;",
                             {c_output_type(parts[k - 1].type), k, width_text(parts[k - 1], "len_")}));
  if (!w.marks.empty())
    lines.push_back(filled("__global int* flags = all_flags + (nmath_i64)point * %1;",
                           {(w.marks.size() + kBitsOfFlags - 1) / kBitsOfFlags}));
  return lines;
}

Lines point_lines(const Writer& w) {
  Lines lines;
  if (w.request.over.empty()) return lines;
  lines.push_back("    const int many = last_point - first_point;");
  if (adds_by_codes(w))  // blocks of a point lie side by side; a work-item beyond all has a block of no element
    add_lines(lines, {"    const int place = alone ? get_global_id(0) : get_group_id(0);",
                      "    const int group = place < blocks * many ? place % blocks : blocks;",
                      "    const int point = first_point + (place < blocks * many ? place / blocks : 0);"});
  else
    add_lines(lines, {"    const int group = get_group_id(0) / many;",
                      "    const int point = first_point + (int)get_group_id(0) % many;"});
  if (adds_by_groups(w))
    lines.push_back("    if (group >= blocks) return;  // of a launch that only is to be compiled");
  lines.push_back("    __global const double* row = points + (nmath_i64)point * numbers;");
  add_lines(lines, point_offsets(w), "    ");
  add_lines(lines, point_inputs(w), "    ");
  add_lines(lines, point_outputs(w), "    ");
  add_lines(lines, point_elements(w, "point"), "    ");
  return lines;
}

Lines elements_at_points(const Writer& w, bool uses_index) {
  Lines lines = {"    const int item = get_local_id(0), items = get_local_size(0);",
                 "    const int begin = group * block, end = begin + block < len ? begin + block : len;",
                 "    for (int i = begin + item; i < end; i += items) {"};
  if (uses_index) lines.push_back("        " + element_line(w));
  add_lines(lines, w.loop_lines, "        ");
  for (std::size_t k = 1; k <= w.results.size(); ++k)
    lines.push_back(filled("        o%1[i + shift] = %2;", {k, w.results[k - 1]}));
  lines.push_back("    }");
  return lines;
}

Lines joined_point_lines(const Writer& w) {
  Lines lines;
  if (w.request.over.empty()) return lines;
  std::string count = filled("%1", {w.types.size()});
  for (std::size_t t = 1; t <= w.terms.size(); ++t) count += filled(" + width_%1", {t});
  add_lines(lines, {filled("    const nmath_i64 numbers = %1;", {count}),
                    "    const nmath_i64 number = get_group_id(0) % numbers, point = get_group_id(0) / numbers;"});
  std::vector<OutputPart> parts = output_parts(w);
  while (!parts.empty() && parts.back().each) parts.pop_back();
  std::size_t term = 0;
  for (std::size_t k = 1; k <= parts.size(); ++k) {
    const char* const type = c_output_type(parts[k - 1].type);
    const std::string width = parts[k - 1].width > 0 ? filled(" * (2 * width_%1)", {++term}) : "";
    lines.push_back(filled("    __global const %1* b%2 = all_b%2 + point * blocks%3;", {type, k, width}));
    lines.push_back(filled("    __global %1* r%2 = all_r%2 + point%3;", {type, k, width}));
  }
  return lines;
}

// A compiler that knows how many work-items a group has gives each as many registers as there are for them: more than
// kernels on matrix units with few columns, or with many, shall have (FusedKernel::on_device()), fewer than it may give
// the others.
// Without matrix units each of several terms has numbers of its own for each work-item in local memory.
Lines required_group(const Writer& w) {
  constexpr int kItemsOfManyTerms = 64;
  const auto required = [](int items) { return filled("__attribute__((reqd_work_group_size(%1, 1, 1)))", {items}); };
  const bool has_many_terms = w.terms.size() > 2 && !slices_at_points(w);
  const bool matrix = matrix_at_points(w), wide = wide_at_points(w);
  if (!matrix && !wide && !has_many_terms) return {};
  Lines lines = {"#ifndef EXPR_ALONE"};
  if (matrix || wide) {
    lines.push_back("#ifdef NMATH_MATRIX_UNITS");
    if (matrix && all_fours(w) > kFewMatrixFours) lines.push_back(required(kMatrixItems));
    lines.push_back("#else");
  }
  if (has_many_terms) lines.push_back(required(kItemsOfManyTerms));
  if (matrix || wide) lines.push_back("#endif");
  lines.push_back("#endif");
  return lines;
}

Lines point_tile_definitions(const Writer& w) {
  if (!w.tiling) return {};
  const std::string shared = filled("%1", {points_shared(w)});
  Lines lines;
  const char* const test = slices_at_points(w) ? "#if 1" : "#ifdef NMATH_MATRIX_UNITS";
  if (slices_at_points(w) || matrix_at_points(w) || wide_at_points(w))
    lines = {test, "#undef EXPR_ETA", "#define EXPR_ETA(term) eta_##term", "#endif"};
  add_lines(
      lines,
      {"#ifdef NMATH_FLOAT_PAIRS",  // which have no vectors
       "#define EXPR_POINTS 1",
       "#elif defined(EXPR_ALONE)",
       filled("#define EXPR_POINTS %1", {points_alone(w)}),
       "#else",
       "#define EXPR_POINTS " + shared,
       "#endif",
       "#ifdef NMATH_FLOAT_PAIRS",
       "typedef double expr_points;",
       "#define EXPR_SPLAT(x) ((double)(x))",
       "#define EXPR_ZERO 0.0",
       "#elif defined(NMATH_HOST_TEXT)",
       "typedef double expr_points __attribute__((vector_size(64), aligned(8)));",
       "#define EXPR_SPLAT(x) ((expr_points){x, x, x, x, x, x, x, x})",
       "#define EXPR_ZERO EXPR_SPLAT(0.0)",
       "#else",
       "#ifdef EXPR_ALONE",
       "typedef double8 expr_points;",
       "#else",
       "typedef double" + (shared == "1" ? "" : shared) + " expr_points;",
       "#endif",
       "#define EXPR_SPLAT(x) ((expr_points)(x))",
       "#define EXPR_ZERO EXPR_SPLAT(0.0)",
       "#endif",
       "#define EXPR_AT(x, t) (((double*)&(x))[t])",
       "#define EXPR_ROW(t) ((nmath_i64)((t) < here ? (t) : here - 1) * numbers)",
       "#ifdef EXPR_ALONE",
       "#define EXPR_EACH_POINT for (int t = 0; t < EXPR_POINTS; ++t)",
       "#define EXPR_OWN_POINTS EXPR_EACH_POINT",
       "#define EXPR_OWN_POINT(name) name",
       "#else",
       "#define EXPR_EACH_POINT NMATH_STRAIGHT for (int t = 0; t < EXPR_POINTS; ++t)",
       "#define EXPR_OWN_POINTS for (int t = item; t < EXPR_POINTS; t += items)",
       "#define EXPR_OWN_POINT(name) l_##name",
       "#endif",
       "#define EXPR_ADD(s, c, x) { const expr_points t_ = s + (x), z_ = t_ - s; c += (s - (t_ - z_)) + ((x) - z_); "
       "s = t_; }"});
  return lines;
}

void leave_out_points(const Writer& w, KernelText& text) {
  if (w.request.over.empty()) return;
  std::vector<int> columns(w.columns.size(), 0), scalars(w.scalars.size(), 0);
  text.columns.clear();
  text.scalars.clear();
  text.scalar_types.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (is_over(w, w.columns[k].input)) continue;
    text.columns.push_back(w.columns[k]);
    columns[k] = static_cast<int>(text.columns.size());
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    if (is_over(w, w.scalars[k])) continue;
    text.scalars.push_back(w.scalars[k]);
    text.scalar_types.push_back(w.graph.input(w.scalars[k]).type);
    scalars[k] = static_cast<int>(text.scalars.size());
  }
  for (TextItem& item : text.items) {
    const std::size_t k = static_cast<std::size_t>(item.number) - 1;
    if (item.kind == "column" || item.kind == "offset" || item.kind == "stride") item.number = columns[k];
    if (item.kind == "scalar") item.number = scalars[k];
  }
  text.over = used_over(w);
  text.points_alone = points_alone(w);
  text.points_shared = points_shared(w);
  text.point_fours = point_fours(w);
  if (!text.point_fours.empty()) text.point_row_numbers = point_row_numbers(w);
  text.matrix_fours = matrix_fours(w);
  if (!text.matrix_fours.empty()) text.matrix_numbers = matrix_numbers(w);
  if (wide_at_points(w)) text.wide_numbers = wide_numbers(w);
}

}  // namespace openclPort::expression
