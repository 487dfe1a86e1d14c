// point_tiles -- see point_tiles.h
#include "expression/point_tiles.h"

#include <algorithm>

#include "base/text.h"
#include "expression/lines.h"
#include "expression/point_matrix.h"
#include "expression/point_names.h"
#include "expression/point_products.h"
#include "expression/point_slices.h"
#include "expression/point_terms.h"
#include "expression/point_wide.h"
#include "expression/points.h"
#include "expression/products.h"

namespace openclPort::expression {

namespace {

const char* const kEachPoint = "EXPR_EACH_POINT {";

// Sums that the work-items of a group add at a time: as many as take 24 KiB of local memory, of which every device
// has 32.
std::size_t sums_together(const Writer& w) {
  return w.terms.empty() ? std::min<std::size_t>(std::max<std::size_t>(w.results.size(), 1), 3) : 1;
}

struct Tile {
  Writer& w;
  const bool uses_index;
  const std::size_t words;
  const std::string& needs_general;
  std::vector<Declared> of_point;  // what rows read of it
  std::vector<Declared> of_row;    // what points read of it

  Tile(Writer& w_, bool uses_index_, std::size_t words_, const std::string& needs_general_)
      : w(w_), uses_index(uses_index_), words(words_), needs_general(needs_general_) {
    of_point = inputs_of_point(w, w.loop_lines);
    const std::vector<Declared> more = handed_on(w.point_lines, w.loop_lines);
    of_point.insert(of_point.end(), more.begin(), more.end());
    of_row = handed_on(w.row_lines, w.loop_lines);
  }

  // `flags` of one point beside those of all.
  Lines flag_lines(const char* pattern) const {
    Lines lines = {filled(pattern, {"needs_general", "all_need_general"})};
    for (std::size_t k = 0; k < words; ++k) lines.push_back(filled(pattern, {filled("w%1", {k}), filled("w%1s", {k})}));
    return lines;
  }

  // What a point has once is computed by one work-item of a group, and read by all.
  Lines setup() const {
    Lines lines = {"const int many = last_point - first_point, tiles = (many + EXPR_POINTS - 1) / EXPR_POINTS;",
                   "const int item = get_local_id(0), items = get_local_size(0);",
                   "const int first_here = first_point + (int)get_group_id(0) % tiles * EXPR_POINTS;",
                   "const int here = last_point - first_here < EXPR_POINTS ? last_point - first_here : EXPR_POINTS;",
                   "__global const double* own = points + (nmath_i64)first_here * numbers;"};
    add_lines(lines, point_offsets(w));
    add_lines(lines, w.scalar_lines);
    add_lines(lines, flag_lines("int %2[EXPR_POINTS];"));
    for (const Declared& one : of_point) lines.push_back(filled("%1 p_%2[EXPR_POINTS];", {one.type, one.name}));
    lines.push_back("#ifndef EXPR_ALONE");
    add_lines(lines, flag_lines("__local int l_%2[EXPR_POINTS];"));
    for (const Declared& one : of_point)
      lines.push_back(filled("__local %1 l_p_%2[EXPR_POINTS];", {one.type, one.name}));
    add_lines(lines, {"#endif", "EXPR_OWN_POINTS {"});
    add_lines(lines, numbers_of_point(w), "    ");
    add_lines(lines, flag_lines("int %1 = 0;"), "    ");
    add_lines(lines, w.point_lines, "    ");
    add_lines(lines, flag_lines("EXPR_OWN_POINT(%2)[t] = %1;"), "    ");
    for (const Declared& one : of_point) lines.push_back(filled("    EXPR_OWN_POINT(p_%1)[t] = %1;", {one.name}));
    add_lines(lines, {"}", "#ifndef EXPR_ALONE", "barrier(CLK_LOCAL_MEM_FENCE);", kEachPoint});
    add_lines(lines, flag_lines("%2[t] = l_%2[t];"), "    ");
    for (const Declared& one : of_point) lines.push_back(filled("    p_%1[t] = l_p_%1[t];", {one.name}));
    add_lines(lines, {"}", "#endif"});
    if (w.terms.empty() && !w.tiles.empty()) {
      lines.push_back("#ifndef EXPR_ALONE");
      add_lines(lines, local_coefficients(w));
      lines.push_back("#endif");
    }
    return lines;
  }

  // A group has some blocks of rows, one after the other: what depends on its points alone is computed once for all of
  // them.
  Lines blocks() const {
    const bool groups = adds_by_groups(w);
    Lines lines = {filled("for (int group = get_group_id(0) / tiles; %1; group += get_num_groups(0) / tiles) {",
                          {groups ? "group < blocks" : "(nmath_i64)group * block < len"}),
                   groups ? "    const int begin = (int)starts[first + group], end = (int)starts[first + group + 1];"
                          : "    const int begin = group * block, end = begin + block < len ? begin + block : len;"};
    for (std::size_t k = 1; k <= w.types.size(); ++k)
      lines.push_back(filled("    expr_points a%1_s = EXPR_ZERO, a%1_c = EXPR_ZERO;", {k}));
    Lines inside = rows();
    if (groups)  // AT() reads position p
      for (std::string& line : inside) line = with_word_replaced(line, "i", "p");
    add_lines(lines, inside, "    ");
    add_lines(lines, ends(), "    ");
    lines.push_back("}");
    return lines;
  }

  Lines loaded() const {
    Lines lines;
    for (const Declared& one : of_point) lines.push_back(filled("const %1 %2 = p_%2[t];", {one.type, one.name}));
    add_lines(lines, pointers_of_point(w, w.loop_lines, "EXPR_ROW(t)"));
    add_lines(lines, point_elements(w, "(first_here + (t < here ? t : here - 1))"));
    return lines;
  }

  Lines value_names() const {
    Lines names;
    for (std::size_t k = 1; k <= w.results.size(); ++k) names.push_back(filled("y%1", {k}));
    return names;
  }

  // A row at all points of the tile. `score`: where its scores go, with %1 for the term; "": to the parts of a group.
  Lines row_at_points(const char* score) const {
    const bool shared = !w.terms.empty() && score[0] == '\0';
    Lines lines = {"expr_points " + joined(value_names(), ", ") + ";", kEachPoint};
    if (shared) lines.push_back(filled("    __local double* part = area + t * %1 * items;", {w.terms.size()}));
    add_lines(lines, loaded(), "    ");
    add_lines(lines, flag_lines("int %1 = 0;"), "    ");
    add_lines(lines, w.loop_lines, "    ");
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      lines.push_back(filled("    EXPR_AT(y%1, t) = %2;", {k, w.results[k - 1]}));
    for (std::size_t t = 1; t <= w.terms.size(); ++t)
      lines.push_back(shared ? filled("    part[%1 * items + item] = g%2;", {t - 1, t})
                             : filled("    EXPR_AT(%1, t) = g%2;", {filled(score, {t}), t}));
    add_lines(lines, flag_lines("%2[t] |= %1;"), "    ");
    lines.push_back("}");
    if (shared) lines.push_back("if (chunk == 0) {");
    for (std::size_t k = 1; k <= w.results.size(); ++k) lines.push_back(filled("EXPR_ADD(a%1_s, a%1_c, y%1)", {k}));
    if (shared) lines.push_back("}");
    return lines;
  }

  Lines row_head() const {
    Lines lines;
    if (uses_index) lines.push_back(element_line(w));
    add_lines(lines, w.row_lines);
    return lines;
  }

  // On the host, of straight code: 64 rows at each point, then all points add one row after the other.
  Lines straight_rows() const {
    Lines lines = {"for (int at = begin; at < end; at += 64) {",
                   "    const int count = end - at < 64 ? end - at : 64;"};
    for (const std::string& name : value_names()) lines.push_back("    expr_points " + name + "[64];");
    for (const Declared& one : of_row) lines.push_back(filled("    %1 q_%2[64];", {one.type, one.name}));
    lines.push_back("    for (int j = 0; j < count; ++j) {");
    lines.push_back("        const int i = at + j;");
    add_lines(lines, row_head(), "        ");
    for (const Declared& one : of_row) lines.push_back(filled("        q_%1[j] = %1;", {one.name}));
    lines.push_back("    }");
    lines.push_back("    for (int t = 0; t < here; ++t) {");
    add_lines(lines, loaded(), "        ");
    add_lines(lines, flag_lines("int %1 = 0;"), "        ");
    lines.push_back("        for (int j = 0; j < count; ++j) {");
    lines.push_back("            const int i = at + j;");
    if (uses_index) lines.push_back("            " + element_line(w));
    for (const Declared& one : of_row)
      lines.push_back(filled("            const %1 %2 = q_%2[j];", {one.type, one.name}));
    add_lines(lines, w.loop_lines, "            ");
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      lines.push_back(filled("            EXPR_AT(y%1[j], t) = %2;", {k, w.results[k - 1]}));
    lines.push_back("        }");
    add_lines(lines, flag_lines("%2[t] |= %1;"), "        ");
    lines.push_back("    }");
    lines.push_back("    for (int t = here; t < EXPR_POINTS; ++t)");
    lines.push_back("        for (int j = 0; j < count; ++j) {");
    for (const std::string& name : value_names())
      lines.push_back(filled("            EXPR_AT(%1[j], t) = 0.0;", {name}));
    lines.push_back("        }");
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      lines.push_back(filled("    for (int j = 0; j < count; ++j) EXPR_ADD(a%1_s, a%1_c, y%1[j])", {k}));
    lines.push_back("}");
    return lines;
  }

  Lines side_by_side() const {
    Lines lines = {"for (int i = begin + item; i < end; i += items) {"};
    if (uses_index) lines.push_back("    " + element_line(w));
    for (std::size_t k = 1; k <= w.tiles.size(); ++k) add_lines(lines, product_of_row(w, k), "    ");
    add_lines(lines, w.row_lines, "    ");
    add_lines(lines, row_at_points(""), "    ");
    lines.push_back("}");
    return lines;
  }

  Lines products() const {
    Lines lines;
    for (std::size_t k = 1; k <= w.tiles.size(); ++k) {
      const ProductAt& product = w.tiles[k - 1];
      add_lines(lines, {filled("for (int r = 0; r < count; ++r) tile_%1[r] = EXPR_ZERO;", {k}),
                        filled("for (nmath_i64 j = 0; j < len_%1; ++j) {", {product.columns}), "    expr_points b;",
                        filled("    EXPR_EACH_POINT EXPR_AT(b, t) = %1;", {point_coefficient(w, product)}),
                        filled("    for (int r = 0; r < count; ++r) { %1 tile_%2[r] += EXPR_SPLAT(%3) * b; }",
                               {joined(row_lines(w, product), " "), k, product_element(product, "j")}),
                        "}"});
    }
    return lines;
  }

  std::string sums_of_point(std::size_t t, const char* point) const {
    return filled("all_%1 + (((nmath_i64)first_here + %2) * all_blocks + first + group) * (2 * len_%3)",
                  {w.first_term + static_cast<int>(t) + 1, point, w.terms[t].product.columns});
  }

  // The sums of a column at all points of the tile, which lie in the output until the block is done.
  Lines term_of_tile(std::size_t t) const {
    const WrittenTerm& term = w.terms[t];
    const int columns = term.product.columns;
    const std::string row = joined(row_lines(w, term.product), " "), x = product_element(term.product, "c");
    const std::string to = sums_of_point(t, "(t < here ? t : here - 1)");
    return {filled("for (nmath_i64 c = 0; c < len_%1; ++c) {", {columns}),
            "    expr_points a_s, a_c;",
            filled("    EXPR_EACH_POINT { __global double* to = %1 + c; EXPR_AT(a_s, t) = to[0]; EXPR_AT(a_c, t) = "
                   "to[len_%2]; }",
                   {to, columns}),
            "    const int full = count - count % EXPR_LANES;",
            "    for (int k = 0; k < EXPR_LANES; ++k) {",
            "        expr_points s = EXPR_ZERO, e = EXPR_ZERO;",
            "        for (int r = k; r < full; r += EXPR_LANES) {",
            filled("            %1 const expr_points x = EXPR_SPLAT(%2) * score_%3[r];", {row, x, t + 1}),
            "            EXPR_ADD(s, e, x)",
            "        }",
            "        EXPR_ADD(a_s, a_c, s)",
            "        a_c += e;",
            "    }",
            "    for (int r = full; r < count; ++r) {",
            filled("        %1 const expr_points x = EXPR_SPLAT(%2) * score_%3[r];", {row, x, t + 1}),
            "        EXPR_ADD(a_s, a_c, x)",
            "    }",
            filled("    EXPR_EACH_POINT if (t < here) { __global double* to = %1 + c; to[0] = EXPR_AT(a_s, t); "
                   "to[len_%2] = EXPR_AT(a_c, t); }",
                   {sums_of_point(t, "t"), columns}),
            "}"};
  }

  Lines alone_tiles() const {
    Lines lines;
    for (std::size_t k = 1; k <= w.tiles.size(); ++k) lines.push_back(filled("expr_points tile_%1[EXPR_TILE];", {k}));
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      lines.push_back(filled("expr_points score_%1[EXPR_TILE];", {t + 1}));
      lines.push_back(
          filled("for (int t = 0; t < here; ++t) { __global double* to = %1; for (nmath_i64 c = 0; c < 2 * len_%2; "
                 "++c) to[c] = 0.0; }",
                 {sums_of_point(t, "t"), w.terms[t].product.columns}));
    }
    add_lines(lines, {"for (int at = begin; at < end; at += EXPR_TILE) {",
                      "    const int count = end - at < EXPR_TILE ? end - at : EXPR_TILE;"});
    add_lines(lines, products(), "    ");
    add_lines(lines, {"    for (int r = 0; r < count; ++r) {", "        " + row_place(w)});
    add_lines(lines, row_head(), "        ");
    add_lines(lines, row_at_points("score_%1[r]"), "        ");
    lines.push_back("    }");
    for (std::size_t t = 0; t < w.terms.size(); ++t) add_lines(lines, term_of_tile(t), "    ");
    lines.push_back("}");
    return lines;
  }

  // Of terms a group of work-items has its rows in local memory once for all points.
  Lines shared_terms() const {
    PointTerms of;
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      const int columns = w.terms[t].product.columns, output = w.first_term + static_cast<int>(t) + 1;
      of.coefficients.push_back(point_coefficient(w, w.terms[t].product));
      of.sums_at.push_back(
          filled("__global double* o%1 = all_%1 + (((nmath_i64)first_here + t) * all_blocks + first) * (2 * len_%2);",
                 {output, columns}));
    }
    of.row = row_head();
    add_lines(of.row, row_at_points(""));
    return shared_point_terms(w, of);
  }

  Lines rows() const {
    Lines lines;
    if (w.tiles.empty() && w.terms.empty()) {
      const bool straight = !w.fixed.empty() && !w.called;
      if (straight) {
        lines.push_back("#ifdef NMATH_HOST_TEXT");
        add_lines(lines, straight_rows());
        lines.push_back("#else");
      }
      add_lines(lines, side_by_side());
      if (straight) lines.push_back("#endif");
      return lines;
    }
    lines.push_back("#ifdef EXPR_ALONE");
    add_lines(lines, alone_tiles());
    lines.push_back("#else");
    if (!slices_at_points(w)) add_lines(lines, w.terms.empty() ? side_by_side() : shared_terms());
    lines.push_back("#endif");
    return lines;
  }

  // What a group has of the sums from `first` to before `last` at all points of the tile, added in the order that the
  // kernel of one point has.
  Lines added_sums(std::size_t first, std::size_t last) const {
    Lines lines;
    for (std::size_t k = first; k < last; ++k)
      lines.push_back(
          filled("EXPR_EACH_POINT { const expr_sum a = expr_sum_of(EXPR_AT(a%1_s, t), EXPR_AT(a%1_c, t)); "
                 "all_need_general[t] |= "
                 "isnan(a.s) "
                 "!= 0; part[(%2 * EXPR_POINTS + t) * items + item] = expr_sum_value(a); }",
                 {k + 1, k - first}));
    lines.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
    lines.push_back(filled("expr_add_rows(part, item, items, %1 * EXPR_POINTS);", {last - first}));
    for (std::size_t k = first; k < last; ++k)
      lines.push_back(
          filled("if (item < here) all_%1[((nmath_i64)first_here + item) * all_blocks + first + group] = "
                 "part[(%2 * EXPR_POINTS + item) * items];",
                 {k + 1, k - first}));
    lines.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
    return lines;
  }

  Lines ends() const {
    Lines lines = {"const int needs_general_of_all = needs_general;"};
    for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("const int w%1_of_all = w%1;", {k}));
    lines.push_back("#ifndef EXPR_ALONE");
    const std::size_t together = sums_together(w);
    for (std::size_t k = 0; k < w.results.size(); k += together)
      add_lines(lines, added_sums(k, std::min(k + together, w.results.size())));
    lines.push_back("#endif");
    lines.push_back("EXPR_EACH_POINT if (t < here) {");
    lines.push_back("    const int point = first_here + t;");
    add_lines(lines, point_outputs(w), "    ");
    add_lines(lines, flag_lines("int %1 = %1_of_all | %2[t];"), "    ");
    lines.push_back("#ifdef EXPR_ALONE");
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      lines.push_back(filled("    expr_sum a%1 = expr_sum_of(EXPR_AT(a%1_s, t), EXPR_AT(a%1_c, t));", {k}));
    add_lines(lines, reduction_end(w), "    ");
    if (!w.terms.empty()) add_lines(lines, alone_end(w), "    ");
    lines.push_back("#endif");
    lines.push_back("    if (needs_general) " + needs_general);
    for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    if (w%1) atomic_or(flags + %1, w%1);", {k}));
    lines.push_back("}");
    return lines;
  }
};

}  // namespace

bool fits_point_tiles(const Writer& w) {
  if (w.tables > 0) return false;
  for (const std::string& memory : w.memory)
    if (!memory.empty()) return false;
  for (const WrittenTerm& term : w.terms)
    if (term.skips || !is_plain_row(w, term.product)) return false;
  for (const ProductAt& product : w.tiles)
    if (product.coefficient_type != Type::real) return false;
  return true;
}

int points_alone(const Writer& w) { return w.tiling ? 8 : 1; }
int points_shared(const Writer& w) {
  if (!w.tiling || slices_at_points(w)) return 1;
  return w.terms.empty() ? 4 : points_with_terms(w);
}

Lines tiled_points(Writer& w, bool uses_index, std::size_t words, const std::string& needs_general) {
  w.first_term = static_cast<int>(w.types.size());
  const Tile tile(w, uses_index, words, needs_general);
  Lines lines;
  if (w.terms.empty())
    add_lines(lines, {"#ifndef EXPR_ALONE",
                      filled("    __local double part[%1 * EXPR_POINTS];", {256 * sums_together(w)}), "#endif"});
  const bool slices = slices_at_points(w), matrix = matrix_at_points(w) || wide_at_points(w);
  if (matrix) {
    lines.push_back("#if defined(NMATH_MATRIX_UNITS) && !defined(EXPR_ALONE)");
    add_lines(lines,
              wide_at_points(w) ? wide_scores(w, uses_index, words, needs_general)
                                : matrix_points(w, uses_index, words, needs_general),
              "    ");
    lines.push_back("#else");
  }
  if (slices) lines.push_back("#ifdef EXPR_ALONE");
  add_lines(lines, tile.setup(), "    ");
  add_lines(lines, tile.blocks(), "    ");
  if (slices) {
    lines.push_back("#else");
    add_lines(lines, sliced_points(w, uses_index, words, needs_general), "    ");
    lines.push_back("#endif");
  }
  if (matrix) lines.push_back("#endif");
  return lines;
}

}  // namespace openclPort::expression
