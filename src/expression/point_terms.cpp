// point_terms -- see point_terms.h. The order in which a point's numbers are added is that of shared_rows() in
// reduce.cpp: rows of a tile, columns and slices are cut by the room that a kernel of one point has.
#include "expression/point_terms.h"

#include "base/text.h"
#include "expression/lines.h"
#include "expression/products.h"

namespace openclPort::expression {

namespace {

std::string scores_of(const Writer& w, std::size_t term, const char* row) {
  return filled("part[(t * %1 + %2) * items + %3]", {w.terms.size(), term, row});
}

Lines products(const Writer& w, const PointTerms& of) {
  Lines lines = {"{", "    const int r = item & (height - 1);", "    if (r < count) {"};
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const ProductAt& product = w.terms[t].product;
    const std::string x = product_element(product, "j");
    const std::string add =
        filled("EXPR_EACH_POINT EXPR_AT(v, t) = EXPR_ADD_PRODUCT(EXPR_AT(v, t), x, %1);", {of.coefficients[t]});
    add_lines(
        lines,
        {"{", joined(row_lines(w, product), " "), "expr_points v = EXPR_ZERO;", "if (rows > 0) {",
         filled("    __local double* to = tile + (%1) * (rows + 1) + r;", {widths_before(w, t)}), "    EXPR_FOURS",
         filled("    for (int j = item / height; j < (int)len_%1; j += lanes) {", {product.columns}),
         filled("        const double x = %1;", {x}), "        to[j * (rows + 1)] = x;", "        " + add, "    }",
         "} else {",
         filled("    for (nmath_i64 j = item / height; j < len_%1; j += lanes) { const double x = %2; %3 }",
                {product.columns, x, add}),
         "}", filled("EXPR_EACH_POINT %1 = EXPR_AT(v, t);", {scores_of(w, t, "item")}), "}"},
        "        ");
  }
  add_lines(lines, {"    }", "}", "barrier(CLK_LOCAL_MEM_FENCE);"});
  return lines;
}

Lines added(const Writer& w, std::size_t t) {
  const ProductAt& product = w.terms[t].product;
  const std::string score = scores_of(w, t, "r");
  const char* const add = "expr_points z; EXPR_EACH_POINT EXPR_AT(z, t) = x * %1; EXPR_ADD(a_s, a_c, z)";
  return shared_columns(
      w, t,
      {"expr_points a_s, a_c;",
       "EXPR_EACH_POINT { EXPR_AT(a_s, t) = own[t * taken + k]; EXPR_AT(a_c, t) = own[t * taken + room_of + k]; }",
       "if (rows > 0) {",
       filled("    __local const double* column = tile + (%1 + chunk + c) * (rows + 1);", {widths_before(w, t)}),
       "    EXPR_FOURS",
       filled("    for (int r = slice; r < count; r += slices) { const double x = column[r]; %1 }",
              {filled(add, {score})}),
       "} else {",
       filled("    for (int r = slice; r < count; r += slices) { %1 const double x = %2; %3 }",
              {joined(row_lines(w, product), " "), product_element(product, "(chunk + c)"), filled(add, {score})}),
       "}",
       "EXPR_EACH_POINT { own[t * taken + k] = EXPR_AT(a_s, t); own[t * taken + room_of + k] = EXPR_AT(a_c, t); }"});
}

}  // namespace

// 48 KiB are what GPUs have at least; a term takes a number for each work-item and two for each of its sums, at each
// point.
int points_with_terms(const Writer& w) {
  constexpr double room = 6000, items = 256;
  double columns = 0, beside = 0;
  for (const WrittenTerm& term : w.terms) {
    const double width = w.graph.input(w.columns[static_cast<std::size_t>(term.product.matrix) - 1].input).columns;
    columns += width;
    beside += items + 2 * (width > items ? width : items);
  }
  double rows = items;  // as local_doubles() in the engine has them
  while (rows > 8 && beside + columns * (rows + 1) > room) rows /= 2;
  const double one = beside + columns * (rows + 1);
  if (one > room) return 1;
  return one + 3 * beside <= room ? 4 : one + beside <= room ? 2 : 1;
}

Lines shared_point_terms(const Writer& w, const PointTerms& of) {
  const std::size_t terms = w.terms.size();
  Lines lines = shared_begin(w);
  const std::string all_parts = filled("EXPR_POINTS * %1 * items", {terms});
  for (std::string& line : lines) {  // each point has parts and sums of its own
    line = with_part_replaced(line, filled("sums = area + %1 * items", {terms}), "sums = area + " + all_parts);
    line = with_part_replaced(line, "tile = sums + taken", "tile = sums + EXPR_POINTS * taken");
  }
  lines.push_back("for (nmath_i64 chunk = 0; chunk < most_columns; chunk += widest) {");
  for (std::size_t t = 0; t < terms; ++t)
    add_lines(lines,
              shared_columns(w, t, {"EXPR_EACH_POINT own[t * taken + k] = own[t * taken + room_of + k] = 0.0;"}));
  add_lines(lines,
            {"for (int at = begin; at < end; at += height) {",
             "    const int count = end - at < height ? end - at : height;", "    barrier(CLK_LOCAL_MEM_FENCE);"});
  add_lines(lines, products(w, of), "    ");
  add_lines(lines, {"    if (item < count) {", "        const int r = item;", "        " + row_place(w)});
  add_lines(lines, of.row, "        ");
  add_lines(lines, {"    }", "    barrier(CLK_LOCAL_MEM_FENCE);"});
  for (std::size_t t = 0; t < terms; ++t) add_lines(lines, added(w, t), "    ");
  add_lines(lines, {"}", "barrier(CLK_LOCAL_MEM_FENCE);", "{", "    __local double* const all_sums = sums;",
                    "    EXPR_EACH_POINT if (t < here) {", "        __local double* sums = all_sums + t * taken;",
                    "        int needs_general = 0;"});
  add_lines(lines, of.sums_at, "        ");
  for (std::size_t t = 0; t < terms; ++t) add_lines(lines, shared_end(w, t), "        ");
  add_lines(lines,
            {"        all_need_general[t] |= needs_general;", "    }", "}", "barrier(CLK_LOCAL_MEM_FENCE);", "}"});
  return lines;
}

}  // namespace openclPort::expression
