// @library_deps: nmath
// @calls_nmath: dpois_raw, lgammafn, log1pmx
// @depends_nmath: dpois, lgamma, pgamma_utils
// @provides: nb_density_kernel
// @method: the Poisson density times what overdispersion makes of it

// nb_density_kernel -- density of the negative binomial distribution with mean mu and size n, one work-item per count.
//
// With u = mu / n the density of a count x is the Poisson density of mean mu times exp(d), where
//     d = lgamma(x + n) - lgamma(n) - x log n - x u - (x + n) (log(1 + u) - u).
// As n grows, d goes to 0 and the counts lose their overdispersion. log1pmx(u) = log(1 + u) - u keeps full precision
// for small u, where the difference of the two would keep none.
__kernel void nb_density_kernel(
    __global const double* x,
    __global const double* size,
    __global const double* mu,
    __global const int* give_log,
    __global double* out,
    const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;

    const double n = size[i], u = mu[i] / n;
    const double d = lgammafn(x[i] + n) - lgammafn(n) - x[i] * log(n) - x[i] * u - (x[i] + n) * log1pmx(u);
    const double log_density = dpois_raw(x[i], mu[i], 1) + d;
    out[i] = give_log[i] != 0 ? log_density : exp(log_density);
}
