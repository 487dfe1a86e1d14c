#!/usr/bin/python3
"""fit_normal.py -- the approximations of pnorm.cl, qnorm.cl, expsq.cl and expm1.cl.

Usage: python3 tools/fit_normal.py [mills|centre|tail|expsq|expm1]

Polynomials are weighted least squares fits of relative error at Chebyshev points, within a small factor of minimax. The
coefficients are rounded to double one by one from the lowest up, the rest refitted each time, so that the rounded
polynomial is as good as the exact one. Prints the tables and the largest relative error of what is printed.
"""
import sys
import mpmath as mp

import table_check  # --check

mp.mp.dps = 60


def horner(c, x):
    s = mp.mpf(0)
    for a in reversed(c):
        s = s * x + a
    return s


def points(lo, hi, n):
    """n Chebyshev points of [lo, hi]."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    return [(lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def normal_equations(rows, rhs):
    cols = list(zip(*rows))
    return [[mp.fdot(a, b) for b in cols] for a in cols], [mp.fdot(a, rhs) for a in cols]


def fit(f, ts, degree):
    """Double coefficients c of sum c[k] t^k ~ f(t) at the points ts."""
    rows = [[t ** k / f(t) for k in range(degree + 1)] for t in ts]
    gram, rhs = normal_equations(rows, [mp.mpf(1)] * len(ts))
    c = []
    for m in range(degree + 1):
        free = range(m, degree + 1)
        A = mp.matrix([[gram[i][j] for j in free] for i in free])
        b = mp.matrix([rhs[i] - mp.fsum(gram[i][j] * c[j] for j in range(m)) for i in free])
        c.append(mp.mpf(float(mp.lu_solve(A, b)[0])))
    return c


def fit_rational(f, ts, degree):
    """Double coefficients of P/Q ~ f at the points ts, Q(0) = 1: P - f Q is fitted with the last 1/Q as weight
    (Loeb; Sanathanan & Koerner 1963), then Q is rounded and P fitted to f Q."""
    y, q = [f(t) for t in ts], [mp.mpf(1)]
    for _ in range(4):
        w = [1 / (a * horner(q, t)) for a, t in zip(y, ts)]
        rows = [[u * t ** k for k in range(degree + 1)] + [-u * a * t ** k for k in range(1, degree + 1)]
                for u, a, t in zip(w, y, ts)]
        gram, rhs = normal_equations(rows, [u * a for u, a in zip(w, y)])
        q = [mp.mpf(1)] + list(mp.lu_solve(mp.matrix(gram), mp.matrix(rhs)))[degree + 1:]
    q = [mp.mpf(float(a)) for a in q]
    return fit(lambda t: f(t) * horner(q, t), ts, degree), q


def show(name, c, g, f, ts):
    """Table c and the largest relative error of g against f at the points and half way between."""
    ts = sorted(list(ts) + [(a + b) / 2 for a, b in zip(ts, ts[1:])])
    err = max(abs(g(t) / f(t) - 1) for t in ts)
    print("%s[%d], relative error %s" % (name, len(c), mp.nstr(err, 2)))
    for k in range(0, len(c), 4):
        print("    " + " ".join("%.17g," % float(a) for a in c[k:k + 4]))


def show_fit(name, f, ts, degree):
    c = fit(f, ts, degree)
    show(name, c, lambda t: horner(c, t), f, ts)


def mills(x):
    """exp(x^2/2) Q(x), Q the upper tail of the standard normal."""
    if x < 60:
        return mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2)) / 2
    s, t = mp.mpf(0), mp.mpf(1)
    for k in range(1, 30):
        s, t = s + t, -t * (2 * k - 1) / x ** 2
    return s / (x * mp.sqrt(2 * mp.pi))


def quantile(s):
    """x >= 0 with -log Q(x) = s."""
    x = mp.sqrt(2 * s) if s < 2 else mp.sqrt(2 * s - mp.log(2 * mp.pi * max(2 * s - 2, 1)))
    for _ in range(60):
        r = mills(x)
        step = (s - x * x / 2 + mp.log(r)) * r * mp.sqrt(2 * mp.pi)
        x += step
        if abs(step) < mp.mpf(10) ** -50 * max(x, 1):
            break
    return x


def centre(z):
    """x / (1/2 - q) with Q(x) = q <= 1/2, z = sqrt(4 q (1 - q)). Printed are the coefficients for z/2."""
    u = mp.sqrt((1 - z) * (1 + z))
    if u < mp.mpf(10) ** -25:
        return mp.sqrt(2 * mp.pi)
    return quantile(mp.log(2 * (1 + u) / z ** 2)) * 2 / u


def mobius(f, k):
    """f(x) as a function of t = (x - k)/(x + k)."""
    return lambda t: f(k * (1 + t) / (1 - t))


if __name__ == "__main__":
    what = sys.argv[1:] or ["mills", "centre", "tail", "expsq", "expm1"]
    if "mills" in what:
        k = mp.mpf("5.375")  # of the good values one where the rounded sum is exact at x = 0
        show_fit("pnorm_mills_p", mobius(lambda x: (x + k) * mills(x) / 2, k), points(-1, 1, 80), 23)
    if "centre" in what:
        q = mp.mpf(1) / 2000
        ts = [mp.exp(t) for t in points(mp.log(4 * q * (1 - q)) / 2, 0, 80)]
        p, q = fit_rational(centre, ts, 11)
        f, ts = lambda z: centre(2 * z), [t / 2 for t in ts]
        p, q = ([a * 2 ** k for k, a in enumerate(c)] for c in (p, q))
        show("qnorm_centre_p", p, lambda t: horner(p, t) / horner(q, t), f, ts)
        show("qnorm_centre_q", q, lambda t: horner(p, t) / horner(q, t), f, ts)
    if "tail" in what:
        k = 5
        for a, b in (("2.75", "5"), ("5", "27.5")):
            a, b = mp.mpf(a), mp.mpf(b)
            f = mobius(lambda y: quantile(y * y) / y, k)
            show_fit("qnorm_tail_p, %s < y < %s" % (a, b), f, points((a - k) / (a + k), (b - k) / (b + k), 80), 19)
    # The tables follow a leading term that is exact: what counts is the error of the whole.
    if "expsq" in what:
        b = mp.log(2) * (1 + mp.mpf(10) ** -6)
        ts = points(-b, b, 60)
        c = fit(lambda u: mp.expm1(-u / 2) / u, ts, 10)
        show("expsq_p", c, lambda u: 1 + u * horner(c, u), lambda u: mp.exp(-u / 2), ts)
    if "expm1" in what:
        b = mp.mpf("0.35")
        ts = points(-b, b, 60)
        c = fit(lambda x: (mp.expm1(x) - x) / x ** 2, ts, 10)
        show("expm1_p", c, lambda x: x + x * x * horner(c, x), mp.expm1, ts)
