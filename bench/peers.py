"""Public libraries of GPU arrays on the same functions: error over the reference tables, speed at the same arguments.

    python3 bench/peers.py accuracy > bench/results/peers_accuracy.tsv
    python3 bench/peers.py speed > bench/results/h200.peers_speed.tsv
    python3 bench/peers.py draws >> bench/results/h200.peers_speed.tsv

In the repository's root, all in doubles. Accuracy: CuPy, PyTorch, JAX and SciPy, where they are installed; only rows that a
library has a function for (the tail and the scale that are asked for), scored as score_tables.cpp does. Speed: CuPy,
PyTorch and JAX on an NVIDIA GPU, 2^24 elements, arguments spread as in throughput.cpp, resident results, 20
calls sent one after the other, the best of 5 such runs. Draws: 2^26 numbers, CuPy's by each of two generators.
"""
import csv, importlib, sys, time, warnings
import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")

# Function: what gives it for the lower tail and for the upper; s is a module of special functions.
TAILS = {
    "pnorm": (lambda s, q, m, d: s.ndtr((q - m) / d), lambda s, q, m, d: s.ndtr((m - q) / d)),
    "qnorm": (lambda s, p, m, d: m + d * s.ndtri(p), lambda s, p, m, d: m - d * s.ndtri(p)),
    "pgamma": (lambda s, q, a, c: s.gammainc(a, q / c), lambda s, q, a, c: s.gammaincc(a, q / c)),
    "qgamma": (lambda s, p, a, c: s.gammaincinv(a, p) * c, lambda s, p, a, c: s.gammainccinv(a, p) * c),
    "pchisq": (lambda s, q, f: s.gammainc(f / 2, q / 2), lambda s, q, f: s.gammaincc(f / 2, q / 2)),
    "qchisq": (lambda s, p, f: 2 * s.gammaincinv(f / 2, p), lambda s, p, f: 2 * s.gammainccinv(f / 2, p)),
    "pbeta": (lambda s, q, a, b: s.betainc(a, b, q), lambda s, q, a, b: s.betaincc(a, b, q)),
    "qbeta": (lambda s, p, a, b: s.betaincinv(a, b, p), lambda s, p, a, b: s.betainccinv(a, b, p)),
    "pt": (lambda s, q, f: s.stdtr(f, q), lambda s, q, f: s.stdtr(f, -q)),
    "qt": (lambda s, p, f: s.stdtrit(f, p), lambda s, p, f: -s.stdtrit(f, p)),
    "pf": (lambda s, q, a, b: s.fdtr(a, b, q), lambda s, q, a, b: s.fdtrc(a, b, q)),
    "qf": (lambda s, p, a, b: s.fdtri(a, b, p), None),
    "pbinom": (lambda s, q, n, p: s.bdtr(q, n, p), lambda s, q, n, p: s.bdtrc(q, n, p)),
    "pnbinom": (lambda s, q, n, p: s.betainc(n, q + 1, p), lambda s, q, n, p: s.betaincc(n, q + 1, p)),
    "ppois": (lambda s, q, m: s.pdtr(q, m), lambda s, q, m: s.pdtrc(q, m)),
    "plogis": (lambda s, q, m, d: s.expit((q - m) / d), lambda s, q, m, d: s.expit((m - q) / d)),
    "qlogis": (lambda s, p, m, d: m + d * s.logit(p), lambda s, p, m, d: m - d * s.logit(p)),
    "pnchisq": (lambda s, q, f, c: s.chndtr(q, f, c), None),
    "qnchisq": (lambda s, p, f, c: s.chndtrix(p, f, c), None),
    "pnf": (lambda s, q, a, b, c: s.ncfdtr(a, b, c, q), None),
    "pnt": (lambda s, q, f, c: s.nctdtr(f, c, q), None),
    "qnt": (lambda s, p, f, c: s.nctdtrit(f, c, p), None),
    "lgamma": (lambda s, x: s.gammaln(x), None),
    "gamma": (lambda s, x: s.gamma(x), None),
    "digamma": (lambda s, x: s.digamma(x), None),
    "trigamma": (lambda s, x: s.polygamma(1, x), None),
    "beta": (lambda s, a, b: s.beta(a, b), None),
    "lbeta": (lambda s, a, b: s.betaln(a, b), None),
    "choose": (lambda s, n, k: s.binom(n, k), None),
    "log1p": (lambda s, x: s.log1p(x), None),
    "expm1": (lambda s, x: s.expm1(x), None),
    "besselJ": (lambda s, x, n: s.jv(n, x), None),
    "besselY": (lambda s, x, n: s.yv(n, x), None),
}
# Density: the distribution in a module like scipy.stats, and its arguments from R's.
DENSITIES = {
    "dnorm": ("norm", lambda m, d: (m, d)),
    "dgamma": ("gamma", lambda a, c: (a, 0, c)),
    "dchisq": ("chi2", lambda f: (f,)),
    "dbeta": ("beta", lambda a, b: (a, b)),
    "dt": ("t", lambda f: (f,)),
    "dcauchy": ("cauchy", lambda m, d: (m, d)),
    "dlogis": ("logistic", lambda m, d: (m, d)),
    "dbinom": ("binom", lambda n, p: (n, p)),
    "dpois": ("poisson", lambda m: (m,)),
    "dnbinom": ("nbinom", lambda n, p: (n, p)),
    "df": ("f", lambda a, b: (a, b)),
    "dnchisq": ("ncx2", lambda f, c: (f, c)),
    "dnt": ("nct", lambda f, c: (f, c)),
    "dhyper": ("hypergeom", lambda m, n, k: (m + n, m, k)),
}


def call(library, name, columns, upper=False, log=False):
    """The library's values, or AttributeError where it has no such function."""
    if name in DENSITIES:
        distribution, arguments = DENSITIES[name]
        distribution = getattr(library["stats"], distribution)
        kind = "pdf" if hasattr(distribution, "pdf") else "pmf"
        return getattr(distribution, ("log" if log else "") + kind)(columns[0], *arguments(*columns[1:]))
    function = TAILS[name][upper]
    if log or function is None:
        raise AttributeError(name)
    return function(library["special"], *columns)


def module(*names):
    """Special functions of a library: its own, and what only its module of arrays has."""
    import types
    return types.SimpleNamespace(**{k: v for name in reversed(names) for k, v in vars(importlib.import_module(name)).items()})


def libraries():
    """What is installed of them; GPU's first, and where there is no GPU what works without."""
    found = []
    try:
        import cupy
        found.append(dict(name="CuPy", version=cupy.__version__, special=module("cupyx.scipy.special", "cupy"), stats=None,
                          put=cupy.asarray, get=cupy.asnumpy, wait=cupy.cuda.Device().synchronize))
    except ImportError:
        pass
    try:
        import torch
        device = "cuda" if torch.cuda.is_available() else "cpu"
        found.append(dict(name="PyTorch", version=torch.__version__, special=torch.special, stats=None,
                          put=lambda x: torch.tensor(x, device=device), get=lambda x: x.cpu().numpy(),
                          wait=torch.cuda.synchronize))
    except ImportError:
        pass
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
        import jax.numpy
        found.append(dict(name="JAX", version=jax.__version__, special=module("jax.scipy.special", "jax.numpy"),
                          stats=importlib.import_module("jax.scipy.stats"), put=jax.numpy.asarray, get=np.asarray,
                          jit=jax.jit, wait=None))
    except ImportError:
        pass
    import scipy
    found.append(dict(name="SciPy", version=scipy.__version__, special=module("scipy.special", "numpy"),
                      stats=importlib.import_module("scipy.stats"), put=np.asarray, get=np.asarray, wait=None))
    return found


def failing(value, ref, cond):
    """Which values miss the bar of 8 eps (1 + cond), and errors in eps (1 + cond), NaN where that means nothing."""
    eps, finite = 2.0**-52, np.isfinite(ref)
    slack = np.where(np.abs(ref) < 2.0**-1022, 4 * 2.0**-1074, 0.0)
    near = np.abs(value - ref) <= 8 * eps * (1 + cond) * np.abs(ref) + slack
    good = np.where(np.isnan(ref), np.isnan(value), np.where(finite, near, value == ref))
    error = np.abs(value - ref) / np.abs(ref) / (eps * (1 + cond))
    error[~np.isfinite(error) | (slack > 0)] = np.nan
    return ~good, error


def accuracy():
    print("function\tlibrary\trows\tfail\tmedian\tworst")
    for name in list(TAILS) + list(DENSITIES):
        with open(f"tests/testthat/ref/{name}.tsv") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        flags = [f for f in ("log", "lower.tail", "log.p") if f in rows[0]]
        columns = [c for c in rows[0] if c not in flags + ["ref", "cond"]]
        for library in libraries():
            bad, errors = [], []
            for key in sorted({tuple(row[f] for f in flags) for row in rows}):
                flag = dict(zip(flags, key))
                mine = [row for row in rows if tuple(row[f] for f in flags) == key]
                numbers = [library["put"](np.array([float.fromhex(row[c]) for row in mine])) for c in columns]
                log = "1" in (flag.get("log"), flag.get("log.p"))
                try:
                    value = library["get"](call(library, name, numbers, flag.get("lower.tail") == "0", log))
                except (AttributeError, TypeError):
                    continue
                ref = np.array([float.fromhex(row["ref"]) for row in mine])
                cond = np.array([float(row["cond"]) for row in mine])
                wrong, error = failing(value, ref, cond)
                bad.extend(wrong)
                errors.extend(error)
            if bad:
                print(name, library["name"], len(bad), sum(bad), f"{np.nanmedian(errors):.3g}",
                      f"{np.nanmax(errors):.3g}", sep="\t", flush=True)


# Ranges of the arguments, as throughput.cpp has them; a number is a scalar.
RANGES = {
    "dnorm": [(-5, 5), 0.0, 1.0], "pnorm": [(-5, 5), 0.0, 1.0], "qnorm": [(0.001, 0.999), 0.0, 1.0],
    "dgamma": [(0.1, 20), (0.5, 10), 1.0], "pgamma": [(0.1, 50), (0.5, 50), 1.0],
    "qgamma": [(0.001, 0.999), (0.5, 50), 1.0], "pchisq": [(0.1, 100), (1, 100)], "qchisq": [(0.001, 0.999), (1, 100)],
    "dchisq": [(0.1, 20), (0.1, 20)], "dbeta": [(0.001, 0.999), (0.5, 50), 7.0], "pbeta": [(0.001, 0.999), (0.5, 50), 7.0],
    "qbeta": [(0.001, 0.999), (0.5, 50), 7.0], "dt": [(-5, 5), (1, 50)], "pt": [(-5, 5), (1, 50)],
    "qt": [(0.001, 0.999), (1, 50)], "pf": [(0.1, 20), (0.1, 20), (0.1, 20)], "qf": [(0.001, 0.999), (1, 50), (1, 50)],
    "dbinom": [(0, 20, int), 100.0, (0.05, 0.95)], "pbinom": [(0, 100, int), 100.0, (0.05, 0.95)],
    "dpois": [(0, 40, int), (0.5, 30)], "ppois": [(0, 60, int), (0.5, 50)],
    "dnbinom": [(0, 50, int), (1, 20), (0.05, 0.95)], "pnbinom": [(0, 50, int), (1, 20), (0.05, 0.95)],
    "plogis": [(0.1, 20), (0.1, 20), (0.1, 20)], "qlogis": [(0.001, 0.999), 0.0, 1.0], "dlogis": [(0.1, 20)] * 3,
    "dcauchy": [(0.1, 20)] * 3, "lgamma": [(0.1, 100)], "gamma": [(0.1, 100)], "digamma": [(0.1, 20)],
    "trigamma": [(0.1, 20)], "beta": [(0.1, 20)] * 2, "lbeta": [(0.1, 20)] * 2, "choose": [(50, 100, int), (0, 50, int)],
    "log1p": [(-0.9, 10)], "expm1": [(0.1, 20)],
}
N, DRAWN = 1 << 24, 1 << 26
DRAWS = {
    "CuPy": lambda cp, g: {
        "runif": lambda: g.random(DRAWN), "rnorm": lambda: g.standard_normal(DRAWN),
        "rexp": lambda: g.standard_exponential(DRAWN),
        "rgamma": lambda: g.standard_gamma(3.0, size=DRAWN), "rbeta": lambda: g.beta(2.0, 3.0, size=DRAWN),
        "rchisq": lambda: g.chisquare(5.0, size=DRAWN), "rf": lambda: g.f(5.0, 7.0, size=DRAWN),
        "rgeom": lambda: g.geometric(0.2, size=DRAWN),
        "rbinom": lambda: g.binomial(100, 0.4, size=DRAWN), "rpois": lambda: g.poisson(20.0, size=DRAWN),
        "rhyper": lambda: g.hypergeometric(40, 50, 20, size=DRAWN)},
    "PyTorch": lambda torch, z: {
        "runif": z.uniform_, "rnorm": z.normal_, "rexp": z.exponential_, "rcauchy": z.cauchy_, "rlnorm": z.log_normal_,
        "rgeom": lambda: z.geometric_(0.2)},
}


def measure(library, f, n=N):
    """10^9 elements per second."""
    def wait(last):
        library["wait"]() if library["wait"] else last.block_until_ready()
    for _ in range(3):
        wait(f())
    best = np.inf
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(20):
            last = f()
        wait(last)
        best = min(best, (time.perf_counter() - begin) / 20)
    return n / best / 1e9


def speed():
    print("function\tlibrary\telements\tGevals")
    engine = np.random.default_rng(1)

    def column(range_):
        if not isinstance(range_, tuple):
            return range_
        x = engine.uniform(range_[0], range_[1], N)
        return np.floor(x) if len(range_) == 3 else x
    for name, ranges in RANGES.items():
        data = [column(r) for r in ranges]
        for library in libraries()[:-1]:
            columns = [library["put"](x) if isinstance(x, np.ndarray) else x for x in data]
            run = lambda *a: call(library, name, a)
            run = library.get("jit", lambda f: f)(run)
            try:
                rate = measure(library, lambda: run(*columns))
            except Exception as error:  # whatever a library says that it has no such function, or not for these types
                print(library["name"], name, type(error).__name__, error, file=sys.stderr)
                continue
            print(name, library["name"], N, f"{rate:.3f}", sep="\t", flush=True)


def draws():
    import cupy
    import torch
    cuda = {library["name"]: library for library in libraries()}
    sources = [("CuPy, Philox", "CuPy", DRAWS["CuPy"](cupy, cupy.random.Generator(cupy.random.Philox4x3210(seed=1)))),
               ("CuPy, XORWOW", "CuPy", DRAWS["CuPy"](cupy, cupy.random.Generator(cupy.random.XORWOW(seed=1)))),
               ("PyTorch", "PyTorch", DRAWS["PyTorch"](torch, torch.empty(DRAWN, device="cuda", dtype=torch.float64)))]
    for name, library, functions in sources:
        for function, draw in functions.items():
            print(function, name, DRAWN, f"{measure(cuda[library], draw, DRAWN):.3f}", sep="\t", flush=True)


if __name__ == "__main__":
    print(" ".join(f"{library['name']} {library['version']}" for library in libraries()), file=sys.stderr)
    {"accuracy": accuracy, "speed": speed, "draws": draws}[sys.argv[1]]()
