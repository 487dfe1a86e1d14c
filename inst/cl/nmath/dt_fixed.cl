// @source_type: c
// @source_origin: none
// @provides: dt_fixed, dt_fixed_of, dt_fixed_at
// @depends: nmath, pgamma_utils, log1p_parts
// @method: what depends on the degrees of freedom computed once; one logarithm an element
// @all_depends: Rmath, nmath, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 7

// dt_fixed -- the log density of Student's t distribution where its degrees of freedom n = 2 a are the same for many x,
//     log C - (a + 1/2) log(1 + x^2/n),   C = Gamma(a + 1/2)/(sqrt(2 pi a) Gamma(a)) from Stirling's formula as in dt.cl.
// Both terms are negative. *needs_general is set where dt.cl has to compute: few or very many degrees of freedom and far tails.

typedef struct {
    double power, per_df, c; // a + 1/2, 1/n, log C
} dt_fixed;

NMATH_FN dt_fixed dt_fixed_of(double df, int *needs_general)
{
    dt_fixed f;
    int plain = df > 0.05 && df < 1e8;
    *needs_general |= !plain;
    double n = plain ? df : 1.0, a = 0.5 * n, w, w1;
    double s = pgamma_stirling(a + 0.5, &w1) - pgamma_stirling(a, &w);
    f.power = a + 0.5;
    f.per_df = 1.0 / n;
    f.c = (a * log1p(0.5 / a) - 0.5 + s) + (0.5 * log(a / w) - M_LN_SQRT_2PI);
    return f;
}

NMATH_FN double dt_fixed_at(double x, dt_fixed f, int *needs_general)
{
    double u = (x * x) * f.per_df;
    *needs_general |= u > NMATH_RANGE(1e100, 1e15);
    return NMATH_FMA(-f.power, log1p_split(u, 1.0 + u).l, f.c + 0.0 * u); // a NaN of x stays one
}
