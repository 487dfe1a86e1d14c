// @source_type: shim
// @source_origin: nbeta_quantile.c
// @provides: nbeta_solve
// @depends: nmath, dd, ibeta_mass, ibeta, ibeta_quantile, nbeta_mass, nbeta_mix
// @method: third order steps for the log of the smaller tail in the logit of x, inside a bracket
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dpois, dgamma, lbeta, ibeta_mass, ibeta, nbeta_mass, ibeta_quantile, nbeta_mix
// @all_depends_count: 22
// @load_order: 152

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
// guessed from that. Each guess is that of ibeta_quantile.cl for a central beta distribution. Two to four evaluations
// are usual, 13 where the quantile underflows; the bound is 60.

NMATH_HEAVY ibeta_odd nbeta_solve(double a, double b, double h, ibeta_goal g)
{
    double l = g.log_p ? g.v : log(g.v), ca = a, grow = 1.0;
    ibeta_goal g0 = g;
    if (!g.upper && l + h < -1.0) {
        double v = l + h;
        g0.log_p = v < -30.0;
        g0.v = g0.log_p ? v : exp(v);
    } else {
        double r = fmin(h / a, 1e20);
        grow = (1.0 + 2.0 * r) / (1.0 + r);
        ca = r < 1e20 ? a * ((1.0 + r) / grow) : 0.5 * h;
    }
    ca = fmin(ca, 1e300);
    ibeta_first first = ibeta_guess(ca, b, g0, g0.log_p ? g0.v : log(g0.v), ML_NAN);
    ibeta_odd o = first.o;
    o.f *= grow;
    if (o.f > 1.5) {
        o.f *= 0.5;
        ++o.k;
    }
    if (first.done)
        return o;
    double u = log(o.f) + o.k * M_LN2, lo = -2400.0, hi = 2400.0;
    if (!(fabs(u) < 2399.0)) {
        u = u > 0 ? 2399.0 : -2399.0;
        o = ibeta_odd_exp(u);
    }

    int tiny = !g.log_p && g.v < 1e-200;
    double sg = g.upper ? -1.0 : 1.0, goal = tiny ? g.v * 0x1p+200 : g.v;
    for (int i = 0; i < 60; ++i) {
        ibeta_point w = ibeta_odd_point(o);
        nbeta_tail t = nbeta_mix(a, b, h, w, g.upper, 1);
        double r;
        if (g.log_p || t.e.hi < -600.0 - 140.0 * tiny) {
            r = (l - t.e.hi) - t.e.lo - log(t.m);
        } else {
            if (tiny) // 200 log 2 in two pieces
                t.e = dd_add(t.e, dd_two_sum(138.62943611198907, -3.3555121496085278e-15));
            double p = dd_exp(t.e) * t.m;
            r = fabs(goal - p) < 0.5 * p ? log1p((goal - p) / p) : log(goal / p);
        }
        double x = w.k < 0 && w.y == 1.0 ? ldexp(w.x, w.k) : w.x;
        double y = w.k < 0 && w.y != 1.0 ? ldexp(w.y, w.k) : w.y;
        double s1 = t.s1, k = (y * t.s2 - b * x) - sg * s1, d = sg * r / s1, z = k * d;
        if (sg * r >= 0)
            lo = u;
        else
            hi = u;
        if (ISNAN(r))
            break;
        double step = fabs(z) < 0.5 ? d * (1.0 - z * (0.5 - z * (1.0 / 3))) : z > -0.99 ? d * (log1p(z) / z) : 5.0 * d;
        if (ISNAN(step)) // the density has underflowed
            step = sg * r;
        int last = fabs(d) * (1.0 + s1 + fabs(k)) < 3e-6 || fabs(d) < (i < 6 ? 0.5 : 8.0) * NMATH_EPS;
        double v = u + step;
        if (!last && fabs(step) > 1e-12 && !(v > lo && v < hi)) {
            v = 0.5 * (lo + hi);
            step = v - u;
        }
        u = v;
        if (fabs(step) > 0.3) {
            o = ibeta_odd_exp(u);
        } else {
            o.f *= exp(step);
            int j = o.f > 1.5 ? 1 : o.f < 0.7 ? -1 : 0;
            o.f *= j > 0 ? 0.5 : j < 0 ? 2.0 : 1.0;
            o.k += j;
        }
        if (last || fabs(u) >= 2399.0)
            break;
    }
    return o;
}
