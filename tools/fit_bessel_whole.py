"""fit_bessel_whole.py -- the last two tables of inst/cl/nmath/bessel_table_jy.cl: the others at orders 0 and 1.

    python3 tools/fit_bessel_whole.py

There, z = nu^2/1.125 - 1 is a constant, and the powers of z are summed, exactly; each sum is rounded once.
"""
import re
from fractions import Fraction
from pathlib import Path

TEXT = (Path(__file__).parent.parent / "inst/cl/nmath/bessel_table_jy.cl").read_text()


def table(name):
    body = re.search(r"NMATH_TABLE double %s\[\d+\] = \{(.*?)\};" % name, TEXT, re.S).group(1)
    return [Fraction(float(x)) for x in body.replace("\n", " ").split(",") if x.strip()]


def collapsed(rows, terms, nu):
    z = Fraction(nu * nu * 8, 9) - 1
    return [float(sum(row * z**k for k, row in enumerate(rows[i::terms]))) for i in range(terms)]


def show(name, values):
    print("NMATH_TABLE double %s[%d] = {" % (name, len(values)))
    for i in range(0, len(values), 4):
        print("    " + ", ".join("%.17g" % v for v in values[i:i + 4]) + ",")
    print("};")


near, far = [], []
for interval in range(3):
    for nu in (0, 1):
        for name in "pq":
            near += collapsed(table("bessel_hankel_near_" + name)[140 * interval:140 * interval + 140], 14, nu)
for nu in (0, 1):
    for name in "pq":
        far += collapsed(table("bessel_hankel_far_" + name), 6, nu)
show("bessel_hankel_near_whole", near)
show("bessel_hankel_far_whole", far)
