#!/usr/bin/env python3
"""fit_besselI_order.py -- the table of besselI_dnu_table.cl. Usage: python3 tools/fit_besselI_order.py [--check]

Interpolants at Chebyshev nodes, in log x and (nu/x)^2 <= 0.0144, of -x/nu times the logarithmic derivative in nu of
E = (I_nu + I_-nu)/2, on 6 intervals of x from 1 to 25 that are equally long in log x. The derivative is a difference at 50 digits,
with an error of some 1e-30.
"""
from mpmath import besseli, exp, log, mp, mpf, sqrt

import table_check  # noqa: F401  --check
from fit_bessel import chebyshev, horner, monomials, nodes, show

mp.dps = 50
INTERVALS, TERMS, ROWS, TOP = 6, 16, 7, mpf("0.0144")
STEP = mpf(10)**-15


def even(nu, x):
    return besseli(nu, x) + besseli(-nu, x)


def rate(x, v):
    nu = sqrt(v) * x
    return (even(nu - STEP, x) - even(nu + STEP, x)) / (2 * STEP) / even(nu, x) * (x / nu)


numbers = []
for i in range(INTERVALS):
    at = lambda y, z: rate(exp(log(mpf(25)) * (i + (1 + y) / 2) / INTERVALS), TOP / 2 * (1 + z))  # noqa: E731, B023
    values = [monomials(chebyshev([at(y, z) for y in nodes(TERMS)])) for z in nodes(ROWS)]
    columns = [monomials(chebyshev([row[q] for row in values])) for q in range(TERMS)]
    table = [[mpf(float(columns[q][p])) for q in range(TERMS)] for p in range(ROWS)]
    others = [mpf(2 * k - 8) / mpf("8.2") for k in range(9)]
    error = max(abs(horner([horner(r, y) for r in table], z) - at(y, z)) for y in others for z in others)
    print("// interval %d: error %.1e" % (i, float(error)))
    numbers.extend(v for row in table for v in row)
show("besselI_dnu_near", numbers)
