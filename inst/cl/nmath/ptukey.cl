// @source_type: c
// @source_origin: ptukey.c
// @provides: ptukey, tukey_value, tukey_tail, tukey_rim_shape, TUKEY_FAR, TUKEY_BACK, TUKEY_ROOT_BACK
// @depends: nmath, dpq, ibeta, tukey, tukey_walk
// @method: trapezoidal sum over the log of the chi variable, of the sums of tukey.cl
// @accuracy: ptukey.tsv 2.5 eps(1+cond) (host), 0.84 (PoCL), 2.3 (H200)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tukey_table, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, tukey_node, ibeta_mass, ibeta, tukey_walk
// @all_depends_count: 18

// ptukey -- cumulative probability of the studentized range, the largest of rr ranges of cc normal variables over an
// independent s, s^2 df chi-squared with df degrees of freedom. With u = log s, a = df/2, y = a s^2 and w of tukey.cl
//     P = int 2 y^a e^-y/Gamma(a) w(q s)^rr du,   1 - P with 1 - w(q s)^rr = -expm1(rr log w) instead:
// the smaller of the two is computed. Both integrands F G, F the density of s and G the power of w, are log-concave in u,
// and summed relative to their mode u* as in nct.cl: with u = u* + v, E = e^v - 1, D = E - v
//     log(y^a e^-y) = ... - df (s*^2 - 1) E - df D - y* E^2.
// The mode and the nodes about it are tukey_node.cl's. The whole exponent at the mode is taken off, in double-double where it
// may be large. Where numbers hardly move by one step, Laplace's method takes the sum's place. Beyond the step of G, G is 1
// and not computed. Sums of w are coarse where the node's weight is small. Some 25 to 110 nodes are usual.

// A tail, and the first two derivatives of its log by log q
typedef struct { ibeta_tail t; double slope, bend; } tukey_value;

// The lower or upper tail, or the smaller of them, about, where upper < 0. `coarse` as in tukey_range().
NMATH_HEAVY tukey_value tukey_tail(double q, tukey_shape f, int upper, double coarse)
{
    tukey_value res;
    tukey_walk w = tukey_start(q, f, upper, coarse);
    double sum1 = 0.0, sum2 = 0.0;
    int smooth = f.df < 1e8;
    while (tukey_next(&w)) {
        double A = w.F.nx + 2.0 * w.F.y * w.E * (2.0 + w.E);
        sum1 += w.z * (smooth ? A : w.g.slope); // by parts: F's derivative in place of G's
        sum2 += w.z * (A * A - 4.0 * w.F.y * (1.0 + w.E) * (1.0 + w.E));
    }
    res.t = tukey_walked(&w);
    res.slope = sum1 / w.sum;
    res.bend = smooth ? sum2 / w.sum - res.slope * res.slope : 0.0;
    return res;
}

// With degrees of freedom next to the largest doubles, logs of the tails that they have a part in are of that size, too, and
// proportional to df and q^2 (upper tail, `far`) or df and rr (lower tail, `deep`): all are taken smaller by 2^64.
#define TUKEY_FAR NMATH_RANGE(1e250, 1e28)
#define TUKEY_BACK NMATH_RANGE(0x1p-64, 0x1p-32)
#define TUKEY_ROOT_BACK NMATH_RANGE(0x1p-32, 0x1p-16)

NMATH_FN tukey_shape tukey_rim_shape(double rr, double cc, double df, int far, int deep)
{
    return tukey_shape_of(deep ? rr * TUKEY_BACK : rr, cc, far || deep ? df * TUKEY_BACK : df);
}

NMATH_FN double ptukey(double q, double rr, double cc, double df, int lower_tail, int log_p)
{
    if (ISNAN(q) || ISNAN(rr) || ISNAN(cc) || ISNAN(df))
        return q + rr + cc + df;
    if (q <= 0)
        return R_DT_0;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    if (isinf(q))
        return R_DT_1;
    if (isinf(cc) || isinf(rr))
        return ML_NAN;
    int far = df > TUKEY_FAR && q > NMATH_RANGE(1e125, 1e14), deep = df > TUKEY_FAR && q < 16.0 && (cc - 1.0) * rr > TUKEY_FAR;
    tukey_shape f = tukey_rim_shape(rr, cc, df, far, deep);
    ibeta_tail t = tukey_tail(far ? q * TUKEY_ROOT_BACK : q, f, -1, 1.0).t;
    if (far || deep) {
        t.e.hi /= TUKEY_BACK;
        t.e.lo /= TUKEY_BACK;
    }
    return ibeta_value(t, lower_tail == 0, log_p);
}
