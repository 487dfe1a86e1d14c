#!/usr/bin/python3
"""Coefficients of inst/cl/nmath/bessel_j_fixed.cl (Bessel function J of fixed order), printed as C tables; a few seconds.

The method is that of fit_igamma.py, which this script takes its tools from.
"""
from mpmath import besselj, bessely, cos, mp, mpf, pi, sin, sqrt

import table_check  # --check
from fit_igamma import fit2, show

mp.dps = 36
LEAST, CENTRE = mpf(2), mpf(4)  # of x; x = CENTRE at s = 0


# P and Q of J + iY = sqrt(2/(pi x)) exp(i (x - nu pi/2 - pi/4)) (P + iQ)
def modulus(nu, x):
    j, y, a, w = besselj(nu, x), bessely(nu, x), sqrt(pi * x / 2), x - nu * pi / 2 - pi / 4
    c, s = cos(w), sin(w)
    return a * (j * c + y * s), a * (y * c - j * s)


if __name__ == "__main__":
    # s = (x - CENTRE)/(x + CENTRE), z = nu^2/1.125 - 1
    for part, name in enumerate("pq"):
        at = lambda s, z: modulus(sqrt((z + 1) * mpf(9) / 8), CENTRE * (1 + s) / (1 - s))[part]
        show(fit2(at, (LEAST - CENTRE) / (LEAST + CENTRE), 1, mpf(6e-18), 40, 14), "bessel_j_fixed_" + name)
