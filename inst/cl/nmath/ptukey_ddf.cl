// @source_type: shim
// @source_origin: ptukey_ddf.c
// @provides: ptukey_ddf, ptukey_ddf_step
// @depends: nmath, ibeta, pgamma_rise, pgamma_utils, digamma_rise, tukey, tukey_walk, tukey_bend, ptukey
// @method: means over the nodes of ptukey.cl's sum
// @accuracy: derivatives 5 eps(1+cond) (host), 4.7 (PoCL)
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, tukey_bend_table, tukey_table, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, igamma, pgamma_utils, qnorm, dpois, pgamma_dshape, tukey, dgamma, pgamma_rise, tukey_bend, tukey_node, ibeta_mass, ibeta, tukey_walk, ptukey
// @all_depends_count: 29

// ptukey_ddf -- derivatives of the studentized range's distribution in its degrees of freedom nu, a = nu/2. The smaller tail
// is T = E h(Y), h(y) = G(q sqrt(y)), Y gamma with the shape a and the mean 1, s^2 = Y; E(. | q) is the mean where s has a
// density proportional to F G (ptukey.cl), g = d log G/d log x. Own derivations:
//
// 1. With U uniform and Y(U) its quantile, r = d log S(U)/dnu = (W - 1)/(4 a), W - 1 of pgamma_rise.cl,
//        d log T/dnu = E(g r | q).
// 2. Y has the mean 1 for all a: both the integral of r's term over the density and that of its integral are 0, and by parts
//        dT/da = E h''(Y) k(Y),   k f = d/da E max(0, t - Y) at t = Y,
//        k = (y/a) (-(y - 1 - log y) - 1/(2 a) - s - (y - 1)(W - 1)),   s = log a - psi(a) - 1/(2 a),
//    which is negative everywhere, and 4 y^2 h'' = G g C, C = d log(G g)/d log x - 2 = (rr - 1) q w'/w + c - 3 + B with
//    the B of tukey_bend.cl and w' of the lower tail. So
//        d log T/dnu = E(g C k/(8 y^2) | q).
// Where s is near 1 for all that counts the first mean is of terms of both signs, larger by sqrt(a) than it is. Where s is far
// from 1 those have one sign, and it is k that cancels. Both are summed, with what each lets cancel, and the better is taken.
// Of two ranges of two variables, h is linear in y next to 0: C is of the order of x^2, and what it is summed from must be, too.
// The terms of the second one vary less with s, so that errors of the weights, of (c - 1) rr units in the last place,
// count less: it may cancel more.

// How much more the second mean may cancel than the first
#define PTUKEY_DDF_STEADY 10.0
// How much closer nodes are than for the tail: W has a logarithm at y = 0. Worst of ref-derivatives, in eps(1+cond): with 1 9.8,
// 0.9 5.5, 0.8 4.9, 0.7 4.9
#define PTUKEY_DDF_FINER 0.8
#define PTUKEY_DDF_INSIDE 1.0

// x w'/w - 1 for two variables and x < 1: w = erf(x/2) = x exp(-x^2/4)/sqrt(pi) (1 + u/3 (1 + u/5 (1 + ...))), u = x^2/2 (DLMF 7.6.2)
NMATH_FN double ptukey_ddf_less(double x)
{
    double u = 0.5 * x * x, s = 0.0;
    for (int k = 12; k > 0; --k)
        s = u / (2.0 * k + 1.0) * (1.0 + s);
    return -s / (1.0 + s);
}

// The smaller tail, the derivative of its log by log q, and that by nu
typedef struct { ibeta_tail t; double slope, by_df; } ptukey_ddf_value;

NMATH_HEAVY ptukey_ddf_value ptukey_ddf_of(double q, double rr, double cc, double df)
{
    ptukey_ddf_value res;
    int far = df > TUKEY_FAR && q > NMATH_RANGE(1e125, 1e14), deep = df > TUKEY_FAR && q < 16.0 && (cc - 1.0) * rr > TUKEY_FAR;
    tukey_shape f = tukey_rim_shape(rr, cc, df, far, deep);
    tukey_walk w = tukey_start(far ? q * TUKEY_ROOT_BACK : q, f, -1, PTUKEY_DDF_FINER);
    double a = 0.5 * f.df, lag = 0.5 / a + stirlerr_slope(a), sum = 0.0, first = 0.0, second = 0.0, all1 = 0.0, all2 = 0.0;
    pgamma_rise_row row = pgamma_rise_row_of(a);
    w.tiny = 1e-21;
    while (tukey_next(&w)) {
        if (w.flat) // G is 1
            continue;
        double E = w.E, s2 = w.F.s * w.F.s, e = w.F.nx / f.df + s2 * (E * (2.0 + E)), l = 2.0 * (w.m.at + w.v);
        double y = s2 * (1.0 + E) * (1.0 + E), g = w.z * w.g.slope, rise = pgamma_rise_at(&row, y, e, l);
        double bow = fabs(e) < 0.5 ? -log1pmx(e) : e - l, k = -(bow + lag) - e * rise;
        double B = tukey_bend(w.x, f.cc, f.largest), more = f.cc - 3.0;
        if (f.cc == 2.0 && !w.upper && w.x < 1.0) {
            more = (f.rr - 2.0) + (f.rr - 1.0) * ptukey_ddf_less(w.x);
        } else if (f.rr != 1.0) {
            double W = w.upper ? -expm1(w.g.whole) : 1.0; // w^rr, and x w'/w from it
            more += (f.rr - 1.0) * (w.upper ? (W > 0.0 ? -w.g.slope * (exp(w.g.whole) / W) : 0.0) : w.g.slope) / f.rr;
        }
        sum += g;
        double r = 0.25 * g * (rise / a); // C and k may be as large as a, which is divided by first
        first += r;
        all1 += fabs(r);
        second += 0.125 * g * ((more + B) / a) * (k / y);
        all2 += 0.125 * fabs(g) * ((fabs(more) + fabs(B)) / a) * ((bow + fabs(lag) + fabs(e * rise)) / y);
    }
    res.t = tukey_walked(&w);
    res.slope = sum / w.sum;
    // what overflows in the second is far from 1; a sum of one node, at e, lacks 1/(a e^2) of the first and cancels a e^2
    // of the second
    int curved = w.finite ? all2 / fabs(second) < PTUKEY_DDF_STEADY * (all1 / fabs(first))
                          : fabs(w.F.nx) / f.df * sqrt(f.df) < 1e4;
    res.by_df = (curved ? second : first) / w.sum;
    if (far || deep) {
        res.t.e.hi /= TUKEY_BACK;
        res.t.e.lo /= TUKEY_BACK;
        res.slope /= TUKEY_BACK;
    }
    return res;
}

// NaN, or 0 where that is what every derivative is, or PTUKEY_DDF_INSIDE
NMATH_FN double ptukey_ddf_where(double q, double rr, double cc, double df)
{
    if (ISNAN(q) || ISNAN(rr) || ISNAN(cc) || ISNAN(df))
        return q + rr + cc + df;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    if (q <= 0 || isinf(q) || isinf(df))
        return 0.0;
    return isinf(cc) || isinf(rr) ? ML_NAN : PTUKEY_DDF_INSIDE;
}

// The derivative in df of P, or of its log if `form` is 1, or of the log of 1 - P if it is 2
NMATH_FN double ptukey_ddf(double q, double rr, double cc, double df, double form)
{
    double where = ptukey_ddf_where(q, rr, cc, df);
    if (where != PTUKEY_DDF_INSIDE)
        return where;
    ptukey_ddf_value v = ptukey_ddf_of(q, rr, cc, df);
    int upper = v.t.upper != 0;
    if (form == 1.0 + upper)
        return v.by_df;
    double k = exp(0.5 * v.t.e.hi), m = v.t.m + v.t.m * v.t.e.lo, d = (v.by_df * m * k) * k;
    if (form == 0.0)
        return upper ? -d : d;
    return -d / (1.0 - k * m * k);
}

// The derivative of a quantile, q
NMATH_FN double ptukey_ddf_step(double q, double rr, double cc, double df)
{
    double where = ptukey_ddf_where(q, rr, cc, df);
    if (where != PTUKEY_DDF_INSIDE)
        return where;
    ptukey_ddf_value v = ptukey_ddf_of(q, rr, cc, df);
    return -q * (v.by_df / v.slope);
}

#undef PTUKEY_DDF_STEADY
#undef PTUKEY_DDF_FINER
#undef PTUKEY_DDF_INSIDE
