// @source_type: c
// @source_origin: none
// @provides: qt_fixed, qt_fixed_of, qt_fixed_at, qt_fixed_nodes, qt_fixed_value
// @depends: nmath, pt_fixed, tail_fixed, quantile_fixed
// @method: a polynomial for a tail, one step of second order
// @all_depends: Rmath, nmath, cospi, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, pnorm, tail_fixed, pgamma_utils, quantile_fixed, pt_fixed
// @all_depends_count: 13

// qt_fixed -- quantiles of Student's t distribution where its degrees of freedom n are the same for many p, after
// quantile_fixed.cl: |x| = n^(1/2) sinh(l), p c = exp(-h)/B(n/2, 1/2), g = -n tanh(l) (pt_fixed.cl). *needs_general is set where qt.cl has
// to compute: n below 1/2 or very large, tails below 1e-12.

typedef struct {
    pt_fixed f;
    double mass, root, c[16]; // n^(1/2)
} qt_fixed;

NMATH_HEAVY void qt_fixed_nodes(const pt_fixed *f, double mass, double *to)
{
    double values[16], l = 0.0;
    for (int j = 15; j >= 0; --j) {
        double v = quantile_fixed_node(j);
        for (int i = 0; i < 4; ++i) {
            double s = sinh(l), u = s * s;
            l += quantile_fixed_newton(pt_fixed_split(u, f), mass, -f->df * s / sqrt(1.0 + u), v, 0);
        }
        values[j] = l;
    }
    quantile_fixed_fit(values, to);
}

NMATH_FN qt_fixed qt_fixed_of(double df, int *needs_general)
{
    qt_fixed f;
    f.f = pt_fixed_of(df, needs_general);
    f.mass = f.f.c * f.f.df;
    f.root = sqrt(f.f.df);
    const pt_fixed other = f.f; // and arrays of its own: the form's stay in registers
    double c[16];
    qt_fixed_nodes(&other, f.mass, c);
    NMATH_UNROLL
    for (int k = 0; k < 16; ++k)
        f.c[k] = c[k];
    return f;
}

NMATH_FN double qt_fixed_value(double p, const qt_fixed *f, int lower_tail, int *needs_general)
{
    int low = (p < 0.5) == (lower_tail != 0);
    double q = p < 0.5 ? p : 1.0 - p, t = q >= QUANTILE_FIXED_LEAST ? q : 0.25;
    *needs_general |= (q < QUANTILE_FIXED_LEAST) & (q != 0.0); // not of a NaN
    double em = expsq_expm1_straight(quantile_fixed_start(t, f->c)), per = NMATH_RECIPROCAL(1.0 + em);
    double s = 0.5 * (em + em * per), h = 0.5 * ((1.0 + em) + per); // sinh and cosh
    tail_fixed_parts parts = pt_fixed_split(s * s, &f->f);
    parts.low = s < 0.0; // the polynomial may miss 0
    double d = quantile_fixed_step(parts, f->mass, -f->f.df * s * NMATH_RECIPROCAL(h), t, 0);
    double x = f->root * (s + d * (h + 0.5 * d * s));
    x = q == 0.0 ? ML_POSINF : x;
    x = t == 0.5 ? 0.0 : low ? -x : x;
    return p == p ? x : p;
}

// not a function: compilers would copy the form for each element
#define qt_fixed_at(p, f, lower_tail, needs_general) qt_fixed_value(p, &(f), lower_tail, needs_general)
