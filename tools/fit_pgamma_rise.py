#!/usr/bin/env python3
"""fit_pgamma_rise.py -- the table of inst/cl/nmath/pgamma_rise.cl: a (W - 1) at the mean, y = 1, for shapes a from 1 to 25, as a
polynomial in the variable that runs over [-1, 1] with (a - 2.75)/(a + 0.75). Usage: python3 tools/fit_pgamma_rise.py [--check]
"""
from mpmath import digamma, exp, gammainc, log, mp, mpf, quad

import table_check  # noqa: F401  --check
from fit_bessel import fit

mp.dps = 40


def rise(t):
    # Q(a, a) Gamma(a) psi(a) and the integral of its derivative: dQ/da = int_a^Inf (log z - psi(a)) z^(a-1) e^-z dz/Gamma(a)
    a = (mpf(2.75) + mpf(0.75) * t) / (1 - t)
    density = lambda z: exp((a - 1) * (log(z) - log(a)) - (z - a)) * (log(z) - digamma(a))
    points = [a] + [a + k * mp.sqrt(a) * 2 for k in range(1, 8)] + [a + 40 * mp.sqrt(a), a + 100 + 40 * mp.sqrt(a)]
    return a * (a * quad(density, points) / a - 1)  # over a^a e^-a/Gamma(a + 1)


fit("pgamma_rise_mean", rise, -1, mpf(89) / 103, 19)
