// @source_type: c
// @source_origin: pnt.c
// @provides: pnt, nct_tails
// @depends: nmath, dpq, dd, pnorm, pt, nct, nct_series
// @method: trapezoidal sum or Gauss window over the chi distribution, Poisson mixture for moderate ncp
// @accuracy: pnt.tsv
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nct, nct_series, pt
// @all_depends_count: 21
// @load_order: 155

// pnt -- cumulative probability of the non-central t distribution. With t > 0 (else all is reflected) the smaller tail,
// or one that is not near 1, comes from
//   d <= 0            the upper tail as a sum over the chi distribution, kind 1 of nct.cl,
//   d <= 13           the Poisson mixture of nct_series.cl, unless t is far in the upper tail,
//   d > 13 or far     the sums of nct.cl, kind 1 for t > d and 2 for t < d, while the chi distribution, as a function of
//                     t s, is no wider than the normal one; else the window of nct.cl.

// The tail of T beyond (upper) or below t > 0, or the other one.
NMATH_HEAVY ibeta_tail nct_tails(double t, double nu, double d, int upper)
{
    nct_frame f = nct_place(t, nu, d);
    double mean = 0.5 * d * f.T;
    ibeta_tail r;
    r.h = 0.0;
    if (!(f.y < 1e300)) { // S is never that large
        r.upper = 0;
        r.e.hi = r.e.lo = 0.0;
        r.m = pnorm_upper(d, pnorm_mills(d));
        return r;
    }
    if (d > 0.0 && d <= 13.0 && mean <= 200.0)
        return nct_series(t, nu, d, upper ? fmax(mean, 0.5 * d * d) : 0.5 * d * d, upper);
    if (d > 0.0 && f.wide)
        return nct_window(f, t, upper);
    r.upper = d <= 0.0 || t >= d;
    r.e = nct_exponent(f);
    double rest = !r.upper && f.small ? pnorm_mills(d) * exp(-0.5 * f.T * (d - f.X.hi)) : 0.0;
    r.m = nct_sum(f, r.upper ? 1 : 2, rest) * f.c;
    if (!r.upper)
        r.m *= nu;
    if (rest > 0.0) {
        r.m = r.m * dd_exp(r.e) + pnorm_upper(d, pnorm_mills(d));
        r.e.hi = r.e.lo = 0.0;
    }
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
    if (ncp == 0)
        return pt(t, df, lower_tail, log_p);
    int upper = (lower_tail == 0) != (t < 0), tail = upper;
    double d = t < 0 ? -ncp : ncp, v = 0.0;
    t = fabs(t);
    if (df >= 1.0)
        tail = t > d;
    for (int i = 0; i < 2; ++i) {
        ibeta_tail r = nct_tails(t, df, d, tail);
        v = ibeta_value(r, upper, log_p);
        if (r.upper != tail || ibeta_value(r, tail, 0) < 0.5)
            break;
        tail = !tail;
    }
    return v;
}
