// products -- parts of the text of X %*% b and of t(X) %*% score that the rows of a block are put around.
#ifndef NMATHOPENCL_EXPRESSION_PRODUCTS_H
#define NMATHOPENCL_EXPRESSION_PRODUCTS_H

#include <string>

#include "expression/writer.h"

namespace openclPort {
namespace expression {

// The C text of number `j` of the row of a product's matrix that is read, as it lies, and as a double.
std::string element_as_it_lies(const ProductAt& product, const std::string& j);
std::string product_element(const ProductAt& product, const std::string& j);
std::string product_coefficient(const ProductAt& product, const std::string& j);
// Which row of the matrix row `r` of a tile has.
Lines row_lines(const Writer& w, const ProductAt& product);

// Gradients in coefficients where a single work-item is a group: before the rows, after each tile, after the rows.
Lines alone_begin(const Writer& w);
Lines alone_tiles(const Writer& w);
Lines alone_end(const Writer& w);
// The same of a group's work-items; terms by number from 0.
Lines shared_begin(const Writer& w);
Lines shared_products(const Writer& w);
Lines shared_clear(const Writer& w, std::size_t term);
Lines shared_add(const Writer& w, std::size_t term);
Lines shared_end(const Writer& w, std::size_t term);
// `each` for each column of a term that a work-item has, of its slice of the rows; how many columns the terms before it
// have.
Lines shared_columns(const Writer& w, std::size_t term, const Lines& each);
std::string widths_before(const Writer& w, std::size_t term);

}  // namespace expression
}  // namespace openclPort

#endif
