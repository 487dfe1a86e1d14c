// @source_type: shim
// @source_origin: pnchisq_ddf.c
// @provides: dnchisq_ddf, pnchisq_ddf, pnchisq_ddf_step
// @depends: nmath, dpq, igamma, igamma_table, marcum, marcum_table, pgamma_dshape, psi_mean
// @method: the contour integral and the series of marcum.cl, differentiated under the integral and term by term
// @accuracy: derivatives 5 eps(1+cond) (host), 5 (PoCL)
// @all_depends: Rmath, nmath, dpq, igamma_table, log1p, marcum_table, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, igamma, pgamma_utils, dpois, pgamma_dshape, marcum, psi_mean
// @all_depends_count: 16

// pnchisq_ddf -- derivatives of the non-central chi-squared distribution in its degrees of freedom. In the notation of
// marcum.cl, a = df/2, mu = ncp/2, y = x/2, with F_j = y^(a+j) e^-y/Gamma(a + j + 1), w_j = e^-mu mu^j/j! and W^2 = a^2
// + 4 mu y:
//
//   tail, W >= 32      in the integral for Q the factor t^-a has the derivative -log t t^-a, so that
//           dQ/da = e^(-mu-y)/(2 pi i) int e^(mu/t + y t) t^-a log t/(t - 1) dt,
//       whose integrand has no pole at 1: on the circle of marcum.cl, with the same nodes, it is smooth everywhere.
//   tail, W < 32       dQ/da = sum_j w_j V_j with V_j = dQ(a + j, y)/da. Since Q(a + 1, y) = Q(a, y) + F_0,
//           V_(j+1) = V_j + F_j l_j,   l_j = log y - psi(a + j + 1).
//       The l_j fall. Up to the first index m with l_m <= 0 the V_j follow from V_0 (pgamma_dshape.cl), beyond it
//       V_j = -sum_(k>=j) F_k l_k, so that sum_(j>=m) w_j V_j = -sum_(k>=m) F_k l_k (w_m + ... + w_k): all terms are
//       positive. Each is carried along as a whole, as in marcum.cl.
//   density            the derivative of its logarithm is the mean of log y - psi(a + j), weighted by the terms of the
//       density; for W >= 32, from the form of marcum.cl,
//           log r + 1/W - a/(2 W^2) + (dG/da)/G.

// dQ/da = exp(e) f for W >= 32
NMATH_FN marcum_value pnchisq_ddf_contour(double y, double a, double mu, double W)
{
    marcum_value v;
    double up = W > NMATH_RANGE(1e300, 1e34) ? 0x1p64 : 1.0, e;
    y /= up;
    a /= up;
    mu /= up;
    W = up > 1.0 ? marcum_w(y, a, mu) : W;
    double t0 = 0.5 * (a + W) / y;
    v.e.hi = -marcum_saddle(y, a, mu, W, &e) * up;
    v.e.lo = 0.0;
    v.lower = 0;
    double et = e * t0, q = e * et, scale = 0.25 / W, root = sqrt(scale), f = 0.0;
    double L = e > -0.5 ? -log1p(e) : t0 < NMATH_RANGE(1e300, 1e34) ? log(t0) : log(0.5 * (a + W)) - log(y);
    if (!(q < NMATH_RANGE(1e300, 1e34)) && e < 0.0) {
        et = -NMATH_RANGE(1e300, 1e34);
        q = NMATH_RANGE(1e300, 1e34);
    }
    for (int k = 0; k < MARCUM_NODES; ++k) {
        double xi = (k + 0.5) * MARCUM_STEP, x2 = xi * xi * scale, x = xi * root, w = marcum_weight[k];
        double turn = x2 * x * nmath_poly(x2, marcum_phase, 16); // theta - sin theta
        double z = 0.25 * a * turn, z2 = z * z;
        double s1 = z + z * (z2 * nmath_poly(z2, marcum_sin, 6)),
               s2 = 2.0 * s1 * (1.0 + z2 * nmath_poly(z2, marcum_cos, 7));
        double c2 = 1.0 - 2.0 * s1 * s1, ch = sqrt(1.0 - x2), theta = 2.0 * x * ch + turn, d = 2.0 * x2 - et;
        double re = L * d + 2.0 * x * ch * theta, im = theta * d - 2.0 * x * ch * L;
        f += w / ch * ((1.0 - 2.0 * s2 * s2) * re + 2.0 * s2 * c2 * im) / (q + 4.0 * x2);
    }
    v.f = MARCUM_STEP * M_1_PI / sqrt(W) * f / sqrt(up);
    v.g = 0.0;
    return v;
}

#define PNCHISQ_DDF_STEPS 400

// dQ/da over F_0 e^-mu for W < 32, given l_0 and, if that is positive, V_0 over F_0
NMATH_FN double pnchisq_ddf_series(double y, double a, double mu, double l, double V)
{
    double p = 1.0, sum = 0.0, b = V, d = 0.0, z = mu * y;
    int j = 0;
    for (; l > 0.0 && j < PNCHISQ_DDF_STEPS; ++j) {
        sum += b;
        if (b < 1e-18 * sum)
            return sum;
        b = mu / (j + 1.0) * (b + p * l);
        double r = 1.0 / (a + (j + 1.0));
        p *= z * r / (j + 1.0);
        l -= r;
    }
    d = p;
    for (int k = j; k < j + PNCHISQ_DDF_STEPS; ++k) {
        sum -= d * l;
        if (d * (1.0 - l) < 1e-18 * sum)
            break;
        double r = 1.0 / (a + (k + 1.0));
        p *= z * r / (k + 1.0);
        d = d * (y * r) + p;
        l -= r;
    }
    return sum;
}

#undef PNCHISQ_DDF_STEPS

// dQ/da = exp(e) f; for mu = 0 y times the density is exp(e) g, and for W < 32 else F_0 e^-mu is
NMATH_HEAVY marcum_value pnchisq_ddf_upper(double x, double y, double a, double mu)
{
    double W = marcum_w(y, a, mu), C, V = 0.0, l;
    if (W >= 32.0 && mu > 0.0)
        return pnchisq_ddf_contour(y, a, mu, W);
    marcum_value v;
    v.lower = 0;
    l = psi_mean_log(x, a);
    if (mu == 0.0 || l > 0.0) { // with the exponent of the incomplete gamma function, as in marcum_upper()
        double n = fmax(a, NMATH_RANGE(1e-290, 1e-28));
        igamma_value u = igamma_core(y, n, y, 0, igamma_factor(n));
        V = pgamma_dshape_of(y, n, y, 0, u);
        v.e.hi = u.e;
        v.e.lo = u.el;
        v.f = V;
        v.g = a * u.g;
        if (mu == 0.0)
            return v;
        V /= u.g;
        C = u.g;
        nmath_dd s = dd_two_sum(v.e.hi, -mu);
        v.e = dd_fast_two_sum(s.hi, s.lo + v.e.lo);
    } else {
        v.e = marcum_exponent(y, a, mu, &C);
    }
    v.f = C * pnchisq_ddf_series(y, a, mu, l, V);
    v.g = C;
    return v;
}

// 0: no such distribution; 1: a derivative that is 0; 2: another one
NMATH_FN int pnchisq_ddf_kind(double x, double df, double ncp)
{
    if (df < 0 || ncp < 0 || isinf(df) || isinf(ncp))
        return 0;
    return x > 0 && !isinf(x) ? 2 : 1;
}

// form 0: of the distribution function; 1: of its logarithm; 2: of the logarithm of the upper tail
NMATH_HEAVY double pnchisq_ddf(double x, double df, double ncp, double form)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    int kind = pnchisq_ddf_kind(x, df, ncp);
    if (kind < 2)
        return kind == 0 ? ML_NAN : 0.0;
    double a = 0.5 * df, mu = 0.5 * ncp, lost, y = marcum_half(x, a, &lost);
    marcum_value d = pnchisq_ddf_upper(x, y, a, mu);
    d.e.hi += lost;
    d.f *= 0.5;
    double r = exp(0.5 * d.e.hi), k = (1.0 + d.e.lo) * d.f;
    if (form == 0.0)
        return -(r * k) * r;
    int upper = form == 2.0;
    marcum_value t = a > 0.0 || mu > 0.0 ? marcum_tail(y, a, mu) : d;
    if (a == 0.0 && mu == 0.0) // all of the mass is at 0
        return upper ? ML_POSINF : -(r * k) * r;
    if (t.lower)
        t.e.hi += lost;
    if (t.lower != upper) {
        nmath_dd s = dd_two_sum(d.e.hi, -t.e.hi);
        double q = d.f / t.f * exp(s.hi + (s.lo + (d.e.lo - t.e.lo)));
        return upper ? q : -q;
    }
    double s = r * k * r, p = dd_exp(t.e) * t.f;
    s = s / (1.0 - p);
    return upper ? s : -s;
}

// d log density/d df
NMATH_HEAVY double dnchisq_ddf(double x, double df, double ncp)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    int kind = pnchisq_ddf_kind(x, df, ncp);
    if (kind < 2)
        return kind == 0 ? ML_NAN : x == 0 ? ML_NEGINF : 0.0;
    double a = 0.5 * df, mu = 0.5 * ncp, y = fmax(0.5 * x, NMATH_RANGE(0x1p-1074, 0x1p-126)), W = marcum_w(y, a, mu);
    if (W >= 32.0) {
        if (W > NMATH_RANGE(1e300, 1e34)) {
            a *= 0x1p-64;
            mu *= 0x1p-64;
            y *= 0x1p-64;
            W = marcum_w(y, a, mu);
        }
        double e, v = a / W, t = 2.0 * v - 1.0, u = 64.0 / W - 1.0, g = 0.0, dt = 0.0, du = 0.0, un = 1.0, um = 0.0;
        marcum_saddle(y, a, mu, W, &e);
        double r = e > -0.5 ? log1p(e) : log(y) - log(0.5 * (a + W));
        for (int i = 0; i < 9; ++i) {
            int n = i < 4 ? 16 : i < 8 ? 14 : 8, by = i < 8 ? 4 : 1;
            NMATH_CONSTANT const double *c = marcum_density_c + (i < 4 ? i : i < 8 ? 60 + i : 120);
            double p = 0.0, d = 0.0;
            for (int j = n - 1; j >= 0; --j) {
                d = d * t + p;
                p = p * t + c[by * j];
            }
            g += p * un;
            dt += d * un;
            du += p * (i * um);
            um = un;
            un *= u;
        }
        double slope = (2.0 * (1.0 - v) * (1.0 + v) * dt - 64.0 / W * v * du) / g;
        return 0.5 * (r + (1.0 - 0.5 * v + slope) / W);
    }
    return 0.5 * psi_mean(x, a, mu * y, W);
}

// dx/d df of a quantile x
NMATH_HEAVY double pnchisq_ddf_step(double x, double df, double ncp)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    int kind = pnchisq_ddf_kind(x, df, ncp);
    if (kind < 2)
        return kind == 0 ? ML_NAN : 0.0;
    double a = 0.5 * df, mu = 0.5 * ncp, lost, y = marcum_half(x, a, &lost);
    if (a == 0.0 && mu == 0.0)
        return 0.0;
    marcum_value d = pnchisq_ddf_upper(x, y, a, mu);
    if (mu > 0.0) {
        marcum_value v = marcum_density(y, a, mu);
        if (d.g > 0.0) {
            double C;
            marcum_exponent(y, a, mu, &C);
            d.g *= v.g / C;
        } else {
            d.g = v.g;
        }
    }
    return 0.5 * (d.f / d.g) * x;
}
