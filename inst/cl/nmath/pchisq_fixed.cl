// @source_type: c
// @source_origin: none
// @provides: pchisq_fixed, pchisq_fixed_of, pchisq_fixed_at
// @depends: nmath, pgamma_fixed
// @method: the gamma distribution with shape df/2 and scale 2
// @all_depends: Rmath, refactored, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pnorm, tail_fixed, pgamma_utils, stirlerr_cycle_dependent, stirlerr, pgamma_fixed
// @all_depends_count: 14

// pchisq_fixed -- cumulative probability of the chi-squared distribution where its degrees of freedom are the same for many x:
// that of the gamma distribution with half of them as shape and scale 2. *needs_general is set where pchisq.cl has to compute.

typedef pgamma_fixed pchisq_fixed;

NMATH_FN pchisq_fixed pchisq_fixed_of(double df, int *needs_general) { return pgamma_fixed_of(0.5 * df, 2.0, needs_general); }

// not a function: compilers would copy the form for each element
#define pchisq_fixed_at(x, f, lower_tail, log_p, needs_general) pgamma_fixed_at(x, f, lower_tail, log_p, needs_general)
