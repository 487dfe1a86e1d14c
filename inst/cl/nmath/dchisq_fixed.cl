// @source_type: c
// @source_origin: none
// @provides: dchisq_fixed, dchisq_fixed_of, dchisq_fixed_row, dchisq_fixed_on, dchisq_fixed_at
// @depends: nmath, dgamma_fixed
// @method: the form of dgamma_fixed.cl
// @all_depends: Rmath, refactored, nmath, log1p, log1p_parts, log_pair, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent, stirlerr, dgamma_fixed
// @all_depends_count: 12

// dchisq_fixed -- the log density of the chi-squared distribution where its degrees of freedom are the same for many x:
// that of the gamma distribution with half of them as shape and scale 2. *needs_general is set where dchisq.cl has to compute.

typedef dgamma_fixed dchisq_fixed;

NMATH_FN dchisq_fixed dchisq_fixed_of(double df, int *needs_general) { return dgamma_fixed_of(0.5 * df, 2.0, needs_general); }

NMATH_FN log_row dchisq_fixed_row(double x) { return dgamma_fixed_row(x); }

NMATH_FN double dchisq_fixed_on(double x, double hi, double lo, dchisq_fixed f, int *needs_general)
{
    return dgamma_fixed_on(x, hi, lo, f, needs_general);
}

NMATH_FN double dchisq_fixed_at(double x, dchisq_fixed f, int *needs_general) { return dgamma_fixed_at(x, f, needs_general); }
