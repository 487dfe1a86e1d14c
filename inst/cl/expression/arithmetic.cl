// @all_depends_count: 0

// arithmetic -- R's arithmetic where C's differs: integers and logicals with NA, division, remainders, sums that lose
// nothing. What opencl_function() writes calls these; the text goes in front of its kernel.

#define NMATH_NA_INT (-2147483647 - 1)
#ifdef NMATH_SINGLE // a float keeps 22 bits of what a NaN says
#define NMATH_NA_REAL nmath_float_of_bits(0x7FC007A2u)
#define EXPR_BITS(x) nmath_float_bits(x)
#define EXPR_NO_PART nmath_float_of_bits(0x7FC00D1Eu)
#define EXPR_NO_PART_BITS 0x7FC00D1Eu
#define EXPR_IS_1954(x) ((nmath_float_bits(x) & 0x3FFFFFu) == 1954u)
#else
#define NMATH_NA_REAL nmath_from_bits(0x7FF00000000007A2UL)
#define EXPR_BITS(x) nmath_bits(x)
// The score of a row that has no part in a gradient: a NaN of its own.
#define EXPR_NO_PART nmath_from_bits(EXPR_NO_PART_BITS)
#define EXPR_NO_PART_BITS 0x7FF8000000000D1EUL
#define EXPR_IS_1954(x) ((nmath_u32)nmath_bits(x) == 1954u)
#endif

// z + x y: in doubles with one rounding, which pairs of floats would need many operations for. EXPR_ADD_PRODUCT is for linear
// predictors, EXPR_ADD_TERM for sums of a few values; EXPR_ADD_SEPARATE rounds twice.
#define EXPR_TERM(x, y) ((nmath_value)(x) * (nmath_value)(y))
#if defined(NMATH_SINGLE)
#define EXPR_ADD_PRODUCT(z, x, y) ((z) + (double)(nmath_value)(x) * (nmath_value)(y))
#define EXPR_ADD_TERM(z, x, y) fma((nmath_value)(x), (nmath_value)(y), z)
#elif defined(NMATH_FLOAT_PAIRS)
#define EXPR_ADD_PRODUCT(z, x, y) ((z) + (x) * (y))
#define EXPR_ADD_TERM(z, x, y) ((z) + (x) * (y))
#else
#define EXPR_ADD_PRODUCT(z, x, y) fma(x, y, z)
#define EXPR_ADD_TERM(z, x, y) fma(x, y, z)
#endif
#ifdef NMATH_FLOAT_PAIRS
#define EXPR_ADD_SEPARATE(z, x, y) EXPR_ADD_PRODUCT(z, x, y)
#else
#define EXPR_ADD_SEPARATE(z, x, y) ((z) + (x) * (y))
#endif

// A literal, of its bits, that compilers do not know: `first`, the number of a launch's first element, is below 2^62.
#define EXPR_LITERAL(bits, first) nmath_from_bits((bits) ^ ((nmath_u64)(first) & 0x4000000000000000UL))

// PoCL's exp converts a NaN to int, whose result is undefined: compiled for one, as a branch of a kernel may be, it gives anything.
#if defined(NMATH_HOST_TEXT) || defined(__NV_CL_C_VERSION)
#define expr_exp(x) exp(x)
#else
NMATH_FN nmath_value expr_exp(nmath_value x) { return isnan(x) ? x : exp(x); }
#endif

// A density of constant parameters, which in single precision is that of any.
#ifdef NMATH_SINGLE
#define EXPR_FIXED(fixed, single) single
#else
#define EXPR_FIXED(fixed, single) fixed
#endif

// What is computed once: by each work-item, or by one of its group for all (NMATH_FORM in OPENCL.cl).
#ifdef NMATH_LOCAL_FORMS
#define EXPR_FORM(type, name, value) \
    __local type name; \
    if (get_local_id(0) == 0) \
        name = value; \
    barrier(CLK_LOCAL_MEM_FENCE);
#else
#define EXPR_FORM(type, name, value) const type name = value;
#endif

// NA_real_: a NaN whose low word is 1954.
NMATH_FN int expr_is_na(nmath_value x) { return (isnan(x) != 0) & EXPR_IS_1954(x); }

// The NaN that a GPU's operations give, whichever went into them.
NMATH_FN nmath_value expr_canonical(nmath_value x) { return isnan(x) ? NAN : x; }

// On the host a sum, which compilers do not take apart for each comparison to come: these processors keep which NaN it was.
#if defined(NMATH_HOST_TEXT) && (defined(__x86_64__) || defined(__aarch64__))
NMATH_FN nmath_value expr_as_double(int x) { return (nmath_value)x + (x == NMATH_NA_INT ? NMATH_NA_REAL : 0.0); }
#else
NMATH_FN nmath_value expr_as_double(int x) { return x == NMATH_NA_INT ? NMATH_NA_REAL : (nmath_value)x; }
#endif
NMATH_FN int expr_lgl_of_double(nmath_value x) { return isnan(x) ? NMATH_NA_INT : x != 0.0; }
NMATH_FN int expr_lgl_of_int(int x) { return x == NMATH_NA_INT ? x : x != 0; }
// Towards 0; NA beyond the integers.
NMATH_FN int expr_int_of_double(nmath_value x)
{
    return x < 2147483648.0 && x > -2147483648.0 ? (int)x : NMATH_NA_INT;
}

// y where it is one of 0, 1, ..., 255, else 256: also for -0 and NaN.
NMATH_FN int expr_count(nmath_value y)
{
    int k = y > -1.0 && y < 256.0 ? (int)y : 256;
    return EXPR_BITS((nmath_value)k) == EXPR_BITS(y) ? k : 256;
}

// Ends the condition of a loop of many rounds: that its call was not interrupted.
#if defined(NMATH_HOST_TEXT)
#define EXPR_UNTIL_STOPPED(round) && !(((round) & 255) == 255 && NMATH_STOPPED())
#else
#define EXPR_UNTIL_STOPPED(round)
#endif

// The place, from 0, of the element with this number, from 1: -1 where it is NA or beyond the end, -2 where it is below 1.
NMATH_FN nmath_i64 expr_place_of_int(int number, nmath_i64 length)
{
    if (number < 1)
        return number == NMATH_NA_INT ? -1 : -2;
    return number > length ? -1 : (nmath_i64)number - 1;
}
NMATH_FN nmath_i64 expr_place_of_double(nmath_value number, nmath_i64 length)
{
    if (number < 1.0)
        return -2;
    return number < (nmath_value)length + 1.0 ? (nmath_i64)number - 1 : -1;
}

// Integers: a result that is none is NA, and *over tells so.
NMATH_FN int expr_int_result(nmath_i64 r, int *over)
{
    int bad = r > 2147483647 || r < -2147483647;
    *over |= bad;
    return bad ? NMATH_NA_INT : (int)r;
}
NMATH_FN int expr_add(int a, int b, int *over)
{
    return a == NMATH_NA_INT || b == NMATH_NA_INT ? NMATH_NA_INT : expr_int_result((nmath_i64)a + b, over);
}
NMATH_FN int expr_sub(int a, int b, int *over)
{
    return a == NMATH_NA_INT || b == NMATH_NA_INT ? NMATH_NA_INT : expr_int_result((nmath_i64)a - b, over);
}
NMATH_FN int expr_mul(int a, int b, int *over)
{
    return a == NMATH_NA_INT || b == NMATH_NA_INT ? NMATH_NA_INT : expr_int_result((nmath_i64)a * b, over);
}
NMATH_FN int expr_neg(int a) { return a == NMATH_NA_INT ? a : -a; }
NMATH_FN int expr_abs(int a) { return a == NMATH_NA_INT || a >= 0 ? a : -a; }
// The remainder has the sign of the divisor; of 0, and by 0, it is NA.
NMATH_FN int expr_int_mod(int a, int b)
{
    if (a == NMATH_NA_INT || b == NMATH_NA_INT || b == 0)
        return NMATH_NA_INT;
    nmath_i64 r = (nmath_i64)a % b;
    return (int)(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}
NMATH_FN int expr_int_div(int a, int b)
{
    if (a == NMATH_NA_INT || b == NMATH_NA_INT || b == 0)
        return NMATH_NA_INT;
    nmath_i64 q = (nmath_i64)a / b;
    return (int)((nmath_i64)a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q);
}

// x %% y exactly, with the sign of y, 0 without one; an infinite y leaves an x of its sign alone.
NMATH_FN nmath_value expr_mod(nmath_value x, nmath_value y)
{
    if (y == 0.0 || isnan(x) || isnan(y) || isinf(x))
        return isnan(x) || isnan(y) ? x + y : NAN;
    nmath_value r = isinf(y) ? x : fmod(x, y) + 0.0;
    return r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;
}
NMATH_FN nmath_value expr_div(nmath_value x, nmath_value y)
{
    if (y == 0.0 || isnan(x) || isnan(y) || isinf(x))
        return x / y;
    if (isinf(y))
        return x == 0.0 || (x < 0.0) == (y < 0.0) ? 0.0 : -1.0;
    nmath_value r = fmod(x, y), q = (x - r) / y;
    if (r != 0.0 && (r < 0.0) != (y < 0.0))
        q -= 1.0;
    return rint(q) + 0.0; // R never gives -0
}

// Three-valued logic.
NMATH_FN int expr_and(int a, int b)
{
    return a == 0 || b == 0 ? 0 : a == NMATH_NA_INT || b == NMATH_NA_INT ? NMATH_NA_INT : 1;
}
NMATH_FN int expr_or(int a, int b)
{
    return (a != 0 && a != NMATH_NA_INT) || (b != 0 && b != NMATH_NA_INT)
               ? 1
               : a == NMATH_NA_INT || b == NMATH_NA_INT ? NMATH_NA_INT : 0;
}
NMATH_FN int expr_not(int a) { return a == NMATH_NA_INT ? a : !a; }
NMATH_FN int expr_xor(int a, int b) { return a == NMATH_NA_INT || b == NMATH_NA_INT ? NMATH_NA_INT : (a != 0) != (b != 0); }

#if !defined(NMATH_SPANS) && !defined(NMATH_HOST_TEXT)
// The sum of 16 numbers, `apart` from each other: in pairs that are half of them apart, then a quarter, and so on.
NMATH_FN double expr_sum_of_16(__local const double *x, int apart)
{
    double v[16];
    NMATH_STRAIGHT
    for (int m = 0; m < 16; ++m)
        v[m] = x[m * apart];
    NMATH_STRAIGHT
    for (int h = 8; h > 0; h /= 2) {
        NMATH_STRAIGHT
        for (int m = 0; m < h; ++m)
            v[m] = v[m] + v[m + h];
    }
    return v[0];
}
// Adds `count` rows of `items` numbers, a power of two, in pairs as above; a row's sum becomes its first number. All
// work-items of a group take part: with 256 of them two barriers do where a tree of halves takes eight.
NMATH_COLLECTIVE void expr_add_rows(__local double *rows, int item, int items, int count)
{
    if (items == 256) {
        for (int k = item; k < 16 * count; k += 256) {
            __local double *x = rows + k / 16 * 256 + k % 16;
            x[0] = expr_sum_of_16(x, 16);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = item; k < count; k += 256)
            rows[k * 256] = expr_sum_of_16(rows + k * 256, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        return;
    }
    for (int h = items / 2; h > 0; h /= 2) {
        for (int k = 0; item < h && k < count; ++k)
            rows[k * items + item] = rows[k * items + item] + rows[k * items + item + h];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

// The sum s + c of what was added, c holding what the roundings of s lost: Neumaier (1974), "Rundungsfehleranalyse
// einiger Verfahren zur Summation endlicher Summen", ZAMM 54, in the branch-free form of Knuth's two-sum.
typedef struct {
    nmath_value s, c;
} expr_sum;
NMATH_FN expr_sum expr_sum_add(expr_sum a, nmath_value x)
{
    nmath_value t = a.s + x, z = t - a.s;
    a.c += (a.s - (t - z)) + (x - z);
    a.s = t;
    return a;
}
// Where s is not finite, c is NaN, and s says what the sum is.
NMATH_FN double expr_sum_value(expr_sum a) { return isnan(a.c) || isnan(a.s) ? (double)a.s : (double)a.s + a.c; }
// Its two numbers from memory, and what another sum came to, with all of their digits.
#ifdef NMATH_SINGLE
NMATH_FN expr_sum expr_sum_of(double s, double c)
{
    expr_sum a;
    a.s = s.hi;
    a.c = s.lo + c.hi;
    return a;
}
NMATH_FN expr_sum expr_sum_take(expr_sum a, double x)
{
    a = expr_sum_add(a, x.hi);
    a.c += x.lo;
    return a;
}
#else
NMATH_FN expr_sum expr_sum_of(double s, double c)
{
    expr_sum a;
    a.s = s;
    a.c = c;
    return a;
}
#define expr_sum_take(a, x) expr_sum_add(a, x)
#endif
// Two sums as one; the c of a sum that is not finite is NaN.
NMATH_FN expr_sum expr_sum_join(expr_sum a, expr_sum b)
{
    expr_sum r;
    if (expr_is_na(b.s))
        return b;
    if (expr_is_na(a.s))
        return a;
    r = expr_sum_add(a, b.s);
    r.c += b.c;
    return r;
}
// The same with a term x y, NA before NaN.
NMATH_FN expr_sum expr_sum_add_product(expr_sum a, nmath_value x, nmath_value y)
{
    nmath_value t = x * y;
    if (expr_is_na(a.s))
        return a;
    if (isnan(t) && (expr_is_na(x) | expr_is_na(y))) {
        a.s = NMATH_NA_REAL;
        a.c = 0.0;
        return a;
    }
    return expr_sum_add(a, t);
}

NMATH_FN int expr_no_part(nmath_value x) { return EXPR_BITS(x) == EXPR_NO_PART_BITS; }

// Whether one of the values, `stride` apart, is NA.
NMATH_FN int expr_any_na(__global const double *x, nmath_i64 stride, nmath_i64 count)
{
    int found = 0;
    for (nmath_i64 j = 0; j < count; ++j)
        found |= expr_is_na(x[j * stride]);
    return found;
}
NMATH_FN int expr_any_na_int(__global const int *x, nmath_i64 stride, nmath_i64 count)
{
    int found = 0;
    for (nmath_i64 j = 0; j < count; ++j)
        found |= x[j * stride] == NMATH_NA_INT;
    return found;
}

// Kernels of many points on matrix units (src/expression/point_matrix.cpp), whose work-items are warps of 32 in lanes 4 h + q.
// EXPR_MULTIPLY: c[0] and c[1] += columns 2 q and 2 q + 1 of row h of a product, where a is row h and column q of its left
// factor, b row q and column h of its right one: four products one after the other, each rounded once with its sum (PTX ISA,
// mma m8n8k4 of f64). EXPR_MULTIPLY_TALL: the same of a left factor of 16 rows: c[2], c[3] and a8 are of row h + 8 (m16n8k4, twice as
// fast on devices that have it). EXPR_MEET: the lanes of a warp wait for each other. EXPR_FETCH: a number starts on its way from global to
// local memory; EXPR_FETCH_ENDS: what has started is a batch; EXPR_FETCHED(n): all batches but the last n are there.
// EXPR_LEAVE_OUT: a warp goes on with the next round of a loop. Other compilers, in tests, multiply through the local memory that
// EXPR_EXCHANGE declares, where all warps meet.
#ifdef NMATH_MATRIX_UNITS
#ifdef __NV_CL_C_VERSION
#define EXPR_EXCHANGE
#define EXPR_MULTIPLY(c, a, b) \
    __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" \
        : "+d"((c)[0]), "+d"((c)[1]) : "d"(a), "d"(b));
#if NMATH_MATRIX_UNITS >= 9
#define EXPR_MULTIPLY_TALL(c, a, a8, b) \
    __asm__ volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
        : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3]) : "d"(a), "d"(a8), "d"(b));
#endif
#define EXPR_MEET __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#define EXPR_FETCH(to, from) \
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8;" \
        : : "r"((uint)(uintptr_t)(to)), "l"((ulong)(uintptr_t)(from)) : "memory");
#define EXPR_FETCH_ENDS __asm__ volatile("cp.async.commit_group;" : : : "memory");
#define EXPR_FETCHED(left) __asm__ volatile("cp.async.wait_group " #left ";" : : : "memory");
#define EXPR_LEAVE_OUT(test) if (test) continue;
#else
#define EXPR_EXCHANGE __local double exchange[1024];
#define EXPR_MULTIPLY(c, a, b) { \
    barrier(CLK_LOCAL_MEM_FENCE); \
    exchange[item] = a; \
    exchange[512 + item] = b; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    for (int k_ = 0; k_ < 4; ++k_) \
        for (int n_ = 0; n_ < 2; ++n_) \
            (c)[n_] = fma(exchange[(item & ~31) + 4 * h + k_], exchange[512 + (item & ~31) + 8 * q + 4 * n_ + k_], (c)[n_]); \
}
#define EXPR_MEET
#define EXPR_FETCH(to, from) *(to) = *(from);
#define EXPR_FETCH_ENDS
#define EXPR_FETCHED(left)
#define EXPR_LEAVE_OUT(test)
#endif
#ifndef EXPR_MULTIPLY_TALL
#define EXPR_MULTIPLY_TALL(c, a, a8, b) { EXPR_MULTIPLY(c, a, b) EXPR_MULTIPLY((c) + 2, a8, b) }
#endif
#endif

// What `lanes` work-items have of the sum of row `item`, `height` apart.
NMATH_FN double expr_parts(__local const double *part, int item, int height, int lanes)
{
    double sum = part[item];
    for (int k = 1; k < lanes; ++k)
        sum += part[item + k * height];
    return sum;
}
// Of a group's work-items, a power of two, how many rows of so many columns, one number more to each column, fit into so many
// doubles, as a power of two; 0: fewer than eight.
NMATH_FN int expr_tile_rows(int items, nmath_i64 columns, nmath_i64 room)
{
    int rows = items;
    while (rows >= 8 && columns * (rows + 1) > room)
        rows /= 2;
    return rows >= 8 || rows == items ? (columns * (rows + 1) > room ? 0 : rows) : 0;
}

// The product m 2^(512 s), 2^-256 <= |m| <= 2^256 where it is neither 0 nor infinite (in pairs of floats 2^-32 and 2^32): R
// multiplies in a type of a larger range, so that products of a part of the factors may be beyond the doubles.
#define EXPR_PRODUCT_MOST NMATH_RANGE(0x1p256, 0x1p32)
#define EXPR_PRODUCT_STEP NMATH_RANGE(0x1p512, 0x1p64)
#define EXPR_PRODUCT_COUNT NMATH_RANGE(1.0, 0.125)
typedef struct {
    double m, s;
} expr_product;
NMATH_FN expr_product expr_product_join(expr_product a, expr_product b)
{
    double m = a.m * b.m, s = a.s + b.s;
    int large = fabs(m) > EXPR_PRODUCT_MOST, small = fabs(m) < 1.0 / EXPR_PRODUCT_MOST;
    a.m = m * (large ? 1.0 / EXPR_PRODUCT_STEP : small ? EXPR_PRODUCT_STEP : 1.0);
    a.s = large ? s + EXPR_PRODUCT_COUNT : small ? s - EXPR_PRODUCT_COUNT : s;
    return a;
}
NMATH_FN expr_product expr_product_add(expr_product a, double x)
{
    int large = fabs(x) > EXPR_PRODUCT_STEP, small = fabs(x) < 1.0 / EXPR_PRODUCT_STEP;
    expr_product b;
    b.m = large ? x * (1.0 / EXPR_PRODUCT_STEP) : small ? (x * EXPR_PRODUCT_STEP) * EXPR_PRODUCT_STEP : x;
    b.s = large ? EXPR_PRODUCT_COUNT : small ? -2.0 * EXPR_PRODUCT_COUNT : 0.0;
    return expr_product_join(a, b);
}

// log(exp(m) s): the largest term so far, and the sum of all relative to it.
typedef struct {
    double m, s;
} expr_lse;
NMATH_FN expr_lse expr_lse_join(expr_lse a, expr_lse b)
{
    double m = a.m > b.m || isnan(a.m) ? a.m : b.m;
    if (isinf(m) || isnan(m)) {
        a.s = isnan(a.m) || isnan(b.m) ? NAN : 1.0;
    } else {
        a.s = a.s * exp(a.m - m) + b.s * exp(b.m - m);
    }
    a.m = m;
    return a;
}
NMATH_FN expr_lse expr_lse_add(expr_lse a, double x)
{
    expr_lse b;
    b.m = x;
    b.s = 1.0;
    return expr_lse_join(a, b);
}

// Neither of which is missing.
NMATH_FN double expr_least(double a, double b) { return b < a ? b : a; }
NMATH_FN double expr_largest(double a, double b) { return b > a ? b : a; }
