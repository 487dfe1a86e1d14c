// points -- see points.h
#include "expression/points.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "expression/lines.h"
#include "expression/point_slices.h"
#include "expression/point_tiles.h"
#include "expression/prepare.h"

namespace openclPort {
namespace expression {

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

bool is_over(const Writer& w, int input) {
  return std::find(w.request.over.begin(), w.request.over.end(), input) != w.request.over.end();
}

void check_points(const Writer& w) {
  if (w.request.over.empty()) return;
  if (!w.reduces || !w.request.way.empty() || !w.request.each.empty()) refuse("only sums of all elements");
  if (!w.seeds.empty()) refuse("no random numbers");
  for (const TextColumn& column : w.columns)
    if (is_over(w, column.input) && (column.role == Role::matrix || w.graph.input(column.input).type != Type::real))
      refuse("only numbers and vectors of doubles");
}

Lines point_offsets(const Writer& w) {
  Lines lines;
  for (std::size_t k = 1; k <= w.columns.size(); ++k)
    if (is_over(w, w.columns[k - 1].input) && w.columns[k - 1].role == Role::full)
      lines.push_back(filled("const nmath_i64 off_%1 = first * block;", {k}));
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

Lines point_outputs(const Writer& w) {
  Lines lines;
  const std::vector<OutputPart> parts = output_parts(w);
  for (std::size_t k = 1; k <= parts.size(); ++k)
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
  add_lines(lines, {"    const int many = last_point - first_point;", "    const int group = get_group_id(0) / many;",
                    "    const int point = first_point + (int)get_group_id(0) % many;",
                    "    __global const double* row = points + (nmath_i64)point * numbers;"});
  add_lines(lines, point_offsets(w), "    ");
  add_lines(lines, point_inputs(w), "    ");
  add_lines(lines, point_outputs(w), "    ");
  return lines;
}

Lines joined_point_lines(const Writer& w) {
  Lines lines;
  if (w.request.over.empty()) return lines;
  std::string count = filled("%1", {w.types.size()});
  for (std::size_t t = 1; t <= w.terms.size(); ++t) count += filled(" + width_%1", {t});
  add_lines(lines, {filled("    const nmath_i64 numbers = %1;", {count}),
                    "    const nmath_i64 number = get_group_id(0) % numbers, point = get_group_id(0) / numbers;"});
  const std::vector<OutputPart> parts = output_parts(w);
  std::size_t term = 0;
  for (std::size_t k = 1; k <= parts.size(); ++k) {
    const char* const type = c_output_type(parts[k - 1].type);
    const std::string width = parts[k - 1].width > 0 ? filled(" * (2 * width_%1)", {++term}) : "";
    lines.push_back(filled("    __global const %1* b%2 = all_b%2 + point * blocks%3;", {type, k, width}));
    lines.push_back(filled("    __global %1* r%2 = all_r%2 + point%3;", {type, k, width}));
  }
  return lines;
}

Lines point_tile_definitions(const Writer& w) {
  if (!w.tiling) return {};
  const std::string shared = filled("%1", {points_shared(w)});
  Lines lines;
  if (slices_at_points(w)) lines = {"#undef EXPR_ETA", "#define EXPR_ETA(term) eta_##term"};
  add_lines(
      lines,
      {"#ifdef EXPR_ALONE",
       filled("#define EXPR_POINTS %1", {points_alone(w)}),
       "#else",
       "#define EXPR_POINTS " + shared,
       "#endif",
       "#ifdef NMATH_HOST_TEXT",
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
       "#else",
       "#define EXPR_EACH_POINT NMATH_STRAIGHT for (int t = 0; t < EXPR_POINTS; ++t)",
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
  if (text.point_fours.empty()) return;
  text.point_row_numbers = point_row_numbers(w);
  text.point_item_numbers = point_item_numbers(w);
}

}  // namespace expression
}  // namespace openclPort
