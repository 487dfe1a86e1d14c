#!/usr/bin/env python3
"""explore.py -- the experiments behind thresholds of inst/cl/nmath that no publication gives: what errors and times become as
each is multiplied by a factor.

    tools/explore.py [--gpu] rank|nct [CALLS [NAME ...]]     all constants of a family, or some

The device sources are compiled as C as they are, and once for each constant and factor. Two sets of calls are scored:
the reference tables (tests/testthat/ref; the worst error over eps (1 + condition), and how many are beyond 8), and, for the
rank statistics, random calls against a contour integral with all factors and wider rules (the worst error over eps (1 + a
tenth of the logarithm), and how many are beyond 8). Times are microseconds for each random call (for the tables if there are
none), the smallest of three, and that of the slowest call. With --gpu the host takes a GPU's paths: private memory for few
counts, above all.
"""
import ctypes
import math
import platform
import random
import sys
import tempfile

import host_build

RANK = {
    "RANK_SERIES_LEAST": (0.25, 0.5, 2), "RANK_SERIES_LOST": (0.6, 0.8, 1.2), "RANK_SERIES_FAR": (0.25, 4),
    "RANK_SERIES_NEAR": (0.5, 2, 3), "RANK_SERIES_LOBES": (0.5, 0.75, 1.5), "RANK_SERIES_LOBES_SIGNED": (0.5, 0.75, 1.5),
    "RANK_SERIES_WIDTH": (0.8, 0.9, 1.2), "RANK_SERIES_WIDTH_SUM": (0.8, 0.9, 1.2), "RANK_LOST": (0.6, 0.8, 1.2),
    "RANK_WIDTH": (0.6, 0.8, 1.2), "RANK_CLOSED": (0.5, 2), "RANK_QUIET": (1e4, 1e-4), "RANK_ETA_TERMS": (0.25, 0.5, 2, 4),
    "RANK_ETA_LEAST": (0.5, 2, 4), "RANK_ETA_LEAST_SIGNED": (0.33, 0.67, 1.33), "RANK_SADDLE": (0.3, 3, 6), "RANK_LEAST": (0.3, 0.5, 2), "RANK_NOTHING": (0.6, 0.8, 1.2),
    "RANKFAR_END": (0.5, 0.7, 1.5), "RANKFAR_ETA": (0.5, 2), "RANKFAR_WIDTH": (0.8, 0.9, 1.2), "RANKFAR_SADDLE": (0.2, 5, 20),
    "RANKFAR_TO_16": (0.5, 2), "RANKFAR_TO_24": (0.5, 2), "RANKFAR_TO_32": (0.5, 2), "RANKFAR_LOST": (0.1, 10, 100),
    "RANKFAR_LOBES": (0.5, 0.75, 1.5), "RANKFAR_LOBES_SIGNED": (0.5, 0.75, 1.5), "RANKFAR_FAR_LOBES": (0.5, 0.75, 1.5),
    "RANKFAR_FAR_LOBES_SIGNED": (0.5, 0.75, 1.5), "RANKFAR_PRODUCT": (0.2, 5), "RANKFAR_PRODUCT_LOG": (0.2, 5),
    "RANK_FEW_K": (0.25, 4), "RANK_PARTS": (0.25, 4), "RANK_FAR": (0.5, 2)}
EXACT = {"RANK_SERIES_LEAST": 1e290, "RANK_FAR": 1e290, "RANK_LOST": 1.3, "RANK_WIDTH": 1.2, "RANK_NOTHING": 1.2,
         "RANK_ETA_LEAST": 1e290, "RANK_ETA_LEAST_SIGNED": 1e290, "RANK_QUIET": 0.1, "RANK_PARTS": 1e290}
NCT = {"NCT_STEP": (0.8, 1.08, 1.15, 1.25), "NCT_FOUR_STEP": (0.8, 1.1, 1.2, 1.35), "NCT_FOUR": (0.6, 0.8, 1.5),
       "NCT_SMALL_STEP": (0.7, 1.2, 1.4), "NCT_TAIL": (0.7, 1.2, 1.4), "NCT_GROW": (0.7, 1.2, 1.5),
       "NCT_FEW": (0.4, 4), "NCT_NEAR": (0.33, 3.3), "NCT_WIDE": (0.125, 2.5, 10), "NCT_EDGE": (0.88, 0.94, 1.12)}
FAMILIES = {"rank": (RANK, ["dwilcox", "pwilcox", "dsignrank", "psignrank"], "rank"), "nct": (NCT, ["dnt", "pnt"], "nct")}
CALL = {"dwilcox": "dwilcox(x[0], x[1], x[2], x[3])", "pwilcox": "pwilcox(x[0], x[1], x[2], x[3], x[4])",
        "dsignrank": "dsignrank(x[0], x[1], x[2])", "psignrank": "psignrank(x[0], x[1], x[2], x[3])",
        "dnt": "dnt(x[0], x[1], x[2], x[3])", "pnt": "pnt(x[0], x[1], x[2], x[3], x[4])"}
OPTIONS = []
if "--gpu" in sys.argv:
    sys.argv.remove("--gpu")
    OPTIONS = ["-DNMATH_AS_GPU"] + ["-mfma"] * (platform.machine() == "x86_64")
TIMED = """
#include <time.h>
void run_%s(const double *x, int n, double *out, double *us)
{
    for (int i = 0; i < n; ++i, x += 6) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        out[i] = %s;
        clock_gettime(CLOCK_MONOTONIC, &b);
        us[i] = 1e6 * (b.tv_sec - a.tv_sec) + 1e-3 * (b.tv_nsec - a.tv_nsec);
    }
}
"""


def table(name):
    lines = [line.split("\t") for line in open(host_build.ROOT + "/tests/testthat/ref/" + name + ".tsv").read().splitlines()]
    number = lambda t: float.fromhex(t) if "0x" in t else float(t.replace("Inf", "inf").replace("NaN", "nan"))
    return [[number(t) for t in line] for line in lines[1:]]


def rank_calls(n):
    """Sizes to 3000, both statistics, masses and lower tails, logarithms and not, to 45 standard deviations from the centre."""
    random.seed(11)
    for i in range(n):
        name = ("dwilcox", "pwilcox", "dsignrank", "psignrank")[i % 4]
        size = lambda: float(round(10 ** random.uniform(0.7, 3.5)))
        m, n2 = size(), size()
        if "sign" in name:
            top, sd, sizes = 0.5 * m * (m + 1), math.sqrt(m * (m + 1) * (2 * m + 1) / 24), [m]
        else:
            top, sd, sizes = m * n2, math.sqrt(m * n2 * (m + n2 + 1) / 12), [m, n2]
        k = random.choice([0.5 * top - sd * random.uniform(0, 8), 0.5 * top - sd * random.uniform(0, 45),
                           0.5 * top * 10 ** random.uniform(-3, 0)])
        k = float(max(0, math.floor(k)))
        log_p = float(random.randint(0, 1))
        yield name, [k] + sizes + ([1.0, log_p] if name[0] == "p" else [log_p])


class Build:
    def __init__(self, folder, name, family, factors):
        mark = family[2]
        edit = lambda text: host_build.changed(text, factors) if mark in text.split("\n", 3)[1] else text
        code = "".join(TIMED % (f, CALL[f]) for f in family[1])
        self.library = host_build.library(folder, name, family[1], edit, code, OPTIONS)

    def run(self, name, rows, times=1):
        n = len(rows)
        flat = (ctypes.c_double * (6 * n))(*[v for row in rows for v in (list(row) + [0.0] * 6)[:6]])
        best = None
        for _ in range(times):
            out, us = (ctypes.c_double * n)(), (ctypes.c_double * n)()
            getattr(self.library, "run_" + name)(flat, n, out, us)
            best = list(us) if best is None else [min(a, b) for a, b in zip(best, us)]
        return list(out), best


def score(values, right, spread):
    eps, worst, beyond = 2.0 ** -52, 0.0, 0
    for v, r, s in zip(values, right, spread):
        if r == v or (math.isnan(r) and math.isnan(v)) or abs(r) < 1e-290 or math.isinf(r):
            continue
        e = abs(v - r) / abs(r) / (eps * (1 + s))
        worst = max(worst, e) if e == e else math.inf
        beyond += not e <= 8
    return worst, beyond


def main():
    constants, functions, mark = family = FAMILIES[sys.argv[1]]
    wanted = sys.argv[3:]
    tables = {f: table(f) for f in functions}
    calls, exact = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        if mark == "rank":
            for name, row in rank_calls(int(sys.argv[2]) if len(sys.argv) > 2 else 4000):
                calls.setdefault(name, []).append(row)
            best = Build(folder, "exact", family, EXACT)
            for name, rows in calls.items():
                exact[name] = best.run(name, rows)[0]

        def compare(label, build):
            worst, beyond, off, lost, us = 0.0, 0, 0.0, 0, []
            for f in functions:
                rows = tables[f]
                values, spent = build.run(f, [r[:-2] for r in rows], 3)
                a, b = score(values, [r[-2] for r in rows], [r[-1] for r in rows])
                worst, beyond = max(worst, a), beyond + b
                if f in calls:
                    values, spent = build.run(f, calls[f], 3)
                    logs = [0.0 if row[-1] else 0.1 * abs(math.log(max(v, 1e-300))) for row, v in zip(calls[f], exact[f])]
                    a, b = score(values, exact[f], logs)
                    off, lost = max(off, a), lost + b
                us += spent
            print("%-36s tables: worst %8.3g, %3d beyond 8   calls: worst %8.3g, %3d beyond 8   us %6.2f, slowest %6.0f"
                  % (label, worst, beyond, off, lost, sum(us) / len(us), max(us)), flush=True)

        compare("as they are", Build(folder, "as", family, {}))
        for key, factors in constants.items():
            for factor in factors if not wanted or key in wanted else ():
                compare("%s times %g" % (key, factor), Build(folder, "%s%g" % (key, factor), family, {key: factor}))


main()
