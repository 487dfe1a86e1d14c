#!/usr/bin/env python3
"""fit_bessel_order.py -- the tables of bessel_order_table.cl. Usage: python3 tools/fit_bessel_order.py [--check]

Interpolants of the derivatives in mu^2 of the odd and the even part of 1/Gamma(1 - mu), |mu| <= 1/2, and the sums over n > 2 of
n^-(2 k + 2), which are what is left of pi cot(pi mu) without its poles at 0, 1 and 2. Then p and q of bessel_hankel.cl for x from 1 to 2, in two variables as there.
"""
from mpmath import mp, mpf, rgamma, taylor, zeta

import table_check  # noqa: F401  --check
from fit_bessel import fit, fit2, hankel_h, show

mp.dps = 50
c = taylor(lambda z: rgamma(1 + z), 0, 40)
fit("bessel_order_odd", lambda t: -sum(k * c[2 * k + 1] * t**(k - 1) for k in range(1, 19)), 0, 0.25, 8)
fit("bessel_order_even", lambda t: sum(k * c[2 * k] * t**(k - 1) for k in range(1, 19)), 0, 0.25, 8)
show("bessel_order_poles", [zeta(2 * k + 2) - 1 - mpf(2)**(-2 * k - 2) for k in range(11)])
mp.dps = 40
for label, table, error in fit2("h", hankel_h, mpf(1) / 2, mpf(1), 16, 11):
    print("// error %.1e" % float(error))
    show("bessel_order_near_" + label, [v for row in table for v in row])
