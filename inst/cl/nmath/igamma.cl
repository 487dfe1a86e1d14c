// @source_type: shim
// @source_origin: igamma.c
// @provides: igamma_value, igamma_in_middle, igamma_factor, igamma_middle_place, igamma_peak, igamma_exponent, igamma_core, igamma_finish, igamma_at
// @depends: nmath, dpq, pnorm, igamma_table
// @method: uniform asymptotic form fitted in two variables, series, continued fraction; one prefactor, smaller tail
// @accuracy: 0.7 eps(1+cond) over shapes 1e-300 to 1e9 (host and PoCL); see pgamma, ppois, qgamma
// @all_depends: Rmath, nmath, dpq, igamma_table, pnorm
// @all_depends_count: 5

// igamma -- the incomplete gamma function behind pgamma, pchisq, ppois and their quantiles: the smaller of the two tails
//     P(a, x) = integral_0^x t^(a-1) e^-t dt / Gamma(a)   and   Q = 1 - P
// as exp(e) f with f of moderate size, so that the tail and its logarithm are equally good, and the density as
// x^a e^-x / Gamma(a + 1) = exp(e) g. With l = x/a:
//
//   a >= 1, 1/4 <= l <= 5/2   the uniform expansion of Temme (1979), "The asymptotic expansion of the incomplete gamma
//       functions", SIAM J. Math. Anal. 10, 757-766: with h = a (l - 1 - log l) and y = sqrt(2 h),
//           tail = e^-h (R(y) +- T/sqrt(2 pi a)),   R(y) = e^(y^2/2) (1 - Phi(y)), + for Q, - for P.
//       T depends smoothly on w = log l (poles at w = +-2 pi i) and, unlike its asymptotic series in 1/a, is good for
//       every a > 0: a polynomial in w and t = (a - 2.75)/(a + 0.75) down to a = 1. All of this costs no logarithm and
//       no branch, and work-items with ordinary arguments share it.
//   a < 1, x < 1     P = x^a (1 - eps)/Gamma(1 + a), eps = a sum (-1)^(n-1) x^n/(n! (a + n)), and Q from the same parts,
//       1 - x^a and 1 - 1/Gamma(1 + a) as expm1 and a polynomial (Gautschi 1979, ACM TOMS 5, 466-481).
//   a >= 1, l < 1/4  P = x^a e^-x/Gamma(a + 1) sum x^n/((a + 1)...(a + n)), 32 terms, the exponent in double-double:
//       a Poisson tail has a condition number far below it.
//   elsewhere        Legendre's continued fraction for Q (Abramowitz & Stegun 6.5.31, contracted), 10 + 75/x <= 25 steps
//       from x = 5 on; below, where a < 2 and it converges slowly, 8 steps and a fit of the rest in log x and a.
//
// The fits are in igamma_table.cl. Series and continued fraction are carried as numerator and denominator, with one division at the end. Every loop has
// a fixed length or at most 25 steps.

typedef struct { double e, el, f, g; int lower; } igamma_value;

NMATH_FN int igamma_in_middle(double x, double a) { return a >= 1.0 && x >= 0.25 * a && x <= 2.5 * a; }

// The part of 1/Gamma(a + 1) that depends on a alone: (1/Gamma(a + 1) - 1)/a for a < 2, a^a e^-a/Gamma(a + 1) above.
NMATH_FN double igamma_factor(double a)
{
    if (a < 2.0)
        return nmath_poly(a, igamma_rgamma, 19);
    return nmath_poly_tail((a - 4.75) / (a + 0.75), igamma_fade, 15, 7) * (M_1_SQRT_2PI / sqrt(a));
}

// x - a, h and w
typedef struct { double d, h, w; } igamma_place;

NMATH_FN igamma_place igamma_middle_place(double x, double a)
{
    igamma_place p;
    double s = 0.5 * (x - a) / (0.5 * x + 0.5 * a), z = s * s, z2 = z * z;
    p.d = x - a;
    // the two halves of one polynomial, independent of each other
    double even = igamma_atanh[16], odd = igamma_atanh[15];
    for (int k = 14; k > 0; k -= 2) {
        even = NMATH_FMA(even, z2, igamma_atanh[k]);
        odd = NMATH_FMA(odd, z2, igamma_atanh[k - 1]);
    }
    double l2 = 2.0 * s * z * (igamma_atanh[0] + z * (odd + z * even)); // log(x/a) - 2 s
    p.h = p.d * s - a * l2;
    p.w = 2.0 * s + l2;
    return p;
}

// a^a e^-a/Gamma(a + 1), a >= 1
NMATH_FN double igamma_peak(double a, double factor)
{
    return a < 2.0 ? (1.0 + a * factor) * exp(a * (log(a) - 1.0)) : factor;
}

NMATH_FN igamma_value igamma_middle(double x, double a, double factor)
{
    igamma_value v;
    igamma_place p = igamma_middle_place(x, a);
    double root = sqrt(a), y = M_SQRT2 * sqrt(p.h);
    double q = igamma_temme_sum(p.w, (a - 2.75) / (a + 0.75)) * (M_1_SQRT_2PI / root), r = pnorm_mills(y);
    v.e = -p.h;
    v.el = 0.0;
    v.lower = p.d < 0.0;
    v.f = v.lower ? r - q : r + q;
    v.g = igamma_peak(a, factor);
    return v;
}

// a < 1, x < 1, l = log x
NMATH_FN igamma_value igamma_small(double x, double a, double l, double q)
{
    igamma_value v;
    // sum_{n>=1} (-x)^(n-1) / (n! (a + n)) as num/den: S_n = 1/(a + n) - x/(n + 1) S_{n+1}
    double num = 1.0, den = a + 17.0;
    int n = 16;
#ifdef NMATH_FLOAT_PAIRS // from the tenth term on one float will do
    float s = 0.0f, xf = NMATH_REST(x), af = NMATH_REST(a);
    for (; n >= 10; --n)
        s = 1.0f / (af + (float)n) - xf / (float)(n + 1) * s;
    num = s;
    den = 1.0;
#endif
    for (; n > 0; --n) {
        double b = a + n, c = (n + 1) * den;
        num = c - x * (b * num);
        den = b * c;
    }
    double ex = a * l, eps = x * (num / den), m = expm1(ex), xa = ex < -1.0 ? exp(ex) : 1.0 + m, g = 1.0 + a * q;
    double p = g * (1.0 - a * eps);
    v.lower = xa * p < 0.5;
    v.e = v.lower ? ex : 0.0;
    v.el = 0.0;
    v.f = v.lower ? p : -m - xa * (a * (q - g * eps));
    v.g = exp(-x) * (v.lower ? g : g * xa);
    return v;
}

// x^a e^-x over its value at a, or for a < 2 x^a e^-x itself, as exp(e); x = m 2^k
NMATH_FN nmath_dd igamma_exponent(double x, double a, double m, int k)
{
    int low = a < 2.0;
    double d = low ? x : x - a;
    nmath_dd e = dd_log_ratio(m, low ? 1.0 : a), r;
    if (k != 0) {
        // log 2 in two pieces, the first with room for k
        nmath_dd s = dd_two_sum(k * NMATH_LN2_HI, e.hi);
        e = dd_normal(s.hi, NMATH_REST(s.lo) + (NMATH_REST(e.lo) + NMATH_REST(k * NMATH_LN2_LO)));
    }
    r.hi = 4.0 * ((0.25 * a) * e.hi - 0.25 * d); // the first term may overflow alone
    r.lo = 0.0;
    if (r.hi > -1000.0) { // beyond, exp() is 0 and its logarithm needs no second word
        e = dd_mul_normal(e, a);
        nmath_dd s = dd_two_sum(e.hi, -d);
        r = dd_normal(s.hi, NMATH_REST(s.lo) + NMATH_REST(e.lo));
    }
    return r;
}

// P for x < a, by the power series
NMATH_FN igamma_value igamma_series(double x, double a, double m, int k, double factor)
{
    igamma_value v;
    double c = 1.0 / (1.0 + a), xc = x * c, num = 1.0, den = 1.0;
    int n = 31;
#ifdef NMATH_FLOAT_PAIRS // 23 terms, of which one float will do from the twelfth on
    float s = 1.0f, xf = NMATH_REST(x), af = NMATH_REST(a);
    for (n = 22; n >= 12; --n)
        s = 1.0f + xf / (af + (float)(n + 1)) * s;
    num = s;
#endif
    for (; n >= 0; --n) {
        den *= NMATH_MAD(n, c, 1.0); // (a + n + 1)/(a + 1)
        num = NMATH_MAD(xc, num, den);
    }
    nmath_dd e = igamma_exponent(x, a, m, k);
    v.e = e.hi;
    v.el = e.lo;
    v.lower = 1;
    v.g = a < 2.0 ? 1.0 + a * factor : factor;
    v.f = v.g * (num / den);
    return v;
}

// Q for x >= 1, x > a, by the continued fraction, everything divided by x
NMATH_FN igamma_value igamma_fraction(double x, double a, double factor)
{
    igamma_value v;
    int low = a < 2.0, fit = low && x < 5.0;
    double l = log(low ? x : x / a), rx = 1.0 / x, al = a * rx;
    double num = fit ? igamma_tail_sum(l, a - 1.0) * rx : 0.0, den = 1.0, b = 1.0 - al + rx;
    int n = fit ? 8 : (int)NMATH_DIGITS(10.0 + 75.0 * rx, 9.0 + 52.0 * rx);
#ifdef NMATH_FLOAT_PAIRS // of the steps from the ninth on one float will do
    float s = 0.0f, rf = NMATH_REST(rx), bf = NMATH_REST(b), alf = NMATH_REST(al);
    for (; n > 8; --n) {
        float nf = (float)n * rf;
        s = nf * (alf - nf) / (bf + 2.0f * nf + s);
    }
    num = fit ? num : (double)s;
#endif
    for (; n > 0; --n) {
        double nx = n * rx, t = den;
        den = NMATH_MAD(b + 2.0 * nx, t, num);
        num = nx * (al - nx) * t;
    }
    double q = den / NMATH_MAD(b, den, num);
    v.e = low ? (a - 1.0) * l - x : a * l - (x - a);
    v.el = 0.0;
    v.lower = 0;
    v.g = low ? (1.0 + a * factor) * x : factor;
    v.f = low ? (1.0 + a * factor) * a * q : factor * al * q;
    return v;
}

// The smaller tail at 0 < x < Inf, 0 < a < Inf, given x = m 2^k and factor = igamma_factor(a).
NMATH_HEAVY igamma_value igamma_core(double x, double a, double m, int k, double factor)
{
    if (igamma_in_middle(x, a))
        return igamma_middle(x, a, factor);
    if (x < 1.0 && a < 1.0)
        return igamma_small(x, a, log(m) + k * M_LN2, factor);
    return x < a ? igamma_series(x, a, m, k, factor) : igamma_fraction(x, a, factor);
}

// The tail asked for, on the scale asked for.
NMATH_FN double igamma_finish(igamma_value v, int lower_tail, int log_p)
{
    int far = v.lower != (lower_tail != 0);
    if (log_p && !far)
        return v.e + (v.el + log(v.f));
    nmath_dd e;
    e.hi = v.e;
    e.lo = v.el;
    double t = dd_exp(e) * v.f + 0.0; // f may be -0
    return far ? (log_p ? log1p(-t) : 1.0 - t) : t;
}

// P (lower_tail) or Q for any x >= 0 and a >= 0, infinities included; x = m 2^k, k = 0 unless x is out of range.
NMATH_HEAVY double igamma_at(double x, double a, double m, int k, int lower_tail, int log_p)
{
    if (m <= 0.0)
        return R_DT_0;
    if (isinf(x) || a == 0.0)
        return R_DT_1;
    if (isinf(a))
        return x < 1.0 ? ML_NAN : R_DT_0;
    double factor = igamma_in_middle(x, a) ? 0.0 : igamma_factor(a);
    return igamma_finish(igamma_core(x, a, m, k, factor), lower_tail, log_p);
}
