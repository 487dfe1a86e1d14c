#!/usr/bin/python3
"""fit_qcauchy.py -- the table of qcauchy.cl: tan(pi u)/u = P(u^2)/Q(u^2), 0 <= u <= 1/4.
Usage: python3 tools/fit_qcauchy.py"""
import mpmath as mp
from fit_normal import fit_rational, horner, points, show

import table_check  # --check


def f(z):
    u = mp.sqrt(z)
    return mp.tan(mp.pi * u) / u


if __name__ == "__main__":
    ts = points(mp.mpf("1e-12"), mp.mpf(1) / 16, 60)
    p, q = fit_rational(f, ts, 3)
    show("qcauchy_p", p, lambda t: horner(p, t) / horner(q, t), f, ts)
    show("qcauchy_q", q, lambda t: horner(p, t) / horner(q, t), f, ts)
