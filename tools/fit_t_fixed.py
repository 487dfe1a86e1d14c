#!/usr/bin/python3
"""Coefficients of inst/cl/nmath/pt_fixed.cl (Student's t distribution of fixed degrees of freedom), printed as a C table.

The method is that of fit_igamma.py, which this script takes its tools from.
"""
from mpmath import beta, erfc, exp, log, mp, mpf, pi, sqrt

import table_check  # --check
from fit_igamma import fit2, show

mp.dps = 50
TOP = mpf(5) / 2  # of w


# sum (a + 1/2)_n/(a + 1)_n v^n
def series(a, v):
    t = s = mpf(1)
    n = 0
    while t > s * mpf(10) ** -45 * (1 - v):
        t *= v * (a + mpf(1) / 2 + n) / (a + 1 + n)
        s += t
        n += 1
    return s


# T(w, df), see pt_fixed.cl; s = (df - 1.375)/(df + 0.375)
def rest(w, s):
    df = (mpf(1.375) + mpf(0.375) * s) / (1 - s)
    a, v, y = df / 2, exp(-w), sqrt(df * w)
    tail = sqrt(1 - v) * series(a, v) / (2 * a * beta(a, mpf(1) / 2))  # times exp(-df w/2)
    return (tail - exp(y * y / 2) * erfc(y / sqrt(mpf(2))) / 2) * df / y


if __name__ == "__main__":
    show(fit2(rest, mpf(0), TOP, 1e-17, 26, 44), "pt_fixed_rest")
