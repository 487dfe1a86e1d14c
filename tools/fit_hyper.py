#!/usr/bin/python3
"""fit_hyper.py -- the tables of dhyper.cl and phyper.cl: factorials over 2^(6k); a Gauss-Legendre rule on [0, 1] and the end
correction of a sum that is replaced by an integral. Usage: python3 tools/fit_hyper.py

sum_{j>=0} g(j) = integral_0^Inf g + g(0)/2 + sum_k c_k (g(k) - g(-k)); for g(u) = exp(-a u) both sides agree in every
power of a up to a^13 if sum_k c_k k^(2j-1) = -B_2j/(4j), j = 1..7 (Euler and Maclaurin with central differences).
"""
import mpmath as mp

import table_check  # --check

mp.mp.dps = 50
NODES, ENDS = 24, 7


def legendre(n, x):
    """P_n(x) and its derivative."""
    p, q = mp.mpf(1), x
    for k in range(2, n + 1):
        p, q = q, ((2 * k - 1) * x * q - (k - 1) * p) / k
    return q, n * (x * q - p) / (x * x - 1)


def rule(n):
    for i in range(n, 0, -1):
        x = mp.cos(mp.pi * (i - mp.mpf(1) / 4) / (n + mp.mpf(1) / 2))
        for _ in range(8):
            p, d = legendre(n, x)
            x -= p / d
        yield (1 + x) / 2, 1 / ((1 - x * x) * legendre(n, x)[1] ** 2)


def show(name, c):
    print("%s[%d]" % (name, len(c)))
    for k in range(0, len(c), 4):
        print("    " + " ".join("%.17g," % float(a) for a in c[k:k + 4]))


if __name__ == "__main__":
    show("dhyper_factorial", [mp.ldexp(mp.factorial(k), -6 * k) for k in range(171)])
    nodes, weights = zip(*rule(NODES))
    show("phyper_node", nodes)
    show("phyper_weight", weights)
    A = mp.matrix([[mp.mpf(k) ** (2 * j - 1) for k in range(1, ENDS + 1)] for j in range(1, ENDS + 1)])
    b = mp.matrix([-mp.bernoulli(2 * j) / (4 * j) for j in range(1, ENDS + 1)])
    show("phyper_end", list(mp.lu_solve(A, b)))
