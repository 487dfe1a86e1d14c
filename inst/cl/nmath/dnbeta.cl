// @source_type: c
// @source_origin: dnbeta.c
// @provides: dnbeta
// @depends: nmath, dpq, nbeta_mass
// @method: Poisson mixture of nbeta_mass.cl
// @accuracy: dnbeta.tsv 1.8 eps(1+cond) (host), 1.8 (PoCL), 1.8 (H200)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass, nbeta_mass
// @all_depends_count: 11

// dnbeta -- density of the non-central beta distribution, X/(X + Y) for X non-central chi-squared with 2a degrees of
// freedom, Y chi-squared with 2b. At the ends of the support one term of the mixture is left at 0 (j = 0), and the sum
// of p_j (a + j) = a + ncp/2 at 1.

NMATH_FN double dnbeta(double x, double a, double b, double ncp, int log_p)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    if (!(a > 0) || !(b > 0) || ncp < 0 || isinf(a) || isinf(b) || isinf(ncp))
        return ML_NAN;
    if (x < 0 || x > 1)
        return R_D__0;
    double h = 0.5 * ncp;
    if (x == 0 || x == 1) {
        double s = x == 0 ? a : b;
        if (s != 1)
            return s > 1 ? R_D__0 : ML_POSINF;
        if (x == 1)
            return R_D_val(a + h);
        return log_p ? log(b) - h : b * exp(-h);
    }
    return nbeta_density(a, b, h, 1.0, ibeta_at(x, 1.0 - x), 1.0, x * (1.0 - x), log_p);
}
