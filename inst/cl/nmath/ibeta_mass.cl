// @source_type: shim
// @source_origin: ibeta_mass.c
// @provides: ibeta_limit, ibeta_limit_place, IBETA_PROPER, IBETA_AT_0, IBETA_AT_1, IBETA_AT_HALF, IBETA_AT_BOTH, IBETA_LARGE, ibeta_point, ibeta_x, ibeta_x_times, ibeta_y, ibeta_moves, ibeta_on_rim, ibeta_from_rim, ibeta_fit, ibeta_shift, ibeta_unfit, ibeta_at, ibeta_odds, ibeta_near, ibeta_frame, ibeta_place, ibeta_deviance, ibeta_stirling, ibeta_density_of, ibeta_density
// @depends: nmath, dgamma, pgamma_utils
// @method: saddle-point form, deviance from one exact difference, exponent in double-double where it is steep
// @accuracy: 3 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma
// @all_depends_count: 9

// ibeta_mass -- the factor x^a y^b / B(a, b), y = 1 - x, that the beta distribution and all its relatives share.
// With n = a + b, p! = Gamma(p + 1) = sqrt(2 pi w(p)) (p/e)^p e^r(p) (dpois.cl) and lambda = a - n x = n y - b it is
//     x^a y^b / B(a, b) = a b/n * n!/(a! b!) x^a y^b,
//     n!/(a! b!) x^a y^b = exp(r(n) - r(a) - r(b) - D(a, n x) - D(b, n y)) / sqrt(2 pi w(a) w(b)/w(n)),
// D(p, m) = p log(p/m) + m - p (Loader 2000, see dbinom.cl). Both deviances come from lambda, which one fma gives to
// full relative precision from the smaller of x and y, so that nothing cancels. Where n x < 0.4 a, D(a, n x) may be
// hundreds of times larger than the condition number, and is kept as hi + lo.
//
// Shapes 0 and Inf are limits in which all probability is at 0, at 1, at 1/2, or half at each end: ibeta_limit().
//
// Shapes next to the largest and smallest doubles are brought away from there (let s <= t be the shapes, x_s the
// coordinate of s, of x and y = 1 - x). Each rule is exact to a relative 2^-54:
//   t > 2^1000, s < 2^300,       the gamma limit: the distribution depends on t x_s alone. t is divided by 2^30, and x_s
//               x_s < 2^-100     multiplied by it.
//   t > 2^1000, s < 2^300 else   log of the tail beyond x_s ~ t log(1 - x_s), some -2^900: it is proportional to t.
//   t > 2^1000, s >= 2^300       The exponents are proportional to the shapes, if only because they are 0 or beyond 2^190:
//                                both are divided by 2^30. What stands before the exponential counts where that is 0:
//                                half of each side, and a density proportional to the root of the shapes.
//   s < 2^-960, t >= 2^-700      The tail beyond x_s and the density are proportional to s, which is multiplied by 2^200.
//   s < 2^-960, t < 2^-700       The tails are t/(s + t) and s/(s + t), the density is proportional to both: both are
//                                multiplied by 2^200.

#define IBETA_PROPER 0
#define IBETA_AT_0 1
#define IBETA_AT_1 2
#define IBETA_AT_HALF 3
#define IBETA_AT_BOTH 4

// Where all probability is; for IBETA_AT_BOTH half of it is at 0 and half at 1. a, b >= 0.
NMATH_FN int ibeta_limit(double a, double b)
{
    if (a > 0 && b > 0 && a <= NMATH_DBL_MAX && b <= NMATH_DBL_MAX)
        return IBETA_PROPER;
    if ((a == 0 && b == 0) || (isinf(a) && isinf(b)))
        return a == 0 ? IBETA_AT_BOTH : IBETA_AT_HALF;
    return a == 0 || isinf(b) ? IBETA_AT_0 : IBETA_AT_1;
}

// Stands for an infinite degree of freedom where the other is small.
#define IBETA_LARGE NMATH_RANGE(0x1p+1000, 0x1p+100)

// The place of the limits with a single one.
NMATH_FN double ibeta_limit_place(int limit)
{
    return limit == IBETA_AT_0 ? 0.0 : limit == IBETA_AT_1 ? 1.0 : 0.5;
}

// x and y, the smaller of them times 2^k; where k is not 0 the other is 1. d: see ibeta_near(), else 2.
typedef struct { double x, y, d; int k; } ibeta_point;

// The coordinates of a point as numbers, the smaller of which may underflow.
NMATH_FN double ibeta_x(ibeta_point u) { return u.k != 0 && u.y == 1.0 ? ldexp(u.x, u.k) : u.x; }
// x times n, which may be large where x underflows
NMATH_FN double ibeta_x_times(ibeta_point u, double n) { return u.k != 0 && u.y == 1.0 ? ldexp(n * u.x, u.k) : n * u.x; }
NMATH_FN double ibeta_y(ibeta_point u) { return u.k != 0 && u.y != 1.0 ? ldexp(u.y, u.k) : u.y; }

// The way back from shapes and a point that have been moved away from the rim: exponent and hazard of the tail are to be
// multiplied by `power`, the tail by 2^tail, the density by 2^mass; all that is 1 unless `rim`.
typedef struct { double power; int rim, tail, mass; } ibeta_moves;

// A positive finite shape, or twice the shape, is above 2^1000 or below 2^-960.
NMATH_FN int ibeta_on_rim(double a, double b)
{
    return nmath_high(a) - 0x03f00000u >= 0x7a800000u || nmath_high(b) - 0x03f00000u >= 0x7a800000u;
}

// The shapes are a and b times `part`, 1 or 1/2, which would not be exact for the smallest.
NMATH_FN void ibeta_from_rim(double *a, double *b, ibeta_point *u, ibeta_moves *r)
{
    int swap = *b < *a;
    double s = swap ? *b : *a, t = swap ? *a : *b, x = swap ? u->y : u->x;
    if (t > 0x1p+1000) {
        t *= 0x1p-30;
        if (s < 0x1p+300 && (u->k == 0 ? x < 0x1p-100 : x != 1.0 && u->k < -102)) {
            u->k += u->k == 0 ? 0 : 30;
            x *= u->k == 0 ? 0x1p+30 : 1.0;
        } else {
            r->power = 0x1p+30;
            r->mass = s < 0x1p+300 ? 0 : 15;
            s *= s < 0x1p+300 ? 1.0 : 0x1p-30;
        }
    }
    if (s < 0x1p-960) {
        r->mass = -NMATH_LIFT_BITS;
        r->tail = t < 0x1p-700 ? 0 : -NMATH_LIFT_BITS;
        s *= NMATH_LIFT;
        t *= t < 0x1p-700 ? NMATH_LIFT : 1.0;
        u->d = 2.0;
    }
    *a = swap ? t : s;
    *b = swap ? s : t;
    u->x = swap ? u->x : x;
    u->y = swap ? x : u->y;
}

// The same for all positive finite shapes: one test in front of the rules. In place: only the way back lives through what follows.
NMATH_FN ibeta_moves ibeta_fit(double *a, double *b, ibeta_point *u, double part)
{
    ibeta_moves r;
    r.power = 1.0;
    r.tail = r.mass = 0;
    r.rim = ibeta_on_rim(*a, *b);
    if (r.rim)
        ibeta_from_rim(a, b, u, &r);
    *a *= part;
    *b *= part;
    return r;
}

// e + k log 2, log 2 in two pieces, the first with room for k
NMATH_FN nmath_dd ibeta_shift(nmath_dd e, int k)
{
    nmath_dd q = dd_two_sum(k * NMATH_LN2_HI, e.hi);
    return dd_normal(q.hi, NMATH_REST(q.lo) + (NMATH_REST(e.lo) + NMATH_REST(k * NMATH_LN2_LO)));
}

// An exponent on the way back: of what is to be multiplied by 2^k.
NMATH_FN nmath_dd ibeta_unfit(nmath_dd e, ibeta_moves r, int k)
{
    if (!r.rim)
        return e;
    e.hi *= r.power;
    e.lo *= r.power;
    return pgamma_finite(ibeta_shift(e, k));
}

NMATH_FN ibeta_point ibeta_at(double x, double y)
{
    ibeta_point r;
    r.x = x;
    r.y = y;
    r.d = 2.0;
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
    r.d = 2.0;
    r.k = 0;
    if (p > NMATH_RANGE(1e-290, 1e-28) && s < NMATH_RANGE(1e300, 1e34) && r.x > NMATH_RANGE(1e-290, 1e-28) && r.y > NMATH_RANGE(1e-290, 1e-28))
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

// The same for odds f b : a, as the ratio f of the F distribution has them with shapes proportional to its degrees of
// freedom; d = 1 - f. There lambda = a y d keeps its digits where the rounding of x is many standard deviations.
NMATH_FN ibeta_point ibeta_near(ibeta_point u, double d)
{
    u.d = d <= 0.5 && d >= -1.0 ? d : 2.0;
    return u;
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
    if (p.f < NMATH_RANGE(1e-290, 1e-28) || p.n * p.f < NMATH_RANGE(1e-290, 1e-28) || p.k != 0) {
        int e;
        p.f = frexp(p.f, &e);
        p.k += e;
        p.z = ldexp(p.n * p.f, p.k);
        p.lambda = p.left ? a - p.z : p.z - b;
    } else {
        p.z = p.n * p.f;
        p.lambda = p.left ? -fma(p.n, p.f, -a) : fma(p.n, p.f, -b);
    }
    if (u.d < 2.0) // b x = a y f
        p.lambda = p.left ? a * u.y * u.d : b * u.x * u.d / (1.0 - u.d);
    return p;
}

// -D(a, n x) - D(b, n y) for lambda >= 0 (or little below); 2^k f is x where lambda > 0.6 a.
NMATH_FN nmath_dd ibeta_deviance(double a, double b, ibeta_frame p)
{
    nmath_dd e;
    e.lo = 0.0;
    if (p.lambda > 0.6 * a) { // a log(n x/a) + lambda
        e = dd_log_ratio(p.n * p.f, a);
        if (p.k != 0)
            e = ibeta_shift(e, p.k);
        e = dd_mul_normal(e, a);
        nmath_dd q = dd_two_sum(e.hi, p.lambda);
        e = dd_normal(q.hi, NMATH_REST(q.lo) + NMATH_REST(e.lo));
    } else {
        e.hi = pgamma_deviance(a, -p.lambda);
    }
    nmath_dd q = dd_two_sum(e.hi, pgamma_deviance(b, p.lambda));
    return dd_normal(q.hi, NMATH_REST(q.lo) + NMATH_REST(e.lo));
}

// r(n) - r(a) - r(b); w(a) w(b)/w(n) in *w.
NMATH_FN double ibeta_stirling(double a, double b, double n, double *w)
{
    double wn, wa, wb, r = pgamma_stirling(n, &wn) - pgamma_stirling(a, &wa) - pgamma_stirling(b, &wb);
    *w = wa < wb ? wa * (wb / wn) : wb * (wa / wn);
    return r;
}

// x^a y^b / B(a, b) * num/den or its log, for 0 < x, y and shapes a part, b part > 0 finite, part = 1 or 1/2.
NMATH_HEAVY double ibeta_density_of(double a, double b, ibeta_point u, double part, double num, double den, int log_p)
{
    ibeta_moves r = ibeta_fit(&a, &b, &u, part);
    if (r.mass < 0 && den < 1.0) { // in the exponent it would cancel
        den *= NMATH_LIFT;
        r.mass = 0;
    }
    ibeta_frame p = ibeta_place(a, b, u);
    if (p.lambda < 0) {
        double t = a;
        a = b;
        b = t;
        p.lambda = -p.lambda;
    }
    double w;
    nmath_dd e = ibeta_deviance(a, b, p);
    nmath_dd q = dd_two_sum(e.hi, ibeta_stirling(a, b, p.n, &w));
    e = ibeta_unfit(dd_normal(q.hi, NMATH_REST(q.lo) + NMATH_REST(e.lo)), r, r.mass);
    num *= (a < b ? a * (b / p.n) : b * (a / p.n)) * (M_1_SQRT_2PI / sqrt(w));
    double c = num / den;
    int safe = c > NMATH_RANGE(1e-290, 1e-28) && c < NMATH_RANGE(1e290, 1e28);
    if (log_p)
        return e.hi + (e.lo + (safe ? log(c) : log(num) - log(den)));
    return safe && e.hi > -NMATH_RANGE(690.0, 69.0) ? dd_exp(e) * c : dgamma_scaled(e, num, den);
}

NMATH_FN double ibeta_density(double a, double b, ibeta_point u, double num, double den, int log_p)
{
    return ibeta_density_of(a, b, u, 1.0, num, den, log_p);
}
