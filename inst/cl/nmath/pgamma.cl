// @source_type: c
// @source_origin: pgamma.c
// @provides: pgamma, pgamma_raw, pgamma_shape, dpois_wrap, logspace_add, logspace_sub, logspace_sum
// @depends: nmath, dpq, igamma, dpois
// @method: igamma; sums of logarithms as the largest term plus log1p, or expm1, of the rest
// @accuracy: pgamma.tsv 0.66 eps(1+cond) (host), 0.57 (PoCL), 0.66 (H200); logspace_add.tsv 0.73 eps(1+cond) (host), 0.69 (PoCL), 0.73 (H200); logspace_sub.tsv 0.4 eps(1+cond) (host), 0.4 (PoCL), 0.4 (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois
// @all_depends_count: 11

// pgamma -- cumulative probability of the gamma distribution, P(shape, q/scale) of igamma.cl. Where the quotient leaves
// the range of doubles although the probability does not (tiny shapes), its mantissa and exponent go on apart. Two laws
// serve the ends of the range of shapes: Q(a, x) is proportional to a for a < 1e-290, where a is scaled up, since it or Q
// may be subnormal; log Q and log P are homogeneous in (a, x) to the last bit for a > 1e300, where x may overflow.
//
// dpois_wrap(x_plus_1, lambda) is the Poisson mass at x_plus_1 - 1, for callers whose shape is x_plus_1: below 1 it is
// written as mass(x_plus_1) * x_plus_1 / lambda.
//
// Sums and differences of numbers that are given by their logarithms:
//     logspace_add(a, b) = log(e^a + e^b) = max(a, b) + log(1 + e^-|a-b|),
//     logspace_sub(a, b) = log(e^a - e^b) = a + log(1 - e^(b-a)), NaN for a < b,
//     logspace_sum(a[], n) = log(sum e^a[i]) = max + log(sum e^(a[i] - max)).
// An infinite logarithm stands for the number 0 or Inf: 0 + 0 = 0 - 0 = 0, Inf + Inf = Inf, and Inf - Inf is NaN. The
// empty sum is 0, its logarithm -Inf.

NMATH_FN double logspace_add(double logx, double logy)
{
    if (ISNAN(logx) || ISNAN(logy))
        return logx + logy;
    double d = fabs(logx - logy), m = logx < logy ? logy : logx;
    return d <= 750.0 ? m + log1p(exp(-d)) : m; // NaN for two equal infinities: either is the sum
}

NMATH_FN double logspace_sub(double logx, double logy)
{
    if (ISNAN(logx) || ISNAN(logy))
        return logx + logy;
    double d = logy - logx;
    if (logy == ML_NEGINF) // also 0 - 0
        return logx;
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
        s += logx[i] == max ? (i == at ? 0.0 : 1.0) : exp(logx[i] - max);
    return max + log1p(s);
}

// scale 1, no checks
NMATH_FN double pgamma_raw(double x, double alph, int lower_tail, int log_p)
{
    return igamma_at(x, alph, x, 0, lower_tail, log_p);
}

// pgamma with shape alph * part, part = 1 or 1/2
NMATH_FN double pgamma_shape(double x, double alph, double part, double scale, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(alph) || ISNAN(scale))
        return x + alph + scale;
    if (alph < 0 || scale <= 0)
        return ML_NAN;
    double y = x / scale, m = y, a = alph * part, c = 1.0;
    int k = 0, tiny = 0;
    if (ISNAN(y))
        return y;
    if (y < NMATH_RANGE(1e-290, 1e-28) && x > 0 && R_FINITE(scale)) {
        int ks;
        m = frexp(x, &k) / frexp(scale, &ks);
        k -= ks;
    }
    if (isinf(y) && a > NMATH_RANGE(1e300, 1e34)) {
        c = 4.0;
        a *= 0.25;
        m = y = (0.25 * x) / scale;
    }
    if (alph < NMATH_RANGE(1e-290, 1e-28) && alph > 0 && m > 0 && !isinf(y)) {
        tiny = 1;
        a = alph * NMATH_LIFT * part;
    }
    double v = igamma_at(y, a, m, k, lower_tail && !tiny, log_p && !(tiny && lower_tail));
    if (!tiny)
        return log_p ? c * v : v;
    if (!lower_tail)
        return log_p ? v - NMATH_LIFT_LOG : v / NMATH_LIFT; // 200 log 2
    return log_p ? -v / NMATH_LIFT : 1.0;
}

NMATH_FN double pgamma(double x, double alph, double scale, int lower_tail, int log_p)
{
    return pgamma_shape(x, alph, 1.0, scale, lower_tail, log_p);
}

NMATH_FN double dpois_wrap(double x_plus_1, double lambda, int log_p)
{
    if (isinf(lambda))
        return R_D__0;
    int low = x_plus_1 < 1.0;
    double d = dpois_raw(low ? x_plus_1 : x_plus_1 - 1.0, lambda, log_p);
    if (!low)
        return d;
    return log_p ? d + log(x_plus_1 / lambda) : d * (x_plus_1 / lambda);
}
