// @source_type: shim
// @source_origin: none
// @provides: pgamma_rise
// @depends: nmath, log1p, igamma, pgamma_dshape_table, pgamma_dshape
// @method: the uniform expansion of pgamma_dshape.cl in two parts, what is left of it at the mean, and the value there
// @accuracy: see ptukey_ddf, pnt_ddf
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, pgamma_dshape_table, pnorm, igamma, pgamma_dshape
// @all_depends_count: 9

// pgamma_rise -- W - 1, W/a the derivative of the logarithm of a quantile of the gamma distribution in the shape a
// (pgamma_dshape.cl): a times the derivative of the log of the quantile of Y, which has the shape a and the mean 1.
//
// It is small where y is near 1: in the middle (igamma.cl) the sum for U is taken in two parts, what is left of it at y = 1,
// and the value there, which is for large a, from Temme's expansion differentiated (DLMF 8.12.8-8.12.15, c_k at 0),
//        W - 1 = -Gamma*(a) sum (k + 1/2) c_k(0) a^(-k-1).

// The shape from which the expansion holds
#define PGAMMA_RISE_MANY 25.0

// -sum (k + 1/2) c_k(0) a^(-k-1)
NMATH_FN double pgamma_rise_at_mean(double a)
{
    double v = 1.0 / a;
    double s = -0.0025827570516928326 + v * (0.005547303308060130 + v * 0.0056692322568310894);
    s = 0.0038784973091252026 + v * (0.0018523920435149698 + v * (-0.0034535015870159495 + v * s));
    return v * (1.0 / 6 + v * (1.0 / 360 + v * (-125.0 / 12096 + v * (-707.0 / 311040 + v * s))));
}

// W - 1 at a y, e = y - 1 and l = log y
NMATH_FN double pgamma_rise(double a, double y, double e, double l)
{
    double z = a * y;
    if (!(a >= 1.0 && y >= 0.25 && y <= 2.5))
        return (z < 1e-30 ? pgamma_dshape_rise_over(a, 0.0, a, 0) - l : a * pgamma_dshape_step(z, a, 1.0)) - 1.0;
    double f = igamma_factor(a), t = (a - 2.75) / (a + 0.75), w = fabs(e) < 0.5 ? log1p(e) : l;
    double star = a < 2.0 ? (1.0 + a * f) * exp(a * (log(a) - 1.0)) : f, w2 = w * w, w4 = w2 * w2;
    star = M_1_SQRT_2PI / (star * sqrt(a)); // Gamma*
    // U is s + U at y = a
    NMATH_CONSTANT const double *c = pgamma_dshape_middle;
    double p = c[72], q = c[73], r = c[74], s = c[75];
    for (int j = 17; j >= 0; --j) {
        p = NMATH_FMA(p, t, c[4 * j]);
        q = NMATH_FMA(q, t, c[4 * j + 1]);
        r = NMATH_FMA(r, t, c[4 * j + 2]);
        s = NMATH_FMA(s, t, c[4 * j + 3]);
    }
    double s1 = igamma_rows(t, w, w2, c + 76, 18), s2 = igamma_rows(t, w, w2, c + 148, 14);
    double s3 = igamma_rows(t, w, w2, c + 204, 10), s4 = igamma_rows(t, w, w2, c + 244, 5);
    double rest = (q * w + (r + s * w) * w2) + (s1 * w4 + (s2 + (s3 + s4 * w4) * w4) * (w4 * w4));
    return star * rest + (a > PGAMMA_RISE_MANY ? star * pgamma_rise_at_mean(a) : star * p - 1.0);
}

#undef PGAMMA_RISE_MANY
