// host_runner -- blocks of elements, one kernel launch each, over the cores of this machine.
//
// A column that is as long as the result is read where it lies and a scalar travels by value. Any other one, and one of
// integers, is written out block by block into scratch memory of the thread, which stays in its cache.
#include "host/host_runner.h"

#include <algorithm>

#include "opencl/OpenCL_helper.h"
#include "engine/column_pieces.h"
#include "engine/work_pieces.h"
#include "base/work_threads.h"

namespace openclPort {

namespace {

class HostBlocks {
 public:
  HostBlocks(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
             const CallHooks& hooks, std::uint64_t seed)
      : spec_(spec), columns_(columns), n_(n), out_(out), hooks_(hooks) {
    scalars_.seed = seed;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const bool flag = is_flag(k);
      if (columns[k].length == 1 || flag) scalars_.n[k] = 1, scalars_.value[k] = scalar_bits(columns[k], flag);
      if (columns[k].length == 1) continue;
      varying_flags_ = varying_flags_ || flag;
      needs_scratch_ = needs_scratch_ || columns[k].length < n || columns[k].type == Column::Type::i32;
    }
  }

  void run(RunReport& report) {
    const std::size_t grain = host_grain(spec_.cost, n_, host_threads());
    parallel_blocks(
        n_, grain, [&](std::size_t begin, std::size_t end) { block(begin, end); }, hooks_.interrupted, report);
    report.chunks = (n_ + grain - 1) / grain;
  }

 private:
  bool is_flag(std::size_t k) const { return k >= static_cast<std::size_t>(spec_.n_real); }

  // To a kernel flags are scalars: where they vary, a block falls into runs of equal flags.
  void block(std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = varying_flags_ ? first + 1 : end;
      while (last < end && same_flags(first, last)) ++last;
      launch(first, last - first);
      first = last;
    }
    if (hooks_.finished) hooks_.finished(begin, end);
  }

  static int flag_at(const Column& column, std::size_t i) {
    return static_cast<const int*>(column.data)[i % column.length];
  }

  bool same_flags(std::size_t i, std::size_t j) const {
    for (std::size_t k = static_cast<std::size_t>(spec_.n_real); k < columns_.size(); ++k)
      if (flag_at(columns_[k], i) != flag_at(columns_[k], j)) return false;
    return true;
  }

  void launch(std::size_t begin, std::size_t count) {
    thread_local std::vector<double> scratch;
    if (needs_scratch_ && scratch.size() < columns_.size() * kLargestHostGrain)
      scratch.resize(columns_.size() * kLargestHostGrain);
    nmath_host_launch launch = scalars_;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Column& column = columns_[k];
      if (is_flag(k)) {
        launch.value[k] = flag_at(column, begin);
      } else if (column.length == 1) {
        continue;
      } else if (column.length >= n_ && column.type == Column::Type::f64) {
        launch.column[k] = static_cast<const double*>(column.data) + begin;
      } else {
        double* piece = scratch.data() + k * kLargestHostGrain;
        widen_piece(column, begin, count, piece);
        launch.column[k] = piece;
      }
    }
    launch.out = out_ + begin;
    launch.len = static_cast<int>(count);
    launch.first = begin;
    spec_.host(&launch, 0, launch.len);
  }

  const KernelSpec& spec_;
  const std::vector<Column>& columns_;
  const std::size_t n_;
  double* const out_;
  const CallHooks& hooks_;
  nmath_host_launch scalars_{};
  bool needs_scratch_ = false, varying_flags_ = false;
};

}  // namespace

void run_elementwise_host(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
                          RunReport& report, const CallHooks& hooks, std::uint64_t seed) {
  Stopwatch watch;
  if (n > 0) {
    expect_writes(out, n * sizeof(double));
    HostBlocks(spec, columns, n, out, hooks, seed).run(report);
  }
  report.device = report.device_type = "host";
  report.compute = watch.lap();
}

}  // namespace openclPort
