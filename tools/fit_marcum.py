#!/usr/bin/env python3
"""fit_marcum.py -- prints the tables of inst/cl/nmath/marcum_table.cl: weights of the trapezoidal rule on the contour, the series
of (theta - sin theta)/s^3, s = sin(theta/2), and the density's factor G(a/W, 1/W), W >= 32, as a polynomial in
v = 2 a/W - 1 and u = 64/W - 1, from its Chebyshev coefficients. Checks that polynomial at random points."""
import random
from math import comb

from mpmath import acos, asin, cos, exp, mp, mpf, pi, sin, sqrt

import table_check  # --check

mp.dps = 40
NODES, STEP = 16, mpf("0.56")
LARGE = 32
GROUPS = [(0, 4, 16), (4, 8, 14), (8, 9, 8)]  # powers of u from, to; number of powers of v


def table(name, values):
    print(f"{name}[{len(values)}]")
    for value in values:
        print(f"    {float(value)!r},")


def density_factor(p, W):
    """h/pi sum exp(-xi^2/2) Re(e^(i (theta + Phi)))/cos(theta/2), with a finer step than the device's"""
    W, h, total = mpf(W), mpf("0.4"), mpf(0)
    for k in range(30):
        xi = (k + mpf(1) / 2) * h
        s = xi / (2 * sqrt(W))
        if s >= 1:
            break
        theta = 2 * asin(s)
        total += exp(-xi * xi / 2) * cos(theta - p * W * (theta - sin(theta))) / cos(theta / 2)
    return total * h / pi


def chebyshev_monomials(n):
    rows = [[1], [0, 1]]
    for _ in range(n):
        rows.append([2 * c for c in [0] + rows[-1]])
        for k, c in enumerate(rows[-3]):
            rows[-1][k] -= c
    return rows


def fit_density(n, m):
    us = [cos(pi * (i + mpf(1) / 2) / n) for i in range(n)]
    vs = [cos(pi * (j + mpf(1) / 2) / m) for j in range(m)]
    values = [[density_factor((1 + v) / 2, 2 * LARGE / (1 + u)) for v in vs] for u in us]
    monomials = chebyshev_monomials(max(n, m))
    result = [[mpf(0)] * m for _ in range(n)]
    rows = [[sum(values[i][j] * cos(l * acos(vs[j])) for j in range(m)) * (2 if l else 1) / m for l in range(m)] for i in range(n)]
    for k in range(GROUPS[-1][1]):
        for l in range(next(count for first, last, count in GROUPS if k < last)):
            c = sum(rows[i][l] * cos(k * acos(us[i])) for i in range(n)) * (2 if k else 1) / n
            for i, x in enumerate(monomials[k]):
                for j, y in enumerate(monomials[l]):
                    result[i][j] += c * x * y
    return result


table("marcum_weight", [exp(-((k + mpf(1) / 2) * STEP) ** 2 / 2) for k in range(NODES)])
table("marcum_phase", [mpf(4 * comb(2 * n, n)) / (4**n * (2 * n + 3)) for n in range(16)])
density = fit_density(14, 26)
table("marcum_density_c", [density[i][j] for first, last, count in GROUPS for j in range(count) for i in range(first, last)])
random.seed(1)
worst = 0
for _ in range(200):
    p, W = mpf(random.random()), LARGE / mpf(random.random())
    u, v = 2 * LARGE / W - 1, 2 * p - 1
    fit = sum(mpf(float(density[i][j])) * u**i * v**j for first, last, n in GROUPS for i in range(first, last) for j in range(n))
    worst = max(worst, abs(fit / density_factor(p, W) - 1))
print("density: relative error", float(worst))
