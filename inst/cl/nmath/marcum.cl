// @source_type: shim
// @source_origin: marcum.c
// @provides: marcum_value, marcum_half, marcum_contour, marcum_density, marcum_tail
// @depends: nmath, dpq, log1p, pgamma_utils, dpois, igamma
// @method: Poisson mixture by recurrences of positive terms; from a^2 + 4 mu y = 1024 on a contour integral with 16 nodes
// @accuracy: see dnchisq, pnchisq, qnchisq
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois
// @all_depends_count: 10
// @load_order: 96

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
// p = 9 that is less than the rounding error. At theta = pi, where t^-a has its cut, the integrand is below e^-64. The
// density has no pole: there the same integral is a smooth function of a/W and 1/W, y dP/dy = e^-E (a + W)/(2 sqrt(W)) G,
// a polynomial.

typedef struct { nmath_dd e; double f, g; int lower; } marcum_value;

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

// G(a/W, 1/W) = sum v^j u^i c[i][j], v = 2 a/W - 1, u = 64/W - 1, W >= 32: four rows i stand interleaved, j going up; rows
// 0-3 to j = 15, 4-7 to 13, and 8 to 7. tools/fit_marcum.py; error 2^-54
NMATH_TABLE double marcum_density_c[128] = {
    0.39783733097481633, -0.0011060227563762291, -1.0403907518203985e-06, 3.3999777984365197e-08,
    0.0009157074022508916, 0.0009224082544905854, 6.740505193295052e-06, 3.755215097485674e-08,
    -0.0003313021529778115, -0.00033815501691333513, -7.0683994836895304e-06, -2.2024413536863862e-07,
    -6.529948610391395e-07, -1.2098644588639286e-06, -4.5088399732272344e-07, 1.1638347623693135e-07,
    2.1565600750880202e-06, 4.43740376568673e-06, 2.406858888601288e-06, 1.2729063547986973e-07,
    -5.026603315646755e-08, -1.585490354031006e-07, -1.7458480838371923e-07, -7.511980677186808e-08,
    -2.5176313383563965e-08, -7.59676864246229e-08, -7.643854386465352e-08, -2.5208064802339565e-08,
    1.9259595822248e-09, 7.972302907366401e-09, 1.2626341982870264e-08, 9.297302618192613e-09, 3.6484960515793306e-10,
    1.3579614679300172e-09, 1.7480009370705812e-09, 7.111377719896765e-10, -6.603757560699787e-11,
    -3.334233972707995e-10, -6.73268346671702e-10, -6.791483070908555e-10, -4.5962712657873075e-12,
    -1.3459392481854117e-11, 2.63552791498898e-12, 4.693064946955405e-11, 2.391461744217816e-12,
    1.3228595379764782e-11, 2.911015733273483e-11, 3.4602556004308756e-11, 2.4958602852262763e-13,
    -5.145870911700553e-13, -6.317765731448183e-12, -9.645716787190216e-12, -1.8442555302289107e-13,
    -6.642617536159131e-13, -2.2212894894574812e-13, -1.659092318240954e-13, -8.568821185226662e-14,
    -3.559928742675064e-14, 1.0220454389178947e-12, 1.0478506764756591e-12, 3.245050254134205e-14,
    7.344107118831827e-14, -1.9769044552626163e-13, -2.6285604568354204e-13, 1.0787989704765685e-09,
    1.7726128859760114e-11, -3.488648397164459e-13, -4.916655639855876e-14, -2.2445270716366483e-09,
    -1.486517511540812e-10, -4.905905657705603e-12, 3.29136457792543e-14, -4.635503312524943e-09,
    9.012400755911092e-11, 1.8128127666494126e-11, 1.1473451792488496e-12, 1.0946097113537235e-08,
    5.572137848707658e-10, 7.1145669217204396e-12, -2.017524285328052e-12, 7.608394648063078e-10,
    -5.759113100759116e-10, -6.429157379604149e-11, -3.118580789477457e-12, -9.344950007948513e-09,
    -5.142555715467598e-10, 1.9709526269051377e-11, 7.31829107121564e-12, 9.812796358979857e-10,
    6.149553295959659e-10, 7.497740333551008e-11, 2.3403804799808285e-12, 2.9593810826247057e-09,
    2.1781594383708354e-10, -3.366474423069717e-11, -9.607133791688082e-12, -2.5709405537103446e-10,
    -2.549373601134214e-10, -4.158154801654112e-11, -2.28931374295143e-13, -3.3431339718987576e-10,
    -4.8211849165656607e-11, 1.8900336758933647e-11, 6.173047582139857e-12, 7.035780182153762e-11,
    4.716526354830498e-11, 1.1545231194466244e-11, -3.332686838518376e-13, 2.054770855678806e-11,
    9.811809825380685e-13, -5.1326856417614196e-12, -2.033310824821537e-12, -7.368848427184007e-12,
    -4.830551782007254e-12, -1.1919158247840385e-12, 9.728091246981313e-14, -4.51380404530441e-13,
    5.289520497771648e-13, 7.445198062717836e-13, 2.7872158453190875e-13, -3.213081593637939e-15,
    1.1438886710479253e-14, 5.87142934419608e-14, -1.3807046180800283e-13, -1.2778760764764843e-13,
    2.902831162548185e-13, 6.301529617532143e-14, -1.5522649088281174e-13
};

// y = x/2 for x > 0, and a log(x/(2 y)): the half of a subnormal number is rounded, and P and the density go like y^a there.
NMATH_FN double marcum_half(double x, double a, double *lost)
{
    double y = fmax(0.5 * x, 0x1p-1074);
    *lost = x < 0x1p-1021 ? a * log((x * 0x1p500) / (y * 0x1p501)) : 0.0;
    return y;
}

NMATH_FN double marcum_w(double y, double a, double mu)
{
    double v = 2.0 * sqrt(mu) * sqrt(y);
    if (a < 1e150 && v < 1e150)
        return sqrt(a * a + 4.0 * (mu * y));
    double large = fmax(a, v), ratio = fmin(a, v) / large;
    return large * sqrt(1.0 + ratio * ratio);
}

// E, and e = r - 1
NMATH_FN double marcum_saddle(double y, double a, double mu, double W, double *e)
{
    nmath_dd d = dd_two_sum(y, -a), s = dd_two_sum(d.hi, -mu);
    double yt0 = 0.5 * (a + W), x = (s.hi + (s.lo + d.lo)) / (mu + yt0), r = y / yt0;
    *e = x;
    return mu * x * x + a * (x > -0.4 && x < 0.6 ? -log1pmx(x) : x - (r > 1e-300 ? log(r) : log(y) - log(yt0)));
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
    double e, t0 = 0.5 * (a + W) / y;
    v.e.hi = -marcum_saddle(y, a, mu, W, &e);
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
        double z = 0.25 * a * (x2 * x) * nmath_poly(x2, marcum_phase, 16), z2 = z * z;
        double s1 = z + z * (z2 * nmath_poly(z2, marcum_sin, 6)), s2 = 2.0 * s1 * (1.0 + z2 * nmath_poly(z2, marcum_cos, 7));
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
NMATH_FN nmath_dd marcum_exponent(double y, double a, double mu, double *c)
{
    nmath_dd e;
    e.hi = -y;
    e.lo = 0.0;
    *c = 1.0;
    if (a > 0.0) {
        double w;
        e = dpois_exponent(a, y - a, y, 0, &w);
        *c = M_1_SQRT_2PI / sqrt(w);
    }
    nmath_dd s = dd_two_sum(e.hi, -mu);
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
    nmath_dd s = dd_two_sum(v.e.hi, -mu);
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
    marcum_value v;
    double W = marcum_w(y, a, mu);
    v.f = 0.0;
    v.lower = 1;
    if (W >= MARCUM_LARGE) {
        int huge = W > 1e300;
        double k = huge ? 0x1p-64 : 1.0, e, u, u2, u4, t;
        y *= k;
        a *= k;
        mu *= k;
        W = huge ? marcum_w(y, a, mu) : W;
        u = 64.0 / W - 1.0;
        t = 2.0 * a / W - 1.0;
        u2 = u * u;
        u4 = u2 * u2;
        double g = igamma_rows(t, u, u2, marcum_density_c, 16) + igamma_rows(t, u, u2, marcum_density_c + 64, 14) * u4;
        v.e.hi = -marcum_saddle(y, a, mu, W, &e) / k;
        v.e.lo = 0.0;
        v.g = (g + u4 * u4 * nmath_poly(t, marcum_density_c + 120, 8)) * (0.5 * (a + W) / sqrt(W)) * (huge ? 0x1p32 : 1.0);
        return v;
    }
    double C, c = 1.0, sum = a;
    nmath_dd z = dd_two_prod(mu, y);
    v.e = marcum_exponent(y, a, mu, &C);
    for (int k = 1; k <= 250; ++k) {
        double ak = a + k, t;
        c *= z.hi / (k * ak);
        t = ak * c;
        sum += t;
        if (t < 2e-18 * sum)
            break;
    }
    // the rounding error of mu y enters every step: about (W - a)/2 times, where the largest term is
    v.g = C * (z.hi > 1e-280 ? sum + sum * (z.lo / z.hi * (0.5 * (W - a))) : sum);
    return v;
}

#undef MARCUM_LARGE
#undef MARCUM_NODES
#undef MARCUM_STEP
