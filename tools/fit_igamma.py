#!/usr/bin/python3
"""Coefficients of inst/cl/nmath/igamma_table.cl and pgamma_fixed.cl (incomplete gamma function), printed as C tables; half a minute.

All fits interpolate at Chebyshev nodes in 40 digits, drop Chebyshev coefficients below the tolerance, and are printed
as powers. temme and tail are polynomials in two variables: one row of powers of the second for each power of the first.
"""
from mpmath import mp, mpf, atanh, cos, erfc, exp, log, loggamma, pi, rgamma, sqrt

import table_check  # --check

mp.dps = 42


def nodes(n):
    return [cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]


def dct(f):
    n = len(f)
    return [sum(f[k] * cos(pi * i * (2 * k + 1) / (2 * n)) for k in range(n)) * (2 if i else 1) / n for i in range(n)]


def powers(c, lo, hi):
    """Chebyshev series on [lo, hi] -> coefficients of powers of x."""
    m, h = (lo + hi) / 2, (hi - lo) / 2
    t0, t1, out = [mpf(1)], [-m / h, 1 / h], [mpf(0)] * len(c)
    for k, a in enumerate(c):
        for i, b in enumerate(t0):
            out[i] += a * b
        t2 = [mpf(0)] + [2 * b / h for b in t1]
        for i, b in enumerate(t1):
            t2[i] -= 2 * m / h * b
        for i, b in enumerate(t0):
            t2[i] -= b
        t0, t1 = t1, t2
    return out


def fit1(f, lo, hi, tol, n=44):
    lo, hi = mpf(lo), mpf(hi)
    c = dct([f((lo + hi) / 2 + x * (hi - lo) / 2) for x in nodes(n)])
    while abs(c[-1]) < tol:
        c.pop()
    return powers(c, lo, hi)


def fit2(f, lo, hi, tol, n, m, most=99):
    """f(x, t) on [lo, hi] x [-1, 1] -> rows[i][j] of x^i t^j, i < most."""
    lo, hi = mpf(lo), mpf(hi)
    rows = [dct([f((lo + hi) / 2 + x * (hi - lo) / 2, t) for t in nodes(m)]) for x in nodes(n)]
    cols = [dct([r[j] for r in rows]) for j in range(m)]
    keep = [[c if abs(c) > tol and i < most else mpf(0) for i, c in enumerate(col)] for col in cols]
    cols = [powers(col, lo, hi) for col in keep]
    out = []
    for i in range(n):
        live = [j for j in range(m) if any(keep[j][k] for k in range(i, n))]
        if not live:
            break
        out.append(powers([cols[j][i] for j in range(max(live) + 1)], mpf(-1), mpf(1)))
    return out


def table(name, c):
    print("NMATH_TABLE double %s[%d] = {" % (name, len(c)))
    s = ["%.17g" % x for x in c]
    while s:
        line = "   "
        while s and len(line) + len(s[0]) < 118:
            line += " " + s.pop(0) + ","
        print(line.rstrip(",") if not s else line)
    print("};")


# exp(-stirlerr(a))
def fade(a):
    return exp(a * log(a) - a + log(2 * pi * a) / 2 - loggamma(a + 1)) if a < 10 ** 12 else exp(-1 / (12 * a))


# sum x^k / ((a+1)...(a+k))
def series(a, x):
    t = s = mpf(1)
    n = 0
    while t > s * mpf(10) ** -40:
        n += 1
        t *= x / (a + n)
        s += t
    return s


# the continued fraction k(a-k)/(x+2k+1-a + ...) behind its first n steps
def tail(a, x, n):
    f = mpf(0)
    for k in range(int(400 / x) + 600, n, -1):
        f = k * (a - k) / (x + 2 * k + 1 - a + f)
    return f


def fraction(a, x):
    return x / (x + 1 - a + tail(a, x, 0))


# T(a, w), see igamma.cl; t = (a - 2.75)/(a + 0.75)
def temme(w, t):
    return temme_at(w, (mpf(2.75) + mpf(0.75) * t) / (1 - t))


def temme_at(w, a):
    l = exp(w)
    y2 = a * (l - 1 - w)
    r = sqrt(2 * pi * a) * exp(y2) * erfc(sqrt(y2)) / 2
    return r - fade(a) * series(a, a * l) if w < 0 else fade(a) / l * fraction(a, a * l) - r


# the same for shapes from 1/2 on, t = (a - 1.375)/(a + 0.375)
def temme_fixed(w, t):
    return temme_at(w, (mpf(1.375) + mpf(0.375) * t) / (1 - t))


def show(rows, name):
    # four neighbouring rows are evaluated together: pad them to one length, interleave
    while len(rows) % 4:
        rows.append([mpf(0)])
    flat, lens = [], []
    for i in range(0, len(rows), 4):
        n = max(map(len, rows[i:i + 4]))
        lens.append(n)
        for j in range(n):
            flat += [r[j] if j < len(r) else mpf(0) for r in rows[i:i + 4]]
    print("// rows of", lens)
    table(name, flat)


if __name__ == "__main__":
    table("igamma_atanh", fit1(lambda w: (atanh(sqrt(w)) / sqrt(w) - 1) / w if w > mpf(10) ** -12 else mpf(1) / 3 + w / 5, 0, 0.36, 2e-17))
    table("igamma_rgamma", fit1(lambda a: (rgamma(1 + a) - 1) / a, 0, 2, 1e-17))
    table("igamma_fade", fit1(lambda t: fade((mpf(4.75) + mpf(0.75) * t) / (1 - t)), -1, 1, 1e-17))
    show(fit2(temme, log(mpf(1) / 4), log(mpf(5) / 2), 6e-18, 26, 36, 16), "igamma_temme")
    show(fit2(temme_fixed, log(mpf(1) / 10), mpf(4), 6e-18, 36, 44), "pgamma_fixed_temme")
    show(fit2(lambda u, t: tail(1 + t, exp(u), 8), 0, log(mpf(5)), 3e-13, 14, 12), "igamma_tail")
