#!/usr/bin/python3
"""fit_choose.py -- the tables of choose.cl: k! and the inverse modulo 2^64 of the odd part of k!, k = 0..29.

Usage: python3 tools/fit_choose.py [--check]
"""
from math import factorial

import table_check  # --check

print("choose_factorial")
for k in range(30):
    print("    %.17g," % factorial(k))
print("choose_inverse")
for k in range(30):
    f = factorial(k)
    print("    0x%xUL," % pow(f // (f & -f), -1, 2 ** 64))
