#!/usr/bin/env python3
"""import_reference.py FROM -- copies the reference values that the tests use into tests/testthat/ref.

FROM holds tables/*.tsv, edges/*.tsv (reference values at exact arguments: the generator's README tells how they were
certified) and r_edge_probes.tsv (what R 4.2.2 answers on its edges). Taken over is what inst/spec/functions.tsv has a
row for. Numbers are written as hexadecimal doubles, rounded correctly here, because R's reader of decimals can be one
ulp off; a reference beyond the doubles becomes 0 or Inf.
"""
import csv
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
REF = os.path.join(ROOT, "tests", "testthat", "ref")
FLAGS = {"log", "lower.tail", "log.p", "expon.scaled", "cond"}

# R's names of functions whose device counterpart is called otherwise; C_* are the C functions behind no R function.
R_NAMES = {
    "gamma": "gammafn", "lgamma": "lgammafn", "round": "fround", "signif": "fprec", "trunc": "ftrunc",
    "C_R_pow": "r_pow", "C_R_pow_di": "r_pow_di",
}
# Not functions of this package's kind but of R itself: they may stand in a probe.
PLAIN = set("c matrix structure array numeric integer logical character factor list data.frame as.raw as.Date ts table "
            "quote suppressWarnings tryCatch class deparse conditionCall rep seq names ifelse function is.na "
            "rep_len as.double double dim length as.integer attributes attr".split())
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


def copy_table(source, target):
    with open(source) as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    header = rows[0]
    with open(target, "w") as file:
        file.write("\t".join(header) + "\n")
        for row in rows[1:]:
            file.write("\t".join(v if h in FLAGS else exact(v) for h, v in zip(header, row)) + "\n")


# Non-central distributions, by name or as a fourth argument: they need the function that a given ncp chooses.
NONCENTRAL = re.compile(r"ncp|[dpq]beta\([^,]*,[^,]*,[^,]*, *(0|numeric)|pchisq\(2, 3, 0\)|[dp]f\(1, 3, 5, 0\)|dt\(1, 3, NULL\)")


def applicable(code, known):
    called = set(NUMBERS.findall(code))
    if NONCENTRAL.search(code) and not {name[0] + "n" + name[1:] for name in called - PLAIN} <= known:
        return False
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
                copy_table(path, os.path.join(REF, "" if kind == "tables" else "edges", table + ".tsv"))
    known = {row["name"] for row in functions}
    columns = ["id", "result", "typeof", "length", "warning", "error", "code"]
    with open(os.path.join(source, "r_edge_probes.tsv")) as file, \
            open(os.path.join(REF, "r_edge_probes.tsv"), "w") as target:
        target.write("\t".join(columns) + "\n")
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if applicable(row["code"], known):
                target.write("\t".join(row[c] for c in columns) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
