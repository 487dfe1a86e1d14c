// @source_type: shim
// @source_origin: bessel_scaled_slope.c
// @provides: bessel_scaled_slope, nchisq_index
// @depends: nmath, pgamma_utils
// @method: asymptotic series of Riccati's equation, a continued fraction where it does not serve
// @accuracy: derivatives 2.7 eps(1+cond) (host), 2.7 (PoCL)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 6

// bessel_scaled_slope -- the derivative of log(exp(-x) I_nu(x)), sign = -1, for x > 0 and nu >= 0, or of log(exp(x) K_nu(x)),
// sign = 1, where x >= 3/2 or x^2 + nu^2 >= 900. By their recurrences these would lose 2 x units where x is large, since the
// exponentials that are scaled away differ by little from what is left.
//
// g = x I'/I, as well as x K'/K, solves Riccati's equation x g' + g^2 = x^2 + nu^2, which follows from Bessel's equation
// (Abramowitz & Stegun 9.6.1). With s = sqrt(x^2 + nu^2), or -s for K, and q = x^2/s^2
//     g ~ s + sum_{k>=1} P_k(q) s^(1-k),
//     P_k = -(2 q (1 - q) P_(k-1)' + (2 - k) q P_(k-1) + sum_{0<i<k} P_i P_(k-i))/2,   P_0 = 1,
// which is the series of Debye (A&S 9.7.7 to 9.7.10), and has no cancellation: s - x = nu^2/(s + x). tools/fit_bessel_slope.py
// makes the coefficients. For s < 30 there are continued fractions.
//   K   x K'/K + x = h - 1/2,   h = (1/4 - nu^2)/(b_1 + a_2/(b_2 + a_3/(b_3 + ...))),   a_k = nu^2 - (k - 1/2)^2,   b_k = 2 (x + k)
//       (Temme 1975, J. Comput. Phys. 19, 324-337).
//   I   Perron's (Gautschi & Slavik 1978, Math. Comp. 32, 865-875): with u = nu + 1/2
//           x I_(nu+1)/I_nu = x^2/(x + 2 u + 1 - c_1),   c_k = 2 (u + k) x/(2 x + 2 u + k + 1 - c_(k+1)),
//       c_k is about u + k, and what it is more has no cancellation:
//           e_k = c_k - u - k = (u + k) (e_(k+1) - u)/(2 x + u - e_(k+1)),
//           x I'/I - x = (nu u - x/2 + (x - nu) e_1)/(x + u - e_1).
//
// nchisq_index -- E(a + j), a = df/2, where j is the component of the Poisson mixture of the non-central chi-squared
// distribution, given x and weighted by 1/(a + j): x over it is the density for df + 2 over that for df,
//     sqrt(x/ncp) I_a(z)/I_(a-1)(z) = x/(a + g),   z = sqrt(ncp x),
// for nu = a (A&S 9.6.26, 26.4.25). Here g itself counts: the series above, or the continued fraction of I_(nu+1)/I_nu (A&S 9.1.73),
//     g - nu = 2 w/((nu + 1) F_1),   F_k = 1 + w/((nu + k)(nu + k + 1) F_(k+1)),   w = z^2/4.

#define BESSEL_SLOPE_TERMS 20
#define BESSEL_SLOPE_FAR 30.0
#define BESSEL_SLOPE_STEPS 60
#define BESSEL_SLOPE_PERRON_STEPS 80
#define BESSEL_SLOPE_TEMME_STEPS 48
#define BESSEL_SLOPE_TEMME_LEAST 1.5 // of x

// P_k(q)/q, k = 1..20, lowest power first: tools/fit_bessel_slope.py
NMATH_TABLE double bessel_slope_c[210] = {
    -0.5, 0.5, -0.625, -0.5, 2.25, -1.875, 0.5, -5.875, 13.8125, -8.6328125, -0.5, 13.5, -66.375, 105.9375, -52.96875,
    0.5, -29.125, 264.25, -802.859375, 970.60546875, -404.4189453125, -0.5, 60.75, -949.5, 4859.625, -10613.90625,
    10329.375, -3689.0625, 0.5, -124.375, 3208.3125, -25849.2421875, 90396.39453125, -153716.9501953125,
    125198.39111328125, -39124.497222900391, -0.5, 252, -10427.25, 126685.875, -663483.46875, 1748682.890625,
    -2431595.5078125, 1702854.66796875, -473015.185546875, 0.5, -507.625, 33038, -587676.59375, 4417166.7265625,
    -16887328.638671875, 35580874.813476562, -41821685.233764648, 25687875.699996948, -6421968.9249992371, -0.5,
    1019.25, -102911.625, 2623663.5, -27479965.96875, 146095406.15625, -436683448.7109375, 764850679.6875,
    -778261610.65429688, 425707899.53613281, -96751795.349121094, 0.5, -2042.875, 316877.3125, -11396246.7265625,
    162787323.6171875, -1168765927.6621094, 4752498539.4960938, -11616526820.350403, 17389250912.958115,
    -15595465246.013966, 7689216931.8295956, -1601920194.1311657, -0.5, 4090.5, -967982.625, 48519031.3125,
    -929883534.375, 8824518248.578125, -47414779299.1875, 155129164723.71094, -320006953713.7207, 417944604655.32715,
    -335036095458.60352, 150356556022.77832, -28914722312.072754, 0.5, -8186.125, 2940746.25, -203521261.453125,
    5167224555.2382812, -63760502872.59668, 443115511613.1748, -1885178931073.2983, 5140785880784.459,
    -9160104276216.2871, 10605479840936.891, -7684869348093.4893, 3164687773960.8169, -565122816778.71729, -0.5,
    16377.75, -8899988.25, 844245268.125, -28109602585.3125, 445227831841.3125, -3937152127156.2188,
    21322259952699.469, -74680067324114.5, 174176354531475.88, -272894329130477.12, 283653350559568.75,
    -187509199116433.25, 71340992921729.281, -11890165486954.879, 0.5, -32761.375, 26863720.8125, -3472697102.5859375,
    150399975168.91797, -3026288628642.6201, 33615304369692.645, -227993677868445.31, 1004125250344959,
    -2978597021812704, 6059478796553096, -8465879660289028, 7981659493027465, -4850514251405325, 1714945291080104.2,
    -267960201731266.31, -0.5, 65529, -80935132.5, 14193099708.75, -794257979234.0625, 20131826861920.219,
    -277976801165851.25, 2330948532126898.5, -12701017305883616, 46917413241892248, -1.2043019236672472e+17,
    2.1701547925748909e+17, -2.7345405697574976e+17, 2.3584706067531978e+17, -1.3261872927683973e+17,
    43791670833302864, -6439951593132774, 0.5, -131064.625, 243526189, -57723599903.9375, 4151088445474.1406,
    -131612845546168.47, 2239747218839450.8, -22979017692521808, 1.5293230014027824e+17, -6.922116050622624e+17,
    2.1952193615392796e+18, -4.9583677371225989e+18, 8.0132006364108698e+18, -9.192080923802283e+18,
    7.3045883339930522e+18, -3.8217947171127368e+18, 1.1837974527759864e+18, -1.6441631288555366e+17, -0.5, 262136.25,
    -732085779.375, 233878070880, -21515521448421.562, 848310517857593.75, -17665452936361432, 2.1985117796641485e+17,
    -1.7686300010728317e+18, 9.6841208776532132e+18, -3.7336313964379628e+19, 1.0350958788950526e+20,
    -2.0851189676456198e+20, 3.0529706946081876e+20, -3.2132311342693961e+20, 2.3670764383140305e+20,
    -1.1579138466490728e+20, 3.3773828850513195e+19, -4.4439248487517358e+18, 0.5, -524279.875, 2199402938.8125,
    -944847426143.32031, 110774075167357.55, -5404519961155567, 1.3689085380723854e+17, -2.0517312782591401e+18,
    1.97803058861935e+19, -1.2966724466255197e+20, 6.0005386418262114e+20, -2.0092829213757557e+21,
    4.9405615326790943e+21, -8.973873411936068e+21, 1.2005394216373346e+22, -1.1670558926280979e+22,
    8.0119524501946871e+21, -3.6798304344043673e+21, 1.0141608050113726e+21, -1.2677010062642158e+20
};

// g -+ s, q = (x/s)^2; s is negative for K
NMATH_FN double bessel_slope_rest(double s, double q)
{
    double v = 1.0 / s, r = 0.0;
    for (int k = BESSEL_SLOPE_TERMS; k > 0; --k) {
        NMATH_CONSTANT const double *c = bessel_slope_c + k * (k - 1) / 2;
        double p = 0.0;
        for (int i = k - 1; i >= 0; --i)
            p = p * q + c[i];
        r = r * v + q * p;
    }
    return r;
}

// (g - nu)/2 for I where nu^2 + 4 w < 900
NMATH_FN double bessel_slope_near(double nu, double w)
{
    double f = 1.0;
    for (int k = BESSEL_SLOPE_STEPS; k > 0; --k)
        f = 1.0 + w / ((nu + k) * (nu + (k + 1.0)) * f);
    return w / ((nu + 1.0) * f);
}

// g - x for I
NMATH_FN double bessel_slope_perron(double x, double nu)
{
    double u = nu + 0.5, e = 0.0;
    for (int k = BESSEL_SLOPE_PERRON_STEPS; k > 0; --k)
        e = (u + k) * (e - u) / (2.0 * x + (u - e));
    return (nu * u - 0.5 * x + (x - nu) * e) / (x + (u - e));
}

// g + x for K
NMATH_FN double bessel_slope_temme(double x, double nu)
{
    double f = 0.0;
    for (int k = BESSEL_SLOPE_TEMME_STEPS; k > 1; --k)
        f = (nu - (k - 0.5)) * (nu + (k - 0.5)) / (2.0 * (k + x) + f);
    return (0.5 - nu) * (0.5 + nu) / (2.0 * (1.0 + x) + f) - 0.5;
}

NMATH_FN double bessel_scaled_slope(double x, double nu, double sign)
{
    if (ISNAN(x) || ISNAN(nu) || ISNAN(sign))
        return x + nu + sign;
    nu = fabs(nu);
    double s = nmath_hypot(x, nu), up = sign > 0.0 ? -1.0 : 1.0, p = x / s;
    if (isinf(x))
        return 0.0;
    if (!(s >= BESSEL_SLOPE_FAR) && up < 0.0)
        return x >= BESSEL_SLOPE_TEMME_LEAST ? bessel_slope_temme(x, nu) / x : ML_NAN;
    if (!(s >= BESSEL_SLOPE_FAR))
        return bessel_slope_perron(x, nu) / x;
    return (up * (nu * (nu / (s + x))) + bessel_slope_rest(up * s, p * p)) / x;
}

NMATH_FN double nchisq_index(double x, double df, double ncp)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    double a = 0.5 * df, z = sqrt(fmax(x, 0.0)) * sqrt(ncp), s = nmath_hypot(a, z), p = z / s;
    if (isinf(z))
        return ML_POSINF;
    if (!(s >= BESSEL_SLOPE_FAR))
        return df + 2.0 * bessel_slope_near(a, 0.25 * z * z);
    return a + s + bessel_slope_rest(s, p * p);
}

#undef BESSEL_SLOPE_TERMS
#undef BESSEL_SLOPE_FAR
#undef BESSEL_SLOPE_STEPS
#undef BESSEL_SLOPE_PERRON_STEPS
#undef BESSEL_SLOPE_TEMME_STEPS
#undef BESSEL_SLOPE_TEMME_LEAST
