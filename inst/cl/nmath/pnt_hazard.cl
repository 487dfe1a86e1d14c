// @source_type: shim
// @source_origin: pnt_hazard.c
// @provides: pnt_hazard, pnt_hazard_of, pnt_slope, pnt_dncp, nt_mean, nt_inverse_mean, nt_score
// @depends: nmath, dpq, lgamma, pnorm_hazard, dt, dnt, ibeta, nct_sum, nct, pnt
// @method: pnt.cl, which has the quotient of density and tail; means over the chi distribution by the sums of nct_sum.cl
// @accuracy: derivatives 5.7 eps(1+cond) (host), 5.7 (PoCL)
// @all_depends: Rmath, nmath, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, dnorm, lgamma, pnorm, igamma, nct_sum, pgamma_utils, pnorm_hazard, dpois, dgamma, ibeta_mass, dt, ibeta, nct, nct_series, dnt, pnt
// @all_depends_count: 24

// pnt_hazard -- the density of the non-central t distribution of T = (Z + d)/S over one of its tails, the lower one if `lower` is
// not 0.
//
// pnt_slope -- the size of the derivative of the log tail in d: the hazard times E(1/S | T = t).
//
// nt_mean, nt_inverse_mean, nt_score -- E(S), E(1/S) and E(t S - d) given T = t, where S has a density proportional to s^nu exp(-nu s^2/2 - (t s - d)^2/2).
// With f the density and P the distribution function of T
//     d log f/dd = t E(S) - d,   d log f/dt = (d E(S) - t (1 + 1/nu))/(1 + t^2/nu),   dP/dd = -f E(1/S),
// the second by parts. They are quotients of two sums of nct_sum.cl. For nu < 1 the sum for E(1/S) would have to go too far to the
// left: with n^2 = nu + t^2 and m = d t/n
//     m <= 0    nu E(1/S) = n^2 E(S) - d t, by parts, without cancellation,
//     m > 0     the integral of u^(nu - 1) exp(-u^2/2 + u m), u = n s, without what it is for m = 0, 2^(nu/2 - 1) Gamma(nu/2), is a sum
//               as good as that of the density.

// The hazard, `slope` 2, or that over s*, 3, or over s* df, 4; x is finite and not 0, as are df > 0 and ncp
NMATH_HEAVY double pnt_hazard_of(double x, double df, double ncp, double lower, int slope)
{
    int upper = (lower == 0.0) != (x < 0), tail = upper;
    double d = x < 0 ? -ncp : ncp, t = fabs(x), h = 0.0;
    if (df >= 1.0)
        tail = t > d;
    for (int i = 0; i < 2; ++i) {
        ibeta_tail r = nct_tails(t, df, d, tail, slope);
        double k = exp(fmax(0.5 * r.e.hi, -1e3)), m = r.m + r.m * r.e.lo, p = (k * m) * k;
        int same = !r.upper == !upper;
        h = same ? r.h : k > 0.0 ? (k * (m * r.h)) * k / (1.0 - p) : 0.0;
        if (r.upper != tail || same || p < 0.5)
            break;
        tail = !tail;
    }
    return h;
}

NMATH_FN double pnt_hazard(double x, double df, double ncp, double lower)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp) || ISNAN(lower))
        return x + df + ncp + lower;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp))
        return 0.0;
    if (isinf(df))
        return pnorm_hazard(x - ncp, lower);
    if (x == 0) // T < 0 where Z < -d
        return dt(0.0, df, 0) * (pnorm_hazard(-ncp, lower) / M_1_SQRT_2PI);
    return pnt_hazard_of(x, df, ncp, lower, 2);
}

// The quotient of the sum of that kind and that of the density
NMATH_HEAVY double nt_quotient(nct_frame f, int kind, double rest, double *density)
{
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) { // one place for both sums
        double v = nct_sum(f, i == 0 ? 0 : kind, rest);
        if (i == 0)
            *density = v;
        else
            sum = v;
    }
    return sum / *density;
}

// E(S), E(1/S) or the derivative of log f in d, by `what`. t E(S) - d loses m^2/nu units for m > 0, where it is also
// (t E(1/S) - d)/(1 + t^2/nu).
#define NT_MEAN 0
#define NT_INVERSE 1
#define NT_SCORE 2
#define NT_SCALED 3 // s* E(1/S)
#define NT_FEW 4    // s* df E(1/S)

NMATH_HEAVY double nt_given(double x, double df, double ncp, int what)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(df))
        return what == NT_SCORE ? x - ncp : 1.0;
    if (x == 0 && what == NT_SCORE) // t S is 0
        return 0.0 - ncp;
    int infinite = isinf(x) || isinf(ncp);
    if (infinite && what == NT_SCORE)
        return 0.0;
    if (infinite) // S goes to 0 with 1/x and to infinity with ncp/x
        return (isinf(x) || (x > 0) != (ncp > 0)) == (what == NT_MEAN) ? 0.0 : ML_POSINF;
    double d = x < 0 ? -ncp : ncp, t = fabs(x), density;
    nct_frame f = nct_place(t, df, d);
    double n = nmath_hypot(t, sqrt(df)), m = d * (t / n), mn, less; // d df/n^2
    int kn, kd, kf;
    mn = frexp(n, &kn);
    less = frexp(d, &kd) * frexp(df, &kf) / mn / mn;
    less = ldexp(less, kd + kf - 2 * kn);
    if (!(f.s <= NMATH_DBL_MAX)) // S is infinite for all that a double can tell
        return what == NT_INVERSE ? 0.0 : what >= NT_SCALED ? 1.0 : what == NT_MEAN ? ML_POSINF : (x < 0 ? -1.0 : 1.0) * (df / d - less);
    int inverse = what == NT_INVERSE || what >= NT_SCALED || (what == NT_SCORE && m > 0.0 && m * m > df);
    int few = inverse && df < 1.0, by_parts = few && !(m > 0.0);
    double x0 = f.shift != 0 ? f.T / (t / n) : n * f.s;
    double r = nt_quotient(f, inverse && !by_parts ? 4 : 3, few && !by_parts ? x0 * m : 0.0, &density), rest = 0.0, score;
    if (by_parts) {
        double A = r * x0 - m; // of A/df and n/df the one that is in range where their product is
        if (what >= NT_SCALED)
            return x0 * (what == NT_FEW ? A : A / df);
        return n < 1.0 ? A * (n / df) : n * (A / df);
    }
    if (few) // log of x0^-(df + 1) exp(x0^2/2 - x0 m) 2^(df/2) Gamma(1 + df/2); of x0 E(1/u) what it is over df
        rest = x0 * exp(df + 1.0 - 0.5 * x0 * x0 - (df + 1.0) * log(x0) + 0.5 * df * M_LN2 + lgamma1p(0.5 * df)) / density;
    if (what >= NT_SCALED)
        return what == NT_FEW ? df * r + rest : r + rest / df;
    if (what == NT_INVERSE)
        return ldexp((r + rest / df) * f.sc, f.shift);
    if (what == NT_MEAN)
        return ldexp(r * f.s, -f.shift);
    score = inverse ? t / n * ((df * r + rest) / x0) - less : r * (f.T * (t / f.t)) - d;
    return x < 0 ? -score : score;
}

NMATH_FN double nt_mean(double x, double df, double ncp) { return nt_given(x, df, ncp, NT_MEAN); }
NMATH_FN double nt_inverse_mean(double x, double df, double ncp) { return nt_given(x, df, ncp, NT_INVERSE); }
NMATH_FN double nt_score(double x, double df, double ncp) { return nt_given(x, df, ncp, NT_SCORE); }

// The hazard times E(1/S), of which either may be out of range where the product is not
NMATH_FN double pnt_slope(double x, double df, double ncp, double lower)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp) || ISNAN(lower))
        return x + df + ncp + lower;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp))
        return 0.0;
    if (isinf(df) || x == 0)
        return pnorm_hazard(x - ncp, lower);
    double g = nt_given(x, df, ncp, df < 1.0 ? NT_FEW : NT_SCALED);
    int few = df < 1.0 && !(g < 1e8 * df); // where small values of S make that mean the density has the factor df
    return pnt_hazard_of(x, df, ncp, lower, few ? 4 : 3) * (df < 1.0 && !few ? g / df : g);
}

// dF/dncp = -f E(1/S), the mean over s* times 1/s* where it is no double
NMATH_FN double pnt_dncp(double x, double df, double ncp)
{
    double by = nt_inverse_mean(x, df, ncp);
    if (by < NMATH_RANGE(1e290, 1e28) || !(df > 0) || isinf(df) || isinf(x) || isinf(ncp))
        return by == 0.0 || isinf(by) ? 0.0 : -dnt_times(x, df, ncp, by, 0);
    nct_frame f = nct_place(fabs(x), df, x < 0 ? -ncp : ncp);
    double g = df < 1.0 ? nt_given(x, df, ncp, NT_FEW) / df : nt_given(x, df, ncp, NT_SCALED);
    return -dnt_times(x, df, ncp, g * ldexp(f.sc, f.shift - 64), 0) * 0x1p64;
}

#undef NT_MEAN
#undef NT_INVERSE
#undef NT_SCORE
#undef NT_SCALED
#undef NT_FEW
