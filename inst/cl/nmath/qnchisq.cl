// @source_type: c
// @source_origin: qnchisq.c
// @provides: qnchisq
// @depends: nmath, dpq, expm1, log1p, pgamma_utils, marcum, qnorm, qgamma
// @method: start by the saddle-point exponent, then safeguarded Halley steps with memory in log p against log x
// @accuracy: qnchisq.tsv 0.95 eps(1+cond) (host), 0.95 (PoCL), 0.95 (H200)
// @all_depends: Rmath, nmath, dpq, expm1, igamma_table, log1p, marcum_table, stirlerr_cycle_free, tail_step, lgamma, pnorm, igamma, pgamma_utils, qnorm, dpois, qgamma, marcum
// @all_depends_count: 17

// qnchisq -- quantile of the non-central chi-squared distribution. The smaller tail probability decides: find u = log y,
// y = x/2, with L(u) = log tail(e^u) = l (marcum.cl). L' is y times the density over the tail; L''/L' is estimated from
// the last two points, which makes a Newton step one of Halley's (order 2.7). L is not concave throughout, so each point
// narrows a bracket, and a step that leaves it is replaced by bisection. The last step is not checked.
//
// Start: the tail is about Phi(w*), w* = w + log(q/w)/w (Barndorff-Nielsen 1991, "Modified signed log likelihood ratio",
// Biometrika 78, 557-563; the saddle-point approximation of the tail), where w^2/2 = E, the exponent at the saddle point r,
// q = (r - 1) sqrt(W), W = 2 mu r + a and y = mu r^2 + a r. Newton steps for w(r), which cost two logarithms each. With an
// error of order W^(-3/2) this is the quantile where W > 1e12 and r is about 1. Far below, the first term of the power
// series, P = e^-mu y^a/Gamma(a + 1).

// log r where w = z, from log r = rho; *shift = log(q/w)/w
NMATH_FN double qnchisq_saddle(double rho, double z, double a, double mu, double *shift)
{
    double B = 2.0 * mu + a, root = sqrt(B), enough = B > 1e10 ? 0.0 : 1e-3 / root;
    for (int i = 0; i < 40; ++i) {
        double r = exp(rho), e = expm1(rho), W = 2.0 * mu * r + a;
        double w = copysign(sqrt(2.0 * (mu * e * e + a * (fabs(e) < 0.5 ? -log1pmx(e) : e - rho))), e);
        int near = fabs(w) < 0.05;
        double d = near ? (z - w) / root : (z - w) * (w / (e * W));
        *shift = near ? (mu + a / 3.0) / (B * root) : log(e * sqrt(W) / w) / w;
        d = fmax(-3.0, fmin(3.0, d));
        rho = fmax(-NMATH_RANGE(700.0, 80.0), fmin(NMATH_RANGE(700.0, 80.0), rho + d));
        if (fabs(d) <= enough + 4e-16 * fabs(rho))
            break;
    }
    return rho;
}

// First guess for y; *large if it is more than that
NMATH_FN double qnchisq_start(qgamma_target w, double a, double mu, int *large)
{
    double z = qnorm5(w.l, 0.0, 1.0, w.lower, 1), a1 = a, mu1 = mu;
    if (a + mu > NMATH_RANGE(1e300, 1e34)) { // out of the way of overflow
        z *= 0x1p-32;
        a *= 0x1p-64;
        mu *= 0x1p-64;
    }
    double rho = z / sqrt(2.0 * mu + a), shift = 0.0;
    rho = rho < 0.0 ? fmax(rho, -3.0) : log1p(fmax(rho, z / (a / z + sqrt((a / z) * (a / z) + 2.0 * mu))));
    for (int i = 0; i < 2; ++i) {
        double s = shift;
        rho = qnchisq_saddle(rho, fabs(s) < 0.5 ? z - s : z, a, mu, &shift);
    }
    double r = exp(rho);
    *large = 2.0 * mu * r + a > 1e12 && fabs(rho) < 1.0;
    return r * (mu1 * r + a1);
}

// y with the tail probability w
NMATH_HEAVY double qnchisq_solve(qgamma_target w, double a, double mu)
{
    double lg = lgamma1p(a), u = (qgamma_log_lower(w) + mu + lg) / a, small = (1.0 + mu) / (1.0 + a);
    if (u + log(small) < -40.0) { // u may be hundreds
        nmath_dd s = dd_two_sum(qgamma_log_lower(w), mu), e;
        s = dd_fast_two_sum(s.hi, s.lo + lg);
        e.hi = 0.5 * u;
        e.lo = u > -1e4 ? 0.5 * (fma(-u, a, s.hi) + s.lo) / a : 0.0;
        double h = dd_exp(e);
        return 2.0 * h * h;
    }
    int large = 0;
    double y = u < 1.0 && exp(u) * small < 0.1 ? exp(u) : qnchisq_start(w, a, mu, &large);
    if (large)
        return 2.0 * y;
    y = fmax(NMATH_RANGE(1e-300, 1e-34), fmin(NMATH_RANGE(1e307, 1e37), y));
    double low = NMATH_RANGE(0x1p-1074, 0x1p-126), high = NMATH_RANGE(0x1p1023, 0x1p127), last_y = y, last_s = 0.0;
    for (int i = 0; i < 120; ++i) {
        marcum_value v = marcum_tail(y, a, mu);
        double t = v.e.hi > -745.0 ? dd_exp(v.e) * v.f : 0.0, L, s;
        if (v.lower == w.lower) {
            L = v.e.hi + (v.e.lo + log(v.f));
            s = v.g / v.f;
        } else {
            s = dd_exp(v.e) * v.g / (1.0 - t);
            t = 1.0 - t;
            L = t > 0.0 ? log(t) : -800.0;
        }
        double d = w.l - L;
        if (w.t > 0.0 && t > 0.0 && fabs(d) < 0.5) // the ratio has less rounding error than the logarithms
            d = log1p((w.t - t) / t);
        if ((d < 0.0) != (w.lower != 0))
            low = y;
        else
            high = y;
        d /= w.lower ? s : -s;
        int linear = !w.lower && y > 1.0; // in y: far above log Q is nearly a line
        double A = i > 0 && y != last_y ? log(s / last_s) / log(y / last_y) : 0.0;
        double c = 1.0 + 0.5 * (A - linear) * d;
        if (c > 0.4 && c < 2.5)
            d /= c;
        last_s = s;
        last_y = y;
        y += y * (linear ? d : expm1(fmin(d, 709.0)));
        if (fabs(d) * (1.0 + fabs(A) + sqrt(last_y)) < 1e-7 || fabs(d) < 2.3e-16)
            break;
        if (!(y > low && y < high))
            y = sqrt(low) * sqrt(high);
    }
    return 2.0 * y;
}

NMATH_FN double qnchisq(double p, double df, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(df) || ISNAN(ncp))
        return p + df + ncp;
    if (df < 0 || ncp < 0 || isinf(df))
        return ML_NAN;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    if (isinf(ncp) || (df == 0 && ncp == 0))
        return ML_NAN;
    qgamma_target w = qgamma_tail(p, lower_tail, log_p);
    if (df == 0 && qgamma_log_lower(w) <= -0.5 * ncp) // the mass at 0
        return 0.0;
    return qnchisq_solve(w, 0.5 * df + 0.0, 0.5 * ncp); // df may be -0
}
