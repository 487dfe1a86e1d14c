// @source_type: c
// @source_origin: none
// @provides: dlnorm_fixed_density, dlnorm_fixed_density_of, dlnorm_fixed_density_at
// @depends: nmath, dlnorm_fixed, log1p_parts
// @method: the form of dlnorm_fixed.cl, its exponential taken as a square
// @all_depends: Rmath, nmath, log1p_parts, dlnorm_fixed
// @all_depends_count: 4

// dlnorm_fixed_density -- the density of the log-normal distribution where meanlog and sdlog are the same for many x: in the
// terms of dlnorm_fixed.cl exp(-y^2/4)^2/(sqrt(2 pi) sdlog x). The root of the exponential is a normal number wherever the density
// is not 0. *needs_general is set where dlnorm.cl has to compute.

typedef dlnorm_fixed dlnorm_fixed_density;

NMATH_FN dlnorm_fixed_density dlnorm_fixed_density_of(double meanlog, double sdlog, int *needs_general)
{
    dlnorm_fixed_density f = dlnorm_fixed_of(meanlog, sdlog, needs_general);
    f.c = M_1_SQRT_2PI * f.per_sdlog;
    return f;
}

NMATH_FN double dlnorm_fixed_density_at(double x, dlnorm_fixed_density f, int *needs_general)
{
    *needs_general |= dlnorm_fixed_beyond(x);
    double y = (log1p_parts_log(x) - f.meanlog) * f.per_sdlog, h = expsq_exp(-(0.25 * y) * y);
    double r = ((f.c * NMATH_RECIPROCAL(x)) * h) * h;
    return x <= 0.0 ? 0.0 : r;
}
