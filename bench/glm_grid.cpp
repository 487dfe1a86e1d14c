// glm_grid -- time and error of the GLM kernels on one device, against the host device.
//
//   glm_grid ROOT DEVICE [METHOD ...]
//
// METHOD is auto, plain, lanes, tile, matrix, with @DEPTH, /STEP, xSPLITS at the end: "tile/4x8".
// Without one: auto. GLM_SIZES="300x5x500 ..." and GLM_KERNELS="f2_f3_poisson ..." replace the sizes (l1 x l2 x m1) and
// the kernels; GLM_WEIGHTS=1 draws weights, some of them 0, instead of 1. Prints a TSV: kernel, sizes, method, seconds
// to build, kernel ms (device time from the start of the first to the end of the last), call ms (from and to ordinary
// memory), both the best of 7 warm calls, and the largest errors of qf (relative) and grad (over its mean size), at up
// to 2000 grid points.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "../tests/cpp/glm_random.h"
#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "glm/ex_glmbayes_grid.h"
#include "loader/kernel_loader.h"

namespace {

using namespace ex_glmbayes::opencl;

using glm_test::Problem;

ex_glmbayes::opencl::GlmProblem launch_of(const Problem& a, int m1, std::vector<double>& qf,
                                          std::vector<double>& grad) {
  qf.assign(m1, 0.0);
  grad.assign(static_cast<std::size_t>(m1) * a.l2, 0.0);
  return {a.x.data(),  a.b.data(), a.mu.data(), a.p.data(), a.alpha.data(), a.y.data(),
          a.wt.data(), qf.data(),  grad.data(), a.l1,       a.l2,           m1};
}

GlmTuning parse_method(std::string text) {
  GlmTuning tuning;
  const auto number_after = [&](char mark) {
    const std::size_t at = text.rfind(mark);
    if (at == std::string::npos || at + 1 >= text.size() || !std::isdigit(text[at + 1])) return 0;
    const int value = std::atoi(text.c_str() + at + 1);
    text.resize(at);
    return value;
  };
  tuning.splits = number_after('x');
  tuning.step = number_after('/');
  tuning.depth = number_after('@');
  const std::pair<const char*, GlmMethod> names[] = {{"auto", GlmMethod::automatic},
                                                     {"plain", GlmMethod::plain},
                                                     {"lanes", GlmMethod::lanes},
                                                     {"tile", GlmMethod::tile},
                                                     {"matrix", GlmMethod::matrix}};
  for (const auto& row : names)
    if (text == row.first) {
      tuning.method = row.second;
      return tuning;
    }
  throw openclPort::NmathError("no method " + text);
}

void measure(const openclPort::DeviceInfo& device, const GlmKernelSpec& spec, const Problem& a,
             const std::vector<std::string>& methods) {
  const int checked = std::min(a.m1, 2000);
  std::vector<double> qf, grad, qf0, grad0;
  openclPort::RunReport report;
  run_f2_f3("host", spec, launch_of(a, checked, qf0, grad0), report, {});
  double size = 0.0;
  for (const double value : grad0) size += std::fabs(value) / grad0.size();
  for (const std::string& method : methods) try {
      double build = 0.0, kernel = 1e9, total = 1e9;
      const ex_glmbayes::opencl::GlmProblem launch = launch_of(a, a.m1, qf, grad);
      ex_glmbayes::opencl::GlmTuning tuning = parse_method(method);
      for (int run = 0; run < 4; ++run) {
        tuning.timed = true;
        report = openclPort::RunReport();
        run_glm_grid(device, spec, launch, report, {}, tuning);
        if (run == 0) build = report.build;
        if (run > 0) kernel = std::min(kernel, report.compute);
      }
      tuning.timed = false;
      for (int run = 0; run < 8; ++run) {
        report = openclPort::RunReport();
        openclPort::Stopwatch watch;
        run_glm_grid(device, spec, launch, report, {}, tuning);
        total = std::min(total, watch.lap());
      }
      double qf_error = 0.0, grad_error = 0.0;
      for (int j = 0; j < checked; ++j) {
        qf_error = std::max(qf_error, std::fabs(qf[j] - qf0[j]) / std::fabs(qf0[j]));
        for (std::size_t k = 0; k < static_cast<std::size_t>(a.l2); ++k)
          grad_error = std::max(grad_error, std::fabs(grad[k * a.m1 + j] - grad0[k * checked + j]) / size);
      }
      std::printf("%s\t%dx%dx%d\t%s\t%.2f\t%.4f\t%.3f\t%.1e\t%.1e\n", spec.kernel_name, a.l1, a.l2, a.m1,
                  method.c_str(), build, 1e3 * kernel, 1e3 * total, qf_error, grad_error);
      std::fflush(stdout);
    } catch (const openclPort::NmathError& error) {
      std::printf("%s\t%dx%dx%d\t%s\tfailed: %s\n", spec.kernel_name, a.l1, a.l2, a.m1, method.c_str(), error.what());
    }
}

std::vector<std::string> words(const char* variable, const char* otherwise) {
  const char* value = std::getenv(variable);
  std::istringstream in(value != nullptr ? value : otherwise);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: glm_grid ROOT DEVICE [METHOD ...]\n";
    return 2;
  }
  try {
    openclPort::set_cl_root("nmathopencl", std::string(argv[1]) + "/inst/cl");
    const auto device = openclPort::select_device(argv[2]);
    std::cerr << "device: " << device.name << "\n";
    std::vector<std::string> methods(argv + 3, argv + argc);
    if (methods.empty()) methods.push_back("auto");
    const bool weighted = !words("GLM_WEIGHTS", "").empty();
    std::printf("kernel\tl1xl2xm1\tmethod\tbuild_s\tkernel_ms\tcall_ms\tqf_error\tgrad_error\n");
    for (const std::string& size : words("GLM_SIZES",
                                         "300x5x500 300x5x20000 1000x14x16384 1000x14x262144 "
                                         "10000x30x16384 5000x64x65536"))
      for (const std::string& kernel : words("GLM_KERNELS", "f2_f3_binomial_logit f2_f3_poisson")) {
        int l1 = 0, l2 = 0, m1 = 0;
        if (std::sscanf(size.c_str(), "%dx%dx%d", &l1, &l2, &m1) != 3) throw openclPort::NmathError("no size " + size);
        const auto& all = glm_kernel_registry();
        const auto spec = std::find_if(all.begin(), all.end(), [&](const auto& s) { return kernel == s.kernel_name; });
        if (spec == all.end()) throw openclPort::NmathError("no kernel " + kernel);
        measure(device, *spec, glm_test::random_problem(kernel, l1, l2, m1, weighted, 1), methods);
      }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "glm_grid: " << error.what() << "\n";
    return 1;
  }
}
