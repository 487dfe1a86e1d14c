// @source_type: c
// @source_origin: none
// @provides: qbeta_fixed, qbeta_fixed_of, qbeta_fixed_at, qbeta_fixed_split, qbeta_fixed_nodes, qbeta_fixed_odds, qbeta_fixed_value
// @depends: nmath, pbeta_fixed, tail_fixed, quantile_fixed
// @method: a polynomial for either tail, one step of second order
// @all_depends: Rmath, refactored, nmath, cospi, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, tail_fixed, pgamma_utils, quantile_fixed, stirlerr_cycle_dependent, stirlerr, dbeta_fixed, pbeta_fixed
// @all_depends_count: 16

// qbeta_fixed -- quantiles of the beta distribution where its shapes a and b are the same for many p, after quantile_fixed.cl:
// l = log(b x/(a (1 - x))), p c = x (1 - x) f(x), g = a - n x, n = a + b (pbeta_fixed.cl). *needs_general is set where qbeta.cl has to
// compute: shapes below 1/2 or very large, tails below 1e-12.

typedef struct {
    pbeta_fixed f;
    double ratio, low[16], high[16]; // a/b
} qbeta_fixed;

// At all_need_general b x/(a (1 - x)); g
NMATH_FN tail_fixed_parts qbeta_fixed_split(double all_need_general, double ratio, const pbeta_fixed *f, double *g)
{
    double r = NMATH_RECIPROCAL(1.0 + all_need_general * ratio), y = f->d.n * f->d.per_b * r, e = f->d.a * ((all_need_general - 1.0) * r);
    *g = -e;
    return pbeta_fixed_split(e, all_need_general * y, y, f);
}

NMATH_HEAVY void qbeta_fixed_nodes(const pbeta_fixed *f, double ratio, int low, double *to)
{
    double values[16], l = 0.0, g;
    for (int j = 15; j >= 0; --j) {
        double v = quantile_fixed_node(j);
        for (int i = 0; i < 4; ++i) {
            tail_fixed_parts t = qbeta_fixed_split(exp(l), ratio, f, &g);
            l += quantile_fixed_newton(t, f->mass, g, v, low);
        }
        values[j] = l;
    }
    quantile_fixed_fit(values, to);
}

NMATH_FN qbeta_fixed qbeta_fixed_of(double a, double b, int *needs_general)
{
    qbeta_fixed f;
    f.f = pbeta_fixed_of(a, b, needs_general);
    f.ratio = f.f.d.a / f.f.d.b;
    const pbeta_fixed other = f.f; // and arrays of its own: the form's stay in registers
    double low[16], high[16];
    qbeta_fixed_nodes(&other, f.ratio, 1, low);
    qbeta_fixed_nodes(&other, f.ratio, 0, high);
    NMATH_UNROLL
    for (int k = 0; k < 16; ++k) {
        f.low[k] = low[k];
        f.high[k] = high[k];
    }
    return f;
}

// b x/(a (1 - x)): the quantile of the F distribution with twice the shapes as degrees of freedom
NMATH_FN double qbeta_fixed_odds(double p, const qbeta_fixed *f, int lower_tail, int *needs_general)
{
    int low = (p < 0.5) == (lower_tail != 0);
    double q = p < 0.5 ? p : 1.0 - p, t = q >= QUANTILE_FIXED_LEAST ? q : 0.25, g;
    double end = q == 0.0 ? ML_POSINF : 0.0; // added: more choices would keep compilers from vectors
    *needs_general |= q + end < QUANTILE_FIXED_LEAST; // not of a NaN
    double x = expsq_exp(low ? quantile_fixed_start(t, f->low) : quantile_fixed_start(t, f->high));
    tail_fixed_parts parts = qbeta_fixed_split(x, f->ratio, &f->f, &g);
    double d = quantile_fixed_step(parts, f->f.mass, g, t, low);
    x += x * (d + 0.5 * d * d);
    x += low ? -end : end;
    x = x > 0.0 ? x : 0.0;
    return p == p ? x : p;
}

NMATH_FN double qbeta_fixed_value(double p, const qbeta_fixed *f, int lower_tail, int *needs_general)
{
    double o = qbeta_fixed_odds(p, f, lower_tail, needs_general) * f->ratio, x = o * NMATH_RECIPROCAL(1.0 + o);
    x = o > NMATH_DBL_MAX ? 1.0 : x;
    return p == p ? x : p;
}

// not a function: compilers would copy the form for each element
#define qbeta_fixed_at(p, f, lower_tail, needs_general) qbeta_fixed_value(p, &(f), lower_tail, needs_general)
