// @library_deps: nmath
// @depends_nmath: dnorm

// log_density_kernel -- the log density of the normal distribution with mean 0.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void log_density_kernel(__global const double* x, __global const double* sd, __global double* out,
                                 const int len)
{
    const int i = get_global_id(0);
    if (i < len) out[i] = dnorm(x[i], 0.0, sd[i], 1);
}
