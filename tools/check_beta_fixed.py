#!/usr/bin/python3
"""What inst/cl/nmath/pbeta_fixed.cl says of the factor of a tail: 32 coefficients are enough, and eliminating a band without
a search for pivots finds them.

For shapes all over the form's range the coefficients in double precision, as the form computes them, stand against 56 of the
same equation with 50 digits and a search for pivots. Prints the largest error over m (1 + cond), in eps, where the tail is
above exp(-700) m (cond >= (a b/n)^(1/2)/m for r = 1), the largest multiplier, and what the change to powers of s may lose.
Fails where the form's text would be wrong.
"""
import math
import sys

from mpmath import cos, lu_solve, matrix, mp, mpf, pi

mp.dps = 50
SHAPES = [0.5, 0.6, 1.0, 2.0, 7.5, 30.0, 1e4, 0.99e8]


# Entries of the equation for coefficients of T_0..T_(n-1): {(row, column): value}, and the right side, r = 1.
def equation(a, b, n, number, root):
    total = a + b
    p, q = root(total * a / b), root(total * b / a)
    c = number(2.3) + number(1.7) * q / (q + 4)
    h = p / (p + c) / 2
    lh = h * (1 - c / q)
    beta = -2 * (h * h) * (c * c)
    b0, b1, b2 = (1 - lh) * (1 - h), -((1 - lh) * h + lh * (1 - h)), lh * h
    e = [b0 + (b2 - b1) / 2, (b1 - b0) / 2 - 3 * b2 / 8, (b2 - b1) / 4, -b2 / 8]
    by = [number(0), beta / 4, beta / 2, number(0), -beta / 2, -beta / 4, number(0)]
    entries = {}
    for k in range(n):
        for j, d in enumerate((2, 1, 0, -1, -2, -3, -4)):  # row - column
            row, value = k + d, k * e[abs(d + 1)] + by[j]
            if row == -1:
                continue
            if row < -1:
                row, value = -row - 2, -value
            if row < n:
                entries[row, k] = entries.get((row, k), 0) + value
    right = [number(0)] * n
    right[0], right[1] = -2 * h * c * (1 - h), h * h * c
    return entries, right


def exact(a, b, n=56):
    entries, right = equation(mpf(a), mpf(b), n, mpf, mp.sqrt)
    m = matrix(n, n)
    for (i, k), value in entries.items():
        m[i, k] = value
    return lu_solve(m, matrix(right))


def banded(a, b, n=32):
    entries, right = equation(a, b, n, float, math.sqrt)
    rows = [[entries.get((i, k), 0.0) for k in range(n)] for i in range(n)]
    largest = 0.0
    for k in range(n):
        for i in range(k + 1, min(k + 3, n)):
            f = rows[i][k] / rows[k][k]
            largest = max(largest, abs(f))
            for j in range(k, min(k + 5, n)):
                rows[i][j] -= f * rows[k][j]
            right[i] -= f * right[k]
    found = [0.0] * n
    for k in range(n - 1, -1, -1):
        found[k] = (right[k] - sum(rows[k][j] * found[j] for j in range(k + 1, min(k + 5, n)))) / rows[k][k]
    return found, largest


def value(series, theta):
    return sum(x * cos(k * theta) for k, x in enumerate(series))


worst = multiplier = growth = 0.0
for a in SHAPES:
    for b in SHAPES:
        known, (found, largest) = list(exact(a, b)), banded(a, b)
        off = [x - (found[k] if k < 32 else 0) for k, x in enumerate(known)]
        deviation = mp.sqrt(a * mpf(b) / (a + b))
        p, q = a / deviation, b / deviation
        c = mpf(2.3) + mpf(1.7) * q / (q + 4)
        for j in range(41):
            t = (1 + cos(j * pi / 40)) / 2 * p / (p + c)
            z = t * c / (1 - t)
            if z < p and -a * mp.log(1 - z / p) - b * mp.log(1 + z / q) < 700:
                error = abs(value(off, j * pi / 40)) / (value(known, j * pi / 40) + deviation)
                worst = max(worst, float(error * mpf(2) ** 52))
        multiplier = max(multiplier, largest)
        growth = max(growth, float(sum(abs(known[k]) * (1 + mp.sqrt(2)) ** k for k in range(32)) / value(known, pi)))
print("error %.2g eps, multipliers at most %.3g, powers of s at most %.2g of the largest" % (worst, multiplier, growth))
if worst > 2.5 or multiplier > 0.501 or growth > 4:
    sys.exit("inst/cl/nmath/pbeta_fixed.cl says otherwise")
