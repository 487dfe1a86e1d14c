#!/usr/bin/env python3
"""fit_nct.py -- tables of inst/cl/nmath/nct.cl: the Gauss-Legendre rule, nodes and weights of the positive half of N points,
and the series of e^h - 1 - h over h^2."""
import sys

from mpmath import cos, factorial, legendre, mp, mpf, pi

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
print("NMATH_TABLE double nct_exp_tail[11] = {")
print("    " + ", ".join(repr(float(1 / factorial(n + 2))) for n in range(11)))
print("};")
