#!/usr/bin/env python3
"""fit_tukey_range.py -- prints the tables of inst/cl/nmath/tukey_table.cl: for 2 to 20 normal variables the two factors of the
distribution of their range that are smooth,
    w/D(0)^(c-1) in q^2 from 0 to an edge,   (1 - w)/(c (c-1) R(q/sqrt 2) exp(-q^2/4)) in q from the edge in pieces,
with R = (1 - Phi)/phi/sqrt(2 pi), from Chebyshev interpolation of the integrals of tukey.cl, summed to 30 digits; and the largest
sum of what is cut off, relative.

    tools/fit_tukey_range.py [C ...]       for some numbers of variables (all: 45 seconds)
"""
import sys
import textwrap

from mpmath import acos, cos, erfc, exp, mp, mpf, pi, sqrt

import table_check  # --check

mp.dps = 34
FIRST, LAST = 2, 20
TERMS = 20
# above the median of the range, as in tukey_edge()
EDGES = [1.0, 1.9, 2.35, 2.7, 2.95, 3.15, 3.35, 3.5, 3.6, 3.7, 3.8, 3.85, 3.95, 4.0, 4.1, 4.15, 4.2, 4.25, 4.3]
ENDS = ["5.8", "9.2", "13.8", "22"]  # of the pieces; beyond the last the ratio is 1
STEP = mpf(1) / 8  # of sums: a half of it changes nothing in 30 digits
NODES = 36
SPAN = 10  # from the middle


def upper_tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def gaussian(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


class Sums:
    """The nodes' values for one q, from which those of all numbers of variables follow."""

    def __init__(self, q):
        self.q, h = mpf(q), STEP
        n = int(SPAN / h)
        lower, upper = [], []
        for i in range(-n, n + 1):
            y = i * h
            a, b = upper_tail(-(y + self.q / 2)), upper_tail(-(y - self.q / 2))  # Phi(y + q/2), Phi(y - q/2)
            strip = upper_tail(y - self.q / 2) - upper_tail(y + self.q / 2)
            density = gaussian(y + self.q / 2)
            lower.append((density, strip))
            upper.append((density * b, a))
        self.middle = 1 - 2 * upper_tail(self.q / 2)
        self.lower = [(d, s / self.middle) for d, s in lower]
        self.upper = [(d, a, s) for (d, a), (_, s) in zip(upper, lower)]

    def below(self, c):
        return c * STEP * sum(d * s ** (c - 1) for d, s in self.lower)

    def above(self, c):
        n, total = c - 1, mpf(0)
        for d, a, s in self.upper:  # a^n - s^n over a - s = Phi(y - q/2), term by term
            power = mpf(0)
            for k in range(n):
                power = power * a + s**k
            total += d * power
        return STEP * total / n / upper_tail(self.q / sqrt(mpf(2)))


def interpolate(f, low, high, argument):
    """Monomial coefficients in t = -1..1 of f(argument(low + (t + 1)/2 (high - low))), and what is cut off."""
    angles = [pi * (i + mpf(1) / 2) / NODES for i in range(NODES)]
    values = [f(argument(low + (cos(a) + 1) / 2 * (high - low))) for a in angles]
    series = [sum(v * cos(k * a) for v, a in zip(values, angles)) * (2 if k else 1) / NODES for k in range(NODES)]
    rows = [[mpf(1)], [mpf(0), mpf(1)]]
    while len(rows) < TERMS:
        new = [mpf(0)] + [2 * v for v in rows[-1]]
        for i, v in enumerate(rows[-2]):
            new[i] -= v
        rows.append(new)
    result = [mpf(0)] * TERMS
    for k in range(TERMS):
        for i, v in enumerate(rows[k]):
            result[i] += series[k] * v
    return result, float(sum(abs(v) for v in series[TERMS:]) / min(abs(v) for v in values))


def lines(values):
    return textwrap.fill(", ".join(repr(float(v)) for v in values) + ",", 120, initial_indent="    ", subsequent_indent="    ")


def main(chosen):
    kept, worst = {}, 0.0

    def sums(q):
        if q not in kept:
            kept[q] = Sums(q)
        return kept[q]
    print("NMATH_TABLE double tukey_table_edge[%d] = {\n%s\n};\n" % (len(EDGES), lines(EDGES)))
    heads = []
    print("NMATH_TABLE double tukey_table_c[%d] = {" % (len(EDGES) * (1 + len(ENDS)) * TERMS))
    for c in chosen:
        edge = mpf(repr(EDGES[c - FIRST]))
        starts = [edge] + [mpf(e) for e in ENDS[:-1]]
        pieces = [interpolate(lambda q: sums(q).below(c), mpf(0), edge * edge, sqrt)]
        pieces += [interpolate(lambda q: sums(q).above(c), s, mpf(e), lambda q: q) for s, e in zip(starts, ENDS)]
        heads.append(pieces[0][0][0] - mpf(float(pieces[0][0][0])))
        print("    // %d" % c)
        for coefficients, cut in pieces:
            print(lines(v if abs(v) > 1e-25 else 0 for v in coefficients))
            worst = max(worst, cut)
    print("};\n\nNMATH_TABLE double tukey_table_low[%d] = {\n%s\n};" % (len(heads), lines(heads)))
    print("\ncut off, relative: %.1e" % worst)


main([int(v) for v in sys.argv[1:] if v.isdigit()] or range(FIRST, LAST + 1))
