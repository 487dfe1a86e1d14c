// @source_type: h
// @source_origin: bessel.h
// @provides: bessel_pair, bessel_power, BESSEL_DEBYE, BESSEL_FAR, BESSEL_FEW, BESSEL_FEW_HALF, BESSEL_AIRY, BESSEL_SMALL, BESSEL_SMALL_K, BESSEL_SQRT_PI_2, BESSEL_POWER_J, bessel_power_terms, bessel_step_rest
// @depends: nmath, gamma
// @method: power series of I and J, terms by backward recurrence
// @all_depends: Rmath, nmath, stirlerr_cycle_free, lgamma, gamma
// @all_depends_count: 5

// bessel -- what the Bessel functions of real order share: the borders of their regions, and the power series.
//
// Orders are not negative here; the functions' own files reflect (Abramowitz and Stegun 9.1.2, 9.6.2). With
// xi = |sqrt(x^2 - nu^2) - nu acos(nu/x)|, the phase or exponent of J and Y, and r = hypot(x, nu):
//
//   I   r >= 25: Debye's expansion (bessel_debye); else the power series
//   K   r >= 25 and nu >= 8: Debye's expansion; else K of orders mu and mu + 1, |mu| <= 1/2, and the recurrence in nu
//   J Y xi >= 25 and nu >= 8 (20 if x < nu; 16 if 2 nu is odd): Debye's expansions; else nu >= 100: Airy functions (bessel_airy); else J and
//       Y of orders mu and mu + 1 and the recurrence, J downward if nu > x; J also by its power series, where it does
//       not cancel
//
// Orders mu and mu + 1 come from Temme's series for x < 2, K for x < 1 (bessel_temme), else from fitted polynomials
// (bessel_hankel).
// So every path is of bounded length, 150 steps of a recurrence at most, whatever nu and x are.

#ifndef NMATH_BESSEL_H
#define NMATH_BESSEL_H

#define BESSEL_DEBYE 25.0  // Debye's expansions hold from here on
#define BESSEL_FAR(x, nu) \
    ((x) >= BESSEL_DEBYE || (nu) >= BESSEL_DEBYE || (x) * (x) + (nu) * (nu) >= BESSEL_DEBYE * BESSEL_DEBYE)
#define BESSEL_FEW 8.0     // below this order the recurrence is cheaper
#define BESSEL_FEW_HALF 16.0 // also if it is half an odd number, where the functions are elementary
#define BESSEL_AIRY 100.0  // from this order on, the transition region is Airy's
#define BESSEL_SMALL 2.0   // Temme's series of Y below this x
#define BESSEL_SMALL_K 1.0 // and of K
#define BESSEL_SQRT_PI_2 1.2533141373155003 // sqrt(pi/2)

// A function at two orders: mu and mu + 1.
typedef struct { double at, next; } bessel_pair;

// 2/x - step, step = 2/x rounded, or 0 where it does not matter.
NMATH_FN double bessel_step_rest(double x, double step)
{
    return x > NMATH_RANGE(1e-100, 1e-28) ? fma(-step, x, 2.0) / x : 0.0;
}

// (x/2)^nu / Gamma(nu + 1) * sum_k y^k / (k! (nu + 1)_k), y = x^2/4 for I and -x^2/4 for J (A&S 9.6.10, 9.1.10), from
// its last term backward; `terms` of them. nu < 110.
NMATH_HEAVY double bessel_power(double x, double nu, double y, int terms)
{
    double s = 1.0;
    for (int k = terms; k > 0; --k)
        s = 1.0 + s * (y / ((double)k * (nu + (double)k)));
    int tiny = x < NMATH_RANGE(1e-300, 1e-34); // x/2 may lose bits
    double power = R_pow(tiny ? x : 0.5 * x, nu) * (tiny ? exp(-M_LN2 * nu) : 1.0);
    // Gamma(nu + 1) = nu Gamma(nu): nu + 1 may be rounded
    double low = nu < 1.0 ? 1.0 : nu;
    return nu == 0.0 ? s : s * (power / (low * gammafn(nu < 1.0 ? nu + 1.0 : nu)));
}

// Enough terms for I, x < 25, and for J where x^2/4 < 0.7 (nu + 1) or x < 2.
NMATH_FN int bessel_power_terms(double x) { return 13 + (int)(1.2 * x); }
#define BESSEL_POWER_J 17

#endif
