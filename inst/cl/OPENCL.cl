// OPENCL.cl -- layer 0 of every program: the dialect. The only file that asks which compiler reads it.
//
// Everything below layer 0 is written in the common subset of OpenCL C 1.2 and C99, through these names:
//   NMATH_FN     a small device function, always inlined
//   NMATH_HEAVY  a large one: out of line on NVIDIA and PoCL (whose compilers otherwise inline whole programs and take many
//                seconds), inlined elsewhere
//   NMATH_SHARED  one that a program with derivatives calls at several places: out of line everywhere. Few may be: two or three of
//                them in a chain of calls.
//   NMATH_COLLECTIVE  a function that all work-items of a group call together, with barriers in it: out of line on NVIDIA, where a
//                program that calls it ten times is built in half of the time
//   NMATH_TABLE  a table at file scope;  NMATH_CONSTANT qualifies a pointer into one
//   NMATH_PICK   the double at an address in a table that neighbouring work-items have different ones of: constant memory of
//                NVIDIA's gives them one address after the other
//   NMATH_UNROLL before a loop of fixed length, where the compiler would not unroll it by itself
//   NMATH_STRAIGHT, NMATH_LOOP  before a loop of fixed length: unrolled, or not, where the device gains much from straight code
//                (then NMATH_PREFERS_STRAIGHT is defined), else as the compiler likes
//   NMATH_PAIRS  before a loop over elements: two at a time, where the device gains from that
//   NMATH_WIDE   the product of 32 x 32 bits
//   NMATH_HORNER defined on GPUs, whose many work-items hide how long a chain of operations takes: polynomials by
//                Horner's rule have fewer of them; elsewhere they are split into shorter chains
//   NMATH_FMA    a * b + c, fused where that is a single instruction: for polynomials, where either rounding will do
//   NMATH_POW    x^y for x > 0, where the platform's is right to an ulp (OpenCL allows pow 16: libR.cl has its own)
//   NMATH_RECIPROCAL  1/x to an ulp, for x that is far from the largest and smallest doubles, without a branch
//   NMATH_QUOTIENT  x/y, r being 1/y: Markstein's correction, which gives NaN where x/y is infinite or y next to 0
//   NMATH_INVERSE_24, NMATH_INVERSE_ROOT_24  1/x and 1/sqrt(x) to a few units of 2^-24, as doubles: single precision's
//   NMATH_LOG_24, NMATH_EXP_24  log and exp of a float
//   NMATH_LIBM   exp and log are C's, right to an ulp, and faster than log1p, expm1 and rint
//   NMATH_LONG_PROGRAM  defined by the host before a program of many large functions: NVIDIA's compiler then makes log, log1p and exp
//                calls, in a quarter of the time less than in line at each place
//   NMATH_VECTORS  defined where a compiler takes several elements of a loop at a time, if that calls nothing: for straight code
//                what a builtin computes is then faster in the loop than by the builtin
//   NMATH_FORM   qualifies a pointer to what a constant-parameter kernel computes once: a work-item's own, or, where a program
//                defines NMATH_LOCAL_FORMS, a group's, in local memory, which has room for two polynomials to choose from
//   NMATH_GROUPS defined where the work-items of a group can wait for one another (group.cl)
//   NMATH_GROUP_256  before a kernel that this package launches: on NVIDIA, groups are of 256 work-items and the compiler
//                is told so, which some kernels with many registers gain from and others lose by
//   NMATH_NO_SHORT_NAMES  for a program to define that has names of its own where nmath's headers have macros: dnorm, pnorm,
//                qnorm (which stay dnorm4, pnorm5, qnorm5), give_log, error, warning
//   NMATH_LENGTHS, NMATH_AT, NMATH_FLAG  kernel arguments at their own lengths, see below
//   NMATH_FLOAT_PAIRS  defined where each double is made a pair of floats (pair/, by src/pair): for what asks for more than the
//                48 bits or the range of a float that a double then has. Its bits (nmath_bits) are those of the double that it
//                stands for.
//   nmath_value  the type of an expression's values and of a kernel's arguments: double, or float where NMATH_SINGLE is defined:
//                then a call of a function of doubles with floats gives a float, by its form of floats, single_NAME, if there is
//                one, and a literal next to a float is one (src/pair)
//   nmath_rest, NMATH_REST(x)  the type of what half of the digits will do for, where doubles are pairs of floats: then a float,
//                else a double; and x as one
//   NMATH_MAD    a * b + c, in pairs of floats as one operation, whose error is that of |a b| + |c|: where the product's rounding,
//                or that of c, would do
//   NMATH_DIGITS a threshold by the digits of the numbers: 1e-17, and for pairs of floats 1e-14
//   NMATH_RANGE  a threshold by the range of the numbers: 1e-290, and for pairs of floats 1e-28
//   NMATH_LIFT   2^NMATH_LIFT_BITS, by which numbers next to the smallest are multiplied: NMATH_LIFT_LOG is its log, NMATH_LIFT_LOG_LO
//                what that lacks, NMATH_ROOT_LIFT its root
//   NMATH_FLOAT  the function of floats that OpenCL C and C call by different names: NMATH_FLOAT(fma)(a, b, c)
//   NMATH_SEED   what a kernel that draws takes after `len`: the seed, the number of its first draw; in C also the
//                blocks of NMATH_BATCH pairs of draws, all low halves and then all high ones, and their kind (sunif.cl)

#ifndef OPENCLPORT_OPENCL_CL
#define OPENCLPORT_OPENCL_CL

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#ifndef NMATH_FLOAT_PAIRS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#ifdef NMATH_OBJECT // compiled to an object that other programs link to: functions keep their names
#define NMATH_FN __attribute__((always_inline))
#define NMATH_OUTLINE __attribute__((noinline))
#else
#define NMATH_FN static inline __attribute__((always_inline))
#define NMATH_OUTLINE static __attribute__((noinline))
#endif
#if defined(__NV_CL_C_VERSION) || defined(POCL_DEVICE_ADDRESS_BITS) // PoCL
#define NMATH_HEAVY NMATH_OUTLINE
#else
#define NMATH_HEAVY NMATH_FN
#endif
#ifdef __NV_CL_C_VERSION
#define NMATH_COLLECTIVE NMATH_OUTLINE
#else
#define NMATH_COLLECTIVE NMATH_FN
#endif
#ifndef NMATH_SHARED // tools/check_sources.sh defines it for a simulator
#define NMATH_SHARED NMATH_OUTLINE
#endif
#if defined(__NV_CL_C_VERSION) && defined(NMATH_RECYCLE) // this package's own launches
#define NMATH_GROUP_256 __attribute__((reqd_work_group_size(256, 1, 1)))
#else
#define NMATH_GROUP_256
#endif
#ifdef __NV_CL_C_VERSION // which makes three instructions of a product of 64 bits with a constant, and two of this
#define NMATH_WIDE(a, b) ((nmath_u64)mul_hi((nmath_u32)(a), (nmath_u32)(b)) << 32 | (nmath_u64)((nmath_u32)(a) * (b)))
#define NMATH_PREFERS_STRAIGHT
#define NMATH_STRAIGHT _Pragma("unroll")
#define NMATH_LOOP _Pragma("unroll 1")
#define NMATH_PAIRS _Pragma("unroll 2")
#endif
// static: what a kernel does not use takes none of the constant memory, of which many devices have 64 KiB
#define NMATH_TABLE static __constant __attribute__((unused))
#define NMATH_CONSTANT __constant
#define NMATH_WORK_ITEM
#define NMATH_FIRST_BLOCKS
#define NMATH_UNROLL
#define NMATH_NO_STDINT
#define NMATH_GROUPS

#if defined(__NV_CL_C_VERSION) && !defined(NMATH_FLOAT_PAIRS)
NMATH_FN double nmath_pick(__constant const double *p) // by the caches of global memory, where constant memory lies, too
{
    ulong at;
    double r;
    __asm__("cvta.const.u64 %0, %1;" : "=l"(at) : "l"(p));
    __asm__("ld.f64 %0, [%1];" : "=d"(r) : "l"(at));
    return r;
}
#define NMATH_PICK(p) nmath_pick(p)
#else
#define NMATH_PICK(p) (*(p))
#endif
#if defined(__NV_CL_C_VERSION) && defined(NMATH_LONG_PROGRAM) && !defined(NMATH_FLOAT_PAIRS)
NMATH_OUTLINE double nmath_log_call(double x) { return log(x); }
NMATH_OUTLINE double nmath_log1p_call(double x) { return log1p(x); }
NMATH_OUTLINE double nmath_exp_call(double x) { return exp(x); }
#undef log
#undef log1p
#undef exp
#define log(x) nmath_log_call(x)
#define log1p(x) nmath_log1p_call(x)
#define exp(x) nmath_exp_call(x)
#endif
#if defined(__NV_CL_C_VERSION) && !defined(NMATH_FLOAT_PAIRS) // which makes a division 20 instructions and a branch
NMATH_FN double nmath_reciprocal(double x)
{
    double r, e; // 20 bits, which one step of third order makes more than 53
    __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    e = fma(-x, r, 1.0);
    return fma(r, fma(e, e, e), r);
}
NMATH_FN double nmath_quotient(double x, double y, double r)
{
    double q = x * r;
    return fma(fma(-q, y, x), r, q);
}
#define NMATH_RECIPROCAL(x) nmath_reciprocal(x)
#define NMATH_QUOTIENT(x, y, r) nmath_quotient(x, y, r)
#else
#define NMATH_RECIPROCAL(x) (1.0 / (x))
#define NMATH_QUOTIENT(x, y, r) ((x) / (y))
#endif
#define NMATH_INVERSE_24(x) ((double)native_recip((float)(x)))
#define NMATH_INVERSE_ROOT_24(x) ((double)native_rsqrt((float)(x)))
#define NMATH_LOG_24(x) log((float)(x))
#define NMATH_EXP_24(x) exp((float)(x))

typedef uint nmath_u32;
typedef ulong nmath_u64;
typedef long nmath_i64;
#ifdef NMATH_FLOAT_PAIRS
#define NMATH_FLOAT(name) name
NMATH_FN nmath_u32 nmath_float_bits(float x) { return as_uint(x); }
NMATH_FN float nmath_float_of_bits(nmath_u32 b) { return as_float(b); }
#pragma NMATH_PAIR_LIBRARY
#endif
NMATH_FN nmath_u64 nmath_bits(double x) { return as_ulong(x); }
NMATH_FN double nmath_from_bits(nmath_u64 b) { return as_double(b); }

#if !defined(__NV_CL_C_VERSION) && !defined(NMATH_FLOAT_PAIRS) // PoCL's log1p takes subnormal numbers for 0
static inline __attribute__((always_inline)) double nmath_builtin_log1p(double x)
{
    return fabs(x) < 2.2250738585072014e-308 ? x : log1p(x);
}
#undef log1p // a macro already where the driver has it so
#define log1p(x) nmath_builtin_log1p(x)
#endif

#else

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef NMATH_OBJECT // as above
#define NMATH_FN
#define NMATH_HEAVY
#else
#define NMATH_FN static inline
#define NMATH_HEAVY static inline
#endif
#define NMATH_SHARED NMATH_HEAVY
#define NMATH_COLLECTIVE NMATH_FN
#define NMATH_TABLE static const
#define NMATH_CONSTANT
#ifdef NMATH_HOST_TEXT // compiled when it is needed (HOST.cl): kernels have the parameters that they have in OpenCL C
#define NMATH_WORK_ITEM
#define NMATH_FIRST_BLOCKS
#define NMATH_GROUPS
#else
#define NMATH_WORK_ITEM , const int nmath_gid
#define NMATH_FIRST_BLOCKS , const nmath_u64 *nmath_blocks, const nmath_u32 nmath_kind
#define NMATH_FIRST_BLOCK(i, half) nmath_blocks[((i) & (NMATH_BATCH - 1)) + (half) * NMATH_BATCH]
#define NMATH_BATCH 128
#endif
#define NMATH_GROUP_256
#if defined(__clang__)
#define NMATH_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define NMATH_UNROLL _Pragma("GCC unroll 32")
#else
#define NMATH_UNROLL
#endif
// NMATH_AS_GPU, defined by a test's build: the paths that a GPU takes, compiled as C.
#ifdef NMATH_AS_GPU
#define NMATH_HORNER
#elif !defined(NMATH_FLOAT_PAIRS)
#define NMATH_POW(x, y) pow(x, y)
#define NMATH_LIBM 1
#endif

#define NMATH_PICK(p) (*(p))
#define NMATH_RECIPROCAL(x) (1.0 / (x))
#define NMATH_QUOTIENT(x, y, r) ((x) / (y))
#define NMATH_INVERSE_24(x) ((double)(1.0f / (float)(x)))
#define NMATH_INVERSE_ROOT_24(x) ((double)(1.0f / sqrtf((float)(x))))
#define NMATH_LOG_24(x) logf(x)
#define NMATH_EXP_24(x) expf(x)

typedef uint32_t nmath_u32;
typedef uint64_t nmath_u64;
typedef int64_t nmath_i64;
#ifdef NMATH_FLOAT_PAIRS
#define NMATH_FLOAT(name) name##f
NMATH_FN nmath_u32 nmath_float_bits(float x) { nmath_u32 b; memcpy(&b, &x, sizeof b); return b; }
NMATH_FN float nmath_float_of_bits(nmath_u32 b) { float x; memcpy(&x, &b, sizeof x); return x; }
NMATH_FN float madf(float a, float b, float c) { return a * b + c; } // what mad() of floats is called here
#pragma NMATH_PAIR_LIBRARY
NMATH_FN nmath_u64 nmath_bits(double x) { return as_ulong(x); }
NMATH_FN double nmath_from_bits(nmath_u64 b) { return as_double(b); }
#else
NMATH_FN nmath_u64 nmath_bits(double x) { nmath_u64 b; memcpy(&b, &x, sizeof b); return b; }
NMATH_FN double nmath_from_bits(nmath_u64 b) { double x; memcpy(&x, &b, sizeof x); return x; }
#endif

#endif

#ifdef NMATH_FLOAT_PAIRS
typedef float nmath_rest;
#define NMATH_MAD(a, b, c) mad(a, b, c)
#define NMATH_DIGITS(of_double, of_pair) (of_pair)
#else
typedef double nmath_rest;
#define NMATH_MAD(a, b, c) ((a) * (b) + (c))
#define NMATH_DIGITS(of_double, of_pair) (of_double)
#endif
#define NMATH_REST(x) ((nmath_rest)(x))

#ifdef NMATH_SINGLE
typedef float nmath_value;
#else
typedef double nmath_value;
#endif

// R's integers as doubles, on the device: half of the bytes travel. The smallest int is NA, whose low word is 1954.
#if defined(NMATH_RECYCLE) && (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__) || defined(NMATH_HOST_TEXT))
__kernel void nmath_widen(__global const int* from, __global double* to, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    const int x = from[i];
    to[i] = x == (-2147483647 - 1) ? nmath_from_bits((nmath_u64)0x7FF00000 << 32 | 0x7A2) : (double)x;
}
#endif

#if defined(__NV_CL_C_VERSION) || defined(__AMDGCN__)
#define NMATH_HORNER
#endif
#ifdef NMATH_FLOAT_PAIRS
#undef NMATH_HORNER
#define NMATH_HORNER
#define NMATH_POW(x, y) pow(x, y)
#endif
// (NVIDIA's and AMD's compilers leave FP_FAST_FMA undefined, though their devices have nothing faster.)
#if (defined(FP_FAST_FMA) || defined(NMATH_HORNER)) && !defined(NMATH_FLOAT_PAIRS)
#define NMATH_FAST_FMA
#define NMATH_FMA(a, b, c) fma(a, b, c)
#if defined(NMATH_HOST_TEXT) && defined(__AVX2__) && !defined(_WIN32) // (src/host/host_compiler.cpp)
#define NMATH_VECTORS
#endif
#elif defined(NMATH_FLOAT_PAIRS)
#define NMATH_FMA(a, b, c) mad(a, b, c)
#else
#define NMATH_FMA(a, b, c) ((a) * (b) + (c))
#endif

#ifndef NMATH_WIDE
#define NMATH_WIDE(a, b) ((nmath_u64)(a) * (b))
#define NMATH_STRAIGHT
#define NMATH_LOOP
#define NMATH_PAIRS
#endif

#ifdef NMATH_LOCAL_FORMS
#define NMATH_FORM __local const
#else
#define NMATH_FORM const
#endif

#define NMATH_SEED , const nmath_u64 seed, const nmath_u64 first NMATH_FIRST_BLOCKS

// Features that the sources of nmath ask for.
#define HAVE_EXPM1 1
#define HAVE_LOG1P 1
#define HAVE_WORKING_ISFINITE 1
#undef HAVE_LONG_DOUBLE

#define ML_NAN NAN
#define ML_POSINF INFINITY
#define ML_NEGINF (-INFINITY)
#define INLINE NMATH_FN
#define R_UNUSED(x) ((void)(x))

// An entry kernel reads argument number k of element i as NMATH_AT(arg, k), a flag as NMATH_FLAG(arg, k). By default
// every buffer holds `len` elements and that is arg[i]. A host that defines NMATH_RECYCLE before this text gives each
// argument at its own length instead, by the parameters NMATH_LENGTHS(number of arguments):
//   n_k = 0    buffer k belongs to this launch, element by element
//   n_k = 1    argument k is the scalar value_k (the bits of a double, or an int), and its buffer is not looked at
//   n_k > 1    buffer k is a vector of n_k elements, recycled from element first_k on; only if NMATH_RECYCLE is 2
// If NMATH_RECYCLE is 1, flags are scalars, and with NMATH_SCALARS all arguments are: what a kernel that draws makes of its
// parameters is made once for the draws of a work-item. (In C the number of the work-item is a parameter too: NMATH_WORK_ITEM.)
#ifdef NMATH_RECYCLE
#define NMATH_SCALAR(k) nmath_from_bits((nmath_u64)value_##k)
#if NMATH_RECYCLE == 2
#define NMATH_LENGTH(k) , const int n_##k, const nmath_i64 value_##k, const nmath_u32 first_##k
#define NMATH_ELEMENT(arg, k, scalar)          \
    (n_##k == 0   ? (arg)[(nmath_u32)i]        \
     : n_##k == 1 ? (scalar)                   \
                  : (arg)[(first_##k + (nmath_u32)i) % (nmath_u32)n_##k])
#define NMATH_AT(arg, k) ((nmath_value)NMATH_ELEMENT(arg, k, NMATH_SCALAR(k)))
#define NMATH_FLAG(arg, k) (NMATH_ELEMENT(arg, k, (int)value_##k) != 0)
#else
#define NMATH_LENGTH(k) , const int n_##k, const nmath_i64 value_##k
#ifdef NMATH_SCALARS
#define NMATH_AT(arg, k) ((nmath_value)NMATH_SCALAR(k))
#else
#define NMATH_AT(arg, k) ((nmath_value)(n_##k == 0 ? (arg)[(nmath_u32)i] : NMATH_SCALAR(k)))
#endif
#define NMATH_FLAG(arg, k) (R_UNUSED(arg), R_UNUSED(n_##k), (int)value_##k != 0)
#endif
#define NMATH_LENGTHS_0
#define NMATH_LENGTHS_1 NMATH_LENGTH(0)
#define NMATH_LENGTHS_2 NMATH_LENGTHS_1 NMATH_LENGTH(1)
#define NMATH_LENGTHS_3 NMATH_LENGTHS_2 NMATH_LENGTH(2)
#define NMATH_LENGTHS_4 NMATH_LENGTHS_3 NMATH_LENGTH(3)
#define NMATH_LENGTHS_5 NMATH_LENGTHS_4 NMATH_LENGTH(4)
#define NMATH_LENGTHS_6 NMATH_LENGTHS_5 NMATH_LENGTH(5)
#define NMATH_LENGTHS_7 NMATH_LENGTHS_6 NMATH_LENGTH(6)
#define NMATH_LENGTHS(count) NMATH_LENGTHS_##count NMATH_WORK_ITEM
#else
#define NMATH_LENGTHS(count)
#define NMATH_AT(arg, k) ((nmath_value)(arg)[i])
#define NMATH_FLAG(arg, k) ((arg)[i] != 0)
#endif

// A threshold by the range of the numbers: where they are doubles, and where they are pairs of floats.
#ifdef NMATH_FLOAT_PAIRS
#define NMATH_RANGE(of_doubles, of_pairs) (of_pairs)
#else
#define NMATH_RANGE(of_doubles, of_pairs) (of_doubles)
#endif

#define NMATH_LIFT NMATH_RANGE(0x1p200, 0x1p40)
#define NMATH_ROOT_LIFT NMATH_RANGE(0x1p100, 0x1p20)
#define NMATH_LIFT_BITS NMATH_RANGE(200, 40)
#define NMATH_LIFT_LOG NMATH_RANGE(138.62943611198907, 40 * NMATH_LN2_HI)
#define NMATH_LIFT_LOG_LO NMATH_RANGE(-3.3555121496085278e-15, 40 * NMATH_LN2_LO)

// Smallest normal double, largest double and 2^-52, for thresholds; of pairs of floats, what these have.
#ifdef NMATH_FLOAT_PAIRS
#define NMATH_DBL_MIN 1.1754943508222875e-38
#define NMATH_DBL_MAX 3.4028234663852886e38
#define NMATH_EPS 7.105427357601002e-15
#else
#define NMATH_DBL_MIN 2.2250738585072014e-308
#define NMATH_DBL_MAX 1.7976931348623157e308
#define NMATH_EPS 2.220446049250313e-16
#endif

// log 2 in two pieces: the first has 32 bits, so that its product with any exponent is exact.
#define NMATH_LN2_HI 6.93147180369123816490e-01
#define NMATH_LN2_LO 1.90821492927058770002e-10

#endif
