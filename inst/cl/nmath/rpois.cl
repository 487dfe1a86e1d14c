// @source_type: c
// @source_origin: rpois.c
// @provides: rpois, nmath_rpois, rpois_finite
// @depends: nmath, sunif, rejection, pgamma_utils
// @method: inversion below mean 16; transformed rejection with squeeze above
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, sunif, lgamma, pgamma_utils, rejection
// @all_depends_count: 8

// rpois -- draws from the Poisson distribution.
//
// Mean below 16: inversion (rejection.cl), f(k)/f(k-1) = mu/k.
//
// Above: transformed rejection (rejection.cl), each proposal judged by the mass itself in Loader's form (dpois.cl),
// which has no cancellation: -D(k, mu) - stirlerr(k) - log(2 pi k)/2.

// 0 <= mu < Inf
NMATH_HEAVY double rpois_finite(NMATH_GENERATOR, double mu)
{
    if (mu < 16.0) {
        double x;
        rejection_invert(x, unif_rand() * exp(mu), mu, ceil(mu));
        return x;
    }
    rejection_hat t = rejection_hat_of(mu, sqrt(mu));
    for (int i = 0; i < REJECTION_TRIES; ++i) {
        double level, k = rejection_draw(nmath_generator, t, &level), w;
        if (level == 0)
            return k;
        if (k < 0)
            continue;
        double r = rejection_factorial(k, &w);
        if (log(level * sqrt(M_2PI * w)) <= pgamma_deviance(k, mu - k) - r)
            return k;
    }
    return floor(mu);
}

#define rpois(mu) nmath_rpois(nmath_generator, mu)
NMATH_FN double nmath_rpois(NMATH_GENERATOR, double mu)
{
    if (!(mu >= 0) || isinf(mu))
        ML_WARN_return_NAN;
    return rpois_finite(nmath_generator, mu);
}
