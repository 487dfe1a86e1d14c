// @source_type: shim
// @source_origin: ibeta_quantile.c
// @provides: ibeta_goal, ibeta_goal_of, ibeta_odd, ibeta_odd_point, ibeta_odd_exp, ibeta_odd_step, ibeta_start_few, ibeta_first, ibeta_guess, ibeta_solve_of
// @depends: nmath, dpq, lbeta, qnorm, ibeta_mass, ibeta, tail_step
// @method: a Taylor series, or steps of fourth order, for the log of the smaller tail in the logit of x, inside a bracket
// @accuracy: 2 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta
// @all_depends_count: 16

// ibeta_quantile -- x with I_x(a, b) = P, as the odds x/y.
//
// In the logit u = log(x/y) the log of either tail is a concave function g(u), with straight lines as asymptotes: of
// slope a for the lower tail at u = -Inf, -b for the upper one at Inf. The tail below 1/2 is taken. With h = x^a y^b /
// B(a, b) / tail and s = 1 for the lower, -1 for the upper tail,
//     g' = s h,   g''/g' = k = a y - b x - s h,   k' = -n x y - s h k,
// so one evaluation of the tail gives all that a step of any order needs; a long step is that of A + B e^(k u),
// whose limits are the straight lines and the tails of the gamma distribution. The tail is compared as a number, and
// far out as a log; the step then multiplies the odds, so that these are as accurate at 1e-300 as at 1.
//
// The integrand e^(a u)/(1 + e^u)^n gives a bracket: log P <= a u - log(a B), log Q <= -b u - log(b B); also Q <= y^b
// if a <= 1, and P <= x^a if b <= 1. A step that would leave the bracket becomes a bisection. Starting values:
// Abramowitz & Stegun 26.5.22 for a, b > 1, else from the bracket.
//
// One evaluation of the tail is usual, since a step is the series of tail_step.cl where that is enough. In a million random
// cases with shapes from 1e-300 to 1e300 no more than 13 were needed; the bound is 40.

// The tail to hit: below x, or above x if `upper`; as its log v if log_p.
typedef struct { double v; int upper, log_p; } ibeta_goal;

// The smaller tail of probability p, 0 < P < 1; its log only far out.
NMATH_FN ibeta_goal ibeta_goal_of(double p, int lower_tail, int log_p)
{
    ibeta_goal r;
    int large = log_p ? p > -M_LN2 : p > 0.5;
    r.upper = large ? lower_tail != 0 : lower_tail == 0;
    r.log_p = log_p && p < -30.0;
    r.v = r.log_p ? p : large ? (log_p ? -expm1(p) : 1.0 - p) : log_p ? exp(p) : p;
    return r;
}

// Odds f 2^k with 1/2 < f < 2; at |k| > 3400 they count as 0 or infinite.
typedef struct { double f; int k; } ibeta_odd;

// x and y of these odds.
NMATH_FN ibeta_point ibeta_odd_point(ibeta_odd o)
{
    ibeta_point r;
    double v = o.k > -60 && o.k < 60 ? ldexp(o.f, o.k) : 0.0;
    int small = o.k <= -60, large = o.k >= 60;
    r.x = small ? 0.25 * o.f : large ? 1.0 : v / (1.0 + v);
    r.y = small ? 1.0 : large ? 0.25 / o.f : 1.0 / (1.0 + v);
    r.d = 2.0;
    r.k = small ? o.k + 2 : large ? 2 - o.k : 0;
    return r;
}

NMATH_FN ibeta_odd ibeta_odd_exp(double u)
{
    ibeta_odd r;
    double k = rint(u * M_LOG2E);
    r.k = (int)k;
    r.f = exp((u - k * NMATH_LN2_HI) - k * NMATH_LN2_LO);
    return r;
}

// The odds times e^step, whose logit is then u.
NMATH_FN ibeta_odd ibeta_odd_step(ibeta_odd o, double step, double u)
{
    if (fabs(step) > 0.3)
        return ibeta_odd_exp(u);
    o.f *= exp(step);
    int j = o.f > 1.5 ? 1 : o.f < 0.7 ? -1 : 0;
    o.f *= j > 0 ? 0.5 : j < 0 ? 2.0 : 1.0;
    o.k += j;
    return o;
}

// The normal quantile of the lower tail, from the logs of both; one call, as each is a copy of qnorm5().
NMATH_FN double ibeta_normal(double lp, double lq)
{
    double z = qnorm5(fmin(lp, lq), 0.0, 1.0, 1, 1);
    return lp < lq ? z : -z;
}

// A first guess of u in [lo, hi], from the logs of the tails; in *du what it is beyond log(a/b), if that is known.
NMATH_FN double ibeta_start(double a, double b, double lp, double lq, double lo, double hi, double *du)
{
    double u;
    if (a > 1.0 && b > 1.0) {
        double z = -ibeta_normal(lp, lq);
        double ra = 1.0 / (2.0 * a - 1.0), rb = 1.0 / (2.0 * b - 1.0), h = 2.0 / (ra + rb);
        double l = (z * z - 3.0) / 6.0;
        double w = z * sqrt(fmax(h + l, 0.0)) / h - (rb - ra) * (l + 5.0 / 6.0 - 2.0 / (3.0 * h));
        *du = -2.0 * w;
        u = log(a) - log(b) - 2.0 * w;
    } else if (b > 1.0 && lo + log(b) > -1.2) { // Q ~ y^b (b x)^(a-1) / Gamma(a)
        double t = -lq;
        t = fmax(t - (1.0 - a) * log(1.0 + t), 0.3);
        u = t < b ? log(expm1(t / b)) : t / b;
    } else if (a > 1.0 && -hi + log(a) > -1.2) {
        double t = -lp;
        t = fmax(t - (1.0 - b) * log(1.0 + t), 0.3);
        u = -(t < a ? log(expm1(t / a)) : t / a);
    } else {
        u = b > 1.0 || (a <= 1.0 && lp < lq) ? lo : hi;
    }
    if (!(u > lo && u < hi))
        *du = ML_NAN;
    return fmax(lo, fmin(hi, u));
}

// A first guess of u - log(a/b) for one shape from 1/2 to 3, the other not below 1/2, or NaN where that is not one: with
// c = (odds b/a)^(1/3), ((1 - s) c - (1 - r))/sqrt(s c^2 + r), r = 1/(9 a), s = 1/(9 b), is normal, about (Paulson 1942, "An
// approximate normalization of the analysis of variance distribution", Ann. Math. Stat. 13, 233-235).
NMATH_FN double ibeta_start_few(double a, double b, double lp, double lq)
{
    double z = ibeta_normal(lp, lq);
    double r = 1.0 / (9.0 * a), s = 1.0 / (9.0 * b), r1 = 1.0 - r, s1 = 1.0 - s, zz = z * z;
    double k = s1 * s1 - zz * s, m = r1 * r1 - zz * r;
    double c = (r1 * s1 + z * sqrt(fmax(s1 * s1 * r + r1 * r1 * s - zz * r * s, 0.0))) / k;
    return k > 0.05 && m > 0.05 && c > 0.05 ? 3.0 * log(c) : ML_NAN;
}

// A first guess: the odds, their logit u in lo < u < hi; `done` if the guess is right to the last bit.
typedef struct { ibeta_odd o; double u, lo, hi; int done; } ibeta_first;

// a, b > 0 finite, 0 < tail < 1, l the log of the tail. u: a guess of the logit good for tails above exp(-12), or NaN.
NMATH_FN ibeta_first ibeta_guess(double a, double b, ibeta_goal g, double l, double u)
{
    // logs of both tails, bracket lo < u < hi
    double m = g.log_p ? log1p(-exp(g.v)) : log1p(-g.v);
    double lp = g.upper ? m : l, lq = g.upper ? l : m;
    double n = a + b, lo = -2400.0, hi = 2400.0, du = ML_NAN, few = fmin(a, b);
    if (l > -12.0 && few >= 0.5 && few < 3.0 && !(u > lo && u < hi))
        du = ibeta_start_few(a, b, lp, lq);
    int near = l > -12.0, middle = near && a > 1.0 && b > 1.0;
    if (!ISNAN(du))
        u = log(a) - log(b) + du;
    else if (middle || !(near && u > lo && u < hi)) {
        double below = 0.0, above = 0.0; // what the ends of the bracket may be wrong by
        if (!middle) {
            double c, e = lbeta_exponent(fmin(a, b), fmax(a, b), &c);
            // lb = log(min(a, b) B)
            double s = fmin(a, b), lb = log(c) + e + (s < 1.0 ? 0.0 : log(s)), q = fabs(log(a) - log(b));
            lo = (lp + lb + (a > b ? q : 0.0)) / a;
            hi = -(lq + lb + (a > b ? 0.0 : q)) / b;
            if (a <= 1.0) {
                double t = -lq / b;
                hi = t > 0 ? fmin(hi, t < NMATH_RANGE(700.0, 80.0) ? log(expm1(t)) : t) : hi;
            }
            if (b <= 1.0) {
                double t = -lp / a;
                lo = t > 0 ? fmax(lo, t < NMATH_RANGE(700.0, 80.0) ? -log(expm1(t)) : -t) : lo;
            }
            lo = fmin(fmax(lo, -2400.0), 2400.0);
            hi = fmin(fmax(hi, -2400.0), 2400.0);
            below = 1e-15 * (fabs(lp) + fabs(lb) + q + 1.0) / a + 1e-10 * fabs(lo);
            above = 1e-15 * (fabs(lq) + fabs(lb) + q + 1.0) / b + 1e-10 * fabs(hi);
        }
        u = ibeta_start(a, b, lp, lq, lo, hi, &du);
        lo = fmax(lo - below, -2400.0);
        hi = fmin(hi + above, 2400.0);
    }
    ibeta_first r;
    r.u = u;
    r.lo = lo;
    r.hi = hi;
    r.done = 0;
    if (ISNAN(du))
        du = u - (log(a) - log(b));
    if (fabs(du) < 0.1) { // close to the mean as a small change of a/b
        int ka, kb;
        r.o.f = frexp(a, &ka) / frexp(b, &kb) * exp(du);
        r.o.k = ka - kb;
        r.done = fabs(l) < 1e-18 * a * (b / n);
    } else {
        r.o = ibeta_odd_exp(u);
    }
    return r;
}

// The problem away from the rim, for a tail whose log is l: the true odds are those found times 2^k. `out`: they are 0 or
// infinite. Besides the rules of ibeta_mass.cl: a log below -2^200 is the exponent, which is proportional to the shapes, and
// what stands before it does not count.
typedef struct { double a, b, v, l, u; int k, out; } ibeta_problem;

NMATH_FN ibeta_problem ibeta_problem_of(double a, double b, double part, ibeta_goal g, double l, double u)
{
    ibeta_problem r;
    int swap = b < a, j;
    double s = swap ? b : a, t = swap ? a : b;
    r.k = r.out = 0;
    if (l < -0x1p+200) {
        l = frexp(l, &j) * 0x1p+100;
        s = fmax(ldexp(s, 100 - j), NMATH_RANGE(0x1p-900, 0x1p-90));
        t = fmax(ldexp(t, 100 - j), NMATH_RANGE(0x1p-900, 0x1p-90));
        g.v = l;
    }
    if (t > 0x1p+1000) {
        t *= 0x1p-30;
        if (s >= 0x1p+300) { // the guess at the mean is right
            s *= 0x1p-30;
        } else {
            r.k = swap ? 30 : -30;
            u -= r.k * M_LN2;
        }
    }
    if (s < 0x1p-960) {
        s *= NMATH_LIFT;
        if (t < 0x1p-700) {
            t *= NMATH_LIFT;
        } else if (!g.upper == !swap || l > -160.0) { // x_s would be exp(-2^700)
            r.out = 1;
        } else {
            g.v = g.log_p ? g.v + NMATH_LIFT_LOG : g.v * NMATH_LIFT;
            l += NMATH_LIFT_LOG;
        }
    }
    r.a = part * (swap ? t : s);
    r.b = part * (swap ? s : t);
    r.v = g.v;
    r.l = l;
    r.u = u;
    return r;
}

// The odds x/y for shapes a part and b part, part = 1 or 1/2; u as above.
NMATH_HEAVY ibeta_odd ibeta_solve_of(double a, double b, double part, ibeta_goal g, double u)
{
    double l = g.log_p ? g.v : log(g.v);
    int k = 0, rim = ibeta_on_rim(a, b) || l < -0x1p+200;
    ibeta_odd o;
    if (rim) {
        ibeta_problem r = ibeta_problem_of(a, b, part, g, l, u);
        o.f = 1.0;
        o.k = b < a ? 4000 : -4000;
        if (r.out)
            return o;
        a = r.a;
        b = r.b;
        g.v = r.v;
        l = r.l;
        u = r.u;
        k = r.k;
    }
    a *= rim ? 1.0 : part;
    b *= rim ? 1.0 : part;
    ibeta_first first = ibeta_guess(a, b, g, l, u);
    o = first.o;
    double n = a + b, lo = first.lo, hi = first.hi;
    u = first.u;
    if (first.done) {
        o.k += k;
        return o;
    }

    int shift = !g.log_p && g.v < NMATH_RANGE(1e-200, 1e-20);
    double sg = g.upper ? -1.0 : 1.0, goal = shift ? g.v * NMATH_LIFT : g.v;
    for (int i = 0; i < 40; ++i) {
        ibeta_point w = ibeta_odd_point(o);
        ibeta_tail t = ibeta(a, b, w);
        int same = !t.upper == !g.upper;
        double r, h = t.h;
        if (same && (g.log_p || t.e.hi < -NMATH_RANGE(600.0, 60.0) - NMATH_RANGE(140.0, 28.0) * shift)) {
            r = (l - t.e.hi) - t.e.lo - log(t.m);
        } else {
            if (shift) // the log of NMATH_LIFT in two pieces
                t.e = dd_add(t.e, dd_two_sum(NMATH_LIFT_LOG, NMATH_LIFT_LOG_LO));
            double p = dd_exp(t.e) * t.m;
            if (!same) {
                double u1 = shift ? p / NMATH_LIFT : p;
                h *= u1 / (1.0 - u1);
                p = shift ? (1.0 - u1) * NMATH_LIFT : 1.0 - u1;
            }
            r = g.log_p ? g.v - log(p) : fabs(goal - p) < 0.5 * p ? log1p((goal - p) / p) : log(goal / p);
        }
        double x = ibeta_x(w), y = ibeta_y(w), la = a * y - b * x, k = la - sg * h, d = sg * r / h;
        int lost = fabs(k) < 1e-8 * h; // far out, where g' ~ la
        if (lost)
            k = -n * x * y / la;
        double k1 = lost ? 0.0 : -n * x * y - sg * h * k;
        if (sg * r >= 0)
            lo = u;
        else
            hi = u;
        double z = k * d, step;
        if (fabs(z) < 0.5)
            step = d * (1.0 - z * (0.5 - z * (1.0 / 3)) - k1 * d * d * (1.0 / 6));
        else if (z > -0.99)
            step = d * (log1p(z) / z);
        else
            step = same && t.e.hi < -50.0 ? log(l / t.e.hi) * t.e.hi / (sg * h) : 5.0 * d;
        int last = fabs(z) + fabs(d) + sqrt(fabs(k1)) * fabs(d) < (lost ? 4e-6 : 2e-4) || fabs(d) < 0.5 * NMATH_EPS;
        if (!last && !lost) {
            tail_step best = tail_step_of(r, sg * h, la, n * x * y, y - x, 1.0 / n, 1);
            last = best.sure;
            step = best.sure ? best.step : step;
        }
        double v = u + step;
        if (!last && fabs(step) > 1e-12 && !(v > lo && v < hi)) {
            v = 0.5 * (lo + hi);
            step = v - u;
        }
        u = v;
        o = ibeta_odd_step(o, step, u);
        if (last || fabs(u) >= 2399.0)
            break;
    }
    o.k += k;
    return o;
}
