// @source_type: c
// @source_origin: polygamma.c
// @provides: digamma, trigamma, tetragamma, pentagamma, psigamma, dpsifn
// @depends: nmath, cospi
// @method: digamma, trigamma: polynomials without the poles to 4, in (x - 1/2)^-2 beyond; else Euler-Maclaurin
// @accuracy: digamma.tsv 1.3 eps(1+cond) (host), 1.3 (PoCL), 0.93 (H200); trigamma.tsv 1.6 eps(1+cond) (host), 1.6 (PoCL), 1.6 (H200); psigamma.tsv 2.3 eps(1+cond) (host), 2.3 (PoCL), 2.3 (H200)
// @all_depends: Rmath, nmath, cospi
// @all_depends_count: 3

// polygamma -- the logarithmic derivative psi of the gamma function, and its derivatives psi^(n).
//
// psi and psi', 0 < x < 4. With d = x (x+1) (x+2) (x+3) (x+4) the functions psi(x) d and psi'(x) d^2 have no pole
// before -5, so polynomials of degree 19 represent them, and all of (0, 4) is one path with one division. psi is
// divided by x - x0 too, x0 = 1.46... its zero, in two parts: it is as accurate there as elsewhere.
//
// psi and psi', x >= 4. About y = x - 1/2 the asymptotic series has even powers only (Abramowitz & Stegun 6.3.18 and
// 6.4.12 with B_2k(1/2)):  psi(x) = log y + t P(t),  psi'(x) = (1 + t Q(t))/y,  t = 1/y^2; P and Q are
// fitted, because the series diverges.
//
// n >= 2: psi^(n)(x) = (-1)^(n+1) n! zeta(n+1, x), with Hurwitz' zeta function by Euler and Maclaurin (ibid. 23.2.9,
// 6.4.11):
//     zeta(n+1, x) = sum_{k<m} (x+k)^-(n+1) + X^-n/n (1 + n/(2X) + sum_{k>=1} B_2k/(2k)! (n)_2k X^-2k),   X = x + m.
// X >= 9 + 0.9 n makes ten terms enough; for large n the sum ends earlier, once X^-(n+1) no longer counts: at most
// 162 terms, for n <= 170. All is taken relative to x^-(n+1), whose exponent is added at the end: one rounding if
// the result is subnormal.
//
// x < 0: derivatives of psi(1-x) - psi(x) = pi cot(pi x) (6.3.7), c = cot(pi x) and s = 1/sin^2(pi x) after an exact
// reduction; as in R up to n = 5. As in R, psi and psi' are NaN below the smallest normal double.

// psi(x) d/(x - x0) and psi'(x) d^2, 0 <= x <= 4: relative error 2^-54.28, 2^-61.01.
// P(t) and Q(t), y >= 3.5: relative error of psi and psi' 2^-55.73, 2^-54.59.
// Coefficients of even powers first, then of odd ones; tools/fit_polygamma.py.
NMATH_TABLE double polygamma_low0[20] = {
    16.420000122889668, 54.256194095419744, 3.1319301157614712, -0.0039726609383062663,
    -4.6018508984584086e-05, -9.9578100009071677e-07, -2.7568997107510272e-08, -7.2314392320056004e-10,
    -1.0810248142684822e-11, -4.4870276093755667e-14,
    54.920231712791249, 21.251177874916479, 0.069717378378543596, 0.00037827312212178229,
    6.4628602896133084e-06, 1.6308276623917926e-07, 4.6181561659811151e-09, 9.8570291146659687e-11,
    8.699618793601066e-13, 1.1011762483625442e-15
};
NMATH_TABLE double polygamma_low1[20] = {
    576, 5127.4820225045778, 5249.2058121119635, 888.33710465598051,
    20.500316351585344, 2.3568322698686395e-05, 1.4786998842675662e-06, 6.2238035972195458e-08,
    1.1888301697483852e-09, 5.6961342254290901e-12,
    2400, 6543.0722079959178, 2701.2876105149462, 180.16555746230233,
    0.99991233090048337, -6.0884238602301123e-06, -3.2586564081307985e-07, -9.7752078987596873e-09,
    -1.0355988475437871e-10, -1.4769225128105655e-13
};
NMATH_TABLE double polygamma_high0[10] = {
    0.041666666666666401, 0.0038442457517187654, 0.007557049822889586, 0.077070503817768199,
    1.0047299251125703,
    -0.0072916666659983776, -0.0041340685341873344, -0.020886523626067709, -0.30916438415466252,
    -1.7299167127120298
};
NMATH_TABLE double polygamma_high1[11] = {
    -0.083333333333332718, -0.023065475242240657, -0.075589730730190166, -1.1162979179658148,
    -27.076740056751081, -159.41156964046831,
    0.029166666664800847, 0.033072726474595249, 0.251748237740965, 5.6998775232547141,
    93.049531342568287
};

// B_2k/(2k)!, k = 1..10
NMATH_TABLE double polygamma_bernoulli[10] = {
    0.083333333333333329, -0.0013888888888888889, 3.3068783068783071e-05, -8.2671957671957675e-07, 2.08767569878681e-08,
    -5.2841901386874932e-10, 1.3382536530684679e-11,
    -3.3896802963225827e-13, 8.5860620562778452e-15, -2.1748686985580619e-16
};

#define POLYGAMMA_MAX 100

// x (x+1) (x+2) (x+3) (x+4)
NMATH_FN double polygamma_d(double x)
{
    double u = x * (x + 4.0);
    return u * (u + 3.0) * (x + 2.0);
}

// psi(x), x > 0
NMATH_FN double polygamma_0(double x)
{
    if (x < 4.0) {
        double z = x * x, p = nmath_poly(z, polygamma_low0, 10) + x * nmath_poly(z, polygamma_low0 + 10, 10);
        return ((x - 1.4616321449683622) - 9.5499954299656974e-17) * p / polygamma_d(x);
    }
    double y = x - 0.5, t = 1.0 / (y * y), z = t * t;
    return log(y) + t * (nmath_poly(z, polygamma_high0, 5) + t * nmath_poly(z, polygamma_high0 + 5, 5));
}

// psi'(x), x > 0
NMATH_FN double polygamma_1(double x)
{
    if (x < 4.0) {
        double z = x * x, d = polygamma_d(x);
        return (nmath_poly(z, polygamma_low1, 10) + x * nmath_poly(z, polygamma_low1 + 10, 10)) / (d * d);
    }
    double v = 1.0 / (x - 0.5), t = v * v, z = t * t;
    return v + v * t * (nmath_poly(z, polygamma_high1, 6) + t * nmath_poly(z, polygamma_high1 + 6, 5));
}

// x^n, 0 <= n < 256
NMATH_FN double polygamma_pow(double x, int n)
{
    double r = (n & 1) != 0 ? x : 1.0;
    for (int k = 0; k < 7 && (n >>= 1) != 0; ++k) {
        x *= x;
        if ((n & 1) != 0)
            r *= x;
    }
    return r;
}

// factor * zeta(n+1, x), x > 0, 2 <= n <= 170
NMATH_HEAVY double polygamma_zeta(double x, int n, double factor)
{
    if (isinf(x))
        return 0.0;
    double z = 0.0, X = x, q = 1.0; // q = (x/X)^(n+1)
    for (int k = 1; k <= 170 && X < 9.0 + 0.9 * n && q * (X + n) > 0x1p-60 * n; ++k) {
        z += q;
        X = x + k;
        q = polygamma_pow(x / X, n + 1);
    }
    double v = 1.0 / X, t = v * v, w = 1.0, s = 0.0;
    for (int k = 0; k < 10; ++k) {
        w *= (n + 2 * k) * ((n + 2 * k + 1) * t);
        s += polygamma_bernoulli[k] * w;
    }
    if (!(X < 9.0 + 0.9 * n)) // else the sum is complete, and the series does not hold
        z += q * (X / n * (1.0 + (0.5 * n * v + s)));
    int ex, ez;
    double m = frexp(x, &ex), f = frexp(z, &ez);
    ez -= ex * (n + 1);
    ez = ez < -4000 ? -4000 : ez > 4000 ? 4000 : ez;
    return ldexp(factor * f * polygamma_pow(1.0 / m, n + 1), ez);
}

// n-th derivative of pi cot(pi x), n <= 5, for finite x < 0 that is not whole
NMATH_FN double polygamma_cot(double x, int n)
{
    cospi_parts a = cospi_reduce(x);
    int odd = a.n & 1;
    double u = odd ? a.c : a.s, c = (odd ? -a.s : a.c) / u, s = 1.0 / (u * u);
    if (n == 0)
        return M_PI * c;
    double p = M_PI * M_PI;
    if (n == 1)
        return -p * s;
    p *= (n == 2 || n == 4 ? c : 1.0) * s * M_PI;
    if (n == 2)
        return 2.0 * p;
    p *= M_PI;
    if (n == 3)
        return -2.0 * p * (3.0 * s - 2.0);
    p *= M_PI;
    return n == 4 ? 8.0 * p * (3.0 * s - 1.0) : -8.0 * M_PI * p * (15.0 * (s * (c * c)) + 2.0);
}

// psi^(n)(x) * scale for n = 0, 1, or 2 <= n <= 170 with factor = n! |scale|; n <= 5 for x < 0
NMATH_FN double polygamma_any(double x, int n, double factor, double scale)
{
    double z = x, v, r = 0.0;
    if (x <= 0) {
        if (x == 0 || x == floor(x)) // -Inf too
            return (n & 1) != 0 ? scale * ML_POSINF : ML_NAN;
        z = 1.0 - x;
        r = polygamma_cot(x, n);
    }
    if (n < 2)
        v = n == 0 ? polygamma_0(z) : polygamma_1(z);
    else
        v = polygamma_zeta(z, n, factor);
    if (n < 2)
        v *= scale;
    else if (((n & 1) != 0) != (scale > 0))
        v = -v;
    if (x > 0)
        return v;
    return ((n & 1) != 0 ? -v : v) - scale * r;
}

NMATH_HEAVY double digamma(double x)
{
    if (x > 0 && x < NMATH_DBL_MIN)
        return ML_NAN;
    double z = x > 0 ? x : 1.0 - x;
    double v = polygamma_0(z);
    if (x > 0 || isnan(x))
        return v;
    return x == floor(x) ? ML_NAN : v - polygamma_cot(x, 0);
}

NMATH_HEAVY double trigamma(double x)
{
    if (x > 0 && x < NMATH_DBL_MIN)
        return ML_NAN;
    double z = x > 0 ? x : 1.0 - x;
    double v = polygamma_1(z);
    if (x > 0 || isnan(x))
        return v;
    return x == floor(x) ? ML_POSINF : -polygamma_cot(x, 1) - v;
}

NMATH_HEAVY double psigamma(double x, double deriv)
{
    if (ISNAN(x) || ISNAN(deriv))
        return x + deriv;
    deriv = R_forceint(deriv);
    if (deriv < 0 || deriv > POLYGAMMA_MAX)
        return ML_NAN;
    int n = (int)deriv;
    if ((x < 0 && n > 5 && x != floor(x)) || (x > 0 && x < NMATH_DBL_MIN && n < 2))
        return ML_NAN;
    double f = 1.0;
    for (int k = 2; k <= n; ++k)
        f *= k;
    return polygamma_any(x, n, f, 1.0);
}

NMATH_FN double tetragamma(double x) { return psigamma(x, 2.0); }
NMATH_FN double pentagamma(double x) { return psigamma(x, 3.0); }

// Amos (1983), "Algorithm 610: A portable FORTRAN subroutine for derivatives of the psi function": ans[k] =
// (-1)^(j+1) psi^(j)(x)/j!, j = n + k, k < m; with kode = 2 log(x) is added to -psi(x). *nz counts underflows; *ierr is
// 1 for invalid arguments, 2 for overflow, 4 for an order out of reach: ans is not set from there on.
NMATH_HEAVY void dpsifn(double x, int n, int kode, int m, double *ans, int *nz, int *ierr)
{
    *nz = 0;
    *ierr = n < 0 || kode < 1 || kode > 2 || m < 1 ? 1 : 0;
    if (*ierr != 0 || isnan(x))
        return;
    double f = 1.0;
    for (int k = 2; k <= n && k <= 5; ++k)
        f *= k;
    for (int k = 0; k < m; ++k) {
        int j = n + k;
        if (j > (x < 0 ? 5 : 170)) {
            *ierr = 4;
            return;
        }
        if (k > 0 && j > 1 && j <= 5)
            f *= j;
        double w = polygamma_any(x, j, 1.0, ((j & 1) != 0 ? 1.0 : -1.0) / (x < 0 ? f : 1.0));
        if (x > 0 && !isfinite(w)) {
            *ierr = 2;
            return;
        }
        if (kode == 2 && j == 0)
            w += log(x);
        *nz += w == 0 && x > 0 && j > 0;
        ans[k] = w;
    }
}

#undef POLYGAMMA_MAX
