// draw_table -- distributions on few whole numbers as tables of aliases (inst/cl/nmath/rtable.cl), which a launch draws
// from several times faster than by the laws' own samplers.
#ifndef NMATHOPENCL_DRAW_TABLE_H
#define NMATHOPENCL_DRAW_TABLE_H

#include <cstdint>
#include <memory>
#include <vector>

#include "base/columns.h"
#include "device/device.h"
#include "device/functions.h"
#include "engine/draw_stream.h"
#include "engine/piece_lane.h"

namespace openclPort {

// Cell k of 2^bits stands for the number low + k: cells[2 k] is its threshold, cells[2 k + 1] the cell of its alias.
struct DrawTable {
  int bits = 1;
  double low = 0;
  std::vector<std::uint64_t> cells;
};

// For masses of low, low + 1, ..., which need not add up to 1.
DrawTable alias_table(double low, const std::vector<double>& masses);

// The table of what `spec` draws, if it is a discrete law with a probability function of its own, its parameters are
// one number each, inside its domain, and all but 2^-64 of its mass lies on 512 numbers; else null. Made by the host
// device, so that all devices draw the same numbers; the last ones are kept. Whether there is a table does not depend
// on the number of draws.
std::shared_ptr<const DrawTable> draw_table(const KernelSpec& spec, const std::vector<Column>& columns);

// The kernel that draws from tables, as a function without columns: what a plan and a program are made for.
const KernelSpec& table_kernel_spec();

class TableDrawsKernel : public PieceKernel {
 public:
  // Sends the table to the device.
  TableDrawsKernel(Device& device, std::shared_ptr<const DrawTable> table, DrawStream stream);

  unsigned arguments() const override { return 7; }
  void prepare(Launch& launch, const Piece& piece, const PieceMemory& memory, std::size_t previous) const override;

 private:
  const std::shared_ptr<const DrawTable> table_;
  const DrawStream stream_;
  Buffer cells_;
};

// Work-items of a launch that draws: each makes two pairs of draws, 32 of them 64 neighbouring pairs (sunif.cl).
std::size_t items_of_draws(std::uint64_t first, std::size_t count);

}  // namespace openclPort

#endif
