// @source_type: c
// @source_origin: dnorm.c
// @provides: dnorm, dnorm4
// @depends: nmath, dpq
// @method: closed form, the exponential of an exact square
// @accuracy: dnorm.tsv 0.72 eps(1+cond) (host), 0.72 (PoCL), 0.72 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dnorm -- density of the normal distribution, exp(-z^2/2) / (sigma sqrt(2 pi)) with z = (x - mu)/sigma.
//
// Beyond |z| = 37.5 the exponential would be subnormal while the density need not be (sigma < 1): there the exponential
// stays split (expsq.cl).

NMATH_FN double dnorm4(double x, double mu, double sigma, int log_p)
{
    double z = NMATH_SCALED(x - mu, sigma), y = fabs(z);
    // Every special case shows as a z that is not finite or a sigma that is not positive.
    if (!(y < EXPSQ_NORMAL && NMATH_POSITIVE(sigma))) {
        if (ISNAN(x) || ISNAN(mu) || ISNAN(sigma))
            return x + mu + sigma;
        if (sigma < 0)
            ML_WARN_return_NAN;
        if (!R_FINITE(sigma))
            return R_D__0;
        if (!R_FINITE(x) && x == mu)
            ML_WARN_return_NAN;
        if (sigma == 0)
            return x == mu ? ML_POSINF : R_D__0;
        if (!R_FINITE(y))
            y = fabs((0.5 * x - 0.5 * mu) / (0.5 * sigma)); // where x - mu overflowed
        if (!log_p) {
            int small = sigma < NMATH_RANGE(1e-290, 1e-28); // 1/sigma may overflow although the density does not
            return expsq_scaled(M_1_SQRT_2PI / (small ? sigma * 0x1p64 : sigma), y, small ? 64 : 0);
        }
    }
    if (log_p)
        return -(M_LN_SQRT_2PI + (0.5 * y) * y + (sigma == 1.0 ? 0.0 : log(sigma)));
    return NMATH_SCALED(M_1_SQRT_2PI * expsq(y), sigma);
}
