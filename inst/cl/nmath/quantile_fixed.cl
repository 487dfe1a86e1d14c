// @source_type: shim
// @source_origin: quantile_fixed.c
// @provides: quantile_fixed_node, quantile_fixed_fit, quantile_fixed_start, QUANTILE_FIXED_LEAST, quantile_fixed_newton, quantile_fixed_step
// @depends: nmath, cospi, log1p_parts, tail_fixed
// @method: a polynomial that a launch computes gives the quantile to six digits, one step of second order all of them
// @all_depends: Rmath, nmath, cospi, log1p_parts, tail_fixed
// @all_depends_count: 5

// quantile_fixed -- what quantile functions of fixed parameters share. A coordinate l of x is chosen in which x is smooth, a
// logarithm mostly. For either tail p <= 1/2 it is a smooth function of v = (-2 log p)^(1/2), which is next to a normal quantile:
// a launch solves for l at 16 points of v, 1e-12 <= p, and a polynomial through them is right to 2e-6 of p. With the
// distribution function at that x, to full precision, its logarithm L and c = |dL/dl|, g = d log(c p)/dl, one step
//     l + d,  d = d0 - (g +- c) d0^2/2,  d0 the step of Newton's iteration for L = log p,
// leaves 1e-17.

// Below, the general form is asked
#define QUANTILE_FIXED_LEAST 1e-12
// v/(v + 8) for p from 1/2 to 1e-12: middle and half of the range
#define QUANTILE_FIXED_MIDDLE 0.3049765004738442
#define QUANTILE_FIXED_HALF 0.17668213205978556

// v at the j-th of 16 zeros of T_16, from small p to large
NMATH_FN double quantile_fixed_node(int j)
{
    double t = QUANTILE_FIXED_MIDDLE + QUANTILE_FIXED_HALF * cospi((2 * j + 1) / 32.0);
    return 8.0 * t / (1.0 - t);
}

// The polynomial with these values at the nodes; a function of its own: inlined, NVIDIA's compiler (580.159) mixes up the
// arrays of nodes and coefficients
NMATH_HEAVY void quantile_fixed_fit(const double *values, double *to)
{
    double c[16];
    for (int k = 0; k < 16; ++k) {
        double sum = 0.0;
        for (int j = 0; j < 16; ++j)
            sum += values[j] * cospi(k * (2 * j + 1) / 32.0);
        c[k] = sum * (k > 0 ? 0.125 : 0.0625);
    }
    tail_fixed_powers(c, 16, to);
}

// l for a tail of 1e-12 <= p <= 1/2
NMATH_FN double quantile_fixed_start(double p, const double *c)
{
    double v = tail_fixed_root(-2.0 * log1p_parts_log(p)), t = v * NMATH_RECIPROCAL(v + 8.0);
    return tail_fixed_sum((t - QUANTILE_FIXED_MIDDLE) * (1.0 / QUANTILE_FIXED_HALF), c, 4);
}

// A step towards the node v, from wherever l is; see quantile_fixed_step()
NMATH_FN double quantile_fixed_newton(tail_fixed_parts t, double mass, double g, double v, int low)
{
    double e = exp(-t.h), tail = t.m * e, value = t.low == low ? tail : 1.0 - tail;
    double u = -0.5 * v * v - (t.low == low ? log(t.m) - t.h : log1p(-tail)), c = mass * (e / value);
    double d = low ? u / c : -u / c, curve = 0.5 * (low ? g - c : g + c) * d;
    return d - fmin(fmax(curve, -0.5), 0.5) * d;
}

// d, from the tail below x (`low`) or beyond that the parts t give, and `mass`, c p exp(h)
NMATH_FN double quantile_fixed_step(tail_fixed_parts t, double mass, double g, double p, int low)
{
    double e = expsq_exp(-t.h), tail = t.m * e, below = t.low ? tail : 1.0 - tail, above = t.low ? 1.0 - tail : tail;
    double value = low ? below : above, per = NMATH_RECIPROCAL(value);
    double r = (p - value) * per, c = mass * e * per, d = r * (1.0 - r * (0.5 - r * (1.0 / 3))) * NMATH_RECIPROCAL(c);
    d = low ? d : -d;
    return d - 0.5 * (low ? g - c : g + c) * d * d;
}
