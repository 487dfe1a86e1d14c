// microbench -- what a call costs beyond its arithmetic: Google Benchmark programs on the core alone.
//
//   microbench ROOT [DEVICE ...] [--benchmark_filter=... and its other options]    devices as in R; host and opencl
//
// one_element: a warm call on one element. stream: from ordinary memory and back, n elements, with one vector and two
// scalar arguments. build: a program from its text, assembled, built and dropped; caches of the driver are the
// caller's to switch off (POCL_KERNEL_CACHE=0, CUDA_CACHE_DISABLE=1). grid: a warm GLM grid.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "device/kernel_bundle.h"
#include "engine/elementwise.h"
#include "glm/ex_glmbayes_opencl.h"
#include "loader/kernel_loader.h"

namespace {

using benchmark::State;
using openclPort::Column;
using openclPort::KernelSpec;
using openclPort::RunReport;

std::vector<Column> columns_of(const KernelSpec& spec, const std::vector<double>& x) {
  static const double kOne = 1.0;
  static const int kNo = 0;
  std::vector<Column> columns{{x.data(), x.size(), Column::Type::f64}};
  columns.resize(spec.n_real, {&kOne, 1, Column::Type::f64});
  columns.resize(spec.n_real + spec.n_flags, {&kNo, 1, Column::Type::i32});
  return columns;
}

// Calls `body`; an error ends this benchmark with its text, and the others go on.
template <typename Body>
bool succeeds(State& state, Body body) {
  try {
    body();
    return true;
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return false;
  }
}

void stream(State& state, const std::string& device, const std::string& function, std::size_t n) {
  const KernelSpec& spec = openclPort::find_kernel_spec(function);
  std::vector<double> x(n), out(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = (static_cast<double>(i % 1000) + 0.5) / 1000.0;
  const std::vector<Column> columns = columns_of(spec, x);
  const auto call = [&] {
    RunReport report;
    openclPort::run_elementwise(device, spec, columns, n, out.data(), report);
    benchmark::DoNotOptimize(out.data());
  };
  if (!succeeds(state, call)) return;  // what is built and kept is built and kept now
  for (auto _ : state)
    if (!succeeds(state, call)) return;
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * n));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * n * 2 * sizeof(double)));
}

void build(State& state, const std::string& device, const std::string& function) {
  const KernelSpec& spec = openclPort::find_kernel_spec(function);
  for (auto _ : state) {
    const bool good = succeeds(state, [&] {
      const auto chosen = openclPort::select_device(device);
      const std::string text = "#define NMATH_RECYCLE 1\n" + openclPort::build_rmath_opencl_program(spec.kernel_file);
      benchmark::DoNotOptimize(openclPort::KernelBundle::from_source(chosen, text).build());
    });
    if (!good) return;
  }
}

void grid(State& state, const std::string& device, int l1, int l2, int m1) {
  const std::size_t observations = static_cast<std::size_t>(l1), points = static_cast<std::size_t>(m1);
  std::vector<double> x(observations * l2, 0.1), b(points * l2, 0.2), mu(l2, 0.0), prior(l2 * l2, 0.0);
  std::vector<double> alpha(l1, 0.0), y(l1, 1.0), wt(l1, 1.0), qf(m1), grad(points * l2);
  ex_glmbayes::opencl::GlmProblem problem{};
  problem.X = x.data(), problem.B = b.data(), problem.mu = mu.data(), problem.P = prior.data();
  problem.alpha = alpha.data(), problem.y = y.data(), problem.wt = wt.data();
  problem.qf = qf.data(), problem.grad = grad.data(), problem.l1 = l1, problem.l2 = l2, problem.m1 = m1;
  const auto& spec = ex_glmbayes::opencl::find_glm_kernel("binomial", "logit");
  const auto call = [&] {
    RunReport report;
    ex_glmbayes::opencl::run_f2_f3(device, spec, problem, report, {});
  };
  if (!succeeds(state, call)) return;
  for (auto _ : state)
    if (!succeeds(state, call)) return;
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * observations * points));
}

void add_benchmarks(const std::string& device) {
  const auto add = [&](const std::string& name, auto body) {
    return benchmark::RegisterBenchmark((name + "/" + device).c_str(), body)->UseRealTime();
  };
  for (const char* function : {"dnorm", "pgamma"}) {
    add(std::string("one_element/") + function, [=](State& s) {
      stream(s, device, function, 1);
    })->Unit(benchmark::kMicrosecond);
    for (const int log2_n : {12, 16, 20, 24})
      add(std::string("stream/") + function + "/2^" + std::to_string(log2_n), [=](State& s) {
        stream(s, device, function, std::size_t{1} << log2_n);
      })->Unit(benchmark::kMillisecond);
    if (device != "host")
      add(std::string("build/") + function, [=](State& s) {
        build(s, device, function);
      })->Unit(benchmark::kMillisecond);
  }
  add("grid/300x5x500", [=](State& s) { grid(s, device, 300, 5, 500); })->Unit(benchmark::kMillisecond);
  add("grid/300x5x20000", [=](State& s) { grid(s, device, 300, 5, 20000); })->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own options away
  if (argc < 2) {
    std::fprintf(stderr, "usage: microbench ROOT [DEVICE ...] [--benchmark_...]\n");
    return 2;
  }
  openclPort::set_cl_root("nmathopencl", std::string(argv[1]) + "/inst/cl");
  std::vector<std::string> devices(argv + 2, argv + argc);
  if (devices.empty()) devices = {"host", "opencl"};
  for (const std::string& device : devices) add_benchmarks(device);
  benchmark::RunSpecifiedBenchmarks();
  openclPort::close_devices();
}
