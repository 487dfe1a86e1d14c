// @source_type: c
// @source_origin: beta.c
// @provides: beta
// @depends: nmath, lbeta
// @method: the exponent of lbeta, its prefactor kept outside exp()
// @accuracy: beta.tsv 1.3 eps(1+cond) (host), 1.3 (PoCL), 1.3 (H200)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, lbeta
// @all_depends_count: 7

// beta -- the beta function B(a, b), by the formulas of lbeta.cl. With a tiny and b huge B is 1/a times exp of a small
// number although log B is several hundreds: the factor 1/a stays outside the exponential.

NMATH_FN double beta(double a, double b)
{
    if (ISNAN(a) || ISNAN(b))
        return a + b;
    double p = fmin(a, b), q = fmax(a, b), c;
    if (p < 0)
        return ML_NAN;
    if (p == 0)
        return ML_POSINF;
    if (isinf(q))
        return 0.0;
    double e = lbeta_exponent(p, q, &c);
    return p < 1 ? exp(e) * c / p : exp(e) * c;
}
