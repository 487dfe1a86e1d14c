#!/usr/bin/env python3
"""coefficients.py -- every table of coefficients in inst/cl is what its script computes.

    python3 tools/coefficients.py            checks the scripts whose inputs have changed since they were last checked
    python3 tools/coefficients.py --all      checks all of them (some minutes)
    python3 tools/coefficients.py --record   checks what has changed and records it in tools/coefficients.tsv

The inputs of a script are its text, that of the modules of tools/ it imports, and the numbers of its tables in inst/cl. Needs
mpmath.
"""
import glob
import hashlib
import os
import re
import subprocess
import sys

TOOLS = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(TOOLS, "coefficients.tsv")
# A script that checks a statement about inst/cl rather than a table: its command and the files that it reads.
OTHERS = {"check_beta_fixed.py": ["nmath/pbeta_fixed.cl"]}

sys.path.insert(0, TOOLS)
sys.argv, arguments = [sys.argv[0]], sys.argv[1:]  # table_check would take --check for its own
import table_check  # noqa: E402


def modules(script, seen):
    """The files of tools/ that a script is made of."""
    seen.add(script)
    for name in re.findall(r"^\s*(?:import|from) (\w+)", open(os.path.join(TOOLS, script)).read(), re.M):
        if os.path.exists(os.path.join(TOOLS, name + ".py")) and name + ".py" not in seen:
            modules(name + ".py", seen)
    return seen


def inputs(script):
    digest = hashlib.sha256()
    for name in sorted(modules(script, set())):
        digest.update(open(os.path.join(TOOLS, name), "rb").read())
    for table in table_check.tables(script):
        digest.update(repr(table).encode())
    for name in OTHERS.get(script, []):
        digest.update(open(os.path.join(TOOLS, "..", "inst", "cl", name), "rb").read())
    return digest.hexdigest()


def command(script):
    return [sys.executable, os.path.join(TOOLS, script)] + ([] if script in OTHERS else ["--check"])


def main():
    scripts = sorted(os.path.basename(p) for p in glob.glob(os.path.join(TOOLS, "fit_*.py"))) + sorted(OTHERS)
    recorded = dict(line.split("\t") for line in open(RECORD).read().splitlines()[1:]) if os.path.exists(RECORD) else {}
    now = {script: inputs(script) for script in scripts}
    due = [s for s in scripts if "--all" in arguments or recorded.get(s) != now[s]]
    failed = [s for s in due if subprocess.call(command(s)) != 0]
    print("%d scripts: %d checked, %d failed, the inputs of the others have not changed" % (len(scripts), len(due), len(failed)))
    if failed:
        sys.exit("failed: " + " ".join(failed))
    if "--record" in arguments:
        with open(RECORD, "w", newline="\n") as out:
            out.write("script\tinputs when it was last checked (SHA-256)\n")
            out.writelines("%s\t%s\n" % (s, now[s]) for s in scripts)
    elif due and "--all" not in arguments:
        print("To check them once and not at every run: python3 tools/coefficients.py --record")


main()
