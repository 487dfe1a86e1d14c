#!/usr/bin/python3
"""fit_polygamma.py -- the tables of polygamma.cl. Usage: python3 tools/fit_polygamma.py

Weighted least squares at Chebyshev points, coefficients rounded from the lowest up: see fit_normal.py. With
d = x (x+1) (x+2) (x+3) (x+4), x0 the positive zero of psi, y = x - 1/2, t = 1/y^2:
  low0   psi(x) d/(x - x0)            0 <= x <= 4      low1   psi'(x) d^2
  high0  (psi(x) - log y)/t           x >= 4           high1  (psi'(x) y - 1)/t
Coefficients of even powers come first, then those of odd ones. Also prints x0 in two parts and the numbers B_2k/(2k)!.
"""
import mpmath as mp
from fit_normal import fit, horner, points

import table_check  # --check

mp.mp.dps = 60
x0 = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))


def d(x):
    return mp.fprod(x + k for k in range(5))


def low0(x):
    return mp.polygamma(1, x0) * d(x0) if abs(x - x0) < mp.mpf(10) ** -30 else mp.digamma(x) * d(x) / (x - x0)


def low1(x):
    return mp.polygamma(1, x) * d(x) ** 2


def series(n, t):
    """The asymptotic expansion of high0 or high1, with B_2k(1/2); to 40 digits at y >= 25."""
    b = [(mp.mpf(2) ** (1 - 2 * k) - 1) * mp.bernoulli(2 * k) * t ** (k - 1) for k in range(1, 40)]
    return mp.fsum(b) if n else -mp.fsum(a / (2 * k + 2) for k, a in enumerate(b))


def high0(t):
    y = 1 / mp.sqrt(t)
    return series(0, t) if y > 25 else (mp.digamma(y + 0.5) - mp.log(y)) / t


def high1(t):
    y = 1 / mp.sqrt(t)
    return series(1, t) if y > 25 else (mp.polygamma(1, y + 0.5) * y - 1) / t


def show(name, f, lo, hi, n, scale):
    ts = points(lo, hi, 4 * n)
    c = fit(f, ts, n - 1)
    err = max(abs(horner(c, t) / f(t) - 1) * scale(t) for t in points(lo, hi, 9 * n + 1))
    print("polygamma_%s[%d], error 2^%s" % (name, n, mp.nstr(mp.log(err, 2), 4)))
    for half in (c[::2], c[1::2]):
        for k in range(0, len(half), 4):
            print("    " + " ".join("%.17g," % float(a) for a in half[k:k + 4]))


if __name__ == "__main__":
    hi = mp.mpf(float(x0))
    print("x0 = %s = %.17g + %.17g" % (mp.nstr(x0, 40), hi, float(x0 - hi)))
    tiny, end = mp.mpf("1e-12"), 1 / mp.mpf("3.5") ** 2
    show("low0", low0, tiny, 4, 20, lambda x: 1)
    show("low1", low1, tiny, 4, 20, lambda x: 1)
    show("high0", high0, tiny, end, 10, lambda t: t / 24)
    show("high1", high1, tiny, end, 11, lambda t: t / 12)
    print("B_2k/(2k)!, k = 1..10")
    print("    " + " ".join("%.17g," % float(mp.bernoulli(2 * k) / mp.factorial(2 * k)) for k in range(1, 11)))
