// @source_type: shim
// @source_origin: poly.c
// @provides: nmath_poly, nmath_horner, nmath_poly_rest, nmath_poly_tail
// @depends:
// @all_depends_count: 0

// Evaluation of a polynomial c[0] + c[1] x + ... + c[n-1] x^(n-1), n >= 2, by Horner's rule; on a processor by
// Horner's rule on its even and its odd part: two chains of half the length, which it works on at once. With a literal n the compilers unroll the
// loop and read the table as immediate operands.

// c[0] + c[1] x + ... + c[n-1] x^(n-1), one operation after the other (see NMATH_HORNER).
NMATH_FN double nmath_horner(double x, NMATH_CONSTANT const double *c, int n)
{
    double y = c[n - 1];
    NMATH_UNROLL
    for (int k = n - 2; k >= 0; --k)
        y = NMATH_FMA(y, x, c[k]);
    return y;
}

NMATH_FN double nmath_poly(double x, NMATH_CONSTANT const double *c, int n)
{
#ifdef NMATH_HORNER
    return nmath_horner(x, c, n);
#else
    double y = x * x, a = c[n - 1], b = c[n - 2];
    NMATH_UNROLL
    for (int k = n - 3; k >= 1; k -= 2) {
        a = NMATH_FMA(a, y, c[k]);
        b = NMATH_FMA(b, y, c[k - 1]);
    }
    // After the loop a belongs to c[1] and b to c[0], or, with an odd number of terms, a to c[2] and b to c[1].
    return n % 2 == 0 ? NMATH_FMA(a, x, b) : NMATH_FMA(NMATH_FMA(a, x, b), x, c[0]);
#endif
}

// nmath_poly where half of the digits will do.
NMATH_FN nmath_rest nmath_poly_rest(nmath_rest x, NMATH_CONSTANT const double *c, int n)
{
#ifdef NMATH_FLOAT_PAIRS
    float y = (float)c[n - 1];
    NMATH_UNROLL
    for (int k = n - 2; k >= 0; --k)
        y = y * x + (float)c[k];
    return y;
#else
    return nmath_poly(x, c, n);
#endif
}

// nmath_poly where the terms from c[m] x^m on are together below 2^-21 of the sum: of pairs of floats these take one.
NMATH_FN double nmath_poly_tail(double x, NMATH_CONSTANT const double *c, int n, int m)
{
#ifdef NMATH_FLOAT_PAIRS
    double y = nmath_poly_rest(NMATH_REST(x), c + m, n - m);
    NMATH_UNROLL
    for (int k = m - 1; k >= 0; --k)
        y = NMATH_FMA(y, x, c[k]);
    return y;
#else
    R_UNUSED(m);
    return nmath_poly(x, c, n);
#endif
}
