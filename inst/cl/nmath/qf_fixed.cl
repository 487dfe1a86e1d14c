// @source_type: c
// @source_origin: none
// @provides: qf_fixed, qf_fixed_of, qf_fixed_at
// @depends: nmath, qbeta_fixed
// @method: the beta distribution with half the degrees of freedom as shapes
// @all_depends: Rmath, refactored, nmath, cospi, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, tail_fixed, pgamma_utils, quantile_fixed, stirlerr_cycle_dependent, stirlerr, dbeta_fixed, pbeta_fixed, qbeta_fixed
// @all_depends_count: 17

// qf_fixed -- quantiles of the F distribution where its degrees of freedom are the same for many p, from those of the beta
// distribution (qbeta_fixed.cl). *needs_general is set where qf.cl has to compute.

typedef qbeta_fixed qf_fixed;

NMATH_FN qf_fixed qf_fixed_of(double df1, double df2, int *needs_general) { return qbeta_fixed_of(0.5 * df1, 0.5 * df2, needs_general); }

// not a function, as qbeta_fixed_at
#define qf_fixed_at(p, f, lower_tail, needs_general) qbeta_fixed_odds(p, &(f), lower_tail, needs_general)
