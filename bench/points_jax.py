# points_jax.py -- the work of bench/points.R with JAX's vmap: python3 bench/points_jax.py [ROWS ...]
# Prints model, rows, columns, points, gradient and the median of 15 compiled calls in milliseconds, data on the card.
import sys, time
import numpy as np, jax, jax.numpy as jnp, jax.scipy.stats as stats

jax.config.update("jax_enable_x64", True)
rows = [int(float(n)) for n in sys.argv[1:]] or [10**6, 10**7]
rng = np.random.default_rng(1)


def timed(model, n, columns, points, gradient, call):
    for _ in range(2):
        jax.block_until_ready(call())
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    print(f"{model}\t{n}\t{columns}\t{points}\t{str(gradient).upper()}\t{np.median(times) * 1e3:.3f}", flush=True)


def both(model, n, columns, f, over, data):
    for gradient in (False, True):
        one = jax.value_and_grad(f) if gradient else f
        call = jax.jit(jax.vmap(one, in_axes=(0,) + (None,) * len(data)))
        timed(model, n, columns, over.shape[0], gradient, lambda: call(over, *data))


def gamma(p, x):
    return jnp.sum(stats.gamma.logpdf(x, p[0], scale=1 / p[1]))


def logistic(b, X, y):
    e = X @ b
    return jnp.sum(y * e - jnp.log1p(jnp.exp(e)))


print("model\trows\tcolumns\tpoints\tgradient\tmedian_ms")
for n in rows:
    over = jnp.asarray(np.column_stack([rng.uniform(1.5, 4, 64), rng.uniform(1, 3, 64)]))
    both("gamma", n, 1, gamma, over, (jnp.asarray(rng.gamma(2, 1 / 3, n)),))
    data = (jnp.asarray(rng.standard_normal((n, 10))), jnp.asarray((rng.random(n) < 0.4).astype(float)))
    both("logistic", n, 10, logistic, jnp.asarray(rng.standard_normal((64, 10)) / 5), data)
y = jnp.asarray((rng.random(10**6) < 0.4).astype(float))
for p in (20, 40, 60, 100, 300):
    X = jnp.asarray(rng.standard_normal((10**6, p)))
    for m in (64, 512) if p < 300 else (64,):
        both("logistic", 10**6, p, logistic, jnp.asarray(rng.standard_normal((m, p)) / p), (X, y))
data = (jnp.asarray(rng.standard_normal((10**4, 5))), jnp.asarray((rng.random(10**4) < 0.4).astype(float)))
both("logistic", 10**4, 5, logistic, jnp.asarray(rng.standard_normal((4096, 5)) / 5), data)
