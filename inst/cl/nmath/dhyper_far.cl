// @source_type: shim
// @source_origin: dhyper_far.c
// @provides: DHYPER_EXACT, dhyper_table, dhyper_at, dhyper_mirrored, dhyper_exponent, dhyper_value, dhyper_far
// @depends: nmath, bd0, pgamma_utils
// @method: Stirling's formula about the expected table, deviances in double-double where they are large
// @accuracy: that of dhyper.cl
// @all_depends: Rmath, nmath, bd0, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 7

// dhyper_far -- mass of a hypergeometric table of any size, for dhyper, phyper and qhyper where the population exceeds 170.
//
// The 2 x 2 table with cells a, b, c, d, margins a+b, c+d, a+c, b+d and total N has the mass (product of the factorials of
// the margins) / (those of the cells and of N). With z! = sqrt(2 pi w) (z/e)^z e^s (dpois.cl) the powers collect into the
// deviances of the cells from their expectations E (Loader 2000, for the binomial mass):
//     mass = sqrt(w.../w...) exp(s... - s... - sum D(O, E)),   D(O, E) = O log(O/E) + E - O >= 0.
// All four differences are +-t, t = x - mk/N = (ad - bc)/N, and no terms cancel. t is taken from the arguments, in
// double-double: beyond 2^53 the sum N and the cells b, c, d are rounded, and t may be a vanishing part of them.
//
// All arguments are whole numbers, so the condition number is 0: where the mass itself is asked for and the sum of
// deviances may exceed 4, each is taken to 2^-61. With u = (E - O)/O small (always so for cells beyond 2^35, unless the
// mass is 0) it is
//     D(O, E) = O (u - log(1 + u)) = O u^2/2 (1 - 2u/3 + 2u^2/4 - ...),
// whose factor O u^2/2 alone needs two doubles; else ebd0, with E = O +- t, or where that cancels, with E = margin times
// margin / N.

// Up to this N products of two numbers are whole numbers below 2^53.
#define DHYPER_EXACT 0x1p26

// log z! - z log z + z - log(2 pi w)/2 for whole z >= 0, with w = z, or 1/(2 pi) for z = 0
NMATH_FN double dhyper_stirling(double z, double *w)
{
    double s = pgamma_stirling(fmax(z, 1.0), w);
    if (z > 0)
        return s;
    *w = 0.15915494309189533577;
    return 0.0;
}

// The cells a, b, c, d, the margins a + b = r, c + d = s, a + c = n, b + d = m, the total N, and t.
typedef struct { double a, b, c, d, r, s, n; nmath_dd m, N, t; } dhyper_table;

// No product of two margins overflows, and none of its digits underflow, once each is multiplied by this.
NMATH_FN double dhyper_scale(double N) { return N > NMATH_RANGE(1e150, 1e17) ? NMATH_RANGE(0x1p-512, 0x1p-63) : 1.0; }

// p/N for p multiplied by h^2
NMATH_FN nmath_dd dhyper_quotient(nmath_dd p, nmath_dd N, double h)
{
    nmath_dd r;
    double M = N.hi * h * h;
    r.hi = p.hi / M;
    r.lo = (fma(-r.hi, M, p.hi) + (p.lo - r.hi * (N.lo * h * h))) / M;
    return dd_fast_two_sum(r.hi, r.lo);
}

// The table of x for whole margins, r + s finite. Up to N = 2^26 all products are exact.
NMATH_FN dhyper_table dhyper_at(double x, double r, double s, double n)
{
    dhyper_table g;
    g.a = x;
    g.b = r - x;
    g.c = n - x;
    g.d = s - g.c;
    g.r = r;
    g.s = s;
    g.n = n;
    g.N.hi = r + s;
    if (g.N.hi <= DHYPER_EXACT) {
        g.N.lo = g.m.lo = 0.0;
        g.m.hi = g.N.hi - n;
        double p = x * g.N.hi - r * n;
        g.t.hi = p / g.N.hi;
        nmath_dd q = dd_two_prod(g.t.hi, g.N.hi);
        g.t.lo = ((p - q.hi) - q.lo) / g.N.hi;
        return g;
    }
    g.N = dd_two_sum(r, s);
    nmath_dd rest = dd_two_sum(s, -n);
    g.d = (rest.hi + x) + rest.lo;
    g.m = dd_two_sum(rest.hi, r);
    g.m = dd_fast_two_sum(g.m.hi, g.m.lo + rest.lo);
    // (xN - rn)/N
    double h = dhyper_scale(g.N.hi);
    nmath_dd p = dd_two_prod(x * h, g.N.hi * h), q = dd_two_prod(r * h, n * h), t = dd_two_sum(p.hi, -q.hi);
    t = dd_add(t, dd_two_sum(p.lo, -q.lo));
    if (g.N.lo != 0)
        t = dd_add(t, dd_two_prod(x * h, g.N.lo * h));
    g.t = dhyper_quotient(t, g.N, h);
    return g;
}

// The upper tail of a table is the lower one of this.
NMATH_FN dhyper_table dhyper_mirrored(dhyper_table g)
{
    dhyper_table h = g;
    h.a = g.b;
    h.b = g.a;
    h.c = g.d;
    h.d = g.c;
    h.n = g.m.hi;
    h.m = dd_two_sum(g.n, 0.0);
    h.t.hi = -g.t.hi;
    h.t.lo = -g.t.lo;
    return h;
}

// -D(o, E), t = E - o
NMATH_FN double dhyper_deviance(double o, double t, double E)
{
    return t > -0.6 * o ? pgamma_deviance(o, t) : o * log(E / o) - t;
}

// The same to 2^-61, E = row column/N
NMATH_FN nmath_dd dhyper_deviance_dd(double o, nmath_dd t, double row, nmath_dd column, nmath_dd N)
{
    nmath_dd e, p;
    if (fabs(t.hi) <= 0x1p-12 * o) {
        double u = t.hi / o;
        e = dd_two_prod(u, t.hi);
        e.lo += u * t.lo + (fma(-u, o, t.hi) + t.lo) / o * t.hi;
        e.lo -= e.hi * (u * (2.0 / 3 - u * (0.5 - u * (0.4 - u * (1.0 / 3)))));
        e = dd_fast_two_sum(-0.5 * e.hi, -0.5 * e.lo);
        return e;
    }
    e = dd_two_sum(o, t.hi);
    e = dd_fast_two_sum(e.hi, e.lo + t.lo);
    if (e.hi < 0x1p-12 * o) {
        double h = dhyper_scale(N.hi);
        p = dd_two_prod(row * h, column.hi * h);
        p.lo += (row * h) * (column.lo * h);
        e = dhyper_quotient(p, N, h);
    }
    ebd0(o, e.hi, &p.hi, &p.lo);
    p.hi = -p.hi;
    p.lo = -p.lo - e.lo * ((e.hi - o) / e.hi);
    return p;
}

// exponent and factor of the mass of a table: mass = f exp(exponent). exact: for use as an exponent; else its relative
// error counts.
NMATH_HEAVY nmath_dd dhyper_exponent(dhyper_table g, int exact, double *f)
{
    double a = g.a, b = g.b, c = g.c, d = g.d, r = g.r, s = g.s, n = g.n, m = g.m.hi, N = g.N.hi;
    nmath_dd e;
    e.hi = e.lo = 0.0;
    *f = 1.0;
    if (r == 0 || s == 0 || n == 0 || m == 0)
        return e; // the only table with these margins

    // sum t^2/E bounds the sum of the deviances
    nmath_dd t = g.t;
    if (!exact || (t.hi / r * (N / n)) * (t.hi / s * (N / m)) * N < 4.0) {
        e.hi = dhyper_deviance(a, -t.hi, r * (n / N)) + dhyper_deviance(b, t.hi, r * (m / N)) +
               dhyper_deviance(c, t.hi, s * (n / N)) + dhyper_deviance(d, -t.hi, s * (m / N));
    } else {
        for (int k = 0; k < 4; ++k) {
            nmath_dd u = t, column = g.m;
            if (k == 0 || k == 3) {
                u.hi = -t.hi;
                u.lo = -t.lo;
            }
            if (k % 2 == 0) {
                column.hi = n;
                column.lo = 0.0;
            }
            double o = k == 0 ? a : k == 1 ? b : k == 2 ? c : d;
            e = dd_add(e, dhyper_deviance_dd(o, u, k < 2 ? r : s, column, g.N));
        }
    }

    double wr, ws, wn, wm, wN, wa, wb, wc, wd;
    double u = dhyper_stirling(r, &wr) + dhyper_stirling(s, &ws) + dhyper_stirling(n, &wn) + dhyper_stirling(m, &wm);
    u -= dhyper_stirling(N, &wN) + dhyper_stirling(a, &wa) + dhyper_stirling(b, &wb) + dhyper_stirling(c, &wc) +
         dhyper_stirling(d, &wd);
    double v = wr / wN * ws * (wn / fmax(wa, wc) / fmin(wa, wc)) * (wm / fmax(wb, wd) / fmin(wb, wd));
    *f = M_1_SQRT_2PI * sqrt(v);
    t = dd_two_sum(e.hi, u);
    return dd_fast_two_sum(t.hi, t.lo + e.lo);
}

// f exp(e) or its log
NMATH_FN double dhyper_value(nmath_dd e, double f, int log_p)
{
    if (log_p)
        return e.hi + (e.lo + log(f));
    if (e.hi > -NMATH_RANGE(690.0, 69.0))
        return f * dd_exp(e);
    double h = exp(0.5 * e.hi);
    return h > 0 ? h * (f + f * e.lo) * h : 0.0;
}

// The mass of x, for whole margins.
NMATH_HEAVY double dhyper_far(double x, double r, double b, double n, int log_p)
{
    double f;
    nmath_dd e = dhyper_exponent(dhyper_at(x, r, b, n), !log_p, &f);
    return dhyper_value(e, f, log_p);
}
