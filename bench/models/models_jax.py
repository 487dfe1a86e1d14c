# models_jax.py -- the models of bench/models with JAX, value and gradient: python3 bench/models/models_jax.py FOLDER
#
# FOLDER is what `Rscript bench/models/run.R write FOLDER` wrote: the same data, and plain R's value and gradient at a point, which JAX's are held
# against before anything is timed. Prints rows as run.R does, without a fit: setup_s is compiling and sending, evaluation_ms the
# median of warm calls of value and gradient, data on the device that JAX takes, result back in Python.
import os, sys, time
import numpy as np, jax, jax.numpy as jnp
from jax.scipy.special import gammaln
from jax.scipy.stats import norm

jax.config.update("jax_enable_x64", True)
folder = sys.argv[1]


def negative_binomial(p, d):
    log_mu, log_size = d["X"] @ p[:4], p[4]
    size = jnp.exp(log_size)
    log_sum = jnp.logaddexp(log_mu, log_size)
    terms = gammaln(d["y"] + size) - gammaln(size) - gammaln(d["y"] + 1)
    return -jnp.sum(terms + size * (log_size - log_sum) + d["y"] * (log_mu - log_sum))


def censored_weibull(p, d):
    log_time = jnp.log(d["time"])
    z = jnp.exp(p[4]) * (log_time - d["X"] @ p[:4])
    return -jnp.sum(d["event"] * (p[4] - log_time + z) - jnp.exp(z))


def zero_inflated_poisson(p, d):
    eta, log_mu = d["Z"] @ p[3:], d["X"] @ p[:3]
    none = jnp.logaddexp(eta, -jnp.exp(log_mu))
    some = d["y"] * log_mu - jnp.exp(log_mu) - gammaln(d["y"] + 1)
    return -jnp.sum(jnp.where(d["y"] == 0, none, some) - jnp.logaddexp(0.0, eta))


def normal_mixture(p, d):
    first = jax.nn.log_sigmoid(p[0]) + norm.logpdf(d["y"], p[1], jnp.exp(p[3]))
    second = jax.nn.log_sigmoid(-p[0]) + norm.logpdf(d["y"], p[2], jnp.exp(p[4]))
    return -jnp.sum(jnp.logaddexp(first, second))


# Laplace's approximation: the mode by 20 steps of Newton's method without derivatives of them, then one step whose derivatives are those
# of the mode.
def random_intercepts(p, d):
    eta, precision = d["X"] @ p[:2], jnp.exp(-2 * p[2])
    group, groups = d["group"].astype(int) - 1, d["groups"]
    total = lambda x: jax.ops.segment_sum(x, group, groups, indices_are_sorted=True)

    def step(u, eta, precision):
        q = jax.nn.sigmoid(eta + u[group])
        return u + (total(d["y"] - q) - precision * u) / (total(q * (1 - q)) + precision)

    fixed = jax.lax.stop_gradient((eta, precision))
    u = jax.lax.fori_loop(0, 20, lambda k, u: step(u, *fixed), jnp.zeros(groups))
    u = step(jax.lax.stop_gradient(u), eta, precision)
    at = eta + u[group]
    q = jax.nn.sigmoid(at)
    joint = jnp.sum(norm.logpdf(u, 0, jnp.exp(p[2]))) + jnp.sum(d["y"] * at - jax.nn.softplus(at))
    return -joint - groups * np.log(2 * np.pi) / 2 + jnp.sum(jnp.log(total(q * (1 - q)) + precision)) / 2


def read(model, n, column):
    values = np.fromfile(os.path.join(folder, f"{model}-{n}-{column}.f8"))
    return values.reshape(n, -1) if column in ("X", "Z") else values


for line in open(os.path.join(folder, "index.tsv")):
    model, n, at, value, gradient = line.rstrip("\n").split("\t")
    at, gradient = np.array(at.split(), float), np.array(gradient.split(), float)
    columns = {name[:-3].rsplit("-", 1)[1] for name in os.listdir(folder) if name.startswith(f"{model}-{n}-")}
    host = {column: read(model, int(n), column) for column in columns}
    groups = int(host["group"].max()) if "group" in host else 0
    begin = time.perf_counter()
    data = {column: jnp.asarray(host[column]) for column in columns}
    f = globals()[model]
    one = jax.jit(jax.value_and_grad(lambda p, d: f(p, d | {"groups": groups})))
    call = lambda p: [np.asarray(x) for x in one(p, data)]
    found = call(at)
    setup = time.perf_counter() - begin
    if abs(found[0] - float(value)) > 1e-9 * (1 + abs(float(value))):
        sys.exit(f"{model} {n}: value {found[0]!r} for {value}")
    if np.max(np.abs(found[1] - gradient)) > 1e-5 * (1 + np.max(np.abs(gradient))):
        sys.exit(f"{model} {n}: gradient {found[1]} for {gradient}")
    times, start = [], time.perf_counter()
    while len(times) < 3 or (len(times) < 101 and time.perf_counter() - start < 3):
        p = at + 1e-5 * (len(times) + 1)
        begin = time.perf_counter()
        call(p)
        times.append(time.perf_counter() - begin)
    tool = f"JAX ({jax.devices()[0].platform})"
    print(model, n, tool, "first", jax.__version__, f"{setup:.3g}", f"{np.median(times[1:]) * 1e3:.3g}", "", "", "", "", sep="\t", flush=True)
