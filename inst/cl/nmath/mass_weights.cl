// @source_type: c
// @source_origin: none
// @provides: dpois_weight, dpois_weighted, dnbinom_mu_weight, dnbinom_mu_weighted
// @depends: nmath, dpois, dnbinom, ibeta_mass, ibeta_rim
// @method: saddle-point forms of dpois.cl and ibeta_mass.cl, taken apart
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta_rim, dnbinom
// @all_depends_count: 12

// mass_weights -- the log of a mass in two parts, for kernels that have the first in a table (src/expression/counts.h):
//     log p(x) = weight(x, size) - D,
// where the weight, -r(x) - log sqrt(2 pi w(x)) and its like, depends on the count x and on what is the same for all
// elements, and the deviance D >= 0 on the mean, too. The weight of what has no such form is NaN: then the whole is computed.

#define WEIGHTS_LEAST NMATH_RANGE(0x1p-500, 0x1p-50)
#define WEIGHTS_MOST NMATH_RANGE(0x1p+500, 0x1p+50)

NMATH_FN double dpois_weight(double x)
{
    if (!(x > 0))
        return x == 0 ? 0.0 : ML_NAN;
    double w, r = pgamma_stirling(x, &w);
    return -r - pgamma_log_sqrt(w);
}

// x = 0, 1, 2, ...
NMATH_FN double dpois_weighted(double x, double lambda, double weight)
{
    if (!(lambda > WEIGHTS_LEAST && lambda < WEIGHTS_MOST) || isnan(weight))
        return dpois(x, lambda, 1);
    if (x == 0)
        return -lambda;
    double d = lambda - x;
    int near = d < 0.41 * x && d > -0.29 * x;
    if (near && d * d < 8.0 * x)
        return pgamma_deviance(x, d) + weight;
    nmath_dd e = x < 64.0 ? dpois_far_small(x, lambda) : dpois_far(x, d, lambda, 0, near);
    return e.hi + (e.lo + weight);
}

NMATH_FN double dnbinom_mu_weight(double x, double size)
{
    if (!(x >= 0 && size > WEIGHTS_LEAST && size < WEIGHTS_MOST))
        return ML_NAN;
    if (x == 0)
        return 0.0;
    double n = size + x, w, r = ibeta_stirling(size, x, n, &w);
    return r + log(size / n * (M_1_SQRT_2PI / sqrt(w)));
}

// x = 0, 1, 2, ...
NMATH_FN double dnbinom_mu_weighted(double x, double size, double mu, double weight)
{
    if (!(mu > WEIGHTS_LEAST && mu < WEIGHTS_MOST) || isnan(weight))
        return dnbinom_mu(x, size, mu, 1);
    ibeta_point u = ibeta_odds(size, 1.0, mu);
    if (x == 0)
        return dnbinom_mass(x, size, u, mu, 1);
    ibeta_frame p = ibeta_place(size, x, u);
    double a = size, b = x;
    if (p.lambda < 0) {
        a = x;
        b = size;
        p.lambda = -p.lambda;
    }
    nmath_dd e = ibeta_deviance(a, b, p);
    return e.hi + (e.lo + weight);
}

#undef WEIGHTS_LEAST
#undef WEIGHTS_MOST
