// glm_problem -- GLM problems run, and the reference kernel of the host device as what all others are held to.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "device/devices.h"
#include "glm/ex_glmbayes_grid.h"
#include "glm_random.h"

namespace glm_test {

using ex_glmbayes::opencl::glm_kernel_registry;
using ex_glmbayes::opencl::GlmKernelSpec;
using ex_glmbayes::opencl::GlmMethod;
using ex_glmbayes::opencl::GlmProblem;
using ex_glmbayes::opencl::GlmTuning;

struct Result {
  std::vector<double> qf, grad;
};

inline GlmProblem problem_of(const Problem& a, Result& result) {
  result.qf.assign(a.m1, NAN);
  result.grad.assign(static_cast<std::size_t>(a.m1) * a.l2, NAN);
  return {a.x.data(),  a.b.data(),       a.mu.data(),        a.p.data(), a.alpha.data(), a.y.data(),
          a.wt.data(), result.qf.data(), result.grad.data(), a.l1,       a.l2,           a.m1};
}

inline Result plain_result(const GlmKernelSpec& spec, const Problem& a) {
  Result result;
  const GlmProblem problem = problem_of(a, result);
  openclPort::RunReport report;
  GlmTuning plain;
  plain.method = GlmMethod::plain;
  run_glm_grid(openclPort::host_device(), spec, problem, report, {}, plain);
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
