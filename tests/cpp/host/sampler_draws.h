/* sampler_draws -- the device library's samplers, and what their draws are tested against, as C functions. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sampler {
  SAMPLER_GAMMA,     /* shape, scale */
  SAMPLER_BETA,      /* a, b */
  SAMPLER_POIS,      /* mu */
  SAMPLER_BINOM,     /* size, prob */
  SAMPLER_HYPER,     /* white, black, drawn */
  SAMPLER_NBINOM,    /* size, prob */
  SAMPLER_NBINOM_MU, /* size, mu */
  SAMPLER_WILCOX,    /* m, n */
  SAMPLER_SIGNRANK,  /* n */
  SAMPLER_COUNT
};

/* Draws number 0, ..., n - 1 of the call with this seed; the most random words of 64 bits that one of them took. */
unsigned sampler_draws(enum sampler which, const double* par, uint64_t seed, int n, double* out);
/* One multinomial draw. */
void sampler_multinom(double size, const double* prob, int K, uint64_t seed, uint64_t draw, double* out);
/* The package's own P(X <= x), or P(X > x), and mass of the first seven. */
double sampler_cdf(enum sampler which, double x, const double* par, int lower);
double sampler_mass(enum sampler which, double x, const double* par);
/* The expansions for large samples at the standard normal z: par as above. */
double sampler_expansion(enum sampler which, double z, const double* par);
/* The mass that judges proposals of the hypergeometric sampler: k white balls of r among n of N drawn. */
double sampler_hyper_mass(double k, double r, double n, double N);
/* a, b, centre, quick and scale of the hat of transformed rejection. */
void sampler_hat(double mean, double sd, double hat[5]);

#ifdef __cplusplus
}
#endif
