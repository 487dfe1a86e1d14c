// elementwise_plan -- how the columns of one elementwise call get to an OpenCL device, and in what pieces.
#ifndef NMATHOPENCL_ELEMENTWISE_PLAN_H
#define NMATHOPENCL_ELEMENTWISE_PLAN_H

#include "engine/opencl_kernel_runners.h"

namespace openclPort {

// Scalars travel by value. Columns as long as the result go piece by piece; shorter ones once, whole, and are recycled
// on the device; a short one that is still too large for that is recycled by the host, piece by piece.
enum class Travel { scalar, whole, pieces, recycled_pieces };

struct ColumnPlan {
  Column column;
  Travel travel;
  bool widen;          // integers where the kernel takes doubles: widened on the device
  std::size_t source;  // the first column with the same data: its buffer serves both
  std::int64_t value;  // of a scalar, see NMATH_AT in OPENCL.cl

  bool in_pieces() const { return travel == Travel::pieces || travel == Travel::recycled_pieces; }
  int length_argument() const { return in_pieces() ? 0 : static_cast<int>(column.length); }
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
};

// Throws unless the columns are those that the function takes.
void check_columns(const KernelSpec& spec, const std::vector<Column>& columns, const double* out);

ElementwisePlan plan_elementwise(const DeviceInfo& device, const KernelSpec& spec, const std::vector<Column>& columns,
                                 std::size_t n, const ElementwiseOptions& options);

}  // namespace openclPort

#endif
