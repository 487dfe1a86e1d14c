// @source_type: c
// @source_origin: pgamma.c
// @provides: log1pmx, lgamma1p, lgamma1p_near_0
// @depends: nmath, poly, log1p, lgamma
// @method: log1pmx by atanh series or directly; lgamma1p by the polynomial of lgamma around 2
// @accuracy: log1pmx.tsv 0.63 eps(1+cond) (host), 0.45 (PoCL), 1.4 (H200); lgamma1p.tsv 1.6 eps(1+cond) (host), 1.2 (PoCL), 1.3 (H200)
// @all_depends: Rmath, nmath, log1p, poly, stirlerr_cycle_free, lgamma
// @all_depends_count: 6
// @load_order: 72

// pgamma_utils -- two logarithms that must not lose their small values.
//
// log1pmx(x) = log(1 + x) - x ~ -x^2/2. With s = x/(2 + x), log(1 + x) = 2 atanh(s) = 2 s + 2 s w P(w), w = s^2,
// and 2 s - x = -s x exactly, so log1pmx(x) = s (2 w P(w) - x): all relative accuracy kept for |s| <= 1/4, which is
// -0.4 <= x <= 2/3. Elsewhere the difference is harmless.
//
// lgamma1p(x) = log(Gamma(1 + x)) = log(Gamma(2 + x)) - log(1 + x), where log(Gamma(2 + x)) = x R(x) with the
// polynomial R of lgamma.cl; around x = 1 it is (x - 1) R(x - 1). Farther out it is lgamma(1 + x).

// P: (atanh(s)/s - 1)/w for 0 <= w <= 1/16, constant term first; tools/fit_gamma.py; error 2^-54.
NMATH_TABLE double log1pmx_tail[10] = {
    0.33333333333333331, 0.20000000000000032, 0.14285714285697212, 0.11111111114598056,
    0.090909087298441243, 0.07692329119112426, 0.06665895156771022, 0.058994495713809443,
    0.050367285507437513, 0.063767853525028048
};

NMATH_FN double log1pmx(double x)
{
    if (x < -0.4 || x > 2.0 / 3.0) return log1p(x) - x;
    double s = x / (2.0 + x), w = s * s;
    return s * (2.0 * w * poly(w, log1pmx_tail, 10) - x);
}

// lgamma1p for -0.625 <= x <= 0.375.
NMATH_FN double lgamma1p_near_0(double x) { return x * lgamma_ratio(x) - log1p(x); }

NMATH_FN double lgamma1p(double a)
{
    if (!(a >= -0.625 && a <= 1.375)) return lgammafn(1.0 + a);
    double z = a <= 0.375 ? a : a - 1.0;
    return z * lgamma_ratio(z) - log1p(a <= 0.375 ? a : 0.0);
}
