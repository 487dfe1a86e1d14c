// elementwise -- a function applied element by element to recycled columns, on whichever device was chosen.
//
// The description is device-neutral; `opencl_kernel_runners` carries it out on an OpenCL device, `host_device` on the
// host. Nothing here owns memory: columns and results belong to the caller for the duration of the call.
#ifndef NMATHOPENCL_ELEMENTWISE_H
#define NMATHOPENCL_ELEMENTWISE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/host_device.h"
#include "base/interrupted.h"

namespace openclPort {

// One kernel argument at its own length: a scalar stays one, and a short vector is recycled by the device. Integers may
// stand for doubles, R's missing integer for NA; the device widens them.
struct Column {
  enum class Type { f64, i32 };
  const void* data;
  std::size_t length;
  Type type;
};

// What a kernel computes: a function of its arguments, or random draws; counts are draws of whole numbers. A draw of cells
// is a column of a matrix, see multinomial.h.
enum class KernelKind { values, draws, counts, cells };

// What one element takes on one core of the host, whatever its arguments: up to 3 microseconds, 50 microseconds, a
// millisecond, more. tools/costs.R measures it; work_pieces.h is what it is for.
enum class Cost { cheap, moderate, heavy, slow };

// A function of the table (inst/spec/functions.tsv); rows are generated into function_registry_gen.cpp.
// The kernel takes its `n_real` columns of doubles, then `n_flags` columns of ints, then `out` and `len`; if it draws, then
// the seed and the number of its first draw.
struct KernelSpec {
  const char* name;         // "dnorm"
  const char* kernel_name;  // "dnorm_kernel"
  const char* kernel_file;  // "src/dnorm_kernel.cl", relative to inst/cl
  int n_real;
  int n_flags;
  nmath_host_kernel host;  // the same kernel compiled into the host device
  const char* warn_rule;   // which warnings R gives, see missing_values.h
  KernelKind kind = KernelKind::values;
  Cost cost = Cost::cheap;

  bool draws() const { return kind == KernelKind::draws || kind == KernelKind::counts; }
};

const KernelSpec& find_kernel_spec(const std::string& name);  // throws NmathError for an unknown name
const std::vector<KernelSpec>& kernel_registry();

// What a call did: reported by last_run() and verbose = TRUE. Times in seconds.
struct RunReport {
  std::string function;
  std::string device;       // "host" or the OpenCL device's name
  std::string device_type;  // "host", "gpu", "cpu", "accelerator"
  std::size_t elements = 0;
  std::size_t chunks = 0;
  int built = 0;          // programs built by this call
  int cache_hits = 0;     // programs found in a cache
  int disk_hits = 0;      // of these, the ones read from disk
  int threads = 0;        // threads of this machine that computed or moved data
  double build = 0, transfer = 0, compute = 0, total = 0;
};

// What a caller hears of a call under way. Either may be empty.
struct CallHooks {
  InterruptCheck interrupted;
  // Results [begin, end) are in place. Called once for every piece, from any thread of the call, in any order.
  std::function<void(std::size_t begin, std::size_t end)> finished;
};

// Computes out[0..n) on the device given as in `device =`: "host", "auto", "opencl", "gpu", "cpu", an index, a name.
// `out` must not overlap the columns. Random draws follow from `seed`, the same ones on every device but for rounding.
void run_elementwise(const std::string& device, const KernelSpec& spec, const std::vector<Column>& columns,
                     std::size_t n, double* out, RunReport& report, const CallHooks& hooks = {},
                     std::uint64_t seed = 0);

}  // namespace openclPort

#endif
