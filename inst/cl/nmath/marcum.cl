// @source_type: shim
// @source_origin: marcum.c
// @provides: marcum_value, marcum_half, marcum_contour, marcum_density, marcum_tail
// @depends: nmath, dpq, log1p, pgamma_utils, dpois, igamma_table, igamma, marcum_table
// @method: Poisson mixture by recurrences of positive terms; from a^2 + 4 mu y = 1024 on a contour integral with 16 nodes
// @accuracy: see dnchisq, pnchisq, qnchisq
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, marcum_table, stirlerr_cycle_free, lgamma, pnorm, igamma, pgamma_utils, dpois
// @all_depends_count: 12

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

#define MARCUM_LARGE 32.0 // W from which marcum_table.cl serves

// y = x/2 for x > 0, and a log(x/(2 y)): the half of a subnormal number is rounded, and P and the density go like y^a there.
NMATH_FN double marcum_half(double x, double a, double *lost)
{
    double y = fmax(0.5 * x, NMATH_RANGE(0x1p-1074, 0x1p-126));
    *lost = x < NMATH_RANGE(0x1p-1021, 0x1p-125) ? a * log((x * NMATH_RANGE(0x1p500, 0x1p100)) / (y * NMATH_RANGE(0x1p501, 0x1p101))) : 0.0;
    return y;
}

NMATH_FN double marcum_w(double y, double a, double mu)
{
    double v = 2.0 * sqrt(mu) * sqrt(y);
    if (a < NMATH_RANGE(1e150, 1e17) && v < NMATH_RANGE(1e150, 1e17))
        return sqrt(a * a + 4.0 * (mu * y));
    return nmath_hypot(a, v);
}

// E, and e = r - 1
NMATH_FN double marcum_saddle(double y, double a, double mu, double W, double *e)
{
    nmath_dd d = dd_two_sum(y, -a), s = dd_two_sum(d.hi, -mu);
    double yt0 = 0.5 * (a + W), x = (s.hi + (s.lo + d.lo)) / (mu + yt0), r = y / yt0;
    *e = x;
    return mu * x * x + a * (x > -0.4 && x < 0.6 ? -log1pmx(x) : x - (r > NMATH_RANGE(1e-300, 1e-34) ? log(r) : log(y) - log(yt0)));
}

// W >= 32
NMATH_HEAVY marcum_value marcum_contour(double y, double a, double mu, double W)
{
    marcum_value v;
    int huge = W > NMATH_RANGE(1e300, 1e34); // out of the way of overflow
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
    if (v.lower && !(q < NMATH_RANGE(1e300, 1e34))) { // y = 0 for all that matters
        et = -NMATH_RANGE(1e300, 1e34);
        q = NMATH_RANGE(1e300, 1e34);
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
        int huge = W > NMATH_RANGE(1e300, 1e34);
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
    v.g = C * (z.hi > NMATH_RANGE(1e-280, 1e-27) ? sum + sum * (z.lo / z.hi * (0.5 * (W - a))) : sum);
    return v;
}

#undef MARCUM_LARGE
