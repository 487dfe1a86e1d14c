// @source_type: shim
// @source_origin: tail_fixed.c
// @provides: tail_fixed_parts, tail_fixed_rows, tail_fixed_powers, tail_fixed_sum, tail_fixed_own_sum, tail_fixed_horner, tail_fixed_root, tail_fixed_needs_general, tail_fixed_value
// @depends: nmath, log1p_parts
// @method: polynomials with coefficients that a launch computes; a tail from its exponent and its factor, without a branch
// @all_depends: Rmath, nmath, log1p_parts
// @all_depends_count: 3

// tail_fixed -- what distribution functions of fixed parameters share: tables in two variables that become polynomials in one,
// and the way from the smaller tail, exp(-h) m, to the probability asked for.

// The tail exp(-h) m that is below x (`low`) or beyond; `far`: where m is not right
typedef struct {
    double m, h;
    int low, far;
} tail_fixed_parts;

// c[0..n-1] interleaved by four, for four coefficients
NMATH_FN void tail_fixed_rows(double t, NMATH_CONSTANT const double *c, int n, double *p)
{
    double p0 = 0.0, p1 = 0.0, p2 = 0.0, p3 = 0.0;
    for (int j = n - 1; j >= 0; --j) {
        p0 = NMATH_FMA(p0, t, c[4 * j]);
        p1 = NMATH_FMA(p1, t, c[4 * j + 1]);
        p2 = NMATH_FMA(p2, t, c[4 * j + 2]);
        p3 = NMATH_FMA(p3, t, c[4 * j + 3]);
    }
    p[0] = p0;
    p[1] = p1;
    p[2] = p2;
    p[3] = p3;
}

// c[0] T_0(s) + ... + c[n - 1] T_(n - 1)(s), T Chebyshev polynomials, n <= 32, in powers of s: Clenshaw's recurrence
// B_k = c_k + 2 s B_(k+1) - B_(k+2), c[0] + s B_1 - B_2, of polynomials.
NMATH_FN void tail_fixed_powers(const double *c, int n, double *to)
{
    double older[32];
    for (int k = 0; k < n; ++k)
        to[k] = older[k] = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        double s = k > 0 ? 2.0 : 1.0, below = 0.0;
        for (int j = 0; j < n - k; ++j) {
            double t = to[j];
            to[j] = (j == 0 ? c[k] : 0.0) + s * below - older[j];
            older[j] = below = t;
        }
    }
}

// c[0] + c[1] x + ... + c[4 n - 1] x^(4 n - 1); on a processor four chains, which it works on at once, on a GPU, whose few
// work-items with all these registers wait, two. The coefficients are those of a form, or (tail_fixed_own_sum) the work-item's own.
#ifdef NMATH_HORNER
#define TAIL_FIXED_SUM(x, c, n) \
    double x2 = x * x, r = c[4 * n - 2], s = c[4 * n - 1]; \
    NMATH_UNROLL \
    for (int k = 4 * n - 4; k >= 0; k -= 2) { \
        r = NMATH_FMA(r, x2, c[k]); \
        s = NMATH_FMA(s, x2, c[k + 1]); \
    } \
    return NMATH_FMA(s, x, r);
#else
#define TAIL_FIXED_SUM(x, c, n) \
    double x2 = x * x, x4 = x2 * x2, p = c[4 * n - 4], q = c[4 * n - 3], r = c[4 * n - 2], s = c[4 * n - 1]; \
    NMATH_UNROLL \
    for (int k = 4 * n - 8; k >= 0; k -= 4) { \
        p = NMATH_FMA(p, x4, c[k]); \
        q = NMATH_FMA(q, x4, c[k + 1]); \
        r = NMATH_FMA(r, x4, c[k + 2]); \
        s = NMATH_FMA(s, x4, c[k + 3]); \
    } \
    return NMATH_FMA(NMATH_FMA(s, x, r), x2, NMATH_FMA(q, x, p));
#endif
NMATH_FN double tail_fixed_sum(double x, NMATH_FORM double *c, int n) { TAIL_FIXED_SUM(x, c, n) }
NMATH_FN double tail_fixed_own_sum(double x, const double *c, int n) { TAIL_FIXED_SUM(x, c, n) }

// The same by Horner's rule: fewer operations, where a form has registers to spare
#ifdef NMATH_LOCAL_FORMS
NMATH_FN double tail_fixed_horner(double x, NMATH_FORM double *c, int n)
{
    double s = c[4 * n - 1];
    NMATH_UNROLL
    for (int k = 4 * n - 2; k >= 0; --k)
        s = NMATH_FMA(s, x, c[k]);
    return s;
}
#endif

// sqrt(x), 0 <= x < Inf, to an ulp. gcc takes the builtin for a call, for errno's sake: three steps of Newton's iteration for
// 1/sqrt(x), from the usual guess by the bits, and one for the root.
#ifdef NMATH_VECTORS
NMATH_FN double tail_fixed_root(double x)
{
    double r = nmath_from_bits(0x5FE6EB50C7B537A9UL - (nmath_bits(x) >> 1)), h = 0.5 * x;
    r *= 1.5 - (h * r) * r;
    r *= 1.5 - (h * r) * r;
    r *= 1.5 - (h * r) * r;
    double s = x * r;
    return NMATH_FMA(0.5 * r, NMATH_FMA(-s, s, x), s);
}
#else
#define tail_fixed_root(x) sqrt(x)
#endif

// Whether the general form is to be asked: where the tail or its logarithm is asked for and may be subnormal (beyond, it is 0), and
// where the form is not right (`far`) and that matters. Without `some` the element has an answer that does not need the tail.
NMATH_FN int tail_fixed_needs_general(double h, int some, int far, int asked, int log_p)
{
    int deep = some & (h < 800.0) & ((h > NMATH_FIXED_FAR) | far); // no &&, which would hinder vectors
    return log_p ? (asked & far) | ((!asked) & deep) : (asked & deep) | ((!asked) & far & (h < 40.0));
}

// The tail exp(-h) m, or 1 less it.
NMATH_FN double tail_fixed_value(double m, double h, int asked, int log_p)
{
    double tail = m * expsq_exp(-h);
    if (!log_p)
        return asked ? tail : 1.0 - tail;
    double l = log1p_split(asked ? m - 1.0 : -tail, asked ? m : 1.0 - tail).l; // one logarithm for both
    return asked ? l - h : l;
}
