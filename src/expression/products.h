// products -- parts of the text of X %*% b and of t(X) %*% score that the rows of a block are put around.
#pragma once

#include <string>
#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

// The C text of number `j` of the row of a product's matrix that is read, as it lies, and as a double.
std::string stored_element(const ProductAt& product, const std::string& j);
std::string product_element(const ProductAt& product, const std::string& j);
std::string product_coefficient(const ProductAt& product, const std::string& j);
// Which row of the matrix row `r` of a tile has.
Lines row_lines(const Writer& w, const ProductAt& product);

// Gradients in coefficients where a single work-item is a group: before the rows, after each tile, after the rows.
Lines alone_begin(const Writer& w);
Lines alone_tiles(const Writer& w);
Lines alone_end(const Writer& w);
// Terms, one after the other, that are sums of the rows of one product: a group's work-items read these once, and have
// the sums of all of them among them.
struct Bundle {
  std::size_t first = 0, count = 0;  // of the terms
};
std::vector<Bundle> bundles_of(const Writer& w);
int bundle_of(const Writer& w, std::size_t term);  // its number, from 1
// The same of a group's work-items; bundles by number from 0. At many points a term is a bundle.
Lines shared_begin(const Writer& w);
Lines shared_products(const Writer& w);
Lines shared_clear(const Writer& w, std::size_t bundle);
Lines shared_add(const Writer& w, std::size_t bundle);
Lines shared_end(const Writer& w, std::size_t bundle);
// `each` for each sum of a bundle that a work-item has, of its slice of the rows; how many columns the bundles before
// it read.
Lines shared_columns(const Writer& w, std::size_t bundle, const Lines& each);
std::string widths_before(const Writer& w, std::size_t bundle);

}  // namespace openclPort::expression
