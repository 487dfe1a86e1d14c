// @source_type: shim
// @source_origin: rankseries.c
// @provides: rank_series, rank_deep
// @depends: nmath, dd, log1p, expm1, choose, rankcount, rankgf, phyper
// @method: cumulants in closed form and the trapezoid rule through the saddle point; beyond, a saddle point expansion
// @all_depends: Rmath, nmath, cospi, dd, dpq, log1p, poly, rankcount, expm1, logdd, stirlerr_cycle_free, bd0, lgamma, pgamma_utils, dpois, choose, dhyper, phyper, rankgf
// @all_depends_count: 19
// @load_order: 129

// rankseries -- probabilities of the rank statistics for large samples.
//
// About its centre, the logarithm of the moment generating function of the statistic is even,
//     K(s) = sum_i log (sinh(e_i s/2)/e_i) / (sinh(i s/2)/i) = sum_q B_2q/(2q (2q)!) s^2q sum_i (e_i^2q - i^2q),
// with e_i = n + i (rank sum) or 2 i (signed ranks). The power sums are those of a block of whole numbers about its
// middle: terms of one sign. With t the saddle point and D the distance of k from the centre,
//     P(X = k) = 1/(2 pi) int exp(K(t - iv) - (t - iv) D) dv,
// and P(X <= k) has the further factor 1/(1 - exp(-t + iv)). The trapezoid rule with the step 2 pi/M is exact but for
// what lies M further on, of which only the pole leaves something: exp(-M t)/(1 - exp(-M t)).

#define RANK_TERMS 32

// B_2q / (2q (2q)!)
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

NMATH_FN dd rank_dd_mul(dd a, dd b)
{
    dd t = dd_two_prod(a.hi, b.hi);
    return dd_fast_two_sum(t.hi, t.lo + (a.hi * b.lo + a.lo * b.hi));
}

// About the logarithm of the number of arrangements
NMATH_FN double rank_rough_total(rank_size size)
{
    double m = size.m, n = size.n;
    return size.signs ? n * M_LN2 : m * log1p(n / m) + n * log1p(m / n) - 0.5 * log(M_2PI * (m / (1.0 + m / n)));
}

// How many terms K needs for k, 0 if more than there are. At t - iv = (z - ix)/sd, the term in s^2q is about (r (z^2 +
// x^2))^q, r = (a/sd)^2 with 1/a the radius of convergence, and weighs exp(-x^2/2): most at x^2 = 2q - z^2. The
// characteristic function is not small at exp(2 pi i/b) where it is as the b-th root of the number of arrangements.
NMATH_FN int rank_series_terms(rank_size size, double k)
{
    double a = size.signs ? size.n * M_1_PI : (size.m + size.n) / M_2PI, z = (0.5 * size.top - k) / size.sd;
    double r = a / size.sd, w = z * z;
    r *= r;
    if (size.m < 40.0 || !(w * r < 0.3) || w > 3600.0) // the nodes would be too many
        return 0;
    w *= 1.0 + 2.0 * w * r; // the saddle point is further out
    for (int q = 8; q <= RANK_TERMS; q += 4) {
        double x = 2.0 * q;
        if (q * log(r * fmax(x, w)) - fmax(0.5 * (x - w), 0.0) < -39.0)
            return q;
    }
    return 0;
}

// P(X = k) or P(X <= k) = f exp(e), for k at most half of the top; 0 where the series does not reach.
NMATH_HEAVY int rank_series(rank_size size, double k, int cumulative, double *f, dd *e)
{
    if (!(size.top < NMATH_DBL_MAX))
        return 0;
    int terms = rank_series_terms(size, k);
    if (terms == 0)
        return 0;
    double m = size.m, m2 = 1.0 / (m * m), c = size.signs ? 0.5 * (m + 1.0) : size.n + 0.5 * (m + 1.0);
    double h = 0.5 * m / c, b = size.signs ? 0.0 : 0.5 * (m + 1.0) / c, a[RANK_TERMS], four = 1.0;
    h *= h;
    b *= b;
    for (int q = 1; q <= terms; ++q) {
        double s = 0.0, binomial = 1.0, hp = 1.0, bp = 1.0;
        four *= 4.0;
        for (int i = 0; i < q; ++i)
            bp *= b;
        for (int p = 0; p < q + size.signs; ++p) {
            double j = 2.0 * p;
            s += binomial * hp / (j + 1.0) * (1.0 - (j + 1.0) * j * m2 * (1.0 / 6.0 - (j - 1.0) * (j - 2.0) * m2 * (7.0 / 360.0 - (j - 3.0) * (j - 4.0) * m2 * (31.0 / 15120.0)))) * (1.0 - (size.signs ? 0.0 : bp));
            binomial *= (2.0 * q - j) * (2.0 * q - j - 1.0) / ((j + 1.0) * (j + 2.0));
            hp *= h;
            bp = b > 0.0 ? bp / b : 0.0;
        }
        a[q - 1] = rank_bernoulli[q - 1] * m * s * (size.signs ? four - 1.0 : 1.0);
    }

    // the saddle point t = y/c
    dd D = size.signs ? dd_two_prod(0.5 * m, m + 1.0) : dd_two_prod(m, size.n);
    D.hi *= 0.5;
    D.lo *= 0.5;
    dd minus = {-k, 0.0};
    D = dd_add(D, minus);
    // k is rounded, too: beyond some 2^100 to more than a standard deviation
    if (!(D.hi > (NMATH_EPS * size.top > size.sd ? 4.0 * NMATH_EPS * size.top : 0.0)))
        D.hi = D.lo = 0.0;
    double d = D.hi / c, y = (d + sqrt(d * d + (cumulative ? 8.0 * a[0] : 0.0))) / (4.0 * a[0]);
    if (!cumulative)
        y = d / (2.0 * a[0]);
    double limit = size.signs ? 1.0 : 3.0, curvature = 2.0 * a[0];
    for (int i = 0; i < 8; ++i) {
        if (!(y <= limit))
            return 0;
        double y2 = y * y, g = 0.0, g1 = 0.0;
        for (int q = terms; q >= 1; --q) {
            g = g * y2 + 2.0 * q * a[q - 1];
            g1 = g1 * y2 + 2.0 * q * (2.0 * q - 1.0) * a[q - 1];
        }
        curvature = g1;
        double step = g * y - d - (cumulative ? 1.0 / y : 0.0);
        y -= step / (g1 + (cumulative ? 1.0 / y2 : 0.0));
    }
    double t = y / c, sd = c * sqrt(curvature);
    y = t * c;

    // K(t) - t D
    dd p, r = dd_mul_d(D, -t);
    if (size.signs) {
        p = rank_dd_mul(dd_two_prod(t, m), dd_two_prod(t, m + 1.0));
        p = rank_dd_mul(p, dd_two_sum(2.0 * m, 1.0));
    } else {
        dd sum = dd_two_sum(m, size.n), one = {1.0, 0.0};
        p = rank_dd_mul(dd_two_prod(t, size.n), dd_mul_d(dd_add(sum, one), t));
        p = dd_mul_d(p, m);
    }
    // over 48 for signed ranks, over 24 for rank sums
    double div = size.signs ? 48.0 : 24.0, quotient = p.hi / div;
    dd lead = dd_two_prod(quotient, div), K;
    K.hi = quotient;
    K.lo = ((p.hi - lead.hi) - lead.lo + p.lo) / div;
    double y2 = y * y, rest = 0.0;
    for (int q = terms; q >= 2; --q)
        rest = rest * y2 + a[q - 1];
    dd tail = {rest * y2 * y2, 0.0};
    r = dd_add(dd_add(K, tail), r);
    if (K.hi + tail.hi - 0.5 * size.top * t + rank_rough_total(size) < (size.signs ? 58.0 : 78.0))
        return 0;
    double q = terms, tilt = t * sd, ratio = (size.signs ? size.n * M_1_PI : (m + size.n) / M_2PI) / sd;
    tilt *= tilt;
    ratio *= ratio * fmax(2.0 * q, tilt);
    if (tilt > 7200.0 || !(q * log(ratio) - fmax(q - 0.5 * tilt, 0.0) < -38.0))
        return 0;
    *e = r;

    double M = (cumulative ? 10.2 : 9.2) * sd, above = -expm1(-t), below = exp(-t);
    if (cumulative && M < D.hi)
        M = fmax(M, (40.0 + log(sd) - e->hi) / t);
    double sum = 0.5;
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

// Cumulants of orders 1 to 6 in units of 1/t, and the logarithm of the generating function at exp(-t), of 1/(1 - z^i)
NMATH_FN void rank_factor(double x, double weight, double *s)
{
    if (!(x < 700.0))
        return;
    double b = x / expm1(x), p = x * x, q = b * (x + b), r = x + 2.0 * b;
    s[0] -= weight * (x > 0.7 ? log1p(-exp(-x)) : log(-expm1(-x)));
    s[1] += weight * b;
    s[2] += weight * q;
    s[3] += weight * q * r;
    s[4] += weight * q * (p + 6.0 * q);
    s[5] += weight * q * r * (p + 12.0 * q);
    s[6] += weight * q * (p * p + 30.0 * q * (p + 4.0 * q));
}

NMATH_FN void rank_pair(rank_size size, double i, double t, double weight, double *s)
{
    rank_factor(i * t, weight, s);
    rank_factor((size.signs ? 2.0 * i : size.n + i) * t, -weight, s);
}

#define RANK_FIRST 256.0

NMATH_FN void rank_cumulants(rank_size size, double t, int cumulative, double *s)
{
    for (int j = 0; j < 7; ++j)
        s[j] = 0.0;
    if (cumulative)
        rank_factor(t, 1.0, s);
    for (double i = 1.0; i <= RANK_FIRST; i += 1.0)
        rank_pair(size, i, t, 1.0, s);
    double end = fmin(size.m, 60.0 / t), from = RANK_FIRST + 0.5;
    // Euler and Maclaurin's formula about the midpoints, with central differences: sum = int - [d f/24 - 17 d^3 f/5760]
    for (int panel = 0; panel < 1100 && from < end; ++panel) {
        double to = fmin(2.0 * from, end + 0.5);
        for (int q = 0; q < 24; ++q)
            rank_pair(size, from + (to - from) * phyper_node[q], t, (to - from) * phyper_weight[q], s);
        from = to;
    }
    double w = 1.0 / 24.0, third = 17.0 / 5760.0;
    for (int i = -1; i <= 2; ++i)
        rank_pair(size, RANK_FIRST + i, t, i == -1 ? third : i == 0 ? -w - 3.0 * third : i == 1 ? w + 3.0 * third : -third, s);
    for (int i = 0; i < 2; ++i)
        rank_pair(size, end + i, t, i ? -w : w, s);
}

// The logarithm of the number of arrangements with X = k or X <= k, where it is in the hundreds at least.
NMATH_HEAVY double rank_deep(rank_size size, double k, int cumulative)
{
    double s[7], ratio = size.signs ? k / size.n / (size.n + 1.0) * 2.0 : k / size.n / size.m;
    double near = size.signs ? 6.0 * (0.5 - ratio) / (size.n + 0.5) : 6.0 * (1.0 - 2.0 * ratio) / (size.m + size.n + 1.0);
    near = fmax(near, 1e-30 / (size.m + size.n)); // at the centre, as far as doubles can tell
    double far = (size.signs ? 0.9068996821171089 : 1.2825498301618641) / sqrt(k), lo = 0.5 * near, hi = 2.0 * (far + 1.0 / k);
    double t = far < 3.0 * near ? near : sqrt(lo) * sqrt(hi);
    for (int i = 0; i < 80; ++i) {
        rank_cumulants(size, t, cumulative, s);
        double step = (s[1] - k * t) / s[2]; // relative to t
        if (s[1] > k * t)
            lo = t;
        else
            hi = t;
        double next = t * (1.0 + step);
        t = next > lo && next < hi && fabs(step) < 3.0 ? next : sqrt(lo) * sqrt(hi);
        if (fabs(step) < 1e-9)
            break;
    }
    rank_cumulants(size, t, cumulative, s);
    double v = s[2], a = s[3] / v * (s[3] / v) / v, b = s[4] / v / v, c = s[3] / v * (s[5] / v) / v / v, g = s[6] / v / v / v;
    double first = b / 8.0 - 5.0 * a / 24.0;
    double second = -g / 48.0 + 35.0 * b * b / 384.0 + 7.0 * c / 48.0 - 35.0 * a * b / 64.0 + 385.0 * a * a / 1152.0;
    return s[0] + k * t - 0.5 * log(M_2PI * v) + log(t) + log1p(first + second);
}

#undef RANK_TERMS
#undef RANK_FIRST
