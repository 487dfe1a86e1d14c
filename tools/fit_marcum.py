#!/usr/bin/env python3
"""fit_marcum.py -- prints the tables of inst/cl/nmath/marcum.cl: weights of the trapezoidal rule on the contour, and the
series of (theta - sin theta)/s^3, s = sin(theta/2)."""
from math import comb

from mpmath import exp, mp, mpf

mp.dps = 40
NODES, STEP = 16, mpf("0.56")


def table(name, values):
    print(f"{name}[{len(values)}]")
    for value in values:
        print(f"    {float(value)!r},")


table("marcum_weight", [exp(-((k + mpf(1) / 2) * STEP) ** 2 / 2) for k in range(NODES)])
table("marcum_phase", [mpf(4 * comb(2 * n, n)) / (4**n * (2 * n + 3)) for n in range(16)])
