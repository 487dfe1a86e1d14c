#!/usr/bin/env python3
"""Tables of inst/cl/nmath/rankfew.cl: the waves of Sylvester's denumerants, from partial fractions by exact arithmetic.

The number p(k) of partitions of k into at most m parts, and P(k) = p(0) + ... + p(k), are sums over b = 1, ..., m of
waves: a polynomial in y of degree floor(m/b) - 1 (b = 1: one more for P) whose coefficients depend on k modulo b, with
y = k + half the sum of the parts. They are found here by interpolation from counts and printed in twice the digits of a
double. What is dropped (waves of degree 0, b > 1) is checked to leave less than 0.49, so that rounding gives the count.
"""
from fractions import Fraction as F
from math import comb

import table_check  # --check

SIZES = range(4, 9)


def counts(parts, last):
    a = [1] + [0] * last
    for p in parts:
        for j in range(p, last + 1):
            a[j] += a[j - p]
    return a


def solve(rows, right):
    n = len(rows)
    a = [r[:] + [b] for r, b in zip(rows, right)]
    for i in range(n):
        p = next(j for j in range(i, n) if a[j][i] != 0)
        a[i], a[p] = a[p], a[i]
        a[i] = [v / a[i][i] for v in a[i]]
        for j in range(n):
            if j != i and a[j][i] != 0:
                a[j] = [u - a[j][i] * v for u, v in zip(a[j], a[i])]
    return [r[-1] for r in a]


def waves(m, cumulative):
    """The coefficients of y^e in wave b, as functions of k modulo b: {(b, e): [values]}; waves sum to 0 over a period
    of any proper divisor's classes, which makes them unique."""
    parts = list(range(1, m + 1)) + [1] * cumulative
    shift = F(sum(parts), 2)
    period = 1
    for b in range(2, m + 1):
        period = period * b // __import__("math").gcd(period, b)
    degree = m - 1 + cumulative
    last = period * (degree + 1)
    a = counts(parts, last)
    # a polynomial for every class modulo the period
    classes = []
    for c in range(period):
        ks = [c + period * i for i in range(degree + 1)]
        # Newton interpolation in i, expanded in y
        y = [k + shift for k in ks]
        d = [F(a[k]) for k in ks]
        for s in range(1, degree + 1):
            for i in range(degree, s - 1, -1):
                d[i] = (d[i] - d[i - 1]) / (y[i] - y[i - s])
        p = [F(0)] * (degree + 1)
        for i in range(degree, -1, -1):
            p = [(p[e - 1] if e else F(0)) - y[i] * p[e] for e in range(degree + 1)]
            p[0] += d[i]
        classes.append(p)
    out = {}
    for e in range(degree + 1):
        f = [classes[c][e] for c in range(period)]
        left = f[:]
        for b in range(1, m + 1):
            # the mean over classes modulo b of what the waves of proper divisors leave
            w = [sum(left[r::b], F(0)) * b / period for r in range(b)]
            if any(w):
                out[b, e] = w
                left = [left[c] - w[c % b] for c in range(period)]
        assert not any(left), (m, e)
    return out, period, shift


def two(x):
    h = float(x)
    return h, float(x - F(h))


def show(name, values, form="%.17g"):
    lines, line = [], "   "
    for v in values:
        t = " " + (form % v) + ","
        if len(line) + len(t) > 120:
            lines.append(line)
            line = "   "
        line += t
    lines.append(line.rstrip(","))
    print("NMATH_TABLE double %s[%d] = {\n%s\n};" % (name, len(values), "\n".join(lines)))


main, second, third, fourth = [], [], [], []
for cumulative in (0, 1):
    for m in SIZES:
        w, period, shift = waves(m, cumulative)
        degree = m - 1 + cumulative
        c = [w.get((1, e), [F(0)])[0] for e in range(degree + 1)]
        assert all(c[e] == 0 for e in range(degree - 1, -1, -2))
        c = c[degree % 2::2]
        main += [(v) for v in c] + [F(0)] * (5 - len(c))
        second += [w.get((2, e), [F(0)])[0] for e in range(4)]
        third += w.get((3, 1), [F(0)] * 3)
        fourth += w.get((4, 1), [F(0)] * 4)
        left = [sum(v[k % b] for (b, e), v in w.items() if e == 0 and b > 2) for k in range(period)]
        print("// m = %d, %s: left out at most %.3f; the wave of 2 has degree %d" %
              (m, "P" if cumulative else "p", max(abs(v) for v in left), max([e for b, e in w if b == 2])))
        assert max(abs(v) for v in left) < F(49, 100)
        assert all(e == 0 for b, e in w if b > 4) and all(e <= 1 for b, e in w if b > 2)
show("rankfew_main", [x for v in main for x in two(v)])
show("rankfew_second", [float(v) for v in second])
show("rankfew_third", [float(v) for v in third])
show("rankfew_fourth", [float(v) for v in fourth])
# the coefficients of the Gaussian binomials [m, j], j = 0, ..., m/2
table, start = [], []
for m in SIZES:
    for j in range(m // 2 + 1):
        num = [1]
        for i in range(1, j + 1):
            new = num + [0] * (m - j + i)
            for q, v in enumerate(num):
                new[q + m - j + i] -= v
            for q in range(i, len(new)):
                new[q] += new[q - i]
            num = new[:len(num) + m - j]
        assert sum(num) == comb(m, j) and len(num) == j * (m - j) + 1
        table += num
show("rankfew_binomial", table, "%d")
