// @source_type: c
// @source_origin: pcauchy.c
// @provides: pcauchy
// @depends: nmath, dpq
// @method: arc tangent of the ratio below 1
// @accuracy: pcauchy.tsv 0.4 eps(1+cond) (host), 0.4 (PoCL), 0.64 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// pcauchy -- cumulative probability of the Cauchy distribution. The tail beyond d = |x - m| is
//     atan(s/d)/pi  for d > s,     1/2 - atan(d/s)/pi  else:
// the arc tangent of a ratio below 1 in both cases, and no tail is the difference of larger numbers. On the log scale
// a ratio that underflows is replaced by the difference of two logarithms. Arguments near the largest double are
// scaled down by 4.

NMATH_FN double pcauchy(double x, double m, double s, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(m) || ISNAN(s))
        return x + m + s;
    if (s <= 0)
        ML_WARN_return_NAN;
    double c = fabs(x) > NMATH_RANGE(1e300, 1e34) || fabs(m) > NMATH_RANGE(1e300, 1e34) || s > NMATH_RANGE(1e300, 1e34) ? 0.25 : 1.0;
    double t = x * c - m * c, d = fabs(t);
    s *= c;
    int far = d > s, upper = (lower_tail ? -t : t) >= 0; // the tail asked for is the smaller
    double r = far ? s / d : d / s; // NaN for Inf - Inf and Inf/Inf
    if (log_p && far && upper && r < NMATH_RANGE(1e-290, 1e-28))
        return log(s) - log(d) - 2.0 * M_LN_SQRT_PI;
    double a = atan(r) * M_1_PI;
    if (far && r < NMATH_RANGE(1e-290, 1e-28))
        a = r * M_1_PI;
    double q = far ? a : 0.5 - a;
    if (log_p)
        return upper ? log(q) : log1p(-q);
    return upper ? q : far ? 1.0 - a : 0.5 + a;
}
