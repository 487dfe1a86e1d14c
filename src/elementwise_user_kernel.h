// elementwise_user_kernel -- runs a user's elementwise kernel for R: columns of n elements, then out and len.
//
// What R gives is converted to what the kernel's signature asks for; what cannot be, is an error that names the
// parameter.
#pragma once

#include <functional>

#include "device/kernel_call.h"
#include "r_boundary.h"
#include "vector_columns.h"

// `columns`: a list of doubles, integers or logicals, or handles of such on the device, each of n elements or one.
// `make_call` is called only if there is something to compute, so that nothing is built for nothing. The result is a
// vector of doubles, or of integers where `out` is one, or, if `keep`, the handle of one that is resident on the
// device; it is not protected.
SEXP run_elementwise_user_kernel(const std::function<openclPort::KernelCall()>& make_call,
                                 const std::string& kernel_name, SEXP columns, int n, bool keep,
                                 openclPort::RunReport& report);
