// @source_type: shim
// @source_origin: ibeta_dshape.c
// @provides: ibeta_dshape_beyond, ibeta_dshape
// @depends: nmath, log1p, ibeta_mass, ibeta_asym, ibeta, pgamma_utils, digamma_rise, pgamma_dshape_table
// @method: series, continued fraction and uniform expansion of the incomplete beta ratio, each differentiated along a direction
// @accuracy: see pbeta_dshape
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 18

// ibeta_dshape -- the derivative of the incomplete beta ratio I_x(a, b) in a shape, as the quotient
//     V = -dI_x(a, b)/da / M,   M = x^a y^b / B(a, b), y = 1 - x,
// at a given x, or else (`odds`) at given x b/(y a), as in the F and t distributions, where x moves with a: d
// log(x/y)/da = 1/a. For b change places: I_x(a, b) = 1 - I_y(b, a).
//
// The tail is computed where ibeta.cl computes it, with A and B, X and Y for what lies on its side and beyond; lambda =
// A - n X. What the derivative is taken along is a direction in (A, B, X), of which the fraction's and the expansion's
// ingredients have these derivatives:
//                  in A at X        in A at odds     in B at X      in B at odds
//     X            0                X Y/A            0              -X Y/B
//     n X          X                X (1 + n Y/A)    X              -X lambda/B
//     B X          0                B X Y/A          X              X^2
//     lambda       Y                Y lambda/A       -X             X lambda/B
//     log M        -w + fall(A, B)  the same, with w less lambda/A
//                                                    z + fall(B, A) the same, z less lambda/B
// with w = -log(1 - lambda/A), z = log(1 + lambda/B), fall(a, b) = psi(a + b) - psi(a) - log(1 + b/a): none of these is
// a difference of large numbers, so that the derivative at given odds keeps its digits where it is small, which it is
// for large shapes.
//
//   series      (see ibeta_small)   I_X = X^A (1 + A S)/(A B(A, B)), S differentiated term by term.
//   fraction    tail = M c, c' with c by the recurrence from behind. For A <= 1 F = A c goes in place of c, else
//               c' ~ -c/A would cancel psi(A) ~ -1/A.
//   expansion   (see ibeta_asym)    tail = Q(zeta) + exp(-D)/sqrt(2 pi v) S, dD = w, or -z, and so
//               -d tail = exp(-D)/sqrt(2 pi v) (w/eta + S w + S dv/(2 v) - dS),   eta = zeta/sqrt(v).

// The series at given odds is a difference: below this, times 1/a, the fraction has more digits.
#define IBETA_DSHAPE_LOST 1.0

// How many coefficients each power of eta has in ibeta_asym_c; negative where a new k starts, 2 more where the first
// power is odd in s.
NMATH_TABLE int ibeta_dshape_blocks[62] = {
    -103, 3,
    -202, 3, 3, 3, 3,
    -202, 3, 3, 3, 4, 5, 5,
    -203, 4, 3, 3, 5, 6, 5, 5, 4,
    -203, 4, 3, 3, 5, 6, 5, 5, 4, 4, 3,
    -203, 4, 3, 3, 5, 6, 5, 5, 4, 4, 3, 3, 2,
    -203, 4, 3, 4, 5, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1
};

// S, and dS along (dvi, ds, deta)
NMATH_FN double ibeta_dshape_sum(double vi, double s, double eta, double dvi, double ds, double deta, double *dsum)
{
    NMATH_CONSTANT const double *c = ibeta_asym_c;
    double w = s * s, dw = 2.0 * s * ds, t = 0.0, dt = 0.0, sum = 0.0, d = 0.0;
    int odd = 0;
    for (int i = 0; i < 62; ++i) {
        int n = ibeta_dshape_blocks[i];
        if (n < 0) {
            d = dt + vi * d + dvi * sum;
            sum = t + vi * sum;
            t = dt = 0.0;
            odd = n < -200;
            n = (odd ? -200 : -100) - n;
        }
        double p = 0.0, dp = 0.0;
        for (int j = n - 1; j >= 0; --j) {
            dp = dp * w + p;
            p = p * w + c[j];
        }
        c += n;
        dp *= dw;
        dt = dt * eta + t * deta + (odd ? s * dp + ds * p : dp);
        t = t * eta + (odd ? s * p : p);
        odd = !odd;
    }
    *dsum = dt + vi * d + dvi * sum;
    return t + vi * sum;
}

// c, or F if `low`, by the coefficients of ibeta_fraction() and the recurrence from behind, with their derivatives in
// a, if `first`, or b. alpha_{m+1} is m P N G with P = (a+m-1) r, N = (n+m-1) x r, G = (b-m) x, r = 1/(a+2m-1), each of
// which has a derivative without cancellation: in a
//     P' = m r^2,   (G r)' = -G r^2,   N' = -G r^2,   at given odds   G' = G y/a,   (G r)' = G r^2 ((2m-1) y/a - x),
//     N' = x r^2 (m + lambda + (m-1) y + (2m-1) (b + lambda + (m-1) y)/a).
// Twice as many steps as `steps` changed no derivative of 6000 random cases by more than 4 eps; n y = b + lambda counts
// where a is large, as in the continued fraction of the incomplete gamma function. There are 170 at most.
NMATH_FN double ibeta_dshape_fraction(double a, double b, double nx, double bx, double x, double y, double lambda,
                                      int steps, int first, int odds, int low, double *d)
{
    double f = 0.0, df = 0.0, q2 = 1.0 / (a + 2.0 * steps + 1.0), da = first ? 1.0 : 0.0, yd = y / (first ? a : b);
    double dx = odds ? (first ? x * yd : -x * yd) : 0.0;
    double dl = first ? (odds ? yd * lambda : y) : odds ? x * lambda / b : -x, dg = odds ? x * x : x;
    for (int m = steps; m > 0; --m) {
        double q = q2, k = m - 1.0, r = 1.0 / (a + m + k), G = bx - m * x, N = (nx + k * x) * r;
        double P = (a + k) * r, dP = m * r * r * da;
        double dG, dGr, dN;
        if (m == 1 && low) {
            P = r;
            dP = -r * r;
        }
        if (first) {
            dG = odds ? G * yd : 0.0;
            dGr = G * r * r * (odds ? (m + k) * yd - x : -1.0);
            dN = r * r * (odds ? x * (m + lambda + k * y + (m + k) * ((b + lambda) + k * y) / a) : -G);
        } else {
            dG = dg - m * dx;
            dGr = dG * r;
            dN = r * (odds ? -x * (lambda / b + k * yd) : x);
        }
        q2 = r;
        double L = lambda + 1.0 + m * (1.0 + y), Q = (a + m) * q;
        double beta = m + m * G * r + Q * L, dbeta = m * dGr + (m + 1.0) * q * q * da * L + Q * (dl - m * dx);
        double v = 1.0 / (beta + f), alpha = m * P * (N * G), dalpha = m * (dP * (N * G) + P * (dN * G + N * dG));
        f = alpha * v;
        df = (dalpha - f * (dbeta + df)) * v;
    }
    double L = lambda + 1.0, v = 1.0 / ((low ? q2 : a * q2) * L + f);
    *d = -v * v * ((low ? -1.0 : 1.0) * q2 * q2 * da * L + (low ? q2 : a * q2) * dl + df);
    return v;
}

// log x + psi(n) - psi(a + 1), given log x and log(n x), for a < 2
NMATH_FN double ibeta_dshape_log(double a, double n, double lx, double lz)
{
    double pa = nmath_poly(a, pgamma_dshape_psi, 23) - 1.0 / (a + 1.0);
    if (n < 2.0)
        return lx + (nmath_poly(n, pgamma_dshape_psi, 23) - (2.0 * n + 1.0) / (n * (n + 1.0)) - pa);
    return lz - (1.0 - nmath_poly((n - 4.75) / (n + 0.75), pgamma_dshape_rise, 16)) / n - pa;
}

// psi(a + b) - psi(b) - a/b, which is 0 at a = 1: from there on for a near 1
NMATH_FN double ibeta_dshape_beyond(double a, double b)
{
    double n = b, d = a;
    if (a > 0.5) {
        n = b + 1.0;
        d = a - 1.0;
    }
    return digamma_fall(n, d) + log1pmx(d / n) - (a > 0.5 ? d / (b * n) : 0.0);
}

// The series of ibeta_small() and what it has along the direction.
NMATH_FN double ibeta_dshape_small(double a, double b, double x, double y, double z, int first, int odds, double psi)
{
    double s = 0.0, ds = 0.0, t = 1.0, dt = 0.0, xy = x * y;
    double dx = odds ? (first ? xy / a : -xy / b) : 0.0, dz = first ? b * dx : odds ? x * x : x;
    for (int k = 1; k <= 24; ++k) {
        double q = x - z / k, r = 1.0 / (a + k);
        dt = dt * q + t * (dx - dz / k);
        t *= q;
        s += t * r;
        ds += dt * r - (first ? t * r * r : 0.0);
    }
    double e, p = 1.0 + a * s;
    if (first) // d log(x^a/(a B))
        e = (psi + (odds ? y : 0.0)) * p + s + a * ds;
    else
        e = (odds ? ibeta_dshape_beyond(a, b) + a * x / b : digamma_rise(b, a)) * p + a * ds;
    return e * exp(x < NMATH_RANGE(1e-290, 1e-28) ? z : -b * log1p(-x)) / a; // over M
}

NMATH_HEAVY double ibeta_dshape(double a, double b, ibeta_point u, ibeta_tail tail, int odds)
{
    int first = 1; // a lies on the side of the tail
    if (b < a) {
        double t = a;
        a = b;
        b = t;
        t = u.x;
        u.x = u.y;
        u.y = t;
        u.d = u.d < 2.0 ? u.d / (u.d - 1.0) : u.d;
        first = 0;
    }
    ibeta_frame p = ibeta_place(a, b, u);
    double x = ibeta_x(u), y = ibeta_y(u), n = p.n, v = a * (b / n);
    if (p.left && x <= 0.15 && a <= 1.3) {
        double bx = p.k == 0 ? b * x : ldexp(b * p.f, p.k);
        if (bx <= 1.5) {
            double l = ((b < 3.375 ? b + 4.0 : b) + a) * p.f, s = ldexp(l, p.k);
            l = s > NMATH_RANGE(1e-290, 1e-28) ? log(s) : log(l) + p.k * M_LN2;
            if (p.lambda < 0 || a * l > -1.5 || !first) {
                double lk = p.k * M_LN2, psi = ibeta_dshape_log(a, n, log(p.f) + lk, log(n * p.f) + lk);
                double e = ibeta_dshape_small(a, b, x, y, bx, first, odds, psi);
                if (!odds || !first || bx < 0.8 || fabs(e) > IBETA_DSHAPE_LOST / a)
                    return first ? -e : e;
            }
        }
    }
    if (p.lambda < (a < 1.0 || v >= 100.0 ? 0.0 : -0.5)) {
        double t = a;
        a = b;
        b = t;
        t = x;
        x = y;
        y = t;
        p.lambda = -p.lambda;
        p.left = !p.left;
        first = !first;
    }
    double sa = p.lambda / a, sb = p.lambda / b, g;
    if (first) {
        if (sa > 0.6) {
            g = log(p.left ? p.f * (n / a) : n * x / a) + (p.left ? p.k * M_LN2 : 0.0);
            g = odds ? g + sa : g;
        } else {
            g = odds ? log1pmx(-sa) : log1p(-sa);
        }
    } else {
        g = odds ? log1pmx(sb) : log1p(sb);
    }
    if (v >= 100.0 && p.lambda <= 0.28 * v) {
        nmath_dd e = ibeta_deviance(a, b, p);
        double vi = 1.0 / v, sv = sqrt(vi), eta = sqrt(fmax(-2.0 * e.hi, 0.0)) * sv, pa = a / n, pb = b / n;
        double dv = first ? pb / a : pa / b, ds = first ? -2.0 * pb / n : 2.0 * pa / n; // of log v, and of s
        double ratio = eta > 0.0 ? -g / eta : odds ? 0.0 : first ? pb : -pa, d;
        double s = ibeta_dshape_sum(vi, (b - a) / n, eta, -vi * dv, ds, ratio * vi - 0.5 * eta * dv, &d);
        double r = (ratio - s * g + 0.5 * s * dv - d) * (M_1_SQRT_2PI * sv / (tail.h * tail.m));
        return first ? r : -r;
    }
    int low = first && a <= 1.0;
    double nx = p.left ? p.z : n * x, bx = p.left ? b * (p.z / n) : b * x, d;
    int steps = (int)(13.0 + 3.0 * sqrt(fmin(v, 100.0)) + 115.0 / ((1.0 + 8.0 / a) * fmax(b + p.lambda, 0.9)));
    double c = ibeta_dshape_fraction(a, b, nx, bx, x, y, p.lambda, steps, first, odds, low, &d);
    double e;
    if (low) {
        double lx = p.left ? log(p.f) + p.k * M_LN2 : log(x), lz = p.left ? log(n * p.f) + p.k * M_LN2 : log(nx);
        e = ibeta_dshape_log(a, n, lx, lz) + (odds ? sa : 0.0);
    } else {
        e = g + digamma_fall(first ? a : b, first ? b : a);
    }
    double r = c * e + d;
    r = low ? r / a : r;
    return first ? -r : r;
}

#undef IBETA_DSHAPE_LOST
