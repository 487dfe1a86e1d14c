// point_products -- X %*% b of a row at a tile of points that a group of work-items shares.
#pragma once

#include <cstddef>
#include <string>

#include "expression/writer.h"

namespace openclPort::expression {

// Coefficient j of point t.
std::string point_coefficient(const Writer& w, const ProductAt& product);
// Few coefficients go to local memory first: from there a product takes two thirds of the time. Every item takes part.
Lines local_coefficients(const Writer& w);
// expr_points eta_k, of row i and product k, from 1.
Lines product_of_row(const Writer& w, std::size_t k);

// The value of a product of the rows of a tile, number `tile` from 1; `shared` and `loop` are how a group has it
// otherwise.
Lines tiled_product(const Writer& w, const std::string& name, std::size_t tile, const std::string& shared,
                    const std::string& loop);

}  // namespace openclPort::expression
