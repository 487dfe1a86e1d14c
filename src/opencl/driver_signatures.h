// driver_signatures -- reads the parameters of a program's kernels from its driver.
#pragma once

#include "loader/kernel_signature.h"
#include "opencl/cl_api.h"

namespace openclPort {

// Drivers need not keep what arguments are: none of it is an error.
KernelSignatures driver_signatures(cl_program program);

}  // namespace openclPort
