// @source_type: c
// @source_origin: none
// @provides: dchisq_fixed_density, dchisq_fixed_density_of, dchisq_fixed_density_at
// @depends: nmath, dgamma_fixed_density
// @method: the form of dgamma_fixed_density.cl
// @all_depends: Rmath, refactored, nmath, log1p, log1p_parts, log_pair, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr, dgamma_fixed, dgamma_fixed_density
// @all_depends_count: 13

// dchisq_fixed_density -- the density of the chi-squared distribution where its degrees of freedom are the same for many x:
// that of the gamma distribution with half of them as shape and scale 2. *needs_general is set where dchisq.cl has to compute.

typedef dgamma_fixed_density dchisq_fixed_density;

NMATH_FN dchisq_fixed_density dchisq_fixed_density_of(double df, int *needs_general) { return dgamma_fixed_density_of(0.5 * df, 2.0, needs_general); }

NMATH_FN double dchisq_fixed_density_at(double x, dchisq_fixed_density f, int *needs_general) { return dgamma_fixed_density_at(x, f, needs_general); }
