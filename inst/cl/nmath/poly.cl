// @source_type: shim
// @source_origin: poly.c
// @provides: poly
// @depends: nmath
// @all_depends: Rmath, nmath
// @all_depends_count: 2
// @load_order: 21

// Evaluation of a polynomial by Horner's rule: c[0] + c[1] x + ... + c[n-1] x^(n-1).
// With a literal n the compilers unroll the loop and read the table as immediate operands.

NMATH_FN double poly(double x, NMATH_CONSTANT const double *c, int n)
{
    double s = c[n - 1];
    for (int k = n - 2; k >= 0; --k)
        s = NMATH_FMA(s, x, c[k]);
    return s;
}
