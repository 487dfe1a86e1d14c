#!/usr/bin/python3
"""fit_dpois.py -- the table of dpois.cl: stirlerr(1..15), after a 0. Usage: python3 tools/fit_dpois.py [--check]"""
from mpmath import factorial, log, mp, mpf, pi, sqrt

import table_check  # --check

mp.dps = 50

print("pgamma_stirlerr_whole")
print("    0.0,")
for n in range(1, 16):
    print("    %.17g," % (log(factorial(n)) - log(sqrt(2 * pi * n)) - n * log(mpf(n)) + n))
