#!/usr/bin/env python3
"""fit_nct.py -- tables of inst/cl/nmath/nct.cl: the Gauss-Legendre rule, nodes and weights of the positive half of N points;
of nct_sum.cl: 2 (artanh v - v)/v^3 in powers of z = v^2, whose error may be the larger the less the integrand is there."""
import sys

from mpmath import atanh, cos, exp, fsum, legendre, log, lu_solve, matrix, mp, mpf, pi, polyval, sqrt

import table_check  # --check

mp.dps = 40
N = int(sys.argv[1]) if len(sys.argv) > 1 else 44
rows = []
for i in range(N // 2):
    x = cos(pi * (i + mpf(3) / 4) / (N + mpf(1) / 2))
    for _ in range(8):
        p, q = legendre(N, x), legendre(N - 1, x)
        d = N * (x * p - q) / (x * x - 1)
        x -= p / d
    d = N * (x * legendre(N, x) - legendre(N - 1, x)) / (x * x - 1)
    rows.append((x, 2 / ((1 - x * x) * d * d)))
for name, k in (("node", 0), ("weight", 1)):
    print("NMATH_TABLE double nct_%s[%d] = {" % (name, N // 2))
    for i in range(0, len(rows), 4):
        print("    " + ", ".join(repr(float(r[k])) for r in rows[i:i + 4]) + ",")
    print("};")

mp.dps = 50
TERMS, POINTS, END = 12, 160, mpf("0.8")


def rest(z):
    if z < 1e-3:
        return fsum(2 * z**n / (2 * n + 3) for n in range(30))
    v = sqrt(z)
    return (2 * atanh(v) - 2 * v) / v**3


def height(c, nu1, k):
    """The log of the integrand at b = 1 + c for d = 0 and for d = -Inf, the larger one; 0 at the mode."""
    b = 1 + c
    return nu1 * k * log(b) - min(nu1 / 2 * (b**(2 * k) - 1), nu1 * (b**k - 1))


def bound(z):
    v = sqrt(z)
    cases = ((mpf("4.5"), 4), (mpf(13), 2))
    top = max(height(c, nu1, k) for c in (-2 * v / (1 + v), 2 * v / (1 - v)) for nu1, k in cases)
    return mpf("1e-19") * exp(-top) / v**3


# Lawson's weighted least squares
z = [END * (1 - cos(pi * (i + mpf(1) / 2) / POINTS)) / 2 for i in range(POINTS)]
weight, value, factor, best = [min(1 / bound(t), mpf("1e22")) for t in z], [rest(t) for t in z], [mpf(1)] * POINTS, None
for _ in range(25):
    A, y = matrix(TERMS, TERMS), matrix(TERMS, 1)
    for t, w, f, q in zip(z, weight, value, factor):
        powers = [t**n for n in range(TERMS)]
        for i in range(TERMS):
            y[i] += q * w**2 * powers[i] * f
            for j in range(TERMS):
                A[i, j] += q * w**2 * powers[i] * powers[j]
    c = list(lu_solve(A, y))
    error = [abs(polyval(c[::-1], t) - f) * w for t, f, w in zip(z, value, weight)]
    if best is None or max(error) < best[0]:
        best = (max(error), c)
    factor = [q * (e / max(error) + mpf("1e-3")) for q, e in zip(factor, error)]
    factor = [q / max(factor) for q in factor]
print("// error of its product with v^3, times the integrand: %s" % mp.nstr(best[0] * mpf("1e-19"), 2))
print("NMATH_TABLE double nct_rest[%d] = {" % TERMS)
for i in range(0, TERMS, 4):
    print("    " + ", ".join(repr(float(x)) for x in best[1][i:i + 4]) + ",")
print("};")
