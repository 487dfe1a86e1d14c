// @source_type: c
// @source_origin: none
// @provides: qchisq_fixed, qchisq_fixed_of, qchisq_fixed_at
// @depends: nmath, qgamma_fixed
// @method: the gamma distribution with shape df/2 and scale 2
// @all_depends: Rmath, refactored, nmath, cospi, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pnorm, tail_fixed, pgamma_utils, quantile_fixed, stirlerr_cycle_dependent, stirlerr, pgamma_fixed, qgamma_fixed
// @all_depends_count: 17

// qchisq_fixed -- quantiles of the chi-squared distribution where its degrees of freedom are the same for many p: those of the gamma
// distribution with half of them as shape and scale 2. *needs_general is set where qchisq.cl has to compute.

typedef qgamma_fixed qchisq_fixed;

NMATH_FN qchisq_fixed qchisq_fixed_of(double df, int *needs_general) { return qgamma_fixed_of(0.5 * df, 2.0, needs_general); }

// not a function, as qgamma_fixed_at
#define qchisq_fixed_at(p, f, lower_tail, needs_general) qgamma_fixed_value(p, &(f), lower_tail, needs_general)
