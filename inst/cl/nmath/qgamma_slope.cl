// @source_type: shim
// @source_origin: qgamma_slope.c
// @provides: quantile_slope_of, qgamma_slope, qnchisq_slope
// @depends: nmath, dpq, igamma, pgamma_utils, qgamma, pgamma_hazard
// @method: the leading term of the power series of the distribution function, exponents apart
// @accuracy: derivatives 1.7 eps(1+cond) (host), 1.7 (PoCL)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, igamma, pgamma_utils, qnorm, pgamma_hazard, qgamma
// @all_depends_count: 14

// qgamma_slope, qnchisq_slope -- the size of the derivative of a quantile in the probability p, or its logarithm if `log_p` is not 0,
// where the quantile may underflow. Next to 0 the distribution functions of y = x/scale are
//     P = e^-mu y^a/Gamma(a + 1),    a the shape or df/2, mu = ncp/2 or 0,
// so that dx/dP = scale y/(a P), which may be of any size where x is below all doubles.

// m 2^k with the mantissas and exponents of products apart
NMATH_FN double quantile_slope_of(double m, int k, double up, double down, double p)
{
    int ku, kd, kp;
    m *= frexp(up, &ku) / frexp(down, &kd);
    m /= frexp(p, &kp);
    k += ku - kd - kp;
    return ldexp(m, k < -4000 ? -4000 : k > 4000 ? 4000 : k);
}

// The probability of the lower tail over that in whose logarithm, or itself, the derivative is taken: dp of that is dP of this.
NMATH_FN double qgamma_slope_lower(double p, int lower_tail, int log_p)
{
    if (log_p)
        return lower_tail ? 1.0 : -expm1(p) / exp(p);
    return lower_tail ? p : 1.0 - p;
}

// exp(u) times up/down
NMATH_FN double qgamma_slope_power(nmath_dd u, double up, double down, double P)
{
    if (u.hi < -5000.0)
        return 0.0;
    double k = rint(u.hi * M_LOG2E), m = exp(((u.hi - k * NMATH_LN2_HI) - k * NMATH_LN2_LO) + u.lo);
    return quantile_slope_of(m, (int)k, up, down, P);
}

// (log P + mu + log Gamma(a + 1))/a
NMATH_FN nmath_dd qgamma_slope_log(qgamma_target w, double a, double mu, double lg)
{
    nmath_dd s = dd_two_sum(qgamma_log_lower(w), mu), u;
    s = dd_fast_two_sum(s.hi, s.lo + lg);
    u.hi = s.hi / a;
    u.lo = u.hi > -1e4 ? (fma(-u.hi, a, s.hi) + s.lo) / a : 0.0;
    return u;
}

NMATH_HEAVY double qgamma_slope(double p, double a, double scale, double lower_tail, double log_p)
{
    if (ISNAN(p) || ISNAN(a) || ISNAN(scale))
        return p + a + scale;
    int lower = lower_tail != 0.0, logs = log_p != 0.0;
    double P = qgamma_slope_lower(p, lower, logs);
    qgamma_target w = qgamma_tail(p, lower, logs);
    nmath_dd u = qgamma_slope_log(w, a, 0.0, qgamma_lgamma1p(a, igamma_factor(a)));
    if (u.hi < -38.0)
        return qgamma_slope_power(u, scale, a, P);
    double y = qgamma(p, a, 1.0, lower, logs);
    return quantile_slope_of(1.0, 0, scale, pgamma_hazard(y, a, 1.0, 1.0), P);
}

NMATH_HEAVY double qnchisq_slope(double p, double df, double ncp, double lower_tail, double log_p)
{
    if (ISNAN(p) || ISNAN(df) || ISNAN(ncp))
        return p + df + ncp;
    int lower = lower_tail != 0.0, logs = log_p != 0.0;
    double a = 0.5 * df, mu = 0.5 * ncp;
    if (a == 0.0) // the mass at 0
        return 0.0;
    nmath_dd u = qgamma_slope_log(qgamma_tail(p, lower, logs), a, mu, lgamma1p(a));
    return qgamma_slope_power(u, 2.0, a, qgamma_slope_lower(p, lower, logs));
}
