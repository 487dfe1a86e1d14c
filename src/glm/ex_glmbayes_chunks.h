// ex_glmbayes_chunks -- shared by the runners of a grid: sizes of launches, files of methods.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/device.h"
#include "engine/work_chunks.h"
#include "glm/ex_glmbayes_opencl.h"

namespace ex_glmbayes::opencl {

// Terms of the first launch: some hundredths of a second of a CPU, a quarter of a second of a small GPU.
inline constexpr double kFirstTerms = 1e8, kFirstGpuTerms = 5e9;

inline int divide_up(int n, int by) { return static_cast<int>((static_cast<std::int64_t>(n) + by - 1) / by); }
inline int round_up(int n, int multiple) { return divide_up(n, multiple) * multiple; }

// Observations times coefficients of one grid point, with what an observation costs besides.
inline double terms_of_point(const GlmProblem& p) { return static_cast<double>(p.l1) * (p.l2 + 16.0); }

// Grid points of a launch: `terms` at first, whole multiples of `multiple`, at most `most`.
inline openclPort::Pace grid_pace(const GlmProblem& p, double terms, int multiple, int most, const GlmTuning& tuning) {
  if (tuning.points > 0) return openclPort::Pace(tuning.points, tuning.points, 1.0);
  const double first = std::min(terms / terms_of_point(p), 1e9);
  const std::size_t least = static_cast<std::size_t>(multiple);
  return openclPort::Pace(std::max(least, static_cast<std::size_t>(first)), std::max<std::size_t>(least, most), 4.0);
}

// Of inst/cl/ex_glmbayes_body, without its ending.
inline const char* file_of(GlmMethod method) {
  switch (method) {
    case GlmMethod::lanes:
      return "f2_f3_lanes";
    case GlmMethod::tile:
      return "f2_f3_tile";
    case GlmMethod::matrix:
      return "f2_f3_matrix";
    default:
      return "";
  }
}

// By tiles or on matrix units, in groups; false, and nothing done, where the device does not run groups as large as the
// method's.
bool run_glm_groups(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                    const GlmTuning& tuning, openclPort::RunReport& report, const openclPort::CallHooks& hooks);
// Builds what that takes; false as above.
bool build_glm_groups(const openclPort::SharedDevice& device, const GlmKernelSpec& spec, const GlmProblem& problem,
                      const GlmTuning& tuning, openclPort::RunReport& report);

}  // namespace ex_glmbayes::opencl
