// @source_type: shim
// @source_origin: rankseries.c
// @provides: RANK_SERIES_LEAST, rank_series_reaches, rank_series_terms, rank_series_middle, rank_series_cumulants, rank_series_distance, rank_series_saddle, rank_series_leading, rank_series
// @depends: nmath, log1p, expm1, rankcount
// @method: cumulants in closed form and the trapezoid rule through the saddle point
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, expm1, log1p, rankcount
// @all_depends_count: 5

// rankseries -- probabilities of the rank statistics for large samples.
//
// About its centre, the logarithm of the moment generating function of the statistic is even,
//     K(s) = sum_i log (sinh(e_i s/2)/e_i) / (sinh(i s/2)/i) = sum_q B_2q/(2q (2q)!) s^2q sum_i (e_i^2q - i^2q),
// with e_i = n + i (rank sum) or 2 i (signed ranks). The power sums are those of a block of whole numbers about its
// middle: terms of one sign. With t the saddle point and D the distance of k from the centre,
//     P(X = k) = 1/(2 pi) int exp(K(t - iv) - (t - iv) D) dv,
// and P(X <= k) has the further factor 1/(1 - exp(-t + iv)). The trapezoid rule with the step 2 pi/M is exact but for
// what lies M further on, of which only the pole leaves something: exp(-M t)/(1 - exp(-M t)).

// The constants were varied by tools/explore.py: as they are no row of the tables is off by more than 2.8 eps. In brackets,
// the worst row for other values, where it is another.
#define RANK_TERMS 32
// the least m: below, no 32 terms suffice; times are level from 10 to 80
#define RANK_SERIES_LEAST 40.0
// -log of what a truncated series may add to 1: exp(-38) = eps/7. 23 (15000), 30 (7.9), 46 (2.5)
#define RANK_SERIES_LOST 38.0
// the largest square of the distance from the centre in standard deviations: beyond, nodes for the phase would be too many; 900 to 14400
// alike
#define RANK_SERIES_FAR 3600.0
// the largest square of the saddle point's distance from 0 over the radius of convergence; 0.15 to 0.9 alike
#define RANK_SERIES_NEAR 0.3
// the least log G(exp(-t)) at which other lobes on the circle (rankgf.cl) do not count: the largest is G's square root, at
// -1, for signed ranks its third root, at exp(2 pi i/3), which is exp(-39) of G with these numbers
#define RANK_SERIES_LOBES 78.0
#define RANK_SERIES_LOBES_SIGNED 58.0
// the rule's nodes over standard deviations: what is that far apart weighs exp(-9.2^2/2) = 2^-61; a little more for sums,
// whose factor is up to 1/t
// 7.4 (1.7e5), 8.3 (391), 11 (3.0); 8.2 (1700), 9.2 (2.5)
#define RANK_SERIES_WIDTH 9.2
#define RANK_SERIES_WIDTH_SUM 10.2

// B_2q / (2q (2q)!) (Abramowitz & Stegun 23.1 and table 23.2); tools/fit_rank_series.py
NMATH_TABLE double rank_bernoulli[RANK_TERMS] = {
    0.041666666666666664, -0.00034722222222222224, 5.5114638447971785e-06, -1.0333994708994709e-07,
    2.08767569878681e-09, -4.4034917822395777e-11, 9.5589546647747697e-13, -2.1185501852016142e-14,
    4.770034475709914e-16, -1.0874343492790309e-17, 2.5040921947091955e-19, -5.8143602857552179e-21,
    1.3595027075497952e-22, -3.1976847953705525e-24, 7.5598415077922765e-26, -1.7952470840225633e-27,
    4.279919045926073e-29, -1.0238874835181417e-30, 2.4570353308144855e-32, -5.9125560392515749e-34,
    1.4263504196386035e-35, -3.448761101064296e-37, 8.3559959249004093e-39, -2.0284068901347272e-40,
    4.9324940884013618e-42, -1.2013609118886046e-43, 2.9303759712305399e-45, -7.1576315820516714e-47,
    1.7505303199257856e-48, -4.2863402637364533e-50, 1.0507187153602927e-51, -2.578329672952582e-53
};

// log(2 q), q = 8, 12, ..., RANK_TERMS, to 1e-3: a choice hangs on it alone; tools/fit_rank_series.py
NMATH_TABLE double rank_log_terms[RANK_TERMS / 4 - 1] = {2.773, 3.178, 3.466, 3.689, 3.871, 4.025, 4.159};

// About the logarithm of the number of arrangements (log(1 + x) is 2 x/(2 + x) to 4 % up to x = 1)
NMATH_FN double rank_rough_total(rank_size size)
{
    double m = size.m, n = size.n;
    return size.signs ? n * M_LN2 : m * (log1p(n / m) + 2.0 * n / (2.0 * n + m)) - 0.5 * log(M_2PI * (m / (1.0 + m / n)));
}

// Whether the series may reach any k: G(exp(-t)) is at most the number of arrangements.
NMATH_FN int rank_series_reaches(rank_size size)
{
    double least = size.signs ? RANK_SERIES_LOBES_SIGNED : RANK_SERIES_LOBES;
    return size.m >= RANK_SERIES_LEAST && !(rank_rough_total(size) < least - 1e-6);
}

// How many terms K needs for k, 0 if more than there are. At t - iv = (z - ix)/sd, the term in s^2q is about (r (z^2 +
// x^2))^q, r = (a/sd)^2 with 1/a the radius of convergence, and weighs exp(-x^2/2): most at x^2 = 2q - z^2. The
// characteristic function is not small at exp(2 pi i/b) where it is as the b-th root of the number of arrangements.
NMATH_FN int rank_series_terms(rank_size size, double k)
{
    double a = size.signs ? size.n * M_1_PI : (size.m + size.n) / M_2PI, z = (0.5 * size.top - k) / size.sd;
    double r = a / size.sd, w = z * z;
    r *= r;
    if (!(w * r < RANK_SERIES_NEAR) || w > RANK_SERIES_FAR)
        return 0;
    w *= 1.0 + 2.0 * w * r; // the saddle point is further out
    double lr = log(r), lw = lr + log(w);
    NMATH_LOOP
    for (int q = 8; q <= RANK_TERMS; q += 4) {
        double x = 2.0 * q;
        if (q * fmax(lr + rank_log_terms[q / 4 - 2], lw) - fmax(0.5 * (x - w), 0.0) < -RANK_SERIES_LOST - 1.0)
            return q;
    }
    return 0;
}

// The middle c of the larger block of whole numbers
NMATH_FN double rank_series_middle(rank_size size) { return size.signs ? 0.5 * (size.m + 1.0) : size.n + 0.5 * (size.m + 1.0); }

// K(y/c) = sum_q a_q y^2q, q = 1, ..., terms, a_q in a[q - 1]
NMATH_FN void rank_series_cumulants(rank_size size, double c, int terms, double *a)
{
    double m = size.m, m2 = 1.0 / (m * m);
    double h = 0.5 * m / c, b = size.signs ? 0.0 : 0.5 * (m + 1.0) / c, four = 1.0;
    h *= h;
    b *= b;
    NMATH_LOOP
    for (int q = 1; q <= terms; ++q) {
        double s = 0.0, binomial = 1.0, hp = 1.0, bp = 1.0;
        four *= 4.0;
        NMATH_LOOP
        for (int i = 0; i < q; ++i)
            bp *= b;
        NMATH_LOOP
        for (int p = 0; p < q + size.signs; ++p) {
            double j = 2.0 * p;
            s += binomial * hp / (j + 1.0) * (1.0 - (j + 1.0) * j * m2 * (1.0 / 6.0 - (j - 1.0) * (j - 2.0) * m2 * (7.0 / 360.0 - (j - 3.0) * (j - 4.0) * m2 * (31.0 / 15120.0)))) * (1.0 - (size.signs ? 0.0 : bp));
            binomial *= (2.0 * q - j) * (2.0 * q - j - 1.0) / ((j + 1.0) * (j + 2.0));
            hp *= h;
            bp = b > 0.0 ? bp / b : 0.0;
        }
        a[q - 1] = rank_bernoulli[q - 1] * m * s * (size.signs ? four - 1.0 : 1.0);
    }
}

// The distance D of k from the centre
NMATH_FN nmath_dd rank_series_distance(rank_size size, double k)
{
    double m = size.m;
    nmath_dd D = size.signs ? dd_two_prod(0.5 * m, m + 1.0) : dd_two_prod(m, size.n);
    D.hi *= 0.5;
    D.lo *= 0.5;
    nmath_dd minus = {-k, 0.0};
    D = dd_add(D, minus);
    // k is rounded, too: beyond some 2^100 to more than a standard deviation
    if (!(D.hi > (NMATH_EPS * size.top > size.sd ? 4.0 * NMATH_EPS * size.top : 0.0)))
        D.hi = D.lo = 0.0;
    return D;
}

// The saddle point t = y/c for d = D/c, and K'' there in y; y is 0 where it is beyond the series
NMATH_FN double rank_series_saddle(rank_size size, const double *a, int terms, double d, int cumulative, double *second)
{
    double y = (d + sqrt(d * d + (cumulative ? 8.0 * a[0] : 0.0))) / (4.0 * a[0]);
    if (!cumulative)
        y = d / (2.0 * a[0]);
    double limit = size.signs ? 1.0 : 3.0, curvature = 2.0 * a[0];
    NMATH_LOOP
    for (int i = 0; i < 8; ++i) {
        if (!(y <= limit))
            return -1.0;
        double y2 = y * y, g = 0.0, g1 = 0.0;
        NMATH_LOOP
        for (int q = terms; q >= 1; --q) {
            g = g * y2 + 2.0 * q * a[q - 1];
            g1 = g1 * y2 + 2.0 * q * (2.0 * q - 1.0) * a[q - 1];
        }
        curvature = g1;
        double step = g * y - d - (cumulative ? 1.0 / y : 0.0);
        y -= step / (g1 + (cumulative ? 1.0 / y2 : 0.0));
    }
    *second = curvature;
    return y;
}

// K's first term at t, t^2 (n + n^2) (2 n + 1)/48 or t^2 m n (m + n + 1)/24
NMATH_FN nmath_dd rank_series_leading(rank_size size, double t)
{
    double m = size.m;
    nmath_dd p;
    if (size.signs) {
        p = dd_mul(dd_two_prod(t, m), dd_two_prod(t, m + 1.0));
        p = dd_mul(p, dd_two_sum(2.0 * m, 1.0));
    } else {
        nmath_dd sum = dd_two_sum(m, size.n), one = {1.0, 0.0};
        p = dd_mul(dd_two_prod(t, size.n), dd_mul_d(dd_add(sum, one), t));
        p = dd_mul_d(p, m);
    }
    // over 48 for signed ranks, over 24 for rank sums
    double div = size.signs ? 48.0 : 24.0, quotient = p.hi / div;
    nmath_dd lead = dd_two_prod(quotient, div), K;
    K.hi = quotient;
    K.lo = ((p.hi - lead.hi) - lead.lo + p.lo) / div;
    return K;
}

// P(X = k) or P(X <= k) = f exp(e), for k at most half of the top and m >= RANK_SERIES_LEAST; 0 where the series does not reach.
NMATH_HEAVY int rank_series(rank_size size, double k, int cumulative, double *f, nmath_dd *e)
{
    if (!(size.top < NMATH_DBL_MAX))
        return 0;
    int terms = rank_series_terms(size, k);
    if (terms == 0)
        return 0;
    double c = rank_series_middle(size), a[RANK_TERMS], curvature;
    rank_series_cumulants(size, c, terms, a);
    nmath_dd D = rank_series_distance(size, k);
    double d = D.hi / c, y = rank_series_saddle(size, a, terms, d, cumulative, &curvature);
    if (y < 0.0)
        return 0;
    double t = y / c, sd = c * sqrt(curvature);
    y = t * c;

    // K(t) - t D
    nmath_dd r = dd_mul_d(D, -t), K = rank_series_leading(size, t);
    double y2 = y * y, rest = 0.0;
    NMATH_LOOP
    for (int q = terms; q >= 2; --q)
        rest = rest * y2 + a[q - 1];
    nmath_dd tail = {rest * y2 * y2, 0.0};
    r = dd_add(dd_add(K, tail), r);
    if (K.hi + tail.hi - 0.5 * size.top * t + rank_rough_total(size) < (size.signs ? RANK_SERIES_LOBES_SIGNED : RANK_SERIES_LOBES))
        return 0;
    double q = terms, tilt = t * sd, ratio = (size.signs ? size.n * M_1_PI : (size.m + size.n) / M_2PI) / sd;
    tilt *= tilt;
    ratio *= ratio * fmax(2.0 * q, tilt);
    if (tilt > 2.0 * RANK_SERIES_FAR || !(q * log(ratio) - fmax(q - 0.5 * tilt, 0.0) < -RANK_SERIES_LOST))
        return 0;
    *e = r;

    double M = (cumulative ? RANK_SERIES_WIDTH_SUM : RANK_SERIES_WIDTH) * sd, above = -expm1(-t), below = exp(-t);
    if (cumulative && M < D.hi)
        M = fmax(M, (40.0 + log(sd) - e->hi) / t);
    double sum = 0.5;
    NMATH_LOOP
    for (int l = 1; l < 64; ++l) {
        double v = l * (M_2PI / M), w = v * c, zr = y2 - w * w, zi = -2.0 * y * w, gr = 0.0, gi = 0.0, bq = 0.0;
        // (K(y - iw) - K(y)) / ((y - iw)^2 - y^2)
        for (int q = terms; q >= 1; --q) {
            bq = bq * y2 + a[q - 1];
            double x = gr * zr - gi * zi + bq;
            gi = gr * zi + gi * zr;
            gr = x;
        }
        double wr = -w * w, wi = zi, er = wr * gr - wi * gi, ei = wr * gi + wi * gr + w * d;
        double size_of = exp(er), cr = size_of * cos(ei), ci = size_of * sin(ei);
        if (cumulative) {
            // (1 - exp(-t)) / (1 - exp(-t + iv))
            double sv = sin(0.5 * v), br = 1.0 + 2.0 * below * sv * (sv / above), bi = 2.0 * below * (sv / above) * cos(0.5 * v);
            cr = (cr * br - ci * bi) / (br * br + bi * bi);
        }
        sum += cr;
        if (size_of < 1e-19)
            break;
    }
    *f = 2.0 * sum / (cumulative ? M * above : M);
    if (cumulative)
        *f -= exp(-M * t - e->hi) / -expm1(-M * t);
    return 1;
}

#undef RANK_TERMS
#undef RANK_SERIES_LOST
#undef RANK_SERIES_FAR
#undef RANK_SERIES_NEAR
#undef RANK_SERIES_LOBES
#undef RANK_SERIES_LOBES_SIGNED
#undef RANK_SERIES_WIDTH
#undef RANK_SERIES_WIDTH_SUM
