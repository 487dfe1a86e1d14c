// @source_type: c
// @source_origin: none
// @provides: dbinom_fixed, dbinom_fixed_of, dbinom_fixed_at, dbinom_fixed_exponent
// @depends: nmath, dpq, stirlerr_cycle_free, log1p, log1p_parts, dpois_fixed
// @method: the saddle point form, what depends on size and probability computed once; two logarithms an element
// @all_depends: Rmath, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, dpois_fixed
// @all_depends_count: 7

// dbinom_fixed -- the log mass of the binomial distribution where size n and probability p are the same for many counts x. With
// q = 1 - p, y = n - x, e = x - n p = n q - y, from the smaller of p and q to full relative precision, v = x/(n p) and
// w = y/(n q) (Loader (2000), "Fast and accurate computation of binomial probabilities", section 2)
//     log P(x) = [stirlerr(n) - log(2 pi n p q)/2] - log(v)/2 - log(w)/2 - stirlerr(x) - stirlerr(y)
//                - n p (v log v - (v - 1)) - n q (w log w - (w - 1)),   log P(0) = n log q,   log P(n) = n log p.
// *needs_general is set where dbinom.cl has to compute: a size that is not whole or large, probabilities next to 0 and 1, counts that are
// not whole or not within 0 and n.

typedef struct {
    double size, m, k, per_m, per_k, c, none, all; // n, n p, n q, their inverses, the bracket, log P(0), log P(n)
    double mean, rest;                             // n p or n q, the smaller, as their sum
    int small;                                     // p <= q
} dbinom_fixed;

NMATH_FN dbinom_fixed dbinom_fixed_of(double size, double prob, int *needs_general)
{
    dbinom_fixed f;
    int plain = size >= 1.0 && size < 1e8 && size == rint(size) && prob > 1e-8 && prob < 1.0 - 1e-8;
    *needs_general |= !plain;
    double n = plain ? size : 1.0, p = plain ? prob : 0.5, q = 1.0 - p;
    f.size = n;
    f.m = n * p;
    f.k = n * q;
    f.per_m = 1.0 / f.m;
    f.per_k = 1.0 / f.k;
    f.small = p <= q;
    nmath_dd h = dd_two_prod(n, f.small ? p : q);
    f.mean = h.hi;
    f.rest = h.lo;
    f.c = (dpois_fixed_error(n) - 0.5 * log(f.m * q)) - M_LN_SQRT_2PI;
    f.none = n * log1p(-p);
    f.all = n * log(p);
    return f;
}

// log P(x) less the bracket, for 0 < x < n; the larger of v and w in *far
NMATH_FN double dbinom_fixed_exponent(double x, dbinom_fixed f, double *far)
{
    double y = f.size - x, d = (f.mean - (f.small ? x : y)) + f.rest, e = f.small ? -d : d;
    log1p_parts s = log1p_split(e * f.per_m, x * f.per_m), t = log1p_split(-e * f.per_k, y * f.per_k);
    *far = s.w > t.w ? s.w : t.w;
    return -0.5 * (s.l + t.l) - (dpois_fixed_error(x) + dpois_fixed_error(y)) - (f.m * s.g + f.k * t.g);
}

NMATH_FN double dbinom_fixed_at(double x, dbinom_fixed f, int *needs_general)
{
    double far, v = f.c + dbinom_fixed_exponent(x, f, &far);
    *needs_general |= x < 0.0 || x > f.size || fabs(x - rint(x)) > 0.0;
    v = x == 0.0 ? f.none : v;
    return x == f.size ? f.all : v;
}
