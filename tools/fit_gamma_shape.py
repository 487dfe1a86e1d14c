#!/usr/bin/python3
"""Coefficients of inst/cl/nmath/pgamma_dshape.cl (derivatives of the incomplete gamma function in its shape), printed as C tables;
half a minute. All fits are those of fit_igamma.py."""
from mpmath import mp, mpf, digamma, exp, log

import table_check  # --check
from fit_igamma import fade, fit1, fit2, show, table

mp.dps = 42


# W of pgamma_dshape.cl by the power series, x < a or small
def below(a, x):
    t = s = mpf(1)
    h = e = mpf(0)
    n = 0
    while t > s * mpf(10) ** -40:
        n += 1
        t *= x / (a + n)
        h += 1 / (a + n)
        s += t
        e += t * h
    return s * (digamma(a + 1) - log(x)) + e


# what follows n steps of the continued fraction k(a-k)/(x+2k+1-a + ...), and its derivative in a
def tail(a, x, n):
    f = d = mpf(0)
    for k in range(int(400 / x) + 600, n, -1):
        b = x + 2 * k + 1 - a + f
        f, d = k * (a - k) / b, (k - k * (a - k) * (d - 1) / b) / b
    return f, d


# x/(x+1-a + ...) and its derivative in a
def fraction(a, x):
    f, d = tail(a, x, 0)
    q = x / (x + 1 - a + f)
    return q, q * q * (1 - d) / x


def above(a, x):
    q, d = fraction(a, x)
    return (q * (1 + a * (log(x) - digamma(a + 1))) + a * d) / x


# U(w, t), t = (a - 2.75)/(a + 0.75)
def middle(w, t):
    a = (mpf(2.75) + mpf(0.75) * t) / (1 - t)
    x = a * exp(w)
    return fade(a) * (below(a, x) if w < 0 else above(a, x))


if __name__ == "__main__":
    show(fit2(middle, log(mpf(1) / 4), log(mpf(5) / 2), 8e-18, 26, 36, 18), "pgamma_dshape_middle")
    show(fit2(lambda u, t: fraction(1 + t, exp(u))[1], 0, log(mpf(5)), 2e-17, 26, 30), "pgamma_dshape_fraction")
    table("pgamma_dshape_psi", fit1(lambda a: digamma(a + 2), 0, 2, 1e-17))

    def rise(t):
        a = (mpf(4.75) + mpf(0.75) * t) / (1 - t)
        return a * (digamma(a + 1) - log(a)) if a < mpf(10) ** 12 else mpf(1) / 2 - 1 / (12 * a)

    table("pgamma_dshape_rise", fit1(rise, -1, 1, 1e-17))
