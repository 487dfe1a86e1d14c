// @source_type: shim
// @source_origin: marcum.c
// @provides: marcum_value, marcum_contour, marcum_density, marcum_tail
// @depends: nmath, dpq, poly, dd, log1p, pgamma_utils, dpois, igamma
// @method: Poisson mixture by recurrences of positive terms; from a^2 + 4 mu y = 1024 on a contour integral with 16 nodes
// @accuracy: see dnchisq, pnchisq, qnchisq
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, logdd, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois
// @all_depends_count: 14
// @load_order: 67

// marcum -- the generalized Marcum Q function, which the non-central chi-squared distribution is: the mixture
//     P(a, mu, y) = sum_j e^-mu mu^j/j! P(a + j, y),   Q = 1 - P,   a = df/2, mu = ncp/2, y = x/2,
// of incomplete gamma functions, as exp(e) f with f of moderate size, and y dP/dy = exp(e) g.
//
// Let W^2 = a^2 + 4 mu y, and W < 32. With F = y^a e^-y/Gamma(a + 1), changing the order of summation,
//     P = F e^-mu sum_k y^k/(a + 1)_k sum_{j<=k} mu^j/j!,
//     Q = F e^-mu sum_j mu^j/j! (Q(a, y)/F + sum_{k<j} y^k/(a + 1)_k),
//     y dP/dy = F e^-mu sum_j (a + j) (mu y)^j/(j! (a + 1)_j).
// All terms are positive. A recurrence forms each term as a whole, so that nothing overflows: mu and y may be far apart.
//
// For larger W: (Gil, Segura & Temme 2014, "Algorithm 939: Computation of the Marcum Q-function", ACM TOMS 40, 20:1-21)
//     Q = e^(-mu-y)/(2 pi i) int e^(mu/t + y t) t^-a dt/(1 - t),   the same with t - 1 for P,
// around 0, inside or outside of the pole t = 1. The saddle point is t0 = 1/r, r = 2 y/(a + W); r > 1 beyond the mean.
// On the circle t = t0 e^(i theta) the exponent is exactly
//     -E - W (1 - cos theta) + i a (sin theta - theta),   E = mu (r - 1)^2 + a (r - 1 - log r),
// where E has only positive terms, and r - 1 = 2 (y - a - mu)/(2 mu + a + W) without cancellation. With s = sin(theta/2)
// and xi = 2 sqrt(W) s the real part is -xi^2/2: a Gaussian, for which the trapezoidal rule converges exponentially. Its
// nodes are constants, and so are their weights. The pole, at xi = +-i p, p = sqrt(W) |r - 1|/sqrt(r), contributes
// 1/(1 + e^(2 pi p/h)) to the tail at step h, with nodes halfway between the multiples of h (as for erfc: Chiarella &
// Reichel 1968, Math. Comp. 22, 137-143): no special case near the mean, where the pole meets the saddle. Beyond
// p = 9 that is less than the rounding error. At theta = pi, where t^-a has its cut, the integrand is below e^-64.

typedef struct { dd e; double f, g; int lower; } marcum_value;

#define MARCUM_LARGE 32.0
#define MARCUM_NODES 16
#define MARCUM_STEP 0.56

// exp(-xi^2/2) at xi = (k + 1/2) h; tools/fit_marcum.py
NMATH_TABLE double marcum_weight[MARCUM_NODES] = {
    0.9615583782382694, 0.7027177228683976, 0.3753110988513995, 0.14648972346236577, 0.041785746099929286,
    0.008710727211861743, 0.0013270458136505747, 0.0001477483602320337, 1.2021666434368972e-05, 7.148450721779496e-07,
    3.106450462377616e-08, 9.865570119419464e-10, 2.289734845645553e-11, 3.883769524427265e-13, 4.814231344975422e-15,
    4.361197086931707e-17
};

// 4 binomial(2n, n)/4^n/(2n + 3): (theta - sin theta)/s^3 in powers of s^2; tools/fit_marcum.py. Where s^2 is not small
// the weights are.
NMATH_TABLE double marcum_phase[16] = {
    1.3333333333333333, 0.4, 0.21428571428571427, 0.1388888888888889, 0.09943181818181818, 0.07572115384615384,
    0.06015625, 0.04928768382352941, 0.04134328741776316, 0.035327729724702384, 0.030642965565557064,
    0.02691009521484375, 0.023878556710702402, 0.02137669201554923, 0.019283352359648672, 0.017510842193256725
};

// (sin(z)/z - 1)/z^2 and (cos(z) - 1)/z^2 in powers of z^2, for the phase over 4
NMATH_TABLE double marcum_sin[6] = {
    -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0
};
NMATH_TABLE double marcum_cos[7] = {
    -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.0
};

NMATH_FN double marcum_w(double y, double a, double mu)
{
    double v = 2.0 * sqrt(mu) * sqrt(y);
    if (a < 1e150 && v < 1e150)
        return sqrt(a * a + 4.0 * (mu * y));
    double large = fmax(a, v), ratio = fmin(a, v) / large;
    return large * sqrt(1.0 + ratio * ratio);
}

// W >= 32
NMATH_HEAVY marcum_value marcum_contour(double y, double a, double mu, double W)
{
    marcum_value v;
    int huge = W > 1e300; // out of the way of overflow
    if (huge) {
        y *= 0x1p-64;
        a *= 0x1p-64;
        mu *= 0x1p-64;
        W = marcum_w(y, a, mu);
    }
    dd d = dd_two_sum(y, -a), s = dd_two_sum(d.hi, -mu);
    double e = (s.hi + (s.lo + d.lo)) / (mu + 0.5 * (a + W)), t0 = 0.5 * (a + W) / y, r = 1.0 / t0;
    double h = e > -0.4 && e < 0.6 ? -log1pmx(e) : (r > 1e-300 ? e - log(r) : e + log(0.5 * (a + W)) - log(y));
    v.e.hi = -(mu * e * e + a * h);
    v.e.lo = 0.0;
    v.lower = e < 0.0;
    // G/c = (cos Phi (e/r - 2 s^2)/c - 2 s sin Phi)/(e^2/r + 4 s^2), c = cos(theta/2)
    double et = e * t0, q = e * et, scale = 0.25 / W, root = sqrt(scale), f = 0.0, g = 0.0;
    if (v.lower && !(q < 1e300)) { // y = 0 for all that matters
        et = -1e300;
        q = 1e300;
    }
    for (int k = 0; k < MARCUM_NODES; ++k) {
        double xi = (k + 0.5) * MARCUM_STEP, x2 = xi * xi * scale, x = xi * root, w = marcum_weight[k];
        // theta - sin theta is 5 at most where the weight is above 1e-9, and then a quarter of it needs no more terms
        double z = 0.25 * a * (x2 * x) * poly(x2, marcum_phase, 16), z2 = z * z;
        double s1 = z + z * (z2 * poly(z2, marcum_sin, 6)), s2 = 2.0 * s1 * (1.0 + z2 * poly(z2, marcum_cos, 7));
        double c2 = 1.0 - 2.0 * s1 * s1, c = (1.0 - 2.0 * s2 * s2) / sqrt(1.0 - x2), p = 4.0 * x * s2 * c2;
        f += w * (c * (et - 2.0 * x2) + p) / (q + 4.0 * x2);
        g += w * (c * (1.0 - 2.0 * x2) + p);
    }
    double factor = MARCUM_STEP * M_1_PI / sqrt(W), p = sqrt(W * q);
    v.f = factor * (v.lower ? -f : f);
    v.g = factor * g * (0.5 * (a + W));
    if (p < 9.0)
        v.f += exp(-v.e.hi) / (1.0 + exp((2.0 * M_PI / MARCUM_STEP) * p));
    if (huge) {
        v.e.hi *= 0x1p64;
        v.g *= 0x1p32;
    }
    return v;
}

// log(F e^-mu) - log c in e
NMATH_FN dd marcum_exponent(double y, double a, double mu, double *c)
{
    dd e;
    e.hi = -y;
    e.lo = 0.0;
    *c = 1.0;
    if (a > 0.0) {
        double w;
        e = dpois_exponent(a, y - a, y, 0, &w);
        *c = M_1_SQRT_2PI / sqrt(w);
    }
    dd s = dd_two_sum(e.hi, -mu);
    return dd_fast_two_sum(s.hi, s.lo + e.lo);
}

// P
NMATH_FN marcum_value marcum_lower(double y, double a, double mu)
{
    marcum_value v;
    double C, z = mu * y, b = 1.0, c = 1.0, sum = 1.0, dens = a;
    v.e = marcum_exponent(y, a, mu, &C);
    for (int k = 1; k <= 250; ++k) {
        double ak = a + k, inv = 1.0 / (k * ak);
        c *= z * inv;
        b = b * (y * k * inv) + c;
        sum += b;
        dens += ak * c;
        if (b < 2e-18 * sum)
            break;
    }
    v.f = C * sum;
    v.g = C * dens;
    v.lower = 1;
    return v;
}

// Q; for mu = 0 either tail, as the incomplete gamma function has it
NMATH_FN marcum_value marcum_upper(double y, double a, double mu)
{
    marcum_value v;
    double C = 1.0, b = 0.0;
    v.e.hi = -y;
    v.e.lo = 0.0;
    if (a > 0.0) {
        igamma_value u = igamma_core(y, a, y, 0, igamma_factor(a));
        v.e.hi = u.e;
        v.e.lo = u.el;
        if (mu == 0.0) {
            v.f = u.f;
            v.g = a * u.g;
            v.lower = u.lower;
            return v;
        }
        C = u.g;
        b = u.f / u.g;
        if (u.lower) {
            double t = dd_exp(v.e);
            C = u.g * t;
            b = (1.0 - u.f * t) / C;
            v.e.hi = v.e.lo = 0.0;
        }
    }
    double z = mu * y, c = mu, sum = b, cs = 0.0;
    for (int j = 1; j <= 250; ++j) {
        b = b * (mu / j) + c;
        sum += b;
        cs += c;
        if (b < 2e-18 * sum)
            break;
        c *= z / ((j + 1) * (a + j));
    }
    v.f = C * sum;
    v.g = C * (a + y * cs);
    v.lower = 0;
    dd s = dd_two_sum(v.e.hi, -mu);
    v.e = dd_fast_two_sum(s.hi, s.lo + v.e.lo);
    return v;
}

// A tail, the smaller one unless both are of moderate size, for 0 < y < Inf; a, mu >= 0, not both 0.
NMATH_HEAVY marcum_value marcum_tail(double y, double a, double mu)
{
    double W = marcum_w(y, a, mu);
    if (W >= MARCUM_LARGE && mu > 0.0)
        return marcum_contour(y, a, mu, W);
    int upper = y >= a + mu || mu == 0.0;
    marcum_value v;
    if (!upper) {
        v = marcum_lower(y, a, mu);
        upper = dd_exp(v.e) * v.f > 0.6;
    }
    if (upper)
        v = marcum_upper(y, a, mu);
    return v;
}

// The density: e and g alone.
NMATH_HEAVY marcum_value marcum_density(double y, double a, double mu)
{
    double W = marcum_w(y, a, mu);
    if (W >= MARCUM_LARGE)
        return marcum_contour(y, a, mu, W);
    marcum_value v;
    double C, z = mu * y, c = 1.0, sum = a;
    v.e = marcum_exponent(y, a, mu, &C);
    for (int k = 1; k <= 250; ++k) {
        double ak = a + k, t;
        c *= z / (k * ak);
        t = ak * c;
        sum += t;
        if (t < 2e-18 * sum)
            break;
    }
    v.f = 0.0;
    v.g = C * sum;
    v.lower = 1;
    return v;
}

#undef MARCUM_LARGE
#undef MARCUM_NODES
#undef MARCUM_STEP
