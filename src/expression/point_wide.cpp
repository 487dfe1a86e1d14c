// point_wide -- see point_wide.h
//
// What a warp multiplies is told in point_matrix.cpp. Linear predictors, points by rows: each warp has eight points and
// 32 rows, four products side by side. The warps of a group have the same rows at up to 64 points, as many as there
// are, so that a row's numbers come once from where those of all groups are. Lane 4 h + q gets rows 2 q and 2 q + 1 of
// each eight at point h.
//
// Sums, columns by points: a group of 128 work-items has a block of rows, 64 columns and 32 points, each of its warps
// 16 of the columns. Values are summed as scores of one column of ones.
#include "expression/point_wide.h"

#include <algorithm>

#include "base/text.h"
#include "expression/lines.h"
#include "expression/point_slice_parts.h"
#include "expression/points.h"
#include "expression/products.h"
#include "expression/slices.h"
#include "expression/term_slices.h"

namespace openclPort::expression {

namespace {

constexpr int kRowsOfWarp = 32, kEights = kRowsOfWarp / 8;     // of the first kernel
constexpr int kScoreRows = 64, kScoreStride = kScoreRows + 4;  // of scores in local memory

// sides_of_group() as C text.
std::string sides_text(const std::string& points) {
  return filled("%1 > 32 ? 8 : %1 > 16 ? 4 : %1 > 8 ? 2 : 1", {points});
}

std::vector<Declared> values_of_row(const Writer& w) {
  return rows_come_first(w) ? row_values(w) : std::vector<Declared>();
}

// Where the numbers of result `k` of `point` are, from the launch's first row on.
std::string scores_at(const std::string& k, const std::string& point) {
  return filled("scores + ((nmath_i64)(%1) * many + %2) * len", {k, point});
}

struct Scores {
  const Writer& w;
  const bool uses_index;
  const std::size_t words;
  const std::string& needs_general;
  const std::vector<Declared> of_row;
  const bool rows_first;

  Lines setup() const {
    Lines lines = {
        "EXPR_EXCHANGE",
        "const int many = last_point - first_point;",
        filled("const int sides = %1;", {sides_text("many")}),
        "const int item = get_local_id(0), q = item & 3, h = item >> 2 & 7, side = (item >> 5) % sides;",
        filled("const int of_point = 8 * side + h, first_row = (item >> 5) / sides * %1, height = %2 / sides;",
               {kRowsOfWarp, kScoringItems}),
        "const int together = 8 * sides, tiles = (many + together - 1) / together;",
        "const int first_here = first_point + (int)get_group_id(0) % tiles * together;",
        "const int here = last_point - first_here < together ? last_point - first_here : together;",
        "const int point = first_here + (of_point < here ? of_point : here - 1);",
        "__global const double* row = points + (nmath_i64)point * numbers;"};
    add_lines(lines, flag_lines("int %1_of_rows = 0;", words));
    add_lines(lines, point_offsets(w));
    add_lines(lines, w.scalar_lines);
    add_lines(lines, point_inputs(w));
    add_lines(lines, w.point_lines);
    int before = 0;
    for (const Declared& one : of_row) {
      lines.push_back(
          filled("__local %1* const q_%2 = (__local %1*)(__local void*)(area + %3);", {one.type, one.name, before}));
      before += kScoringItems;
    }
    return lines;
  }

  // The predictors of the lane's rows, eta_t[2 * b + later].
  Lines predictor(std::size_t t) const {
    const ProductAt& product = w.terms[t].product;
    const std::string width = point_width(w, t);
    return {filled("double eta_of_%1[%2];", {t, 2 * kEights}),
            "NMATH_STRAIGHT",
            filled("for (int b = 0; b < %2; ++b) eta_of_%1[b] = 0.0;", {t, 2 * kEights}),
            filled("for (int from = 0, range = %1; from < %2; from += range) {",
                   {columns_of_range(width, filled("%1", {ranges_of_wide(all_fours(w))})), width}),
            filled("    const int to = from + range < %1 ? from + range : %1;", {width}),
            filled("    double both[%1];", {2 * kEights}),
            "    NMATH_STRAIGHT",
            filled("    for (int b = 0; b < %1; ++b) both[b] = 0.0;", {2 * kEights}),
            "    EXPR_FOURS",
            "    for (int k = from; k < to; k += 4) {",
            "        const int j = k + q;",
            filled("        const double a = j < to ? %1 : 0.0;", {product_coefficient(product, "j")}),
            filled("        double x[%1];", {kEights}),
            "        NMATH_STRAIGHT",
            filled("        for (int b = 0; b < %1; ++b) {", {kEights}),
            "            const int wanted = first_row + 8 * b + h, r = wanted < count ? wanted : count - 1;",
            "            " + joined(row_lines(w, product), " "),
            filled("            x[b] = j < to ? %1 : 0.0;", {product_element(product, "j")}),
            "        }",
            "        NMATH_STRAIGHT",
            filled("        for (int b = 0; b < %1; ++b) EXPR_MULTIPLY(both + 2 * b, a, x[b])", {kEights}),
            "    }",
            "    NMATH_STRAIGHT",
            filled("    for (int b = 0; b < %2; ++b) eta_of_%1[b] += both[b];", {t, 2 * kEights}),
            "}"};
  }

  // The lane's rows one after the other: the predictors of the next one move to the front.
  Lines rows() const {
    Lines lines = {"NMATH_LOOP", filled("for (int v = 0; v < %1; ++v) {", {2 * kEights}),
                   "    const int r = first_row + 8 * (v >> 1) + 2 * q + (v & 1);"};
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (product_of(w, t) != t) continue;
      add_lines(lines, {filled("    const double eta_%1 = eta_of_%1[0];", {t}), "    NMATH_STRAIGHT",
                        filled("    for (int b = 1; b < %2; ++b) eta_of_%1[b - 1] = eta_of_%1[b];", {t, 2 * kEights})});
    }
    add_lines(lines, {"    if (r < count) {", "        " + row_place(w)});
    if (uses_index) lines.push_back("        " + element_line(w));
    if (!rows_first) add_lines(lines, w.row_lines, "        ");
    for (const Declared& one : of_row) lines.push_back(filled("        const %1 %2 = q_%2[r];", {one.type, one.name}));
    add_lines(lines, w.loop_lines, "        ");
    lines.push_back("        if (of_point < here) {");
    const std::size_t values = w.results.size();
    const auto kept = [&](std::size_t k, const std::string& text) {
      lines.push_back(
          filled("            (%1)[i] = %2;", {scores_at(filled("%1", {k}), "(point - first_point)"), text}));
    };
    for (std::size_t k = 0; k < values; ++k) kept(k, w.results[k]);
    for (std::size_t t = 0; t < w.terms.size(); ++t) kept(values + t, filled("g%1", {t + 1}));
    add_lines(lines, {"        }", "    }", "}"});
    return lines;
  }

  Lines block() const {
    Lines lines = {"const int begin = group * block, end = begin + block < len ? begin + block : len;",
                   "for (int at = begin; at < end; at += height) {",
                   "    const int count = end - at < height ? end - at : height;"};
    if (rows_first && !w.row_lines.empty()) {
      add_lines(lines, {"    barrier(CLK_LOCAL_MEM_FENCE);", "    if (item < count) {", "        const int r = item;"});
      add_lines(lines, row_value_lines(w, of_row, uses_index, words), "        ");
      add_lines(lines, {"    }", "    barrier(CLK_LOCAL_MEM_FENCE);"});
    }
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      if (product_of(w, t) == t) add_lines(lines, predictor(t), "    ");
    add_lines(lines, rows(), "    ");
    lines.push_back("}");
    return lines;
  }

  Lines ends() const {
    Lines lines = {"if (of_point < here) {"};
    add_lines(lines, raised_flags(words, needs_general), "    ");
    lines.push_back("}");
    if (rows_first) add_lines(lines, raised_flags_of_rows(w, words, needs_general));
    return lines;
  }
};

// What a group has of the sums of one result: `x` of row r and column c, which is one of `width`, from `base` on.
Lines panel(const std::string& result, const std::string& row, const std::string& x, const std::string& width,
            const std::string& place) {
  constexpr int tiles = kWidePoints / 8, halves = kWideColumns / 8 / (kWideItems / 32);
  return {filled("double s[%1], lost[%1];", {2 * tiles * halves}),
          "NMATH_STRAIGHT",
          filled("for (int k = 0; k < %1; ++k) s[k] = lost[k] = 0.0;", {2 * tiles * halves}),
          filled("const int column = base + (item >> 5) * %1 + h;", {8 * halves}),
          filled("for (int at = begin; at < end; at += %1) {", {kScoreRows}),
          filled("    const int count = end - at < %1 ? end - at : %1;", {kScoreRows}),
          "    barrier(CLK_LOCAL_MEM_FENCE);",
          "    EXPR_FOURS",
          filled("    for (int k = item; k < %1; k += %2) {", {kScoreRows * kWidePoints, kWideItems}),
          filled("        const int r = k % %1, t = k / %1;", {kScoreRows}),
          filled("        area[t * %1 + r] = r < count && t < here ? (%2)[at + r] : 0.0;",
                 {kScoreStride, scores_at(result, "(first_here - first_point + t)")}),
          "    }",
          "    barrier(CLK_LOCAL_MEM_FENCE);",
          "    NMATH_PAIRS",
          filled("    for (int from = 0; from < count; from += %1) {", {kWideChain}),
          filled("        double x[%1];", {2 * halves}),
          "        NMATH_STRAIGHT",
          filled("        for (int a = 0; a < %1; ++a) {", {2 * halves}),
          filled("            const int c = column + 8 * (a >> 1), r = from + 4 * (a & 1) + q; %1", {row}),
          filled("            x[a] = c < %1 && r < count ? %2 : 0.0;", {width, x}),
          "        }",
          "        NMATH_STRAIGHT",
          filled("        for (int b = 0; b < %1; ++b) {", {tiles}),
          filled("            __local const double* const score = area + (8 * b + h) * %1 + from + q;", {kScoreStride}),
          "            NMATH_STRAIGHT",
          filled("            for (int a = 0; a < %1; ++a) {", {halves}),
          filled("                EXPR_LEAVE_OUT(column - h + 8 * a >= %1)", {width}),
          filled("                const int k = %1 * a + 2 * b;", {2 * tiles}),
          "                double both[2] = {0.0, 0.0};",
          "                EXPR_MULTIPLY(both, x[2 * a], score[0]) EXPR_MULTIPLY(both, x[2 * a + 1], score[4])",
          "                " + added_to_parts("s[k]", "lost[k]", "both[0]"),
          "                " + added_to_parts("s[k + 1]", "lost[k + 1]", "both[1]"),
          "            }",
          "        }",
          "    }",
          "}",
          "NMATH_STRAIGHT",
          filled("for (int k = 0; k < %1; ++k) {", {2 * tiles * halves}),
          filled("    const int c = column + 8 * (k / %1), t = k % %1 / 2 * 8 + 2 * q + k % 2;", {2 * tiles}),
          filled("    if (c >= %1 || t >= here) continue;", {width}),
          "    const double x = expr_sum_value(expr_sum_of(s[k], lost[k]));",
          "    const nmath_i64 at_point = (nmath_i64)(first_here + t) * all_blocks + first + group;",
          "    if (isnan(x)) needs_general_at |= 1u << t;",
          "    " + place,
          "}"};
}

}  // namespace

bool wide_at_points(const Writer& w) { return w.tiling && may_be_wide(w) && all_fours(w) > kMatrixFours; }

int wide_numbers(const Writer& w) {
  return std::max(kScoringItems * static_cast<int>(values_of_row(w).size()), kWidePoints * kScoreStride);
}

Lines wide_scores(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general) {
  const Scores scores = {w, uses_index, words, needs_general, values_of_row(w), rows_come_first(w)};
  return blocks_in_turn(scores.setup(), scores.block(), scores.ends());
}

Lines wide_sums(const Writer& w, std::size_t words, const std::string& needs_general) {
  Lines lines = {
      "EXPR_EXCHANGE",
      filled("const int many = last_point - first_point, tiles = (many + %1) / %2;", {kWidePoints - 1, kWidePoints}),
      "const int item = get_local_id(0), q = item & 3, h = item >> 2 & 7;"};
  Lines units;
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    units.push_back(filled("(%1 + %2) / %3", {point_width(w, t), kWideColumns - 1, kWideColumns}));
  add_lines(lines,
            {filled("const int units = %1 + %2;", {joined(units, " + "), w.results.size()}),
             "int unit = get_group_id(0) % units;",
             "const int tile = get_group_id(0) / units % tiles, group = get_group_id(0) / units / tiles;",
             filled("const int first_here = first_point + tile * %1;", {kWidePoints}),
             filled("const int here = last_point - first_here < %1 ? last_point - first_here : %1;", {kWidePoints}),
             "const int begin = group * block, end = begin + block < len ? begin + block : len;",
             "uint needs_general_at = 0;"});
  const std::size_t values = w.results.size();
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const ProductAt& product = w.terms[t].product;
    lines.push_back(filled(t == 0 ? "if (unit < %2) {" : "} else if ((unit -= %1) < %2) {",
                           {t == 0 ? "" : units[t - 1], units[t]}));
    lines.push_back(filled("    const int base = unit * %1;", {kWideColumns}));
    add_lines(lines,
              panel(filled("%1", {values + t}), joined(row_lines(w, product), " "), product_element(product, "c"),
                    point_width(w, t),
                    filled("all_%1[at_point * (2 * len_%2) + c] = x;",
                           {w.first_term + static_cast<int>(t) + 1, product.columns})),
              "    ");
  }
  std::string value = filled("all_%1", {values});
  for (std::size_t k = values - 1; k > 0; --k) value = filled("(unit == %1 ? all_%2 : %3)", {k - 1, k, value});
  add_lines(lines, {"} else {", filled("    unit -= %1;", {units.back()}), "    const int base = 0;"});
  add_lines(lines, panel("unit", "", "1.0", "1", filled("%1[at_point] = x;", {value})), "    ");
  add_lines(lines, {"}", "for (int t = 0; t < here; ++t) {", "    if ((needs_general_at >> t & 1) == 0) continue;",
                    "    const int point = first_here + t, needs_general = 1;"});
  for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    int w%1 = 0;", {k}));
  add_lines(lines, raised_flags(words, needs_general), "    ");
  lines.push_back("}");
  return lines;
}

}  // namespace openclPort::expression
