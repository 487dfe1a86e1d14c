// @source_type: c
// @source_origin: stirlerr.c
// @provides: stirlerr_cycle_free, stirlerr_tail, stirlerr_inverse
// @depends: nmath
// @method: fitted polynomials, in 1/n^2 from 3.375 and in (n0 - n)/(n + b) below
// @accuracy: 1.8 eps (host and OpenCL)
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// stirlerr_cycle_free -- the part of stirlerr(n) = log(n!) - log(sqrt(2 pi n) (n/e)^n) that needs no other function of
// the gamma family: n >= 0.3. It stands apart because gamma, lgamma and lgammacor are built on it.
//
// Stirling's series 1/(12 n) - 1/(360 n^3) + ... (Abramowitz and Stegun 6.1.41) diverges; the same shape with fitted
// coefficients, n stirlerr(n) = G(1/n^2), serves all n >= 3.375 with one polynomial. Below, n stirlerr(n) varies by a
// tenth only, and a Moebius variable u that stretches the end near the singularity at n = 0 makes a polynomial
// converge.

// G on 0 <= t <= 1/3.375^2, constant term first, its even and odd powers apart (two short chains of dependent
// operations instead of a long one); tools/fit_gamma.py; error 2^-54.
NMATH_TABLE double stirlerr_even[6] = {
    0.083333333333333329, 0.00079365079273908132, 0.00084172802279063703,
    0.0063393542713486286, 0.13039111565373041, 1.6715644108180252
};
NMATH_TABLE double stirlerr_odd[6] = {
    -0.0027777777777761225, -0.00059523789608376847, -0.0019159526739189166,
    -0.027349586769064328, -0.55541911807895972, -2.4863241576645265
};

// n stirlerr(n) in u = (n0 - n)/(n + b), n0 = 61/64, b = 29/64, for 0.3 <= n <= 3.375; tools/fit_gamma.py; error
// 2^-53.56.
NMATH_TABLE double stirlerr_middle[22] = {
    0.080870208229554291, -0.0060847428983129993, -0.0048718999974869141, -0.0013817426514182417,
    -0.00021592099143445339, -0.00012644819609886933, -4.3506614902824032e-05, -7.9786285939757625e-06,
    -7.7293210007333795e-06, -1.3027584724661768e-06, -7.0885390402237901e-07, -5.1444194419626103e-07,
    3.1983405240759734e-08, -1.3218685835496359e-07, 8.4436131360431694e-09, -1.2773979244441513e-08,
    -8.7395905878411028e-09, 5.4835740558422571e-09, -6.8006920844109635e-09, 2.9227768205995868e-09,
    -6.4879553967971397e-10, -2.5604015216468521e-10
};

// stirlerr(1/v), 0 <= v <= 1/3.375.
NMATH_FN double stirlerr_inverse(double v)
{
    double t = v * v, u = t * t;
    return v * (nmath_poly_tail(u, stirlerr_even, 6, 3) + t * nmath_poly_tail(u, stirlerr_odd, 6, 3));
}

// stirlerr(n), n >= 3.375, to Inf; gradual underflow beyond 1e307.
NMATH_FN double stirlerr_tail(double n) { return stirlerr_inverse(1.0 / n); }

// n >= 0.3.
NMATH_FN double stirlerr_cycle_free(double n)
{
    if (!(n < 3.375)) return stirlerr_tail(n);
    double d = n + 0.453125, v = 1.0 / (n * d);
    return d * v * nmath_poly_tail((0.953125 - n) * (n * v), stirlerr_middle, 22, 12);
}
