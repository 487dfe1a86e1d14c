// point_products -- see point_products.h
#include "expression/point_products.h"

#include "expression/lines.h"
#include "expression/points.h"
#include "expression/products.h"

namespace openclPort::expression {

namespace {

// Coefficients of a product that lie in local memory, of tiles of four points: 8 KiB of all products; 16 where neither
// another product nor the sums of a group (point_tiles.cpp) need much.
constexpr std::size_t kMostLocalProducts = 4;
int most_local(const Writer& w) { return w.tiles.size() == 1 && w.results.size() <= 1 ? 512 : 64; }

int input_of_coefficients(const Writer& w, const ProductAt& product) {
  return w.columns[static_cast<std::size_t>(product.coefficients) - 1].input;
}

bool is_local(const Writer& w, std::size_t k) {
  return k <= kMostLocalProducts && is_over(w, input_of_coefficients(w, w.tiles[k - 1]));
}

Lines added_columns(const ProductAt& product, std::size_t k, const char* type, const std::string& coefficient) {
  return {
      filled("for (%1 j = 0; j < (%1)len_%2; ++j) {", {type, product.columns}),
      filled("    const double x = %1;", {product_element(product, "j")}),
      filled("    EXPR_EACH_POINT EXPR_AT(eta_%1, t) = EXPR_ADD_PRODUCT(EXPR_AT(eta_%1, t), x, %2);", {k, coefficient}),
      "}"};
}

}  // namespace

std::string point_coefficient(const Writer& w, const ProductAt& product) {
  const int input = input_of_coefficients(w, product);
  if (!is_over(w, input)) return product_coefficient(product, "j");
  return filled("own[EXPR_ROW(t) + place_%1 + j]", {place_of_input(w, input)});
}

Lines local_coefficients(const Writer& w) {
  Lines lines;
  for (std::size_t k = 1; k <= w.tiles.size(); ++k) {
    if (!is_local(w, k)) continue;
    const int columns = w.tiles[k - 1].columns;
    add_lines(lines, {filled("__local double local_%1[EXPR_POINTS * %2];", {k, most_local(w)}),
                      filled("if (len_%1 <= %2)", {columns, most_local(w)}),
                      filled("    for (int k = item; k < EXPR_POINTS * (int)len_%1; k += items) {", {columns}),
                      "        const int j = k / EXPR_POINTS, t = k % EXPR_POINTS;",
                      filled("        local_%1[k] = %2;", {k, point_coefficient(w, w.tiles[k - 1])}), "    }"});
  }
  if (!lines.empty()) lines.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
  return lines;
}

Lines product_of_row(const Writer& w, std::size_t k) {
  const ProductAt& product = w.tiles[k - 1];
  const Lines others = added_columns(product, k, "nmath_i64", point_coefficient(w, product));
  Lines lines = {filled("expr_points eta_%1 = EXPR_ZERO;", {k})};
  if (!is_local(w, k)) {
    add_lines(lines, others);
    return lines;
  }
  lines.push_back(filled("if (len_%1 <= %2) {", {product.columns, most_local(w)}));
  add_lines(lines, added_columns(product, k, "int", filled("local_%1[j * EXPR_POINTS + t]", {k})), "    ");
  lines.push_back("} else {");
  add_lines(lines, others, "    ");
  lines.push_back("}");
  return lines;
}

Lines tiled_product(const Writer& w, const std::string& name, std::size_t tile, const std::string& shared,
                    const std::string& loop) {
  std::string other = shared;
  const char* const point = w.varying ? "t" : "0";  // all points have the same product
  if (shared.empty())
    other = w.terms.empty() ? filled("nmath_value %1 = EXPR_AT(eta_%2, %3);", {name, tile, point}) : loop;
  return {"#ifdef EXPR_ALONE", filled("nmath_value %1 = EXPR_AT(tile_%2[r], %3);", {name, tile, point}), "#else", other,
          "#endif"};
}

}  // namespace openclPort::expression
