// @source_type: shim
// @source_origin: nbeta_mass.c
// @provides: nbeta_term, nbeta_poisson, nbeta_join, nbeta_peak, nbeta_width, nbeta_shapes, nbeta_fit, nbeta_fit_at, nbeta_scale, nbeta_times, nbeta_density, NBETA_DIRECT, NBETA_STEP
// @depends: nmath, dpois, dgamma, ibeta_mass, pgamma_utils
// @method: terms summed outward from the largest by their ratios; long sums by the trapezoidal rule
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 10

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
//
// Next to the largest doubles only the odds x/y times b/(a + h) count, if the larger of b and a + h has a coordinate next
// to 0 (the limit that is a non-central chi-squared distribution or a gamma one); else the exponents are proportional to
// the parameters. Next to the smallest ones, below 1e-260, the cases are (small: below 1e-85 or, for h, 1e-80)
//     a, b small         their ratio counts alone: both are multiplied by 2^200,
//     b small, or both, if j = 0 is nothing (h x > 800)
//                        the lower tail and the density are proportional to b, which is multiplied by 2^200,
//     a, h small         the upper tail and the density are proportional to a and h: both are multiplied by 2^200,
//     a small            f_0 is proportional to a, and nothing else depends on it. The tails do without f_0 (J_0/J_1 is at
//                        most a few hundred times a), but next to x = 0 the density does not: a is multiplied by 2^200,
//                        and `first` tells nbeta_density() that f_0 is to be divided by it.
// nbeta_fit() makes these replacements.

#ifndef NMATH_NBETA_MASS_H
#define NMATH_NBETA_MASS_H

#define NBETA_DIRECT 2000.0
#define NBETA_STEP 0.7
#define NBETA_NODES 48
#define NBETA_NEXT_TO_0 NMATH_RANGE(1e-50, 1e-25)

// exp(e) c
typedef struct { nmath_dd e; double c; } nbeta_term;

// Parameters away from the rims, for x/y times 2^odds: exponents are to be multiplied by `up`, the tails by 2^lower and
// 2^upper, the density by 2^mass. `rim`: these are not the ones that came in.
typedef struct { double a, b, h, up; int rim, odds, lower, upper, mass, first; } nbeta_shapes;

// For a, b and h times `unit`, 1 or 1/2, which would not be exact for the smallest; x, y: that coordinate is next to 0; many: h x
// is so large that the term for j = 0 is nothing.
NMATH_FN nbeta_shapes nbeta_fit(double a, double b, double h, double unit, int x, int y, int many)
{
    nbeta_shapes r;
    r.up = 1.0;
    r.odds = r.lower = r.upper = r.mass = r.first = 0;
    r.rim = !(a + b + h < NMATH_RANGE(1e299, 1e34)) || a < NMATH_RANGE(1e-260, 1e-26) || b < NMATH_RANGE(1e-260, 1e-26);
    if (r.rim) {
        double A = 0.25 * a + 0.25 * h;
        if (!(A < NMATH_RANGE(1e298, 1e33)) || !(b < NMATH_RANGE(1e298, 1e33))) {
            int top = A < NMATH_RANGE(1e200, 1e5) && x, bottom = b < NMATH_RANGE(1e200, 1e5) && y;
            a *= top ? 1.0 : 0x1p-64;
            h *= top ? 1.0 : 0x1p-64;
            b *= bottom ? 1.0 : 0x1p-64;
            r.odds = top ? 64 : bottom ? -64 : 0;
            r.up = top || bottom ? 1.0 : 0x1p64;
            r.mass = top || bottom ? 0 : 32;
        }
        if (a < NMATH_RANGE(1e-260, 1e-26) || b < NMATH_RANGE(1e-260, 1e-26)) {
            int low = b < NMATH_RANGE(1e-85, 1e-26), few = a < NMATH_RANGE(1e-85, 1e-26) && !(low && many), none = h < NMATH_RANGE(1e-80, 1e-25);
            a *= few ? NMATH_LIFT : 1.0;
            b *= low ? NMATH_LIFT : 1.0;
            h *= few && none && !low ? NMATH_LIFT : 1.0;
            r.upper = few && none && !low ? -NMATH_LIFT_BITS : 0;
            r.lower = low && !few ? -NMATH_LIFT_BITS : 0;
            r.mass = low || (few && none) ? -NMATH_LIFT_BITS : 0;
            r.first = few && !none && !low;
        }
    }
    r.a = unit * a;
    r.b = unit * b;
    r.h = unit * h;
    return r;
}

// The point at x/y times 2^odds
NMATH_FN ibeta_point nbeta_shift(ibeta_point u, int odds)
{
    double x = odds > 0 ? u.x : u.y;
    u.k += u.k != 0 ? 64 : 0;
    x *= u.k != 0 ? 1.0 : 0x1p64;
    u.x = odds > 0 ? x : u.x;
    u.y = odds > 0 ? u.y : x;
    return u;
}

// h n x, where the product of two of them may be out of range
NMATH_FN double nbeta_times(double h, double n, ibeta_point u)
{
    double large = fmax(h, n), small = fmin(h, n);
    if (u.k == 0 || u.y != 1.0)
        return large * u.x * small;
    int k;
    small = frexp(small, &k);
    return ldexp(large * u.x * small, k + u.k);
}

// The fit for a point, which moves along
NMATH_FN nbeta_shapes nbeta_fit_at(double a, double b, double h, double unit, ibeta_point *u)
{
    int far = u->k < -NMATH_RANGE(160, 80);
    int x = u->k != 0 ? far && u->y == 1.0 : u->x < NBETA_NEXT_TO_0, y = u->k != 0 ? far && !x : u->y < NBETA_NEXT_TO_0;
    nbeta_shapes r = nbeta_fit(a, b, h, unit, x, y, nbeta_times(h, unit, *u) > 800.0);
    if (r.odds != 0)
        *u = nbeta_shift(*u, r.odds);
    return r;
}

// e up + k log 2, log 2 in two pieces, the first with room for k
NMATH_FN nmath_dd nbeta_scale(nmath_dd e, double up, int k)
{
    e.hi *= up;
    e.lo *= up;
    return k == 0 ? e : dd_add(e, dd_two_sum(k * NMATH_LN2_HI, k * NMATH_LN2_LO));
}

NMATH_FN nmath_dd nbeta_join(nmath_dd a, nmath_dd b)
{
    nmath_dd s = dd_two_sum(a.hi, b.hi);
    return pgamma_finite(dd_fast_two_sum(s.hi, s.lo + (a.lo + b.lo)));
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

// sum of f_j times num/den, or its log, for a, b > 0 and h finite, all times `unit`, and 0 < x, y.
NMATH_SHARED double nbeta_density(double a, double b, double h, double unit, ibeta_point u, double num, double den,
                                  int log_p)
{
    nbeta_shapes r = nbeta_fit_at(a, b, h, unit, &u);
    a = r.a;
    b = r.b;
    h = r.h;
    double z = nbeta_times(h, 1.0, u);
    double top = nbeta_peak(z, a, b, 0.0, h), step = top > NBETA_DIRECT ? NBETA_STEP * nbeta_width(top, a, b) : 0.0;
    double d = 0.0, sum = 0.0, turn = 1.0;
    nmath_dd ref;
    ref.hi = ref.lo = 0.0;
    for (int k = 0; k < NBETA_NODES; ++k) {
        double j = top + d;
        nbeta_term p = nbeta_poisson(j, (h - top) - d, h);
        ibeta_frame f = ibeta_place(a + j, b, u);
        int swap = f.lambda < 0;
        double s = swap ? b : a + j, t = swap ? a + j : b, w;
        f.lambda = fabs(f.lambda);
        nmath_dd e = ibeta_deviance(s, t, f);
        nmath_dd q = dd_two_sum(e.hi, ibeta_stirling(s, t, f.n, &w));
        e = nbeta_join(dd_fast_two_sum(q.hi, q.lo + e.lo), p.e);
        double m = p.c * (step > 0.0 ? step : 1.0) * ((s < t ? s * (t / f.n) : t * (s / f.n)) * (M_1_SQRT_2PI / sqrt(w)));
        if (k == 0)
            ref = e;
        else
            m *= exp(fmin((e.hi - ref.hi) + (e.lo - ref.lo), NMATH_RANGE(600.0, 80.0)));
        sum += m;
        if (ref.hi < -1e19) // of a log of this size the exponent tells all that a double can
            return log_p ? ref.hi * r.up : 0.0;
        if (step == 0.0)
            break;
        if (ref.hi < -1e15) { // the differences of such exponents have few digits: the terms are a normal density
            sum /= M_1_SQRT_2PI * NBETA_STEP;
            break;
        }
        if (m < 1e-17 * sum) {
            if (turn < 0)
                break;
            turn = -1.0;
            d = 0.0;
        }
        d += turn * step;
    }

    double total = 1.0;
    if (step == 0.0) {
        double c = a + b, zc = nbeta_times(h, c, u), t = 1.0, j = top, least = r.first;
        if (r.first && top == 0.0) { // in units of the true f_0; h x may be subnormal
            t = h * (u.k != 0 && u.y == 1.0 ? ldexp(c * u.x, u.k + NMATH_LIFT_BITS) : c * u.x * NMATH_LIFT) / a;
            total += t;
            j = 1.0;
            r.mass = -NMATH_LIFT_BITS;
        }
        for (int k = 0; k < 8192; ++k) {
            t *= (zc + z * j) / ((j + 1.0) * (a + j));
            j += 1.0;
            total += t;
            if (t < 1e-17 * total)
                break;
        }
        t = 1.0;
        j = top;
        while (j > least) {
            t *= j * (a + (j - 1.0)) / (zc + z * (j - 1.0));
            j -= 1.0;
            total += t;
            if (t < 1e-17 * total)
                break;
        }
    }
    sum *= total;
    num *= sum;
    if (r.mass < 0 && den < 1.0) { // in the exponent it would cancel
        den *= NMATH_LIFT;
        r.mass += NMATH_LIFT_BITS;
    }
    ref = nbeta_scale(ref, r.up, r.mass);
    double c = num / den;
    int safe = c > NMATH_RANGE(1e-290, 1e-28) && c < NMATH_RANGE(1e290, 1e28);
    if (log_p)
        return ref.hi + (ref.lo + (safe ? log(c) : log(num) - log(den)));
    return safe && ref.hi > -NMATH_RANGE(690.0, 69.0) ? dd_exp(ref) * c : dgamma_scaled(ref, num, den);
}

#endif
