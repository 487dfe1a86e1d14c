// @source_type: c
// @source_origin: none
// @provides: dt_fixed_density, dt_fixed_density_of, dt_fixed_density_at
// @depends: nmath, dpq, dt_fixed, log1p_parts
// @method: the form of dt_fixed.cl, its exponential taken
// @all_depends: Rmath, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pgamma_utils, dt_fixed
// @all_depends_count: 9

// dt_fixed_density -- the density of Student's t distribution where its degrees of freedom are the same for many x: in the terms
// of dt_fixed.cl C exp(-(a + 1/2) (k log 2 + r)), see log1p_parts.cl. The tails are so heavy that the condition numbers leave
// no room for an ulp of the exponent: k times the first part of (a + 1/2) log 2 is exact. *needs_general is set where dt.cl has to compute.

typedef struct {
    double power, per_df, c, first, second; // a + 1/2, 1/n, C, (a + 1/2) log 2 in two parts, the first of 41 bits
} dt_fixed_density;

NMATH_FN dt_fixed_density dt_fixed_density_of(double df, int *needs_general)
{
    dt_fixed g = dt_fixed_of(df, needs_general);
    nmath_dd e = dd_two_prod(g.power, LOG1P_PARTS_LN2_HI);
    dt_fixed_density f;
    f.power = g.power;
    f.per_df = g.per_df;
    f.c = exp(g.c);
    f.first = nmath_from_bits(nmath_bits(e.hi) & 0xFFFFFFFFFFFFF000UL);
    f.second = (e.hi - f.first) + (e.lo + g.power * LOG1P_PARTS_LN2_LO);
    return f;
}

NMATH_FN double dt_fixed_density_at(double x, dt_fixed_density f, int *needs_general)
{
    double u = (x * x) * f.per_df;
    log1p_parts p = log1p_split(u, 1.0 + u);
    double e = p.k * f.first, g = NMATH_FMA(p.k, f.second, f.power * p.r), s = e + g;
    *needs_general |= u > NMATH_RANGE(1e100, 1e15) || (s > NMATH_RANGE(700.0, 80.0) && s < 800.0); // the product may be subnormal; beyond it is 0
    double v = (f.c + 0.0 * u) * expsq_exp(-s); // a NaN of x stays one
    return NMATH_FMA(v, (s - e) - g, v);
}
