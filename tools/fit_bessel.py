#!/usr/bin/python3
"""fit_bessel.py -- the tables of bessel_debye.cl, bessel_exponent.cl, bessel_table_k.cl, bessel_table_jy.cl, bessel_temme.cl
and bessel_airy.cl. Usage: python3 tools/fit_bessel.py [--check] [debye|hankel|temme|airy ...]

debye   polynomials U_k(p) of DLMF 10.41.9 divided by p^k, in powers of w = p^2: exact rationals, rounded once;
        atan(k/8) as sums of two doubles
hankel  interpolants at Chebyshev nodes, in 1/x and nu^2, of what the exponential or the wave of K and of J + iY leaves
temme   interpolants of the even and the odd part of 1/Gamma(1 + mu), |mu| <= 1/2
airy    zeta(z) of DLMF 10.20.2 and the coefficient functions A_k, B_k of 10.20.10, 10.20.11 around z = 1

Each part prints its tables and the largest error of the rounded table on a grid of other points.
"""
import sys
from fractions import Fraction

from mpmath import acos, atan, besselk, cos, exp, findroot, hankel1, log, mp, mpc, mpf, pi, rgamma, sqrt, taylor

import table_check  # --check

mp.dps = 60


def nodes(n):
    return [cos(pi * (j + mpf(1) / 2) / n) for j in range(n)]


def chebyshev(values):
    """Chebyshev coefficients of the interpolant of `values` at nodes(n)."""
    n = len(values)
    return [sum(v * cos(pi * q * (j + mpf(1) / 2) / n) for j, v in enumerate(values)) * (1 if q == 0 else 2) / n
            for q in range(n)]


def monomials(c):
    """Powers of the variable from Chebyshev coefficients."""
    n = len(c)
    total, before, now = [mpf(0)] * n, [mpf(1)] + [mpf(0)] * (n - 1), [mpf(0), mpf(1)] + [mpf(0)] * (n - 2)
    for q in range(n):
        t = before if q == 0 else now
        total = [a + c[q] * b for a, b in zip(total, t)]
        if q > 0:
            before, now = now, [2 * a - b for a, b in zip([mpf(0)] + now[:-1], before)]
    return total


def horner(c, x):
    s = mpf(0)
    for v in reversed(c):
        s = s * x + v
    return s


def show(name, values):
    values = [float(v) for v in values]
    print(f"NMATH_TABLE double {name}[{len(values)}] = {{")
    for k in range(0, len(values), 4):
        print("    " + ", ".join("%.17g" % v for v in values[k:k + 4]) + ("," if k + 4 < len(values) else ""))
    print("};")


def fit(name, f, a, b, n):
    """One polynomial of n terms in the variable that runs over [-1, 1] as the argument runs over [a, b]."""
    a, b = mpf(a), mpf(b)
    at = lambda y: (a + b) / 2 + (b - a) / 2 * y
    c = [mpf(float(v)) for v in monomials(chebyshev([f(at(y)) for y in nodes(n)]))]
    error = max(abs(horner(c, y) - f(at(y))) for y in [mpf(2 * k + 1) / 100 - 1 for k in range(100)])
    print("// %s: error %.1e" % (name, float(error)))
    show(name, c)


# ---- U_k ---------------------------------------------------------------------------------------------------------

def debye_polynomials(count):
    """Coefficients of U_k(p)/p^k in p^2, k = 0, ..., count - 1."""
    u, rows = [Fraction(1)], []
    for k in range(count):
        rows.append([u[k + 2 * j] for j in range(k + 1)])
        r = [Fraction(0)] * (len(u) + 3)
        for i, c in enumerate(u):
            if i:
                r[i + 1] += i * c / 2
                r[i + 3] -= i * c / 2 if i + 3 < len(r) else 0
            r[i + 1] += c / 8 / (i + 1)
            if i + 3 < len(r):
                r[i + 3] -= 5 * c / 8 / (i + 3)
        u = r
        while u and u[-1] == 0:
            u.pop()
    return rows


def debye():
    rows = debye_polynomials(20)
    show("bessel_debye_c", [mpf(c.numerator) / c.denominator for row in rows for c in row])
    angles = [atan(mpf(k) / 8) for k in range(15)]
    show("bessel_debye_angle", [part for a in angles for part in (float(a), a - mpf(float(a)))])
    show("bessel_debye_atan", [mpf((-1)**k) / (2 * k + 3) for k in range(7)])


# ---- K of small order, x >= 1, and J + iY, x >= 2 ------------------------------------------------------------------

HANKEL_TERMS = {"k": (16, 11), "h": (14, 10)}  # in 1/x and in nu^2
HANKEL_FAR = {"k": (9, 7), "f": (6, 7)}  # p and q/s are functions of s^2 there, but for e^(-2/s)


def hankel_k(v, s):
    x, nu = 1 / s, sqrt(v)
    return besselk(nu, x) * exp(x) * sqrt(2 * x / pi)


def hankel_h(v, s):
    x, nu = 1 / s, sqrt(v)
    return hankel1(nu, x) * sqrt(pi * x / 2) * exp(-mpc(0, 1) * (x - nu * pi / 2 - pi / 4))


def hankel_far(v, u):
    h = hankel_h(v, sqrt(u))
    return mpc(h.real, h.imag / sqrt(u))


def fit2(name, f, a, b, n, m):
    at = lambda y, z: f(mpf("1.125") * (1 + z), (a + b) / 2 + (b - a) / 2 * y)
    values = [[at(y, z) for y in nodes(n)] for z in nodes(m)]
    both = [lambda t: t.real, lambda t: t.imag]
    parts = {"k": [lambda t: t], "h": both, "f": both}[name]
    for part, label in zip(parts, {"k": ["k"], "h": ["p", "q"], "f": ["far_p", "far_q"]}[name]):
        rows = [monomials(chebyshev([part(t) for t in row])) for row in values]  # powers of y at each z
        columns = [monomials(chebyshev([row[q] for row in rows])) for q in range(n)]
        table = [[mpf(float(columns[q][p])) for q in range(n)] for p in range(m)]
        error = mpf(0)
        for i in range(9):
            for j in range(9):
                y, z = mpf(2 * i - 8) / 8.3, mpf(2 * j - 8) / 8.1
                error = max(error, abs(horner([horner(r, y) for r in table], z) - part(at(y, z))))
        yield label, table, error


def hankel():
    mp.dps = 40
    for kind, f, limits in (("k", hankel_k, (1, 2, 4, 10, 25)), ("h", hankel_h, (2, 4, 10, 25))):
        tables = {}
        for lo, hi in zip(limits, limits[1:] + (None,)):
            n, m = HANKEL_TERMS[kind]
            part = (kind, f, 1 / mpf(hi) if hi else 0, 1 / mpf(lo), n, m)
            if hi is None:
                part = ("k", f, mpf(0), 1 / mpf(lo), *HANKEL_FAR["k"]) if kind == "k" else \
                    ("f", hankel_far, mpf(0), 1 / mpf(lo)**2, *HANKEL_FAR["f"])
            for label, table, error in fit2(*part):
                name = "far_k" if hi is None and kind == "k" else label if hi is None else "near_" + label
                print("// %s, %s <= x: error %.1e" % (name, lo, float(error)))
                tables.setdefault(name, []).extend(v for row in table for v in row)
        for name, values in tables.items():
            show("bessel_hankel_" + name, values)


# ---- 1/Gamma(1 + mu) -----------------------------------------------------------------------------------------------

def temme():
    c = taylor(lambda z: rgamma(1 + z), 0, 40)
    odd = lambda t: -sum(c[2 * k + 1] * t**k for k in range(19))
    even = lambda t: sum(c[2 * k] * t**k for k in range(19))
    fit("bessel_temme_odd", odd, 0, 0.25, 8)
    fit("bessel_temme_even", even, 0, 0.25, 8)


# ---- the transition region -----------------------------------------------------------------------------------------

def half_zeta(z):
    """(sqrt(1 - z^2), sqrt(zeta)), both imaginary above z = 1."""
    if z < 1:
        t = sqrt(1 - z * z)
        return t, (mpf(3) / 2 * (log((1 + t) / z) - t))**(mpf(1) / 3)
    t = sqrt(z * z - 1)
    return mpc(0, t), mpc(0, (mpf(3) / 2 * (t - acos(1 / z)))**(mpf(1) / 3))


def zeta_of(z):
    return (half_zeta(z)[1]**2).real


def airy():
    lo, hi, zmax = mpf("-0.375"), mpf("0.475"), mpf("0.5625")
    fit("bessel_airy_zeta", lambda d: zeta_of(1 + d) / d, lo, hi, 26)
    rows = debye_polynomials(9)
    u = lambda k, p: p**k * horner([mpf(c.numerator) / c.denominator for c in rows[k]], p * p)
    us = [mpf(1)]
    for k in range(1, 9):
        us.append(us[-1] * mpf((6 * k - 5) * (6 * k - 3) * (6 * k - 1)) / (216 * k * (2 * k - 1)))
    vs = [(mpf(6 * k + 1) / (1 - 6 * k)) * us[k] for k in range(9)]
    found = {}

    def at(zeta):
        if zeta not in found:
            z = findroot(lambda z: zeta_of(z) - zeta, 1 - zeta * mpf("0.79") + mpf("0.2") * zeta**2)
            found[zeta] = half_zeta(z)
        return found[zeta]

    def a(k, zeta):
        t, h = at(zeta)
        return mpc(sum((mpf(3) / 2)**j * vs[j] * h**(-3 * j) * u(2 * k - j, 1 / t) for j in range(2 * k + 1))).real

    def b(k, zeta):
        t, h = at(zeta)
        return mpc(-1 / h * sum((mpf(3) / 2)**j * us[j] * h**(-3 * j) * u(2 * k + 1 - j, 1 / t)
                                for j in range(2 * k + 2))).real

    for k, n in ((1, 12), (2, 8), (3, 4)):
        fit("bessel_airy_a%d" % k, lambda zeta, k=k: a(k, zeta), -zmax, zmax, n)
    for k, n in ((0, 12), (1, 10), (2, 6)):
        fit("bessel_airy_b%d" % k, lambda zeta, k=k: b(k, zeta), -zmax, zmax, n)


if __name__ == "__main__":
    for part in sys.argv[1:] or ["debye", "hankel", "temme", "airy"]:
        print("// ---- " + part)
        globals()[part]()
