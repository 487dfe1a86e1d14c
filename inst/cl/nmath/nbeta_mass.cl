// @source_type: shim
// @source_origin: nbeta_mass.c
// @provides: nbeta_term, nbeta_poisson, nbeta_join, nbeta_peak, nbeta_width, nbeta_density, NBETA_DIRECT, NBETA_STEP
// @depends: nmath, dd, dpois, dgamma, ibeta_mass
// @method: terms summed outward from the largest by their ratios; long sums by the trapezoidal rule
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, logdd, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 13
// @load_order: 127

// nbeta_mass -- the Poisson mixture behind the non-central beta and F distributions, and its density.
//
// With h = ncp/2, p_j = h^j e^-h / j! and y = 1 - x the non-central beta distribution is the mixture of the beta
// distributions with shapes a + j, b, weighted by p_j (Johnson, Kotz & Balakrishnan 1995, "Continuous univariate
// distributions" 2, chapter 30). Its density times x y is the sum over j >= 0 of
//     f_j = p_j x^(a+j) y^b / B(a+j, b),   f_{j+1}/f_j = h x (a+b+j) / ((j+1)(a+j)).
// The ratio falls with j, so the terms rise to one peak, where it is 1: a quadratic equation. Each sum starts at its
// peak, whose term is computed in full (dpois.cl, ibeta_mass.cl), and goes outward by the ratio until the terms no
// longer count. That takes about 17 standard deviations s of the terms, 1/s^2 = 1/j + b/((a+j)(a+b+j)).
//
// If the peak lies beyond NBETA_DIRECT, so that s > 30 and j = 0 is over 40 s away, the terms for real j are a smooth
// function on the scale s, and every d-th of them will do: d sum f(k d) differs from sum f(k) by less than 2 exp(-2
// pi^2 s^2/d^2) (Poisson's summation formula; Trefethen & Weideman 2014, "The exponentially convergent trapezoidal
// rule", SIAM Review 56, 385-458). With d = 0.7 s that is 6e-18, and 26 terms, each computed in full, replace any
// number of them.

#ifndef NMATH_NBETA_MASS_H
#define NMATH_NBETA_MASS_H

#define NBETA_DIRECT 2000.0
#define NBETA_STEP 0.7
#define NBETA_NODES 48

// exp(e) c
typedef struct { dd e; double c; } nbeta_term;

NMATH_FN dd nbeta_join(dd a, dd b)
{
    dd s = dd_two_sum(a.hi, b.hi);
    return dpois_finite(dd_fast_two_sum(s.hi, s.lo + (a.lo + b.lo)));
}

// p_j for real j >= 0; d = h - j is given apart, since j may be too large to tell it from h.
NMATH_FN nbeta_term nbeta_poisson(double j, double d, double h)
{
    nbeta_term r;
    r.e.hi = -h;
    r.e.lo = 0.0;
    r.c = 1.0;
    if (j > 0) {
        double w;
        r.e = dpois_exponent(j, d, h, 0, &w);
        r.c = M_1_SQRT_2PI / sqrt(w);
    }
    return r;
}

// The largest term of those whose ratio is z (a+b+j)/((j+1)(a+s+j)), z = h x: s = 0 for f_j, 1 for f_j/(a+j). A
// rounding error of a large h is many standard deviations: what is h but for that is h.
NMATH_FN double nbeta_peak(double z, double a, double b, double s, double h)
{
    // u = j + 1 solves u^2 - g u = z c; the discriminant is formed relative to the larger of its terms, which may
    // overflow
    double g = z - (a + (s - 1.0)), c = a + (b - 1.0), r = sqrt(z) * sqrt(fabs(c)), big = fmax(fabs(g), 2.0 * r);
    double gs = g / big, rs = 2.0 * r / big, disc = gs * gs + (c < 0 ? -rs * rs : rs * rs);
    if (!(disc > 0) || (g <= 0 && c <= 0))
        return 0.0;
    disc = big * sqrt(disc);
    double j = fmax(0.0, ceil((g > 0 ? 0.5 * (g + disc) : r * (2.0 * r / (disc - g))) - 1.0)), near = floor(h);
    return fabs(j - near) <= 1e-15 * near ? near : j;
}

// Standard deviation of the terms around a large j, or less.
NMATH_FN double nbeta_width(double j, double a, double b)
{
    return sqrt(1.0 / (1.0 / j + b / (a + b + j) / (a + j)));
}

// sum of f_j times num/den, or its log; a, b > 0 and h finite, 0 < x, y.
NMATH_HEAVY double nbeta_density(double a, double b, double h, ibeta_point u, double num, double den, int give_log)
{
    if (a + b + h > 8e307)
        return give_log ? ML_NEGINF : 0.0;
    double z = h * u.x;
    if (u.k != 0 && u.y == 1.0)
        z = ldexp(z, u.k);
    double top = nbeta_peak(z, a, b, 0.0, h), step = top > NBETA_DIRECT ? NBETA_STEP * nbeta_width(top, a, b) : 0.0;
    double d = 0.0, sum = 0.0, turn = 1.0;
    dd ref;
    ref.hi = ref.lo = 0.0;
    for (int k = 0; k < NBETA_NODES; ++k) {
        double j = top + d;
        nbeta_term p = nbeta_poisson(j, (h - top) - d, h);
        ibeta_frame f = ibeta_place(a + j, b, u);
        int swap = f.lambda < 0;
        double s = swap ? b : a + j, t = swap ? a + j : b, w;
        f.lambda = fabs(f.lambda);
        dd e = ibeta_deviance(s, t, f);
        dd q = dd_two_sum(e.hi, ibeta_stirling(s, t, f.n, &w));
        e = nbeta_join(dd_fast_two_sum(q.hi, q.lo + e.lo), p.e);
        double m = p.c * ((s < t ? s * (t / f.n) : t * (s / f.n)) * (M_1_SQRT_2PI / sqrt(w)));
        if (k == 0)
            ref = e;
        else
            m *= exp(fmin((e.hi - ref.hi) + (e.lo - ref.lo), 600.0));
        sum += m;
        if (ref.hi < -1e15) // of a log of this size one term tells all that a double can
            return give_log ? ref.hi : 0.0;
        if (step == 0.0)
            break;
        if (m < 1e-17 * sum) {
            if (turn < 0)
                break;
            turn = -1.0;
            d = 0.0;
        }
        d += turn * step;
    }

    double total = step;
    if (step == 0.0) {
        double c = a + b, t = 1.0, j = top;
        total = 1.0;
        for (int k = 0; k < 8192; ++k) {
            t *= z * (c + j) / ((j + 1.0) * (a + j));
            j += 1.0;
            total += t;
            if (t < 1e-17 * total)
                break;
        }
        t = 1.0;
        j = top;
        double zi = 1.0 / z;
        while (j > 0) {
            t *= zi * j * (a + (j - 1.0)) / (c + (j - 1.0));
            j -= 1.0;
            total += t;
            if (t < 1e-17 * total)
                break;
        }
    }
    sum *= total;
    num *= sum;
    double c = num / den;
    int safe = c > 1e-290 && c < 1e290;
    if (give_log)
        return ref.hi + (ref.lo + (safe ? log(c) : log(num) - log(den)));
    return safe && ref.hi > -690.0 ? dd_exp(ref) * c : dgamma_scaled(ref, num, den);
}

#endif
