// @source_type: shim
// @source_origin: rankfar_sums.c
// @provides: RANKFAR_ORDER, rankfar_point, rankfar_series, rankfar_sums
// @depends: nmath, log1p, expm1, rankcount, phyper
// @method: integrals by Gauss and Legendre's rule with end corrections; Dedekind's transformation
// @accuracy: see wilcox.cl and signrank.cl
// @all_depends: Rmath, nmath, bd0, dpq, expm1, log1p, rankcount, stirlerr_cycle_free, lgamma, pgamma_utils, dhyper_far, dhyper, phyper
// @all_depends_count: 13

// rankfar_sums -- the Taylor series about a saddle point t of rankfar.cl's K, the logarithm of the generating functions of
// the rank statistics at exp(-s), for sums with the factor 1/(1 - exp(-s)).
//
// The coefficients of K(t (1 + e)), e = -iv/t, are sums over i of those of g(x) = log(1 - exp(-x)), x = i t. As b = 1/(exp(x) - 1) has b' = -b - b^2,
//     x b(x (1 + e)) = sum_j (-1)^j beta_j e^j,   (j + 1) beta_{j+1} = x beta_j + sum_{l<=j} beta_l beta_{j-l} :
// terms of one sign. The sums over i are integrals (Gauss and Legendre's rule, panels that double) with the first
// terms of Euler and Maclaurin's formula about the midpoints,
//     sum_{i=a+1}^{b} f(i) = int f - [f']/24 + 7 [f''']/5760,   from a + 1/2 to b + 1/2.
// Sums from i = 1 on, where g is singular,
//  - are those to infinity, by the transformation of Dedekind's eta function
//        sum_{i>=1} g(i t) = -pi^2/(6 t) - log(t/(2 pi))/2 + t/24 + O(exp(-4 pi^2/t)),   less what is beyond m;
//  - or, for m t < RANKFAR_ETA, have g(x) - log x in place of g: then log C is contained in them.
// Signed ranks have log(1 + exp(-x)) = g(2 x) - g(x).

#ifndef NMATH_RANKFAR_SUMS_CL
#define NMATH_RANKFAR_SUMS_CL

// the longest series
#define RANKFAR_ORDER 40
// beyond, exp(-x) is nothing beside 1, by the weight of any term
#define RANKFAR_END 60.0
// the least m t for the transformation
#define RANKFAR_ETA 4.0

// s += w f + w1 i f' + w3 i^3 f''' for the coefficients 0, ..., order in e of f(i): g(i t (1 + e)), x = i t; that less
// log(i t (1 + e)) (normal = 1); or that less log(i t) (normal = 2).
NMATH_HEAVY void rankfar_point(double x, int normal, int order, double w, double w1, double w3, double *s)
{
    double beta[RANKFAR_ORDER + 4], p[RANKFAR_ORDER + 4], one = normal == 1 ? 1.0 : 0.0, sign = 1.0;
    int last = w1 != 0.0 ? order + 3 : order;
    p[0] = x > 0.7 ? log1p(-exp(-x)) : normal ? 0.0 : log(-expm1(-x));
    if (normal)
        p[0] = x > 0.7 ? p[0] - log(x) : x < 1e-3 ? x * (x * (1.0 / 24.0) - 0.5) : log(-expm1(-x) / x);
    beta[0] = x < NMATH_RANGE(700.0, 80.0) ? x / expm1(x) : 0.0;
    NMATH_LOOP
    for (int j = 0; j < last; ++j) {
        p[j + 1] = sign * (beta[j] - one) / (j + 1.0);
        sign = -sign;
        double even = 0.0, odd = 0.0;
        int l = 0;
        NMATH_LOOP
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
    NMATH_LOOP
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
    NMATH_LOOP
    for (int j = 0; j <= order; ++j)
        s[j] = 0.0;
    s[RANKFAR_ORDER + 1] = 0.0;
    int signs = size.signs, near = m * t < RANKFAR_ETA, far = near && !signs && size.n * t > RANKFAR_ETA ? 2 : near;
    // block 0: from n + 1 to n + m; block 1: from 1 to m, or from m + 1 on; block 2: the factor of sums, less 1/(t (1 + e))
    NMATH_LOOP
    for (int block = signs; block < 2 + cumulative; ++block) {
        int normal = block == 0 ? far : block == 1 ? near : 1, pole = block == 2;
        double begin = block == 0 ? size.n : near ? 0.0 : m, count = block == 0 || near ? m : NMATH_RANGE(0x1p+1000, 0x1p+100);
        double from = begin + 0.5, room = RANKFAR_END / t - from, weight = block == 0 || near == signs ? 1.0 : -1.0;
        int cut = !normal && count > room, stage = pole ? 24 : 0;
        double left = cut ? room : count;
        if (!pole && !(left > 0.0))
            continue;
        NMATH_LOOP
        for (; stage < 25; ++stage) {
            int ends = stage == 24, points = pole ? 1 : ends ? 4 : 24 * (1 + signs);
            double h = fmin(left, normal ? fmax(4.0 / t, from) : from);
            NMATH_LOOP
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

#undef RANKFAR_END
#undef RANKFAR_ETA

#endif
