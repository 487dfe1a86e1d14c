// @source_type: c
// @source_origin: none
// @provides: dlnorm_fixed, dlnorm_fixed_of, dlnorm_fixed_at, dlnorm_fixed_beyond
// @depends: nmath, log1p_parts
// @method: the closed form, what depends on meanlog and sdlog computed once; one logarithm an element
// @all_depends: Rmath, nmath, log1p_parts
// @all_depends_count: 3

// dlnorm_fixed -- the log density of the log-normal distribution where meanlog and sdlog are the same for many x,
//     -log(sqrt(2 pi) sdlog) - log(x) - y^2/2,   y = (log(x) - meanlog)/sdlog.
// log(x) is off by half an ulp, which y^2/2 takes no more of than the condition numbers in meanlog and sdlog allow; the first term
// is so small that it cancels no large log(x) unless y^2/2 is as large. There is no branch, so that elements can be computed
// together. *needs_general is set where dlnorm.cl has to compute: sdlog far from 1, and x at the ends of the doubles.

typedef struct {
    double meanlog, per_sdlog, c;
} dlnorm_fixed;

NMATH_FN dlnorm_fixed dlnorm_fixed_of(double meanlog, double sdlog, int *needs_general)
{
    dlnorm_fixed f;
    int plain = sdlog > 0.005 && sdlog < 200.0 && fabs(meanlog) < 1e6;
    double s = plain ? sdlog : 1.0;
    *needs_general |= !plain;
    f.meanlog = meanlog;
    f.per_sdlog = 1.0 / s;
    f.c = -(M_LN_SQRT_2PI + log(s));
    return f;
}

// So that what is multiplied by 1/x leaves the normal numbers only where the density does; not of a NaN, nor outside.
NMATH_FN int dlnorm_fixed_beyond(double x) { return ((x > 0.0) & (x < NMATH_RANGE(1e-280, 1e-27))) | (x > NMATH_RANGE(1e280, 1e27)); }

NMATH_FN double dlnorm_fixed_at(double x, dlnorm_fixed f, int *needs_general)
{
    *needs_general |= dlnorm_fixed_beyond(x);
    double l = log1p_parts_log(x), y = (l - f.meanlog) * f.per_sdlog;
    double r = ((f.c + 0.0 * x) - l) - (0.5 * y) * y; // a NaN of x stays one
    return x <= 0.0 ? ML_NEGINF : r;
}
