// multinomial -- pieces of columns, on the host device or as launches on an OpenCL device.
#include "engine/multinomial.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "opencl/OpenCL_helper.h"
#include "loader/kernel_loader.h"
#include "base/nmath_error.h"
#include "engine/opencl_kernel_runners.h"
#include "device/device_selection.h"
#include "engine/work_pieces.h"
#include "base/work_threads.h"

namespace openclPort {

namespace {

// Counts of one piece, as doubles; of a device, at first and at most. A column is in one piece.
constexpr std::size_t kHostPiece = std::size_t{1} << 13;
constexpr std::size_t kFirstDevicePiece = std::size_t{1} << 17, kDevicePiece = std::size_t{1} << 22;

std::size_t columns_of(std::size_t piece, const Multinomial& what) {
  return std::max<std::size_t>(1, piece / what.cells);
}

void store(const std::vector<double>& counts, int* out) {
  std::transform(counts.begin(), counts.end(), out, [](double x) { return static_cast<int>(x); });
}

void run_on_host(const KernelSpec& spec, const Multinomial& what, std::size_t n, int* out, RunReport& report,
                 const CallHooks& hooks, std::uint64_t seed) {
  const std::size_t grain = std::min(n, columns_of(kHostPiece, what));
  const auto block = [&](std::size_t begin, std::size_t end) {
    std::vector<double> counts((end - begin) * what.cells);
    nmath_host_launch launch{};
    launch.column[0] = what.prob;
    launch.n[0] = static_cast<int>(what.cells);
    std::memcpy(&launch.value[0], &what.size, sizeof what.size);
    launch.out = counts.data();
    launch.len = static_cast<int>(end - begin);
    launch.seed = seed;
    launch.first = begin;
    spec.host(&launch, 0, launch.len);
    store(counts, out + begin * what.cells);
    if (hooks.finished) hooks.finished(begin, end);
  };
  parallel_blocks(n, grain, block, hooks.interrupted, report);
  report.chunks = (n + grain - 1) / grain;
  report.device = report.device_type = "host";
}

void run_on_opencl(const DeviceInfo& device, const KernelSpec& spec, const Multinomial& what, std::size_t n, int* out,
                   RunReport& report, const CallHooks& hooks, std::uint64_t seed) {
  Pace pace(columns_of(kFirstDevicePiece, what), columns_of(kDevicePiece, what), 4.0);
  const auto program = [&spec] {
    return build_rmath_opencl_program(spec.kernel_file, "nmathopencl", "all_depends_nmath");
  };
  std::vector<double> counts;
  for (std::size_t begin = 0, count = 0; begin < n; begin += count) {
    if (begin > 0) stop_if(hooks.interrupted);
    Stopwatch watch;
    count = std::min(pace.piece(), n - begin);
    counts.resize(count * what.cells);
    KernelCall(device, spec.kernel_file, program, spec.kernel_name, "", &report)
        .value("size", what.size)
        .input("prob", what.prob, what.cells)
        .output("out", counts.data(), counts.size())
        .value("len", static_cast<int>(count))
        .value("cells", static_cast<int>(what.cells))
        .value("seed", static_cast<std::int64_t>(seed))
        .value("first", static_cast<std::int64_t>(begin))
        .items(count)
        .run();
    pace.took(count, watch.lap());
    store(counts, out + begin * what.cells);
    if (hooks.finished) hooks.finished(begin, begin + count);
  }
  report.threads = 1;
}

}  // namespace

void run_multinomial(const std::string& device, const KernelSpec& spec, const Multinomial& what, std::size_t n,
                     int* out, RunReport& report, const CallHooks& hooks, std::uint64_t seed) {
  if (spec.kind != KernelKind::cells) throw NmathError(std::string("function '") + spec.name + "' draws no cells");
  if (what.cells == 0 || what.cells > INT_MAX) throw NmathError("the number of cells must be from 1 to 2^31 - 1");
  Stopwatch watch;
  report.function = spec.name;
  report.elements = n;
  const std::optional<DeviceInfo> chosen = select_device(device);
  if (chosen)
    run_on_opencl(*chosen, spec, what, n, out, report, hooks, seed);
  else
    run_on_host(spec, what, n, out, report, hooks, seed);
  report.total = watch.lap();
  if (!chosen) report.compute = report.total;
}

}  // namespace openclPort
