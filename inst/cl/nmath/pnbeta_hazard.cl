// @source_type: shim
// @source_origin: pnbeta_hazard.c
// @provides: nbeta_rise, pnbeta_hazard, pnf_hazard, pnbeta_slope, pnf_slope, nbeta_index, nf_index, pnbeta_dncp, pnf_dncp
// @depends: nmath, dpq, log1p, pgamma_utils, bessel_scaled_slope, ibeta_mass, nbeta_mass, nbeta_mix
// @method: nbeta_mix.cl, which has the quotient of density and tail; means over the components of the mixture
// @accuracy: derivatives 7.7 eps(1+cond) (host), 7.7 (PoCL)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, bessel_scaled_slope, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass, nbeta_mix
// @all_depends_count: 16

// pnbeta_hazard, pnf_hazard -- the density of the non-central beta and F distributions over one of their tails, the lower one if
// `lower` is not 0. With the q_j of nbeta_mix.cl x y times the density is the sum of (a + j) q_j, which comes with the tail.
//
// pnbeta_slope, pnf_slope -- the size of the derivative of the log tail in ncp, x y or x times the hazard over 2 K, which may be in
// range where the hazard is not.
//
// nbeta_index, nf_index -- K = sum (a + j) q_j / sum q_j. With f_j = (a + j) q_j, the terms of x y times the density (nbeta_mass.cl),
//     dP/dncp = -sum q_j / 2 = -x y density/(2 K),
//     density for a + 1 over that for a = sum j f_j / (h sum f_j) = x (1 + b/K),
// the latter by the ratio f_j/f_(j-1). All terms are positive. The sums go outward from the largest q_j, or, beyond NBETA_SLOPES_DIRECT (nbeta_mix.cl),
// over every d-th real j, as in nbeta_mass.cl, by differences of log Gamma from the largest term: the terms' own exponents may be of
// any size.

// log Gamma(N + d) - log Gamma(N) - d log N for N and N + d above 20
NMATH_FN double nbeta_rise(double N, double d)
{
    double u = d / N, v = 1.0 / N, w = 1.0 / (N + d), v2 = v * v, w2 = w * w;
    double s = w * (1.0 / 12 - w2 * (1.0 / 360 - w2 * (1.0 / 1260 - w2 * (1.0 / 1680 - w2 * (1.0 / 1188)))));
    double t = v * (1.0 / 12 - v2 * (1.0 / 360 - v2 * (1.0 / 1260 - v2 * (1.0 / 1680 - v2 * (1.0 / 1188)))));
    return N * log1pmx(u) + (d - 0.5) * log1p(u) + (s - t);
}

// The mean of j, weighted by q_j; a, b and h are to be multiplied by `unit`.
NMATH_SHARED double nbeta_mean_index(double a, double b, double h, double unit, ibeta_point u)
{
    double up = 1.0, z = nbeta_times(unit * h, 1.0, u), zc = nbeta_times(unit * h, unit * a + unit * b, u);
    if (a + b + h < NMATH_RANGE(1e299, 1e34) || (a < NMATH_RANGE(1e290, 1e28) && zc < NMATH_RANGE(1e280, 1e27))) {
        a *= unit;
        b *= unit;
    } else {
        a = fmax(a, NMATH_RANGE(1e-200, 1e-20));
        nbeta_shapes r = nbeta_fit_at(a, fmax(b, NMATH_RANGE(1e-200, 1e-20)), h, unit, &u);
        up = r.a == unit * a ? 1.0 : 0x1p64;
        a = r.a;
        b = r.b;
        z = nbeta_times(r.h, 1.0, u);
        zc = nbeta_times(r.h, a + b, u);
        h = r.h / unit;
    }
    h *= unit;
    int high = !(zc < NMATH_RANGE(1e290, 1e28)); // zc may overflow, but z, and so all terms, is then far from underflow
    if (high ? z < 1e-36 * (a + b) : z < 1e-18 * sqrt(zc)) // the terms of a Bessel function: the mixture is one of gamma distributions
        return up * (0.5 * nchisq_index(4.0 * (high ? z : zc), 2.0 * a, high ? a + b : 1.0) - a);
    double top = nbeta_peak(z, a, b, 1.0, h), sum = 1.0, mean = 0.0;
    if (top > NBETA_SLOPES_DIRECT) {
        if (top > 1e17) // the standard deviation is nothing beside it
            return up * top;
        double A = a + (b + top), B = top + 1.0, C = a + B, rise = log(z / B * (A / C));
        double step = NBETA_STEP * nbeta_width(top, a, b), turn = 1.0;
        sum = 1.0;
        for (int k = 1; k < NBETA_NODES; ++k) {
            double d = turn * step, m = exp(d * rise + nbeta_rise(A, d) - nbeta_rise(B, d) - nbeta_rise(C, d));
            sum += m;
            mean += m * d;
            turn += turn > 0.0 ? 1.0 : -1.0;
            if (m < 1e-17 * sum) {
                if (turn < 0.0)
                    break;
                turn = -1.0;
            }
        }
        return up * (top + mean / sum);
    }
    double t = 1.0, j = top;
    mean = top;
    for (int k = 0; k < 8192; ++k) {
        t *= (zc + z * j) / ((j + 1.0) * (a + (j + 1.0)));
        j += 1.0;
        sum += t;
        mean += t * j;
        if (!(t * j > 1e-17 * mean))
            break;
    }
    int all = a + b < 1.0 && h < 750.0; // q_0 may be much larger than q_1
    t = 1.0;
    j = top;
    while (j > 0.0) {
        t *= j * (a + j) / (zc + z * (j - 1.0));
        j -= 1.0;
        sum += t;
        mean += t * j;
        if (t < 1e-17 * sum && !all)
            break;
    }
    return up * (mean / sum);
}

// x y times the hazard, over `part`, which may be subnormal; a, b and h are to be multiplied by `unit`.
NMATH_HEAVY double nbeta_hazard(double a, double b, double h, double unit, ibeta_point u, int upper, double part)
{
    double small = unit * a, index = 0.0;
    ibeta_point v = u;
    nbeta_shapes s = nbeta_fit_at(a, b, h, unit, &u);
    int both = s.mass == -NMATH_LIFT_BITS && s.lower == 0 && s.upper == 0; // the density is proportional to the product of a and b
    if (small < 0.1) { // for the h that nbeta_start() takes
        double g = s.h < NMATH_RANGE(1e-290, 1e-28) && s.h == unit * h ? NMATH_RANGE(1e-290, 1e-28) / unit : h;
        index = both ? s.a + nbeta_mean_index(s.a, s.b, s.h, 1.0, u) : small + nbeta_mean_index(a, b, g, unit, v);
    }
    int side = ibeta_x(u) * s.b > ibeta_y(u) * (s.a + s.h); // the smaller tail
    double r = 0.0;
    for (int i = 0; i < 2; ++i) {
        nbeta_tail t = nbeta_mix(s.a, s.b, s.h, u, side, small < 0.1 ? 2 : 1);
        int sum = small < 0.1 && t.s2 > 0.0, far = s.up != 1.0 && t.e.hi < -1.0; // where exponents are scaled they are 0 or huge
        r = t.s1;
        if (s.rim && sum) // that of q_j, next to a term for j = 0 that depends on the ratio of a and b alone
            r = ldexp(r, both ? s.mass : (s.up == 1.0 || far ? 0 : -32) - (s.odds < 0 ? 64 : 0) + s.lower - (side ? s.upper : s.lower));
        else if (s.rim)
            r = far ? r * s.up : ldexp(r, s.mass - (side ? s.upper : s.lower));
        r = !sum ? r : t.s2 > 1.0 ? r * (index * t.s2) : r * index * t.s2;
        nmath_dd e = nbeta_scale(t.e, s.up, side ? s.upper : s.lower);
        double k = exp(fmax(0.5 * e.hi, -1e3)), m = t.m + t.m * e.lo, p = (k * m) * k;
        if (!side == !upper) {
            r /= part;
            break;
        }
        r = nmath_rate(r, m, k, part) / (1.0 - p);
        if (p <= 0.7)
            break;
        side = !side;
    }
    return r;
}

NMATH_FN double pnbeta_hazard(double x, double a, double b, double ncp, double lower)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp) || ISNAN(lower))
        return x + a + b + ncp + lower;
    if (ncp < 0 || isinf(ncp) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return ML_NAN;
    int low = lower != 0.0;
    double h = 0.5 * ncp;
    if (x < 0 || x > 1)
        return 0.0;
    if (x == 0)
        return low || a < 1.0 ? ML_POSINF : a == 1.0 ? b * exp(-h) : 0.0;
    if (x == 1)
        return !low || b < 1.0 ? ML_POSINF : b == 1.0 ? a + h : 0.0;
    return nbeta_hazard(a, b, h, 1.0, ibeta_at(x, 1.0 - x), !low, x * (1.0 - x));
}

NMATH_FN double pnf_hazard(double x, double df1, double df2, double ncp, double lower)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp) || ISNAN(lower))
        return x + df1 + df2 + ncp + lower;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp) || isinf(df1))
        return ML_NAN;
    int low = lower != 0.0;
    if (x < 0 || isinf(x))
        return 0.0;
    if (x == 0)
        return low || df1 < 2.0 ? ML_POSINF : df1 == 2.0 ? exp(-0.5 * ncp) : 0.0;
    df2 = fmin(df2, NMATH_DBL_MAX);
    return nbeta_hazard(df1, df2, ncp, 0.5, ibeta_odds(df1, x, df2), !low, x);
}

NMATH_FN double nbeta_index(double x, double a, double b, double ncp)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    if (ncp < 0 || isinf(ncp) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return ML_NAN;
    if (!(x > 0))
        return a;
    return a + nbeta_mean_index(a, b, 0.5 * ncp, 1.0, ibeta_at(fmin(x, 1.0), 1.0 - fmin(x, 1.0)));
}

NMATH_FN double nf_index(double x, double df1, double df2, double ncp)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return x + df1 + df2 + ncp;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp))
        return ML_NAN;
    if (!(x > 0) || isinf(df1))
        return 0.5 * df1;
    df2 = fmin(df2, NMATH_DBL_MAX);
    return 0.5 * df1 + nbeta_mean_index(df1, df2, ncp, 0.5, isinf(x) ? ibeta_at(1.0, 0.0) : ibeta_odds(df1, x, df2));
}

NMATH_FN double pnbeta_slope(double x, double a, double b, double ncp, double lower)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp) || ISNAN(lower))
        return x + a + b + ncp + lower;
    if (ncp < 0 || isinf(ncp) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return ML_NAN;
    if (!(x > 0 && x < 1))
        return 0.0;
    return 0.5 * nbeta_hazard(a, b, 0.5 * ncp, 1.0, ibeta_at(x, 1.0 - x), lower == 0.0, nbeta_index(x, a, b, ncp));
}

NMATH_FN double pnf_slope(double x, double df1, double df2, double ncp, double lower)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp) || ISNAN(lower))
        return x + df1 + df2 + ncp + lower;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp) || isinf(df1))
        return ML_NAN;
    if (!(x > 0) || isinf(x))
        return 0.0;
    df2 = fmin(df2, NMATH_DBL_MAX);
    return 0.5 * nbeta_hazard(df1, df2, ncp, 0.5, ibeta_odds(df1, x, df2), lower == 0.0, nf_index(x, df1, df2, ncp));
}

// dP/dncp: x y or x times the density, which may be out of range by itself, over 2 K
NMATH_FN double pnbeta_dncp(double x, double a, double b, double ncp)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    if (ncp < 0 || isinf(ncp) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b))
        return ML_NAN;
    if (!(x > 0 && x < 1))
        return 0.0;
    return -nbeta_density(a, b, 0.5 * ncp, 1.0, ibeta_at(x, 1.0 - x), 0.5, nbeta_index(x, a, b, ncp), 0);
}

NMATH_FN double pnf_dncp(double x, double df1, double df2, double ncp)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return x + df1 + df2 + ncp;
    if (df1 <= 0 || df2 <= 0 || ncp < 0 || isinf(ncp))
        return ML_NAN;
    if (!(x > 0) || isinf(x) || isinf(df1))
        return 0.0;
    df2 = fmin(df2, NMATH_DBL_MAX);
    return -nbeta_density(df1, df2, ncp, 0.5, ibeta_odds(df1, x, df2), 0.5, nf_index(x, df1, df2, ncp), 0);
}
