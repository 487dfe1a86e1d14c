#!/usr/bin/env python3
"""fit_tukey.py -- the experiment behind the constants of inst/cl/nmath/tukey.cl, tukey_node.cl and tukey_walk.cl, which have no
tables but that of tukey_table.cl, not used here.

The device sources are compiled as C, once as they are, once with a third of all spacings, once with each spacing
widened, and once with each other constant multiplied by a factor; random calls of ptukey() are compared with the finest.
Printed are, for each, how many calls are off by more than 1e-14 and by more than 1e-12, the nodes that a call takes (each
an inner sum, some of them coarse or in search of the mode), and the terms of those sums.

    tools/fit_tukey.py [CALLS [NAME ...]]     the table, or the rows of some constants (1500 calls: five minutes)
    tools/fit_tukey.py --check                exits 1 unless the constants as they are keep all digits
"""
import ctypes
import math
import random
import re
import sys
import tempfile

import host_build

WIDER = {  # name: factors by which the spacing grows
    "TUKEY_SMOOTH": (1.17, 1.42), "TUKEY_RISE": (1.08, 1.28), "TUKEY_WIDE": (1.09, 1.3), "TUKEY_GROWTH": (1.3,),
    "TUKEY_LOWER": (1.09, 1.2), "TUKEY_UPPER": (1.1, 1.2)}
OTHER = {  # name: factors of the constant
    "TUKEY_EDGE": (0.25, 0.5, 2, 4), "TUKEY_UPPER_RISE": (0.25, 0.5, 2), "TUKEY_LOWER_MOST": (0.4, 0.7, 1.5),
    "TUKEY_LOWER_RISE": (0.25, 0.5, 2), "TUKEY_TWO_ENDS": (0.3, 3), "TUKEY_REACH": (0.5, 0.75, 2),
    "TUKEY_REACH_COARSE": (0.5, 2), "TUKEY_AT_MODE": (0.5, 1.4, 2), "TUKEY_SEEK": (0.3, 2, 4), "TUKEY_RATE": (0.3, 3),
    "TUKEY_FALL": (0.5, 0.75, 2), "TUKEY_LONG": (0.25, 0.5, 2, 4), "TUKEY_FEW": (0.25, 0.5, 2, 4),
    "TUKEY_BEYOND": (0.7, 1.4), "TUKEY_CLEAR": (0.9, 1.3, 2), "TUKEY_APART": (0.2, 0.5, 2), "TUKEY_RESOLVED": (0.3, 3),
    "TUKEY_SEEN": (0.5, 0.7, 1.5), "TUKEY_LIGHT": (1e-2, 1e2, 1e4), "TUKEY_LIGHTER": (1e-2, 1e2, 1e4)}
SQUARED = ("TUKEY_SMOOTH", "TUKEY_RISE", "TUKEY_WIDE")  # 1/spacing^2


def build(folder, name, factors, most=1):
    """ptukey(), spacings multiplied by factors[name]; loops may take `most` times as many terms."""
    def edit(text):
        if "tukey" not in text.split("\n", 3)[1]:
            return text
        text = host_build.changed(text, factors, SQUARED)
        text = text.replace("if (tukey_table_has(c))", "if (0)")  # the sums are what is tried
        text = re.sub(r"most = (\d+)", lambda m: "most = %d" % (most * int(m.group(1))), text)
        text = re.sub(r"(tukey_inner r;)(\s+q =)", r"\1 nodes++;\2", text)
        text = re.sub(r"(sum \+= x;)", r"\1 terms++;", text)
        return ("static long terms, nodes;\n" if "tukey_inner;" in text else "") + text
    code = ("double one(double q, double r, double c, double d, int l, int g, double *n)\n"
            "{ terms = nodes = 0; double p = ptukey(q, r, c, d, l, g); n[0] = nodes; n[1] = terms; return p; }")
    f = host_build.library(folder, name, ["ptukey"], edit, code).one
    f.restype = ctypes.c_double
    f.argtypes = [ctypes.c_double] * 4 + [ctypes.c_int] * 2 + [ctypes.POINTER(ctypes.c_double)]
    return f


def calls(n):
    """q near the median of the range and in both tails; means to 1e60, ranges to 1e200, df 2 to 1e5."""
    random.seed(17)
    power = lambda a, b: 10 ** random.uniform(a, b)
    for _ in range(n):
        c = random.choice([2, 3, 5, round(power(.5, 2)) + 1, round(power(1, 5)), power(5, random.choice([16, 60]))])
        r = random.choice([1, 1, round(power(0, 5)), power(6, 40), power(12, 200)])
        d = random.choice([2, 2.5, 3, 5, 10, 20, power(.31, 1.7), power(.31, 5)])
        t = math.log(r) + math.log(c) + math.log(c - 1)
        z = math.sqrt(max(2 * t - math.log(max(2 * t, 1)), 1))
        s = math.sqrt(2 / d)
        u = random.choice([random.uniform(-1.5, 1), random.gauss(0, s), random.uniform(-.3, 4) * min(1, 3 * s + .3)])
        yield 1.414 * z * math.exp(u), r, c, d, random.randint(0, 1), random.randint(0, 1)


def values(f, rows):
    n = (ctypes.c_double * 2)()
    nodes = terms = 0
    out = []
    for row in rows:
        out.append(f(*row, n))
        nodes += n[0]
        terms += n[1]
    return out, nodes / len(rows), terms / len(rows)


def compare(name, f, rows, best):
    got, nodes, terms = values(f, rows)
    error = [abs(a - b) / abs(b) if b else abs(a) for a, b in zip(got, best)]
    off = [sum(not e <= bound for e in error) for bound in (1e-14, 1e-12)]
    print("%-26s over 1e-14: %3d   over 1e-12: %3d   nodes %5.1f   terms %5.0f" % (name, off[0], off[1], nodes, terms), flush=True)
    return off


def main():
    check = "--check" in sys.argv
    names = [a for a in sys.argv[2:] if a.startswith("TUKEY")]
    rows = list(calls(300 if check else int(sys.argv[1]) if len(sys.argv) > 1 else 1500))
    with tempfile.TemporaryDirectory() as folder:
        best = values(build(folder, "fine", dict({k: 1 / 3 for k in WIDER}, TUKEY_LIGHT=1e-10, TUKEY_LIGHTER=1e-10), 10), rows)[0]
        off = compare("as they are", build(folder, "as", {}), rows, best)
        if check:
            sys.exit(off[0] > 0.04 * len(rows) or off[1] > 0)
        for key, factors in list(WIDER.items()) + list(OTHER.items()):
            for factor in factors if not names or key in names else ():
                what = "wider by" if key in WIDER else "times"
                f = build(folder, "w%s%g" % (key, factor), {key: factor})
                compare("%s %s %g" % (key[6:].lower(), what, factor), f, rows, best)


main()
