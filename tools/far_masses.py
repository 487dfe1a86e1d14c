#!/usr/bin/env python3
"""far_masses.py -- tests/testthat/ref/far_masses.tsv: masses of the Poisson and binomial distributions whose parameters are far
below the count, and of binomial ones next to large sizes, by mpmath. cond is the condition number in the mean or probability."""
import random

from mpmath import mp, mpf, loggamma, log, exp, nstr

mp.dps = 60
random.seed(20)


def dpois(x, m):
    return exp(x * log(m) - m - loggamma(x + 1))


def dbinom(x, n, p):
    return exp(loggamma(n + 1) - loggamma(x + 1) - loggamma(n - x + 1) + x * log(p) + (n - x) * log(1 - p))


rows = []
while len(rows) < 25:
    m = 10 ** random.uniform(-2.9, 0.5)
    x = random.randint(2, 300)
    ref = dpois(mpf(x), mpf(m))
    if 20 < x / m < 1100 and ref > mpf("1e-280"):
        rows.append(("dpois", x, 0, m, ref, abs(x - mpf(m))))
while len(rows) < 50:
    n = random.randint(10, 10 ** random.randint(2, 7))
    p = 10 ** random.uniform(-6, -1.3)
    x = random.randint(2, min(n - 1, 300))
    ref = dbinom(mpf(x), mpf(n), mpf(p))
    if 20 < x / (n * p) < 1100 and ref > mpf("1e-280"):
        rows.append(("dbinom", x, n, p, ref, abs(x - n * mpf(p)) / (1 - mpf(p))))
while len(rows) < 75:
    n = int(10 ** random.uniform(6.5, 7.99))
    p = random.uniform(0.01, 0.99)
    x = int(n * p + random.gauss(0, 1) * (n * p * (1 - p)) ** 0.5)
    rows.append(("dbinom", x, n, p, dbinom(mpf(x), mpf(n), mpf(p)), abs(x - n * mpf(p)) / (1 - mpf(p))))
with open("tests/testthat/ref/far_masses.tsv", "w") as out:
    out.write("name\tx\ta\tb\tref\tcond\n")
    for name, x, n, p, ref, cond in rows:
        out.write(f"{name}\t{x}\t{n}\t{p!r}\t{nstr(ref, 25)}\t{nstr(cond, 8)}\n")
