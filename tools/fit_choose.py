#!/usr/bin/python3
"""fit_choose.py -- the tables of choose.cl: k! and the inverse modulo 2^64 of the odd part of k!, k = 0..29."""
from math import factorial

for k in range(30):
    f = factorial(k)
    print("%d: %.17g, 0x%xUL" % (k, f, pow(f // (f & -f), -1, 2 ** 64)))
