#!/usr/bin/python3
"""fit_gamma.py -- the polynomial tables of lgamma.cl, gamma.cl, stirlerr_cycle_free.cl, pgamma_utils.cl, logdd.cl, dgeom.cl.

Each table is a Chebyshev interpolant (near-minimax) of a smooth function, turned into powers of its variable, so that
Horner's rule evaluates it.  Printed: name, terms, the largest relative error of the rounded table on a fine grid as a
power of two, then the coefficients from the constant term up. Last, the tables of values of gamma.cl.
"""
from mpmath import mp, mpf, cos, pi, log, loggamma, gamma, rgamma, exp, atanh, sqrt, sin, nstr

import table_check  # --check

mp.dps = 70


def interpolate(f, a, b, n):
    """Coefficients (powers of x) of the polynomial through f at the n Chebyshev nodes of [a, b]."""
    xs = [(a + b) / 2 + (b - a) / 2 * cos(pi * (j + mpf(1) / 2) / n) for j in range(n)]
    d = [f(x) for x in xs]  # Newton's divided differences
    for k in range(1, n):
        for j in range(n - 1, k - 1, -1):
            d[j] = (d[j] - d[j - 1]) / (xs[j] - xs[j - k])
    c = [d[-1]]
    for j in range(n - 2, -1, -1):
        c = [mpf(0)] + c
        for i in range(len(c) - 1):
            c[i] -= xs[j] * c[i + 1]
        c[0] += d[j]
    return c


def horner(c, x):
    s = mpf(0)
    for ck in reversed(c):
        s = s * x + ck
    return s


def values(name, v):
    print(f"NMATH_TABLE double {name}[{len(v)}] = {{")
    for k in range(0, len(v), 4):
        print("    " + ", ".join("%.17g" % float(x) for x in v[k:k + 4]) + ("," if k + 4 < len(v) else ""))
    print("};")


def table(name, f, a, b, n, split=None):
    """One table, or two (names in `split`) of its even and odd powers."""
    a, b = mpf(a), mpf(b)
    c = [float(ck) for ck in interpolate(f, a, b, n)]
    grid = [a + (b - a) * (k + mpf(1) / 2) / 400 for k in range(400)]
    err = max(abs(horner([mpf(v) for v in c], x) / f(x) - 1) for x in grid)
    print(f"// {name}: error 2^{nstr(log(err, 2), 4)}")
    if split:
        values(split[0], c[0::2])
        values(split[1], c[1::2])
    else:
        values(name, c)


def stirlerr(n):
    """log(n!) - log(sqrt(2 pi n) (n/e)^n)."""
    if n > 10**6:
        return 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5) - 1 / (1680 * n**7)
    return loggamma(n + 1) - (n + mpf(1) / 2) * log(n) + n - log(2 * pi) / 2


def log_tail(w):
    """(atanh(s)/s - 1)/w with w = s^2."""
    s = sqrt(w)
    return mpf(1) / 3 + w / 5 + w * w / 7 if s < mpf(10)**-15 else (atanh(s) / s - 1) / w


def log_tail2(w):
    """(log_tail(w) - 1/3)/w."""
    s = sqrt(w)
    return mpf(1) / 5 + w / 7 + w * w / 9 if s < mpf(10)**-9 else ((atanh(s) / s - 1) / w - mpf(1) / 3) / w


def middle(u, n0=mpf("0.953125"), b=mpf("0.453125")):
    """n stirlerr(n) in u = (n0 - n)/(n + b)."""
    n = (n0 - b * u) / (1 + u)
    return n * stirlerr(n)


def u_of(n, n0=mpf("0.953125"), b=mpf("0.453125")):
    return (n0 - n) / (n + b)


tiny = mpf(10)**-24
S = (3 - 2 * sqrt(mpf(2)))**2

table("stirlerr_large", lambda t: stirlerr(1 / sqrt(t)) / sqrt(t), tiny, 1 / mpf("3.375")**2, 12,
      ("stirlerr_even", "stirlerr_odd"))
table("stirlerr_middle", middle, u_of(mpf("3.375")), u_of(mpf("0.3")), 22)
table("log1pmx_tail", log_tail, tiny, mpf("0.25")**2, 10)
table("logdd_atanh", log_tail, tiny, S, 8)
table("logdd_tail", log_tail2, tiny, S, 9)
table("lgamma_two", lambda z: loggamma(2 + z) / z, "-0.625", "0.375", 19)
table("dgeom_atanh", log_tail, tiny, mpf("0.0075"), 6)
table("gamma_log_tail", log_tail, tiny, mpf("0.0028"), 5)
table("gamma_two", lambda z: rgamma(2 + z), "-0.5", "0.5", 15)
table("lgamma_sinpi_c", lambda w: sin(pi * sqrt(w)) / sqrt(w), tiny, "0.25", 9)
values("gamma_factorial", [gamma(mpf(n)) for n in range(1, 52)])
values("gamma_anchor", [gamma(mpf(n)) * exp(-stirlerr(mpf(n))) for n in range(5, 172)])
