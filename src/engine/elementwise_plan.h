// elementwise_plan -- plans how the columns of an elementwise call get to a device, and in what chunks.
#ifndef NMATHOPENCL_ELEMENTWISE_PLAN_H
#define NMATHOPENCL_ELEMENTWISE_PLAN_H

#include <vector>

#include "base/columns.h"
#include "device/device_info.h"
#include "device/functions.h"
#include "engine/chunk_plan.h"

namespace openclPort {

// Scalars travel by value. Columns as long as the result go chunk by chunk; shorter ones once, whole, and are recycled
// on the device; one that is too large for that, or for a device that does not recycle, is recycled by this process,
// chunk by chunk. Where flags vary and the device's kernels take one at a time, chunks fall into runs of equal flags.
enum class Travel { scalar, whole, chunks, recycled_chunks, runs };

struct ColumnPlan {
  Travel travel;
  std::int64_t value;  // of a scalar, see NMATH_AT in OPENCL.cl
};

struct ElementwisePlan : ChunkPlan {
  std::vector<ColumnPlan> columns;      // one for each input
  std::vector<const Buffer*> resident;  // those that are resident on the device already, else null; empty: none does
  bool recycles = false;  // some column is whole, or a flag no scalar: the program's second form (OPENCL.cl)
  bool runs = false;      // some column is in runs
  bool scalars = false;  // of draws, all columns are scalars: a form whose parameters the compiler knows to be the same

  int length_argument(std::size_t k) const {
    if (inputs[k].transport == ChunkInput::Transport::chunks) return 0;
    return columns[k].travel == Travel::runs ? 1 : static_cast<int>(inputs[k].column.length);
  }
};

// Throws unless the columns are those that the function takes. `resident` as in the plan.
void check_columns(const KernelSpec& spec, const std::vector<Column>& columns,
                   const std::vector<const Buffer*>& resident = {});

// Elements [first, first + count) of the `all` of a call.
struct ElementRange {
  std::size_t first, count, all;
};

// `out`: null where results are resident on the device. Chunks have `most` elements at most.
ElementwisePlan plan_elementwise(const DeviceInfo& device, const KernelSpec& spec, const std::vector<Column>& columns,
                                 const std::vector<const Buffer*>& resident, const ElementRange& range, double* out,
                                 std::size_t most, const ElementwiseOptions& options);

}  // namespace openclPort

#endif
