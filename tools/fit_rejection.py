#!/usr/bin/env python3
"""fit_rejection.py -- the table of inst/cl/nmath/rejection.cl: 1/k for k = 1, ..., 64, the divisors of the ratios of
successive masses in inversion by sequential search (Devroye 1986, Non-Uniform Random Variate Generation, III.2)."""
import table_check  # --check

print("NMATH_TABLE double rejection_inverse[64] = {")
for i in range(1, 65, 8):
    print("    " + ", ".join(repr(1.0 / k) for k in range(i, i + 8)) + ",")
print("};")
