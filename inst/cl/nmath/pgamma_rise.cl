// @source_type: shim
// @source_origin: none
// @provides: pgamma_rise, pgamma_rise_row, pgamma_rise_row_of, pgamma_rise_bow, pgamma_rise_beyond, pgamma_rise_at
// @depends: nmath, log1p, igamma, pgamma_dshape_table, pgamma_dshape
// @method: the uniform expansion of pgamma_dshape.cl in two parts, what is left of it at the mean, and the value there
// @accuracy: see ptukey_ddf, pnt_ddf
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, pgamma_dshape_table, pnorm, igamma, pgamma_dshape
// @all_depends_count: 9

// pgamma_rise -- W - 1, W/a the derivative of the logarithm of a quantile of the gamma distribution in the shape a
// (pgamma_dshape.cl): a times the derivative of the log of the quantile of Y, which has the shape a and the mean 1.
//
// It is small where y is near 1: in the middle (igamma.cl) the sum for U is taken in two parts, what is left of it at y = 1,
// and the value there, of the order of 1/a, which is for large a, from Temme's expansion differentiated (DLMF 8.12.8-8.12.15, c_k at 0),
//        W - 1 = -Gamma*(a) sum (k + 1/2) c_k(0) a^(-k-1).

// The shape from which the expansion holds
#define PGAMMA_RISE_MANY 25.0

// a (W - 1) there for less, in (a - 2.75)/(a + 0.75), which runs from -1 to 89/103; tools/fit_pgamma_rise.py
NMATH_TABLE double pgamma_rise_mean[19] = {
    0.17164635958548879, -0.003774076607037703, -0.0010626599234240788, 0.00063495452642696709,
    -0.00014035818146637398, 1.5503948514772717e-05, -2.7542452607356859e-06, 1.02537204692101e-06,
    -1.2233501014538868e-07, 1.6634636044978372e-08, -1.3147541058984271e-08, 2.8690309528043387e-10,
    -1.3167711526924186e-10, 2.7835234842891627e-10, 6.2059411283634952e-11, 1.4841850856990501e-11,
    -6.8168767096633279e-12, -3.9561560095976297e-12, -8.9673875543530804e-13
};

// -sum (k + 1/2) c_k(0) a^(-k-1)
NMATH_FN double pgamma_rise_at_mean(double a)
{
    double v = 1.0 / a;
    double s = -0.0025827570516928326 + v * (0.005547303308060130 + v * 0.0056692322568310894);
    s = 0.0038784973091252026 + v * (0.0018523920435149698 + v * (-0.0034535015870159495 + v * s));
    return v * (1.0 / 6 + v * (1.0 / 360 + v * (-125.0 / 12096 + v * (-707.0 / 311040 + v * s))));
}

// W - 1 at the mean, a >= 1
NMATH_FN double pgamma_rise_mid(double a, double star, double t)
{
    return a > PGAMMA_RISE_MANY ? star * pgamma_rise_at_mean(a) : nmath_poly((t + 7.0 / 103) * (103.0 / 96), pgamma_rise_mean, 19) / a;
}

// For one shape a >= 1: W - 1 is mean + sum of c_k w^k in w = log y, 1/4 <= y <= 5/2. With tilt = c_1 it is mean + tilt (y - 1) +
// bow, bow of the order of w^2: mean and bow are of one size with what y - 1 has for its mean, when all of them are small.
typedef struct { double a, over, mean, tilt, c[20]; } pgamma_rise_row; // over: psi(a + 1) - log a

NMATH_HEAVY pgamma_rise_row pgamma_rise_row_of(double a)
{
    pgamma_rise_row r;
    double f = igamma_factor(a), t = (a - 2.75) / (a + 0.75);
    double star = a < 2.0 ? (1.0 + a * f) * exp(a * (log(a) - 1.0)) : f;
    star = M_1_SQRT_2PI / (star * sqrt(a)); // Gamma*
    NMATH_CONSTANT const double *c = pgamma_dshape_middle;
    for (int k = 0; k < 20; k += 4) {
        int rows = k == 0 ? 19 : k == 4 ? 18 : k == 8 ? 14 : k == 12 ? 10 : 5;
        double p = 0.0, q = 0.0, u = 0.0, v = 0.0;
        for (int j = rows - 1; j >= 0; --j) {
            p = NMATH_FMA(p, t, c[4 * j]);
            q = NMATH_FMA(q, t, c[4 * j + 1]);
            u = NMATH_FMA(u, t, c[4 * j + 2]);
            v = NMATH_FMA(v, t, c[4 * j + 3]);
        }
        r.c[k] = star * p;
        r.c[k + 1] = star * q;
        r.c[k + 2] = star * u;
        r.c[k + 3] = star * v;
        c += 4 * rows;
    }
    r.mean = pgamma_rise_mid(a, star, t);
    r.tilt = r.c[1];
    r.a = a;
    r.over = pgamma_dshape_rise_over(a, a, a, 0);
    double k1 = 1.0;
    for (int k = 2; k < 20; ++k) { // less tilt (e^w - 1 - w)
        k1 *= k;
        r.c[k] -= r.tilt / k1;
    }
    return r;
}

// bow over w^2
NMATH_FN double pgamma_rise_bow(const pgamma_rise_row *r, double w)
{
    double w2 = w * w, w4 = w2 * w2, w8 = w4 * w4;
    double s0 = (r->c[2] + r->c[3] * w) + (r->c[4] + r->c[5] * w) * w2;
    double s1 = (r->c[6] + r->c[7] * w) + (r->c[8] + r->c[9] * w) * w2;
    double s2 = (r->c[10] + r->c[11] * w) + (r->c[12] + r->c[13] * w) * w2;
    double s3 = (r->c[14] + r->c[15] * w) + (r->c[16] + r->c[17] * w) * w2;
    return (s0 + s1 * w4) + (s2 + s3 * w4 + (r->c[18] + r->c[19] * w) * w8) * w8;
}

// W - 1 beyond, l = log y
NMATH_FN double pgamma_rise_beyond(const pgamma_rise_row *r, double y, double l)
{
    double z = r->a * y;
    if (y < 1.0)
        return pgamma_dshape_series(z, r->a, r->over - l) - 1.0;
    return (z < 5.0 ? r->a * pgamma_dshape_step(z, r->a, 1.0) : pgamma_dshape_fraction_of(z, r->a, r->over - l)) - 1.0;
}

// W - 1, e = y - 1 and l = log y
NMATH_FN double pgamma_rise_at(const pgamma_rise_row *r, double y, double e, double l)
{
    if (!(y >= 0.25 && y <= 2.5))
        return pgamma_rise_beyond(r, y, l);
    return r->mean + (r->tilt * e + (l * l) * pgamma_rise_bow(r, l));
}

// W - 1 at a y for a < 1, l = log y
NMATH_FN double pgamma_rise(double a, double y, double l)
{
    double z = a * y;
    return (z < 1e-30 ? pgamma_dshape_rise_over(a, 0.0, a, 0) - l : a * pgamma_dshape_step(z, a, 1.0)) - 1.0;
}

#undef PGAMMA_RISE_MANY
