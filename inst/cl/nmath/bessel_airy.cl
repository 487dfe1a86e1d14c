// @source_type: shim
// @source_origin: bessel_airy.c
// @provides: bessel_airy, bessel_airy_at, bessel_airy_value, bessel_airy_ratio, bessel_airy_xi, bessel_airy_place, bessel_airy_argument
// @depends: nmath, bessel
// @method: uniform expansion in Airy functions
// @all_depends: Rmath, nmath, stirlerr_cycle_free, lgamma, gamma, bessel
// @all_depends_count: 6

// bessel_airy -- J and Y of order nu >= 100 where x is near nu.
//
// DLMF 10.20.4, 10.20.5, Olver (1954), "The asymptotic expansion of Bessel functions of large order": with
// (2/3) zeta^(3/2) = log((1 + sqrt(1 - z^2))/z) - sqrt(1 - z^2), z = x/nu, and a = nu^(2/3) zeta,
//   J_nu(x) = (4 zeta/(1 - z^2))^(1/4) (Ai(a)/nu^(1/3) A + Ai'(a)/nu^(5/3) B),
//   A = 1 + A_1/nu^2 + A_2/nu^4 + ..., B = B_0 + B_1/nu^2 + ...; -Y_nu has Bi for Ai.
// zeta and the coefficients are smooth where z = 1, and polynomials in d = z - 1 and in zeta give them. The Airy
// functions are Bessel functions of orders 1/3 and 2/3 of argument X = (2/3) |zeta|^(3/2) nu <= 25 (DLMF 9.6).

// zeta/d in (d - 0.05)/0.425, -0.375 <= d <= 0.475; then A_1, A_2, A_3, B_0, B_1, B_2 in zeta/0.5625;
// tools/fit_bessel.py; error of zeta 8e-17, of A and B/nu^(4/3) 1e-17.
NMATH_TABLE double bessel_airy_zeta[26] = {
    -1.2415782358767211, 0.15135124100021455, -0.037446201922556481, 0.01093769291115234,
    -0.0034559473345103513, 0.0011445076199149964, -0.00039122487978255125, 0.00013683529205385303,
    -4.8701577339329129e-05, 1.7573052374258423e-05, -6.4115869694945802e-06, 2.360779192768747e-06,
    -8.7596055124725961e-07, 3.2714605825935975e-07, -1.2282415120074181e-07, 4.6355534686620907e-08,
    -1.7659147818108331e-08, 6.7198612487410911e-09, -2.4441475516239567e-09, 9.35162685206201e-10,
    -4.7147060524954429e-10, 1.819914363871431e-10, -3.0898781262929228e-12, 1.0109149466678675e-12,
    -2.3735874764776611e-11, 9.2395579233728948e-12
};
NMATH_TABLE double bessel_airy_a1[12] = {
    -0.0044444444443614327, -0.00082333544821325288, 0.00022351483412244211, 0.00011975953681368354,
    1.5417735842549919e-05, -3.2472010767932706e-06, -1.5805224546000641e-06, -1.858608777114801e-07,
    3.9421752095505341e-08, 1.7806646991785715e-08, 1.4670992958756746e-09, -4.6579050173823502e-10
};
NMATH_TABLE double bessel_airy_a2[8] = {
    0.00069373609222151984, 0.00020737194046614065, -8.5404039258029699e-05, -6.2537980317856217e-05,
    -1.0371904971038455e-05, 2.9908961325083642e-06, 1.6150859179610464e-06, 1.8384555205753684e-07
};
NMATH_TABLE double bessel_airy_a3[4] = {
    -0.0003555181674954507, -0.00013879791696219912, 8.4910772489040439e-05, 6.2022103594716095e-05
};
NMATH_TABLE double bessel_airy_b0[12] = {
    0.017998872141336171, 0.0049999999999932945, 0.00051437758019688131, -6.4834879093558659e-05,
    -3.0240168121587237e-05, -3.2911686257679729e-06, 5.3127652558509126e-07, 2.3194974445466461e-07,
    2.4393035073735019e-08, -4.4027942302746238e-09, -1.7226296775483784e-09, -1.4838601374615047e-10
};
NMATH_TABLE double bessel_airy_b1[10] = {
    -0.0014928295253543182, -0.00078416048172424871, -0.00012089771647220487, 3.0094736901376589e-05,
    1.7120564340845192e-05, 2.3122761635718039e-06, -5.4827428581536948e-07, -2.770372721287831e-07,
    -2.5390115410162779e-08, 8.6904391197782025e-09
};
NMATH_TABLE double bessel_airy_b2[6] = {
    0.00055224310801946859, 0.00039998001612350404, 7.94678075803087e-05, -2.7235952743690073e-05,
    -1.722770355478927e-05, -2.2839693673207799e-06
};

typedef struct { double a, scale, even, odd; } bessel_airy;

// zeta/d.
NMATH_FN double bessel_airy_ratio(double d) { return nmath_poly((d - 0.05) * (1.0 / 0.425), bessel_airy_zeta, 26); }

// xi = (2/3) |zeta|^(3/2) nu, where its definition would cancel: -0.375 <= x/nu - 1 <= 0.475.
NMATH_FN double bessel_airy_xi(double x, double nu)
{
    double d = (x - nu) / nu, zeta = fabs(d * bessel_airy_ratio(d));
    return (2.0 / 3.0) * nu * (zeta * sqrt(zeta));
}

// |zeta| nu^(2/3), the place on the axis of Airy's functions.
NMATH_FN double bessel_airy_place(double zeta, double root) { return fmax(fabs(zeta) * root * root, NMATH_RANGE(1e-40, 1e-20)); }

// The same xi, from that place.
NMATH_FN double bessel_airy_argument(double x, double nu)
{
    double d = (x - nu) / nu, a = bessel_airy_place(d * bessel_airy_ratio(d), cbrt(nu));
    return (2.0 / 3.0) * a * sqrt(a);
}

NMATH_FN bessel_airy bessel_airy_at(double x, double nu)
{
    bessel_airy r;
    double d = (x - nu) / nu, ratio = bessel_airy_ratio(d), zeta = d * ratio;
    double u = zeta * (1.0 / 0.5625), v = 1.0 / (nu * nu), root = cbrt(nu);
    r.a = bessel_airy_place(zeta, root);
    r.scale = sqrt(sqrt(-4.0 * ratio / (2.0 + d))) / root; // 1 - z^2 = -d (2 + d)
    double a = nmath_poly(u, bessel_airy_a2, 8) + v * nmath_poly(u, bessel_airy_a3, 4);
    double b = nmath_poly(u, bessel_airy_b1, 10) + v * nmath_poly(u, bessel_airy_b2, 6);
    r.even = 1.0 + v * (nmath_poly(u, bessel_airy_a1, 12) + v * a);
    r.odd = (nmath_poly(u, bessel_airy_b0, 12) + v * b) / (nu * root);
    return r;
}

// From the Airy function and its derivative at +-a.
NMATH_FN double bessel_airy_value(bessel_airy r, double f, double derivative)
{
    return r.scale * (f * r.even + derivative * r.odd);
}
