#!/usr/bin/env python3
"""Coefficients of the elementary functions of pairs of floats (inst/cl/pair).

Each polynomial is near-minimax on its interval (Chebyshev expansion, cut off). Its first terms are pairs of floats, high and low
part one after the other; the others, whose part in the result is below 2^-24, are floats.
"""
import struct

from mpmath import atan, atanh, chebyfit, cos, expm1, floor, log, mp, mpf, pi, sin, sqrt

import table_check  # noqa: F401  --check

mp.prec = 400


def to_float(x):
    return mpf(struct.unpack("f", struct.pack("f", float(mp.nstr(x, 17))))[0])


def pair(x):
    hi = to_float(x)
    return hi, to_float(x - hi)


def shown(x):
    return "%.9gf" % float(x) if "." in "%.9g" % float(x) or "e" in "%.9g" % float(x) else "%.9g.0f" % float(x)


def table(name, values):
    print("%s[%d]" % (name, len(values)))
    for i in range(0, len(values), 4):
        print("    " + ", ".join(shown(v) for v in values[i:i + 4]) + ",")


def series(name, f, interval, terms, pairs, scale):
    """f on the interval by `terms` coefficients, of which the first `pairs` are pairs; `scale`: f's part in the result."""
    c, error = chebyfit(f, interval, terms, error=True)
    c = c[::-1]
    print("%s: error 2^%.1f" % (name, float(log(error * scale, 2))))
    table(name + "_head", [part for v in c[:pairs] for part in pair(v)])
    table(name + "_tail", [to_float(v) for v in c[pairs:]])




def in_square(f):
    """g with f(x) = x g(x^2), or g(x^2) for cosines, also where x = 0."""
    def g(w):
        w = max(w, mpf(10) ** -30)
        x = sqrt(w)
        return f(x)
    return g


# (exp(r) - 1 - r)/r^2 on |r| <= log(2)/8
r = log(mpf(2)) / 8 * mpf("1.001")


def exp_rest(x):
    x = x if abs(x) > mpf(10) ** -40 else mpf(10) ** -40
    return (expm1(x) - x) / x**2


series("pair_exp", exp_rest, [-r, r], 8, 4, r)
# (atanh(s)/s - 1)/s^2 in w = s^2, s <= 3 - 2 sqrt 2
w = (3 - 2 * sqrt(mpf(2))) ** 2 * mpf("1.001")
series("pair_log", in_square(lambda s: (atanh(s) / s - 1) / s**2), [0, w], 7, 4, w)
# (sin(x)/x - 1)/x^2 and (cos(x) - 1 + x^2/2)/x^4 in x^2, |x| <= pi/4
w = (pi / 4) ** 2 * mpf("1.001")
series("pair_sin", in_square(lambda s: (sin(s) / s - 1) / s**2), [0, w], 6, 4, w)
series("pair_cos", in_square(lambda s: (cos(s) - 1 + s**2 / 2) / s**4), [0, w], 6, 3, w**2)
# (atan(x)/x - 1)/x^2 in x^2, |x| <= 1/16
w = (mpf(1) / 16) ** 2 * mpf("1.001")
series("pair_atan", in_square(lambda s: (atan(s) / s - 1) / s**2), [0, w], 5, 2, w)

table("pair_atan_eighths", [part for j in range(9) for part in pair(atan(mpf(j) / 8))])

# log 2: 15 bits, whose product with an exponent is exact, and the rest; the same for log 10 and 1/log 2 as pairs and a float
first = floor(log(mpf(2)) * 2**15) / 2**15
table("pair_ln2", [first, *pair(log(mpf(2)) - first)])


def triple(x):
    hi, lo = pair(x)
    return [hi, lo, to_float(x - hi - lo)]


table("pair_ln10", triple(log(mpf(10))))
table("pair_log2_e", triple(1 / log(mpf(2))))
table("pair_log10_e", triple(1 / log(mpf(10))))
table("pair_pi", triple(pi))
table("pair_pi_2", triple(pi / 2))
table("pair_inverse_pi", triple(1 / pi))
table("pair_2pi", triple(2 * pi))
# 1/(2 pi), the bits behind the point
digits = int(floor(2**320 / (2 * pi)))
print("pair_turns[10]")
print("    " + ", ".join("0x%08xUL" % ((digits >> (288 - 32 * i)) & 0xffffffff) for i in range(10)))
