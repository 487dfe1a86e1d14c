// @source_type: c
// @source_origin: lgamma.c
// @provides: lgammafn, lgammafn_sign, lgamma_ratio, lgamma_sinpi
// @depends: nmath, stirlerr_cycle_free
// @method: one polynomial about 2 below 3.375, Stirling's formula above, reflection for x <= -0.625
// @accuracy: lgamma.tsv 0.84 eps(1+cond) (host), 0.84 (PoCL), 0.7 (H200)
// @all_depends: Rmath, nmath, stirlerr_cycle_free
// @all_depends_count: 3

// lgamma -- log|Gamma(x)|.
//
// Around 2, log Gamma(2 + z) = z R(z) with a polynomial R on -0.625 <= z <= 0.375, so that the zero at 2 keeps its
// relative accuracy. The recurrence Gamma(x + 1) = x Gamma(x) brings -0.625 < x < 3.375 there with one logarithm:
//   z = x:  z R(z) - log|x (1 + x)|;   z = x - 1:  z R(z) - log x;   z = x - 2:  z R(z);   z = x - 3:  z R(z) + log(x - 1).
// Every z is exact, and near the zero at 1 both terms are multiples of z. From 3.375 on, Stirling's formula
//   (x - 1/2) (log x - 1) + (log sqrt(2 pi) - 1/2) + stirlerr(x),
// whose terms do not cancel there. For x <= -0.625 the reflection (Abramowitz and Stegun 6.1.17)
//   log|Gamma(-y)| = log(pi/(y |sin(pi y)|)) - log Gamma(y),   with sin(pi y) from y - rint(y), which is exact.

// R(z) = log Gamma(2 + z)/z for -0.625 <= z <= 0.375, constant term first; tools/fit_gamma.py; error 2^-54.
NMATH_TABLE double lgamma_two[19] = {
    0.42278433509846713, 0.3224670334241132, -0.067352301053196922, 0.020580808427783256,
    -0.0073855510288228831, 0.0028905103307560157, -0.0011927539044193647, 0.00050966952930646674,
    -0.00022315493419552279, 9.945729376430053e-05, -4.492396308829707e-05, 2.051141505030778e-05,
    -9.4548581839437009e-06, 4.3348881557955292e-06, -1.9972103573166356e-06, 1.141654425258475e-06,
    -4.0583855719778134e-07, -1.2046585519047541e-07, -4.4046043875902942e-07
};

// sin(pi r)/r in r^2 for |r| <= 1/2, constant term first; tools/fit_gamma.py; error 2^-54.5.
NMATH_TABLE double lgamma_sinpi_c[9] = {
    3.1415926535897931, -5.1677127800499694, 2.5501640398773007, -0.59926452931894469,
    0.0821458865731029, -0.0073704305059169436, 0.00046629981618983939, -2.1903497074626018e-05,
    7.6978267682241909e-07
};

// |sin(pi y)| for finite y.
NMATH_FN double lgamma_sinpi(double y)
{
    double r = y - rint(y);
    return fabs(r * nmath_poly(r * r, lgamma_sinpi_c, 9));
}

// log Gamma(2 + z)/z for -0.625 <= z <= 0.4.
NMATH_FN double lgamma_ratio(double z) { return nmath_poly_tail(z, lgamma_two, 19, 12); }

// The thresholds have few bits, so that the upper halves tell on which side of them x is.
NMATH_HEAVY double lgammafn(double x)
{
    nmath_u32 h = nmath_high(x) & 0x7fffffffu;
    if (h >= 0x7f571547u) { // |x| > 2.5327e305
        if (isnan(x)) return x;
        if (fabs(x) > 2.5327372760800758e305) return ML_POSINF;
    }
    int reflect = nmath_high(x) >= 0xbfe40000u; // x <= -0.625
    double y = reflect ? -x : x, g;
    if (h >= 0x400b0000u) { // 3.375
        g = NMATH_FMA(y - 0.5, log(y) - 1.0, 0.41893853320467273 + stirlerr_tail(y));
    } else {
        int n = x < 0.375 && !reflect ? 0 : h < 0x3fd80000u ? 0 : h < 0x3ff60000u ? 1 : h < 0x40030000u ? 2 : 3;
        double z = y - (double)n;
        double l = log(n == 0 ? fabs(y * (1.0 + y)) : n == 1 ? y : n == 2 ? 1.0 : y - 1.0);
        g = NMATH_FMA(z, lgamma_ratio(z), n == 3 ? l : -l);
    }
    return reflect ? log(M_PI / (y * lgamma_sinpi(y))) - g : g;
}

// The same, with the sign of Gamma(x) in *sgn: -1 where x < 0 and floor(-x) is even.
NMATH_FN double lgammafn_sign(double x, int *sgn)
{
    double f = floor(-x);
    if (sgn) *sgn = x < 0.0 && f - 2.0 * floor(0.5 * f) == 0.0 ? -1 : 1;
    return lgammafn(x);
}
