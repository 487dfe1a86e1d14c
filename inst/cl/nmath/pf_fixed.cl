// @source_type: c
// @source_origin: none
// @provides: pf_fixed, pf_fixed_of, pf_fixed_at, pf_fixed_tail
// @depends: nmath, pbeta_fixed
// @method: the beta distribution with half the degrees of freedom as shapes
// @all_depends: Rmath, refactored, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, tail_fixed, pgamma_utils, stirlerr_cycle_dependent, stirlerr, dbeta_fixed, pbeta_fixed
// @all_depends_count: 14

// pf_fixed -- cumulative probability of the F distribution where its degrees of freedom are the same for many x: that of the beta
// distribution with shapes a = df1/2 and b = df2/2 at u/(1 + u), u = a x/b, whose distance from the mean is e = a (x - 1)/(1 + u)
// (pbeta_fixed.cl). *needs_general is set where pf.cl has to compute.

typedef pbeta_fixed pf_fixed;

NMATH_FN pf_fixed pf_fixed_of(double df1, double df2, int *needs_general) { return pbeta_fixed_of(0.5 * df1, 0.5 * df2, needs_general); }

NMATH_FN double pf_fixed_tail(double x, NMATH_FORM pf_fixed *f, int lower_tail, int log_p, int *needs_general)
{
    double u = x * (f->d.a * f->d.per_b), r = NMATH_RECIPROCAL(1.0 + u), y = f->d.n * f->d.per_b * r;
    double v = pbeta_fixed_value(f->d.a * ((x - 1.0) * r), x * y, y, x > 0.0, f, lower_tail, log_p, needs_general);
    double zero = log_p ? ML_NEGINF : 0.0, one = log_p ? 0.0 : 1.0;
    v = x <= 0.0 ? (lower_tail ? zero : one) : v;
    return x == x ? v : x;
}

// not a function, as pbeta_fixed_at
#define pf_fixed_at(x, f, lower_tail, log_p, needs_general) pf_fixed_tail(x, &(f), lower_tail, log_p, needs_general)
