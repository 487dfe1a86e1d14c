// @source_type: c
// @source_origin: none
// @provides: dpois_fixed, dpois_fixed_of, dpois_fixed_at, dpois_fixed_error, dpois_fixed_small
// @depends: nmath, stirlerr_cycle_free, log1p_parts
// @method: the saddle point form, what depends on the mean computed once; one logarithm an element
// @all_depends: Rmath, nmath, log1p_parts, stirlerr_cycle_free
// @all_depends_count: 4

// dpois_fixed -- the log mass of the Poisson distribution where its mean m is the same for many counts x. With w = x/m
// (Loader (2000), "Fast and accurate computation of binomial probabilities", section 3)
//     log P(x) = -log(2 pi m)/2 - log(w)/2 - stirlerr(x) - m (w log w - (w - 1)),   log P(0) = -m.
// *needs_general is set where dpois.cl has to compute: very small or large means, counts that are negative, infinite or not whole.

typedef struct {
    double mean, per_mean, c; // m, 1/m, -log(2 pi m)/2
} dpois_fixed;

// stirlerr(k) = log(k!) - log(sqrt(2 pi k) (k/e)^k), k = 1, 2, 3: tools/fit_fixed.py; the first is not used
NMATH_TABLE double dpois_fixed_small[4] = {0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834};

// stirlerr of a whole number above 0, without a branch and without a look into memory that hangs on x
NMATH_FN double dpois_fixed_error(double x)
{
    double v = stirlerr_inverse(NMATH_RECIPROCAL(x > 4.0 ? x : 4.0));
    v = x < 3.5 ? dpois_fixed_small[3] : v;
    v = x < 2.5 ? dpois_fixed_small[2] : v;
    return x < 1.5 ? dpois_fixed_small[1] : v;
}

NMATH_FN dpois_fixed dpois_fixed_of(double mean, int *needs_general)
{
    dpois_fixed f;
    int plain = mean > 1e-8 && mean < 1e8;
    *needs_general |= !plain;
    f.mean = plain ? mean : 1.0;
    f.per_mean = 1.0 / f.mean;
    f.c = -0.5 * log(f.mean) - M_LN_SQRT_2PI;
    return f;
}

NMATH_FN double dpois_fixed_at(double x, dpois_fixed f, int *needs_general)
{
    *needs_general |= x < 0.0 || x > 1e15 || fabs(x - rint(x)) > 0.0;
    log1p_parts p = log1p_split((x - f.mean) * f.per_mean, x * f.per_mean);
    double v = ((f.c - 0.5 * p.l) - dpois_fixed_error(x)) - f.mean * p.g;
    return x == 0.0 ? -f.mean : v;
}
