// @source_type: c
// @source_origin: dlnorm.c
// @provides: dlnorm
// @depends: nmath, dpq
// @method: closed form, the exponential in two factors
// @accuracy: dlnorm.tsv 0.64 eps(1+cond) (host), 0.64 (PoCL), 0.64 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dlnorm -- density of the log-normal distribution, exp(-y^2/2)/(sqrt(2 pi) x sdlog), y = (log x - meanlog)/sdlog.
//
// x sdlog may leave the range of doubles, or the exponential may, while the density does not: then all powers of two are
// kept apart and applied last, so that there is one rounding if the result is subnormal. The rounding error of y^2 is no larger than that of log x, which the condition
// number in meanlog allows. The ordinary range, where neither happens, comes first.

NMATH_FN double dlnorm(double x, double meanlog, double sdlog, int log_p)
{
    double w = x * sdlog;
    if (!log_p && x > 0 && w >= NMATH_DBL_MIN && w <= NMATH_DBL_MAX) {
        double y = NMATH_SCALED(log(x) - meanlog, sdlog);
        if (fabs(y) < 37.0)
            return M_1_SQRT_2PI * exp(-0.5 * (y * y)) / w;
    }
    if (ISNAN(x) || ISNAN(meanlog) || ISNAN(sdlog))
        return x + meanlog + sdlog;
    if (sdlog < 0)
        ML_WARN_return_NAN;
    double l = log(fmax(x, 0.0));
    if (isinf(l) && x > 0 && l == meanlog)
        ML_WARN_return_NAN;
    if (sdlog == 0)
        return l == meanlog ? ML_POSINF : R_D__0;
    if (x <= 0)
        return R_D__0;
    double y = (l - meanlog) / sdlog;
    if (!isfinite(y)) {
        if (isnan(y))
            ML_WARN_return_NAN; // Inf / Inf
        return R_D__0;
    }

    int kx, ks;
    w = frexp(x, &kx) * frexp(sdlog, &ks);
    kx += ks;
    double e = -(0.5 * y) * y;
    if (log_p)
        return e - (M_LN_SQRT_2PI + (log(w) + kx * M_LN2));
    e = fmax(e, -3000.0); // no x sdlog brings exp(-3000) back into the range
    double k = rint(e * M_LOG2E), r = (e - k * NMATH_LN2_HI) - k * NMATH_LN2_LO;
    return ldexp(M_1_SQRT_2PI * exp(r) / w, (int)k - kx);
}
