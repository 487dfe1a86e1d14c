// @source_type: shim
// @source_origin: pnorm_hazard.c
// @provides: pnorm_hazard
// @depends: nmath, pnorm
// @method: reciprocal of the scaled tail of pnorm.cl
// @accuracy: derivatives 1.8 eps(1+cond) (host), 1.8 (PoCL)
// @all_depends: Rmath, nmath, dpq, pnorm
// @all_depends_count: 4

// pnorm_hazard -- the density of the standard normal distribution over one of its tails: f/F if `lower` is not 0, else
// f/(1 - F). This is the derivative of the tail's logarithm, up to its sign. As exp(log f - log F) it would lose all digits
// where log F is large. With R of pnorm.cl the upper tail beyond x >= 0 is exp(-x^2/2) R(x), so f/(1 - F) =
// 1/(sqrt(2 pi) R(x)), which goes to x + 1/x - ... (Abramowitz & Stegun 26.2.12).

NMATH_HEAVY double pnorm_hazard(double z, double lower)
{
    if (ISNAN(z) || ISNAN(lower))
        return z + lower;
    double x = lower != 0.0 ? -z : z, a = fabs(x);
    if (a > 1e9)
        return x > 0.0 ? x : 0.0;
    double r = pnorm_mills(a);
    if (x >= 0.0)
        return M_1_SQRT_2PI / r;
    double q = pnorm_upper(a, r); // the other tail
    return pnorm_upper(a, M_1_SQRT_2PI) / (1.0 - q);
}
