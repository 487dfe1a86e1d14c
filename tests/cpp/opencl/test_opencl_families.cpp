// test_opencl_families -- every GLM kernel on every OpenCL device against the host device, over sizes that fill no
// group.
#include <algorithm>
#include <cmath>
#include <random>

#include "glm/ex_glmbayes_opencl.h"
#include "loader/kernel_loader.h"
#include "opencl_test.h"

using namespace opencl_test;
using namespace ex_glmbayes::opencl;

namespace {

struct Grid {
  std::vector<double> qf, grad;
};

// A random problem that suits every family: y is 0 or 1 and positive where it must be, weights are whole numbers.
Grid run_grid(const std::string& device, const GlmKernelSpec& spec, int l1, int l2, int m1) {
  std::mt19937_64 engine(static_cast<unsigned>(1000 * l1 + 10 * l2 + m1));
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&](int n, double scale) {
    std::vector<double> values(n);
    for (double& value : values) value = scale * uniform(engine);
    return values;
  };
  std::vector<double> x = draw(l1 * l2, 1.0), b = draw(l2 * m1, 1.0 / l2), mu = draw(l2, 0.3), alpha = draw(l1, 0.2);
  std::vector<double> prior(static_cast<std::size_t>(l2) * l2, 0.1), y(l1), wt(l1);
  for (int k = 0; k < l2; ++k) prior[k * (l2 + 1)] = 1.0;
  const bool positive = has(spec.kernel_name, "gamma");
  for (int i = 0; i < l1; ++i) {
    y[i] = positive ? 0.5 + i % 3 : i % 2;
    wt[i] = 1 + i % 4;
  }
  Grid grid{std::vector<double>(m1, -1.0), std::vector<double>(static_cast<std::size_t>(m1) * l2, -1.0)};
  ex_glmbayes::opencl::GlmProblem problem{};
  problem.X = x.data(), problem.B = b.data(), problem.mu = mu.data(), problem.P = prior.data();
  problem.alpha = alpha.data(), problem.y = y.data(), problem.wt = wt.data();
  problem.qf = grid.qf.data(), problem.grad = grid.grad.data(), problem.l1 = l1, problem.l2 = l2, problem.m1 = m1;
  RunReport report;
  run_f2_f3(device, spec, problem, report, {});
  return grid;
}

double worst_difference(const std::vector<double>& got, const std::vector<double>& want) {
  double scale = 1.0, difference = 0.0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    scale = std::max(scale, std::fabs(want[k]));
    difference = std::max(difference, std::fabs(got[k] - want[k]));
    if (std::isnan(got[k])) return got[k];
  }
  return difference / scale;
}

}  // namespace

TEST_F(OnEveryDevice, every_glm_kernel_agrees_with_the_host) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  for (const DeviceInfo& device : working_devices()) {
    const bool slow = has(device.platform_name, "Oclgrind");
    struct Size {
      int l1, l2, m1;
    };
    std::vector<Size> sizes{{1, 1, 1}, {7, 2, 3}, {37, 5, 70}};
    if (!slow) sizes.insert(sizes.end(), {{300, 14, 500}, {130, 67, 33}, {65, 32, 1025}, {5, 130, 9}});
    for (const GlmKernelSpec& spec : glm_kernel_registry())
      for (const Size& size : sizes) {
        SCOPED_TRACE(std::string(spec.kernel_name) + " on " + device.name + ", l1 = " + std::to_string(size.l1) +
                     ", l2 = " + std::to_string(size.l2) + ", m1 = " + std::to_string(size.m1));
        const Grid want = run_grid("host", spec, size.l1, size.l2, size.m1);
        const Grid got = run_grid(std::to_string(device.index), spec, size.l1, size.l2, size.m1);
        EXPECT_LT(worst_difference(got.qf, want.qf), 1e-11);
        EXPECT_LT(worst_difference(got.grad, want.grad), 1e-11);
      }
  }
}
