// @source_type: c
// @source_origin: pnt.c
// @provides: pnt, nct_tails
// @depends: nmath, dpq, pnorm, ibeta, nct, nct_series
// @method: trapezoidal sum or Gauss window over the chi distribution, Poisson mixture for moderate ncp
// @accuracy: pnt.tsv 4 eps(1+cond) (host), 4 (PoCL), 4 (H200)
// @all_depends: Rmath, nmath, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pnorm, igamma, nct_sum, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nct, nct_series
// @all_depends_count: 19

// pnt -- cumulative probability of the non-central t distribution. With t > 0 (else all is reflected) the smaller tail,
// or one that is not near 1, comes from
//   d <= 0            the upper tail as a sum over the chi distribution, kind 1 of nct.cl,
//   d <= 13           the Poisson mixture of nct_series.cl, unless t is far in the upper tail,
//   d > 13 or far     the sums of nct.cl, kind 1 for t > d and 2 for t < d, while the chi distribution, as a function of
//                     t s, is no wider than the normal one; else the window of nct.cl.
// A lower tail holds Q(d), the probability that T < 0. Where it is not part of the sum it is added as exponent and number:
// with few degrees of freedom both may be below the doubles, and either the larger.

// The mixture serves up to this d and this d t s*/2, about its number of terms. Varied as in nct.cl, the worst error of pnt is
// 3.8 for d = 9 and 13, 7.4 for 20 and 30, 8e14 for 5; 3.8 for 200 and 800 terms, 8e14 for 20.
#define NCT_SERIES NMATH_RANGE(13.0, 12.0) // of pairs of floats exp(-d^2/2) loses its low part beyond, and below 11.4 the window is wrong
#define NCT_MEAN NMATH_RANGE(200.0, 80.0)
// Beyond it X^2 overflows
#define NCT_STEEP NMATH_RANGE(1e150, 1e17)

// A tail of T for t > 0, that beyond t if `upper`, or the other one; in h, if `slope`, t times the density over the tail, if it is 2
// the density over the tail, if it is 3 that over the s* of nct.cl, if it is 4
// that over s* nu.
NMATH_SHARED ibeta_tail nct_tails(double t, double nu, double d, int upper, int slope)
{
    nct_frame f = nct_place(t, nu, d);
    double true_d = d;
    d = f.d;
    nmath_dd e = {0.0, 0.0}, z;
    z.hi = d;
    z.lo = 0.0;
    double mean = 0.5 * d * f.T, rest = 0.0, h = 0.0, lag = 0.0;
    int kh = 0, kn, ks;
    int never = !(f.y < NMATH_RANGE(4e307, 7e37)); // S is not that large
    int series = d > 0.0 && d <= NCT_SERIES && mean <= NCT_MEAN, window = d > 0.0 && f.wide, above = d <= 0.0 || f.t >= d;
    // (far out the series, over its exponent, is beyond pairs of floats)
    if (NMATH_RANGE(!series || slope || never, 1)) {
        f = nct_weigh(f);
        e = nct_exponent(f);
        // far out the exponents of series and density would differ by what rounding took from them, times nu
        int far = e.hi < -50.0 || NMATH_RANGE(0, 2.0 * mean - 0.5 * d * d > 75.0);
        series = series && !(upper && above && !f.wide && far);
    }
    ibeta_tail r;
    r.e = e;
    r.m = r.h = 0.0;
    r.upper = above;
    double over = f.T * (0.5 * d - 0.5 * f.X.hi), lift = fabs(f.X.hi) > NCT_STEEP ? fabs(f.X.hi) : 1.0; // (d^2 - X^2)/2
    if (!above && !series && (f.small || f.nu < 0.01))
        rest = pnorm_mills(d) * lift * exp(-over);
    for (int i = slope ? 0 : 1; i < 2 && !never; ++i) { // one place for both sums
        if (i == 1 && (series || window))
            break;
        r.m = nct_sum(f, i == 0 ? 0 : above ? 1 : 2, rest);
        if (i == 0) { // f.c f.nu s, of which some may be out of range where all are not
            h = r.m * M_1_SQRT_2PI * frexp(f.c, &kh) * frexp(slope == 4 ? 1.0 : f.nu, &kn) *
                frexp(slope == 1 ? f.T : slope == 2 ? f.s : 1.0, &ks);
            kh += kn + ks - (slope == 2 ? f.shift : 0);
        } else if (above) {
            r.m *= f.c;
        } else {
            double x = f.c * f.nu;
            h *= lift;
            lag = x < 1e-18 ? NCT_LIFT * M_LN2 : 0.0;
            r = nct_times(r, x);
        }
    }
    if (never) {
        r.upper = 0;
        r.m = 0.0;
    } else if (series) {
        r = nct_series(f.t, f.nu, d, upper ? fmax(mean, 0.5 * d * d) : 0.5 * d * d, upper);
    } else if (window) {
        r = nct_window(f, upper);
    }
    int apart = series || window || never; // the tail's exponent is not that of the density
    if (apart)
        lag = (e.hi - r.e.hi) + (e.lo - r.e.lo);
    if (rest > 0.0 && !(e.hi > -1e13)) { // exponents have no digits left for their difference
        double gap = (f.e.hi + f.e.lo) + over - lag, less = exp(-fabs(gap)), q = pnorm_mills(d) * lift;
        r.m = gap > 0.0 ? r.m + q * less : q + r.m * less;
        lag += fmin(gap, 0.0);
        r.e = gap > 0.0 ? r.e : nct_square(z);
    } else if (never || rest > 0.0 || (window && !upper && !series)) { // the smallest values of S leave Q(d)
        r = nct_join(r, nct_square(z), pnorm_mills(d));
        lag = (e.hi - r.e.hi) + (e.lo - r.e.lo);
    }
    double k = f.T * fabs(f.X.hi), most = k + 3.0 * fmin(f.T, sqrt(f.nu)) + 3.0 * fmin(f.T, 1.0), root = exp(0.5 * lag);
    int unfit = (f.back != 1.0 ? 64 : 0) - (slope != 1 && (f.t != t || f.d != true_d) ? 32 : 0); // of nct_place()
    r.h = ldexp(root * (h / r.m), kh + unfit) * root;
    if (slope && (apart ? f.nu > 1e9 || !(e.hi > -1e13) : k > 1e6 && !(e.hi > -1e17))) { // this is close to it
        double x = fabs(f.X.hi), nk = slope == 4 ? f.nu : 1.0;
        double least = slope == 2 ? ldexp(f.s * x, unfit - f.shift) : ldexp(slope == 1 ? k : x, unfit);
        r.h = fmin(fmax(r.h, least / nk), ldexp(slope == 1 ? most : most / (slope == 2 ? f.t : f.T) / nk, unfit));
    }
    if (!(f.s <= NMATH_DBL_MAX)) // S is infinite for all that a double can tell
        r.h = slope > 2 ? fabs(d) : ML_POSINF;
    if (r.e.hi < -1e15) // no digit of a number shows beside such an exponent
        r.m = 1.0;
    r.e.hi *= f.back;
    r.e.lo *= f.back;
    return r;
}

NMATH_FN double pnt(double t, double df, double ncp, int lower_tail, int log_p)
{
    if (ISNAN(t) || ISNAN(df) || ISNAN(ncp))
        return t + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(t))
        return t < 0 ? R_DT_0 : R_DT_1;
    if (isinf(ncp))
        return ncp > 0 ? R_DT_0 : R_DT_1;
    if (t == 0 || isinf(df))
        return pnorm5(t, ncp, 1.0, lower_tail, log_p);
    int upper = (lower_tail == 0) != (t < 0), tail = upper;
    double d = t < 0 ? -ncp : ncp, v = 0.0;
    t = fabs(t);
    if (df >= 1.0)
        tail = t > d;
    for (int i = 0; i < 2; ++i) {
        ibeta_tail r = nct_tails(t, df, d, tail, 0);
        v = ibeta_value(r, upper, log_p);
        if (r.upper != tail || ibeta_value(r, tail, 0) < 0.5)
            break;
        tail = !tail;
    }
    return v;
}

#undef NCT_SERIES
#undef NCT_MEAN
#undef NCT_STEEP
