// @source_type: c
// @source_origin: dpois.c
// @provides: dpois, dpois_raw, dpois_exponent, dpois_stirling, dpois_log_sqrt
// @depends: nmath, dpq, dd, logdd, stirlerr_cycle_free, pgamma_utils
// @method: saddle-point expansion, deviance from the exact difference, exponent in double-double where it is steep
// @accuracy: dpois.tsv ? eps(1+cond) (host), ? (PoCL)

// dpois -- mass of the Poisson distribution, and the exponent that it shares with the gamma density.
//
// Loader (2000), "Fast and accurate computation of binomial probabilities": with x! = sqrt(2 pi x) (x/e)^x e^stirlerr(x),
//     lambda^x e^-lambda / x! = exp(-stirlerr(x) - D) / sqrt(2 pi x),   D = x log(x/lambda) + lambda - x >= 0.
// The deviance D is taken from the difference d = lambda - x, which is known to full relative precision:
//     D = -x log1pmx(d/x),   log1pmx(u) = log(1+u) - u.
// No terms cancel, so the log of the mass is as good as the mass. Where lambda < 0.6 x the exponent may be hundreds of
// times larger than the condition number (d/dlambda alone: x is an integer), and -D = x log(lambda/x) - d is kept as
// hi + lo. Below x = 0.4 the factorial has no use for Stirling's factor 1/sqrt(x): see dpois_stirling().

// x! = sqrt(2 pi w) (x/e)^x e^r, x >= 0: returns r and sets w. From 0.4 on w = x, r = stirlerr(x); below, where the poles
// of log x in those two would only cancel, w = 1/(2 pi).
NMATH_FN double dpois_stirling(double x, double *w)
{
    if (x < 0.4) {
        *w = 0.15915494309189533577;
        return x > 0 ? lgamma1p_near_0(x) + x * (1.0 - log(x)) : 0.0;
    }
    *w = x;
    return stirlerr_cycle_free(x);
}

// log sqrt(2 pi w): 0 to the last bit where all factors w are 1/(2 pi), in the range where 2 pi w is not.
NMATH_FN double dpois_log_sqrt(double w)
{
    int low = w < 0.5;
    return 0.5 * log(low ? M_2PI * w : w) + (low ? 0.0 : M_LN_SQRT_2PI);
}

// log(lambda^x e^-lambda / x!) + log(2 pi w) / 2, x > 0, given d = lambda - x and lambda = m 2^k.
NMATH_HEAVY dd dpois_exponent(double x, double d, double m, int k, double *w)
{
    double r = dpois_stirling(x, w);
    double u = d / x;
    dd e;
    if (u < -0.4) {
        e = dd_log_ratio(m, x);
        if (k != 0) {
            // log 2 in two pieces, the first with room for k
            dd s = dd_two_sum(k * 0.69314718036912381649, e.hi);
            e = dd_fast_two_sum(s.hi, s.lo + (e.lo + k * 1.9082149292705877e-10));
        }
        e = dd_mul_d(e, x);
        dd s = dd_two_sum(e.hi, -d);
        e = dd_fast_two_sum(s.hi, s.lo + (e.lo - r));
    } else {
        // beyond 1e300 the logarithm has no weight
        e.hi = (u < 1e300 ? x * log1pmx(u) : -d) - r;
        e.lo = 0.0;
    }
    return e;
}

// The mass without checks: any real x and lambda >= 0.
NMATH_HEAVY double dpois_raw(double x, double lambda, int give_log)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (x < 0 || isinf(x) || isinf(lambda) || (lambda == 0 && x > 0))
        return R_D__0;
    if (x == 0)
        return R_D_exp(-lambda);

    double w;
    dd e = dpois_exponent(x, lambda - x, lambda, 0, &w);
    if (give_log)
        return e.hi + (e.lo - dpois_log_sqrt(w));
    return dd_exp(e) * (M_1_SQRT_2PI / sqrt(w));
}

NMATH_FN double dpois(double x, double lambda, int give_log)
{
    if (ISNAN(x) || ISNAN(lambda))
        return x + lambda;
    if (lambda < 0)
        return ML_NAN;
    R_D_nonint_check(x);
    if (x < 0 || !R_FINITE(x))
        return R_D__0;
    return dpois_raw(R_forceint(x), lambda, give_log);
}
