#!/usr/bin/env python3
"""fit_rank_series.py -- tables of inst/cl/nmath/rankseries.cl: B_2q/(2q (2q)!), the coefficients of log(sinh(s/2)/(s/2)) in
powers of s^2 (Abramowitz & Stegun 4.5.64 and 23.1), and log(2q) to three digits."""
from fractions import Fraction
from math import comb, factorial, log

import table_check  # --check

TERMS = 32


def show(name, values, form):
    print("NMATH_TABLE double %s[%d] = {" % (name, len(values)))
    for i in range(0, len(values), 4):
        print("    " + ", ".join(form % v for v in values[i:i + 4]) + ",")
    print("};")


bernoulli = [Fraction(1)]
for n in range(1, 2 * TERMS + 1):
    bernoulli.append(-sum(comb(n + 1, k) * bernoulli[k] for k in range(n)) / (n + 1))
show("rank_bernoulli", [float(bernoulli[2 * q] / (2 * q * factorial(2 * q))) for q in range(1, TERMS + 1)], "%.17g")
show("rank_log_terms", [log(2 * q) for q in range(8, TERMS + 1, 4)], "%.3f")
