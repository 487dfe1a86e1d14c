// @source_type: shim
// @source_origin: pbeta_hazard.c
// @provides: pbeta_hazard, pf_hazard, pt_hazard, pbinom_hazard, pnbinom_hazard, pnbinom_mu_hazard
// @depends: nmath, dpq, ibeta_mass, ibeta, ibeta_wide, pnorm_hazard, pgamma_hazard, dt
// @method: ibeta.cl, which has the quotient of density and tail
// @accuracy: derivatives 2.6 eps(1+cond) (host), 2.6 (PoCL)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, dnorm, lgamma, pnorm, igamma, pgamma_utils, pnorm_hazard, dpois, pgamma_hazard, dgamma, ibeta_mass, dt, ibeta, ibeta_rim, ibeta_wide
// @all_depends_count: 21

// pbeta_hazard and its relatives -- the density of the beta, F and t distributions over one of their tails, the lower one if
// `lower` is not 0; of the binomial and negative binomial distributions the size of the derivative of the tail's logarithm
// in prob or mu. All are tails of I_u(a, b). With the h of ibeta.cl, u (1 - u) dens(u)/tail, the derivative of log(tail) in
// log(u/(1 - u)) is h up to its sign, and what is left is the derivative of log(u/(1 - u)):
//     beta      u = x                        1/(x (1 - x))
//     F         u : 1-u = df1 x : df2        1/x
//     t         u : 1-u = x^2 : df           2/x, and the tail beyond |x| is half of one of u
//     binomial  u = 1 - prob                 1/(prob (1 - prob))     (Abramowitz & Stegun 26.5.24)
//     negative binomial  u = prob, or u : 1-u = size : mu            (26.5.26)

// The hazard over `part`, which is 1 over the derivative of log(u/(1 - u)) and may be subnormal. Of the larger tail the density
// may be in range where the smaller one is not.
NMATH_FN double pbeta_hazard_of(ibeta_tail t, int upper, double part)
{
    if (!t.upper == !upper)
        return t.h / part;
    double r = exp(0.5 * t.e.hi), m = t.m + t.m * t.e.lo;
    return nmath_rate(t.h, m, r, part) / (1.0 - r * m * r);
}

NMATH_HEAVY double pbeta_hazard(double x, double a, double b, double lower)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(lower))
        return x + a + b + lower;
    if (a < 0 || b < 0)
        return ML_NAN;
    int low = lower != 0.0;
    if (x < 0 || x > 1 || ibeta_limit(a, b) != IBETA_PROPER)
        return 0.0;
    if (x == 0)
        return low || a < 1.0 ? ML_POSINF : a == 1.0 ? b : 0.0;
    if (x == 1)
        return !low || b < 1.0 ? ML_POSINF : b == 1.0 ? a : 0.0;
    return pbeta_hazard_of(ibeta(a, b, ibeta_at(x, 1.0 - x)), !low, x * (1.0 - x));
}

NMATH_HEAVY double pf_hazard(double x, double df1, double df2, double lower)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(lower))
        return x + df2 + df1 + lower;
    if (df1 <= 0 || df2 <= 0)
        return ML_NAN;
    int low = lower != 0.0;
    if (x < 0 || isinf(x))
        return 0.0;
    if (x == 0)
        return low || df1 < 2.0 ? ML_POSINF : df1 == 2.0 ? 1.0 : 0.0;
    int limit = ibeta_limit(df1, df2);
    if (limit == IBETA_AT_HALF)
        return 0.0;
    if (limit != IBETA_PROPER && fmin(df1, df2) > NMATH_RANGE(1e-290, 1e-28)) {
        int flip = limit == IBETA_AT_1;
        double a = 0.5 * (flip ? df2 : df1);
        double h = pgamma_hazard(flip ? a : x, a, flip ? x : 1.0 / a, low != flip);
        return flip ? h * (a / x) : h;
    }
    df1 = isinf(df1) ? IBETA_LARGE : df1;
    df2 = isinf(df2) ? IBETA_LARGE : df2;
    ibeta_point o = ibeta_near(ibeta_odds(df1, x, df2), 1.0 - x);
    return pbeta_hazard_of(ibeta_of(df1, df2, o, 0.5), !low, x);
}

NMATH_HEAVY double pt_hazard(double x, double n, double lower)
{
    if (ISNAN(x) || ISNAN(n) || ISNAN(lower))
        return x + n + lower;
    if (n <= 0)
        return ML_NAN;
    if (isinf(n))
        return pnorm_hazard(x, lower);
    if (isinf(x))
        return 0.0;
    double a = fabs(x);
    int beyond = lower != 0.0 ? x < 0 : x > 0; // the tail asked for is that beyond |x|
    if (a < 1e-8 * fmin(1.0, sqrt(n))) { // where the density is that at 0
        double f = dt(x, n, 0);
        return f / (beyond ? 0.5 - a * f : 0.5 + a * f);
    }
    ibeta_point o = ibeta_near(ibeta_odds(a, a, n), fma(-x, x, 1.0));
    ibeta_tail t = ibeta_of(1.0, n, o, 0.5);
    double h = pbeta_hazard_of(t, 1, a); // f/2 over the tail beyond |x|
    if (beyond)
        return 2.0 * h;
    double p = ibeta_value(t, 1, 0);
    return h * p / (1.0 - 0.5 * p);
}

NMATH_HEAVY double pbinom_hazard(double x, double n, double p, double lower)
{
    if (ISNAN(x) || ISNAN(n) || ISNAN(p) || ISNAN(lower))
        return x + n + p + lower;
    double m = R_forceint(n);
    if (isinf(n) || m < 0 || R_nonint(n) || p < 0 || p > 1)
        return ML_NAN;
    int low = lower != 0.0;
    x = floor(x + 1e-7);
    if (x < 0 || x >= m)
        return 0.0;
    if (p == 0)
        return low && x == 0 ? m : 0.0;
    if (p == 1)
        return !low && x == m - 1.0 ? m : 0.0;
    return pbeta_hazard_of(ibeta_wide(m - x, x + 1.0, ibeta_at(1.0 - p, p), m, 0.0), !low, p * (1.0 - p));
}

NMATH_HEAVY double pnbinom_hazard(double x, double size, double prob, double lower)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(prob) || ISNAN(lower))
        return x + size + prob + lower;
    if (isinf(size) || size < 0 || prob <= 0 || prob > 1)
        return ML_NAN;
    int low = lower != 0.0;
    x = floor(x + 1e-7);
    if (x < 0 || size == 0 || isinf(x))
        return 0.0;
    if (prob == 1)
        return low && x == 0 ? size : 0.0;
    return pbeta_hazard_of(ibeta_wide(size, x + 1.0, ibeta_at(prob, 1.0 - prob), 0.0, 0.0), !low, prob * (1.0 - prob));
}

NMATH_HEAVY double pnbinom_mu_hazard(double x, double size, double mu, double lower)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(mu) || ISNAN(lower))
        return x + size + mu + lower;
    if (isinf(mu) || size < 0 || mu < 0)
        return ML_NAN;
    int low = lower != 0.0;
    x = floor(x + 1e-7);
    if (x < 0 || size == 0 || isinf(x))
        return 0.0;
    if (mu == 0)
        return low && x == 0 ? 1.0 : 0.0;
    if (isinf(size))
        return pgamma_hazard(mu, x + 1.0, 1.0, !low);
    return pbeta_hazard_of(ibeta_wide(size, x + 1.0, ibeta_odds(size, 1.0, mu), 0.0, mu), !low, mu);
}
