#!/usr/bin/env python3
"""import_reference.py FROM -- copies the reference values that the tests use into tests/testthat/ref.

FROM holds tables/*.tsv, edges/*.tsv (reference values at exact arguments: the generator's README tells how they were
certified) and r_edge_probes.tsv (what R 4.2.2 answers on its edges). Taken over is what inst/spec/functions.tsv has a
row for, and to a table are added the rows of the same name in tools/reference_rows: defects that were found and mended
since. Numbers are written as hexadecimal doubles, rounded correctly here, because R's reader of decimals can be one
ulp off; a reference beyond the doubles becomes 0 or Inf.
"""
import bz2  # for what is text more than numbers: R reads such files by itself
import csv
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
REF = os.path.join(ROOT, "tests", "testthat", "ref")
ADDED = os.path.join(ROOT, "tools", "reference_rows")
FLAGS = {"log", "lower.tail", "log.p", "expon.scaled", "cond"}

# R's names of functions whose device counterpart is called otherwise; C_* are the C functions behind no R function.
R_NAMES = {
    "gamma": "gammafn", "lgamma": "lgammafn", "round": "fround", "signif": "fprec", "trunc": "ftrunc",
    "C_R_pow": "r_pow", "C_R_pow_di": "r_pow_di", "C_bessel_i": "bessel_i_ex", "C_bessel_k": "bessel_k_ex",
}
# Not functions of this package's kind but of R itself: they may stand in a probe.
PLAIN = set("c matrix structure array numeric integer logical character factor list data.frame as.raw as.Date ts table "
            "quote suppressWarnings tryCatch class deparse conditionCall rep seq names ifelse function is.na "
            "rep_len as.double double dim length as.integer attributes attr".split())
PLAIN |= set("typeof range is.finite dimnames colSums".split())
# Answers that hang on R's own stream of random numbers.
STREAMS = {"rbeta(4, 0, 0)"}
NUMBERS = re.compile(r"([A-Za-z_.][A-Za-z0-9_.]*)\s*\(")


def exact(text):
    value = float(text)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    return value.hex() if value else "-0x0p+0" if text.startswith("-") else "0"


def read_functions():
    with open(os.path.join(ROOT, "inst", "spec", "functions.tsv")) as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_rows(path):
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file]


def copy_table(source, target, added=""):
    rows = read_rows(source)
    header = rows[0]
    if os.path.exists(added):
        own = read_rows(added)
        if own[0] != header:
            raise SystemExit(added + ": not the columns of " + source)
        rows += own[1:]
    with open(target, "w") as file:
        file.write("\t".join(header) + "\n")
        for row in rows[1:]:
            file.write("\t".join(v if h in FLAGS else exact(v) for h, v in zip(header, row)) + "\n")


def applicable(code, family, known):
    if family == "random-seed42" or code in STREAMS:
        return False
    called = set(NUMBERS.findall(code))
    ours = set()
    for name in called - PLAIN:
        mapped = R_NAMES.get(name, name[2:] if name.startswith("C_") else name)
        if mapped not in known:
            return False
        ours.add(mapped)
    if "C_logspace_sum" in code:  # the kernel sums two terms
        return code.count(",") == 1
    return bool(ours)


def main(source):
    functions = read_functions()
    os.makedirs(os.path.join(REF, "edges"), exist_ok=True)
    tables = {row["table"] for row in functions if row["table"]}
    for table in sorted(tables):
        for kind in ("tables", "edges"):
            path = os.path.join(source, kind, table + ".tsv")
            if os.path.exists(path):
                target = os.path.join(REF, "" if kind == "tables" else "edges", table + ".tsv")
                copy_table(path, target, os.path.join(ADDED, table + ".tsv") if kind == "tables" else "")
    known = {row["name"] for row in functions}
    columns = ["result", "warning", "error", "code"]
    with open(os.path.join(source, "r_edge_probes.tsv")) as file, \
            bz2.open(os.path.join(REF, "r_edge_probes.tsv.bz2"), "wt") as target:
        target.write("\t".join(columns) + "\n")
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if applicable(row["code"], row["family"], known):
                target.write("\t".join(row[c] for c in columns) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
