#!/usr/bin/env python3
"""fit_tukey_bend.py -- prints the table of inst/cl/nmath/tukey_bend_table.cl: for 3 to 20 normal variables the mean E of
q (phi(a) + phi(b))/(2 D) of tukey_bend.cl, as (1 - E)/q^2 in q^2 up to the first end and as E in q in three pieces beyond it, from
Chebyshev interpolation of the sums, to 25 digits; and the largest sum of what is cut off, of 1 - E.

    tools/fit_tukey_bend.py [C ...]       for some numbers of variables (all: half a minute)
"""
import sys
import textwrap

from mpmath import cos, erfc, exp, mp, mpf, pi, sqrt

import table_check  # noqa: F401  --check
from fit_bessel import monomials

mp.dps = 30
TERMS, NODES = 24, 34
ENDS = [mpf(7) / 2, mpf(13) / 2, mpf(11), mpf(21)]  # beyond the last E counts for nothing
STEP, SPAN = mpf(1) / 8, 9
KNOWN = {}


def upper_tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def nodes_of(q):
    """exp(-y^2), D over its largest and q (phi(a) + phi(b))/2 over that, for all y."""
    rows = []
    for i in range(-int(SPAN / STEP), int(SPAN / STEP) + 1):
        y = i * STEP
        a, b = y + q / 2, y - q / 2
        rows.append((exp(-y * y), upper_tail(b) - upper_tail(a), q * (exp(-a * a / 2) + exp(-b * b / 2)) / sqrt(8 * pi)))
    top = max(d for _, d, _ in rows)
    return [(e, d / top, r / top) for e, d, r in rows]


def mean(q, c):
    if q not in KNOWN:
        KNOWN[q] = nodes_of(q)
    num = den = mpf(0)
    for e, d, r in KNOWN[q]:
        p = e * d**(c - 3)
        num += p * r
        den += p * d
    return num / den


def interpolated(f, low, high):
    at = [cos(pi * (2 * k + 1) / (2 * NODES)) for k in range(NODES)]
    values = [f((low + high) / 2 + (high - low) / 2 * t) for t in at]
    c = [(2 if j else 1) * sum(v * cos(j * pi * (2 * k + 1) / (2 * NODES)) for k, v in enumerate(values)) / NODES for j in range(NODES)]
    return monomials(c[:TERMS]), sum(abs(v) for v in c[TERMS:])


def main():
    cut = mpf(0)
    for c in [int(v) for v in sys.argv[1:]] or range(3, 21):
        print("    // %d" % c)
        low = mpf(0)
        for piece, high in enumerate(ENDS):
            if piece == 0:
                row, rest = interpolated(lambda x: (1 - mean(sqrt(x), c)) / x, low, high**2)
                rest *= high**2
            else:
                row, rest = interpolated(lambda q: mean(q, c), low, high)
            cut = max(cut, rest)
            text = ", ".join(repr(float(v)) for v in row) + ","
            print("\n".join(textwrap.wrap(text, 140, initial_indent="    ", subsequent_indent="    ")), flush=True)
            low = high
    print("// what is cut off: %.1e" % float(cut))


if __name__ == "__main__":
    main()
