# hessians_jax.py -- the work of bench/hessians.R with JAX: python3 bench/hessians_jax.py [ROWS ...]
# Prints model, rows, columns, the seconds of the first call and the median of 15 compiled calls in milliseconds, data on the card, results
# in host memory.
import sys, time
import numpy as np, jax, jax.numpy as jnp
from jax.scipy.special import gammaln

jax.config.update("jax_enable_x64", True)
rows = [int(float(n)) for n in sys.argv[1:]] or [10**4, 10**6]
rng = np.random.default_rng(1)


def logistic(b, y, X):
    e = X @ b
    return jnp.sum(y * e - jnp.log1p(jnp.exp(e)))


def negative_binomial(q, y, X):
    s, mu = q[-1], jnp.exp(X @ q[:-1])
    return jnp.sum(gammaln(y + s) - gammaln(s) - gammaln(y + 1) + s * jnp.log(s / (s + mu)) + y * jnp.log(mu / (s + mu)))


def timed(model, f, at, y, X):
    call = jax.jit(lambda q, y, X: (*jax.value_and_grad(f)(q, y, X), jax.hessian(f)(q, y, X)))
    begin = time.perf_counter()
    jax.block_until_ready(call(at, y, X))
    first = time.perf_counter() - begin
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        [np.asarray(part) for part in call(at, y, X)]
        times.append(time.perf_counter() - begin)
    print(f"{model}\t{X.shape[0]}\t{X.shape[1]}\t{first:.2f}\t{np.median(times) * 1e3:.3f}", flush=True)


print("model\trows\tcolumns\tfirst_s\tmedian_ms")
for p in (10, 20, 40, 80, 200):
    for n in rows:
        X = jnp.asarray(rng.normal(size=(n, p)))
        y = jnp.asarray(1.0 * (rng.random(n) < 0.4))
        b = rng.normal(size=p) / p
        timed("logistic", logistic, b, y, X)
        timed("negative binomial", negative_binomial, np.append(b, 1.5), y, X)
