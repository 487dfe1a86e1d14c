// point_matrix -- see point_matrix.h
//
// A group of 512 work-items has 16 points. Each of its 16 warps has one slice of the rows, and eight of the points. In
// a warp of lanes 4 h + q the units multiply 8 x 4 by 4 x 8 numbers (EXPR_MULTIPLY in arithmetic.cl): left operand, row
// h and column q; right operand, row q and column h; result, row h and columns 2 q and 2 q + 1. A result adds four
// products to what it had, one after the other with one rounding each: a chain of term_slices.h, bit for bit.
//
// Three products: linear predictors, points by rows, are coefficients by columns times columns by rows; gradients,
// columns by points, are columns by rows times rows by points, in two halves of four rows; values are ones by rows
// times rows by points. Column n of the linear predictors is row n / 2 + 4 (n % 2) of the slice's eight, so that lane 4
// h + q gets rows q and q + 4 at point h. These are the right operands of the other two products.
//
// Columns lie together in local memory, rows of a slice eight rows and 4 numbers apart, so that few lanes of an operand
// meet in a bank. Where there is room for two tiles, the next one arrives while one is worked on.
#include "expression/point_matrix.h"

#include <algorithm>

#include "base/text.h"
#include "expression/lines.h"
#include "expression/point_slice_parts.h"
#include "expression/points.h"
#include "expression/products.h"
#include "expression/tables.h"
#include "expression/term_slices.h"

namespace openclPort::expression {

namespace {

constexpr int kMatrixSlices = 8;
// Numbers of local memory: what tiles and coefficients may take, of 48 KiB; and what the slices of some sums take.
constexpr int kMatrixRoom = 6100, kMatrixJoined = 2048;
constexpr int kMatrixColumnsAtOnce = kMatrixItems / kChainedRows;  // that are fetched
static_assert(kMatrixColumnsAtOnce == 8, "a tile of columns is fetched at once");

int matrix_stride(const Writer& w, std::size_t t) { return 4 * fours_of(w, t) + 1; }
int matrix_step(const Writer& w, std::size_t t) {
  return kMatrixSlices * matrix_stride(w, t) + 4;
}  // to a slice's next row
int matrix_tiles(const Writer& w, std::size_t t) { return (fours_of(w, t) + 1) / 2; }  // of eight columns

int coefficient_numbers(const Writer& w) {
  int numbers = 0;
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    if (product_of(w, t) == t) numbers += kMatrixPoints * 4 * fours_of(w, t);
  return numbers;
}

int matrices_numbers(const Writer& w) {
  int numbers = 0;
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    if (matrix_of(w, t) == t) numbers += kChainedRows / kMatrixSlices * matrix_step(w, t);
  return numbers;
}

struct Matrix {
  const Writer& w;
  const bool uses_index;
  const std::size_t words;
  const std::string& needs_general;
  std::vector<Declared> of_row;
  bool rows_first;
  int tile, tiles;

  Matrix(const Writer& w_, bool uses_index_, std::size_t words_, const std::string& needs_general_)
      : w(w_), uses_index(uses_index_), words(words_), needs_general(needs_general_), of_row(row_values(w_)) {
    rows_first = rows_come_first(w);
    const auto numbers = [&] { return matrices_numbers(w) + kChainedRows * static_cast<int>(of_row.size()); };
    if (numbers() + coefficient_numbers(w) > kMatrixRoom) {
      of_row.clear();
      rows_first = false;
    }
    tile = numbers();
    tiles = std::max(2 * tile, kMatrixJoined) + coefficient_numbers(w) <= kMatrixRoom ? 2 : 1;
  }

  // Tiles, or what is joined, then coefficients.
  int before_coefficients() const { return std::max(tiles * tile, kMatrixJoined); }
  int numbers() const { return before_coefficients() + coefficient_numbers(w); }

  // Pointers to the matrices and row values of tile `at` (C text).
  Lines parts_of_tile(const std::string& at) const {
    Lines lines;
    int before = 0;
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (matrix_of(w, t) != t) continue;
      lines.push_back(filled("__local double* const x_%1 = area + %2 * %3 + %4;", {t, at, tile, before}));
      before += kChainedRows / kMatrixSlices * matrix_step(w, t);
    }
    for (const Declared& one : of_row) {
      lines.push_back(filled("__local %1* const q_%2 = (__local %1*)(__local void*)(area + %3 * %4 + %5);",
                             {one.type, one.name, at, tile, before}));
      before += kChainedRows;
    }
    return lines;
  }

  Lines setup() const {
    Lines lines = {
        "EXPR_EXCHANGE",
        "const int many = last_point - first_point;",
        "const int item = get_local_id(0), q = item & 3, h = item >> 2 & 7, side = item >> 5 & 1, slice = item >> 6;",
        filled("const int own = 8 * side + h, tiles = (many + %1) / %2;", {kMatrixPoints - 1, kMatrixPoints}),
        filled("const int first_here = first_point + (int)get_group_id(0) % tiles * %1;", {kMatrixPoints}),
        filled("const int here = last_point - first_here < %1 ? last_point - first_here : %1;", {kMatrixPoints}),
        "const int point = first_here + (own < here ? own : here - 1);",
        "__global const double* row = points + (nmath_i64)point * numbers;",
    };
    lines.push_back("const int to_point = item & 15, number = item >> 4;  // of a result");
    lines.push_back("int needs_general_of_sums = 0;");
    add_lines(lines, flag_lines("int %1_of_rows = 0;", words));
    add_lines(lines, point_offsets(w));
    add_lines(lines, w.scalar_lines);
    add_lines(lines, point_inputs(w));
    add_lines(lines, w.point_lines);
    int before = before_coefficients();
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (product_of(w, t) != t) continue;
      const int fours = fours_of(w, t);
      lines.push_back(filled("__local double* const coef_%1 = area + %2 + side * %3 + 4 * h + q;",
                             {t, before, kMatrixPoints / 2 * 4 * fours}));
      lines.push_back(
          filled("if (slice == 0) for (int k = 0; k < %1; ++k) { const int j = 4 * k + q; coef_%2[%3 * k] = own "
                 "< here && j < %4 ? %5 : 0.0; }",
                 {fours, t, kMatrixPoints / 2 * 4, point_width(w, t), product_coefficient(w.terms[t].product, "j")}));
      before += kMatrixPoints * 4 * fours;
    }
    return lines;
  }

  // Rows from `at` on into a tile. Beyond the last row, and behind the last column, there is 0.
  Lines fetch() const {
    Lines lines = {filled("const int count = end - at < %1 ? end - at : %1;", {kChainedRows}),
                   filled("const int r = item & %1;", {kChainedRows - 1})};
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (matrix_of(w, t) != t) continue;
      const ProductAt& product = w.terms[t].product;
      const std::string element = product_element(product, "j");
      const bool plain = product.matrix_type == Type::real;
      add_lines(lines, {filled("{ __local double* const to = x_%1 + (r >> 3) * %2 + (r & 7) * %3;",
                               {t, matrix_step(w, t), matrix_stride(w, t)}),
                        "if (r < count) {", "    " + joined(row_lines(w, product), " "), "    NMATH_STRAIGHT",
                        filled("    for (int k = 0; k < %1; ++k) {", {matrix_tiles(w, t)}),
                        filled("        const int j = item / %1 + %2 * k;", {kChainedRows, kMatrixColumnsAtOnce}),
                        filled("        if (j < %1) %2",
                               {point_width(w, t), plain ? filled("EXPR_FETCH(to + j, &%1)", {element})
                                                         : filled("to[j] = %1;", {element})}),
                        "    }",
                        filled("} else for (int j = item / %1; j < %2; j += %3) to[j] = 0.0;",
                               {kChainedRows, point_width(w, t), kMatrixColumnsAtOnce}),
                        "}"});
    }
    if (!rows_first || w.row_lines.empty()) return lines;
    lines.push_back("if (item < count) {");
    add_lines(lines, row_value_lines(w, of_row, uses_index, words, true), "    ");
    lines.push_back("}");
    return lines;
  }

  Lines predictors() const {
    Lines lines;
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (product_of(w, t) != t) continue;
      const std::size_t m = matrix_of(w, t);
      const int ranges = ranges_of_slices(w.terms.size(), all_fours(w));
      const int fours_of_range = (fours_of(w, t) + ranges - 1) / ranges;
      add_lines(
          lines,
          {filled("double both_%1[2] = {0.0, 0.0};", {t}),
           filled("{ __local const double* const from = x_%1 + ((h >> 1) + 4 * (h & 1)) * %2 + slice * %3 + q;",
                  {m, matrix_step(w, m), matrix_stride(w, m)}),
           "NMATH_STRAIGHT", filled("for (int begin = 0; begin < %1; begin += %2) {", {fours_of(w, t), fours_of_range}),
           "    double of_range[2] = {0.0, 0.0};", "    NMATH_STRAIGHT",
           filled("    for (int k = begin; k < begin + %1 && k < %2; ++k) EXPR_MULTIPLY(of_range, coef_%3[%4 * k], "
                  "from[4 * k])",
                  {fours_of_range, fours_of(w, t), t, kMatrixPoints / 2 * 4}),
           filled("    both_%1[0] += of_range[0]; both_%1[1] += of_range[1];", {t}), "}", "}"});
    }
    return lines;
  }

  // The lane's two rows: their values and scores.
  Lines rows() const {
    Lines names, keep;
    const auto kept = [&](const std::string& name, const std::string& text) {
      names.push_back(filled("double %1_0 = 0.0, %1_1 = 0.0;", {name}));
      keep.push_back(filled("if (later) %1_1 = %2; else %1_0 = %2;", {name, text}));
    };
    for (std::size_t k = 0; k < w.results.size(); ++k) kept(filled("value_%1", {k + 1}), w.results[k]);
    for (std::size_t t = 0; t < w.terms.size(); ++t) kept(filled("score_%1", {t}), filled("g%1", {t + 1}));
    Lines lines = names;
    add_lines(lines,
              {all_are_cheap(w) ? "NMATH_STRAIGHT" : "NMATH_LOOP", "for (int later = 0; later < 2; ++later) {",
               "    const int r = slice + 8 * (q + 4 * later);", "    if (r < count) {", "        " + row_place(w)});
    if (uses_index) lines.push_back("        " + element_line(w));
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      if (product_of(w, t) == t)
        lines.push_back(filled("        const double eta_%1 = later ? both_%1[1] : both_%1[0];", {t}));
    if (!rows_first) add_lines(lines, w.row_lines, "        ");
    for (const Declared& one : of_row) lines.push_back(filled("        const %1 %2 = q_%2[r];", {one.type, one.name}));
    add_lines(lines, w.loop_lines, "        ");
    add_lines(lines, keep, "        ");
    add_lines(lines, {"    }", "}", "EXPR_MEET"});
    return lines;
  }

  Lines chains() const {
    Lines lines;
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      add_lines(lines, {"{ double both[2] = {0.0, 0.0};",
                        filled("EXPR_MULTIPLY(both, 1.0, value_%1_0) EXPR_MULTIPLY(both, 1.0, value_%1_1)", {k}),
                        "const double one = h & 1 ? both[1] : both[0];",
                        added_to_parts(filled("a%1_s", {k}), filled("a%1_c", {k}), "one"), "}"});
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      const std::size_t m = matrix_of(w, t);
      const int last = 4 * fours_of(w, t);
      const auto column = [&](const char* a8) {
        return filled("x_%1 + q * %2 + slice * %3 + (%4 < %5 ? %4 : 0)",
                      {m, matrix_step(w, m), matrix_stride(w, m), a8, last});
      };
      add_lines(lines,
                {"NMATH_STRAIGHT", filled("for (int a = 0; a < %1; a += 2) {", {matrix_tiles(w, t) / 2 * 2}),
                 filled("    __local const double *const from = %1, *const from8 = %2;",
                        {column("8 * a + h"), column("8 * a + 8 + h")}),
                 "    double both[4] = {0.0, 0.0, 0.0, 0.0};",
                 filled("    EXPR_MULTIPLY_TALL(both, from[0], from8[0], score_%1_0)", {t}),
                 filled("    EXPR_MULTIPLY_TALL(both, from[%2], from8[%2], score_%1_1)", {t, 4 * matrix_step(w, m)}),
                 "    NMATH_STRAIGHT",
                 "    for (int k = 0; k < 4; ++k) " +
                     added_to_parts(filled("sum_%1[2 * a + k]", {t}), filled("lost_%1[2 * a + k]", {t}), "both[k]"),
                 "}"});
      if (matrix_tiles(w, t) % 2 == 0) continue;
      add_lines(lines, {filled("{ const int a = %1;", {matrix_tiles(w, t) - 1}),
                        filled("    __local const double* const from = %1;", {column("8 * a + h")}),
                        "    double both[2] = {0.0, 0.0};",
                        filled("    EXPR_MULTIPLY(both, from[0], score_%1_0) EXPR_MULTIPLY(both, from[%2], score_%1_1)",
                               {t, 4 * matrix_step(w, m)}),
                        "    " + added_to_parts(filled("sum_%1[2 * a]", {t}), filled("lost_%1[2 * a]", {t}), "both[0]"),
                        "    " + added_to_parts(filled("sum_%1[2 * a + 1]", {t}), filled("lost_%1[2 * a + 1]", {t}),
                                                "both[1]"),
                        "}"});
    }
    return lines;
  }

  // The slices' parts, `part` numbers apart, as result `x` of a point, which goes to `place`.
  Lines joined_slices(const std::string& test, const std::string& part, int parts, const std::string& place) const {
    Lines lines = {
        filled("if (%1) {", {test}),
        filled("    __local const double* const part = area + %1;", {part}),
        filled("    expr_sum a = expr_sum_of(part[0], part[%1]);", {parts}),
        filled("    for (int m = 1; m < %1; ++m) { a = expr_sum_add(a, part[m * %2]); a.c += part[m * %2 + %3]; }",
               {kMatrixSlices, parts / kMatrixSlices, parts}),
        "    const double x = expr_sum_value(a);",
        "    needs_general_of_sums |= isnan(x) != 0;",
        "    const nmath_i64 at_point = (nmath_i64)(first_here + to_point) * all_blocks + first + group;",
        "    " + place,
        "}"};
    return lines;
  }

  Lines join() const {
    const int of_value = kMatrixSlices * kMatrixPoints;
    Lines lines = {"barrier(CLK_LOCAL_MEM_FENCE);", "if (h < 2) {",
                   "    const int of = slice * 16 + 8 * side + 2 * q + h;"};
    for (std::size_t k = 0; k < w.results.size(); ++k)
      lines.push_back(filled(
          "    area[%1 + of] = a%3_s; area[%2 + of] = a%3_c;",
          {2 * k * static_cast<std::size_t>(of_value), (2 * k + 1) * static_cast<std::size_t>(of_value), k + 1}));
    add_lines(lines, {"}", "barrier(CLK_LOCAL_MEM_FENCE);"});
    for (std::size_t k = 0; k < w.results.size(); ++k)
      add_lines(lines, joined_slices(filled("number == %1 && to_point < here", {k}),
                                     filled("%1 + to_point", {2 * k * static_cast<std::size_t>(of_value)}), of_value,
                                     filled("all_%1[at_point] = x;", {k + 1})));
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      add_lines(lines, {"NMATH_STRAIGHT", filled("for (int a = 0; a < %1; ++a) {", {matrix_tiles(w, t)}),
                        "    barrier(CLK_LOCAL_MEM_FENCE);", "    for (int b = 0; b < 2; ++b) {",
                        "        const int of = slice * 128 + 16 * h + 8 * side + 2 * q + b;",
                        filled("        area[of] = sum_%1[2 * a + b]; area[1024 + of] = lost_%1[2 * a + b];", {t}),
                        "    }", "    barrier(CLK_LOCAL_MEM_FENCE);", "    const int column = 8 * a + number;"});
      add_lines(lines,
                joined_slices(filled("number < 8 && to_point < here && column < %1", {point_width(w, t)}), "item", 1024,
                              filled("all_%1[at_point * (2 * len_%2) + column] = x;",
                                     {w.first_term + static_cast<int>(t) + 1, w.terms[t].product.columns})),
                "    ");
      lines.push_back("}");
    }
    lines.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
    return lines;
  }

  Lines fetched(const std::string& tile_number, const std::string& from) const {
    Lines lines = {"{"};
    add_lines(lines, parts_of_tile(tile_number), "    ");
    lines.push_back(filled("    const int next = %1; { const int at = next;", {from}));
    add_lines(lines, fetch(), "        ");
    add_lines(lines, {"    }", "}"});
    return lines;
  }

  Lines block() const {
    Lines lines = {"const int begin = group * block, end = begin + block < len ? begin + block : len;"};
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      lines.push_back(filled("double a%1_s = 0.0, a%1_c = 0.0;", {k}));
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      lines.push_back(filled("double sum_%1[%2], lost_%1[%2];", {t, 2 * matrix_tiles(w, t)}));
      lines.push_back("NMATH_STRAIGHT");
      lines.push_back(
          filled("for (int a = 0; a < %2; ++a) sum_%1[a] = lost_%1[a] = 0.0;", {t, 2 * matrix_tiles(w, t)}));
    }
    lines.push_back(filled("for (int k = item; k < %1; k += %2) area[k] = 0.0;", {tiles * tile, kMatrixItems}));
    lines.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
    if (tiles == 2) {
      add_lines(lines, fetched("0", "begin"));
      lines.push_back("EXPR_FETCH_ENDS");
    }
    lines.push_back(filled("for (int at = begin, turn = 0; at < end; at += %1, turn ^= 1) {", {kChainedRows}));
    Lines body = {filled("const int count = end - at < %1 ? end - at : %1;", {kChainedRows})};
    if (tiles == 2) {
      body.push_back(filled("if (at + %1 < end) {", {kChainedRows}));
      add_lines(body, fetched("(turn ^ 1)", filled("at + %1", {kChainedRows})), "    ");
      add_lines(body, {"    EXPR_FETCH_ENDS", "    EXPR_FETCHED(1)", "} else {", "    EXPR_FETCHED(0)", "}"});
    } else {
      add_lines(body, fetched("0", "at"));
      add_lines(body, {"EXPR_FETCH_ENDS", "EXPR_FETCHED(0)"});
    }
    body.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
    add_lines(body, parts_of_tile(tiles == 2 ? "turn" : "0"));
    add_lines(body, predictors());
    add_lines(body, rows());
    add_lines(body, chains());
    body.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
    add_lines(lines, body, "    ");
    lines.push_back("}");
    add_lines(lines, join());
    return lines;
  }

  Lines ends() const {
    Lines lines = {"if (own < here) {"};
    add_lines(lines, raised_flags(words, needs_general), "    ");
    lines.push_back("}");
    if (!needs_general.empty()) {
      lines.push_back("if (needs_general_of_sums) {");
      lines.push_back("    const int point = first_here + to_point, needs_general = 1;");
      for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    int w%1 = 0;", {k}));
      add_lines(lines, raised_flags(words, needs_general), "    ");
      lines.push_back("}");
    }
    if (rows_first) add_lines(lines, raised_flags_of_rows(w, words, needs_general));
    return lines;
  }
};

}  // namespace

bool matrix_at_points(const Writer& w) {
  return w.tiling && may_have_slices(w) && all_fours(w) > kFewFours &&
         all_fours(w) <= most_matrix_fours(may_be_wide(w));
}

std::vector<int> matrix_fours(const Writer& w) {
  std::vector<int> fours;
  for (std::size_t t = 0; matrix_at_points(w) && t < w.terms.size(); ++t) fours.push_back(fours_of(w, t));
  return fours;
}

int matrix_numbers(const Writer& w) { return Matrix(w, false, 0, "").numbers(); }

Lines matrix_points(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general) {
  const Matrix matrix(w, uses_index, words, needs_general);
  return blocks_in_turn(matrix.setup(), matrix.block(), matrix.ends());
}

}  // namespace openclPort::expression
