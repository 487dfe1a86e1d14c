// elementwise -- a function applied element by element to recycled columns, on any device.
//
// Nothing here owns memory: columns and results belong to the caller for the duration of the call.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/device_draws.h"
#include "engine/elementwise_plan.h"

namespace openclPort {

// `spec` applied to elements 0 ... n-1 of the recycled columns, results straight into `out`. Device memory, and page-
// locked host memory, are bounded for any n. `program_text` is called only if the device has to build the program of
// spec.kernel_file; the text is built with NMATH_RECYCLE defined (see OPENCL.cl). `out` must not overlap the columns.
// Random draws follow from `stream`, the same ones on every device but for rounding.
void run_elementwise(const DeviceInfo& device, const KernelSpec& spec, const ProgramText& program_text,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks = {}, const ElementwiseOptions& options = {}, DrawStream stream = 0);

// The same for a function of the table, on the device given as in `device =`: "host", "auto", "opencl", "gpu", "cpu",
// an index, a name.
void run_elementwise(const std::string& device, const KernelSpec& spec, const std::vector<Column>& columns,
                     std::size_t n, double* out, RunReport& report, const CallHooks& hooks = {}, DrawStream stream = 0);

// And on several devices, each with some of the elements: results and draws are those of any one of them but for
// rounding.
void run_elementwise(const std::vector<SharedDevice>& devices, const KernelSpec& spec,
                     const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                     const CallHooks& hooks = {}, DrawStream stream = 0);

// Draws that are resident on devices with memory of their own: those of run_elementwise(). `na`: see DrawStore.
DrawsFound run_resident_draws(const std::vector<ElementwisePart>& parts, bool na, RunReport& report,
                              const CallHooks& hooks = {});

}  // namespace openclPort
