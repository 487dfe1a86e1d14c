#!/usr/bin/python3
"""fit_normal.py -- the polynomials of pnorm.cl and qnorm.cl. Usage: python3 tools/fit_normal.py [mills|centre|tail]

Each is a weighted least squares fit at Chebyshev points (within a small factor of minimax) of relative error. The
coefficients are rounded to double one by one from the lowest up, the rest refitted each time, so that the rounded
polynomial is as good as the exact one. Prints the tables and the largest relative error of the rounded polynomial.
"""
import sys
import mpmath as mp

mp.mp.dps = 50


def horner(c, x):
    s = mp.mpf(0)
    for a in reversed(c):
        s = s * x + a
    return s


def fit(f, lo, hi, degree):
    """Double coefficients c of sum c[k] t^k ~ f(t) on [lo, hi], and the largest relative error."""
    lo, hi, n = mp.mpf(lo), mp.mpf(hi), 3 * (degree + 1)
    ts = [(lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    fs = [f(t) for t in ts]
    rows = [[t ** k / y for k in range(degree + 1)] for t, y in zip(ts, fs)]
    gram = [[mp.fdot((r[i], r[j]) for r in rows) for j in range(degree + 1)] for i in range(degree + 1)]
    rhs = [mp.fsum(r[i] for r in rows) for i in range(degree + 1)]
    c = []
    for m in range(degree + 1):
        free = range(m, degree + 1)
        A = mp.matrix([[gram[i][j] for j in free] for i in free])
        b = mp.matrix([rhs[i] - mp.fsum(gram[i][j] * c[j] for j in range(m)) for i in free])
        c.append(mp.mpf(float(mp.lu_solve(A, b)[0])))
    # between the nodes too
    grid = ts + [(a + b) / 2 for a, b in zip(ts, ts[1:])] + [lo, hi]
    return c, max(abs(horner(c, t) / f(t) - 1) for t in grid)


def show(name, c, err):
    print("%s[%d], relative error %s" % (name, len(c), mp.nstr(err, 3)))
    for k in range(0, len(c), 3):
        print("    " + " ".join("%.17g," % float(a) for a in c[k:k + 3]))


def mills(x):
    """exp(x^2/2) Q(x), Q the upper tail of the standard normal."""
    if x < 60:
        return mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2)) / 2
    s, t = mp.mpf(0), mp.mpf(1)
    for k in range(1, 30):
        s, t = s + t, -t * (2 * k - 1) / x ** 2
    return s / (x * mp.sqrt(2 * mp.pi))


def quantile(w):
    """(x, 1/2 - p) with Q(x) = p <= 1/2 and w = -log(4 p (1 - p))."""
    u = mp.sqrt(-mp.expm1(-w))
    s = w + mp.log(2 * (1 + u))  # -log p
    x = mp.sqrt(2 * s) if s < 2 else mp.sqrt(2 * s - mp.log(2 * mp.pi * max(2 * s - 2, 1)))
    for _ in range(60):
        r = mills(x)
        step = (s - x * x / 2 + mp.log(r)) * r * mp.sqrt(2 * mp.pi)
        x += step
        if abs(step) < mp.mpf(10) ** -40 * max(x, 1):
            break
    return x, u / 2


def centre(w):
    """x / (1/2 - p), even in 1/2 - p, so analytic in w at 0."""
    if w < mp.mpf(10) ** -20:
        return mp.sqrt(2 * mp.pi) * (1 + mp.pi / 12 * w)
    x, q = quantile(w)
    return x / q


def fit_mills(k, degree):
    """P((x - k)/(x + k)) ~ (x + k) mills(x), all x >= 0."""
    def f(t):
        if t == 1:
            return 1 / mp.sqrt(2 * mp.pi)
        x = k * (1 + t) / (1 - t)
        return (x + k) * mills(x)
    return fit(f, -1, 1, degree)


def fit_centre(w, degree):
    """P(t) ~ centre(t + w/2), t in [-w/2, w/2]."""
    h = mp.mpf(w) / 2
    return fit(lambda t: centre(t + h), -h, h, degree)


def fit_tail(a, b, k, degree):
    """P((y - k)/(y + k)) ~ x / y, y = sqrt(w) in [a, b]."""
    def f(t):
        y = k * (1 + t) / (1 - t)
        return quantile(y * y)[0] / y
    return fit(f, mp.mpf(a - k) / (a + k), mp.mpf(b - k) / (b + k), degree)


if __name__ == "__main__":
    what = sys.argv[1:] or ["mills", "centre", "tail"]
    if "mills" in what:
        show("pnorm_mills_p", *fit_mills(mp.mpf("4.5"), 23))
    if "centre" in what:
        show("qnorm_centre_p", *fit_centre(mp.mpf("6.25"), 23))
    if "tail" in what:
        show("qnorm_tail_p, y < 5", *fit_tail(mp.mpf("2.5"), mp.mpf(5), mp.mpf("4.75"), 19))
        show("qnorm_tail_p, y > 5", *fit_tail(mp.mpf(5), mp.mpf("27.5"), mp.mpf("4.75"), 19))
