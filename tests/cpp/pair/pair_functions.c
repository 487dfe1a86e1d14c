// pair_functions -- the functions of inst/cl/pair as C, for tests: a table of them by name.
#define NMATH_FLOAT_PAIRS 1
#define as_ulong(x) 0 // of OPENCL.cl's functions of doubles, which nobody calls here
#define as_double(x) 0
#include "../../../inst/cl/OPENCL.cl"

#include "../../../inst/cl/pair/pair.cl"
#include "../../../inst/cl/pair/pair_parts.cl"
#include "../../../inst/cl/pair/pair_exp.cl"
#include "../../../inst/cl/pair/pair_log.cl"
#include "../../../inst/cl/pair/pair_trig.cl"

#include "pair_functions.h"

#define ONE(name) static void one_##name(const test_pair *x, test_pair *y) \
    { nmath_pair r = pair_##name(pair_of(x->hi, x->lo)); y->hi = r.hi; y->lo = r.lo; }
#define TWO(name) static void two_##name(const test_pair *x, test_pair *y) \
    { nmath_pair r = pair_##name(pair_of(x[0].hi, x[0].lo), pair_of(x[1].hi, x[1].lo)); y->hi = r.hi; y->lo = r.lo; }
#define ALL_ONE(f) \
    f(neg) f(sqrt) f(fabs) f(floor) f(ceil) f(trunc) f(rint) f(round) f(exp) f(expm1) f(exp2) f(exp10) f(sinh) f(cosh) f(tanh) \
    f(log) f(log1p) f(log2) f(log10) f(asinh) f(acosh) f(atanh) f(sin) f(cos) f(tan) f(sinpi) f(cospi) f(tanpi) f(atan) \
    f(asin) f(acos) f(cbrt)
#define ALL_TWO(f) f(add) f(sub) f(mul) f(div) f(fmod) f(pow) f(atan2) f(hypot) f(fmin) f(fmax) f(copysign)
ALL_ONE(ONE)
ALL_TWO(TWO)

static void three_fma(const test_pair *x, test_pair *y)
{
    nmath_pair r = pair_fma(pair_of(x[0].hi, x[0].lo), pair_of(x[1].hi, x[1].lo), pair_of(x[2].hi, x[2].lo));
    y->hi = r.hi;
    y->lo = r.lo;
}
// What a b and a + b have lost.
static void two_product_rest(const test_pair *x, test_pair *y)
{
    nmath_pair a = pair_of(x[0].hi, x[0].lo), b = pair_of(x[1].hi, x[1].lo);
    pair_triple t = pair_product_long(a, b);
    nmath_pair r = pair_add_float(pair_sub(pair_of(t.hi, t.lo), pair_mul(a, b)), t.rest);
    y->hi = r.hi;
    y->lo = r.lo;
}
static void three_mad(const test_pair *x, test_pair *y)
{
    nmath_pair r = pair_mad(pair_of(x[0].hi, x[0].lo), pair_of(x[1].hi, x[1].lo), pair_of(x[2].hi, x[2].lo));
    y->hi = r.hi;
    y->lo = r.lo;
}
static void two_mul_rest(const test_pair *x, test_pair *y)
{
    nmath_pair a = pair_of(x[0].hi, x[0].lo), b = pair_of(x[1].hi, x[1].lo), r = pair_fma(a, b, pair_neg(pair_mul(a, b)));
    y->hi = r.hi;
    y->lo = r.lo;
}
static void two_sum_rest(const test_pair *x, test_pair *y)
{
    nmath_pair a = pair_of(x[0].hi, x[0].lo), b = pair_of(x[1].hi, x[1].lo), sum = pair_add(a, b);
    pair_triple t = pair_sum_long(a, b);
    nmath_pair r = pair_sub(pair_of(t.hi, t.lo), sum); // what the sum of three floats adds to the sum
    r = pair_add_float(r, t.rest);
    y->hi = r.hi;
    y->lo = r.lo;
}

#define ROW_ONE(name) {#name, 1, one_##name},
#define ROW_TWO(name) {#name, 2, two_##name},
const pair_function pair_functions[] = {
    ALL_ONE(ROW_ONE) ALL_TWO(ROW_TWO) {"fma", 3, three_fma}, {"mad", 3, three_mad}, {"mul_rest", 2, two_mul_rest},
    {"product_rest", 2, two_product_rest}, {"sum_rest", 2, two_sum_rest},
    {0, 0, 0},
};

uint64_t test_pair_bits(test_pair x) { return pair_bits(pair_of(x.hi, x.lo)); }
test_pair test_pair_of_bits(uint64_t bits)
{
    nmath_pair r = pair_of_bits(bits);
    test_pair y = {r.hi, r.lo};
    return y;
}
test_pair test_pair_of(int kind, int64_t x)
{
    nmath_pair r = kind == 0 ? pair_of_int((int)x) : kind == 1 ? pair_of_uint((nmath_u32)x) : kind == 2 ? pair_of_long(x)
                                                                                              : pair_of_ulong((nmath_u64)x);
    test_pair y = {r.hi, r.lo};
    return y;
}
int64_t test_pair_to(int kind, test_pair x)
{
    nmath_pair a = pair_of(x.hi, x.lo);
    return kind == 0 ? pair_to_int(a) : kind == 1 ? (int64_t)pair_to_uint(a) : kind == 2 ? pair_to_long(a) : (int64_t)pair_to_ulong(a);
}
test_pair test_pair_frexp(test_pair x, int *n)
{
    nmath_pair r = pair_frexp(pair_of(x.hi, x.lo), n);
    test_pair y = {r.hi, r.lo};
    return y;
}
