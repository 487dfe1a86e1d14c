// @source_type: shim
// @source_origin: nbeta_mix.c
// @provides: NBETA_SLOPES_DIRECT, nbeta_tail, nbeta_sum, nbeta_start, nbeta_terms, nbeta_slope, nbeta_above, nbeta_below, nbeta_mix, nbeta_both
// @depends: nmath, nbeta_mass, ibeta_mass, ibeta
// @method: double sums of positive terms by recurrences about the largest; long sums by the trapezoidal rule
// @accuracy: 6 eps(1+cond) of either tail
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass
// @all_depends_count: 14

// nbeta_mix -- both tails of the non-central beta distribution, see nbeta_mass.cl, each as a sum of positive terms:
//     P = sum_j p_j I_j,   Q = sum_j p_j J_j,   I_j = I_x(a+j, b) = 1 - J_j.
// I_j = I_{j+1} + g_j and J_{j+1} = J_j + g_j with g_j = x^(a+j) y^b / ((a+j) B(a+j, b)) are stable in this direction
// only. The other way the sums are taken by parts. From an index m with W_i = p_m + ... + p_i
//     sum_{j>=m} p_j I_j = sum_{i>=m} g_i W_i,
// which for the last i, where the weights are used up, is W (I_m - g_m - g_{m+1} - ...); the same for sum_{j<=m} p_j
// J_j with W_i = p_i + ... + p_m and sum_{i<m} g_i W_{i+1} + W J_0. What is carried along is
//     q_j = p_j g_j,   q_{j+1}/q_j = h x (a+b+j)/((j+1)(a+j+1)),
// the terms t_j = p_j I_j or p_j J_j where they follow from their neighbours, and V_j = W_j/p_j where they do not: no
// number leaves the range, and a step costs one division. I_m and g_m come from ibeta.cl.
//
// q_j has its peak at some j*. The terms of P are largest near min(h, j*), those of Q near max(h, j*). m is that peak
// if it is far from h (the weights last then longer than q_j), else h, where the remainder above is at least half of
// what it is subtracted from; for Q also 0, where nothing is to be summed by parts: if the peak is near 0, or if q_j
// falls so fast that g_0 would be lost at h. Where a + b < 1 q_j falls from j = 0 to 1, then rises, and what is left of
// I_0 by the g_j may be a small part of it: P then starts at h, unless x is small.
//
// Beyond NBETA_DIRECT the trapezoidal rule takes p_j I_j or p_j J_j at real j. As functions of j the tails are
// distribution functions of width sqrt((a+j)(a+b+j)/b), so that nbeta_width() holds for the products, too.
//
// With the derivatives it does so from NBETA_SLOPES_DIRECT on: their quotient with a tail, which may depend on nothing else, has the rounding
// errors of all the steps. Worst of ref-derivatives, in eps(1+cond): with 2000 14, with 500 9.2, with 150 5.6.
//
// Of a, if it is nothing beside h and b, nothing depends but J_0, which does not count: any number as small will do, and
// one that is not too small keeps q_0/J_0 in the range.

#define NBETA_SLOPES_DIRECT 150.0

// Parameters away from the rims (nbeta_fit). A tail exp(e) m; with T its value and sums over q_j: s1 = sum (a+j) q_j / T =
// |dT/du|/T, u = log(x/y), and s2 the mean of a+j over the terms of s1, both only if `slopes`. If that is 2, s1 s2 is sum q_j / T, which may be
// out of range, or s1 is as before, and s2 is 0: with a tiny a, T may need fewer terms than |dT/du|.
typedef struct { nmath_dd e; double m, s1, s2; } nbeta_tail;

// A mixture and where its sum starts: index m, by recurrences if `direct`; `far`, see above. n = a + b, z = h x, zn = z n (z may underflow alone); s2 is
// collected in units of 1/`per`; q: q_m over the tail at m, divided by `drop`, since beside a large a the q_j may be below the
// doubles where (a+j) q_j is not, and beyond them for a small one.
typedef struct { double a, b, h, n, z, zn, m, per, q, drop; int upper, slopes, direct, far; } nbeta_sum;

// The largest term that a sum reaches from index 0: what it is over that one stays in range.
#define NBETA_FEW NMATH_RANGE(64.0, 24.0)

NMATH_FN nbeta_sum nbeta_start(double a, double b, double h, ibeta_point u, int upper, int slopes)
{
    nbeta_sum w;
    h = fmax(h, NMATH_RANGE(1e-290, 1e-28));
    a = fmax(a, NMATH_RANGE(1e-60, 1e-17) * fmin(h, 1.0) * fmin(b, 1.0));
    w.a = a;
    w.b = b;
    w.h = h;
    w.n = a + b;
    w.z = nbeta_times(h, 1.0, u);
    w.zn = nbeta_times(h, w.n, u);
    w.upper = upper;
    w.slopes = slopes;
    double peak = nbeta_peak(w.z, a, b, 1.0, h), c = floor(h), sd = sqrt(h), m = upper ? fmax(c, peak) : fmin(c, peak);
    w.direct = m <= (slopes ? NBETA_SLOPES_DIRECT : NBETA_DIRECT);
    w.far = 0;
    if (w.direct && upper) {
        w.far = peak > c + 4.0 * sd + 2.0;
        m = w.far ? (peak < NBETA_FEW ? 0.0 : peak) : c < NBETA_FEW && w.zn + w.z * c < 1e-3 * (a + c) ? 0.0 : c;
    } else if (w.direct) {
        int falls = h < 64.0 && (w.n >= 1.0 || w.z < 0.1 * h);
        w.far = falls ? peak + 1.0 < 0.8 * h : h >= 64.0 && peak < c - 4.0 * sd - 2.0;
        m = w.far || falls ? m : c;
    }
    w.m = m;
    w.per = 1.0 / fmax(a + m, 1.0);
    w.q = 0.0;
    w.drop = 1.0;
    return w;
}

// The term at m, and its derivatives, if the sum is direct; else all of the sum.
NMATH_FN nbeta_tail nbeta_terms(nbeta_sum *w, ibeta_point u)
{
    const double little = NMATH_RANGE(1e-250, 1e-25);
    nbeta_tail r;
    r.m = r.s1 = r.s2 = 0.0;
    double step = w->direct ? 1.0 : NBETA_STEP * nbeta_width(w->m, w->a, w->b), rest = w->h - w->m, d = 0.0, turn = 1.0;
    for (int k = 0; k < NBETA_NODES; ++k) {
        double j = w->m + d;
        nbeta_term p = nbeta_poisson(j, rest - d, w->h);
        ibeta_tail t = ibeta(w->a + j, w->b, u);
        int same = !t.upper == !w->upper;
        double v = same ? t.m : dd_exp(t.e) * t.m, f = v * t.h;
        nmath_dd e = same ? nbeta_join(p.e, t.e) : p.e;
        v = same ? v : 1.0 - v;
        double scale = p.c * step; // at once: beside a tail as small as b, p_j alone would underflow
        if (k == 0) {
            r.e = e;
            double most = same ? t.h : f / v;
            double at = w->a + w->m;
            if (w->direct)
                w->drop = most < little * at ? NMATH_RANGE(0x1p-900, 0x1p-90) : most * little > at ? NMATH_RANGE(0x1p900, 0x1p90) : 1.0;
            w->q = w->drop < 1.0 && most > 1.0 ? most / at / w->drop : most / w->drop / at;
        } else {
            scale *= exp(fmin((e.hi - r.e.hi) + (e.lo - r.e.lo), NMATH_RANGE(600.0, 80.0)));
        }
        v *= scale;
        f *= scale;
        r.m += v;
        r.s1 += f;
        r.s2 += f * ((w->a + j) * w->per);
        if (w->direct)
            break;
        if (r.e.hi < -1e15) { // the differences of such exponents have few digits: the terms are a normal density
            const double sum = 1.0 / (M_1_SQRT_2PI * NBETA_STEP);
            r.m *= sum;
            r.s1 *= sum;
            r.s2 *= sum;
            break;
        }
        if (v < 1e-17 * r.m) {
            if (turn < 0)
                break;
            turn = -1.0;
            d = 0.0;
        }
        d += turn * step;
    }
    return r;
}

// q_j at a + j = `at` to the sums of the derivatives
NMATH_FN void nbeta_slope(nbeta_tail *r, nbeta_sum w, double q, double at)
{
    if (w.slopes) {
        double l = w.slopes == 2 ? q : q * at;
        r->s1 += l;
        r->s2 += l * (at * w.per);
    }
}

// Up to where W_i is used up, V = 1e17; if q_j is what ends the sum, it is to end by that: the remainder, next to nothing then,
// would be rounding times V.
#define NBETA_MOST NMATH_RANGE(1e280, 1e27)

// The sum for Q over the term at m, and in *r those of the derivatives
NMATH_FN double nbeta_above(nbeta_sum w, nbeta_tail *r)
{
    double q = w.q, V = 1.0, pi = 1.0, g = 0.0, s = 0.0, j = w.m, t = 1.0, most = w.far ? NBETA_MOST : 1e17;
    int open = 1;
    while (open && j > 0) {
        double z = fmax(w.zn + w.z * (j - 1.0), NMATH_RANGE(1e-300, 1e-34)), c = 1.0 / (j * z), v = w.h * z * c;
        q = q * ((w.a + j) * (j * c)) * j;
        j -= 1.0;
        pi *= v;
        v *= V;
        V = 1.0 + v;
        double p = q * w.drop;
        g += p * pi;
        s += p * v;
        nbeta_slope(r, w, q, w.a + j);
        open = V < most && !(w.far && p * v < 1e-17 * s);
    }
    if (!w.far || V >= most || w.m == 0)
        s += V / pi * fmax(1.0 - g, 0.0);
    q = w.q;
    j = w.m;
    for (int k = 0; k < 8192; ++k) {
        double c = 1.0 / ((j + 1.0) * (w.a + (j + 1.0)));
        nbeta_slope(r, w, q, w.a + j);
        double p = w.h * (w.a + (j + 1.0)) * c;
        t = t * p + (q * p) * w.drop;
        q *= (w.zn + w.z * j) * c;
        j += 1.0;
        s += t;
        if (t < 1e-17 * s)
            break;
    }
    return s;
}

// The same for P
NMATH_FN double nbeta_below(nbeta_sum w, nbeta_tail *r)
{
    double q = w.q, V = 1.0, pi = 1.0, g = 0.0, s = 0.0, j = w.m, t = 1.0;
    double hi = 1.0 / w.h, most = w.far ? NBETA_MOST : 1e17;
    for (int k = 0; k < 8192; ++k) {
        double p = q * w.drop, v = p * V, c = (j + 1.0) * hi;
        s += v;
        g += p * pi;
        nbeta_slope(r, w, q, w.a + j);
        if (w.far && v < 1e-17 * s)
            break;
        q *= (w.zn + w.z * j) / ((j + 1.0) * (w.a + (j + 1.0)));
        V = 1.0 + V * c;
        pi *= c;
        j += 1.0;
        if (V >= most)
            break;
    }
    if (!w.far || V >= most)
        s += V / pi * fmax(1.0 - g, 0.0);
    q = w.q;
    j = w.m;
    int all = w.n < 1.0 && w.h < 750.0; // I_0 may be much larger than I_1
    while (j > 0) {
        q = q * ((w.a + j) / fmax(w.zn + w.z * (j - 1.0), NMATH_RANGE(1e-300, 1e-34))) * j;
        t *= j * hi;
        t += q * w.drop;
        j -= 1.0;
        s += t;
        nbeta_slope(r, w, q, w.a + j);
        if (t < 1e-17 * s && !all)
            break;
    }
    return s;
}

NMATH_SHARED nbeta_tail nbeta_mix(double a, double b, double h, ibeta_point u, int upper, int slopes)
{
    nbeta_sum w = nbeta_start(a, b, h, u, upper, slopes);
    nbeta_tail r = nbeta_terms(&w, u);
    double s = r.m;
    int far = r.e.hi < -1e19; // of a log of this size the exponent tells all that a double can
    if (w.direct) {
        r.s1 = r.s2 = 0.0;
        s = upper ? nbeta_above(w, &r) : nbeta_below(w, &r);
        r.m *= s;
    }
    r.s2 = slopes != 2 ? r.s2 / r.s1 / w.per : w.direct ? w.drop : 0.0;
    r.s1 = r.s1 / s * (slopes == 2 ? 1.0 : w.drop);
    if (far) {
        r.e.lo = 0.0;
        r.m = 1.0;
    }
    if (far && !w.direct) {
        r.s1 = w.q * (w.a + w.m) * w.drop;
        r.s2 = slopes == 2 ? 0.0 : 1.0 / w.per;
    }
    return r;
}

// The distribution function on either side, from its smaller tail; a, b and h are to be multiplied by `unit`.
NMATH_HEAVY double nbeta_both(double a, double b, double h, double unit, ibeta_point u, int lower_tail, int log_p)
{
    nbeta_shapes s = nbeta_fit_at(a, b, h, unit, &u);
    ibeta_tail r;
    r.upper = ibeta_x(u) * s.b > ibeta_y(u) * (s.a + s.h);
    for (int k = 0; k < 2; ++k) {
        nbeta_tail t = nbeta_mix(s.a, s.b, s.h, u, r.upper, 0);
        r.e = nbeta_scale(t.e, s.up, r.upper ? s.upper : s.lower);
        r.m = t.m;
        if (r.e.hi > -NMATH_RANGE(600.0, 60.0) && r.m > NMATH_RANGE(1e-40, 1e-8)) { // the log of the number loses less than the sum of exponent and log
            r.m *= dd_exp(r.e);
            r.e.hi = r.e.lo = 0.0;
        }
        if (r.e.hi < -NMATH_RANGE(600.0, 60.0) || r.m <= 0.7)
            break;
        if (k == 0)
            r.upper = !r.upper;
    }
    return ibeta_value(r, !lower_tail, log_p);
}

#undef NBETA_MOST
#undef NBETA_FEW
