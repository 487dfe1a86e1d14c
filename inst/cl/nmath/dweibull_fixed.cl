// @source_type: c
// @source_origin: none
// @provides: dweibull_fixed, dweibull_fixed_of, dweibull_fixed_at, dweibull_fixed_plain
// @depends: nmath, dpq, log1p_parts, dlnorm_fixed
// @method: the closed form, what depends on shape and scale computed once; one logarithm and one exponential an element
// @all_depends: Rmath, nmath, dpq, log1p_parts, dlnorm_fixed
// @all_depends_count: 5

// dweibull_fixed -- the log density of the Weibull distribution where shape a and scale s are the same for many x. With u = x/s
// and l = log(u) it is log(a/s) + (a - 1) l - exp(a l), which saves dweibull.cl's log(a/x); but what log(a/s) and (a - 1) l lose
// where they cancel no condition number allows. So l stays k log 2 + r (log1p_parts.cl), and what is multiplied by k is split, so
// that the products that may cancel are exact. An error of l in the power is one that the condition number in a allows.
// *needs_general is set where dweibull.cl has to compute: very small or large parameters, and x at the ends of the doubles.

typedef struct {
    double shape, per_scale, less, first, second, c, d; // a, 1/s, a - 1, (a - 1) log 2 in two parts, log(a/s) in two
    double at_zero;
} dweibull_fixed;

NMATH_FN int dweibull_fixed_plain(double shape, double scale)
{
    return shape > 0.05 && shape < 1e6 && scale > 1e-20 && scale < 1e20;
}

NMATH_FN dweibull_fixed dweibull_fixed_of(double shape, double scale, int *needs_general)
{
    dweibull_fixed f;
    int plain = dweibull_fixed_plain(shape, scale);
    double a = plain ? shape : 1.0, s = plain ? scale : 1.0, q = a / s;
    *needs_general |= !plain;
    log1p_parts p = log1p_split(q - 1.0, q);
    nmath_dd less = dd_two_sum(a, -1.0), e = dd_two_prod(less.hi, LOG1P_PARTS_LN2_HI);
    f.shape = a;
    f.per_scale = 1.0 / s;
    f.less = less.hi;
    f.first = nmath_from_bits(nmath_bits(e.hi) & 0xFFFFFFFFFFFFF000UL);
    f.second = (e.hi - f.first) + (e.lo + less.hi * LOG1P_PARTS_LN2_LO + less.lo * M_LN2);
    f.c = p.k * LOG1P_PARTS_LN2_HI;
    f.d = NMATH_FMA(p.k, LOG1P_PARTS_LN2_LO, p.r);
    f.at_zero = a < 1.0 ? ML_POSINF : a > 1.0 ? ML_NEGINF : f.c + f.d;
    return f;
}

NMATH_FN double dweibull_fixed_at(double x, dweibull_fixed f, int *needs_general)
{
    double u = x * f.per_scale;
    log1p_parts p = log1p_split(u - 1.0, u);
    double e = f.shape * p.l;
    *needs_general |= dlnorm_fixed_beyond(x) | ((x > 0.0) & (e > NMATH_RANGE(700.0, 80.0)));
    double v = NMATH_FMA(p.k, f.first, f.c) - expsq_exp(e);
    double r = v + NMATH_FMA(f.less, p.r, NMATH_FMA(p.k, f.second, f.d + 0.0 * x)); // a NaN of x stays one
    return log1p_parts_on(x, r, ML_NEGINF, f.at_zero);
}
