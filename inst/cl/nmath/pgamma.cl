// @source_type: c
// @source_origin: pgamma.c
// @provides: pgamma, pgamma_raw, dpois_wrap, logspace_add, logspace_sub, logspace_sum
// @depends: nmath, dpq, igamma, dpois
// @method: igamma; sums of logarithms as the largest term plus log1p, or expm1, of the rest
// @accuracy: pgamma.tsv 0.66 eps(1+cond) (host), 0.57 (PoCL), 0.66 (H200); logspace_add.tsv 0.73 eps(1+cond) (host), 0.69 (PoCL), 0.73 (H200); logspace_sub.tsv 0.4 eps(1+cond) (host), 0.4 (PoCL), 0.4 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois
// @all_depends_count: 14
// @load_order: 88

// pgamma -- cumulative probability of the gamma distribution, P(shape, q/scale) of igamma.cl. Where the quotient leaves
// the range of doubles although the probability does not (tiny shapes), its mantissa and exponent go on apart.
//
// dpois_wrap(x_plus_1, lambda) is the Poisson mass at x_plus_1 - 1, for callers whose shape is x_plus_1: below 1 it is
// written as mass(x_plus_1) * x_plus_1 / lambda.
//
// Sums and differences of numbers that are given by their logarithms:
//     logspace_add(a, b) = log(e^a + e^b) = max(a, b) + log(1 + e^-|a-b|),
//     logspace_sub(a, b) = log(e^a - e^b) = a + log(1 - e^(b-a)), NaN for a < b,
//     logspace_sum(a[], n) = log(sum e^a[i]) = max + log(sum e^(a[i] - max)).
// Two equal infinities give NaN, as Inf - Inf does, and the empty sum is -Inf.

NMATH_FN double logspace_add(double logx, double logy)
{
    if (ISNAN(logx) || ISNAN(logy))
        return logx + logy;
    double d = logx - logy;
    return (d < 0 ? logy : logx) + log1p(exp(-fabs(d)));
}

NMATH_FN double logspace_sub(double logx, double logy)
{
    if (ISNAN(logx) || ISNAN(logy))
        return logx + logy;
    double d = logy - logx;
    return logx + R_Log1_Exp(d);
}

NMATH_FN double logspace_sum(const double *logx, int n)
{
    if (n <= 0)
        return ML_NEGINF;
    double max = logx[0];
    int at = 0;
    for (int i = 1; i < n; ++i)
        if (logx[i] > max) {
            max = logx[i];
            at = i;
        }
    if (n == 1)
        return max;
    // the largest term counts 1 and stays outside, so that log1p keeps small remainders
    double s = 0.0;
    for (int i = 0; i < n; ++i)
        s += i == at ? logx[i] - max : exp(logx[i] - max);
    return max + log1p(s);
}

// scale 1, no checks
NMATH_FN double pgamma_raw(double x, double alph, int lower_tail, int log_p)
{
    return igamma_at(x, alph, x, 0, lower_tail, log_p);
}

NMATH_FN double pgamma(double x, double alph, double scale, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(alph) || ISNAN(scale))
        return x + alph + scale;
    if (alph < 0 || scale <= 0)
        return ML_NAN;
    double y = x / scale, m = y;
    int k = 0;
    if (ISNAN(y))
        return y;
    if (y < 1e-290 && x > 0 && R_FINITE(scale)) {
        int ks;
        m = frexp(x, &k) / frexp(scale, &ks);
        k -= ks;
    }
    return igamma_at(y, alph, m, k, lower_tail, log_p);
}

NMATH_FN double dpois_wrap(double x_plus_1, double lambda, int give_log)
{
    if (isinf(lambda))
        return R_D__0;
    int low = x_plus_1 < 1.0;
    double d = dpois_raw(low ? x_plus_1 : x_plus_1 - 1.0, lambda, give_log);
    if (!low)
        return d;
    return give_log ? d + log(x_plus_1 / lambda) : d * (x_plus_1 / lambda);
}
