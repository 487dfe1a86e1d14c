// @source_type: shim
// @source_origin: bessel_hankel.c
// @provides: bessel_hankel_k, bessel_hankel_jy, bessel_hankel_modulus
// @depends: nmath, bessel, bessel_table_k, bessel_table_jy
// @method: polynomials in 1/x and nu^2
// @all_depends: Rmath, nmath, bessel_table_jy, bessel_table_k, stirlerr_cycle_free, lgamma, gamma, bessel
// @all_depends_count: 8

// bessel_hankel -- K, x >= 1, and J + iY, x >= 2, of orders mu and mu + 1, |mu| <= 1/2, without exponential and wave.
//
//   K_nu(x) = sqrt(pi/(2x)) e^-x k(nu^2, 1/x)
//   J_nu(x) + i Y_nu(x) = sqrt(2/(pi x)) e^(i chi) (p(nu^2, 1/x) + i q(nu^2, 1/x)),  chi = x - (nu/2 + 1/4) pi
// (DLMF 10.40.2, 10.17.5, whose divergent series k, p and q are). Both are even in nu and smooth, and polynomials in
// nu^2 <= 9/4 and 1/x on intervals of x, 1 to 2 (K alone), 2 to 4, 4 to 10, 10 to 25 and beyond, give them: their
// coefficients are in bessel_table_k.cl and bessel_table_jy.cl, those of J + iY of orders 0 and 1 also with nu^2 put in. If
// mu is -1/2 or 1/2, p = k = 1 and q = 0, but q = k - 1 = 1/x at order 3/2, for all x.

// The interval, -1 for x < 2, and the variables at both orders.
typedef struct { int interval; double y, z, z_next; } bessel_hankel_point;

NMATH_FN bessel_hankel_point bessel_hankel_at(double mu, double x)
{
    bessel_hankel_point h;
    double s = 1.0 / x;
    h.interval = x < 2.0 ? -1 : x < 4.0 ? 0 : x < 10.0 ? 1 : x < 25.0 ? 2 : 3;
    h.y = x < 2.0 ? (s - 0.75) * 4.0 : x < 4.0 ? (s - 0.375) * 8.0 : x < 10.0 ? (s - 0.175) * (1.0 / 0.075)
        : x < 25.0 ? (s - 0.07) * (1.0 / 0.03) : (s - 0.02) * 50.0;
    h.z = mu * mu * (1.0 / 1.125) - 1.0;
    h.z_next = (mu + 1.0) * (mu + 1.0) * (1.0 / 1.125) - 1.0;
    return h;
}

// nmath_poly() of a row, of which neighbouring work-items have different ones
NMATH_FN double bessel_hankel_row(double x, NMATH_CONSTANT const double *c, int n)
{
#ifdef NMATH_HORNER
    double sum = NMATH_PICK(c + (n - 1));
    NMATH_UNROLL
    for (int k = n - 2; k >= 0; --k)
        sum = NMATH_FMA(sum, x, NMATH_PICK(c + k));
    return sum;
#else
    return nmath_poly(x, c, n);
#endif
}

NMATH_FN bessel_pair bessel_hankel_sum(NMATH_CONSTANT const double *c, bessel_hankel_point h, int rows, int terms)
{
    bessel_pair r;
    r.at = r.next = bessel_hankel_row(h.y, c + terms * (rows - 1), terms);
    for (int k = rows - 2; k >= 0; --k) {
        double v = bessel_hankel_row(h.y, c + terms * k, terms);
        r.at = NMATH_FMA(r.at, h.z, v);
        r.next = NMATH_FMA(r.next, h.z_next, v);
    }
    return r;
}

// k at orders mu and mu + 1.
NMATH_FN bessel_pair bessel_hankel_k(double mu, double x)
{
    bessel_pair r = {1.0, mu > 0.0 ? 1.0 + 1.0 / x : 1.0};
    if (fabs(mu) == 0.5) return r;
    bessel_hankel_point h = bessel_hankel_at(mu, x);
    return h.interval < 3 ? bessel_hankel_sum(bessel_hankel_near_k + 176 * (h.interval + 1), h, 11, 16)
                          : bessel_hankel_sum(bessel_hankel_far_k, h, 7, 9);
}

// p and q at orders mu and mu + 1.
typedef struct { bessel_pair p, q; } bessel_hankel_modulus;

NMATH_FN bessel_hankel_modulus bessel_hankel_whole(NMATH_CONSTANT const double *c, double y, int terms)
{
    bessel_hankel_modulus r;
    r.p.at = bessel_hankel_row(y, c, terms);
    r.q.at = bessel_hankel_row(y, c + terms, terms);
    r.p.next = bessel_hankel_row(y, c + 2 * terms, terms);
    r.q.next = bessel_hankel_row(y, c + 3 * terms, terms);
    return r;
}

NMATH_FN bessel_hankel_modulus bessel_hankel_jy(double mu, double x)
{
    bessel_hankel_modulus r = {{1.0, 1.0}, {0.0, mu > 0.0 ? 1.0 / x : 0.0}};
    if (fabs(mu) == 0.5) return r;
    bessel_hankel_point h = bessel_hankel_at(mu, x);
    int far = h.interval == 3, whole = mu == 0.0;
    double s = 1.0 / x;
    if (far)
        h.y = s * s * 1250.0 - 1.0;
    if (whole && far) {
        r = bessel_hankel_whole(bessel_hankel_far_whole, h.y, 6);
    } else if (whole) {
        r = bessel_hankel_whole(bessel_hankel_near_whole + 56 * h.interval, h.y, 14);
    } else if (!far) {
        r.p = bessel_hankel_sum(bessel_hankel_near_p + 140 * h.interval, h, 10, 14);
        r.q = bessel_hankel_sum(bessel_hankel_near_q + 140 * h.interval, h, 10, 14);
    } else {
        r.p = bessel_hankel_sum(bessel_hankel_far_p, h, 7, 6);
        r.q = bessel_hankel_sum(bessel_hankel_far_q, h, 7, 6);
    }
    if (far) {
        r.q.at *= s;
        r.q.next *= s;
    }
    return r;
}
