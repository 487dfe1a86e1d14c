// nd_range_kernel -- runs a user's kernel with the results, range, groups and local memory that R describes.
#pragma once

#include <functional>

#include "device/kernel_call.h"
#include "r_boundary.h"

// `given`: list(args, arg_names, out_names, out_sizes, local_names, local_sizes, range, group, seed, keep), as
// R/own_kernels.R makes it. Each parameter of the kernel is, by its name, a result or local memory, else the seed of a
// call that draws, else an argument of that name or the next one without a name; `len`, where nobody gives it, is the
// number of work-items. Gives list(value, warnings, report); `value` has a vector for each result, or,
// with `keep`, the handle of one that is resident on the device.
SEXP run_nd_range_kernel(const std::function<openclPort::KernelCall()>& make_call, const std::string& kernel_name,
                         SEXP given, openclPort::RunReport& report);
