// @source_type: c
// @source_origin: ptukey.c
// @provides: ptukey, tukey_tail, tukey_shape_of
// @depends: nmath, dpq, dd, logdd, expsq, qnorm, dpois, ibeta, tukey
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl
// @accuracy: ptukey.tsv 1.2 eps(1+cond) (host), 1.1 (PoCL), 1.8 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, ibeta_mass, ibeta
// @all_depends_count: 19
// @load_order: 150

// ptukey -- cumulative probability of the studentized range, the largest of rr ranges of cc normal variables over an
// independent s, s^2 df chi-squared with df degrees of freedom. With u = log s, a = df/2, y = a s^2 and w of tukey.cl
//     P = int 2 y^a e^-y/Gamma(a) w(q s)^rr du,   1 - P with 1 - w(q s)^rr = -expm1(rr log w) instead:
// the smaller of the two is computed. Both integrands F G, F the density of s and G the power of w, are log-concave in u,
// and summed about their mode u* as in nct.cl: with u = u* + v, E = e^v - 1, D = E - v
//     log(y^a e^-y) = ... - df (s*^2 - 1) E - df D - y* E^2.
// The mode, where the slopes of log F and log G are equal and opposite, is found to a standard deviation by secant steps for
// the logs of the slopes against log(e^2|v| - 1), from coarse sums (the threshold, where q s is the median of the largest of rr ranges, is the start).
//
// Nodes. The spacing at the mode resolves F, whose Fourier transform is that of the gamma function, |Gamma(a + i t/2)|, and G,
// which rises from 0 to 1 as exp(-exp(-z)) with z = v q^2/2 about: for both the trapezoidal rule's error falls as
// exp(-k/spacing). Where one of them is much wider than the other, v grows exponentially with the node (Takahasi and Mori
// 1974, Publ. RIMS 9, 721-741), to the side on which F falls off, and to the other one also where G falls exponentially.
// Sums of w are coarse where the node's weight is below 1e-7. Some 25 to 150 nodes are usual.
//
// The whole exponent at the mode is taken off, in double-double where it may be large: (c-1) rr log D(0) and rr log m of
// tukey.cl, or (q s)^2/4. Where numbers hardly move by one step, Laplace's method takes the sum's place. Not resolved in full:
// G's step where it is far sharper than F and away from the mode; digits go with means times ranges beyond 1e15 and few
// degrees of freedom (1e-2 and worse are seen), and 1e-8 is left in far upper tails of large numbers below that.

// What belongs to the parameters: the medians of one range and of the largest of rr, about; the second from Bonferroni's bound
typedef struct { double rr, cc, df, edge, top; } tukey_shape;

// log(w^rr) or log(1 - w^rr): its whole value, and its parts, of which kind 0, lower tail, (c-1) l + log m of tukey_inner;
// kind 1, upper tail, m - q^2/4; kind 2, the whole value alone; slope, the derivative by log q
typedef struct { double whole, D, l, m, q, slope; int kind; } tukey_power;

// A tail, and the first two derivatives of its log by log q
typedef struct { ibeta_tail t; double slope, bend; } tukey_value;

NMATH_FN tukey_shape tukey_shape_of(double rr, double cc, double df)
{
    tukey_shape f;
    f.rr = rr;
    f.cc = cc;
    f.df = df;
    f.edge = tukey_edge(cc);
    f.top = fmax(f.edge, 0.5 - M_SQRT2 * qnorm(-log(rr) - log(cc) - log(cc - 1.0), 0.0, 1.0, 1, 1));
    return f;
}

NMATH_FN tukey_power tukey_power_of(tukey_inner r, double q, double rr, double c1, int upper)
{
    tukey_power g;
    g.D = r.D;
    g.l = r.l;
    g.q = q;
    g.kind = 2;
    if (r.upper) {
        double e = q < 74.0 ? c1 * expsq(0.5 * q) : exp(log(c1) - 0.125 * q * q), u = fmin(e * ((e + e / c1) * r.m), 0.999999), lw = log1p(-u), k = -expm1(rr * lw);
        double ratio = rr == 1.0 ? 1.0 : u > 1e-290 ? k / u : rr; // (1 - w^rr)/(1 - w)
        g.slope = upper ? r.slope * (rr * exp((rr - 1.0) * lw) / ratio) : -rr * (u / (1.0 - u)) * r.slope;
        g.kind = upper && k < 0.3 ? 1 : 2;
        g.m = c1 < 1e70 && ratio < 1e70 ? log(ratio * r.m * c1 * (c1 + 1.0)) : log(ratio * r.m) + log(c1) + log(c1 + 1.0);
        g.whole = !upper ? rr * lw : k < 0.3 ? g.m - 0.25 * q * q : log(k);
    } else {
        g.m = log(r.m);
        double lw = rr * fmin(0.0, c1 * r.l + g.m), k = -expm1(lw);
        g.kind = upper ? 2 : 0;
        g.slope = rr * (r.slope * (upper ? -exp(lw) / k : 1.0)); // rr times the first alone may overflow
        g.whole = upper ? log(k) : lw;
    }
    return g;
}

// log of g over that of p
NMATH_FN double tukey_over(tukey_power g, tukey_power p, double rr, double c1)
{
    if (g.kind == 0 && p.kind == 0)
        return rr * (c1 * tukey_log_ratio(g.D, g.l, p.D, p.l) + (g.m - p.m));
    if (g.kind == 1 && p.kind == 1)
        return (g.m - p.m) - 0.25 * (g.q - p.q) * (g.q + p.q);
    return g.whole - p.whole;
}

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

// The lower or upper tail, or the smaller of them, about, where upper < 0. `coarse` as in tukey_range().
NMATH_HEAVY tukey_value tukey_tail(double q, tukey_shape f, int upper, double coarse)
{
    double rr = f.rr, df = f.df, top = f.top, c1 = f.cc - 1.0, n1 = c1 * rr, tiny = coarse > 1.0 ? 1e-8 : 1e-17;
    int finite = df < 1e30, search = finite || upper < 0;
    int smooth = df < 1e8;
    double nu = finite ? df : 0.0, q0 = q;
    // w ~ q^(c-1) for all s that count
    if (q < 1e-60 && q * sqrt(1.0 + n1 / df) < 1e-60)
        q = 1e-60;
    tukey_value res;
    tukey_power p, g;
    dd e;
    double at = 0.0, lo = 0.0, hi = 800.0, last = 0.0, log0 = 0.0, x = q, centre = q, y = 0.0, nx = 0.0, w;
    double step = 1.0, h = 1.0, b = 0.0, b2 = 0.0, ex = 0.0, z = 0.0, v = 0.0, sum = 0.0, sum1 = 0.0, sum2 = 0.0, E = 0.0;
    int far = 1, side = 0, i = 0, tries = 0, most = 200;
    p.whole = p.D = p.l = p.m = p.q = 0.0;
    p.kind = 2;
    e.hi = e.lo = 0.0;
    for (;;) {
        tukey_inner r = tukey_range(x, f.cc, f.edge, search ? fmax(coarse, 1.6) : z < 1e-11 * sum ? fmax(coarse, 1.6) : z < 1e-7 * sum ? fmax(coarse, 1.2) : coarse);
        if (upper < 0) {
            g = tukey_power_of(r, x, rr, c1, 0);
            upper = g.whole > -M_LN2;
            search = finite;
            if (!finite)
                continue;
        }
        g = tukey_power_of(r, x, rr, c1, upper);
        if (search) { // for the mode, where the slopes of both factors agree, in t >= 0
            double t = fabs(at), s2 = exp(2.0 * at), F = nu * fabs(expm1(2.0 * at)), G = fmin(fabs(g.slope), 1e290), c = fmin(top, x);
            double rate = upper && x > top ? 2.0 : 1.0 + 0.35 * c * c, bend = 2.0 * nu * s2 + G * rate;
            if (!(fabs(G - F) > 0.7 * sqrt(bend)) || tries > 14) {
                search = 0;
                // G's own rise from 0 to 1, where it is among the terms that count
                double c2 = fmin(top, 1.5 * x), rise = upper && x > 1.5 * top ? 0.0 : 0.5 * c2 * c2, A = nu * s2;
                step = coarse / sqrt(bend * (1.0 / (0.55 * 0.55)) + rise * rise * (1.0 / (0.22 * 0.22)) + 120.0);
                // how far F reaches, beyond the rise
                double reach = fmin(39.0 / (F + 1e-300), A > 39.0 ? sqrt(39.0 / A) : upper ? 39.0 / (F + A) : 0.5 * log1p(78.0 / A));
                int slow = upper == 0 && df + n1 < 16.0;
                far = upper || slow ? -1 : 1;
                if (slow || (upper && df < 16.0) || reach > 40.0 * step) {
                    b = 0.1;
                    h = coarse * 0.1;
                    b2 = upper || x > 1.15 * top ? b : 0.0; // where G does not fall as exp(-e^z)
                    ex = b + b2;
                }
                double xi = expm1(at), s = fabs(at) < 0.5 ? 1.0 + xi : exp(at); // x = q s from this very s
                // so sharp that numbers hardly move by a step: Laplace's method
                if (step < 1e-15) {
                    step = sqrt(2.0 * M_PI / bend);
                    finite = 0;
                }
                int k;
                nx = (df * xi) * (2.0 + xi);
                y = (0.5 * df * s) * s;
                double m = frexp(s, &k);
                e = dpois_exponent(0.5 * df, 0.5 * nx, m * m * (0.5 * df), 2 * k, &w);
                res.t.m = df * M_1_SQRT_2PI / sqrt(w) * step;
                x = centre = q * s;
                continue;
            }
            double L = log(G) - log(F), d = log(upper ? x / top : top / x), next, tau = 0.0;
            if (G > F)
                lo = t;
            else
                hi = t;
            if (tries == 0) {
                if (!upper)
                    hi = fmin(700.0, 0.5 * log1p(n1 / df));
                next = d > 0.0 ? d : G / bend;
                next = fmin(next, upper ? 0.5 * log1p((q / df) * q * 0.5) : fmin(hi, 0.5 * log1p(G / df)));
            } else { // the secant in tau = log(e^2t - 1), in which L is linear where t is small, and where it is large
                double k = -expm1(-2.0 * t), slope = -(upper ? 1.0 : 1.0 + 0.5 * rate * k);
                tau = 2.0 * t + log(k);
                if (tries > 1 && (L - log0) / (tau - last) < 0.0)
                    slope = (L - log0) / (tau - last);
                double to = tau - L / slope;
                next = 0.5 * (to > 40.0 ? to : log1p(exp(to)));
                if (!(next > lo && next < hi))
                    next = hi < 800.0 ? (lo > 0.0 ? sqrt(lo * hi) : 0.1 * hi) : 2.0 * t + 0.1;
                if (fabs(L) < 1e-14 * (4.0 + rate)) { // as near as numbers are
                    next = t;
                    tries = 99;
                }
            }
            log0 = L;
            last = tau;
            at = upper ? -next : next;
            x = q * exp(at);
            tries++;
            if (!(x > 0.0))
                tries = 99;
            continue;
        }
        if (side == 0 && i == 0)
            p = g;
        double D = tukey_excess(v), A = nx + 2.0 * y * E * (2.0 + E);
        // the bound is for exponents so large that the sum is lost beside them
        z = (1.0 + ex) * exp(fmin(9.0, tukey_over(g, p, rr, c1) - nx * E - nu * D - (y * E) * E));
        sum += z;
        sum1 += z * (smooth ? A : g.slope); // by parts: F's derivative in place of G's
        sum2 += z * (A * A - 4.0 * y * (1.0 + E) * (1.0 + E));
        if (!finite)
            break;
        i++;
        if (!(z > tiny * sum) || i >= most) {
            if (side)
                break;
            side = 1;
            i = 1;
            z = sum;
        }
        double j = side ? -i : i, up = b * exp(h * j), down = b2 * exp(-h * j);
        ex = up + down;
        v = far * step * (j + ((up - b) - (down - b2)) / h);
        E = expm1(v);
        x = centre * (1.0 + E);
    }
    if (!(df < 1e30))
        res.t.m = 1.0;
    res.t.m *= sum;
    res.t.h = 0.0;
    res.t.upper = upper;
    res.slope = sum1 / sum;
    res.bend = smooth ? sum2 / sum - res.slope * res.slope : 0.0;
    dd u;
    u.hi = p.whole;
    u.lo = 0.0;
    if (p.kind == 0) {
        u.hi = p.l;
        u = dd_mul_d(dd_mul_d(p.D < 0.5 ? dd_log_ratio(p.D, 1.0) : u, c1), rr);
        u = dd_add(u, dd_two_prod(rr, p.m));
    } else if (p.kind == 1) {
        u = dd_two_prod(p.q, -0.25 * p.q);
        u = dd_add(u, dd_two_sum(p.m, 0.0));
    }
    res.t.e = dd_add(e, u);
    if (q > q0 && !upper)
        res.t.e = dd_add(res.t.e, dd_mul_d(dd_log_ratio(q0, q), n1));
    res.t.e = dpois_finite(res.t.e);
    return res;
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
    return ibeta_value(tukey_tail(q, tukey_shape_of(rr, cc, df), -1, 1.0).t, lower_tail == 0, log_p);
}
