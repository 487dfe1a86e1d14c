// glm_problem -- random GLM problems, and the plain kernel of the host device as what all others are held to.
#ifndef NMATHOPENCL_GLM_PROBLEM_H
#define NMATHOPENCL_GLM_PROBLEM_H

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ex_glmbayes_opencl.h"

namespace glm_test {

using ex_glmbayes::opencl::glm_kernel_registry;
using ex_glmbayes::opencl::GlmKernelSpec;

struct Problem {
  int l1, l2, m1;
  std::vector<double> x, b, mu, p, alpha, y, wt;
};

struct Result {
  std::vector<double> qf, grad;
};

// Weights 0 to 4, or 1 throughout; counts on both sides of the limit at which the poisson kernel changes its form.
inline Problem random_problem(const std::string& kernel, int l1, int l2, int m1, bool weighted, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Problem a{l1, l2, m1, {}, {}, {}, {}, {}, {}, {}};
  const auto draw = [&](std::vector<double>& to, std::size_t n, double scale) {
    to.resize(n);
    for (double& value : to) value = scale * normal(engine);
  };
  draw(a.x, static_cast<std::size_t>(l1) * l2, 1.0);
  draw(a.b, static_cast<std::size_t>(m1) * l2, 1.0 / std::sqrt(l2));
  draw(a.mu, l2, 0.1);
  draw(a.p, static_cast<std::size_t>(l2) * l2, 0.1);
  for (int k = 0; k < l2; ++k) a.p[static_cast<std::size_t>(k) * l2 + k] += 2.0;
  draw(a.alpha, l1, 0.1);
  const bool binomial = kernel.find("binomial") != std::string::npos;
  for (int i = 0; i < l1; ++i) {
    const double n = weighted ? std::floor(5 * uniform(engine)) : 1.0, u = uniform(engine);
    a.wt.push_back(n);
    a.y.push_back(binomial ? (n > 0 ? std::floor(u * (n + 1)) / n : 0.0) : 1.0 + std::floor(u * (i % 5 == 0 ? 200 : 9)));
  }
  return a;
}

inline nmath_host_glm_launch launch_of(const Problem& a, Result& result) {
  result.qf.assign(a.m1, NAN);
  result.grad.assign(static_cast<std::size_t>(a.m1) * a.l2, NAN);
  return {a.x.data(),  a.b.data(),       a.mu.data(),        a.p.data(), a.alpha.data(), a.y.data(),
          a.wt.data(), result.qf.data(), result.grad.data(), a.l1,       a.l2,           a.m1};
}

inline Result plain_result(const GlmKernelSpec& spec, const Problem& a) {
  Result result;
  const nmath_host_glm_launch launch = launch_of(a, result);
  spec.host(&launch, 0, a.m1);
  return result;
}

inline void expect_same(const Result& got, const Result& want, const std::string& label) {
  double size = 0.0;
  for (const double value : want.grad) size += std::fabs(value) / want.grad.size();
  for (std::size_t j = 0; j < want.qf.size(); ++j)
    ASSERT_LT(std::fabs(got.qf[j] - want.qf[j]), 1e-13 * std::fabs(want.qf[j])) << label << " qf " << j;
  for (std::size_t j = 0; j < want.grad.size(); ++j)
    ASSERT_LT(std::fabs(got.grad[j] - want.grad[j]), 1e-12 * size) << label << " grad " << j;
}

inline std::string label_of(const GlmKernelSpec& spec, const Problem& a) {
  return std::string(spec.kernel_name) + " " + std::to_string(a.l1) + "x" + std::to_string(a.l2) + "x" +
         std::to_string(a.m1);
}

}  // namespace glm_test

#endif
