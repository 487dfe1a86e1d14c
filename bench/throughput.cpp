// throughput -- how fast each function runs on one device, kernel alone and end to end.
//
//   throughput ROOT DEVICE [LOG2_N [FUNCTION ...]]    2^LOG2_N elements (24), warm, the best of 5 runs; all functions
//
// Prints a TSV: function, elements, kernel Geval/s (from the device's own event times), end-to-end Geval/s (from and
// to ordinary memory). Arguments are spread over each function's usual range. It needs neither R nor Rcpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "loader/kernel_loader.h"

namespace {

struct Range {
  double from, to;
  bool integer;
};

// Ranges of a function's arguments, in order; the last one stands for all that follow. A range of one point is a
// scalar.
const std::map<std::string, std::vector<Range>> kRanges = {
    {"dnorm", {{-5, 5, false}, {0, 0, false}, {1, 1, false}}},
    {"pnorm", {{-5, 5, false}, {0, 0, false}, {1, 1, false}}},
    {"qnorm", {{0.001, 0.999, false}, {0, 0, false}, {1, 1, false}}},
    {"dgamma", {{0.1, 20, false}, {0.5, 10, false}, {1, 1, false}}},
    {"pgamma", {{0.1, 50, false}, {0.5, 50, false}, {1, 1, false}}},
    {"qgamma", {{0.001, 0.999, false}, {0.5, 50, false}, {1, 1, false}}},
    {"pchisq", {{0.1, 100, false}, {1, 100, false}}},
    {"qchisq", {{0.001, 0.999, false}, {1, 100, false}}},
    {"dnchisq", {{0.1, 200, false}, {1, 100, false}}},
    {"pnchisq", {{0.1, 200, false}, {1, 100, false}}},
    {"qnchisq", {{0.001, 0.999, false}, {1, 100, false}}},
    {"dbeta", {{0.001, 0.999, false}, {0.5, 50, false}, {7, 7, false}}},
    {"pbeta", {{0.001, 0.999, false}, {0.5, 50, false}, {7, 7, false}}},
    {"qbeta", {{0.001, 0.999, false}, {0.5, 50, false}, {7, 7, false}}},
    {"dnbeta", {{0.001, 0.999, false}, {0.5, 50, false}, {7, 7, false}, {1, 40, false}}},
    {"pnbeta", {{0.001, 0.999, false}, {0.5, 50, false}, {7, 7, false}, {1, 40, false}}},
    {"qnbeta", {{0.001, 0.999, false}, {0.5, 50, false}, {7, 7, false}, {1, 40, false}}},
    {"dt", {{-5, 5, false}, {1, 50, false}}},
    {"pt", {{-5, 5, false}, {1, 50, false}}},
    {"qt", {{0.001, 0.999, false}, {1, 50, false}}},
    {"qf", {{0.001, 0.999, false}, {1, 50, false}}},
    {"dnf", {{0.1, 5, false}, {1, 50, false}, {20, 20, false}, {1, 40, false}}},
    {"pnf", {{0.1, 5, false}, {1, 50, false}, {20, 20, false}, {1, 40, false}}},
    {"qnf", {{0.001, 0.999, false}, {1, 50, false}, {20, 20, false}, {1, 40, false}}},
    {"dbinom", {{0, 20, true}, {100, 100, true}, {0.05, 0.95, false}}},
    {"pbinom", {{0, 100, true}, {100, 100, true}, {0.05, 0.95, false}}},
    {"qbinom", {{0.001, 0.999, false}, {100, 100, true}, {0.05, 0.95, false}}},
    {"dnbinom", {{0, 50, true}, {1, 20, false}, {0.05, 0.95, false}}},
    {"pnbinom", {{0, 50, true}, {1, 20, false}, {0.05, 0.95, false}}},
    {"qnbinom", {{0.001, 0.999, false}, {1, 20, false}, {0.05, 0.95, false}}},
    {"qnbinom_mu", {{0.001, 0.999, false}, {1, 20, false}}},
    {"dbinom_raw", {{0, 20, true}, {20, 100, true}, {0.05, 0.95, false}, {0.05, 0.95, false}}},
    {"dpois", {{0, 40, true}, {0.5, 30, false}}},
    {"ppois", {{0, 60, true}, {0.5, 50, false}}},
    {"qpois", {{0.001, 0.999, false}, {0.5, 50, false}}},
    {"dpois_raw", {{0, 40, false}, {0.5, 30, false}}},
    {"dgeom", {{0, 40, true}, {0.05, 0.95, false}}},
    {"pgeom", {{0, 40, true}, {0.05, 0.95, false}}},
    {"qgeom", {{0.001, 0.999, false}, {0.05, 0.95, false}}},
    {"ptukey", {{1, 6, false}, {1, 1, false}, {3, 11, true}, {10, 60, false}}},
    {"qtukey", {{0.001, 0.999, false}, {1, 1, false}, {3, 11, true}, {10, 60, false}}},
    {"dhyper", {{0, 20, true}, {30, 60, true}, {30, 60, true}, {20, 30, true}}},
    {"phyper", {{0, 20, true}, {30, 60, true}, {30, 60, true}, {20, 30, true}}},
    {"qhyper", {{0.001, 0.999, false}, {30, 60, true}, {30, 60, true}, {20, 30, true}}},
    {"qunif", {{0.001, 0.999, false}, {0, 0, false}, {1, 1, false}}},
    {"qlnorm", {{0.001, 0.999, false}, {0, 0, false}, {1, 1, false}}},
    {"qexp", {{0.001, 0.999, false}, {1, 1, false}}},
    {"qweibull", {{0.001, 0.999, false}, {2, 2, false}, {1, 1, false}}},
    {"qlogis", {{0.001, 0.999, false}, {0, 0, false}, {1, 1, false}}},
    {"qcauchy", {{0.001, 0.999, false}, {0, 0, false}, {1, 1, false}}},
    {"lgammafn", {{0.1, 100, false}}},
    {"gammafn", {{0.1, 100, false}}},
    {"psigamma", {{0.1, 20, false}, {3, 3, true}}},
    {"choose", {{50, 100, true}, {0, 50, true}}},
    {"lchoose", {{50, 100, true}, {0, 50, true}}},
    {"logspace_sub", {{0, 5, false}, {-5, 0, false}}},
    {"log1p", {{-0.9, 10, false}}},
    {"fround", {{-100, 100, false}, {0, 6, true}}},
    {"fprec", {{-100, 100, false}, {1, 10, true}}},
    {"r_unif_index", {{1000, 1000, true}}},
    {"runif", {{0, 0, false}, {1, 1, false}}},
    {"rnorm", {{0, 0, false}, {1, 1, false}}},
    {"rlnorm", {{0, 0, false}, {1, 1, false}}},
    {"rexp", {{1, 1, false}}},
    {"rcauchy", {{0, 0, false}, {1, 1, false}}},
    {"rlogis", {{0, 0, false}, {1, 1, false}}},
    {"rweibull", {{2, 2, false}, {1, 1, false}}},
    {"rgeom", {{0.2, 0.2, false}}},
    {"rgamma", {{3, 3, false}, {1, 1, false}}},
    {"rbeta", {{2, 2, false}, {3, 3, false}}},
    {"rchisq", {{5, 5, false}}},
    {"rt", {{5, 5, false}}},
    {"rf", {{5, 5, false}, {7, 7, false}}},
    {"rbinom", {{100, 100, true}, {0.4, 0.4, false}}},
    {"rpois", {{20, 20, false}}},
    {"rhyper", {{40, 40, true}, {50, 50, true}, {20, 20, true}}},
    {"rnbinom", {{5, 5, false}, {0.4, 0.4, false}}},
    {"rwilcox", {{10, 10, true}, {12, 12, true}}},
    {"rsignrank", {{20, 20, true}}},
    {"r_pow_di", {{0.5, 2, false}, {-20, 20, true}}},
};
const std::vector<Range> kDefault = {{0.1, 20, false}};

std::vector<double> draw(const Range& range, std::size_t n, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(range.from, range.to);
  std::vector<double> x(n);
  for (double& value : x)
    value = range.integer ? static_cast<double>(static_cast<int>(uniform(engine))) : uniform(engine);
  return x;
}

void measure(const openclPort::KernelSpec& spec, const std::string& device, std::size_t n) {
  std::mt19937_64 engine(1);
  const auto found = kRanges.find(spec.name);
  const std::vector<Range>& ranges = found == kRanges.end() ? kDefault : found->second;
  std::vector<std::vector<double>> data;
  std::vector<openclPort::Column> columns;
  for (int k = 0; k < spec.n_real; ++k) {
    const Range& range = ranges[std::min<std::size_t>(k, ranges.size() - 1)];
    data.push_back(draw(range, range.from == range.to ? 1 : n, engine));
    columns.push_back({data.back().data(), data.back().size(), openclPort::Column::Type::f64});
  }
  const int flags[] = {spec.n_flags == 2, 0};
  for (int k = 0; k < spec.n_flags; ++k) columns.push_back({flags + k, 1, openclPort::Column::Type::i32});
  std::vector<double> out(n);
  const openclPort::DeviceInfo info = openclPort::select_device(device);
  openclPort::ElementwiseOptions whole;  // one launch: what the kernel takes, without the ends of many small ones
  whole.chunk_size = n;
  whole.memory_budget = std::size_t{8} << 30;
  double compute = 1e9, total = 1e9;
  for (int run = 0; run < 6; ++run) {
    openclPort::RunReport report, alone;
    openclPort::run_elementwise(device, spec, columns, n, out.data(), report);
    if (!info.immediate)
      openclPort::run_elementwise(
          info, spec, [&spec] { return openclPort::kernel_program_text(spec); }, columns, n, out.data(), alone, {},
          whole);
    if (run == 0) continue;
    compute = std::min(compute, info.immediate ? report.compute : alone.compute);
    total = std::min(total, report.total);
  }
  std::printf("%s\t%zu\t%.3f\t%.3f\n", spec.name, n, 1e-9 * n / compute, 1e-9 * n / total);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: throughput ROOT DEVICE [LOG2_N [FUNCTION ...]]\n";
    return 2;
  }
  try {
    openclPort::set_cl_root("nmathopencl", std::string(argv[1]) + "/inst/cl");
    const auto chosen = openclPort::select_device(argv[2]);
    std::cerr << "device: " << chosen.name << "\n";
    std::printf("function\telements\tkernel_Gevals\ttotal_Gevals\n");
    const std::size_t n = std::size_t{1} << (argc > 3 ? std::atoi(argv[3]) : 24);
    for (const auto& spec : openclPort::kernel_registry()) {
      if (spec.kind == openclPort::KernelKind::cells) continue;  // a matrix is not made element by element
      if (argc <= 4 || std::find(argv + 4, argv + argc, std::string(spec.name)) != argv + argc)
        measure(spec, argv[2], n);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "throughput: " << error.what() << "\n";
    return 1;
  }
}
