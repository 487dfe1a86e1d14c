#!/usr/bin/python3
"""fit_dpois.py -- the two tables of dpois.cl: P(w) = (atanh(s)/s - 1)/w, w = s^2, and stirlerr(1..15).

P is a Chebyshev interpolant on 0 <= w <= (3 - 2 sqrt 2)^2 = 0.0294 in powers of w, constant term first; the largest
relative error of the rounded table follows as a power of two.
"""
from mpmath import mp, mpf, atanh, chebyfit, factorial, log, pi, polyval, sqrt

mp.dps = 50


def tail(w):
    s = sqrt(w)
    return (atanh(s) / s - 1) / w if s > mpf(10) ** -12 else mpf(1) / 3 + w / 5


top = (3 - 2 * sqrt(mpf(2))) ** 2
c = [float(v) for v in chebyfit(tail, [0, top], 8)]  # highest power first
grid = [top * (k + mpf(1) / 2) / 400 for k in range(400)]
err = max(abs(polyval([mpf(v) for v in c], w) / tail(w) - 1) for w in grid)
print("dpois_tail: error 2^%.1f" % log(err, 2))
for v in reversed(c):
    print("    %.17g," % v)
print("dpois_stirlerr:")
for n in range(1, 16):
    print("    %.17g," % (log(factorial(n)) - log(sqrt(2 * pi * n)) - n * log(mpf(n)) + n))
