// host_runner -- blocks of elements, one kernel launch each, over the cores of this machine.
//
// A column that is as long as the result is read where it lies and a scalar travels by value. Any other one, and one of
// integers, is written out block by block into scratch memory of the thread, which stays in its cache.
#include "host_runner.h"

#include <algorithm>

#include "OpenCL_helper.h"
#include "column_pieces.h"
#include "work_threads.h"

namespace openclPort {

namespace {

// Elements per block: small enough to poll interrupts, balance cores and keep scratch memory in the cache; large enough
// to hide the cost of a launch.
constexpr std::size_t kGrain = std::size_t{1} << 13;

class HostBlocks {
 public:
  HostBlocks(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
             const CallHooks& hooks)
      : spec_(spec), columns_(columns), n_(n), out_(out), hooks_(hooks) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const bool flag = k >= static_cast<std::size_t>(spec.n_real);
      if (columns[k].length == 1)
        scalars_.n[k] = 1, scalars_.value[k] = scalar_bits(columns[k], flag);
      else if (columns[k].length < n || (columns[k].type == Column::Type::i32 && !flag))
        needs_scratch_ = true;
    }
  }

  void run(RunReport& report) {
    const std::size_t grain = std::min(kGrain, n_);
    parallel_blocks(
        n_, grain, [&](std::size_t begin, std::size_t end) { block(begin, end - begin); }, hooks_.interrupted, report);
    report.chunks = (n_ + grain - 1) / grain;
  }

 private:
  void block(std::size_t begin, std::size_t count) {
    thread_local std::vector<double> scratch;
    if (needs_scratch_ && scratch.size() < columns_.size() * kGrain) scratch.resize(columns_.size() * kGrain);
    nmath_host_launch launch = scalars_;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Column& column = columns_[k];
      const bool flag = k >= static_cast<std::size_t>(spec_.n_real);
      if (column.length == 1) continue;
      if (column.length >= n_ && (flag || column.type == Column::Type::f64)) {
        launch.column[k] = static_cast<const char*>(column.data) + begin * item_bytes(column);
        continue;
      }
      double* piece = scratch.data() + k * kGrain;
      if (flag)
        copy_piece(column, begin, count, piece);
      else
        widen_piece(column, begin, count, piece);
      launch.column[k] = piece;
    }
    launch.out = out_ + begin;
    launch.len = static_cast<int>(count);
    spec_.host(&launch, 0, launch.len);
    if (hooks_.finished) hooks_.finished(begin, begin + count);
  }

  const KernelSpec& spec_;
  const std::vector<Column>& columns_;
  const std::size_t n_;
  double* const out_;
  const CallHooks& hooks_;
  nmath_host_launch scalars_{};
  bool needs_scratch_ = false;
};

}  // namespace

void run_elementwise_host(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
                          RunReport& report, const CallHooks& hooks) {
  Stopwatch watch;
  if (n > 0) {
    expect_writes(out, n * sizeof(double));
    HostBlocks(spec, columns, n, out, hooks).run(report);
  }
  report.device = report.device_type = "host";
  report.compute = watch.lap();
}

}  // namespace openclPort
