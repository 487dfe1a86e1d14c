#!/usr/bin/env python3
"""fit_fixed.py -- the table of inst/cl/nmath/dgamma_fixed.cl: (u - log(1 + u))/u^2 for |u| <= 1/8, by interpolation at
Chebyshev's points with 60 digits, which is within a small factor of the best polynomial of its degree."""
import mpmath as mp

import table_check  # --check

mp.mp.dps = 60
DEGREE, REACH = 13, mp.mpf(1) / 8


def rest(u):
    """By its series where the difference would cancel."""
    if abs(u) < mp.mpf("1e-20"):
        return mp.mpf(1) / 2
    return (u - mp.log1p(u)) / u**2


points = [REACH * mp.cos(mp.pi * (2 * k + 1) / (2 * DEGREE + 2)) for k in range(DEGREE + 1)]
matrix = mp.matrix(DEGREE + 1, DEGREE + 1)
for i, u in enumerate(points):
    for j in range(DEGREE + 1):
        matrix[i, j] = u**j
solution = mp.lu_solve(matrix, mp.matrix([rest(u) for u in points]))
coefficients = [float(solution[j]) for j in range(DEGREE + 1)]

worst = max(
    abs(mp.polyval([mp.mpf(c) for c in reversed(coefficients)], u) / rest(u) - 1)
    for u in (REACH * (mp.mpf(k) / 500 - 1) for k in range(1001))
)
print("// relative error %s" % mp.nstr(worst, 3))
print("NMATH_TABLE double dgamma_fixed_rest[%d] = {" % (DEGREE + 1))
for k in range(0, DEGREE + 1, 4):
    print("    " + ", ".join(repr(c) for c in coefficients[k:k + 4]) + ",")
print("};")
