// point_wide -- see point_wide.h
//
// What a warp multiplies is told in point_matrix.cpp. Columns, coefficients and scores pass through local memory in
// stages, of which the next ones arrive while one is worked on.
//
// Linear predictors, points by rows: each of the eight warps of a group has eight points and 64 rows. A group has 64
// points, or 32 or 16 where there are no more, and 64 rows, or 128 or 256; a stage has fewer columns then. Lane 4 h + q
// gets rows q and q + 4 of each eight at point h, so that four lanes write rows that are neighbours in memory. Warps
// leave the chains of values in local memory, where a work-item adds up those of its point.
//
// Sums, columns by points: a group has a block of rows, 64 columns and 64 points, each of its eight warps 16 of the
// columns and half of the points; a stage has 16 rows, in an order that depends on the column, so that few lanes meet
// in a bank.
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

constexpr int kRowsOfWarp = 64, kEights = kRowsOfWarp / 8, kWarps = kScoringItems / 32;
constexpr int kScoringRows = kWarps * kRowsOfWarp / static_cast<int>(kFewestSides);  // of a group that computes scores
// Stages of scores and of sums, and the numbers of one: coefficients, by points, which lie 4 numbers apart, and
// columns, by rows, which do so, too; columns and points, by rows.
constexpr int kScoreStages = 2, kStage = 64 * (16 + 4) + 16 * (kRowsOfWarp + 4);
constexpr int kSumStages = 2, kSumRows = kWideChain, kSumStage = (kWideColumns + kWidePoints) * kSumRows;
constexpr int kRoom = 6000;  // numbers of local memory, of 48 KiB

// sides_of_group() as C text.
std::string sides_text(const std::string& points) { return filled("%1 > 32 ? 8 : %1 > 16 ? 4 : 2", {points}); }

// Chains of a group's rows and points.
int value_chains(const Writer& w) { return 8 * kWarps * kRowsOfWarp / chain_of_wide(all_fours(w)); }

int before_row_values(const Writer& w) {
  return kScoreStages * kStage + value_chains(w) * static_cast<int>(w.results.size());
}

std::vector<Declared> values_of_row(const Writer& w) {
  const std::vector<Declared> values = rows_come_first(w) ? row_values(w) : std::vector<Declared>();
  const int numbers = kScoringRows * static_cast<int>(values.size());
  return before_row_values(w) + numbers <= kRoom ? values : std::vector<Declared>();
}

// `to` = `from`, which is on its way from now on where it can be.
std::string fetched(bool is_plain, const std::string& to, const std::string& from) {
  return is_plain ? filled("EXPR_FETCH(&%1, &%2)", {to, from}) : filled("%1 = %2;", {to, from});
}

// `step` of something at a time, from `from` to `last`, in a ring of stages of `size` numbers: `fetch` takes what
// begins at `next` to `to`, `work` has what begins at `at_stage` in `stage`.
Lines staged(int stages, int size, const std::string& from, const std::string& last, const std::string& step,
             const Lines& fetch, const Lines& work) {
  const auto arrives = [&](const std::string& at, const std::string& turn) {
    Lines lines = {filled("{ const int next = %1; __local double* const to = area + %2 * %3;", {at, turn, size}),
                   filled("if (next < %1) {", {last})};
    add_lines(lines, fetch, "    ");
    lines.push_back("} EXPR_FETCH_ENDS }");
    return lines;
  };
  Lines lines = {filled("for (int k = 0; k < %1; ++k)", {stages - 1})};
  add_lines(lines, arrives(filled("%1 + k * %2", {from, step}), "k"), "    ");
  lines.push_back(
      filled("for (int at_stage = %1, turn = 0; at_stage < %2; at_stage += %3, turn = turn == %4 ? 0 : turn + 1) {",
             {from, last, step, stages - 1}));
  add_lines(lines, {filled("    EXPR_FETCHED(%1)", {stages - 2}), "    barrier(CLK_LOCAL_MEM_FENCE);"});
  add_lines(
      lines,
      arrives(filled("at_stage + %1 * %2", {stages - 1, step}), filled("(turn == 0 ? %1 : turn - 1)", {stages - 1})),
      "    ");
  lines.push_back(filled("    __local const double* const stage = area + turn * %1;", {size}));
  add_lines(lines, work, "    ");
  add_lines(lines, {"}", "barrier(CLK_LOCAL_MEM_FENCE);"});
  return lines;
}

// Score `k` of a row and a point of the launch: those of 64 rows lie together, since places far apart are slow to find.
std::string score_at(const Writer& w, const std::string& k, const std::string& row, const std::string& point) {
  return filled("scores[(((nmath_i64)(%2) / %4 * %5 + %1) * many + %3) * %4 + (%2) % %4]",
                {k, row, point, kScoreRows, w.terms.size()});
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
               {kRowsOfWarp, kWarps * kRowsOfWarp}),
        "const int stride = height + 4, depth = 2 * sides;  // of a stage's columns; how many there are",
        "const int together = 8 * sides, tiles = (many + together - 1) / together, coefficients = together * (depth + "
        "4);",
        "const int first_here = first_point + (int)get_group_id(0) % tiles * together;",
        "const int here = last_point - first_here < together ? last_point - first_here : together;",
        "const int point = first_here + (of_point < here ? of_point : here - 1);",
        "__global const double* row = points + (nmath_i64)point * numbers;"};
    add_lines(lines, flag_lines("int %1_of_rows = 0;", words));
    add_lines(lines, point_offsets(w));
    add_lines(lines, w.scalar_lines);
    add_lines(lines, point_inputs(w));
    add_lines(lines, w.point_lines);
    for (std::size_t k = 0; k < w.results.size(); ++k)
      lines.push_back(filled("__local double* const value_%1 = area + %2;",
                             {k, kScoreStages * kStage + static_cast<int>(k) * value_chains(w)}));
    int before = before_row_values(w);
    for (const Declared& one : of_row) {
      lines.push_back(
          filled("__local %1* const q_%2 = (__local %1*)(__local void*)(area + %3);", {one.type, one.name, before}));
      before += kScoringRows;
    }
    return lines;
  }

  // Rows lie in the order in which a warp reads them. Beyond the last one, and behind the last column, there is 0.
  Lines fetch(const ProductAt& product, const std::string& width) const {
    const std::string coefficient = product_coefficient(product, "(next + j)");
    Lines lines = {
        "{ const int r = item & height - 1, place = (r & ~7) + (r & 3) * 2 + (r >> 2 & 1);",
        filled("for (int j = item / height; j < depth; j += %1 / height)", {kScoringItems}),
        filled("    if (r < count && next + j < %1) {", {width}),
        filled("        %1 %2", {joined(row_lines(w, product), " "),
                                 fetched(product.matrix_type == Type::real, "to[coefficients + j * stride + place]",
                                         product_element(product, "(next + j)"))}),
        "    } else to[coefficients + j * stride + place] = 0.0; }",
        "{ const int j = item & depth - 1;",
        filled("for (int t = item / depth; t < together; t += %1 / depth) {", {kScoringItems}),
        "    __local double* const place = to + t * (depth + 4) + j;",
        "    __global const double* const own = points + (nmath_i64)(first_here + (t < here ? t : here - "
        "1)) * numbers;"};
    add_lines(lines, pointers_of_point(w, {coefficient}, "0"), "    ");
    add_lines(lines, {filled("    if (next + j < %1) %2",
                             {width, fetched(product.coefficient_type == Type::real, "place[0]", coefficient)}),
                      "    else place[0] = 0.0;", "} }"});
    return lines;
  }

  // The predictors of the lane's rows, eta_of_t[2 * b + later].
  Lines predictor(std::size_t t) const {
    const ProductAt& product = w.terms[t].product;
    const std::string width = point_width(w, t);
    const Lines ends_range = {
        "NMATH_STRAIGHT",
        filled("for (int b = 0; b < %2; ++b) { eta_of_%1[b] += both[b]; both[b] = 0.0; }", {t, 2 * kEights})};
    Lines work = {"__local const double *const a = stage + of_point * (depth + 4) + q;",
                  "__local const double *const x = stage + coefficients + q * stride + first_row + h;", "NMATH_LOOP",
                  filled("for (int k = 0; k < depth && at_stage + k < %1; k += 4) {", {width}),
                  "    if (at_stage + k == range_ends) {"};
    add_lines(work, ends_range, "        ");
    add_lines(
        work,
        {"        range_ends += range;", "    }", "    const double coefficient = a[k];", "    NMATH_STRAIGHT",
         filled("    for (int b = 0; b < %1; ++b) EXPR_MULTIPLY(both + 2 * b, coefficient, x[k * stride + 8 * b])",
                {kEights}),
         "}"});
    Lines lines = {
        filled("double eta_of_%1[%2];", {t, 2 * kEights}),
        "{",
        filled("double both[%1];", {2 * kEights}),
        "NMATH_STRAIGHT",
        filled("for (int b = 0; b < %2; ++b) eta_of_%1[b] = both[b] = 0.0;", {t, 2 * kEights}),
        filled("const int range = %1;", {columns_of_range(width, filled("%1", {ranges_of_wide(all_fours(w))}))}),
        "int range_ends = range;"};
    add_lines(lines, staged(kScoreStages, kStage, "0", width, "depth", fetch(product, width), work));
    add_lines(lines, ends_range);
    lines.push_back("}");
    return lines;
  }

  // The lane's rows, two by two: the predictors of the next ones move to the front.
  Lines rows() const {
    const int chain = chain_of_wide(all_fours(w));
    Lines lines, two, chains;
    for (std::size_t k = 0; k < w.results.size(); ++k) {
      lines.push_back(filled("double chain_%1[2] = {0.0, 0.0};", {k}));
      two.push_back(filled("    double value_%1_0 = 0.0, value_%1_1 = 0.0;", {k}));
      add_lines(
          chains,
          {filled("    EXPR_MULTIPLY(chain_%1, 1.0, value_%1_0) EXPR_MULTIPLY(chain_%1, 1.0, value_%1_1)", {k}),
           filled("    if ((8 * b + 8) % %1 == 0) {", {chain}),
           filled("        if (h < 2) value_%1[(first_row + 8 * b) / %2 * together + 8 * side + 2 * q + h] = h == 0 ? "
                  "chain_%1[0] : chain_%1[1];",
                  {k, chain}),
           filled("        chain_%1[0] = chain_%1[1] = 0.0;", {k}), "    }"});
    }
    add_lines(lines, {"NMATH_LOOP", filled("for (int b = 0; b < %1; ++b) {", {kEights})});
    add_lines(lines, two);
    add_lines(lines, {all_are_cheap(w) ? "    NMATH_STRAIGHT" : "    NMATH_LOOP",
                      "    for (int later = 0; later < 2; ++later) {",
                      "        const int r = first_row + 8 * b + q + 4 * later;", "        if (r < count) {",
                      "            " + row_place(w)});
    if (uses_index) lines.push_back("            " + element_line(w));
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      if (product_of(w, t) == t)
        lines.push_back(filled("            const double eta_%1 = later ? eta_of_%1[1] : eta_of_%1[0];", {t}));
    if (!rows_first) add_lines(lines, w.row_lines, "            ");
    for (const Declared& one : of_row)
      lines.push_back(filled("            const %1 %2 = q_%2[r];", {one.type, one.name}));
    add_lines(lines, w.loop_lines, "            ");
    for (std::size_t k = 0; k < w.results.size(); ++k)
      lines.push_back(filled("            if (later) value_%1_1 = %2; else value_%1_0 = %2;", {k, w.results[k]}));
    lines.push_back("            if (of_point < here) {");
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      lines.push_back(
          filled("                %1 = g%2;", {score_at(w, filled("%1", {t}), "i", "(point - first_point)"), t + 1}));
    add_lines(lines, {"            }", "        }", "    }"});
    add_lines(lines, chains);
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      if (product_of(w, t) == t)
        add_lines(lines,
                  {"    NMATH_STRAIGHT",
                   filled("    for (int v = 2; v < %2; ++v) eta_of_%1[v - 2] = eta_of_%1[v];", {t, 2 * kEights})});
    add_lines(lines, {"}", "barrier(CLK_LOCAL_MEM_FENCE);",
                      filled("if (item < here) for (int c = 0; c * %1 < count; ++c) {", {chain})});
    for (std::size_t k = 0; k < w.results.size(); ++k)
      lines.push_back("    " + added_to_parts(filled("a%1_s", {k}), filled("a%1_c", {k}),
                                              filled("value_%1[c * together + item]", {k})));
    lines.push_back("}");
    return lines;
  }

  // The values of a block, at the point whose chains the work-item has added up.
  Lines block_values() const {
    Lines lines = {"if (item < here) {", "    const int point = first_here + item;", "    int needs_general = 0;"};
    for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    int w%1 = 0;", {k}));
    for (std::size_t k = 0; k < w.results.size(); ++k)
      add_lines(lines, {filled("    const double x_%1 = expr_sum_value(expr_sum_of(a%1_s, a%1_c));", {k}),
                        filled("    needs_general |= isnan(x_%1) != 0;", {k}),
                        filled("    all_%2[(nmath_i64)point * all_blocks + first + group] = x_%1;", {k, k + 1})});
    add_lines(lines, raised_flags(words, needs_general), "    ");
    lines.push_back("}");
    return lines;
  }

  Lines block() const {
    Lines lines = {"const int begin = group * block, end = begin + block < len ? begin + block : len;"};
    for (std::size_t k = 0; k < w.results.size(); ++k) lines.push_back(filled("double a%1_s = 0.0, a%1_c = 0.0;", {k}));
    add_lines(lines, {"for (int at = begin; at < end; at += height) {",
                      "    const int count = end - at < height ? end - at : height;"});
    if (rows_first && !w.row_lines.empty()) {
      add_lines(lines, {"    barrier(CLK_LOCAL_MEM_FENCE);", "    if (item < count) {", "        const int r = item;"});
      add_lines(lines, row_value_lines(w, of_row, uses_index, words), "        ");
      add_lines(lines, {"    }", "    barrier(CLK_LOCAL_MEM_FENCE);"});
    }
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      if (product_of(w, t) == t) add_lines(lines, predictor(t), "    ");
    add_lines(lines, rows(), "    ");
    lines.push_back("}");
    add_lines(lines, block_values());
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
Lines panel(const Writer& w, const std::string& result, const std::string& row, bool is_plain, const std::string& x,
            const std::string& width, const std::string& place) {
  constexpr int tiles = kWidePoints / kWideSides / 8, sums = 4 * tiles, at_once = kWideItems / kSumRows;
  const std::string score = score_at(w, result, "(next + r)", "(first_here - first_point + t)"),
                    to_score = filled("to[(%1 + t) * %2 + place]", {kWideColumns, kSumRows});
  const Lines fetch = {
      filled("const int at = next, r = item & %1, place = r ^ (item / %2 & 3) * 4, count = end - next;",
             {kSumRows - 1, kSumRows}),
      filled("for (int j = item / %1; j < %2; j += %3) {", {kSumRows, kWideColumns, at_once}),
      "    const int c = base + j;",
      filled("    if (r < count && c < %1) { %2 %3 }",
             {width, row, fetched(is_plain, filled("to[j * %1 + place]", {kSumRows}), x)}),
      filled("    else to[j * %1 + place] = 0.0;", {kSumRows}),
      "}",
      filled("for (int t = item / %1; t < %2; t += %3)", {kSumRows, kWidePoints, at_once}),
      filled("    if (r < count && t < here) %1", {fetched(true, to_score, score)}),
      filled("    else %1 = 0.0;", {to_score})};
  const Lines work = {
      filled("__local const double* const x = stage + (16 * part + h) * %1 + q;", {kSumRows}),
      filled("__local const double* const score = stage + (%1 + %2 * side + h) * %3 + q;",
             {kWideColumns, 8 * tiles, kSumRows}),
      "NMATH_STRAIGHT",
      filled("for (int from = 0; from < %1; from += %2) {", {kSumRows, chain_of_wide(all_fours(w))}),
      filled("    double chain[%1];", {sums}),
      "    NMATH_STRAIGHT",
      filled("    for (int k = 0; k < %1; ++k) chain[k] = 0.0;", {sums}),
      "    NMATH_STRAIGHT",
      filled("    for (int r = from; r < from + %1; r += 4) {", {chain_of_wide(all_fours(w))}),
      filled("        EXPR_LEAVE_OUT(base + 16 * part >= %1)", {width}),
      "        const int of_rows = r ^ (h & 3) * 4;",
      filled("        const double a = x[of_rows], a8 = x[%1 + of_rows];", {8 * kSumRows}),
      "        NMATH_STRAIGHT",
      filled("        for (int b = 0; b < %1; ++b) EXPR_MULTIPLY_TALL(chain + 4 * b, a, a8, score[%2 * b + of_rows])",
             {tiles, 8 * kSumRows}),
      "    }",
      "    NMATH_STRAIGHT",
      filled("    for (int k = 0; k < %1; ++k) { %2 }", {sums, added_to_parts("s[k]", "lost[k]", "chain[k]")}),
      "}"};
  Lines lines = {filled("double s[%1], lost[%1];", {sums}), "NMATH_STRAIGHT",
                 filled("for (int k = 0; k < %1; ++k) s[k] = lost[k] = 0.0;", {sums})};
  add_lines(lines, staged(kSumStages, kSumStage, "begin", "end", filled("%1", {kSumRows}), fetch, work));
  add_lines(lines,
            {"NMATH_STRAIGHT", filled("for (int k = 0; k < %1; ++k) {", {sums}),
             filled("    const int c = base + 16 * part + h + 8 * (k >> 1 & 1), t = %1 * side + 8 * (k >> 2) + 2 * "
                    "q + (k & 1);",
                    {8 * tiles}),
             filled("    if (c >= %1 || t >= here) continue;", {width}),
             "    const double x = expr_sum_value(expr_sum_of(s[k], lost[k]));",
             "    const nmath_i64 at_point = (nmath_i64)(first_here + t) * all_blocks + first + group;",
             "    if (isnan(x)) needs_general_at |= 1ul << t;", "    " + place, "}"});
  return lines;
}

}  // namespace

bool wide_at_points(const Writer& w) { return w.tiling && may_be_wide(w) && all_fours(w) > most_matrix_fours(true); }

int wide_numbers(const Writer& w) {
  return std::max(before_row_values(w) + kScoringRows * static_cast<int>(values_of_row(w).size()),
                  kSumStages * kSumStage);
}

Lines wide_scores(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general) {
  const std::vector<Declared> of_row = values_of_row(w);
  const bool rows_first = rows_come_first(w) && (!of_row.empty() || row_values(w).empty());
  const Scores scores = {w, uses_index, words, needs_general, of_row, rows_first};
  return blocks_in_turn(scores.setup(), scores.block(), scores.ends());
}

Lines wide_sums(const Writer& w, std::size_t words, const std::string& needs_general) {
  Lines lines = {
      "EXPR_EXCHANGE",
      filled("const int many = last_point - first_point, tiles = (many + %1) / %2;", {kWidePoints - 1, kWidePoints}),
      filled(
          "const int item = get_local_id(0), q = item & 3, h = item >> 2 & 7, part = item >> 5 & %1, side = item / %2;",
          {kWideColumns / 16 - 1, kWideItems / kWideSides})};
  Lines units;
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    units.push_back(filled("(%1 + %2) / %3", {point_width(w, t), kWideColumns - 1, kWideColumns}));
  add_lines(lines,
            {filled("const int units = %1;", {joined(units, " + ")}), "int unit = get_group_id(0) % units;",
             "const int tile = get_group_id(0) / units % tiles, group = get_group_id(0) / units / tiles;",
             filled("const int first_here = first_point + tile * %1;", {kWidePoints}),
             filled("const int here = last_point - first_here < %1 ? last_point - first_here : %1;", {kWidePoints}),
             "const int begin = group * block, end = begin + block < len ? begin + block : len;",
             "ulong needs_general_at = 0;"});
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const ProductAt& product = w.terms[t].product;
    lines.push_back(filled(t == 0 ? "if (unit < %2) {" : "} else if ((unit -= %1) < %2) {",
                           {t == 0 ? "" : units[t - 1], units[t]}));
    lines.push_back(filled("    const int base = unit * %1;", {kWideColumns}));
    add_lines(lines,
              panel(w, filled("%1", {t}), joined(row_lines(w, product), " "), product.matrix_type == Type::real,
                    product_element(product, "c"), point_width(w, t),
                    filled("all_%1[at_point * (2 * len_%2) + c] = x;",
                           {w.first_term + static_cast<int>(t) + 1, product.columns})),
              "    ");
  }
  add_lines(lines, {"}", "for (int t = 0; t < here; ++t) {", "    if ((needs_general_at >> t & 1) == 0) continue;",
                    "    const int point = first_here + t, needs_general = 1;"});
  for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    int w%1 = 0;", {k}));
  add_lines(lines, raised_flags(words, needs_general), "    ");
  lines.push_back("}");
  return lines;
}

}  // namespace openclPort::expression
