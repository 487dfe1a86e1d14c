// draw_table -- laws whose parameters are one number each as tables, which a launch draws from several times faster
// than by the laws' own samplers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/columns.h"
#include "device/device.h"
#include "device/functions.h"
#include "engine/draw_stream.h"
#include "engine/stream_worker.h"

namespace openclPort {

// What a kernel draws from. Kernels of tables have the arguments table, out, an int and a double of the table, the
// number of draws, seed and first draw.
class DrawTable {
 public:
  virtual ~DrawTable() = default;
  // The kernel that draws from tables like this one, as a function without columns: what a plan and a program are made
  // for.
  virtual const KernelSpec& spec() const = 0;
  // The table sent to the device.
  virtual Buffer on(Device& device) const = 0;
  virtual std::int32_t whole_argument() const = 0;
  virtual double real_argument() const = 0;
};

// The function of another letter at each x, by the host device: "rpois" -> dpois(x, p, flags), qpois(x, p, flags).
std::vector<double> law_on_host(char letter, const std::string& name, const std::vector<double>& x,
                                const std::vector<double>& p, const std::vector<int>& flags);

// The arguments of a kernel of tables.
class TableDrawsKernel : public ChunkKernel {
 public:
  TableDrawsKernel(Device& device, std::shared_ptr<const DrawTable> table, DrawStream stream);

  unsigned arguments() const override { return 7; }
  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const override;

 private:
  const std::shared_ptr<const DrawTable> table_;
  const DrawStream stream_;
  const Buffer memory_;
};

}  // namespace openclPort
