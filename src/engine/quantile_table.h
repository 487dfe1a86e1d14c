// quantile_table -- continuous distributions as tables of their quantile function (inst/cl/nmath/rquantile.cl).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/draw_table.h"

namespace openclPort {

// Coefficients by powers, those of a power of all rows together; `rows` of both tails. Draws are times `scale`.
struct QuantileTable : DrawTable {
  int rows = 0;
  double scale = 1;
  std::shared_ptr<const std::vector<double>> terms;

  const KernelSpec& spec() const override;
  Buffer on(Device& device) const override;
  std::int32_t whole_argument() const override { return rows; }
  double real_argument() const override { return scale; }
};

// Of the gamma, chi-squared, beta, F and t distribution, inside the domain of their parameters, if the polynomials are
// right to 2^-40 of the draw, and to 2^-20 where one in 2^24 falls: not for small shapes; else null.
std::shared_ptr<const QuantileTable> quantile_table_of(const std::string& name, const std::vector<double>& parameters);

}  // namespace openclPort
