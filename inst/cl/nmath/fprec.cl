// @source_type: c
// @source_origin: fprec.c
// @provides: fprec
// @depends: nmath
// @method: scaling by a power of ten, rounding half to even
// @accuracy: equal to signif() of R 4.2.2 in every bit for 1e-306 < |x| < 1e306
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// fprec -- signif(x, digits): x rounded to that many significant digits. With 10^k <= |x| < 10^(k+1) the result is
// rint(|x| 10^e) / 10^e, e = digits - 1 - k; for e <= 0 the power is a divisor first, so that up to 10^22 it is exact
// either way. digits is rounded and 0 or less counts as 1; more than 22 return x. At the ends of the range R takes
// another path that can truncate (signif(8.7e307, 1) is 8e307 there); this one rounds.

NMATH_HEAVY double fprec(double x, double digits)
{
    if (isnan(x) || isnan(digits))
        return x + digits;
    if (!isfinite(x) || x == 0.0 || digits >= 22.5)
        return x;
    int d = digits < 1.5 ? 1 : (int)floor(digits + 0.5);
    double ax = fabs(x);
    int e = d - 1 - (int)floor(log10(ax)), n = e < 0 ? -e : e;

    // Beyond 10^308 the power takes two factors.
    double p = R_pow_di(10.0, n > 308 ? 308 : n), p2 = R_pow_di(10.0, n > 308 ? n - 308 : 0);
    return copysign(e > 0 ? rint(ax * p * p2) / p / p2 : rint(ax / p) * p, x);
}
