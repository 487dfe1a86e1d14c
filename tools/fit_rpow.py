#!/usr/bin/python3
"""Tables of libR.cl's power function.

libR_log_table:  log(j/16), j = 11..23, as a multiple of 2^-42 plus a double
libR_exp_table:  (exp(r) - 1 - r - r^2/2)/r^3 on |r| <= log(2)/2 + 2^-12, interpolated at Chebyshev nodes
"""
from mpmath import mp, mpf, log, exp, cos, pi, nint, matrix, lu_solve

import table_check  # --check

mp.prec = 200


def split(x):
    hi = nint(x * 2**42) / 2**42
    return "%.17g, %.17g" % (float(hi), float(x - hi))


print("ln 2 = " + split(log(mpf(2))))
for j in range(11, 24):
    print("    " + split(log(mpf(j) / 16)) + ",")

n = 10
a = log(mpf(2)) / 2 + mpf(2)**-12
g = lambda r: (exp(r) - 1 - r - r**2 / 2) / r**3
nodes = [a * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
nodes = [x if abs(x) > 1e-9 else mpf(2)**-30 for x in nodes]
c = lu_solve(matrix([[x**k for k in range(n)] for x in nodes]), matrix([g(x) for x in nodes]))
worst = max(abs((sum(mpf(float(c[k])) * x**k for k in range(n)) - g(x)) * x**3 / exp(x))
            for x in (a * (mpf(i) / 500 - 1 + mpf(1) / 1000) for i in range(1000)))
print("exp: error 2^%.1f" % float(log(worst, 2)))
for k in range(n):
    print("    %.17g," % float(c[k]))
