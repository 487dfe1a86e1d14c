// @source_type: shim
// @source_origin: bessel_debye.c
// @provides: bessel_debye, bessel_debye_sums, bessel_exponent, bessel_debye_exponent, bessel_debye_times_exp, BESSEL_HYPERBOLIC, BESSEL_BELOW, BESSEL_ABOVE, BESSEL_WIDE
// @depends: nmath, dd, logdd, poly, bessel
// @method: Debye expansions, polynomials U_k, 19 terms or fewer; exponents and phases in double-double
// @all_depends: Rmath, nmath, dd, poly, logdd, stirlerr_cycle_free, lgamma, gamma, bessel
// @all_depends_count: 9
// @load_order: 85

// bessel_debye -- sums, exponents and phases of Debye's expansions, which hold for large order and large argument alike.
//
// With U_k of DLMF 10.41.9, q_k(w) = U_k(p)/p^k, w = p^2, t > 0 and T = t^2 or -t^2,
//   even = sum_m T^m q_2m(w),   odd = t sum_m T^m q_{2m+1}(w).
//   I, K (10.41.3, 10.41.4)         t = 1/hypot(nu, x),        T = t^2,  w = nu^2 t^2:  even +- odd
//   J, Y for x < nu (10.19.3)       t = 1/sqrt(nu^2 - x^2),    T = t^2,  w = nu^2 t^2:  even +- odd
//   J + iY for x > nu (10.19.6)     t = 1/sqrt(x^2 - nu^2),    T = -t^2, w = -nu^2 t^2: even - i odd
// The k-th term is about (k - 1)!/(2 pi (2 d)^k), d being hypot(nu, x) or the phase or exponent xi: 19 terms leave
// 2e-17 at d = 25. For order 0 these are Hankel's expansions. Where w is huge, near a turning point of a huge order,
// the condition number is larger yet, and few terms do; many would overflow.
//
// Exponents and phases are sums of two doubles: their absolute error is the functions' relative one. They are differences
// of terms that grow like nu, known to 2^-62, so that an ulp is lost beyond orders of about 1000.

typedef struct { double even, odd; } bessel_debye;

// Coefficients of q_0, q_1, ..., q_19, each from the constant term up; tools/fit_bessel.py.
NMATH_TABLE double bessel_debye_c[210] = {
    1, 0.125, -0.20833333333333334, 0.0703125,
    -0.40104166666666669, 0.3342013888888889, 0.0732421875, -0.89121093750000002,
    1.8464626736111112, -1.0258125964506173, 0.112152099609375, -2.3640869140624998,
    8.78912353515625, -11.207002616222994, 4.6695844234262474, 0.22710800170898438,
    -7.3687943594796321, 42.534998745388457, -91.818241543240021, 84.636217674600729,
    -28.212072558200244, 0.57250142097473145, -26.491430486951554, 218.19051174421159,
    -699.57962737613252, 1059.9904525279999, -765.25246814118168, 212.57013003921713,
    1.7277275025844574, -108.09091978839466, 1200.9029132163525, -5305.646978613403,
    11655.393336864534, -13586.550006434138, 8061.7221817373093, -1919.4576623184071,
    6.074042001273483, -493.915304773088, 7109.5143024893641, -41192.65496889755,
    122200.46498301746, -203400.17728041555, 192547.00123253153, -96980.598388637518,
    20204.291330966149, 24.380529699556064, -2499.8304818112097, 45218.768981362729,
    -331645.17248456361, 1268365.2733216248, -2813563.2265865342, 3763271.2976564039,
    -2998015.9185381066, 1311763.6146629772, -242919.18790055133, 110.01714026924674,
    -13886.08975371704, 308186.40461266239, -2785618.1280864547, 13288767.166421818,
    -37567176.660763353, 66344512.274729028, -74105148.211532652, 50952602.492664643,
    -19706819.118432228, 3284469.8530720379, 551.33589612202059, -84005.433603024081,
    2243768.1779224495, -24474062.72573873, 142062907.79753309, -495889784.27503031,
    1106842816.8230145, -1621080552.1083372, 1553596899.57058, -939462359.6815784,
    325573074.18576574, -49329253.66450996, 3038.0905109223841, -549842.32757228869,
    17395107.553978164, -225105661.88941526, 1559279864.8792574, -6563293792.6192846,
    17954213731.155602, -33026599749.800724, 41280185579.753975, -34632043388.158775,
    18688207509.295826, -5866481492.0518475, 814789096.11831212, 18257.755474293175,
    -3871833.4425726128, 143157876.71888897, -2167164983.2237949, 17634730606.834969,
    -87867072178.02327, 287900649906.15057, -645364869245.37646, 1008158106865.3821,
    -1098375156081.2233, 819218669548.57727, -399096175224.46649, 114498237732.0258,
    -14679261247.695616, 118838.42625678325, -29188388.122220814, 1247009293.5127103,
    -21822927757.529224, 205914503232.41, -1196552880196.1816, 4612725780849.1318,
    -12320491305598.287, 23348364044581.84, -31667088584785.16, 30565125519935.32,
    -20516899410934.438, 9109341185239.8984, -2406297900028.5039, 286464035717.67902,
    832859.3040162893, -234557963.52225152, 11465754899.448236, -229619372968.24646,
    2485000928034.0854, -16634824724892.48, 74373122908679.141, -232604831188939.94,
    523054882578444.62, -857461032982895, 1026955196082762.5, -889496939881026.5,
    542739664987659.75, -221349638702525.19, 54177510755106.047, -6019723417234.0059,
    6252951.493434797, -2001646928.1917763, 110997405139.17902, -2521558474912.8545,
    31007436472896.461, -236652530451649.25, 1212675804250347.5, -4379325838364015.5,
    11486706978449752, -22268225133911144, 32138275268586240, -34447226006485144,
    27054711306197080, -15129826322457682, 5705782159023671, -1301012723549699.5,
    135522158703093.69, 50069589.531988926, -18078220384.658062, 1128709145410.874,
    -28863837631414.762, 400044457043036.25, -3450385511846272.5, 20064271476309532,
    -82709456515850640, 2.4960365126160426e+17, -5.6263178807463603e+17, 9.5753350981691392e+17,
    -1.2336116931960694e+18, 1.1961991142756308e+18, -8.5925779803175475e+17, 4.4347954614171904e+17,
    -1.5552983504313904e+17, 33192764720355224, -3254192619642669, 425939216.50476688,
    -172283238717.35049, 12030115826419.191, -343965304743075.94, 5335106978708839,
    -51605093193485224, 3.3766762497906099e+17, -1.5736434765189599e+18, 5.4028948767159818e+18,
    -1.3970803516443374e+19, 2.7572829816505188e+19, -4.1788614446568391e+19, 4.8599427293248356e+19,
    -4.3015557038314439e+19, 2.846521225167657e+19, -1.3639420410571592e+19, 4.47020096401231e+18,
    -8.9661142152704627e+17, 83019576067319104, 3836255180.2304335, -1727704012352.9995,
    134124169151806.39, -4261935510426898.5, 73516636109309712, -7.9216511193238323e+17,
    5.7898876676646533e+18, -3.025566598990372e+19, 1.1707490535797259e+20, -3.4346213997684169e+20,
    7.7567049534611364e+20, -1.360203777284994e+21, 1.8571089321463453e+21, -1.9677247077053125e+21,
    1.6016898573693598e+21, -9.8244384276898578e+20, 4.3927922008887119e+20, -1.351217503435996e+20,
    2.5563802960529236e+19, -2.242438856186775e+18
};

// Two steps at a time, from the last term down: q_{k-1} and q_k are chains of operations that do not wait for each
// other.
NMATH_HEAVY bessel_debye bessel_debye_sums(double t, double T, double w, double d)
{
    int m = d >= 600.0 ? 3 : d >= 60.0 || fabs(w) > 1e12 ? 6 : 10, row = m * (2 * m + 1);
    double even = 0.0, odd = 0.0;
    for (; m > 0; --m) {
        // Rows 2m - 2 (that many + 1 coefficients) and 2m - 1 end before `row`.
        int top = row - 1, low = row - 2 * m - 1;
        double a = bessel_debye_c[low], b = bessel_debye_c[top];
        for (int j = 2 * m - 2; j > 0; --j) {
            b = NMATH_FMA(b, w, bessel_debye_c[--top]);
            a = NMATH_FMA(a, w, bessel_debye_c[--low]);
        }
        b = NMATH_FMA(b, w, bessel_debye_c[--top]);
        even = NMATH_FMA(even, T, a);
        odd = NMATH_FMA(odd, T, b);
        row = low;
    }
    bessel_debye r;
    r.even = even;
    r.odd = t * odd;
    return r;
}

// The root sqrt(x^2 +- nu^2) and e: with the root r of x^2 + nu^2 or s of |x^2 - nu^2|,
//   BESSEL_HYPERBOLIC  e = r - nu log((nu + r)/x) - times x, times = -1, 0 or 1   the exponent of I
//   BESSEL_BELOW       e = s - nu log((nu + s)/x), x < nu                         the exponent of J
//   BESSEL_ABOVE       e = s - nu atan(s/nu), nu < x < 2 nu                       the phase of J
//   BESSEL_WIDE        e = nu^2/(x + s) - nu atan(nu/s), x >= 2 nu                x less that phase, less nu pi/2
// where r - x = nu^2/(r + x).
typedef struct { double root; dd e; } bessel_exponent;

#define BESSEL_HYPERBOLIC 0
#define BESSEL_BELOW 1
#define BESSEL_ABOVE 2
#define BESSEL_WIDE 3

// atan(k/8), each as hi and lo; tools/fit_bessel.py
NMATH_TABLE double bessel_debye_angle[30] = {
    0, 0, 0.12435499454676144, -3.1253241424539383e-18,
    0.24497866312686414, 1.0698755618734451e-17, 0.35877067027057225, -2.4623815582638635e-17,
    0.46364760900080609, 2.2698777452961687e-17, 0.55859931534356244, -5.4556305485916264e-18,
    0.64350110879328437, 1.5834785051444286e-17, 0.71882999962162453, -2.1478388444456983e-17,
    0.78539816339744828, 3.061616997868383e-17, 0.84415398611317105, -4.8413370119349168e-17,
    0.89605538457134393, 2.9238762857743049e-17, 0.94200004037946361, 5.4608374858466876e-17,
    0.98279372324732905, 1.3903311031230998e-17, 1.0191413442663497, 1.0004018869366799e-17,
    1.0516502125483738, -9.6505647314675135e-17
};

// 1/3 - w/5 + w^2/7 - ... = (1 - atan(u)/u)/w, w = u^2 <= 1/256; error 2^-59
NMATH_TABLE double bessel_debye_atan[7] = {
    0.33333333333333331, -0.2, 0.14285714285714285, -0.1111111111111111, 0.090909090909090912, -0.076923076923076927,
    0.066666666666666666
};

// p/q
NMATH_FN dd bessel_debye_ratio(dd p, dd q)
{
    double h = p.hi / q.hi;
    return dd_fast_two_sum(h, (fma(-h, q.hi, p.hi) + (p.lo - h * q.lo)) / q.hi);
}

// atan(y/x), 0 <= y <= 1.8 x, to 2^-62: with t = k/8 near its tangent, atan(t) + atan((y - t x)/(x + t y)).
NMATH_FN dd bessel_debye_atan2(dd y, dd x)
{
    int k = (int)(8.0 * (y.hi / x.hi) + 0.5);
    double t = 0.125 * (double)k;
    dd p = dd_mul_d(x, -t), q = dd_mul_d(y, t), u = bessel_debye_ratio(dd_add(y, p), dd_add(x, q));
    double w = u.hi * u.hi, v = w * poly(w, bessel_debye_atan, 7);
    dd r = dd_two_sum(bessel_debye_angle[2 * k], u.hi);
    return dd_fast_two_sum(r.hi, r.lo + (u.lo + (bessel_debye_angle[2 * k + 1] - u.hi * v)));
}

NMATH_HEAVY bessel_exponent bessel_debye_exponent(double x, double nu, int kind, int times)
{
    bessel_exponent b;
    double big = fmax(x, nu), small = fmin(x, nu), h = big > 1e150 ? 0x1p-600 : 1.0;
    dd p, q, r, angle, X, V;
    big *= h;
    small *= h;
    X.hi = x * h;
    V.hi = nu * h;
    X.lo = V.lo = 0.0;
    if (kind == BESSEL_HYPERBOLIC) {
        p = dd_add(dd_two_prod(big, big), dd_two_prod(small, small));
    } else {
        q = dd_two_sum(big, small);
        r = dd_two_sum(big, -small);
        p = dd_two_prod(q.hi, r.hi);
        p.lo += q.hi * r.lo + q.lo * r.hi;
    }
    r.hi = sqrt(p.hi);
    r.lo = (fma(-r.hi, r.hi, p.hi) + p.lo) / (2.0 * r.hi);
    if (kind == BESSEL_ABOVE || kind == BESSEL_WIDE) {
        int wide = kind == BESSEL_WIDE;
        angle = bessel_debye_atan2(wide ? V : r, wide ? r : V);
    } else {
        q = dd_add(V, r);
        angle = dd_log_ratio(q.hi, X.hi);
        angle.lo += q.lo / q.hi;
    }
    b.root = r.hi / h;
    if (kind == BESSEL_WIDE || times == 1) // r - x or x - s
        r = bessel_debye_ratio(dd_two_prod(V.hi, V.hi), dd_add(r, X));
    else if (times == -1)
        r = dd_add(r, X);
    r.hi /= h;
    r.lo /= h;
    p = dd_two_prod(nu, -angle.hi);
    p.lo -= nu * angle.lo;
    b.e = dd_two_sum(r.hi, p.hi);
    double rest = b.e.lo + (r.lo + p.lo);
    b.e = dd_two_sum(b.e.hi, fabs(rest) < 1e300 ? rest : 0.0);
    if (!(fabs(b.e.lo) < 0.01)) // far beyond the range of exp
        b.e.lo = 0.0;
    return b;
}

// v exp(e), rounded once where it is subnormal.
NMATH_FN double bessel_debye_times_exp(double v, dd e)
{
    int far = fabs(e.hi) > 690.0;
    double f = exp(far ? 0.5 * e.hi : e.hi);
    v = v * (1.0 + e.lo) * f;
    return far ? v * f : v;
}
