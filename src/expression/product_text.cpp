// product_text -- products of matrices with coefficients in a kernel: X %*% b, and for gradients t(X) %*% score, which
// the same kernel adds up while it has the rows of X at hand. How many columns there are is an argument of the kernel.
//
// A group of a GPU's work-items takes some rows at a time: all of them read X, each some columns of a row, and leave it
// in local memory; one for each row computes its value and its score; then each adds up a part of a column. Where a
// group is one work-item, it does the same with tiles of rows that a cache holds. Work-items that have no group go
// through the columns one by one.
#include "expression/products.h"

#include "base/text.h"
#include "expression/lines.h"
#include "expression/point_products.h"

namespace openclPort::expression {

namespace {

// "@2@" and "@rows2@" stand for what placed() knows.
std::string place_of_column(int column) { return filled("@%1@", {column}); }
std::string stride_of_column(int column) { return filled("@rows%1@", {column}); }

std::string any_na_text(Type type, const std::string& from, const std::string& stride, int length) {
  return filled("expr_any_na%1(%2, %3, len_%4)", {type == Type::real ? "" : "_int", from, stride, length});
}

// The value from what the work-items of a group have of it, for a product that a term has, too.
std::string shared_value(const Writer& w, int id, const std::string& name) {
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    if (w.terms[t].term.product == id && w.terms[t].product.full)
      return filled("nmath_value %1 = EXPR_ETA(%2);", {name, t});
  return "";
}

}  // namespace

std::string stored_element(const ProductAt& product, const std::string& j) {
  if (product.full)
    return filled("c%1[%2 + (nmath_i64)(%3) * %4]",
                  {product.matrix, place_of_column(product.matrix), j, stride_of_column(product.matrix)});
  return filled("c%1[%2 + (expr_index)(%3) * (expr_index)len_%4]", {product.matrix, product.at, j, product.rows});
}

std::string product_element(const ProductAt& product, const std::string& j) {
  const std::string text = stored_element(product, j);
  return product.matrix_type == Type::real ? text : "expr_as_double(" + text + ")";
}

std::string product_coefficient(const ProductAt& product, const std::string& j) {
  const std::string text = filled("c%1[%2]", {product.coefficients, j});
  return product.coefficient_type == Type::real ? text : "expr_as_double(" + text + ")";
}

ProductAt product_at(Writer& w, const Node& node, const Index& at) {
  const Input& matrix = w.graph.input(node.first);
  ProductAt product;
  product.full = at.name == "e" && node.length == w.n;
  product.matrix = use_column(w, node.first, product.full ? Role::matrix : Role::whole);
  product.coefficients = use_column(w, node.second, Role::whole);
  product.matrix_type = matrix.type;
  product.coefficient_type = w.graph.input(node.second).type;
  product.at = at.name;
  if (!product.full) product.rows = length_number(w, node.length);
  product.columns = length_number(w, matrix.columns);
  return product;
}

// The value is computed here, or before the rows of the tile were.
void write_product(Writer& w, int id, const Node& node, const Index& at, const std::string& name) {
  ProductAt product = product_at(w, node, at);
  const auto loop_adding = [&](const char* added) {
    const std::string head =
        filled("double %1 = 0.0; for (nmath_i64 j = 0; j < len_%2; ++j) ", {name, product.columns});
    return head + filled(added, {name, product_element(product, "j"), product_coefficient(product, "j")});
  };
  Lines lines = {loop_adding("%1 += %2 * %3;")};
  if (product.full) {
    product.node = id;
    w.tiles.push_back(product);
    const std::string shared = shared_value(w, id, name), loop = loop_adding("%1 = EXPR_ADD_PRODUCT(%1, %2, %3);");
    lines = w.tiling ? tiled_product(w, name, w.tiles.size(), shared, loop)
                     : Lines{"#ifdef EXPR_ALONE", filled("nmath_value %1 = tile_%2[r];", {name, w.tiles.size()}),
                             "#else", shared.empty() ? loop : shared, "#endif"};
  }
  for (const std::string& line : lines) emit(w, at, line);
  if (w.request.as_gpu) emit(w, at, filled("%1 = expr_canonical(%1);", {name}));
}

// Whether an NA has part in the product, of which only a product that is NaN is asked.
std::string product_na(Writer& w, const Node& node, const Index& at) {
  const ProductAt product = product_at(w, node, at);
  const std::string stride = product.full ? stride_of_column(product.matrix) : filled("len_%1", {product.rows});
  return any_na_text(product.matrix_type, "&" + stored_element(product, "0"), stride, product.columns) + " | " +
         any_na_text(product.coefficient_type, filled("c%1", {product.coefficients}), "1", product.columns);
}

// ---- tiles of a single work-item
// ----------------------------------------------------------------------------------------

// X %*% b for the rows of a tile, which begin at `at`.
Lines tile_products(Writer& w) {
  Lines lines;
  for (std::size_t k = 0; k < w.tiles.size(); ++k) {
    const ProductAt& product = w.tiles[k];
    add_lines(lines,
              {filled("for (int r = 0; r < count; ++r) tile_%1[r] = 0.0;", {k + 1}),
               filled("for (nmath_i64 j = 0; j < len_%1; ++j) {", {product.columns}),
               filled("    const nmath_value b = %1;", {product_coefficient(product, "j")}),
               filled("    for (int r = 0; r < count; ++r) { %1 tile_%2[r] = EXPR_ADD_SEPARATE(tile_%2[r], %3, b); }",
                      {joined(row_lines(w, product), " "), k + 1, product_element(product, "j")}),
               "}"});
  }
  return lines;
}

// Which element row `r` of a tile is.
std::string row_place(const Writer& w) {
  if (w.request.grouping == "by") return "const nmath_i64 p = at + r;";
  if (w.request.grouping == "by order") return "const nmath_i64 p = at + r, i = order[p];";
  return "const int i = at + r;";
}

// Whether a matrix is read by the number of a row of the chunk, and not by that of an element of the call.
bool is_plain_row(const Writer& w, const ProductAt& product) {
  return product.full && w.columns[static_cast<std::size_t>(product.matrix) - 1].role != Role::whole;
}

Lines row_lines(const Writer& w, const ProductAt& product) {
  Lines lines = {row_place(w)};
  if (!is_plain_row(w, product)) lines.push_back(element_line(w));
  return lines;
}

std::string element_line(const Writer& w) {
  if (w.request.grouping == "by")
    return "const expr_index e = 0; // (another form of this kernel runs where it is used)";
  if (w.request.grouping == "by order") return "const expr_index e = (expr_index)i;";
  return w.reduces || !w.request.over.empty() ? "const expr_index e = (expr_index)(first * block + i);"
                                              : "const expr_index e = (expr_index)(first + i);";
}

Lines tile_declarations(const Writer& w) {
  Lines tiles, scores, lines;
  for (std::size_t k = 1; k <= w.tiles.size(); ++k) tiles.push_back(filled("tile_%1[EXPR_TILE]", {k}));
  for (std::size_t t = 1; t <= w.terms.size(); ++t) scores.push_back(filled("score_%1[EXPR_TILE]", {t}));
  if (!tiles.empty()) lines.push_back("double " + joined(tiles, ", ") + ";");
  if (!scores.empty()) lines.push_back("double " + joined(scores, ", ") + ";");
  return lines;
}

// Elementwise: the loop over a span in tiles.
Lines tiled_elements(Writer& w, const Lines& body, const Lines& stores) {
  Lines lines = {"    EXPR_SPAN"};
  add_lines(lines, tile_declarations(w), "    ");
  add_lines(lines, {"    for (int at = from; at < until; at += EXPR_TILE) {",
                    "        const int count = until - at < EXPR_TILE ? until - at : EXPR_TILE;"});
  add_lines(lines, tile_products(w), "        ");
  add_lines(lines, {"        for (int r = 0; r < count; ++r) {", "        const int i = at + r;"});
  add_lines(lines, body);
  add_lines(lines, stores);
  add_lines(lines, {"        }", "    }"});
  return lines;
}

}  // namespace openclPort::expression
