// HOST.cl -- what stands before a program that the host device compiles as C: OpenCL C's words, in C.
//
// The loader puts it before OPENCL.cl, and src/host/host_text.cpp gives each kernel one more parameter, `nmath_item`, the
// work-item, and a launcher behind its body. A function that is no kernel asks a variable of the same name. A group's
// work-items run on one thread, one at a time, and change places at barriers: so a variable in local memory is one of that
// thread. GNU C, as gcc and clang have it. Left out: vector types, images, samplers, events, pipes.

#include <float.h>
#include <limits.h>
#define gamma nmath_gamma_of_c // C's libraries have lgamma() by this name, OpenCL C has nothing
#include <math.h>
#undef gamma
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NMATH_HOST_TEXT 1
#define cl_khr_fp64 1

// ---- types ----

#undef uchar
#undef ushort
#undef uint
#undef ulong
#define uchar unsigned char
#define ushort unsigned short
#define uint unsigned int
#ifdef _WIN32
#ifndef NMATH_EXPAND // what the preprocessor makes of a program is read once more
#define long long long
#endif
// mingw-w64's macros of these names say "long double".
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#endif
#define ulong unsigned long
#define MAXFLOAT FLT_MAX
#undef HUGE_VALF
#define HUGE_VALF ((float)INFINITY)

// ---- launches ----

typedef union {
    void *memory;
    double v_double;
    float v_float;
    char v_char;
    uchar v_uchar;
    short v_short;
    ushort v_ushort;
    int v_int;
    uint v_uint;
    int64_t v_long;
    uint64_t v_ulong;
} nmath_argument;

typedef struct {
    size_t total[3], group[3];
    unsigned dimensions;
    void (*wait)(void *group); // for the other work-items of this one's group
    const volatile unsigned char *stopped; // not 0 where nobody wants the results any more
} nmath_range;

typedef struct {
    size_t id[3];
    const nmath_range *range;
    void *group; // null where it has one work-item, or no barrier
} nmath_work_item;

typedef struct {
    const char *name, *signature;
    unsigned arguments, barrier, required[3];
    void (*run)(const nmath_argument *arguments, const nmath_range *range, size_t begin, size_t end);
    void (*item)(const nmath_argument *arguments, const nmath_work_item *item);
} nmath_kernel;

#ifdef _WIN32
#define NMATH_EXPORT __attribute__((dllexport))
#else
#define NMATH_EXPORT __attribute__((visibility("default")))
#endif
NMATH_EXPORT nmath_kernel nmath_kernels[NMATH_KERNELS + 1];
static unsigned nmath_kernel_count;

// Bytes of a work-item's private arrays, where they are many: known once the text was compiled (host_compiler.cpp).
#ifdef NMATH_STACK_BYTES
#define NMATH_NAME_OF_STACK(table) table##_stack
#define NMATH_STACK_OF(table) NMATH_NAME_OF_STACK(table)
NMATH_EXPORT const uint64_t NMATH_STACK_OF(nmath_kernels) = NMATH_STACK_BYTES;
#endif

#define NMATH_ADD_KERNEL(number, kernel, signature, arguments, barrier, x, y, z, run, item)          \
    __attribute__((constructor)) static void nmath_add_##number(void)                               \
    {                                                                                              \
        nmath_kernel row = {kernel, signature, arguments, barrier, {x, y, z}, run, item};            \
        nmath_kernels[nmath_kernel_count++] = row;                                                  \
    }

// Work-items [begin, end) of all, x running fastest.
#define NMATH_EACH_ITEM(range, begin, end, call)                                                     \
    size_t nmath_x = begin % range->total[0], nmath_y = begin / range->total[0] % range->total[1]; \
    size_t nmath_z = begin / range->total[0] / range->total[1];                                    \
    while (begin < end) {                                                                          \
        size_t nmath_stop = nmath_x + (end - begin);                                                \
        if (nmath_stop > range->total[0]) nmath_stop = range->total[0];                            \
        begin += nmath_stop - nmath_x;                                                              \
        for (; nmath_x < nmath_stop; ++nmath_x) {                                                   \
            const nmath_work_item nmath_one = {{nmath_x, nmath_y, nmath_z}, range, 0};               \
            NMATH_SET_ITEM(&nmath_one);                                                             \
            call;                                                                                  \
        }                                                                                          \
        nmath_x = 0;                                                                                \
        if (++nmath_y == range->total[1]) {                                                        \
            nmath_y = 0;                                                                            \
            ++nmath_z;                                                                              \
        }                                                                                          \
    }

#define NMATH_GROUP_MEMORY static _Thread_local
#if defined(NMATH_LINKED) && !defined(_WIN32) // with other objects, whose functions may ask: one variable for all of them
#undef NMATH_ITEM_ASKED
#define NMATH_ITEM_ASKED 1
#define NMATH_ITEM_SCOPE __attribute__((weak))
#else
#define NMATH_ITEM_SCOPE static
#endif
#ifdef NMATH_ITEM_ASKED // by a function that is no kernel
NMATH_ITEM_SCOPE _Thread_local const nmath_work_item *nmath_item;
static inline void nmath_set_item(const nmath_work_item *item) { nmath_item = item; }
#define NMATH_SET_ITEM(item) nmath_set_item(item)
#else
#define NMATH_SET_ITEM(item) ((void)0)
#endif

static inline size_t nmath_at(const size_t *sizes, uint d, size_t other) { return d < 3 ? sizes[d] : other; }
#define get_work_dim() (nmath_item->range->dimensions)
#define get_global_id(d) nmath_at(nmath_item->id, d, 0)
#define get_global_size(d) nmath_at(nmath_item->range->total, d, 1)
#define get_global_offset(d) ((size_t)0 * (d))
#define get_local_size(d) nmath_at(nmath_item->range->group, d, 1)
#define get_local_id(d) (get_global_id(d) % get_local_size(d))
#define get_group_id(d) (get_global_id(d) / get_local_size(d))
#define get_num_groups(d) (get_global_size(d) / get_local_size(d))
#define get_global_linear_id() \
    ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0))
#define get_local_linear_id() \
    ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))

static inline void nmath_barrier(const nmath_work_item *item)
{
    if (item->group) {
        item->range->wait(item->group);
        NMATH_SET_ITEM(item);
    }
}
#define NMATH_STOPPED() (*nmath_item->range->stopped != 0) // in kernels
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(flags) nmath_barrier(nmath_item)
#define work_group_barrier(...) nmath_barrier(nmath_item)
#define mem_fence(flags) __sync_synchronize()
#define read_mem_fence(flags) __sync_synchronize()
#define write_mem_fence(flags) __sync_synchronize()
#define prefetch(from, count) ((void)0)

// ---- bits and conversions ----

#define NMATH_AS(name, to, from) \
    static inline to name(from x) { to y; memcpy(&y, &x, sizeof y); return y; }
NMATH_AS(nmath_double_as_ulong, ulong, double)
NMATH_AS(nmath_ulong_as_double, double, ulong)
NMATH_AS(nmath_float_as_uint, uint, float)
NMATH_AS(nmath_uint_as_float, float, uint)
#define NMATH_8_BYTES(x) _Generic((x), double: nmath_double_as_ulong, default: nmath_same_ulong)(x)
#define NMATH_4_BYTES(x) _Generic((x), float: nmath_float_as_uint, default: nmath_same_uint)(x)
static inline ulong nmath_same_ulong(ulong x) { return x; }
static inline uint nmath_same_uint(uint x) { return x; }
#define as_ulong(x) NMATH_8_BYTES(x)
#define as_long(x) ((long)NMATH_8_BYTES(x))
#define as_double(x) nmath_ulong_as_double(NMATH_8_BYTES(x))
#define as_uint(x) NMATH_4_BYTES(x)
#define as_int(x) ((int)NMATH_4_BYTES(x))
#define as_float(x) nmath_uint_as_float(NMATH_4_BYTES(x))

#define convert_double(x) ((double)(x))
#define convert_float(x) ((float)(x))
#define convert_char(x) ((char)(x))
#define convert_uchar(x) ((uchar)(x))
#define convert_short(x) ((short)(x))
#define convert_ushort(x) ((ushort)(x))
#define convert_int(x) ((int)(x))
#define convert_uint(x) ((uint)(x))
#define convert_long(x) ((long)(x))
#define convert_ulong(x) ((ulong)(x))
#define convert_int_rte(x) ((int)rint(x))
#define convert_int_rtz(x) ((int)(x))
#define convert_int_rtn(x) ((int)floor(x))
#define convert_int_rtp(x) ((int)ceil(x))
#define convert_uint_rte(x) ((uint)rint(x))
#define convert_long_rte(x) ((long)rint(x))
#define convert_long_rtz(x) ((long)(x))
#define convert_long_rtn(x) ((long)floor(x))
#define convert_long_rtp(x) ((long)ceil(x))
#define convert_ulong_rte(x) ((ulong)rint(x))

// ---- functions of several types ----

#define NMATH_OF_TYPES(define)                                                                       \
    define(double, d) define(float, f) define(int, i) define(uint, u) define(long, l) define(ulong, v)
#ifdef _WIN32
#define NMATH_LONGS(name) long: name##_l, ulong: name##_v
#else
#define NMATH_LONGS(name) long: name##_l, ulong: name##_v, long long: name##_l, unsigned long long: name##_v
#endif
#define NMATH_FOR_TYPE(x, name) \
    _Generic((x), double: name##_d, float: name##_f, uint: name##_u, NMATH_LONGS(name), default: name##_i)
#define NMATH_MIN_MAX(T, t)                                                                          \
    static inline T nmath_min_##t(T x, T y) { return y < x ? y : x; }                                \
    static inline T nmath_max_##t(T x, T y) { return x < y ? y : x; }
NMATH_OF_TYPES(NMATH_MIN_MAX)
#define min(x, y) NMATH_FOR_TYPE((x) + (y), nmath_min)((x), (y))
#define max(x, y) NMATH_FOR_TYPE((x) + (y), nmath_max)((x), (y))
#define clamp(x, low, high) min(max((x), (low)), (high))

#define NMATH_INTEGERS(T, U, t, bits)                                                                \
    static inline U nmath_abs_##t(T x) { return x < 0 ? (U)0 - (U)x : (U)x; }                        \
    static inline U nmath_abs_diff_##t(T x, T y) { return x < y ? (U)y - (U)x : (U)x - (U)y; }       \
    static inline T nmath_rotate_##t(T x, T n)                                                       \
    {                                                                                              \
        const uint k = (uint)n & (bits - 1);                                                        \
        return k == 0 ? x : (T)((U)x << k | (U)x >> (bits - k));                                     \
    }                                                                                              \
    static inline T nmath_clz_##t(T x) { return x == 0 ? bits : bits == 64 ? __builtin_clzll((U)x) : __builtin_clz((uint)x); } \
    static inline T nmath_popcount_##t(T x) { return __builtin_popcountll((U)x); }                   \
    static inline T nmath_hadd_##t(T x, T y) { return (x >> 1) + (y >> 1) + (x & y & 1); }           \
    static inline T nmath_add_sat_##t(T x, T y)                                                      \
    {                                                                                              \
        T z;                                                                                       \
        const T top = (T)-1 < 0 ? (T)((U)~(U)0 >> 1) : (T)~(U)0;                                     \
        return __builtin_add_overflow(x, y, &z) ? (x < 0 ? -top - 1 : top) : z;                      \
    }                                                                                              \
    static inline T nmath_sub_sat_##t(T x, T y)                                                      \
    {                                                                                              \
        T z;                                                                                       \
        const T top = (T)-1 < 0 ? (T)((U)~(U)0 >> 1) : (T)~(U)0;                                     \
        return __builtin_sub_overflow(x, y, &z) ? ((T)-1 < 0 ? (x < 0 ? -top - 1 : top) : 0) : z;    \
    }
NMATH_INTEGERS(int, uint, i, 32)
NMATH_INTEGERS(uint, uint, u, 32)
NMATH_INTEGERS(long, ulong, l, 64)
NMATH_INTEGERS(ulong, ulong, v, 64)
static inline double nmath_abs_d(double x) { return fabs(x); } // an error in OpenCL C; C's own is no better
static inline float nmath_abs_f(float x) { return fabsf(x); }
static inline int nmath_mul_hi_i(int x, int y) { return (int)((int64_t)x * y >> 32); }
static inline uint nmath_mul_hi_u(uint x, uint y) { return (uint)((uint64_t)x * y >> 32); }
static inline ulong nmath_mul_hi_v(ulong x, ulong y)
{
    const uint64_t al = (uint)x, ah = x >> 32, bl = (uint)y, bh = y >> 32;
    const uint64_t m = ah * bl + (al * bl >> 32), n = al * bh + (uint)m;
    return ah * bh + (m >> 32) + (n >> 32);
}
static inline long nmath_mul_hi_l(long x, long y)
{
    return (long)(nmath_mul_hi_v((ulong)x, (ulong)y) - (x < 0 ? (ulong)y : 0) - (y < 0 ? (ulong)x : 0));
}
#define NMATH_FOR_INTEGER(x, name) _Generic((x), uint: name##_u, NMATH_LONGS(name), default: name##_i)
#define abs(x) NMATH_FOR_TYPE((x), nmath_abs)(x)
#define abs_diff(x, y) NMATH_FOR_INTEGER((x) + (y), nmath_abs_diff)((x), (y))
#define rotate(x, n) NMATH_FOR_INTEGER((x), nmath_rotate)((x), (n))
#define clz(x) NMATH_FOR_INTEGER((x), nmath_clz)(x)
#define popcount(x) NMATH_FOR_INTEGER((x), nmath_popcount)(x)
#define hadd(x, y) NMATH_FOR_INTEGER((x) + (y), nmath_hadd)((x), (y))
#define add_sat(x, y) NMATH_FOR_INTEGER((x) + (y), nmath_add_sat)((x), (y))
#define sub_sat(x, y) NMATH_FOR_INTEGER((x) + (y), nmath_sub_sat)((x), (y))
#define mul_hi(x, y) NMATH_FOR_INTEGER((x) + (y), nmath_mul_hi)((x), (y))
#define mad_hi(x, y, z) (mul_hi((x), (y)) + (z))
#define mul24(x, y) ((x) * (y))
#define mad24(x, y, z) ((x) * (y) + (z))
#define select(no, yes, which) ((which) ? (yes) : (no))
#define bitselect(no, yes, which) (((no) & ~(which)) | ((yes) & (which)))

// ---- real functions ----

#define mad(x, y, z) ((x) * (y) + (z))
static inline double nmath_mix(double x, double y, double a) { return x + (y - x) * a; }
static inline double nmath_step(double edge, double x) { return x < edge ? 0.0 : 1.0; }
static inline double nmath_smoothstep(double low, double high, double x)
{
    const double t = clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}
static inline double nmath_sign_of(double x) { return isnan(x) ? 0.0 : x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }
static inline double nmath_fract(double x, double *whole)
{
    *whole = floor(x);
    return fmin(x - *whole, 0x1.fffffffffffffp-1);
}
static inline double nmath_sincos(double x, double *cosine) { *cosine = cos(x); return sin(x); }
static inline double nmath_maxmag(double x, double y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
static inline double nmath_minmag(double x, double y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }
// Of |r| <= 1/4 each; the multiple of pi/2 is exact.
static inline double nmath_trig_pi(double x, int quarter)
{
    const double y = fmod(x, 2.0), n = rint(2.0 * y), r = 3.14159265358979323846 * (y - 0.5 * n);
    switch (((int)n + quarter) & 3) {
        case 0: return sin(r);
        case 1: return cos(r);
        case 2: return -sin(r);
        default: return -cos(r);
    }
}
#define mix(x, y, a) nmath_mix((x), (y), (a))
#define step(edge, x) nmath_step((edge), (x))
#define smoothstep(low, high, x) nmath_smoothstep((low), (high), (x))
#define sign(x) nmath_sign_of(x)
#define fract(x, whole) nmath_fract((x), (whole))
#define sincos(x, cosine) nmath_sincos((x), (cosine))
#define maxmag(x, y) nmath_maxmag((x), (y))
#define minmag(x, y) nmath_minmag((x), (y))
#define sinpi(x) (isfinite(x) ? nmath_trig_pi((x), 0) : NAN)
#define cospi(x) (isfinite(x) ? nmath_trig_pi((x), 1) : NAN)
#define tanpi(x) (sinpi(x) / cospi(x))
#define asinpi(x) (asin(x) / 3.14159265358979323846)
#define acospi(x) (acos(x) / 3.14159265358979323846)
#define atanpi(x) (atan(x) / 3.14159265358979323846)
#define atan2pi(y, x) (atan2((y), (x)) / 3.14159265358979323846)
#define degrees(x) ((x) * 57.295779513082320877)
#define radians(x) ((x) * 0.017453292519943295769)
#define rsqrt(x) (1.0 / sqrt(x))
#define exp10(x) pow(10.0, (x))
#define pown(x, n) pow((x), (double)(n))
#define powr(x, y) pow((x), (y))
#define rootn(x, n) ((n) % 2 != 0 && (x) < 0.0 ? -pow(-(x), 1.0 / (n)) : pow((x), 1.0 / (n)))
#define native_cos(x) cos(x)
#define native_divide(x, y) ((x) / (y))
#define native_exp(x) exp(x)
#define native_exp2(x) exp2(x)
#define native_exp10(x) exp10(x)
#define native_log(x) log(x)
#define native_log2(x) log2(x)
#define native_log10(x) log10(x)
#define native_powr(x, y) pow((x), (y))
#define native_recip(x) (1.0 / (x))
#define native_rsqrt(x) rsqrt(x)
#define native_sin(x) sin(x)
#define native_sqrt(x) sqrt(x)
#define native_tan(x) tan(x)
#define half_cos(x) cos(x)
#define half_divide(x, y) ((x) / (y))
#define half_exp(x) exp(x)
#define half_exp2(x) exp2(x)
#define half_exp10(x) exp10(x)
#define half_log(x) log(x)
#define half_log2(x) log2(x)
#define half_log10(x) log10(x)
#define half_powr(x, y) pow((x), (y))
#define half_recip(x) (1.0 / (x))
#define half_rsqrt(x) rsqrt(x)
#define half_sin(x) sin(x)
#define half_sqrt(x) sqrt(x)
#define half_tan(x) tan(x)
#define isequal(x, y) ((x) == (y))
#define isnotequal(x, y) ((x) != (y))
#define isordered(x, y) (!isunordered((x), (y)))
#define any(x) ((x) < 0)
#define all(x) ((x) < 0)

// ---- atomics: the value that was there ----

#define NMATH_ATOMIC(name, add)                                                                      \
    __extension__({                                                                                 \
        __typeof__(*(name)) nmath_old = __atomic_load_n((name), __ATOMIC_RELAXED), nmath_new;        \
        do nmath_new = add;                                                                        \
        while (!__atomic_compare_exchange_n((name), &nmath_old, nmath_new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        nmath_old;                                                                                 \
    })
#define atomic_add(p, x) __atomic_fetch_add((p), (x), __ATOMIC_SEQ_CST)
#define atomic_sub(p, x) __atomic_fetch_sub((p), (x), __ATOMIC_SEQ_CST)
#define atomic_inc(p) __atomic_fetch_add((p), 1, __ATOMIC_SEQ_CST)
#define atomic_dec(p) __atomic_fetch_sub((p), 1, __ATOMIC_SEQ_CST)
#define atomic_and(p, x) __atomic_fetch_and((p), (x), __ATOMIC_SEQ_CST)
#define atomic_or(p, x) __atomic_fetch_or((p), (x), __ATOMIC_SEQ_CST)
#define atomic_xor(p, x) __atomic_fetch_xor((p), (x), __ATOMIC_SEQ_CST)
#define atomic_min(p, x) __extension__({ __typeof__(*(p)) nmath_x = (x); NMATH_ATOMIC(p, nmath_old < nmath_x ? nmath_old : nmath_x); })
#define atomic_max(p, x) __extension__({ __typeof__(*(p)) nmath_x = (x); NMATH_ATOMIC(p, nmath_old > nmath_x ? nmath_old : nmath_x); })
#define atomic_xchg(p, x) \
    __extension__({ __typeof__(*(p)) nmath_old, nmath_new = (x); __atomic_exchange((p), &nmath_new, &nmath_old, __ATOMIC_SEQ_CST); nmath_old; })
#define atomic_cmpxchg(p, expected, x)                                                               \
    __extension__({                                                                                 \
        __typeof__(*(p)) nmath_old = (expected);                                                    \
        __atomic_compare_exchange_n((p), &nmath_old, (x), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
        nmath_old;                                                                                 \
    })
#define atom_add(p, x) atomic_add(p, x)
#define atom_sub(p, x) atomic_sub(p, x)
#define atom_inc(p) atomic_inc(p)
#define atom_dec(p) atomic_dec(p)
#define atom_and(p, x) atomic_and(p, x)
#define atom_or(p, x) atomic_or(p, x)
#define atom_xor(p, x) atomic_xor(p, x)
#define atom_min(p, x) atomic_min(p, x)
#define atom_max(p, x) atomic_max(p, x)
#define atom_xchg(p, x) atomic_xchg(p, x)
#define atom_cmpxchg(p, expected, x) atomic_cmpxchg(p, expected, x)

// ---- qualifiers; host_text.cpp has seen to kernels and to variables in local memory ----

#ifndef NMATH_EXPAND // where macros are followed to find the kernels, these words stay
#define __global
#define global
#define __private
#define private
#define __constant const
#define constant const
#define __kernel static
#define kernel static
#define __local
#define local
#endif
