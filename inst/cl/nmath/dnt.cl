// @source_type: c
// @source_origin: dnt.c
// @provides: dnt, dnt_times, dnt_of
// @depends: nmath, dpq, dnorm, dgamma, ibeta_mass, nct
// @method: trapezoidal sum of the integral over the chi distribution, nct.cl
// @accuracy: dnt.tsv 3.2 eps(1+cond) (host), 3.2 (PoCL), 2.7 (H200)
// @all_depends: Rmath, nmath, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, dnorm, lgamma, pnorm, igamma, nct_sum, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nct
// @all_depends_count: 19

// dnt -- density of the non-central t distribution, the kind 0 of nct.cl:
//     f(x) = nu s* exp(e - X*^2/2) c / sqrt(2 pi) sum.
// From the density at -x and -ncp if x < 0; with infinite df, dnorm(x, ncp, 1).

// The density times `by`, which may be in range where the density is not (not of logs), given a weighed frame and its sum of the kind 0
NMATH_FN double dnt_of(nct_frame f, double sum, double by, int log_p)
{
    double m = sum * f.c * M_1_SQRT_2PI, c = m * (f.nu * f.s);
    nmath_dd e = nct_exponent(f);
    e.hi *= f.back;
    e.lo *= f.back;
    if (f.shift != 0)
        e = ibeta_shift(e, -f.shift);
    int safe = c > NMATH_RANGE(1e-290, 1e-28) && c < NMATH_RANGE(1e290, 1e28);
    if (!(e.hi >= -NMATH_DBL_MAX) || (e.hi < -1e5 && !log_p))
        return R_D__0;
    if (log_p)
        return e.hi + (e.lo + (safe ? log(c) : log(m) + log(f.nu) - log(f.sc)));
    int few = f.nu < 1.0;
    double num = safe ? c : few ? f.nu : m * f.nu, den = safe ? 1.0 : few ? f.sc / m : f.sc;
    return dgamma_scaled(e, by < 1.0 ? num * by : num, by > 1.0 ? den / by : den);
}

// f(x) times `by`
NMATH_FN double dnt_times(double x, double df, double ncp, double by, int log_p)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp))
        return R_D__0;
    if (isinf(df))
        return log_p ? dnorm4(x, ncp, 1.0, 1) : dnorm4(x, ncp, 1.0, 0) * by;
    nct_frame f = nct_weigh(nct_place(fabs(x), df, x < 0 ? -ncp : ncp));
    return dnt_of(f, nct_sum(f, 0, 0.0), by, log_p);
}

NMATH_FN double dnt(double x, double df, double ncp, int log_p) { return dnt_times(x, df, ncp, 1.0, log_p); }
