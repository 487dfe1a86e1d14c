// @source_type: c
// @source_origin: none
// @provides: qgamma_fixed, qgamma_fixed_of, qgamma_fixed_at, qgamma_fixed_nodes, qgamma_fixed_value
// @depends: nmath, pgamma_fixed, tail_fixed, quantile_fixed
// @method: a polynomial for either tail, one step of second order
// @all_depends: Rmath, refactored, nmath, cospi, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pnorm, tail_fixed, pgamma_utils, quantile_fixed, stirlerr_cycle_dependent, stirlerr, pgamma_fixed
// @all_depends_count: 16

// qgamma_fixed -- quantiles of the gamma distribution where its shape a and scale are the same for many p, after quantile_fixed.cl:
// l = log(x/(a scale)), p c = x f(x) = (a/(2 pi))^(1/2) exp(-stirlerr(a) - h), g = a - x/scale (pgamma_fixed.cl). *needs_general is set where
// qgamma.cl has to compute: shapes below 1/2 or very large, tails below 1e-12.

typedef struct {
    pgamma_fixed f;
    double mass, unit; // a scale
    double low[16], high[16];
} qgamma_fixed;

NMATH_HEAVY void qgamma_fixed_nodes(const pgamma_fixed *f, double mass, int low, double *to)
{
    double values[16], l = 0.0;
    for (int j = 15; j >= 0; --j) {
        double v = quantile_fixed_node(j);
        for (int i = 0; i < 4; ++i) {
            double x = exp(l);
            l += quantile_fixed_newton(pgamma_fixed_split(x, x - 1.0, f), mass, f->shape * (1.0 - x), v, low);
        }
        values[j] = l;
    }
    quantile_fixed_fit(values, to);
}

NMATH_FN qgamma_fixed qgamma_fixed_of(double shape, double scale, int *needs_general)
{
    qgamma_fixed f;
    int plain = shape < 1e8 && scale > NMATH_RANGE(1e-100, 1e-15) && scale < NMATH_RANGE(1e100, 1e15);
    *needs_general |= !plain;
    f.f = pgamma_fixed_of(plain ? shape : 1.0, plain ? scale : 1.0, needs_general);
    f.mass = f.f.c * f.f.shape;
    f.unit = f.f.shape * (plain ? scale : 1.0);
    const pgamma_fixed other = f.f; // and arrays of its own: the form's stay in registers
    double low[16], high[16];
    qgamma_fixed_nodes(&other, f.mass, 1, low);
    qgamma_fixed_nodes(&other, f.mass, 0, high);
    NMATH_UNROLL
    for (int k = 0; k < 16; ++k) {
        f.low[k] = low[k];
        f.high[k] = high[k];
    }
    return f;
}

NMATH_FN double qgamma_fixed_value(double p, const qgamma_fixed *f, int lower_tail, int *needs_general)
{
    int low = (p < 0.5) == (lower_tail != 0);
    double q = p < 0.5 ? p : 1.0 - p, t = q >= QUANTILE_FIXED_LEAST ? q : 0.25;
    double end = q == 0.0 ? ML_POSINF : 0.0; // added: more choices would keep compilers from vectors
    *needs_general |= q + end < QUANTILE_FIXED_LEAST; // not of a NaN
    double x = expsq_exp(low ? quantile_fixed_start(t, f->low) : quantile_fixed_start(t, f->high));
    double d = quantile_fixed_step(pgamma_fixed_split(x, x - 1.0, &f->f), f->mass, f->f.shape * (1.0 - x), t, low);
    x *= f->unit;
    x += x * (d + 0.5 * d * d);
    x += low ? -end : end;
    x = x > 0.0 ? x : 0.0;
    return p == p ? x : p;
}

// not a function: compilers would copy the form for each element
#define qgamma_fixed_at(p, f, lower_tail, needs_general) qgamma_fixed_value(p, &(f), lower_tail, needs_general)
