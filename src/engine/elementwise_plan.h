// elementwise_plan -- how the columns of one elementwise call get to a device, and in what pieces.
#ifndef NMATHOPENCL_ELEMENTWISE_PLAN_H
#define NMATHOPENCL_ELEMENTWISE_PLAN_H

#include "engine/elementwise.h"

namespace openclPort {

// Scalars travel by value. Columns as long as the result go piece by piece; shorter ones once, whole, and are recycled
// on the device; one that is too large for that, or for a device that does not recycle, is recycled by this process,
// piece by piece. Where flags vary and the device's kernels take one at a time, chunks fall into runs of equal flags.
enum class Travel { scalar, whole, pieces, recycled_pieces, runs };

struct ColumnPlan {
  Column column;
  Travel travel;
  bool widen;          // integers where the kernel takes doubles: widened on the device
  bool widen_here;     // or in this process
  std::size_t source;  // the first column with the same data: its buffer serves both
  std::int64_t value;  // of a scalar, see NMATH_AT in OPENCL.cl

  bool in_pieces() const { return travel == Travel::pieces || travel == Travel::recycled_pieces; }
  int length_argument() const { return in_pieces() ? 0 : travel == Travel::runs ? 1 : static_cast<int>(column.length); }
};

struct ElementwisePlan {
  std::vector<ColumnPlan> columns;
  std::size_t n = 0;
  std::size_t chunk = 0;    // elements per launch at most
  std::size_t lanes = 1;    // threads, each with buffers of its own
  std::size_t slots = 1;    // chunks that a lane has under way
  std::size_t staging = 0;  // bytes of page-locked memory for one piece of a chunk
  bool share = false;       // the device works on the caller's memory
  bool staged = false;      // copies go through page-locked memory
  bool recycles = false;    // some column is whole, or a flag no scalar: the program's second form (OPENCL.cl)
  bool runs = false;        // some column is in runs
};

// Throws unless the columns are those that the function takes.
void check_columns(const KernelSpec& spec, const std::vector<Column>& columns, const double* out);

ElementwisePlan plan_elementwise(const DeviceInfo& device, const KernelSpec& spec, const std::vector<Column>& columns,
                                 std::size_t n, const ElementwiseOptions& options);

}  // namespace openclPort

#endif
