// @source_type: c
// @source_origin: plogis.c
// @provides: plogis, log1pexp, log1mexp
// @depends: nmath, dpq
// @method: closed forms in exp(-|x|)
// @accuracy: plogis.tsv 0.73 eps(1+cond) (host), 0.72 (PoCL), 0.72 (H200); log1pexp.tsv 1.5 eps(1+cond) (host), 0.73 (PoCL), 0.73 (H200); log1mexp.tsv 0.47 eps(1+cond) (host), 0.47 (PoCL), 0.46 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// plogis -- cumulative probability of the logistic distribution, 1/(1 + exp(-x)), and the two logarithms that go with
// it. Written in e = exp(-|x|) nothing overflows and nothing cancels (up to |x| = 700 the first form serves too, and needs
// no choice between two): Maechler (2012), "Accurately computing
// log(1 - exp(-|a|))", vignette of CRAN package Rmpfr, for the switch of log1mexp at log 2.

// log(1 + exp(x)).
NMATH_FN double log1pexp(double x)
{
    return (x > 0 ? x : 0.0) + log1p(exp(-fabs(x)));
}

// log(1 - exp(-x)), x >= 0.
NMATH_FN double log1mexp(double x)
{
    return x <= M_LN2 ? log(-expm1(-x)) : log1p(-exp(-x));
}

NMATH_FN double plogis(double x, double location, double scale, int lower_tail, int log_p)
{
    double z = NMATH_SCALED(x - location, scale); // NaN for Inf - Inf and Inf/Inf
    if (!log_p && fabs(z) < NMATH_RANGE(700.0, 80.0) && scale > 0)
        return 1.0 / (1.0 + exp(lower_tail ? -z : z));
    if (ISNAN(x) || ISNAN(location) || ISNAN(scale))
        return x + location + scale;
    if (scale <= 0)
        ML_WARN_return_NAN;
    if (!isfinite(z) && isfinite(x) && isfinite(location))
        z = 2.0 * ((0.5 * x - 0.5 * location) / scale); // where x - location overflowed
    double t = lower_tail ? z : -z, e = exp(-fabs(t));
    if (log_p)
        return (t < 0 ? t : 0.0) - log1p(e);
    return (t < 0 ? e : 1.0) / (1.0 + e);
}
