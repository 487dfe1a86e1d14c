// @source_type: c
// @source_origin: dnorm.c
// @provides: dnorm, dnorm4
// @depends: nmath, dpq, dd
// @method: closed form, the square as an exact sum of two doubles
// @accuracy: dnorm.tsv 0.42 eps(1+cond) (host), 0.42 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq
// @all_depends_count: 4
// @load_order: 28

// dnorm -- density of the normal distribution, exp(-z^2/2) / (sigma sqrt(2 pi)) with z = (x - mu)/sigma.
//
// One ulp in z^2 is z^2/2 ulps in the density, 700 of them in the far tail, so the rounding error of the square is
// kept and applied to the exponential. Beyond |z| = 37.4 that exponential would be subnormal while the density need
// not be (sigma < 1): there four factors exp(-z^2/8) are multiplied one after the other, and only the last product
// can leave the range of normal numbers.

// Every special case shows as a z that is not finite or a sigma that is not positive.
NMATH_FN double dnorm4(double x, double mu, double sigma, int give_log)
{
    double z = (x - mu) / sigma;
    if (!(sigma > 0 && isfinite(z))) {
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
        z = (0.5 * x - 0.5 * mu) / (0.5 * sigma); // where x - mu overflowed
    }
    z = fabs(z);
    if (give_log)
        return -(M_LN_SQRT_2PI + (0.5 * z) * z + log(sigma));

    double y = z < 64.0 ? z : 64.0; // exp(-64^2/2) / sigma is 0 in double for every sigma
    dd s = dd_two_prod(y, y);
    if (s.hi < 1400.0) {
        double e = exp(-0.5 * s.hi);
        return (M_1_SQRT_2PI * (e - e * (0.5 * s.lo))) / sigma;
    }
    double h = exp(-0.125 * s.hi);
    return (((M_1_SQRT_2PI * (h - h * (0.5 * s.lo))) / sigma * h) * h) * h;
}
