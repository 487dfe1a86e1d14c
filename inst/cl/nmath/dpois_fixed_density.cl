// @source_type: c
// @source_origin: none
// @provides: dpois_fixed_density, dpois_fixed_density_of, dpois_fixed_density_at
// @depends: nmath, dpois_fixed, log1p_parts
// @method: the form of dpois_fixed.cl, its exponential taken
// @all_depends: Rmath, nmath, log1p_parts, stirlerr_cycle_free, dpois_fixed
// @all_depends_count: 5

// dpois_fixed_density -- the mass of the Poisson distribution where its mean is the same for many counts: in the terms of
// dpois_fixed.cl exp(-log(w)/2 - stirlerr(x) - m (w log w - (w - 1)))/sqrt(2 pi m). *needs_general is set where dpois.cl has to compute. Far above
// a small mean the condition number, |x - m|, is smaller than the exponent, which is about |x - m| (log(w) - 1).

typedef dpois_fixed dpois_fixed_density;

NMATH_FN dpois_fixed_density dpois_fixed_density_of(double mean, int *needs_general)
{
    dpois_fixed_density f = dpois_fixed_of(mean, needs_general);
    f.c = M_1_SQRT_2PI / sqrt(f.mean);
    return f;
}

NMATH_FN double dpois_fixed_density_at(double x, dpois_fixed_density f, int *needs_general)
{
    log1p_parts p = log1p_split((x - f.mean) * f.per_mean, x * f.per_mean);
    double e = x == 0.0 ? f.mean : NMATH_FMA(f.mean, p.g, 0.5 * p.l) + dpois_fixed_error(x);
    double most = p.w > 50.0 ? 8.0 : NMATH_FIXED_FAR; // next to which an ulp of e would count
    int far = p.w > 1000.0 || (e > most && e < 800.0); // beyond it is 0
    *needs_general |= far | (x < 0.0 || x > 1e15 || fabs(x - rint(x)) > 0.0);
    double v = expsq_exp(-e);
    return x == 0.0 ? v : f.c * v;
}
