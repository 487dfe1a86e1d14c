// streaming -- a long vector from and to ordinary memory: how fast, and in how much memory.
//
//   streaming ROOT DEVICE FUNCTION N [LANES [CHUNK]]    one argument varies, the others are scalars
//
// Each run writes to newly allocated memory and looks for NaN there, as calls from R do. Prints seconds, Geval/s,
// chunks and workers of every run, and at the end the peak of this process's memory beyond input and output.
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "loader/kernel_loader.h"
#include "rules/missing_values.h"

namespace {

constexpr double kMiB = 1048576.0;

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

class FreshMemory {
 public:
  explicit FreshMemory(std::size_t bytes)
      : bytes_(bytes), data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  FreshMemory(const FreshMemory&) = delete;
  ~FreshMemory() { munmap(data_, bytes_); }
  double* data() { return static_cast<double*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

void run(char** argv, int argc) {
  using namespace openclPort;
  set_cl_root("nmathopencl", std::string(argv[1]) + "/inst/cl");
  const DeviceInfo device = select_device(argv[2]);
  const KernelSpec& spec = find_kernel_spec(argv[3]);
  const std::size_t n = static_cast<std::size_t>(std::atof(argv[4]));
  ElementwiseOptions options;
  if (argc > 5) options.workers = std::atoi(argv[5]);
  if (argc > 6) options.chunk_size = static_cast<std::size_t>(std::atof(argv[6]));

  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.001 + 0.998 * static_cast<double>(i % 4096) / 4096.0;
  const double scalars[] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  const int flags[] = {spec.n_flags == 2, 0};
  std::vector<Column> columns{{x.data(), n, Column::Type::f64}};
  for (int k = 1; k < spec.n_real; ++k) columns.push_back({scalars + k - 1, 1, Column::Type::f64});
  for (int k = 0; k < spec.n_flags; ++k) columns.push_back({flags + k, 1, Column::Type::i32});

  std::printf("device: %s\n", device.name.c_str());
  for (int repeat = 0; repeat < 6; ++repeat) {
    FreshMemory out(n * sizeof(double));
    RunReport report;
    ResultScan scan(spec, columns);
    CallHooks hooks;
    hooks.arrived = [&](std::size_t begin, std::size_t end, double* results) { scan.chunk(begin, end, results); };
    run_elementwise(
        device, spec, [&] { return kernel_program_text(spec); }, columns, n, out.data(), report, hooks, options);
    std::printf("%s %zu: %.4f s, %.3f Geval/s, %zu chunks, %d threads, device transfer %.4f s, compute %.4f s\n",
                spec.name, n, report.total, 1e-9 * static_cast<double>(n) / report.total, report.chunks, report.threads,
                report.transfer, report.compute);
  }
  std::printf("peak memory beyond input and output: %.0f MiB\n",
              peak_mib() - 2.0 * static_cast<double>(n) * sizeof(double) / kMiB);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: streaming ROOT DEVICE FUNCTION N [LANES [CHUNK]]\n";
    return 2;
  }
  try {
    run(argv, argc);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "streaming: " << error.what() << "\n";
    return 1;
  }
}
