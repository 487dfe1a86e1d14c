# products_jax.py -- the work of bench/products.R with JAX: python3 bench/products_jax.py [ROWS [MODEL_ROWS]]
# Prints model, rows, columns and the median of 25 calls of a compiled value_and_grad in milliseconds, data on the card.
import sys, time
import numpy as np, jax, jax.numpy as jnp, jax.scipy.stats as stats, jax.scipy.special as special

jax.config.update("jax_enable_x64", True)
rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 500000
model_rows = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**7
rng = np.random.default_rng(1)


def timed(name, n, columns, call):
    for _ in range(3):
        jax.block_until_ready(call())
    times = []
    for _ in range(25):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    print(f"{name}\t{n}\t{columns}\t{np.median(times) * 1e3:.3f}", flush=True)


def logistic(b, X, y):
    e = X @ b
    return jnp.sum(y * e - jnp.logaddexp(0.0, e))


print("model\trows\tcolumns\tmedian_ms")
gradient = jax.jit(jax.value_and_grad(logistic))
for p in (2, 10, 20, 40, 55, 80, 300):
    n = round(rows * 1.162024) if p == 55 else rows
    X = jnp.asarray(rng.standard_normal((n, p)))
    b, y = jnp.asarray(rng.standard_normal(p) / 10), jnp.asarray((rng.random(n) < 0.5).astype(float))
    timed("logistic", n, p, lambda: gradient(b, X, y))
n, k = model_rows, 10
X = jnp.asarray(rng.standard_normal((n, k)))
b = jnp.asarray(rng.standard_normal(k) / 10)
eta = np.asarray(X) @ np.asarray(b)


def poisson(p, X, y):
    e = X @ p
    return jnp.mean(y * e - jnp.exp(e) - special.gammaln(y + 1))


def negative_binomial(p, X, y):
    r, mu = jnp.exp(p[-1]), jnp.exp(X @ p[:-1])
    return jnp.mean(special.gammaln(y + r) - special.gammaln(r) - special.gammaln(y + 1) + r * jnp.log(r / (r + mu)) + y * jnp.log(mu / (r + mu)))


def weibull(p, X, y):
    shape, scale = jnp.exp(p[-1]), jnp.exp(X @ p[:-1])
    z = y / scale
    return jnp.mean(jnp.log(shape / scale) + (shape - 1) * jnp.log(z) - z**shape)


def student(p, X, y):
    return jnp.mean(stats.t.logpdf(y, jnp.exp(p[-1]), X @ p[:-2], jnp.exp(p[-2])))


def beta(p, X, y):
    m, phi = jax.nn.sigmoid(X @ p[:-1]), jnp.exp(p[-1])
    return jnp.mean(stats.beta.logpdf(y, m * phi, (1 - m) * phi))


models = {
    "logistic": (logistic, (rng.random(n) < 0.5).astype(float), []),
    "Poisson": (poisson, rng.poisson(np.exp(eta)).astype(float), []),
    "negative binomial": (negative_binomial, rng.negative_binomial(2, 2 / (2 + np.exp(eta))).astype(float), [0.4]),
    "Weibull": (weibull, rng.weibull(1.5, n) * np.exp(eta), [0.4]),
    "t": (student, eta + rng.standard_t(4, n), [0.4, 1.4]),
    "beta": (beta, np.clip(rng.beta(2, 3, n), 1e-6, 1 - 1e-6), [0.4]),
}
for name, (f, y, own) in models.items():
    y, at = jnp.asarray(y), jnp.concatenate([b, jnp.asarray(own)]) if own else b
    call = jax.jit(jax.value_and_grad(f))
    timed(name, n, k, lambda: call(at, X, y))
