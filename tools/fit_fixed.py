#!/usr/bin/env python3
"""fit_fixed.py -- the table of inst/cl/nmath/log1p_parts.cl: (log((1 + s)/(1 - s)) - 2 s)/s^3 as a polynomial in z = s^2,
0 <= s <= sqrt(2) - 1 over sqrt(2) + 1, by interpolation at Chebyshev's points with 60 digits, which is within a small factor
of the best polynomial of its degree; the error is that of the logarithm, relative. And that of dpois_fixed.cl."""
import mpmath as mp

import table_check  # --check

mp.mp.dps = 60
DEGREE = 6
REACH = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")


def rest(z):
    """By its series where the difference would cancel."""
    if z < mp.mpf("1e-12"):
        return mp.mpf(2) / 3 + 2 * z / 5 + 2 * z**2 / 7 + 2 * z**3 / 9
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s**3


points = [REACH * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * DEGREE + 2))) / 2 for k in range(DEGREE + 1)]
matrix = mp.matrix(DEGREE + 1, DEGREE + 1)
for i, z in enumerate(points):
    for j in range(DEGREE + 1):
        matrix[i, j] = z**j
solution = mp.lu_solve(matrix, mp.matrix([rest(z) for z in points]))
coefficients = [float(solution[j]) for j in range(DEGREE + 1)]

worst = max(
    abs(z * (mp.polyval([mp.mpf(c) for c in reversed(coefficients)], z) - rest(z)) / (2 + z * rest(z)))
    for z in (REACH * mp.mpf(k) / 1000 for k in range(1001))
)
print("// relative error %s" % mp.nstr(worst, 3))
print("NMATH_TABLE double log1p_parts_rest[%d] = {" % (DEGREE + 1))
for k in range(0, DEGREE + 1, 4):
    print("    " + ", ".join(repr(c) for c in coefficients[k:k + 4]) + ",")
print("};")

small = [0.0] + [
    float(mp.log(mp.factorial(k)) - mp.log(mp.sqrt(2 * mp.pi * k) * (mp.mpf(k) / mp.e) ** k)) for k in (1, 2, 3)
]
print("NMATH_TABLE double dpois_fixed_small[4] = {")
print("    " + ", ".join(repr(c) for c in small) + "};")
