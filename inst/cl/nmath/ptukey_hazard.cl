// @source_type: shim
// @source_origin: ptukey_hazard.c
// @provides: ptukey_density, ptukey_hazard, tukey_rise, ptukey_rise_of
// @depends: nmath, ibeta, tukey, tukey_walk, ptukey
// @method: means over the nodes of ptukey.cl's sum
// @accuracy: derivatives 5 eps(1+cond) (host), 3.2 (PoCL)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, tukey_table, lgamma, pnorm, pgamma_utils, qnorm, dpois, tukey, dgamma, tukey_node, ibeta_mass, ibeta, tukey_walk, ptukey
// @all_depends_count: 19

// ptukey_density, ptukey_hazard -- the density of the studentized range, and the density over a tail, the lower one if
// `lower` is not 0. With T = E G(q S) the smaller tail, G the power of the range's distribution function or of its complement
// (tukey.cl),
//     d log T/d log q = E(g(q S) | q),   g(x) = d log G/d log x,
// the mean where s has a density proportional to F G: of one sign, so that nothing cancels.

// How much closer nodes are than for the tail. Worst of ref-derivatives, in eps(1+cond): with 1 7.6, 0.9 3.2
#define PTUKEY_HAZARD_FINER 0.9

// A tail and the derivative of its log by log q. Where its log is beyond most doubles it is taken smaller by 2^64, as in ptukey().
typedef struct { ibeta_tail t; double slope; } tukey_rise;

NMATH_HEAVY tukey_rise ptukey_rise_of(double q, double rr, double cc, double df)
{
    tukey_rise r;
    int far = df > TUKEY_FAR && q > NMATH_RANGE(1e125, 1e14), deep = df > TUKEY_FAR && q < 16.0 && (cc - 1.0) * rr > TUKEY_FAR;
    tukey_walk w = tukey_start(far ? q * TUKEY_ROOT_BACK : q, tukey_rim_shape(rr, cc, df, far, deep), -1,
                               PTUKEY_HAZARD_FINER);
    double sum = 0.0;
    w.tiny = 1e-20;
    while (tukey_next(&w))
        sum += w.flat ? 0.0 : w.z * w.g.slope;
    r.t = tukey_walked(&w);
    r.slope = sum / w.sum;
    if (far || deep) {
        r.t.e.hi /= TUKEY_BACK;
        r.t.e.lo /= TUKEY_BACK;
        r.slope /= TUKEY_BACK;
    }
    return r;
}

NMATH_FN double ptukey_density(double q, double rr, double cc, double df)
{
    if (ISNAN(q) || ISNAN(rr) || ISNAN(cc) || ISNAN(df))
        return q + rr + cc + df;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    if (q < 0 || isinf(q) || (q == 0 && (cc - 1.0) * rr > 1.0))
        return 0.0;
    if (isinf(cc) || isinf(rr))
        return ML_NAN;
    q = fmax(q, NMATH_RANGE(1e-200, 1e-20)); // P is proportional to q
    tukey_rise r = ptukey_rise_of(q, rr, cc, df);
    double h = 0.5 * r.t.e.hi, k = exp(h), m = r.t.m + r.t.m * r.t.e.lo;
    return nmath_rate(fabs(r.slope), m, k, q);
}

NMATH_FN double ptukey_hazard(double q, double rr, double cc, double df, double lower)
{
    if (ISNAN(q) || ISNAN(rr) || ISNAN(cc) || ISNAN(df) || ISNAN(lower))
        return q + rr + cc + df + lower;
    if (df < 2 || rr < 1 || cc < 2)
        return ML_NAN;
    int low = lower != 0.0;
    if (q < 0)
        return 0.0;
    if (isinf(q))
        return !low && isinf(df) ? ML_POSINF : 0.0;
    if (isinf(cc) || isinf(rr))
        return ML_NAN;
    if (q == 0)
        return low ? ML_POSINF : ptukey_density(q, rr, cc, df);
    tukey_rise r = ptukey_rise_of(q, rr, cc, df);
    if (r.t.upper != low)
        return fabs(r.slope) / q;
    double k = exp(0.5 * r.t.e.hi), m = r.t.m + r.t.m * r.t.e.lo;
    return nmath_rate(fabs(r.slope), m, k, q) / (1.0 - k * m * k);
}

#undef PTUKEY_HAZARD_FINER
