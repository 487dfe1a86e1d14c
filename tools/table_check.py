"""table_check.py -- gives a script of tools/ that prints tables the option --check: what it prints is compared with inst/cl.

A script imports this module. With --check its output is kept back; a table of inst/cl belongs to the script that the nearest
comment above it, or else its file's opening, names, and its numbers must stand in that output, one after the other. With
arguments that choose parts, tables of other parts are not found: then only those found are told.
"""
import atexit
import glob
import io
import os
import re
import sys

NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F]+(?=UL)|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=f?(?![\w.])))")
TABLE = re.compile(r"NMATH_TABLE (?:double|float|nmath_u64|nmath_u32) (\w+)\[[^\]]*\] = \{(.*?)\};", re.S)
WORD = re.compile(r"(?<![0-9a-fA-Fx])[A-Za-z_]{3,}|//")
SCRIPT = re.compile(r"tools/(fit_\w+\.py)")


def tables(script):
    """(file, name, blocks of numbers) of the tables of inst/cl that `script` makes; comments part blocks."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inst", "cl")
    for path in sorted(glob.glob(os.path.join(root, "*", "*.cl"))):
        text = open(path).read()
        for match in TABLE.finditer(text):
            named = SCRIPT.findall(text[:match.start()])
            blocks = re.split(r"//.*", match.group(2))
            if named and named[-1] == script and not any("/" in b for b in blocks):  # 1.0 / 6 needs no script
                yield os.path.basename(path), match.group(1), [numbers(b) for b in blocks if numbers(b)]


def numbers(text):
    lines = [line for line in text.splitlines() if not WORD.search(line)]
    return [int(t, 16) if "x" in t else float(t) for t in NUMBER.findall("\n".join(lines))]


def stands_in(printed, wanted):
    n = len(wanted)
    return any(v == wanted[0] and printed[i:i + n] == wanted for i, v in enumerate(printed))


def compare(script, text, whole):
    """Whether all its tables (some, if only parts were asked for) are what the script prints."""
    printed, bad, good = numbers(text), [], 0
    for path, name, blocks in tables(script):
        if all(stands_in(printed, block) for block in blocks):
            good += 1
        else:
            bad.append(path + ": " + name)
    if whole and bad:
        print("not what %s makes: %s" % (script, ", ".join(bad)))
    print("%s: %d tables of inst/cl reproduced" % (script, good))
    return good > 0 and not (whole and bad)


def finish(script, kept, shown, whole):
    sys.stdout = shown
    ok = compare(script, kept.getvalue(), whole)
    sys.stdout.flush()
    if not ok:
        os._exit(1)


if "--check" in sys.argv:
    sys.argv.remove("--check")
    kept, shown = io.StringIO(), sys.stdout
    sys.stdout = kept
    atexit.register(finish, os.path.basename(sys.argv[0]), kept, shown, len(sys.argv) == 1)
