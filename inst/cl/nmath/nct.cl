// @source_type: shim
// @source_origin: nct.c
// @provides: nct_place, nct_weigh, nct_square, nct_exponent, nct_join, nct_times, nct_window
// @depends: nmath, nct_sum, pnorm, pgamma_utils, dpois, igamma, ibeta
// @method: trapezoidal sums of nct_sum.cl about their mode; a Gauss window where one factor is a step
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, nct_sum, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 17

// nct -- integrals over the chi distribution that make up the non-central t distribution of (Z + d)/S, S^2 nu chi-squared
// with nu degrees of freedom, for t > 0. With u = log s, a = nu/2, y = a s^2 and X = t s - d
//     density       = int f(u) s phi(X) du,   f(u) = nu y^a e^-y / a!,
//     upper tail    = int f(u) Q(X) du = int y^a e^-y / a! (2 y Q(X) + t s phi(X)) du   (by parts),
//     lower tail    = Q(d) + int f(u) (Q(-X) - Q(d)) du,
// integrands without a change of sign, that fall off at least as fast as e^((nu + 1) u) to the left, and for which the
// trapezoidal rule converges exponentially (Trefethen and Weideman 2014, SIAM Review 56, 385-458). All of them are
// exp(e) at a point s* next to the mode, with e in double-double, times a sum of terms of moderate size. The point is the
// mode of the density's integrand, x0^2 - m x0 - (nu + 1) = 0, x0 = s* sqrt(nu + t^2), m = d t/sqrt(nu + t^2): from there,
// u = u* + v, E = e^v - 1, D = E - v,
//     log(y^a e^-y) = ... - (y* - a) 2 E - nu D - y* E^2,   -X^2/2 = ... - X* t s* E - (t s* E)^2/2,
// where the large linear terms are joined before they are multiplied. nct_sum.cl has the nodes.
//
// Where f is much wider than the step Q, a sum over f would need many nodes: then the part beyond 8.5 standard deviations
// of the step is an incomplete gamma function, and a Gauss-Legendre rule sums the window, nct_window().

#ifndef NMATH_NCT_H
#define NMATH_NCT_H

// y^a/a! is 1 for any smaller a
#define NCT_TINY NMATH_RANGE(1e-290, 1e-28)
// The thresholds below were varied one at a time, on the tables of dnt and pnt, by tools/explore.py nct; errors are the worst
// over eps(1+cond), which is 3.8 as they stand.
// Wider spread nodes (nct_sum.cl) are taken up to this nu + 1 and this m. 6.4: 29, 64: 3.8; 3: 4.6e6, 30: 14
#define NCT_FEW 16.0
#define NCT_NEAR 9.0
// f is wider than the normal density, as functions of t s, if its variance is more than 1/NCT_WIDE times as large.
// 0.05: 3.8, 1: 20, 4: 1e7
#define NCT_WIDE 0.4
// Half the width of the window, in standard deviations of the step: Q(8.5) = 1e-17. 7.5: 49, 8: 3.8, 9.5 (with 44 nodes): 19
#define NCT_EDGE 8.5
// beyond it s* may be subnormal, and, if nu and d are not large, y is nothing
#define NCT_FAR NMATH_RANGE(0x1p+960, 0x1p+100)
// Powers of two that numbers near the ends of the range are moved by
#define NCT_LIFT NMATH_RANGE(960, 60)

// t > 0, nu > 0, all finite. Next to overflow nu is as good as infinite: a smaller one will do. If t or d is large, too, the
// exponents are proportional to nu, t^2 and d^2: all of them are moved, and the true exponents are `back` times those found.
NMATH_HEAVY nct_frame nct_place(double t, double nu, double d)
{
    nct_frame f;
    f.back = 1.0;
    if (nu > NMATH_RANGE(1e300, 1e34) || (nu > NMATH_RANGE(1e250, 1e32) && fmax(t, d) > NMATH_RANGE(1e300, 1e34))) {
        int large = fmax(t, fabs(d)) > NMATH_RANGE(1e130, 1e17);
        nu *= 0x1p-64;
        t *= large ? 0x1p-32 : 1.0;
        d *= large ? 0x1p-32 : 1.0;
        f.back = large ? 0x1p64 : 1.0;
    }
    f.t = t;
    f.d = d;
    f.shift = t > NCT_FAR && fmax(nu, d) < NMATH_RANGE(1e100, 1e6) ? 64 : 0;
    t *= f.shift != 0 ? 0x1p-64 : 1.0;
    double n = nmath_hypot(t, sqrt(nu)), k = t / n, m = d * k, nu1 = nu + 1.0;
    double r = nmath_hypot(m, 2.0 * sqrt(nu1)), x0 = m > 0.0 ? 0.5 * m + 0.5 * r : 2.0 * (nu1 / (r - m)), xi;
    f.nu = nu;
    f.s = x0 / n;
    f.sc = n / x0;
    if (f.s > 0.5 && f.s < 2.0) { // s* - 1 to full relative precision
        double b = 2.0 - m / n, c = k * ((t - d) / n) - 1.0 / n / n;
        xi = -2.0 * c / (b + sqrt(fmax(b * b - 4.0 * c, 0.0)));
        f.s = 1.0 + xi;
        f.sc = 1.0 / f.s;
        nmath_dd h = dd_two_sum(t, -d), g = dd_two_prod(t, xi);
        f.X = dd_add(h, g);
    } else {
        xi = f.s - 1.0;
        nmath_dd h = dd_two_prod(t, f.s);
        nmath_dd g = dd_two_sum(h.hi, -d);
        f.X = dd_fast_two_sum(g.hi, g.lo + h.lo);
    }
    f.nx = (nu * xi) * (2.0 + xi);
    f.y = (nu * f.s) * (0.5 * f.s);
    f.T = t * f.s;
    f.wide = nu / t / t + nu / f.T / f.T < NCT_WIDE;
    if (f.wide && d > 1e4) { // X counts, not the last bits of s
        f.X.hi = f.nx <= NMATH_DBL_MAX ? (1.0 - f.nx) / f.T : -(nu / t) * f.s;
        f.X.lo = 0.0;
    }
    if (f.s < NMATH_RANGE(1e-280, 1e-27)) {
        double up = NMATH_RANGE(0x1p960, 0x1p60), large = n > 1.0 ? n / up : n, small = n > 1.0 ? x0 : x0 * up;
        f.shift += NCT_LIFT;
        f.s = small / large;
        f.sc = large / small;
        f.T = x0 * k;
        f.X = dd_two_sum(f.T, -d);
    }
    f.w = 1.0 / nmath_hypot(x0, sqrt(nu1));
    f.small = nu1 < NCT_FEW && m < NCT_NEAR;
    f.e.hi = f.e.lo = f.c = 0.0;
    return f;
}

// f with e and c, which not all need
NMATH_FN nct_frame nct_weigh(nct_frame f)
{
    int ks;
    double ms = frexp(f.s, &ks), a = fmax(0.5 * f.nu, NCT_TINY), ww;
    f.e = dpois_exponent(a, 0.5 * f.nx, ms * ms * a, 2 * (ks - f.shift), &ww);
    f.c = M_1_SQRT_2PI / sqrt(ww);
    return f;
}

// -x^2/2
NMATH_FN nmath_dd nct_square(nmath_dd x)
{
    nmath_dd q = dd_two_prod(x.hi, x.hi), h;
    h.hi = -0.5 * q.hi;
    h.lo = isfinite(h.hi) ? -0.5 * (q.lo + 2.0 * x.hi * x.lo) : 0.0;
    return h;
}

// e - X^2/2
NMATH_FN nmath_dd nct_exponent(nct_frame f)
{
    nmath_dd h = nct_square(f.X);
    return isfinite(h.hi) ? dd_add(f.e, h) : h;
}

// The tail plus exp(e) m: the larger exponent stays outside.
NMATH_FN ibeta_tail nct_join(ibeta_tail r, nmath_dd e, double m)
{
    double gap = (r.e.hi - e.hi) + (r.e.lo - e.lo), less = ISNAN(gap) ? 0.0 : exp(-fabs(gap));
    r.m = gap > 0.0 ? r.m + m * less : m + r.m * less;
    if (!(gap > 0.0))
        r.e = e;
    return r;
}

// The tail times x, which may be subnormal, as the product may
NMATH_FN ibeta_tail nct_times(ibeta_tail r, double x)
{
    int small = x < 1e-18;
    r.m *= small ? x * NMATH_RANGE(0x1p960, 0x1p60) : x;
    if (small) // log 2 in two pieces
        r.e = dd_add(r.e, dd_two_sum(-NCT_LIFT * NMATH_LN2_HI, -NCT_LIFT * NMATH_LN2_LO));
    return r;
}

// Gauss-Legendre nodes and weights on [0, 1] side of [-1, 1], 44 points: tools/fit_nct.py
NMATH_TABLE double nct_node[22] = {
    0.9985402006367742, 0.9923163921385159, 0.981151833077914, 0.9650996504224931,
    0.9442395091181941, 0.9186752599841758, 0.8885342382860432, 0.8539665950047104,
    0.815144539645135, 0.7722614792487559, 0.725531053660717, 0.6751860706661224,
    0.6214773459035758, 0.5646724531854708, 0.5050543913882023, 0.4429201745254115,
    0.37857935201470716, 0.3123524665027858, 0.24456945692820126, 0.17556801477551678,
    0.10569190170865325, 0.035289236964135356,
};
NMATH_TABLE double nct_weight[22] = {
    0.0037454048031127776, 0.008700481367524843, 0.013619586755579985, 0.01847148173681475,
    0.02323148190201921, 0.02787578282128101, 0.03238122281206982, 0.03672534781380887,
    0.04088651231034622, 0.04484398408197003, 0.048578046448352036, 0.05207009609170446,
    0.055302735563728056, 0.05825985987759549, 0.06092673670156197, 0.06329007973320386,
    0.06533811487918144, 0.06706063890629366, 0.06844907026936665, 0.06949649186157258,
    0.07019768547355822, 0.07054915778935407,
};

// The tail where f is wide: either tail is (F(s1), the lower one, or 1 - F(s1)) times Q on the flat side of the window
// T - 8.5 < t s < T + 8.5, plus the integral of f Q over the window. As exp(e) m.
NMATH_HEAVY ibeta_tail nct_window(nct_frame f, int upper)
{
    double edge = upper ? f.T - NCT_EDGE : f.T + NCT_EDGE, s1 = edge / f.t, sg = upper ? 1.0 : -1.0;
    double x = (f.nu * s1) * (0.5 * s1), a = fmax(0.5 * f.nu, NCT_TINY);
    int k, kn;
    double m = frexp(s1, &k), mn = 0.5 * frexp(f.nu, &kn);
    igamma_value v = igamma_core(x, a, m * m * mn, 2 * k + kn, igamma_in_middle(x, a) ? 0.0 : igamma_factor(a));
    nmath_dd e;
    e.hi = v.e;
    e.lo = v.el;
    int far = v.lower != upper;
    double p = v.f, beyond = sg * f.X.hi - NCT_EDGE;
    if (far) {
        p = 1.0 - dd_exp(e) * v.f;
        e.hi = e.lo = 0.0;
    }
    double X = f.X.hi, base = sg * X > 0.0 ? 0.5 * X * X : 0.0;
    nmath_dd r = base > 0.0 ? nct_exponent(f) : f.e;
    double q = pnorm_mills(fabs(beyond));
    if (beyond < 0.0)
        q = 1.0 - q * exp(-0.5 * beyond * beyond);
    else
        e.hi -= 0.5 * beyond * beyond;
    double sum = 0.0;
    int nodes = f.wide ? 44 : 0; // always 44, but not to be unrolled: that would be most of a program
    for (int i = 0; i < nodes; ++i) {
        int j = i < 22 ? i : i - 22;
        double z = (i < 22 ? -NCT_EDGE : NCT_EDGE) * nct_node[j], E = z / f.T, at = sg * (X + z), h = log1pmx(E);
        double fx = f.nu * h - f.nx * E - (f.y * E) * E, M = pnorm_mills(fabs(at));
        double rel = base > 0.0 ? -X * z - 0.5 * z * z : -0.5 * at * at;
        M *= exp(fx + rel);
        if (at < 0.0)
            M = exp(fx + base) - M;
        sum += nct_weight[j] * M / (1.0 + E);
    }
    sum *= 2.0 * NCT_EDGE * a * f.c / f.T;
    if (!(sum >= 0.0 && sum < NMATH_DBL_MAX)) // lost against an exponent beyond 1e15, as above
        sum = 1.0;
    ibeta_tail o;
    o.e = e;
    o.m = p * q;
    o.h = 0.0;
    o.upper = upper;
    o = nct_join(o, r, sum);
    if (!upper && f.nu < 2.0 * a) // all of this tail is proportional to nu
        o = nct_times(o, f.nu / (2.0 * a));
    return o;
}

#undef NCT_TINY
#undef NCT_FAR
#undef NCT_FEW
#undef NCT_NEAR
#undef NCT_WIDE
#undef NCT_EDGE

#endif
