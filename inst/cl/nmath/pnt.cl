// @source_type: c
// @source_origin: pnt.c
// @provides: pnt, nct_tails
// @depends: nmath, dpq, dd, pnorm, ibeta, nct, nct_series
// @method: trapezoidal sum or Gauss window over the chi distribution, Poisson mixture for moderate ncp
// @accuracy: pnt.tsv 3.9 eps(1+cond) (host), 3.9 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nct, nct_series
// @all_depends_count: 20
// @load_order: 157

// pnt -- cumulative probability of the non-central t distribution. With t > 0 (else all is reflected) the smaller tail,
// or one that is not near 1, comes from
//   d <= 0            the upper tail as a sum over the chi distribution, kind 1 of nct.cl,
//   d <= 13           the Poisson mixture of nct_series.cl, unless t is far in the upper tail,
//   d > 13 or far     the sums of nct.cl, kind 1 for t > d and 2 for t < d, while the chi distribution, as a function of
//                     t s, is no wider than the normal one; else the window of nct.cl.

// The tail of T beyond (upper) or below t > 0, or the other one; in h, if `slope`, the log of t times the density.
NMATH_HEAVY ibeta_tail nct_tails(double t, double nu, double d, int upper, int slope)
{
    nct_frame f = nct_place(t, nu, d);
    dd e = nct_exponent(f);
    double mean = 0.5 * d * f.T, h = 0.0, rest = 0.0, near = d > 0.0 ? pnorm_upper(d, pnorm_mills(d)) : 0.0;
    int never = !(f.y < 1e300); // S is not that large
    int series = d > 0.0 && d <= 13.0 && mean <= 200.0, window = d > 0.0 && f.wide, above = d <= 0.0 || t >= d;
    ibeta_tail r;
    r.e.hi = r.e.lo = 0.0;
    r.m = near;
    for (int i = slope ? 0 : 1; i < 2; ++i) { // one place for both sums
        if (never || (i == 1 && (series || window)))
            break;
        if (i == 1 && !above && f.small)
            rest = pnorm_mills(d) * exp(-0.5 * f.T * (d - f.X.hi));
        r.m = nct_sum(f, i == 0 ? 0 : above ? 1 : 2, rest) * f.c;
        if (i == 0)
            h = e.hi + (e.lo + log(r.m * nu * f.s * M_1_SQRT_2PI * t));
    }
    if (never) {
        h = ML_NEGINF;
        r.upper = 0;
    } else if (series) {
        r = nct_series(t, nu, d, upper ? fmax(mean, 0.5 * d * d) : 0.5 * d * d, upper);
    } else if (window) {
        r = nct_window(f, t, upper);
    } else {
        r.upper = above;
        r.e = e;
        if (!above)
            r.m *= nu;
        if (rest > 0.0) {
            r.m = r.m * dd_exp(r.e) + near;
            r.e.hi = r.e.lo = 0.0;
        }
    }
    r.h = h;
    return r;
}

NMATH_FN double pnt(double t, double df, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(t) || ISNAN(df) || ISNAN(ncp))
        return t + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(t))
        return t < 0 ? R_DT_0 : R_DT_1;
    if (isinf(ncp))
        return ncp > 0 ? R_DT_0 : R_DT_1;
    if (t == 0 || df > 1e250)
        return pnorm(t, ncp, 1.0, lower_tail, log_p);
    int upper = (lower_tail == 0) != (t < 0), tail = upper;
    double d = t < 0 ? -ncp : ncp, v = 0.0;
    t = fabs(t);
    if (df >= 1.0)
        tail = t > d;
    for (int i = 0; i < 2; ++i) {
        ibeta_tail r = nct_tails(t, df, d, tail, 0);
        v = ibeta_value(r, upper, log_p);
        if (r.upper != tail || ibeta_value(r, tail, 0) < 0.5)
            break;
        tail = !tail;
    }
    return v;
}
