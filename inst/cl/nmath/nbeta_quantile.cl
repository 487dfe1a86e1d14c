// @source_type: shim
// @source_origin: nbeta_quantile.c
// @provides: nbeta_solve
// @depends: nmath, ibeta_mass, ibeta, ibeta_quantile, nbeta_mass, nbeta_mix
// @method: third order steps for the log of the smaller tail in the logit of x, inside a bracket
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tail_step, lgamma, pnorm, pgamma_utils, qnorm, dpois, lbeta, dgamma, ibeta_mass, ibeta, nbeta_mass, ibeta_quantile, nbeta_mix
// @all_depends_count: 19

// nbeta_quantile -- x with a given tail of the non-central beta distribution, as the odds x/y.
//
// As in ibeta_quantile.cl the equation is solved in u = log(x/y) for the log g of the tail T below 1/2. nbeta_mix.cl
// gives with T the sums for its derivatives: with s = 1 for the lower, -1 for the upper tail and h = s1,
//     g' = s h,   g''/g' = k = y s2 - b x - s h.
// A step follows the solution of g''/g' = k, which is A + B e^(k u).
//
// First guess: the non-central chi-squared numerator as a multiple of a central one (Patnaik 1949, "The non-central
// chi-square and F-distributions and their applications", Biometrika 36, 202-232): shapes (a+h)^2/(a+2h) and b, odds
// times (a+2h)/(a+h). A lower tail below e^-h is almost all from the first term of the mixture, e^-h I_x(a, b), and
// guessed from that, unless h is nothing beside a. Each guess is that of ibeta_quantile.cl for a central beta
// distribution. Two to four evaluations are usual, 13 where the quantile underflows; from the 30th on, where nothing but
// the exponent is left of a tail, the bracket is halved: the bound is 90.

// a, b and h are to be multiplied by `unit`.
NMATH_HEAVY ibeta_odd nbeta_solve(double a, double b, double h, double unit, ibeta_goal g)
{
    double l = g.log_p ? g.v : log(g.v), grow = 1.0;
    nbeta_shapes r = nbeta_fit(a, b, h, unit, l > -NMATH_RANGE(1e200, 1e30), l > -NMATH_RANGE(1e200, 1e30), 0);
    ibeta_odd o;
    a = r.a;
    b = r.b;
    h = r.h;
    if (r.rim) {
        int shift = g.upper ? r.upper : r.lower;
        double down = g.log_p && l < -1e30 ? 1.0 / r.up : 1.0; // above, all of the tail is at one double
        g.v *= down;
        l *= down;
        if ((g.upper ? r.lower : r.upper) != 0 || (shift != 0 && l > -140.0)) { // the tail is 1 or less than that: x is 0 or 1
            o.f = 1.0;
            o.k = r.upper != 0 ? -4000 : 4000;
            return o;
        }
        if (shift != 0) {
            g.v = g.log_p ? g.v + NMATH_LIFT_LOG : g.v * NMATH_LIFT;
            l += NMATH_LIFT_LOG;
        }
    }
    double ca = a;
    ibeta_goal g0 = g;
    if (!g.upper && l + h < -1.0 && h > 1e-9 * a) {
        double v = l + h;
        g0.log_p = v < -30.0;
        g0.v = g0.log_p ? v : exp(v);
    } else {
        double ratio = fmin(h / a, 1e20);
        grow = (1.0 + 2.0 * ratio) / (1.0 + ratio);
        ca = ratio < 1e20 ? a * ((1.0 + ratio) / grow) : 0.5 * h;
    }
    ibeta_first first = ibeta_guess(ca, b, g0, g0.log_p ? g0.v : log(g0.v), ML_NAN);
    o = first.o;
    o.f *= grow;
    if (o.f > 1.5) {
        o.f *= 0.5;
        ++o.k;
    }
    if (first.done) {
        o.k -= r.odds;
        return o;
    }
    double u = log(o.f) + o.k * M_LN2, lo = -2400.0, hi = 2400.0;
    if (!(fabs(u) < 2399.0)) {
        u = u > 0 ? 2399.0 : -2399.0;
        o = ibeta_odd_exp(u);
    }

    int tiny = !g.log_p && g.v < NMATH_RANGE(1e-200, 1e-20);
    double sg = g.upper ? -1.0 : 1.0, goal = tiny ? g.v * NMATH_LIFT : g.v;
    for (int i = 0; i < 90; ++i) {
        ibeta_point w = ibeta_odd_point(o);
        nbeta_tail t = nbeta_mix(a, b, h, w, g.upper, 1);
        double gap;
        if (g.log_p || t.e.hi < -NMATH_RANGE(600.0, 60.0) - NMATH_RANGE(140.0, 28.0) * tiny) {
            gap = (l - t.e.hi) - t.e.lo - log(t.m);
        } else {
            if (tiny) // the log of NMATH_LIFT in two pieces
                t.e = dd_add(t.e, dd_two_sum(NMATH_LIFT_LOG, NMATH_LIFT_LOG_LO));
            double p = dd_exp(t.e) * t.m;
            gap = fabs(goal - p) < 0.5 * p ? log1p((goal - p) / p) : log(goal / p);
        }
        double x = ibeta_x(w), y = ibeta_y(w);
        double s1 = t.s1, la = y * t.s2 - b * x, k = la - sg * s1, d = sg * gap / s1;
        if (fabs(k) < 1e-8 * s1) // far out, where g' ~ la and k is lost
            k = -(t.s2 + b) * x * y / la;
        double z = k * d;
        if (sg * gap >= 0)
            lo = u;
        else
            hi = u;
        if (ISNAN(gap))
            break;
        double step;
        if (fabs(z) < 0.5)
            step = d * (1.0 - z * (0.5 - z * (1.0 / 3)));
        else if (z > -0.99)
            step = d * (log1p(z) / z);
        else // far out, where the logs of tails go like powers of the odds
            step = t.e.hi < -1e15 ? log(l / t.e.hi) * t.e.hi / (sg * s1) : 5.0 * d;
        if (ISNAN(step)) // the density has underflowed
            step = sg * gap;
        int last = fabs(d) * (1.0 + s1 + fabs(k)) < 3e-6 || fabs(d) < (i < 6 ? 0.5 : 8.0) * NMATH_EPS;
        double v = u + step;
        if (!last && fabs(step) > 1e-12 && (i >= 30 || !(v > lo && v < hi))) {
            v = 0.5 * (lo + hi);
            step = v - u;
        }
        u = v;
        o = ibeta_odd_step(o, step, u);
        if (last || fabs(u) >= 2399.0)
            break;
    }
    o.k -= r.odds;
    return o;
}
