// ex_glmbayes_opencl -- the worked example: log-posterior and gradient of a GLM over a grid of coefficients.
#pragma once

#include <string>
#include <vector>

#include "base/report.h"
#include "device/device.h"

namespace ex_glmbayes::opencl {

// A kernel of inst/cl/ex_glmbayes_src and its file; rows are generated.
struct GlmKernelSpec {
  const char* kernel_name;
  const char* kernel_file;
};

const std::vector<GlmKernelSpec>& glm_kernel_registry();

// A row of inst/spec/glm.tsv.
struct GlmFamily {
  const char *family, *link, *kernel;
};

const std::vector<GlmFamily>& glm_families();

// The kernel of a family and link; throws NmathError naming what is unknown and what there is.
const GlmKernelSpec& find_glm_kernel(const std::string& family, const std::string& link);

// The whole program of a kernel: layers, the curated nmath subset, the shared body, the kernel.
std::string build_glm_program(const GlmKernelSpec& spec);

// l1 observations, l2 coefficients, m1 grid points. X is l1 x l2 and P l2 x l2, column-major; B holds the l2
// coefficients of grid point 1, then of grid point 2, and so on; grad is m1 x l2, column-major, or has m1 of its
// `rows`.
struct GlmProblem {
  const double *X, *B, *mu, *P, *alpha, *y, *wt;
  double *qf, *grad;
  int l1, l2, m1;
  std::size_t rows = 0;  // 0: m1
  std::size_t grad_rows() const { return rows > 0 ? rows : static_cast<std::size_t>(m1); }
  // What is resident on the device already; its pointer is not looked at then.
  struct OnDevice {
    const openclPort::Buffer *X = nullptr, *B = nullptr, *alpha = nullptr, *y = nullptr, *wt = nullptr;
  } at = {};
};

// plain: the documented kernel, one work-item per grid point. lanes: f2_f3_lanes, for processors with few wide cores.
// tile, matrix: f2_f3_tile and f2_f3_matrix, for many small ones.
enum class GlmMethod { automatic, plain, lanes, tile, matrix };

// What may be set by hand, for tests and measurements; 0 leaves the choice to plan_glm_grid().
struct GlmTuning {
  GlmMethod method = GlmMethod::automatic;
  int splits = 0;      // parts of the observations
  int step = 0;        // tile: observations at a time
  int depth = 0;       // matrix: depth of an instruction
  int points = 0;      // grid points of a launch, by time otherwise
  bool timed = false;  // the device's clock says what its kernels take, whatever that costs a short call
};

// Straight from and to the caller's memory. Throws NmathError.
void run_f2_f3(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
               openclPort::RunReport& report, const openclPort::CallHooks& hooks);
// On several, each with some of the grid points; nothing is resident on a device.
void run_f2_f3(const std::vector<openclPort::SharedDevice>& devices, const GlmKernelSpec& spec,
               const GlmProblem& problem, openclPort::RunReport& report, const openclPort::CallHooks& hooks);
// On one given as in `device =`.
void run_f2_f3(const std::string& device, const GlmKernelSpec& spec, const GlmProblem& problem,
               openclPort::RunReport& report, const openclPort::CallHooks& hooks);

}  // namespace ex_glmbayes::opencl
