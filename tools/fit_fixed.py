#!/usr/bin/env python3
"""fit_fixed.py -- the tables of inst/cl/nmath/log1p_parts.cl, log_pair.cl and log1p_unit.cl: (log((1 + s)/(1 - s)) - 2 s)/s^3 as a
polynomial in z = s^2, 0 <= s <= sqrt(2) - 1 over sqrt(2) + 1, and up to 1/3, by interpolation at Chebyshev's points with 60
digits, which is within a small factor of the best polynomial of its degree; the error is that of the logarithm, relative.
And that of dpois_fixed.cl."""
import mpmath as mp

import table_check  # --check

mp.mp.dps = 60


def rest(z):
    """By its series where the difference would cancel."""
    if z < mp.mpf("1e-12"):
        return mp.mpf(2) / 3 + 2 * z / 5 + 2 * z**2 / 7 + 2 * z**3 / 9
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s**3


def print_table(name, degree, reach):
    points = [reach * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * degree + 2))) / 2 for k in range(degree + 1)]
    matrix = mp.matrix(degree + 1, degree + 1)
    for i, z in enumerate(points):
        for j in range(degree + 1):
            matrix[i, j] = z**j
    solution = mp.lu_solve(matrix, mp.matrix([rest(z) for z in points]))
    coefficients = [float(solution[j]) for j in range(degree + 1)]
    worst = max(
        abs(z * (mp.polyval([mp.mpf(c) for c in reversed(coefficients)], z) - rest(z)) / (2 + z * rest(z)))
        for z in (reach * mp.mpf(k) / 1000 for k in range(1001))
    )
    print("// relative error %s" % mp.nstr(worst, 3))
    print("NMATH_TABLE double %s[%d] = {" % (name, degree + 1))
    for k in range(0, degree + 1, 4):
        print("    " + ", ".join(repr(c) for c in coefficients[k:k + 4]) + ",")
    print("};")


print_table("log1p_parts_rest", 6, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001"))
print_table("log_pair_rest", 8, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001"))
print_table("log1p_unit_rest", 9, mp.mpf(1) / 9)

small = [0.0] + [
    float(mp.log(mp.factorial(k)) - mp.log(mp.sqrt(2 * mp.pi * k) * (mp.mpf(k) / mp.e) ** k)) for k in (1, 2, 3)
]
print("NMATH_TABLE double dpois_fixed_small[4] = {")
print("    " + ", ".join(repr(c) for c in small) + "};")
