// ex_glmbayes_grid -- chooses the kernels for a grid of coefficients on a device, and runs them.
#pragma once

#include <string>

#include "device/device_info.h"
#include "glm/ex_glmbayes_opencl.h"

namespace ex_glmbayes::opencl {

// A method with its specialization constants. `options` is what the program is built with.
struct GlmPlan {
  GlmMethod method = GlmMethod::plain;
  std::string options;
  int group = 1;         // work-items
  int group_points = 1;  // grid points per group
  int passes = 1;        // groups per such points: coefficients beyond what one group holds
  int splits = 1;
  int split = 0;  // observations of each
  int row = 0;    // numbers per row that f2_f3_prepare writes
};

GlmPlan plan_glm_grid(const openclPort::DeviceInfo& device, int l1, int l2, int m1, const GlmTuning& tuning = {});

// The program of a kernel for this method; the plain one is build_glm_program().
std::string build_glm_grid_program(const GlmKernelSpec& spec, GlmMethod method);

// Throws NmathError. `compute` of the report is the time from the start of the first kernel to the end of the last,
// where the device tells; of short calls, whose kernels a driver takes as long to time as to run, that until the
// results are here. Chunks of the hooks are grid points.
void run_glm_grid(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                  openclPort::RunReport& report, const openclPort::CallHooks& hooks, const GlmTuning& tuning = {});
void run_glm_grid(const openclPort::DeviceInfo& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                  openclPort::RunReport& report, const openclPort::CallHooks& hooks, const GlmTuning& tuning = {});

// Builds what that takes, so that any thread may run it.
void build_glm_grid(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                    openclPort::RunReport& report, const GlmTuning& tuning = {});

}  // namespace ex_glmbayes::opencl
