// @source_type: c
// @source_origin: punif.c
// @provides: punif
// @depends: nmath, dpq
// @method: the tail from its own end of the interval
// @accuracy: punif.tsv 0.38 eps(1+cond) (host), 0.38 (PoCL), 0.38 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// punif -- cumulative probability of the uniform distribution on [a, b]: (q - a)/(b - a) below q, (b - q)/(b - a)
// above, each from its own end, so that a small tail keeps its relative accuracy. The logarithm of a probability
// above 1/2 is log1p of minus the other tail. Where b - a overflows all differences are formed from halves.

NMATH_FN double punif(double x, double a, double b, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b))
        return x + a + b;
    if (b < a || isinf(a) || isinf(b))
        ML_WARN_return_NAN;
    if (x >= b)
        return R_DT_1;
    if (x <= a)
        return R_DT_0;
    double h = isinf(b - a) ? 0.5 : 1.0, w = b * h - a * h;
    double p = (x * h - a * h) / w, q = (b * h - x * h) / w;
    if (!lower_tail) {
        double t = p;
        p = q;
        q = t;
    }
    if (log_p && p < NMATH_RANGE(1e-290, 1e-28)) // the quotient may underflow
        return log(lower_tail ? x * h - a * h : b * h - x * h) - log(w);
    if (log_p)
        return q < 0.5 ? log1p(-q) : log(p);
    return p;
}
