// @source_type: shim
// @source_origin: rejection.c
// @provides: rejection_hat, rejection_hat_of, rejection_draw, rejection_factorial, rejection_invert, REJECTION_TRIES
// @depends: nmath, sunif, pgamma_utils
// @method: transformed rejection with squeeze, Hormann (1993)
// @accuracy: Stirling's error to 1e-14; the hat covers the masses (tests/cpp)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, sunif, lgamma, pgamma_utils
// @all_depends_count: 7

// rejection -- what the samplers of discrete distributions share: proposals by transformed rejection, and Stirling's
// formula for whole numbers.
//
// Hormann (1993), "The generation of binomial random variates", J. Stat. Comput. Simul. 46, 101-110 (algorithm BTRS).
// For u uniform on (-1/2, 1/2) and s = 1/2 - |u|, k = floor(G(u)) with
//     G(u) = (2 a/s + b) u + centre,   G'(u) = a/s^2 + b,
// falls nearly as a bell-shaped mass f does. With v uniform on (0, 1), k is taken where v <= r(u) = f(k)
// G'(u)/scale, and has mass f if r is never above 1. Where s >= 0.07, r is never below `quick`: v <= quick decides
// without f, in four cases of five or more for large standard deviations. Both uniforms are one block of the
// generator.
//
// The paper compares v with f(k)/f(mode). Here it is f(k)/F, F = (1 + 1/(20 sd^2))/(sqrt(2 pi) sd), which costs no
// factorials and lies 0 to 3% above f(mode); `quick` is as much less than the paper's. Then one hat serves all sums of
// independent Bernoulli variables with sd >= 3: binomial, Poisson, hypergeometric (Vatutin and Mikhailov 1982). Over
// a fine grid of their parameters (tests/cpp/test_sampler_hat.cpp has a coarser one) r <= 0.996, and r - quick >=
// 0.004 where s >= 0.07; both bounds are approached as sd grows, where all three are normal. (The constants of the
// paper for the Poisson distribution alone, PTRS, let r reach 1.006.)

#define REJECTION_SQUEEZE 0.07 // as in the paper
#define REJECTION_TRIES 256 // a proposal is lost with probability < 0.35: 0.35^256 < 2^-380

typedef struct { double a, b, centre, quick, scale; } rejection_hat;

NMATH_FN rejection_hat rejection_hat_of(double mean, double sd)
{
    rejection_hat t;
    double v = 1.0 / (sd * sd);
    t.b = 1.15 + 2.53 * sd;
    t.a = -0.0873 + 0.0248 * t.b;
    t.centre = mean + 0.5;
    t.quick = (0.92 - 4.2 / t.b) * (1.0 - 0.2 * v);
    t.scale = M_1_SQRT_2PI * (2.83 + 5.1 / t.b) * (1.0 + 0.05 * v);
    return t;
}

// A proposal k, to be taken where *level <= f(k): *level is 0 where the squeeze has decided.
NMATH_FN double rejection_draw(NMATH_GENERATOR, rejection_hat t, double *level)
{
    double u = unif_rand() - 0.5, v = unif_rand(), s = 0.5 - fabs(u);
    *level = s >= REJECTION_SQUEEZE && v <= t.quick ? 0.0 : v * t.scale / (t.a / (s * s) + t.b);
    return floor((2.0 * t.a / s + t.b) * u + t.centre);
}

// k! = sqrt(2 pi w) (k/e)^k e^r for whole k >= 0: returns r, to 1e-14, and sets w, which is k but for k = 0. From
// 16 on four terms of Stirling's series (Abramowitz & Stegun 6.1.41), below the table of dpois.cl.
NMATH_FN double rejection_factorial(double k, double *w)
{
    *w = k > 0 ? k : 0.15915494309189533577;
    if (k < 16.0)
        return pgamma_stirlerr_whole[(int)k];
    double v = 1.0 / k, t = v * v;
    return v * (1.0 / 12 - t * (1.0 / 360 - t * (1.0 / 1260 - t * (1.0 / 1680))));
}

// Inversion where the mean is small: the masses are multiplied out from k = 0 in units of f(0), with v = u/f(0),
// until their sum reaches v. 1/1, ..., 1/64 are a table, so that nothing but a product and a sum waits for the step
// before; what lies above 64 has less mass than the rounding of u. rejection_invert(v, factor, last): factor is
// f(k)/f(k - 1) as an expression in the double k, but for a divisor k; `last` is returned for u within rounding of
// 1 (sequential search: Devroye 1986, Non-Uniform Random Variate Generation, III.2). tools/fit_rejection.py.
NMATH_TABLE double rejection_inverse[64] = {
    1.0, 0.5, 0.3333333333333333, 0.25, 0.2, 0.16666666666666666, 0.14285714285714285, 0.125, 0.1111111111111111, 0.1,
    0.09090909090909091, 0.08333333333333333, 0.07692307692307693, 0.07142857142857142, 0.06666666666666667, 0.0625,
    0.058823529411764705, 0.05555555555555555, 0.05263157894736842, 0.05, 0.047619047619047616, 0.045454545454545456,
    0.043478260869565216, 0.041666666666666664, 0.04, 0.038461538461538464, 0.037037037037037035, 0.03571428571428571,
    0.034482758620689655, 0.03333333333333333, 0.03225806451612903, 0.03125, 0.030303030303030304,
    0.029411764705882353, 0.02857142857142857, 0.027777777777777776, 0.02702702702702703, 0.02631578947368421,
    0.02564102564102564, 0.025, 0.024390243902439025, 0.023809523809523808, 0.023255813953488372,
    0.022727272727272728, 0.022222222222222223, 0.021739130434782608, 0.02127659574468085, 0.020833333333333332,
    0.02040816326530612, 0.02, 0.0196078431372549, 0.019230769230769232, 0.018867924528301886, 0.018518518518518517,
    0.01818181818181818, 0.017857142857142856, 0.017543859649122806, 0.017241379310344827, 0.01694915254237288,
    0.016666666666666666, 0.01639344262295082, 0.016129032258064516, 0.015873015873015872, 0.015625};
#define rejection_invert(x, v, factor, last)                                        \
    do {                                                                            \
        double rj_p = 1.0, rj_sum = 1.0, rj_v = (v), k = 0.0;                       \
        int rj_k = 0;                                                               \
        for (; rj_k < 64 && rj_v > rj_sum; ++rj_k) {                                \
            k += 1.0;                                                               \
            rj_p *= (factor) * rejection_inverse[rj_k];                             \
            rj_sum += rj_p;                                                         \
        }                                                                           \
        (x) = rj_v > rj_sum ? (last) : k;                                           \
    } while (0)
