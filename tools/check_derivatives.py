#!/usr/bin/python3
"""Derivatives at high precision for tools/check_derivatives.R, which calls this: rows "id name argument form value arg=x ..."
come in, "id error" go out, with the relative error of the value less what the rounding of the arguments explains
(eight units in the last place of each), or "id skip" where nothing is defined here. Functions are written from their
definitions, differences are mpmath's at 40 digits."""
import sys
from mpmath import mp, mpf, log, exp, sqrt, pi, loggamma, gamma, psi, erfc, erfinv, gammainc, betainc, beta, binomial, hyp1f1

mp.dps = 40
M = {}


def define(name):
    def keep(f):
        M[name] = f
        return f
    return keep


# ---- log densities
def lbeta(a, b): return loggamma(a) + loggamma(b) - loggamma(a + b)
def l_gamma(x, shape, scale): return (shape - 1) * log(x / scale) - x / scale - loggamma(shape) - log(scale)
def l_beta(x, a, b): return (a - 1) * log(x) + (b - 1) * log(1 - x) - lbeta(a, b)
def l_f(x, m, n): return m / 2 * log(m / n) + (m / 2 - 1) * log(x) - (m + n) / 2 * log(1 + m * x / n) - lbeta(m / 2, n / 2)
def l_nbinom(x, s, p): return loggamma(x + s) - loggamma(s) - loggamma(x + 1) + s * log(p) + x * log(1 - p)
def l_pois(x, l): return x * log(l) - l - loggamma(x + 1)


def mixture(ncp, term):
    total, j = mpf(0), 0
    w = exp(-ncp / 2)
    while True:
        total += w * term(j)
        j += 1
        w *= ncp / 2 / j
        if j > ncp and w < mpf(10) ** -44: return total


def l_nt(x, n, d):
    mu = d * x / sqrt(n + x * x)
    u = mu * mu / 2
    m = gamma((n + 1) / 2) * hyp1f1((n + 1) / 2, mpf(1) / 2, u) + mu * sqrt(2) * gamma(n / 2 + 1) * hyp1f1(n / 2 + 1, mpf(3) / 2, u)
    return n / 2 * log(n) - log(pi) / 2 - loggamma(n / 2) - (n + 1) / 2 * log(n + x * x) - d * d / 2 + log(m)


DENSITY = {
    "norm": lambda x, m, s: -((x - m) / s) ** 2 / 2 - log(s) - log(2 * pi) / 2,
    "lnorm": lambda x, m, s: -((log(x) - m) / s) ** 2 / 2 - log(s * x) - log(2 * pi) / 2,
    "unif": lambda x, a, b: -log(b - a),
    "exp": lambda x, r: log(r) - r * x,
    "gamma": l_gamma,
    "chisq": lambda x, n: l_gamma(x, n / 2, mpf(2)),
    "beta": l_beta,
    "f": l_f,
    "t": lambda x, n: loggamma((n + 1) / 2) - loggamma(n / 2) - log(n * pi) / 2 - (n + 1) / 2 * log(1 + x * x / n),
    "weibull": lambda x, k, s: log(k / s) + (k - 1) * log(x / s) - (x / s) ** k,
    "logis": lambda x, m, s: -(x - m) / s - log(s) - 2 * log(1 + exp(-(x - m) / s)),
    "cauchy": lambda x, m, s: -log(pi * s) - log(1 + ((x - m) / s) ** 2),
    "pois": l_pois,
    "pois_raw": l_pois,
    "binom": lambda x, n, p: log(binomial(n, x)) + x * log(p) + (n - x) * log(1 - p),
    "binom_raw": lambda x, n, p, q: loggamma(n + 1) - loggamma(x + 1) - loggamma(n - x + 1) + x * log(p) + (n - x) * log(q),
    "geom": lambda x, p: log(p) + x * log(1 - p),
    "nbinom": l_nbinom,
    "nbinom_mu": lambda x, s, mu: loggamma(x + s) - loggamma(s) - loggamma(x + 1) - s * log(1 + mu / s) + x * log(mu / (s + mu)),
    "nchisq": lambda x, n, l: log(mixture(l, lambda j: exp(l_gamma(x, n / 2 + j, mpf(2))))),
    "nbeta": lambda x, a, b, l: log(mixture(l, lambda j: exp(l_beta(x, a + j, b)))),
    "nf": lambda x, m, n, l: log(mixture(l, lambda j: m / (m + 2 * j) * exp(l_f(x * m / (m + 2 * j), m + 2 * j, n)))),
    "nt": l_nt,
}


# ---- distribution functions: lower and upper tail
def tails_beta(x, a, b): return betainc(a, b, 0, x, regularized=True), betainc(b, a, 0, 1 - x, regularized=True)
def tails_gamma(x, shape, scale): return gammainc(shape, 0, x / scale, regularized=True), gammainc(shape, x / scale, regularized=True)
def tails_norm(z): return erfc(-z / sqrt(2)) / 2, erfc(z / sqrt(2)) / 2
def tails_t(x, n):
    tail = betainc(n / 2, mpf(1) / 2, 0, n / (n + x * x), regularized=True) / 2
    return (1 - tail, tail) if x > 0 else (tail, 1 - tail)
def mixed(l, tails): return mixture(l, lambda j: tails(j)[0]), mixture(l, lambda j: tails(j)[1])
def logistic(z): return 1 / (1 + exp(-z)), 1 / (1 + exp(z))
def floor(q): return mp.floor(q + mpf("1e-7"))


CDF = {
    "norm": lambda q, m, s: tails_norm((q - m) / s),
    "lnorm": lambda q, m, s: tails_norm((log(q) - m) / s),
    "unif": lambda q, a, b: ((q - a) / (b - a), (b - q) / (b - a)),
    "exp": lambda q, r: (1 - exp(-r * q), exp(-r * q)),
    "gamma": tails_gamma,
    "chisq": lambda q, n: tails_gamma(q, n / 2, mpf(2)),
    "beta": tails_beta,
    "f": lambda q, m, n: tails_beta(m * q / (n + m * q), m / 2, n / 2),
    "t": tails_t,
    "weibull": lambda q, k, s: (1 - exp(-(q / s) ** k), exp(-(q / s) ** k)),
    "logis": lambda q, m, s: logistic((q - m) / s),
    "cauchy": lambda q, m, s: (mp.atan2(s, m - q) / pi, mp.atan2(s, q - m) / pi),
    "nchisq": lambda q, n, l: mixed(l, lambda j: tails_gamma(q, n / 2 + j, mpf(2))),
    "nbeta": lambda q, a, b, l: mixed(l, lambda j: tails_beta(q, a + j, b)),
    "nf": lambda q, m, n, l: mixed(l, lambda j: tails_beta(m * q / (n + m * q), m / 2 + j, n / 2)),
    "pois": lambda q, l: tails_gamma(l, floor(q) + 1, mpf(1))[::-1],
    "binom": lambda q, n, p: tails_beta(p, floor(q) + 1, n - floor(q))[::-1] if floor(q) < n else (mpf(1), mpf(0)),
    "geom": lambda q, p: (1 - (1 - p) ** (floor(q) + 1), (1 - p) ** (floor(q) + 1)),
    "nbinom": lambda q, s, p: tails_beta(p, s, floor(q) + 1),
    "nbinom_mu": lambda q, s, mu: tails_beta(s / (s + mu), s, floor(q) + 1),
}

QUANTILE = {
    "norm": lambda p, m, s: m + s * sqrt(2) * erfinv(2 * p - 1),
    "lnorm": lambda p, m, s: exp(m + s * sqrt(2) * erfinv(2 * p - 1)),
    "unif": lambda p, a, b: a + p * (b - a),
    "exp": lambda p, r: -log(1 - p) / r,
    "weibull": lambda p, k, s: s * (-log(1 - p)) ** (1 / k),
    "logis": lambda p, m, s: m + s * log(p / (1 - p)),
    "cauchy": lambda p, m, s: m - s * mp.cot(pi * p),
}

# ---- other functions
def stirling(n): return loggamma(n + 1) - (n + mpf(1) / 2) * log(n) + n - log(2 * pi) / 2
def bessel(f, sign):
    return lambda x, nu, scaled: f(nu, x) * (exp(sign * x) if scaled else 1)


VALUE = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "^": lambda x, y: x ** y, "r_pow": lambda x, y: x ** y, "r_pow_di": lambda x, n: x ** n,
    "%%": lambda x, y: x - y * mp.floor(x / y), "abs": abs, "sqrt": sqrt, "exp": exp, "log": log,
    "log1p": lambda x: log(1 + x), "expm1": lambda x: exp(x) - 1, "log2": lambda x: log(x) / log(2), "log10": lambda x: log(x) / log(10),
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "atan2": mp.atan2,
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
    "sinpi": lambda x: mp.sin(pi * x), "cospi": lambda x: mp.cos(pi * x), "tanpi": lambda x: mp.tan(pi * x),
    "gamma": gamma, "lgamma": lambda x: log(abs(gamma(x))), "digamma": lambda x: psi(0, x), "trigamma": lambda x: psi(1, x),
    "tetragamma": lambda x: psi(2, x), "pentagamma": lambda x: psi(3, x), "psigamma": lambda x, k: psi(int(k), x),
    "lgamma1p": lambda x: loggamma(1 + x), "lgammacor": lambda x: stirling(x), "stirlerr": stirling,
    "beta": beta, "lbeta": lbeta, "choose": lambda n, k: binomial(n, k), "lchoose": lambda n, k: log(abs(binomial(n, k))),
    "log1pmx": lambda x: log(1 + x) - x, "log1pexp": lambda x: log(1 + exp(x)), "log1mexp": lambda x: log(1 - exp(-x)),
    "logspace_add": lambda x, y: log(exp(x) + exp(y)), "logspace_sum": lambda x, y: log(exp(x) + exp(y)),
    "logspace_sub": lambda x, y: log(exp(x) - exp(y)), "pow1p": lambda x, y: (1 + x) ** y,
    "bd0": lambda x, m: x * log(x / m) + m - x,
    "besselJ": lambda x, nu: mp.besselj(nu, x), "bessel_j_ex": lambda x, nu: mp.besselj(nu, x),
    "besselY": lambda x, nu: mp.bessely(nu, x), "bessel_y_ex": lambda x, nu: mp.bessely(nu, x),
    "besselI": bessel(mp.besseli, -1), "besselK": bessel(mp.besselk, 1),
    "bessel_i_ex": lambda x, nu, e: bessel(mp.besseli, -1)(x, nu, e != 1),
    "bessel_k_ex": lambda x, nu, e: bessel(mp.besselk, 1)(x, nu, e != 1),
}


def function(name, form):
    stem = name[1:]
    if form == "value": return VALUE.get(name)
    if form == "log" and name[0] == "d": return DENSITY.get(stem)
    if form == "quantile": return QUANTILE.get(stem)
    return None


def derivative(name, form, k):
    """In argument k; distribution functions through the smaller tail, quantiles without a closed form through the implicit function."""
    f = function(name, form)
    if f is None and form != "quantile" and name[0] == "p" and name[1:] in CDF:
        def tails(a):
            at = lambda x: CDF[name[1:]](*a[:k], x, *a[k + 1:])
            lower, upper = at(a[k])
            slope = mp.diff(lambda x: at(x)[0], a[k]) if lower < upper else -mp.diff(lambda x: at(x)[1], a[k])
            return slope if form == "lower" else slope / lower if form == "log" else -slope / upper
        return tails
    if f is not None:
        return lambda a: mp.diff(lambda x: f(*a[:k], x, *a[k + 1:]), a[k])
    stem = name[1:]
    if form != "quantile" or stem not in CDF or stem not in DENSITY: return None

    def implicit(a, start):
        lower = lambda q: CDF[stem](q, *a[1:])[0]
        q = mp.findroot(lambda q: lower(q) - a[0], start)
        density = exp(DENSITY[stem](q, *a[1:]))
        if k == 0: return 1 / density
        return -mp.diff(lambda x: CDF[stem](q, *a[1:k], x, *a[k + 1:])[0], a[k]) / density
    implicit.start = True
    return implicit


def real(x): return x.real if isinstance(x, mp.mpc) else x


for line in sys.stdin:
    ident, name, argument, form, value, start, *args = line.rstrip("\n").split("\t")
    names = [t.split("=")[0] for t in args]
    a = [mpf(t.split("=")[1]) for t in args]
    k = names.index(argument)
    d = derivative(name, form, k)
    if d is None:
        print(ident, "skip", flush=True)
        continue
    at = (lambda a: real(d(a, mpf(start)))) if hasattr(d, "start") else lambda a: real(d(a))
    truth = at(a)
    error = abs(mpf(value) - truth)
    if error > abs(truth) * mpf(10) ** -13:                           # what rounding of the arguments explains
        whole = name in ("besselI", "besselK", "bessel_i_ex", "bessel_k_ex", "psigamma", "r_pow_di", "choose", "lchoose")
        for i in range(len(a)):
            if a[i] == 0 or (whole and i == len(a) - 1): continue
            if name[1:] in ("pois", "binom", "geom", "nbinom", "nbinom_mu") and i == 0: continue
            if name[1:] == "binom" and i == 1: continue
            h = mpf(10) ** -12 * a[i]
            slope = (at(a[:i] + [a[i] + h] + a[i + 1:]) - at(a[:i] + [a[i] - h] + a[i + 1:])) / (2 * h)
            error -= abs(slope * a[i]) * 8 * mpf(2) ** -53
    error = max(error, 0)
    print(ident, mp.nstr(error / abs(truth) if truth != 0 else error, 5), flush=True)
