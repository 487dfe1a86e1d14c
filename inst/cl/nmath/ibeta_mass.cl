// @source_type: shim
// @source_origin: ibeta_mass.c
// @provides: ibeta_point, ibeta_at, ibeta_odds, ibeta_frame, ibeta_place, ibeta_deviance, ibeta_stirling, ibeta_density
// @depends: nmath, dd, logdd, dpois, dgamma
// @method: saddle-point form, deviance from one exact difference, exponent in double-double where it is steep
// @accuracy: 3 eps(1+cond)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, logdd, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma
// @all_depends_count: 12
// @load_order: 103

// ibeta_mass -- the factor x^a y^b / B(a, b), y = 1 - x, that the beta distribution and all its relatives share.
// With n = a + b, p! = Gamma(p + 1) = sqrt(2 pi w(p)) (p/e)^p e^r(p) (dpois.cl) and lambda = a - n x = n y - b it is
//     x^a y^b / B(a, b) = a b/n * n!/(a! b!) x^a y^b,
//     n!/(a! b!) x^a y^b = exp(r(n) - r(a) - r(b) - D(a, n x) - D(b, n y)) / sqrt(2 pi w(a) w(b)/w(n)),
// D(p, m) = p log(p/m) + m - p (Loader 2000, see dbinom.cl). Both deviances come from lambda, which one fma gives to
// full relative precision from the smaller of x and y, so that nothing cancels. Where n x < 0.4 a, D(a, n x) may be
// hundreds of times larger than the condition number, and is kept as hi + lo.

// x and y, the smaller of them times 2^k; where k is not 0 the other is 1.
typedef struct { double x, y; int k; } ibeta_point;

NMATH_FN ibeta_point ibeta_at(double x, double y)
{
    ibeta_point r;
    r.x = x;
    r.y = y;
    r.k = 0;
    return r;
}

// x : y = p1 p2 : q, all positive and finite, whatever the size of product and quotient.
NMATH_FN ibeta_point ibeta_odds(double p1, double p2, double q)
{
    ibeta_point r;
    double p = p1 * p2, s = p + q;
    r.x = p / s;
    r.y = q / s;
    r.k = 0;
    if (p > 1e-290 && s < 1e300 && r.x > 1e-290 && r.y > 1e-290)
        return r;
    int k1, k2, kq;
    double m = frexp(p1, &k1) * frexp(p2, &k2) / frexp(q, &kq);
    r.k = k1 + k2 - kq;
    if (r.k > 60) {
        r.x = 1.0;
        r.y = 0.0625 / m;
        r.k = 4 - r.k;
    } else if (r.k < -60) {
        r.x = 0.25 * m;
        r.y = 1.0;
        r.k += 2;
    } else {
        m = ldexp(m, r.k);
        r.x = m / (1.0 + m);
        r.y = 1.0 / (1.0 + m);
        r.k = 0;
    }
    return r;
}

// Where a point lies: lambda, n, the smaller of x and y (x if `left`) as f 2^k, and z = n f 2^k.
typedef struct { double lambda, n, f, z; int k, left; } ibeta_frame;

NMATH_FN ibeta_frame ibeta_place(double a, double b, ibeta_point u)
{
    ibeta_frame p;
    p.n = a + b;
    p.left = u.k != 0 ? u.y == 1.0 : u.x <= u.y;
    p.f = p.left ? u.x : u.y;
    p.k = u.k;
    if (p.f < 1e-290 || p.n * p.f < 1e-290 || p.k != 0) {
        int e;
        p.f = frexp(p.f, &e);
        p.k += e;
        p.z = ldexp(p.n * p.f, p.k);
        p.lambda = p.left ? a - p.z : p.z - b;
    } else {
        p.z = p.n * p.f;
        p.lambda = p.left ? -fma(p.n, p.f, -a) : fma(p.n, p.f, -b);
    }
    return p;
}

// -D(a, n x) - D(b, n y) for lambda >= 0 (or little below); 2^k f is x where lambda > 0.6 a.
NMATH_FN dd ibeta_deviance(double a, double b, ibeta_frame p)
{
    dd e;
    e.lo = 0.0;
    if (p.lambda > 0.6 * a) { // a log(n x/a) + lambda
        e = dd_log_ratio(p.n * p.f, a);
        if (p.k != 0) { // log 2 in two pieces, the first with room for k
            dd q = dd_two_sum(p.k * 0.69314718036912381649, e.hi);
            e = dd_fast_two_sum(q.hi, q.lo + (e.lo + p.k * 1.9082149292705877e-10));
        }
        e = dd_mul_d(e, a);
        dd q = dd_two_sum(e.hi, p.lambda);
        e = dd_fast_two_sum(q.hi, q.lo + e.lo);
    } else {
        e.hi = dpois_deviance(a, -p.lambda);
    }
    dd q = dd_two_sum(e.hi, dpois_deviance(b, p.lambda));
    return dd_fast_two_sum(q.hi, q.lo + e.lo);
}

// r(n) - r(a) - r(b); w(a) w(b)/w(n) in *w.
NMATH_FN double ibeta_stirling(double a, double b, double n, double *w)
{
    double wn, wa, wb, r = dpois_stirling(n, &wn) - dpois_stirling(a, &wa) - dpois_stirling(b, &wb);
    *w = wa < wb ? wa * (wb / wn) : wb * (wa / wn);
    return r;
}

// x^a y^b / B(a, b) * num/den or its log, a, b > 0 finite, 0 < x, y.
NMATH_HEAVY double ibeta_density(double a, double b, ibeta_point u, double num, double den, int give_log)
{
    ibeta_frame p = ibeta_place(a, b, u);
    if (p.n > 8e307)
        return give_log ? ML_NEGINF : 0.0;
    if (p.lambda < 0) {
        double t = a;
        a = b;
        b = t;
        p.lambda = -p.lambda;
    }
    double w;
    dd e = ibeta_deviance(a, b, p);
    dd q = dd_two_sum(e.hi, ibeta_stirling(a, b, p.n, &w));
    e = dd_fast_two_sum(q.hi, q.lo + e.lo);
    num *= (a < b ? a * (b / p.n) : b * (a / p.n)) * (M_1_SQRT_2PI / sqrt(w));
    double c = num / den;
    int safe = c > 1e-290 && c < 1e290;
    if (give_log)
        return e.hi + (e.lo + (safe ? log(c) : log(num) - log(den)));
    return safe && e.hi > -690.0 ? dd_exp(e) * c : dgamma_scaled(e, num, den);
}
