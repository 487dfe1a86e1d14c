// elementwise_plan -- plans how the columns of an elementwise call get to a device, and in what chunks.
#pragma once

#include <vector>

#include "base/columns.h"
#include "device/device.h"
#include "device/functions.h"
#include "engine/chunk_plan.h"
#include "engine/draw_stream.h"

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

// Elements [first, first + count) of the `all` of a call.
struct ElementRange {
  std::size_t first, count, all;
};

// What one device computes of a call. It refers to memory of the caller's, who keeps it.
struct ElementwiseCall {
  const KernelSpec& spec;
  std::vector<Column> columns;          // of resident ones length and type
  std::vector<const Buffer*> resident;  // those that are on the device already, else null; empty: none is
  ElementRange range;
  double* out = nullptr;                 // room for the results of all elements; null: the results are resident,
  const Buffer* resident_out = nullptr;  // here, those of the range from 0 on
  DrawStream stream = 0;
  ElementwiseOptions options = {};
};

// What several devices compute of a call whose results are resident.
struct ElementwisePart {
  SharedDevice device;
  ElementwiseCall call;
};

// Throws unless the columns are those that the function takes.
void check_columns(const ElementwiseCall& call);

ElementwisePlan plan_elementwise(const DeviceInfo& device, const ElementwiseCall& call);

}  // namespace openclPort
