#!/usr/bin/python3
"""fit_bessel_slope.py -- the table of bessel_scaled_slope.cl: the coefficients of P_k(q)/q, k = 1..20, lowest power first, of the
asymptotic series of Riccati's equation, exact rational numbers rounded once.

Usage: python3 tools/fit_bessel_slope.py [--check]
"""
from fractions import Fraction

import table_check  # --check

TERMS = 20


def times(a, b):
    r = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            r[i + j] += x * y
    return r


def plus(a, b):
    n = max(len(a), len(b))
    return [(a[i] if i < len(a) else Fraction(0)) + (b[i] if i < len(b) else Fraction(0)) for i in range(n)]


P = [[Fraction(1)]]
for k in range(1, TERMS + 1):
    last = P[k - 1]
    slope = [i * last[i] for i in range(1, len(last))] or [Fraction(0)]
    total = plus(times([Fraction(0), Fraction(2), Fraction(-2)], slope), times([Fraction(0), Fraction(2 - k)], last))
    for i in range(1, k):
        total = plus(total, times(P[i], P[k - i]))
    new = [-x / 2 for x in total]
    while len(new) > 1 and new[-1] == 0:
        new.pop()
    assert new[0] == 0 and len(new) == k + 1
    P.append(new)

print("bessel_slope_c")
for k in range(1, TERMS + 1):
    for x in P[k][1:]:
        print("    %.17g," % float(x))
