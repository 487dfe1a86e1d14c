// @source_type: c
// @source_origin: qpois.c
// @provides: qpois
// @depends: nmath, dpq, qnorm, pgamma, qDiscrete_search
// @method: Cornish-Fisher or saddle-point start, then a bounded search over whole numbers
// @accuracy: qpois.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, qDiscrete_search, igamma, pgamma_utils, qnorm, dpois, pgamma
// @all_depends_count: 14

// qpois -- quantile of the Poisson distribution.
//
// First guess, with z the normal quantile and s = sqrt(lambda): the Cornish-Fisher expansion (Abramowitz & Stegun 26.2.49)
//     y + 1/2 = lambda + s z + (z^2 - 1)/6 + (z - z^3)/(72 s)
// for -1.45 s < z < s. Farther down it is 0. Farther up, where the expansion diverges, the mass is, but for a slow factor,
// exp(-d), d = y log(y/lambda) + lambda - y: two Newton steps towards d = z^2/2.
//
// The search compares without a tolerance, so that ppois and qpois are inverse wherever ppois tells its neighbours apart.
// A p that comes from elsewhere may exceed P(X <= y - 1) by its rounding alone: y - 1 is the answer where its probability
// is within a few ulps of p and nearer to p than that of y.

NMATH_FN double qpois_start(double p, double lambda, int lower_tail, int log_p)
{
    double s = sqrt(lambda), z = fmin(qnorm5(p, 0.0, 1.0, lower_tail, log_p), NMATH_RANGE(1e150, 1e17));
    if (z < -1.45 * s)
        return 0.0;
    double y = lambda + (s * z + (z * z - 1.0) / 6.0), l = log(lambda);
    if (z < s)
        return y + (z - z * z * z) / (72.0 * s) - 0.5;
    for (int i = 0; i < 2; ++i)
        y = ((y - lambda) + 0.5 * z * z) / (log(y) - l);
    return y;
}

NMATH_HEAVY double qpois(double p, double lambda, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(lambda))
        return p + lambda;
    if (isinf(lambda) || lambda < 0)
        return ML_NAN;
    R_Q_P01_check(p);
    if (lambda == 0)
        return 0.0;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);

    double y = fmax(0.0, ceil(qpois_start(p, lambda, lower_tail, log_p)));
    double c, above = ML_NAN, below = ML_NAN; // probabilities at the answer and at the number below it
    qDiscrete_search(y, 0.0, ML_POSINF,
                     (c = pgamma_raw(lambda, y + 1.0, !lower_tail, log_p),
                      (lower_tail ? c >= p : c <= p) ? (above = c, 1) : (below = c, 0)));
    return fabs(below - p) <= 8.5 * NMATH_EPS * fabs(p) && fabs(below - p) < fabs(above - p) ? y - 1.0 : y;
}
