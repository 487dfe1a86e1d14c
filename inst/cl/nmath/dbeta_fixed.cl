// @source_type: c
// @source_origin: none
// @provides: dbeta_fixed, dbeta_fixed_place, dbeta_fixed_error, dbeta_fixed_of, dbeta_fixed_at, dbeta_fixed_off, dbeta_fixed_on
// @depends: nmath, dpq, stirlerr, log1p_parts
// @method: the saddle point form, what depends on the shapes computed once; two logarithms an element
// @all_depends: Rmath, refactored, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr
// @all_depends_count: 11

// dbeta_fixed -- the log density of the beta distribution where its shapes a and b are the same for many x. With n = a + b,
// e = n x - a, u = e/a and v = -e/b, so that x = (1 + u) a/n and 1 - x = (1 + v) b/n (after Loader (2000), "Fast and accurate
// computation of binomial probabilities", for real a and b)
//     log f(x) = [log(n^3/(2 pi a b))/2 + stirlerr(n) - stirlerr(a) - stirlerr(b)]
//                - log(1 + u) - log(1 + v) - a (u - log(1 + u)) - b (v - log(1 + v)).
// The bracket is computed once, the rest is log1p_parts.cl. *needs_general is set for shapes and x for which dbeta.cl is right: small or
// very large ones and two of 1, and what lies next to the ends 0 and 1.

typedef struct {
    double a, b, n, mean, rest, per_a, per_b, c; // n = a + b, a/n = mean + rest
    double at_zero, at_one;
} dbeta_fixed;

// All but c, of shapes that are not small or very large.
NMATH_FN dbeta_fixed dbeta_fixed_place(double a, double b)
{
    dbeta_fixed f;
    nmath_dd n = dd_two_sum(a, b);
    f.a = a;
    f.b = b;
    f.n = n.hi;
    f.mean = a / n.hi;
    nmath_dd h = dd_two_prod(f.mean, n.hi);
    f.rest = (((a - h.hi) - h.lo) - f.mean * n.lo) / n.hi;
    f.per_a = 1.0 / a;
    f.per_b = 1.0 / b;
    f.c = f.at_zero = f.at_one = 0.0;
    return f;
}

// A form's value r, or where x is not between 0 and 1 what is known before
NMATH_FN double dbeta_fixed_on(double x, double r, double outside, dbeta_fixed f)
{
    double low = x < 0.0 ? outside : f.at_zero, high = x > 1.0 ? outside : f.at_one;
    return x <= 0.0 ? low : x >= 1.0 ? high : r;
}

// stirlerr(n) - stirlerr(a) - stirlerr(b)
NMATH_FN double dbeta_fixed_error(dbeta_fixed f) { return (stirlerr(f.n) - stirlerr(f.a)) - stirlerr(f.b); }

NMATH_FN dbeta_fixed dbeta_fixed_of(double a, double b, int *needs_general)
{
    int plain = a > 0.05 && a < 1e8 && b > 0.05 && b < 1e8 && !(a == 1.0 && b == 1.0);
    *needs_general |= !plain;
    dbeta_fixed f = dbeta_fixed_place(plain ? a : 1.0, plain ? b : 1.0);
    // the root of the square of n^3/(a b) by parts that are near 1 or of one sign
    f.c = 0.5 * (log(f.n * f.per_a) + log(f.n * f.per_b) + log(f.n * (M_1_SQRT_2PI * M_1_SQRT_2PI))) + dbeta_fixed_error(f);
    f.at_zero = f.a < 1.0 ? ML_POSINF : f.a > 1.0 ? ML_NEGINF : log(f.b);
    f.at_one = f.b < 1.0 ? ML_POSINF : f.b > 1.0 ? ML_NEGINF : log(f.a);
    return f;
}

// n x - a to full relative precision
NMATH_FN double dbeta_fixed_off(double x, dbeta_fixed f) { return f.n * ((x - f.mean) - f.rest); }

NMATH_FN double dbeta_fixed_at(double x, dbeta_fixed f, int *needs_general)
{
    double e = dbeta_fixed_off(x, f), w = x * f.n * f.per_a, y = (1.0 - x) * f.n * f.per_b;
    *needs_general |= (x > 0.0) & (x < 1.0) & ((w < 1e-30) | (y < 1e-30)); // not of a NaN
    log1p_parts p = log1p_split(e * f.per_a, w), q = log1p_split(-e * f.per_b, y);
    return dbeta_fixed_on(x, ((f.c - p.l) - q.l) - (f.a * p.h + f.b * q.h), ML_NEGINF, f);
}
