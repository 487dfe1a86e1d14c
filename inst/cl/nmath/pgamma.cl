// @source_type: c
// @source_origin: pgamma.c
// @provides: logspace_add, logspace_sub, logspace_sum
// @depends: nmath, dpq
// @method: largest term plus log1p, or expm1, of the rest
// @accuracy: logspace_add.tsv 0.5 eps(1+cond) (host), 0.5 (PoCL); logspace_sub.tsv 0.5 (host), 0.5 (PoCL)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 25

// pgamma -- sums and differences of numbers that are given by their logarithms:
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
    // the largest term counts 1 and stays outside, so that log1p keeps small remainders
    double s = 0.0;
    for (int i = 0; i < n; ++i)
        s += i == at ? logx[i] - max : exp(logx[i] - max);
    return max + log1p(s);
}
