// @source_type: c
// @source_origin: ptukey.c
// @provides: ptukey, tukey_tail
// @depends: nmath, dpq, dd, logdd, dpois, dgamma, ibeta, tukey
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl
// @accuracy: ptukey.tsv 1.1 eps(1+cond) (host), 1.1 (PoCL)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, ibeta_mass, ibeta
// @all_depends_count: 19
// @load_order: 145

// ptukey -- cumulative probability of the studentized range, the largest of rr ranges of cc normal variables over an
// independent s, s^2 df chi-squared with df degrees of freedom. With u = log s, a = df/2, y = a s^2 and w of tukey.cl
//     P = int 2 y^a e^-y/Gamma(a) w(q s)^rr du,   1 - P with 1 - w(q s)^rr = -expm1(rr log w) instead:
// the smaller of the two is computed. Both integrands are log-concave in u, and summed about their mode as in nct.cl: with
// u = u* + v, E = e^v - 1, D = E - v
//     log(y^a e^-y) = ... - df (s*^2 - 1) E - df D - y* E^2,
// nodes 0.45 standard deviations apart, v a double-exponential function of the node where the left tail is long. The mode
// is found by golden section, to a standard deviation. The large exponents of w at s* are kept apart in double-double.

// The point of the integral where its large factors are taken off: s, xi = s - 1, with the density's exponent nx, y; D(0)
// and its log at q s, or q s itself where exp(-(q s)^2/4) counts.
typedef struct { double s, nx, y, D, l, q; } tukey_point;

// log(w^rr) or log(1 - w^rr) at q, less that part of it which p has
NMATH_FN double tukey_power(double q, double rr, double cc, double edge, int upper, tukey_point p)
{
    tukey_inner r = tukey_range(q, cc, edge);
    double c1 = cc - 1.0, u = r.upper ? fmin(1.0, exp(-0.25 * q * q) * r.m) : 0.0;
    if (!upper) {
        double w = r.upper ? log1p(-u) - c1 * p.l : c1 * tukey_log_ratio(r.D, r.l, p.D, p.l) + log(r.m);
        return rr * w;
    }
    if (r.upper) {
        double k = rr == 1.0 ? 1.0 : u > 1e-290 ? -expm1(rr * log1p(-u)) / u : rr;
        return log(k * r.m) - 0.25 * (q - p.q) * (q + p.q);
    }
    return log(-expm1(rr * fmin(0.0, c1 * r.l + log(r.m)))) + 0.25 * p.q * p.q;
}

// log(y^a e^-y) less its value at p, E = e^v - 1, D = E - v
NMATH_FN double tukey_chi(double nu, tukey_point p, double E, double D) { return -p.nx * E - nu * D - (p.y * E) * E; }

// e^v - 1 - v
NMATH_FN double tukey_excess(double v)
{
    double s = 1.0;
    if (fabs(v) > 0.1)
        return expm1(v) - v;
    for (int k = 12; k > 2; --k)
        s = 1.0 + s * v / k;
    return 0.5 * v * v * s;
}

// p at q s, for the tail asked for
NMATH_FN tukey_point tukey_refer(double qs, double edge, int upper, tukey_point p)
{
    double f;
    p.q = upper && qs > edge ? qs : 0.0;
    if (!upper)
        p.D = tukey_strip(0.0, qs, &f, &p.l);
    return p;
}

// The lower or upper tail, or the smaller of them, about, where upper < 0
NMATH_HEAVY ibeta_tail tukey_tail(double q, double rr, double cc, double df, double edge, int upper)
{
    int finite = df < 1e30;
    if (upper < 0 && !finite && rr == 1.0)
        upper = q > edge;
    tukey_point p;
    p.s = p.D = 1.0;
    p.nx = p.l = p.q = 0.0;
    p.y = finite ? 0.5 * df : 0.0;
    // where w^rr rises from 0 to 1, log w^rr and log(1 - w^rr) bend by the square of q^2/2 there, about
    double n1 = (cc - 1.0) * rr, nu = finite ? df : 0.0, sd = 1.0 / sqrt(2.0 * df), eta = 0.7 * sd, lo = 0.0, hi = 0.0, at = 0.0;
    double top = rr > 1.0 ? tukey_edge(fmin(cc * rr, 1e300)) : edge, rise = 0.35 * top * top, least = 2.0 * df + rise * rise, curvature = least;
    // the tail to take, in the first round; then the mode between lo and hi, from three points and the top of their parabola
    for (int n = upper < 0 ? 0 : 1; n < 41; ++n) {
        double f0 = 0.0, f1 = 0.0, f2 = 0.0;
        if (n > 0 && !finite)
            break;
        if (n == 1) {
            double deep = -0.5 * log1p(0.5 * (q / df) * q), bound = log(edge) - log(q);
            lo = upper ? fmin(0.0, fmax(deep, bound)) : 0.0;
            hi = upper ? 0.0 : 0.5 * log1p(n1 / df);
            at = upper && q > edge && deep > bound ? deep : 0.5 * (lo + hi);
        }
        for (int j = n == 0 ? 2 : 0; j < 3; ++j) {
            double v = n == 0 ? 0.0 : at + eta * (j - 1), x = q * exp(v);
            double f = x > 0.0 ? tukey_power(x, rr, cc, edge, n > 0 && upper, p) : -1e300;
            f += tukey_chi(nu, p, expm1(v), tukey_excess(v));
            f0 = j == 0 ? f : f0;
            f1 = j == 1 ? f : f1;
            f2 = f;
        }
        if (n == 0) {
            upper = f2 > -M_LN2;
            continue;
        }
        double bend = ((f1 - f0) + (f1 - f2)) / (eta * eta), slope = 0.5 * (f2 - f0) / eta;
        curvature = fmax(bend, least);
        double d = slope / fmax(bend, 2.0 * df);
        if (slope > 0.0)
            lo = at;
        else
            hi = at;
        if (fabs(d) < eta || hi - lo < eta) {
            at += fmax(-eta, fmin(eta, d));
            break;
        }
        at = at + d > lo && at + d < hi ? at + d : 0.5 * (lo + hi);
    }
    double step = fmax(1.0 / sqrt(curvature), sd / 30.0), w, sum;
    ibeta_tail t;
    t.h = 0.0;
    t.upper = upper;
    t.e.hi = t.e.lo = 0.0;
    t.m = 1.0;
    if (finite) {
        double xi = expm1(at);
        int k;
        p.s = 1.0 + xi;
        p.nx = (df * xi) * (2.0 + xi);
        p.y = (0.5 * df * p.s) * p.s;
        double m = frexp(p.s, &k);
        t.e = dpois_exponent(0.5 * df, 0.5 * p.nx, m * m * (0.5 * df), 2 * k, &w);
        t.m = df * M_1_SQRT_2PI / sqrt(w) * step;
    }
    p = tukey_refer(q * p.s, edge, upper, p);
    // an exponent beyond 1e14 leaves nothing to the sum
    int small = df + (upper ? 0.0 : n1) < 16.0, lost = !upper && n1 * -p.l > 1e14;
    double fine = upper ? fmin(0.33, 1.1 / fmax(top - 1.0, 0.1)) : 0.33;
    int most = cc * rr > 1e15 ? 400 : 3000; // beyond what is claimed, so that no element takes a second
    sum = lost ? 1.0 : 0.0;
    for (int side = lost ? 2 : 0; side < 1 + finite; ++side) {
        double h = finite ? (side ? -0.45 : 0.45) * step : 0.0, E1 = expm1(h), D1 = tukey_excess(h), E = 0.0, D = 0.0;
        double g = finite ? 0.45 : 1.0;
        for (int i = 0; i < most; ++i) {
            if (small) {
                double x = (side ? -fine : fine) * i, z = exp(-0.5 * x), v = step * (0.4 * x - 0.5 * (z - 1.0));
                E = expm1(v);
                D = E - v;
                g = fine * (0.4 + 0.25 * z);
            }
            if (i > 0 || side == 0) {
                double x = (q * p.s) * (1.0 + E);
                if (!(x > 0.0))
                    break;
                x = g * exp(tukey_power(x, rr, cc, edge, upper, p) + tukey_chi(nu, p, E, D));
                sum += x;
                if (!(x > 1e-18 * sum) || !finite)
                    break;
            }
            if (!small) {
                D = D + (E * E1 + D1);
                E = E + (1.0 + E) * E1;
            }
        }
    }
    t.m *= sum;
    dd e;
    if (upper) {
        e = dd_two_prod(p.q, -0.25 * p.q);
    } else {
        e.hi = p.l;
        e.lo = 0.0;
        e = dd_mul_d(p.D < 0.5 ? dd_log_ratio(p.D, 1.0) : e, n1);
    }
    t.e = dd_add(t.e, e);
    return t;
}

NMATH_FN double ptukey(double q, double rr, double cc, double df, int lower_tail, int log_p)
{
    if (ISNAN(q) || ISNAN(rr) || ISNAN(cc) || ISNAN(df))
        return q + rr + cc + df;
    if (q <= 0)
        return R_DT_0;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    if (isinf(q))
        return R_DT_1;
    if (isinf(cc) || isinf(rr))
        return ML_NAN;
    return ibeta_value(tukey_tail(q, rr, cc, df, tukey_edge(cc), -1), lower_tail == 0, log_p);
}
