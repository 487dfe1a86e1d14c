// @source_type: shim
// @source_origin: rankfar.c
// @provides: rankfar_point, rankfar_block, rankfar_series, rankfar_sums, rank_far
// @depends: nmath, dd, logdd, log1p, expm1, rankcount, rankgf, phyper
// @method: Taylor series of the cumulant generating function about the saddle point, trapezoid rule
// @all_depends: Rmath, nmath, cospi, dd, dpq, log1p, poly, rankcount, expm1, logdd, stirlerr_cycle_free, bd0, lgamma, pgamma_utils, dpois, choose, dhyper, phyper, rankgf
// @all_depends_count: 19
// @load_order: 131

// rankfar -- probabilities of the rank statistics in the tails of large samples, in a time that does not depend on them.
//
// With K the logarithm of the generating function at exp(-s), for sums with the factor 1/(1 - exp(-s)), C the number of
// arrangements and t near the saddle point,
//     P(X = k) or P(X <= k) = 1/(2 pi C) int exp(K(t - iv) + k (t - iv)) dv
// by the trapezoid rule, as in rankgf.cl, but K(t (1 + e)) comes from its Taylor series in e = -iv/t. The coefficients
// are sums over i of those of g(x) = log(1 - exp(-x)), x = i t. As b = 1/(exp(x) - 1) has b' = -b - b^2,
//     x b(x (1 + e)) = sum_j (-1)^j beta_j e^j,   (j + 1) beta_{j+1} = x beta_j + sum_{l<=j} beta_l beta_{j-l} :
// terms of one sign. The sums over i are integrals (Gauss and Legendre's rule, panels that double) with the first
// terms of Euler and Maclaurin's formula about the midpoints,
//     sum_{i=a+1}^{b} f(i) = int f - [f']/24 + 7 [f''']/5760,   from a + 1/2 to b + 1/2.
// Sums from i = 1 on, where g is singular,
//  - are those to infinity, by the transformation of Dedekind's eta function
//        sum_{i>=1} g(i t) = -pi^2/(6 t) - log(t/(2 pi))/2 + t/24 + O(exp(-4 pi^2/t)),   less what is beyond m;
//  - or, for m t < 4, have g(x) - log x in place of g: then log C is contained in them.
// Signed ranks have log(1 + exp(-x)) = g(2 x) - g(x).

#ifndef NMATH_RANKFAR_CL
#define NMATH_RANKFAR_CL

#define RANKFAR_ORDER 32
// beyond, exp(-x) is nothing beside 1, by the weight of any term
#define RANKFAR_END 60.0
// products of so many factors are multiplied out in double-double where the result is not a logarithm
#define RANKFAR_PRODUCT 6000.0

// s += w f + w1 i f' + w3 i^3 f''' for the coefficients 0, ..., order in e of f(i): g(i t (1 + e)), x = i t; that less
// log(i t (1 + e)) (normal = 1); or that less log(i t) (normal = 2).
NMATH_FN void rankfar_point(double x, int normal, int order, double w, double w1, double w3, double *s)
{
    double beta[RANKFAR_ORDER + 4], p[RANKFAR_ORDER + 4], one = normal == 1 ? 1.0 : 0.0, sign = 1.0;
    int last = w1 != 0.0 ? order + 3 : order;
    p[0] = x > 0.7 ? log1p(-exp(-x)) : normal ? 0.0 : log(-expm1(-x));
    if (normal)
        p[0] = x > 0.7 ? p[0] - log(x) : x < 1e-3 ? x * (x * (1.0 / 24.0) - 0.5) : log(-expm1(-x) / x);
    beta[0] = x < 700.0 ? x / expm1(x) : 0.0;
    for (int j = 0; j < last; ++j) {
        p[j + 1] = sign * (beta[j] - one) / (j + 1.0);
        sign = -sign;
        double q = x * beta[j];
        for (int l = 0; l <= j; ++l)
            q += beta[l] * beta[j - l];
        beta[j + 1] = q / (j + 1.0);
    }
    for (int j = 0; j <= order; ++j) {
        s[j] += w * p[j];
        if (w1 != 0.0) {
            // (1 + e) times the derivative, (1 + e)^3 times the third
            double i = j, d = (i + 1.0) * p[j + 1];
            s[j] += w1 * (d + i * p[j]) +
                    w3 * ((i + 1.0) * ((i + 2.0) * ((i + 3.0) * p[j + 3] + 3.0 * i * p[j + 2]) + 3.0 * i * (i - 1.0) * p[j + 1]) +
                          i * (i - 1.0) * (i - 2.0) * p[j]);
        }
    }
    if (normal == 2) // -log i
        s[0] -= w1 + 2.0 * w3;
}

// s += weight times the coefficients of the sum over i = begin + 1, ..., begin + count
NMATH_FN void rankfar_block(double begin, double count, double t, int signs, int normal, int order, double weight, double *s)
{
    double from = begin + 0.5, room = RANKFAR_END / t - from;
    int cut = !normal && count > room;
    double left = cut ? room : count;
    if (!(left > 0.0))
        return;
    for (int panel = 0; panel < 24 && left > 0.0; ++panel) {
        double h = fmin(left, normal ? fmax(4.0 / t, from) : from);
        for (int q = 0; q < 24; ++q) {
            double x = (from + h * phyper_node[q]) * t, w = weight * h * phyper_weight[q];
            for (int i = 0; i <= signs; ++i)
                rankfar_point(signs && !i ? 2.0 * x : x, normal, order, i ? -w : w, 0.0, 0.0, s);
        }
        from += h;
        left -= h;
    }
    for (int i = 0; i < 4; ++i) {
        int upper = i & 1, second = i >> 1;
        double at = begin + 0.5 + (upper ? count : 0.0), w = (upper == second ? weight : -weight) / at;
        if ((second && !signs) || (upper && cut))
            continue;
        rankfar_point(at * t * (signs && !second ? 2.0 : 1.0), normal, order, 0.0, w / 24.0, w / at / at * (-7.0 / 5760.0), s);
    }
}

// K(t (1 + e)) = sum_j s_j e^j + a/(1 + e) + b log(1 + e), less log C if *normal
typedef struct { double a, b; int normal; double s[RANKFAR_ORDER + 1]; } rankfar_series;

NMATH_FN void rankfar_sums(rank_size size, double t, int cumulative, int order, rankfar_series *K)
{
    double *s = K->s, m = size.m;
    for (int j = 0; j <= order; ++j)
        s[j] = 0.0;
    if (cumulative)
        rankfar_point(t, 1, order, -1.0, 0.0, 0.0, s);
    int near = m * t < 4.0, far = near && size.n * t > 4.0 ? 2 : near;
    K->normal = near;
    if (!size.signs)
        rankfar_block(size.n, m, t, 0, far, order, 1.0, s);
    rankfar_block(near ? 0.0 : m, near ? m : 0x1p+1000, t, size.signs, near, order, near == size.signs ? 1.0 : -1.0, s);
    K->a = near ? 0.0 : (size.signs ? 0.5 : 1.0) * (M_PI * M_PI / 6.0) / t;
    K->b = size.signs || near ? 0.0 : 0.5;
    if (!near) {
        double c = size.signs ? t / 24.0 : -t / 24.0;
        s[0] += K->b * log(t / M_2PI) - (size.signs ? 0.5 * M_LN2 : 0.0) + c;
        s[1] += c;
    }
    if (far == 2 && !size.signs)
        K->b -= m;
    if (cumulative) {
        K->b -= 1.0;
        s[0] -= log(t);
    }
}

// P(X = k) or P(X <= k) = f exp(e) for k at most half of the top, to all digits where precise is set, else for use as a
// logarithm in the hundreds. False where the series is too short; then f and e are as good as it is.
NMATH_HEAVY int rank_far(rank_size size, double k, int cumulative, int precise, double *f, dd *e)
{
    rankfar_series L;
    double *s = L.s, m = size.m, n = size.n, scale, g1 = 0.0, g2 = 1.0;
    // the saddle point is near one of two: that of a normal distribution and that of unrestricted partitions
    double ratio = size.signs ? k / n / (n + 1.0) * 2.0 : k / n / m;
    double near = size.signs ? 6.0 * (0.5 - ratio) / (n + 0.5) : 6.0 * (1.0 - 2.0 * ratio) / (m + n + 1.0);
    double far = (size.signs ? 0.9068996821171089 : 1.2825498301618641) / sqrt(k), lo = 0.5 * near, hi = 2.0 * (far + 1.0 / k);
    near = fmax(near, 1e-30 / (m + n));
    double t = far < 3.0 * near ? near : sqrt(lo) * sqrt(hi);
    for (int i = 0; i < 60; ++i) {
        rankfar_sums(size, t, cumulative, 2, &L);
        g1 = (s[1] + L.b) + (k * t - L.a);
        g2 = 2.0 * (s[2] + L.a) - L.b;
        double step = -g1 / g2; // relative to t
        if (fabs(g1) < 0.02 * sqrt(g2))
            break;
        if (g1 < 0.0)
            lo = t;
        else
            hi = t;
        double next = t * (1.0 + step);
        t = next > lo && next < hi ? next : sqrt(lo) * sqrt(hi);
    }
    // the order by the size of the terms where exp(-x^2/2) x^j is largest
    double l = 0.5 * log(g2);
    int order = 14.0 * l > 54.0 ? 16 : 22.0 * l > 66.0 ? 24 : RANKFAR_ORDER;
    dd u = {-t, 0.0}, c = rank_total(size, &scale);
    int product = precise && fmin(m, 46.0 / t) < RANKFAR_PRODUCT && (s[0] + L.a) + k * t - (L.normal ? 0.0 : c.hi) > -760.0;
    double r = exp(-t);
    if (product) { // of powers of r
        u = dd_log_ratio(r, 1.0);
        t = -u.hi;
    }
    rankfar_sums(size, t, cumulative, order, &L);
    double S = sqrt(2.0 * (s[2] + L.a) - L.b), q = order - 1.0;
    dd K = dd_two_sum(L.a, s[0]), g = dd_two_prod(k, t);
    g.lo -= k * u.lo;
    // the circle's other maxima, near exp(2 pi i/3) or -1, are below a third or half of this one (rankgf.cl)
    int enough = K.hi + (L.normal ? c.hi : 0.0) > (size.signs ? 58.0 : 78.0) &&
                 log(fmax(fabs(s[order]) / S, fabs(s[order - 1]))) - q * log(S) + 0.5 * q * (log(q) - 1.0) < -36.0;
    if (product) {
        K = rank_log_product(size, r, rank_power_n(r, size.signs ? 0.0 : n), floor(fmin(m, 46.0 / t)), cumulative);
        L.normal = 0;
    }
    K = dd_add(K, dd_fast_two_sum(g.hi, g.lo));
    if (L.normal) {
        scale = 1.0;
    } else {
        c.hi = -c.hi;
        c.lo = -c.lo;
        K = dd_add(K, c);
    }
    *e = K;
    s[1] += k * t - L.a;
    double h = M_2PI / (12.0 * S), sum = 0.5;
    for (int j = 1; j < 64; ++j) {
        double v = j * h, w = v * v, even = 0.0, odd = 0.0, z = w / (1.0 + w);
        for (int i = order; i >= 2; i -= 2) {
            even = s[i] - even * w;
            odd = s[i - 1] - odd * w;
        }
        double size_of = exp(0.5 * L.b * log1p(w) - L.a * z - even * w);
        sum += size_of * cos(v * (odd + L.a * z) + L.b * atan(v));
        if (size_of < 1e-19)
            break;
        if (v > 1.0) { // the series ends there
            enough = enough && size_of < 1e-16;
            break;
        }
    }
    *f = 2.0 * sum * (t / (12.0 * S)) / scale;
    if (cumulative && k + 12.0 * S / t > 0.5 * size.top + 4.0 * size.sd) // what lies 12 S/t further on, where that is all
        *f -= exp(-12.0 * S - K.hi) / -expm1(-12.0 * S);
    return enough;
}

#undef RANKFAR_ORDER
#undef RANKFAR_END
#undef RANKFAR_PRODUCT

#endif
