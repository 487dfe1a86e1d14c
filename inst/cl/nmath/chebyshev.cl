// @source_type: c
// @source_origin: chebyshev.c
// @provides: chebyshev_eval, chebyshev_init
// @depends: nmath
// @method: Clenshaw's recurrence
// @accuracy: backward stable
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// chebyshev -- series a[0]/2 + a[1] T_1(x) + ... + a[n-1] T_{n-1}(x) by Clenshaw's recurrence (1955, "A note on the
// summation of Chebyshev series"), b_k = 2 x b_{k+1} - b_{k+2} + a[k], sum = (b_0 - b_2)/2.

// The number of leading terms of a series that must be kept so that those dropped sum to at most eta in size; at least
// one where there is one.
NMATH_FN int chebyshev_init(NMATH_CONSTANT const double *dos, int nos, double eta)
{
    double dropped = 0.0;
    int n = nos;
    while (n > 1 && dropped + fabs(dos[n - 1]) <= eta) {
        dropped += fabs(dos[n - 1]);
        --n;
    }
    return n < 0 ? 0 : n;
}

NMATH_FN double chebyshev_eval(double x, NMATH_CONSTANT const double *a, int n)
{
    if (isnan(x)) return x;
    if (n < 1 || n > 1000 || x < -1.1 || x > 1.1) return ML_NAN;
    double b0 = 0.0, b1 = 0.0, b2 = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        b2 = b1;
        b1 = b0;
        b0 = 2.0 * x * b1 - b2 + a[k];
    }
    return 0.5 * (b0 - b2);
}
