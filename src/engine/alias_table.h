// alias_table -- distributions on few whole numbers as tables of aliases (inst/cl/nmath/rtable.cl).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/draw_table.h"

namespace openclPort {

// Cell k of 2^bits stands for the number low + k: cells[2 k] is its threshold, cells[2 k + 1] the cell of its alias.
struct AliasTable : DrawTable {
  int bits = 1;
  double low = 0;
  std::vector<std::uint64_t> cells;

  const KernelSpec& spec() const override;
  Buffer on(Device& device) const override;
  std::int32_t whole_argument() const override { return bits; }
  double real_argument() const override { return low; }
};

// For masses of low, low + 1, ..., which need not add up to 1.
AliasTable alias_table(double low, const std::vector<double>& masses);

// Of a discrete law with a probability function of its own, inside the domain of its parameters, if all but 2^-64 of
// its mass lies on 512 numbers; else null.
std::shared_ptr<const AliasTable> alias_table_of(const std::string& name, const std::vector<double>& parameters);

}  // namespace openclPort
