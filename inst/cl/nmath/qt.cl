// @source_type: c
// @source_origin: qt.c
// @provides: qt
// @depends: nmath, dpq, qnorm, ibeta_quantile
// @method: inverse of the incomplete beta ratio, ibeta_quantile.cl
// @accuracy: qt.tsv 0.93 eps(1+cond) (host), 0.93 (PoCL), 1.1 (H200); 4.9 on fresh rows
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, ibeta_quantile
// @all_depends_count: 17

// qt -- quantile of Student's t distribution: t^2 = df y/x, where x/y are the odds with I_x(df/2, 1/2) = 2 min(P, 1
// - P), see pt.cl. About P = 1/2 the other tail of I is taken, |2 P - 1|, which is exact.

NMATH_FN double qt(double p, double n, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(n))
        return p + n;
    R_Q_P01_boundaries(p, ML_NEGINF, ML_POSINF);
    if (n <= 0)
        return ML_NAN;
    if (isinf(n))
        return qnorm5(p, 0.0, 1.0, lower_tail, log_p);
    // the smaller tail P or its log, and |1 - 2 P|
    ibeta_goal g = ibeta_goal_of(p, 1, log_p);
    double c = log_p ? -expm1((p + M_LN2) + 2.3190468138462996e-17) : 1.0 - 2.0 * p;
    if (fabs(c) < 0.5) {
        g.v = fabs(c);
        g.upper = 1;
        g.log_p = 0;
    } else {
        g.v = g.log_p ? g.v + M_LN2 : 2.0 * g.v;
        g.upper = 0;
    }
    if (c == 0)
        return 0.0;
    // first terms of the Cornish-Fisher expansion in 1/df (Abramowitz & Stegun 26.7.5)
    double z = qnorm5(p, 0.0, 1.0, 1, log_p), w = z * z;
    double t3 = ((3.0 * w + 19.0) * w + 17.0) * w - 15.0, v = 1.0 / (4.0 * n);
    double t = 1.0 + v * ((w + 1.0) + v * (1.0 / 6) * (((5.0 * w + 16.0) * w + 3.0) + v * t3));
    ibeta_odd o = ibeta_solve_of(n, 1.0, 0.5, g, n >= 1.0 && w > 1e-8 ? log(n / (w * t * t)) : ML_NAN);
    int k;
    double m = frexp(n, &k) / o.f;
    k -= o.k;
    m = ldexp(sqrt(k % 2 != 0 ? 2.0 * m : m), (k - (k % 2 != 0)) / 2);
    return (c > 0) == (lower_tail != 0) ? -m : m;
}
