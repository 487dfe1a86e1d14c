// @source_type: c
// @source_origin: fround.c
// @provides: fround
// @depends: nmath
// @method: nearer of the two neighbouring decimals, as doubles; a tie goes to the even digit
// @accuracy: equal to round() of R 4.2.2 in every bit
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// fround -- round(x, digits) as R defines it since 4.0.0 (?round; M. Maechler, "Rounding to Decimal Digits in Binary",
// vignette of the CRAN package round, algorithm "r3"). With p = 10^digits the candidates are the doubles floor(x p)/p
// and ceil(x p)/p; the one closer to x wins, measured in doubles, and where they are equally close the one whose last
// digit is even. An x that has no more digits than a double tells apart, 15 or so, is its own result. p comes from
// R_pow_di, also for negative digits, so that the candidates are R's.

NMATH_HEAVY double fround(double x, double digits)
{
    if (isnan(x) || isnan(digits))
        return x + digits;
    if (!isfinite(x) || x == 0.0 || digits > 323.0)
        return x;
    if (digits < -308.0)
        return 0.0;
    int d = (int)floor(digits + 0.5);
    if (d == 0)
        return rint(x);

    int e;
    (void)frexp(x, &e);
    if (d >= 15 - (int)floor(M_LOG10_2 * (e - 0.5)))
        return x;

    // Beyond 10^308 the power takes two factors.
    double p = R_pow_di(10.0, d > 308 ? 308 : d), p2 = R_pow_di(10.0, d > 308 ? d - 308 : 0);
    double ax = fabs(x), t = ax * p * p2, i = floor(t);
    double below = i / p / p2, above = ceil(t) / p / p2;
    double from_below = ax - below, to_above = above - ax;
    return copysign(from_below < to_above || (from_below == to_above && fmod(i, 2.0) == 0.0) ? below : above, x);
}
