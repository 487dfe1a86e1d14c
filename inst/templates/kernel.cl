// @library_deps: nmath
// @depends_nmath: {{stems}}

// {{name}} -- {{title}}, a work-item for each element.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void {{name}}_kernel({{parameters}},
    __global double* out, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    double value = 0.0;
{{terms}}
    out[i] = value;
}
