// @source_type: c
// @source_origin: qcauchy.c
// @provides: qcauchy
// @depends: nmath, dpq
// @method: tan(pi t) of the smaller tail or of its distance from 1/2
// @accuracy: qcauchy.tsv 0.65 eps(1+cond) (host), 0.59 (PoCL), 0.4 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// qcauchy -- quantile of the Cauchy distribution, m -+ s cot(pi t), from the smaller tail t <= 1/2: the cotangent is
// 1/tan(pi t) below 1/4 and tan(pi (1/2 - t)) above, where the difference is exact. A very small tail leaves s/(pi
// t), scaled where t is subnormal, and s exp(-l)/pi in two factors where t = exp(l) is known by its logarithm only.

// tan(pi u)/u = P(u^2)/Q(u^2), 0 <= u <= 1/4: tools/fit_qcauchy.py, relative error 5.9e-17.
NMATH_TABLE double qcauchy_p[4] = {3.1415926535897931, -3.9775925286785654, 0.85866594262096041, -0.022602745913678491};
NMATH_TABLE double qcauchy_q[4] = {1, -4.5559751587856026, 2.274000546726771, -0.20039957398866359};

NMATH_FN double qcauchy(double p, double m, double s, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(m) || ISNAN(s))
        return p + m + s;
    R_Q_P01_check(p);
    if (s < 0 || isinf(s))
        ML_WARN_return_NAN;
    if (s == 0)
        return m;
    int large = p > R_D_half;
    double t, d; // the smaller tail and the distance of its quantile from m
    if (log_p)
        t = large ? 0.0 - expm1(p) : exp(p);
    else
        t = large ? 1.0 - p : p + 0.0; // p may be -0
    double u = t < 0.25 ? t : 0.5 - t, z = u * u, num = u * nmath_poly(z, qcauchy_p, 4), den = nmath_poly(z, qcauchy_q, 4);
    d = s * (t < 0.25 ? den / num : num / den);
    if (t < NMATH_RANGE(1e-280, 1e-27)) {
        d = M_1_PI * (s * NMATH_LIFT) / (t * NMATH_LIFT); // in this order: s may be subnormal
        if (log_p && !large) {
            double h = exp(-0.5 * p);
            d = s * h * M_1_PI * h;
        }
    }
    return (lower_tail != 0) != large ? m - d : m + d;
}
