#!/usr/bin/python3
"""Coefficients of the uniform expansion of the incomplete beta ratio (inst/cl/nmath/ibeta_asym.cl).

With p = a/n, q = b/n, s = q - p, v = n p q, tau = (a - n x)/v and eta = sqrt(2 D/v) (D the deviance):
    eta^2/2 = -log(1 - q tau)/q - log(1 + p tau)/p,   rho = eta/tau,
    c_0 = (rho - 1)/eta,   c_k = (c_{k-1}' + gamma_k rho)/eta,   sum gamma_k v^-k = exp(s(n) - s(a) - s(b)), s = Stirling's error.
Everything is an exact power series in eta whose coefficients are polynomials in s of one parity. Printed for v >= V0,
|eta| <= ETA0: for each k, highest power of eta first, the polynomial in s^2, economized by Chebyshev polynomials on [0, 1].
"""
from fractions import Fraction as F
from math import comb

import table_check  # --check

V0, ETA0, TOL = 100, 0.34, 4e-17
N = 30  # order in eta


def trim(a):
    while a and a[-1] == 0:
        a = a[:-1]
    return a


def add(a, b, c=1):
    n = max(len(a), len(b))
    return trim([(a[i] if i < len(a) else 0) + (c * b[i] if i < len(b) else 0) for i in range(n)])


def mul(a, b):
    r = [F(0)] * max(len(a) + len(b) - 1, 0)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            r[i + j] += x * y
    return trim(r)


def scale(a, c):
    return [x * c for x in a]


def power(a, n):
    r = [F(1)]
    for _ in range(n):
        r = mul(r, a)
    return r


p, q, s = [F(1, 2), F(-1, 2)], [F(1, 2), F(1, 2)], [F(0), F(1)]
u = mul(p, q)

# tau(eta) from (1 - s tau - p q tau^2) eta = tau tau'
t = [[], [F(1)]]
for k in range(2, N + 2):
    acc = mul(s, t[k - 1])
    for i in range(2, k):
        acc = add(acc, mul(t[i], t[k + 1 - i]), k + 1 - i)
    for i in range(1, k - 1):
        acc = add(acc, mul(u, mul(t[i], t[k - 1 - i])))
    t.append(scale(acc, F(-1, k + 1)))
# rho = eta/tau
rho = [[F(1)]]
for k in range(1, N + 1):
    acc = []
    for i in range(1, k + 1):
        acc = add(acc, mul(t[i + 1], rho[k - i]), -1)
    rho.append(acc)
# gamma_k
B = [F(1, 6), F(-1, 30), F(1, 42), F(-1, 30), F(5, 66), F(-691, 2730), F(7, 6), F(-3617, 510)]
K = N // 2
L = [[] for _ in range(K + 1)]
for m, b in enumerate(B, 1):
    e = 2 * m - 1
    if e <= K:
        L[e] = scale(add(add(power(q, e), power(p, e)), power(u, e), -1), -b / (2 * m * e))
gamma = [[F(1)]]
for k in range(1, K + 1):
    acc = []
    for i in range(1, k + 1):
        acc = add(acc, mul(L[i], gamma[k - i]), F(i, k))
    gamma.append(acc)
c = [[rho[j + 1] for j in range(N)]]
for k in range(1, K):
    prev = c[-1]
    if len(prev) < 3:
        break
    assert not add(prev[1], gamma[k])  # c_k is regular at eta = 0
    c.append([add(scale(prev[j + 2], j + 2), mul(gamma[k], rho[j + 1])) for j in range(len(prev) - 2)])


def economize(co, weight):
    """polynomial in w on [0, 1], coefficients co, to weight * error < TOL/4"""
    ch = [F(0)] * len(co)
    for d, a in enumerate(co):
        for i in range(d + 1):
            ch[i] += a * F(2 * comb(2 * d, d - i), 4 ** d) / (2 if i == 0 else 1)
    n, rest = len(ch), 0.0
    while n > 0 and rest + abs(float(ch[n - 1])) * weight < TOL / 4:
        rest += abs(float(ch[n - 1])) * weight
        n -= 1
    out = []
    T = [[F(1)], [F(-1), F(2)]]  # shifted Chebyshev polynomials
    for i in range(n):
        if i > 1:
            T.append(add(mul([F(-2), F(4)], T[i - 1]), T[i - 2], -1))
        out = add(out, T[i], ch[i])
    return [float(x) for x in out]


total, error = 0, 0.0
for k, row in enumerate(c):
    rows = []
    for j, poly in enumerate(row):
        weight = V0 ** -k * ETA0 ** j
        co = poly[(j + 1) % 2::2]
        e = economize(co, weight) if sum(abs(float(x)) for x in co) * weight > TOL else []
        rows.append(e)
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        break
    print("    // k = %d: %s" % (k, " ".join("%s(%d)" % ("EO"[(j + 1) % 2], len(rows[j])) for j in range(len(rows) - 1, -1, -1))))
    flat = [x for j in range(len(rows) - 1, -1, -1) for x in rows[j]]
    total += len(flat)
    for i in range(0, len(flat), 4):
        print("    " + " ".join("%.17g," % x for x in flat[i:i + 4]))
print("// %d coefficients" % total)
