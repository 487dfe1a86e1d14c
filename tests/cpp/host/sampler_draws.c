/* sampler_draws -- see the header. The device library is compiled once more, beside the host device's copy, because
 * its functions are private to a program. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#include "host/host_shim.h"

#define NMATH_HOST_LAUNCHER(name, kernel, columns)
#define NMATH_HOST_FIXED_LAUNCHER(name, kernel, columns, cases)
#define NMATH_HOST_DRAW_LAUNCHER(name, kernel, columns, kind)
#define NMATH_HOST_CELLS_LAUNCHER(name, kernel, columns)
#define NMATH_HOST_TABLE_LAUNCHER(kernel)
#define NMATH_HOST_LOOKUP_LAUNCHER(kernel)
#define NMATH_HOST_GLM_LAUNCHER(kernel)
#include "host/host_unity_gen.h"

#include "sampler_draws.h"

unsigned sampler_draws(enum sampler which, const double *par, uint64_t seed, int n, double *out)
{
    unsigned most = 0;
    for (int i = 0; i < n; ++i) {
        NMATH_RNG(seed, (nmath_u64)i);
        switch (which) {
        case SAMPLER_GAMMA: out[i] = rgamma(par[0], par[1]); break;
        case SAMPLER_BETA: out[i] = rbeta(par[0], par[1]); break;
        case SAMPLER_POIS: out[i] = rpois(par[0]); break;
        case SAMPLER_BINOM: out[i] = rbinom(par[0], par[1]); break;
        case SAMPLER_HYPER: out[i] = rhyper(par[0], par[1], par[2]); break;
        case SAMPLER_NBINOM: out[i] = rnbinom(par[0], par[1]); break;
        case SAMPLER_NBINOM_MU: out[i] = rnbinom_mu(par[0], par[1]); break;
        case SAMPLER_WILCOX: out[i] = rwilcox(par[0], par[1]); break;
        case SAMPLER_SIGNRANK: out[i] = rsignrank(par[0]); break;
        default: break;
        }
        const unsigned words = !nmath_generator->word + 2 * nmath_generator->own - nmath_generator->left;
        if (words > most)
            most = words;
    }
    return most;
}

void sampler_multinom(double size, const double *prob, int K, uint64_t seed, uint64_t draw, double *out)
{
    NMATH_RNG(seed, draw);
    rmultinom(size, prob, K, out);
}

double sampler_cdf(enum sampler which, double x, const double *par, int lower)
{
    switch (which) {
    case SAMPLER_GAMMA: return pgamma(x, par[0], par[1], lower, 0);
    case SAMPLER_BETA: return pbeta(x, par[0], par[1], lower, 0);
    case SAMPLER_POIS: return ppois(x, par[0], lower, 0);
    case SAMPLER_BINOM: return pbinom(x, par[0], par[1], lower, 0);
    case SAMPLER_HYPER: return phyper(x, par[0], par[1], par[2], lower, 0);
    case SAMPLER_NBINOM: return pnbinom(x, par[0], par[1], lower, 0);
    case SAMPLER_NBINOM_MU: return pnbinom_mu(x, par[0], par[1], lower, 0);
    default: return ML_NAN;
    }
}

double sampler_mass(enum sampler which, double x, const double *par)
{
    switch (which) {
    case SAMPLER_POIS: return dpois(x, par[0], 0);
    case SAMPLER_BINOM: return dbinom(x, par[0], par[1], 0);
    case SAMPLER_HYPER: return dhyper(x, par[0], par[1], par[2], 0);
    default: return ML_NAN;
    }
}

double sampler_expansion(enum sampler which, double z, const double *par)
{
    return which == SAMPLER_WILCOX ? rwilcox_large(z, par[0], par[1]) : rsignrank_large(z, par[0]);
}

double sampler_hyper_mass(double k, double r, double n, double N)
{
    const nmath_dd total = {N, 0.0}, mean = rhyper_mean(r, n, total);
    const rhyper_table a = {r, n, N - r - n, N, mean.hi, mean.lo};
    double e, w = rhyper_level(a, k, &e);
    return exp(e) * sqrt(w);
}

void sampler_hat(double mean, double sd, double hat[5])
{
    const rejection_hat t = rejection_hat_of(mean, sd);
    hat[0] = t.a;
    hat[1] = t.b;
    hat[2] = t.centre;
    hat[3] = t.quick;
    hat[4] = t.scale;
}
