// @source_type: c
// @source_origin: dnbinom.c
// @provides: dnbinom, dnbinom_mu
// @depends: nmath, dpq, dpois, ibeta_mass, ibeta_rim
// @method: saddle-point form of ibeta_mass.cl
// @accuracy: dnbinom.tsv 1.2 eps(1+cond) (host), 0.66 (PoCL), 1.2 (H200); dnbinom_mu.tsv 1.2 eps(1+cond) (host), 1.2 (PoCL), 1.2 (H200); 1.3 on fresh rows
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta_rim
// @all_depends_count: 11

// dnbinom, dnbinom_mu -- mass of the negative binomial distribution, by probability or by mean (p : q = size : mu):
//     Gamma(x + size)/(Gamma(size) x!) p^size q^x = p^size q^x / (x B(size, x)),
// and p^size at x = 0. size = 0 is the point mass at 0, and size = Inf with mean mu the Poisson distribution. Beyond 1e30,
// and for a size next to 0, the mass is taken in the limits of ibeta_rim.cl: that of the moved arguments (RARE),
// exp(-D) sqrt(size/(2 pi x (x + size))) (DIRECT), or proportional to size (SMALL).

// For whole x >= 0, 0 < size < Inf, p, q > 0; mu is the mean or, by probability, 0.
NMATH_HEAVY double dnbinom_mass(double x, double size, ibeta_point u, double mu, int log_p)
{
    if (x > 0) {
        double a = size, b = x;
        int shift = 0;
        if (ibeta_at_rim(size, x)) {
            ibeta_moved r = ibeta_rim_inner(size, x, u, 0.0, mu);
            shift = r.shift;
            if ((r.way & IBETA_DIRECT) != 0) {
                double h = 0.5 * size + 0.5 * x, c = 0.5 * size / h; // too small only where the mass is 0
                return log_p ? r.e + (0.5 * (log(size) - log(h) - log(x) - M_LN2) - M_LN_SQRT_2PI)
                             : exp(r.e) * (M_1_SQRT_2PI * sqrt(c) / sqrt(x));
            }
            a = r.a;
            b = r.b;
            u = r.u;
        }
        double d = ibeta_density(a, b, u, 1.0, x, log_p);
        return shift == 0 ? d : log_p ? d - shift * M_LN2 : ldexp(d, -shift);
    }
    double l = u.x < 0.5 ? log(u.x) + (u.y == 1.0 ? u.k * M_LN2 : 0.0) : log1p(-(u.k == 0 ? u.y : ldexp(u.y, u.k)));
    return R_D_exp(size * l);
}

NMATH_FN double dnbinom(double x, double size, double prob, int log_p)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(prob))
        return x + size + prob;
    if (prob <= 0 || prob > 1 || size < 0)
        return ML_NAN;
    if (x < 0 || isinf(x) || R_nonint(x))
        return R_D__0;
    x = R_forceint(x);
    if (size == 0 || prob == 1 || isinf(size))
        return x == 0 && (size == 0 || prob == 1) ? R_D__1 : R_D__0;
    return dnbinom_mass(x, size, ibeta_at(prob, 1.0 - prob), 0.0, log_p);
}

NMATH_HEAVY double dnbinom_mu(double x, double size, double mu, int log_p)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(mu))
        return x + size + mu;
    if (mu < 0 || size < 0)
        return ML_NAN;
    if (x < 0 || isinf(x) || R_nonint(x))
        return R_D__0;
    x = R_forceint(x);
    if (isinf(size) && !isinf(mu))
        return dpois_raw(x, mu, log_p);
    if (size == 0 && mu == 0 && x > 0)
        return ML_NAN; // R's 0/0
    if (size == 0 || mu == 0)
        return x == 0 ? R_D__1 : R_D__0;
    if (isinf(mu))
        return R_D__0;
    return dnbinom_mass(x, size, ibeta_odds(size, 1.0, mu), mu, log_p);
}
