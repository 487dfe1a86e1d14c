# groups_jax.py -- the work of bench/groups.R with JAX: python3 bench/groups_jax.py [ROWS [POISSON_ROWS]]
# Prints model, rows, groups and the median of 100 calls of a compiled value_and_grad in milliseconds, data on the card.
import sys, time
import numpy as np, jax, jax.numpy as jnp, jax.scipy.special as special, jax.scipy.stats as stats

jax.config.update("jax_enable_x64", True)
rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**5
poisson_rows = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**7
rng = np.random.default_rng(1)


def timed(model, n, groups, call):
    for _ in range(20):
        jax.block_until_ready(call())
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    print(f"{model}\t{n}\t{groups}\t{np.median(times) * 1e3:.3f}", flush=True)


def bernoulli(p, y, g):
    e = p["u"][g]
    return jnp.sum(y * e - jnp.logaddexp(0.0, e)) + jnp.sum(stats.norm.logpdf(p["u"], 0, jnp.exp(p["s"])))


def poisson(p, y, X, g):
    e = X @ p["b"] + p["u"][g]
    return jnp.sum(y * e - jnp.exp(e) - special.gammaln(y + 1)) + jnp.sum(stats.norm.logpdf(p["u"], 0, jnp.exp(p["s"])))


print("model\trows\tgroups\tmedian_ms")
call = jax.jit(jax.value_and_grad(bernoulli))
for groups in (8, 48, 900, 15000):
    data = jnp.asarray((rng.random(rows) < 0.5).astype(float)), jnp.asarray(rng.integers(0, groups, rows))
    p = {"u": jnp.asarray(rng.standard_normal(groups) / 3), "s": jnp.asarray(0.1)}
    timed("Bernoulli", rows, groups, lambda: call(p, *data))
call = jax.jit(jax.value_and_grad(poisson))
n = poisson_rows
data = jnp.asarray(rng.poisson(1, n).astype(float)), jnp.asarray(rng.standard_normal((n, 10))), jnp.asarray(rng.integers(0, 10000, n))
p = {"b": jnp.asarray(rng.standard_normal(10) / 10), "u": jnp.asarray(rng.standard_normal(10000) / 3), "s": jnp.asarray(0.1)}
timed("Poisson", n, 10000, lambda: call(p, *data))
