#!/usr/bin/python3
"""Coefficients of inst/cl/nmath/bessel_j_fixed.cl (Bessel function J of fixed order), printed as C tables; two minutes.

The method is that of fit_igamma.py, which this script takes its tools from.
"""
from mpmath import besselj, bessely, cos, mp, mpf, pi, sin, sqrt

import table_check  # --check
from fit_igamma import dct, nodes, powers, show

mp.dps = 36
LEAST, CENTRE = mpf(2), mpf(4)  # of x; x = CENTRE at s = 0


# P and Q of J + iY = sqrt(2/(pi x)) exp(i (x - nu pi/2 - pi/4)) (P + iQ)
def modulus(nu, x):
    j, y, a, w = besselj(nu, x), bessely(nu, x), sqrt(pi * x / 2), x - nu * pi / 2 - pi / 4
    c, s = cos(w), sin(w)
    return a * (j * c + y * s), a * (y * c - j * s)


def fit(tol, n, m):
    """rows[i][j] of s^i z^j for P and Q; s = (x - CENTRE)/(x + CENTRE), z = nu^2/1.125 - 1."""
    lo, hi = (LEAST - CENTRE) / (LEAST + CENTRE), mpf(1)
    at = [[modulus(sqrt((z + 1) * mpf(9) / 8), CENTRE * (1 + s) / (1 - s)) for z in nodes(m)]
          for s in [(lo + hi) / 2 + u * (hi - lo) / 2 for u in nodes(n)]]
    for part in range(2):
        rows = [dct([v[part] for v in r]) for r in at]
        cols = [dct([r[j] for r in rows]) for j in range(m)]
        keep = [[c if abs(c) > tol else mpf(0) for c in col] for col in cols]
        cols = [powers(col, lo, hi) for col in keep]
        out = []
        for i in range(n):
            live = [j for j in range(m) if any(keep[j][k] for k in range(i, n))]
            if not live:
                break
            out.append(powers([cols[j][i] for j in range(max(live) + 1)], mpf(-1), mpf(1)))
        yield out


if __name__ == "__main__":
    for name, rows in zip("pq", fit(mpf(6e-18), 40, 14)):
        show(rows, "bessel_j_fixed_" + name)
