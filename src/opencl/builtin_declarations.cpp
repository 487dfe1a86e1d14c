// builtin_declarations -- the builtins that programs of the package call, as declarations.
#include "opencl/builtin_declarations.h"

namespace openclPort {

namespace {

constexpr const char* kDeclarations = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define NMATH_BUILTIN __attribute__((overloadable))
#define NMATH_PURE __attribute__((overloadable, const))
#define NMATH_1(f) double NMATH_PURE f(double); float NMATH_PURE f(float);
#define NMATH_2(f) double NMATH_PURE f(double, double); float NMATH_PURE f(float, float);
#define NMATH_3(f) double NMATH_PURE f(double, double, double); float NMATH_PURE f(float, float, float);
#define NMATH_WHETHER(f) int NMATH_PURE f(double); int NMATH_PURE f(float);
#define NMATH_WHOLE_2(f) int NMATH_PURE f(int, int); uint NMATH_PURE f(uint, uint); long NMATH_PURE f(long, long); \
  ulong NMATH_PURE f(ulong, ulong);
#define NMATH_OF_AXIS(f) size_t NMATH_PURE f(uint);
NMATH_1(acos) NMATH_1(acosh) NMATH_1(acospi) NMATH_1(asin) NMATH_1(asinh) NMATH_1(asinpi) NMATH_1(atan) NMATH_1(atanh)
NMATH_1(atanpi) NMATH_1(cbrt) NMATH_1(ceil) NMATH_1(cos) NMATH_1(cosh) NMATH_1(cospi) NMATH_1(exp) NMATH_1(exp10)
NMATH_1(exp2) NMATH_1(expm1) NMATH_1(fabs) NMATH_1(floor) NMATH_1(lgamma) NMATH_1(log) NMATH_1(log10) NMATH_1(log1p)
NMATH_1(log2) NMATH_1(logb) NMATH_1(rint) NMATH_1(round) NMATH_1(rsqrt) NMATH_1(sign) NMATH_1(sin) NMATH_1(sinh)
NMATH_1(sinpi) NMATH_1(sqrt) NMATH_1(tan) NMATH_1(tanh) NMATH_1(tanpi) NMATH_1(tgamma) NMATH_1(trunc)
NMATH_2(atan2) NMATH_2(copysign) NMATH_2(fdim) NMATH_2(fmax) NMATH_2(fmin) NMATH_2(fmod) NMATH_2(hypot) NMATH_2(max)
NMATH_2(min) NMATH_2(nextafter) NMATH_2(pow) NMATH_2(powr) NMATH_2(remainder)
NMATH_3(clamp) NMATH_3(fma) NMATH_3(mad)
double2 NMATH_PURE fma(double2, double2, double2); double8 NMATH_BUILTIN vload8(size_t, const __global double *);
NMATH_WHETHER(isfinite) NMATH_WHETHER(isinf) NMATH_WHETHER(isnan) NMATH_WHETHER(isnormal) NMATH_WHETHER(signbit)
NMATH_WHOLE_2(max) NMATH_WHOLE_2(min) NMATH_WHOLE_2(mul_hi)
uint NMATH_PURE abs(int); ulong NMATH_PURE abs(long);
double NMATH_PURE ldexp(double, int); float NMATH_PURE ldexp(float, int);
double NMATH_BUILTIN frexp(double, __private int *); float NMATH_BUILTIN frexp(float, __private int *);
float NMATH_PURE native_recip(float); float NMATH_PURE native_rsqrt(float);
NMATH_OF_AXIS(get_global_id) NMATH_OF_AXIS(get_global_size) NMATH_OF_AXIS(get_group_id) NMATH_OF_AXIS(get_local_id)
NMATH_OF_AXIS(get_local_size) NMATH_OF_AXIS(get_num_groups)
int NMATH_BUILTIN atomic_or(volatile __global int *, int); int NMATH_BUILTIN atomic_or(volatile __local int *, int);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
#line 1
)";

}  // namespace

bool takes_builtin_declarations(const DeviceInfo& device) {
  return device.platform_version.find("PoCL 3.") != std::string::npos;
}

std::string with_builtin_declarations(const std::string& text) { return kDeclarations + text; }

std::string without_drivers_header(const std::string& options) {
  return options + (options.empty() ? "" : " ") + "-D_OPENCL_H_";
}

}  // namespace openclPort
