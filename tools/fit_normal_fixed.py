#!/usr/bin/env python3
"""fit_normal_fixed.py -- the table of inst/cl/nmath/pnorm_fixed.cl: exp(x^2/2) Q(x) = N(x)/D(x) for 0 <= x <= 37.6, Q being the
upper tail of the normal distribution; N of degree 9, D of degree 10 with D(0) = 1. Least squares of the relative error at
Chebyshev's points in (x - 4)/(x + 4), linear in the coefficients and weighted by the last denominator (Sanathanan and Koerner
(1963), IEEE Trans. Automatic Control 8, 56-58)."""
import mpmath as mp

import table_check  # --check

mp.mp.dps = 50
K, TOP, POINTS, ROUNDS = mp.mpf(4), mp.mpf("37.6"), 160, 8
N_DEGREE, D_DEGREE = 9, 10


def mills(x):
    return mp.erfc(x / mp.sqrt(2)) / 2 * mp.exp(x * x / 2)


def places(n):
    last = (TOP - K) / (TOP + K)
    for j in range(n):
        t = (last - 1) / 2 + (last + 1) / 2 * mp.cos(mp.pi * (2 * j + 1) / (2 * n))
        yield K * (1 + t) / (1 - t)


x = list(places(POINTS))
y = [mills(v) for v in x]
weight = [mp.mpf(1)] * POINTS
for _ in range(ROUNDS):
    rows = mp.matrix(POINTS, N_DEGREE + 1 + D_DEGREE)
    right = mp.matrix(POINTS, 1)
    for i in range(POINTS):
        for j in range(N_DEGREE + 1):
            rows[i, j] = weight[i] / y[i] * (x[i] / K) ** j
        for j in range(1, D_DEGREE + 1):
            rows[i, N_DEGREE + j] = -weight[i] * (x[i] / K) ** j
        right[i] = weight[i]
    found = mp.qr_solve(rows, right)[0]
    n = [found[j] / K**j for j in range(N_DEGREE + 1)]
    d = [mp.mpf(1)] + [found[N_DEGREE + j] / K**j for j in range(1, D_DEGREE + 1)]
    weight = [1 / mp.polyval(d[::-1], v) for v in x]

n, d = [float(c) for c in n], [float(c) for c in d]
assert min(n + d) > 0
exact = [[mp.mpf(c) for c in reversed(table)] for table in (n, d)]
worst = max(abs(mp.polyval(exact[0], v) / mp.polyval(exact[1], v) / mills(v) - 1) for v in places(1009))
print("// relative error %s" % mp.nstr(worst, 3))
for name, table in (("pnorm_fixed_n", n), ("pnorm_fixed_d", d)):
    print("NMATH_TABLE double %s[%d] = {" % (name, len(table)))
    for k in range(0, len(table), 4):
        print("    " + ", ".join(repr(c) for c in table[k:k + 4]) + ",")
    print("};")
