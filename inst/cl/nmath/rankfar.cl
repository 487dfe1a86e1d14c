// @source_type: shim
// @source_origin: rankfar.c
// @provides: RANK_LOG, RANK_DIGITS, RANK_START, rankfar_point, rankfar_series, rankfar_sums, rank_far
// @depends: nmath, log1p, expm1, rankcount, ranktotal, rankproduct, phyper
// @method: Taylor series of the cumulant generating function about the saddle point, trapezoid rule
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, bd0, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, ranktotal, pgamma_utils, rankproduct, dhyper_far, dhyper, phyper
// @all_depends_count: 15
// @load_order: 140

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
//
// For quantiles, t is sought where the saddle point approximation (Daniels 1954)
//     log P(X <= k) ~ K(t) + k t - log C + log(t/S) - log(2 pi)/2,   k = -K'(t),   S^2 = t^2 K''(t),
// has a given value: its derivative in log t is about -S^2. There
//     d log P/dk ~ g = t (1 + t^3 K'''/(2 S^4)),   dg/dk ~ -g t/S^2,
// which is right for the powers of k that small samples have, and 0.75/sd for 0.80/sd at the centre of a normal
// distribution.
//
// With S^2 the second derivative of K in log t, the trapezoid rule has the step 2 pi/(12 S) in |e|: what it leaves out is
// below exp(-36) of the whole where S^2 > 116. The accuracy is that in wilcox.cl and signrank.cl.

#ifndef NMATH_RANKFAR_CL
#define NMATH_RANKFAR_CL

// what is wanted: a probability for its logarithm, to all digits, or the k that has a given one
#define RANK_LOG 0
#define RANK_DIGITS 1
#define RANK_START 2

#define RANKFAR_ORDER 40
// beyond, exp(-x) is nothing beside 1, by the weight of any term
#define RANKFAR_END 60.0
// products of so many factors are multiplied out in double-double where the result is not a logarithm
#define RANKFAR_PRODUCT 6000.0

// s += w f + w1 i f' + w3 i^3 f''' for the coefficients 0, ..., order in e of f(i): g(i t (1 + e)), x = i t; that less
// log(i t (1 + e)) (normal = 1); or that less log(i t) (normal = 2).
NMATH_HEAVY void rankfar_point(double x, int normal, int order, double w, double w1, double w3, double *s)
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
        double even = 0.0, odd = 0.0;
        int l = 0;
        for (; 2 * l + 2 < j; l += 2) {
            even += beta[l] * beta[j - l];
            odd += beta[l + 1] * beta[j - l - 1];
        }
        if (2 * l < j)
            even += beta[l] * beta[j - l];
        double middle = j & 1 ? 0.0 : beta[j / 2];
        beta[j + 1] = (x * beta[j] + (2.0 * (even + odd) + middle * middle)) / (j + 1.0);
    }
    // the first coefficient, on which the phase hangs, carries its rounding errors along
    double before = s[1];
    s[1] = 0.0;
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
    nmath_dd first = dd_two_sum(before, s[1]);
    s[1] = first.hi;
    s[RANKFAR_ORDER + 1] += first.lo;
    if (normal == 2) // -log i
        s[0] -= w1 + 2.0 * w3;
}

// K(t (1 + e)) = sum_j s_j e^j + a/(1 + e) + b log(1 + e), less log C if *normal
typedef struct { double a, b; int normal; double s[RANKFAR_ORDER + 2]; } rankfar_series;

// Every point of every sum goes through one call, for the length of the program.
NMATH_HEAVY void rankfar_sums(rank_size size, double t, int cumulative, int order, rankfar_series *K)
{
    double *s = K->s, m = size.m;
    for (int j = 0; j <= order; ++j)
        s[j] = 0.0;
    s[RANKFAR_ORDER + 1] = 0.0;
    int signs = size.signs, near = m * t < 4.0, far = near && !signs && size.n * t > 4.0 ? 2 : near;
    // block 0: from n + 1 to n + m; block 1: from 1 to m, or from m + 1 on; block 2: the factor of sums, less 1/(t (1 + e))
    for (int block = signs; block < 2 + cumulative; ++block) {
        int normal = block == 0 ? far : block == 1 ? near : 1, pole = block == 2;
        double begin = block == 0 ? size.n : near ? 0.0 : m, count = block == 0 || near ? m : 0x1p+1000;
        double from = begin + 0.5, room = RANKFAR_END / t - from, weight = block == 0 || near == signs ? 1.0 : -1.0;
        int cut = !normal && count > room, stage = pole ? 24 : 0;
        double left = cut ? room : count;
        if (!pole && !(left > 0.0))
            continue;
        for (; stage < 25; ++stage) {
            int ends = stage == 24, points = pole ? 1 : ends ? 4 : 24 * (1 + signs);
            double h = fmin(left, normal ? fmax(4.0 / t, from) : from);
            for (int q = 0; q < points; ++q) {
                double w = 0.0, w1 = 0.0, w3 = 0.0, x = t;
                int second;
                if (pole) {
                    second = 1;
                    w = -1.0;
                } else if (ends) {
                    int upper = q & 1;
                    second = q >> 1;
                    double at = begin + 0.5 + (upper ? count : 0.0), d = (upper == second ? weight : -weight) / at;
                    if ((second && !signs) || (upper && cut))
                        continue;
                    x = at * t;
                    w1 = d / 24.0;
                    w3 = d / at / at * (-7.0 / 5760.0);
                } else {
                    second = q >= 24;
                    int node = second ? q - 24 : q;
                    x = (from + h * phyper_node[node]) * t;
                    w = (second ? -weight : weight) * h * phyper_weight[node];
                }
                rankfar_point(signs && !second ? 2.0 * x : x, normal, order, w, w1, w3, s);
            }
            from += h;
            left -= h;
            if (!(left > 0.0) && stage < 23)
                stage = 23;
        }
    }
    K->normal = near;
    K->a = near ? 0.0 : (signs ? 0.5 : 1.0) * (M_PI * M_PI / 6.0) / t;
    K->b = signs || near ? 0.0 : 0.5;
    if (!near) {
        double c = signs ? t / 24.0 : -t / 24.0;
        s[0] += K->b * log(t / M_2PI) - (signs ? 0.5 * M_LN2 : 0.0) + c;
        s[1] += c;
    }
    if (far == 2)
        K->b -= m;
    if (cumulative) {
        K->b -= 1.0;
        s[0] -= log(t);
    }
}

// P(X = k) or P(X <= k) = f exp(e) for k at most half of the top, to all digits or (RANK_LOG) for use as a logarithm in the
// hundreds. False where the series is too short; then f and e are as good as it is.
// RANK_START: k is log P(X <= f), e->hi is g, and e->lo is -dg/dk over g^2.
NMATH_HEAVY int rank_far(rank_size size, double k, int cumulative, int wanted, double *f, nmath_dd *e)
{
    rankfar_series L;
    double *s = L.s, m = size.m, n = size.n, scale;
    // the saddle point is near one of two: that of a normal distribution and that of unrestricted partitions
    double ratio = size.signs ? k / n / (n + 1.0) * 2.0 : k / n / m;
    double near = size.signs ? 6.0 * (0.5 - ratio) / (n + 0.5) : 6.0 * (1.0 - 2.0 * ratio) / (m + n + 1.0);
    double far = (size.signs ? 0.9068996821171089 : 1.2825498301618641) / sqrt(k), lo = 0.5 * near, hi = 2.0 * (far + 1.0 / k);
    near = fmax(near, 1e-30 / (m + n));
    double t = far < 3.0 * near ? near : sqrt(lo) * sqrt(hi), r = 1.0;
    nmath_dd u = {0.0, 0.0}, c = rank_total(size, &scale);
    int order = 2, product = 0;
    if (wanted == RANK_START) {
        order = 3;
        t = fmin(sqrt(-k) / size.sd * M_SQRT2, 1.0);
        lo = 1e-3 / size.sd;
        hi = 2.0; // k is about 0
    }
    for (int i = 0; i < 60; ++i) {
        rankfar_sums(size, t, cumulative, order, &L);
        if (wanted == RANK_START) {
            double centre = 0.0;
            if (NMATH_EPS * size.top > 1e-4 * size.sd) { // K + k t would be lost, but the distribution is normal
                double y = t * size.sd;
                y *= y;
                centre = 0.5 * size.top;
                s[0] = 0.5 * y - log(t);
                s[1] = y;
                s[2] = 0.5 * y;
                s[3] = L.a = 0.0;
                L.b = -1.0;
                L.normal = 1;
            }
            double S2 = fmax(2.0 * (s[2] + L.a) - L.b, 1e-3), x = L.a - (s[1] + L.b);
            double miss = k - (s[0] + L.a + x - (L.normal ? 0.0 : c.hi + log(scale)) + log(t) - 0.5 * log(M_2PI * S2));
            if (fabs(miss) < 0.1 || t > 1.9 || i == 58) {
                e->hi = t * fmax(1.0 + (3.0 * (s[3] - L.a) + L.b) / (S2 * S2), 0.1);
                e->lo = t / e->hi / S2;
                *f = centre + (x / t + miss / e->hi);
                return 1;
            }
            if (miss > 0.0)
                hi = t;
            else
                lo = t;
            t *= exp(fmax(fmin(-miss / S2, 700.0), -700.0));
            if (!(t > lo && t < hi))
                t = sqrt(lo) * sqrt(hi);
            continue;
        }
        if (order > 2)
            break;
        double g1 = (s[1] + L.b) + (k * t - L.a), g2 = 2.0 * (s[2] + L.a) - L.b, step = -g1 / g2; // relative to t
        if (fabs(g1) < fmax(0.02 * sqrt(g2), 4.0 * NMATH_EPS * k * t) || i == 58) {
            // as many terms as count where exp(-x^2/2) x^j is largest
            order = g2 > 2200.0 ? 16 : g2 > 400.0 ? 24 : g2 > 200.0 ? 32 : RANKFAR_ORDER;
            product = t > 1e-6 && fmin(m, RANK_NOTHING / t) < (wanted == RANK_DIGITS ? RANKFAR_PRODUCT : 1000.0) && (s[0] + L.a) + k * t - (L.normal ? 0.0 : c.hi) > -760.0;
            if (product) { // of powers of r
                r = exp(-t);
                u = rank_log_ratio(r, 1.0);
                t = -u.hi;
            }
            continue;
        }
        if (g1 < 0.0)
            lo = t;
        else
            hi = t;
        double next = t * (1.0 + step);
        t = next > lo && next < hi && fabs(step) < 0.4 ? next : sqrt(lo) * sqrt(hi);
    }
    double S = sqrt(2.0 * (s[2] + L.a) - L.b), last = fabs(s[order]) + fabs(s[order - 1]);
    // the singular part and the rest may cancel: for all of K the series converges to |e| = 1 and a little further
    double b = L.b + cumulative, all = fabs(s[order] + L.a - b / order) + fabs(s[order - 1] - L.a + b / (order - 1.0));
    nmath_dd K = dd_two_sum(L.a, s[0]), g = dd_two_prod(k, t);
    if (all < last && !L.normal) {
        last = all;
        for (int j = 1; j <= order; ++j)
            s[j] += j & 1 ? b / j - L.a : L.a - b / j;
        L.a = 0.0;
        L.b -= b;
    }
    g.lo -= k * u.lo;
    // the circle's other maxima, near exp(2 pi i/3) or -1, are below the third or second root of this one (rankgf.cl); where
    // exp(-m t) is small, below the ninth or fourth
    int enough = K.hi + (L.normal ? c.hi : 0.0) > (L.normal ? (size.signs ? 58.0 : 78.0) : size.signs ? 48.0 : 56.0);
    if (product) {
        K = rank_log_product(size, r, rank_power_n(r, size.signs ? 0.0 : n), floor(fmin(m, RANK_NOTHING / t)), cumulative);
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
    s[1] += (k * t - L.a) + s[RANKFAR_ORDER + 1];
    if (fabs(s[1] + L.b) < 16.0 * NMATH_EPS * k * t) // nothing but rounding
        s[1] = -L.b;
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
        double left_out = last * exp(order * log(v));
        enough = enough && left_out * size_of < 4e-15 && j < 63; // the condition number is in the tens
        if (left_out > 1.0)
            break;
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
