// @source_type: c
// @source_origin: qhyper.c
// @provides: qhyper
// @depends: nmath, dpq, dd, dhyper, phyper, qnorm
// @method: Cornish-Fisher start, exact tail there, short walk upwards; Newton steps on the normal scale
// @accuracy: qhyper.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, logdd, stirlerr_cycle_free, bd0, lgamma, pnorm, pgamma_utils, qnorm, dpois, dhyper, phyper
// @all_depends_count: 17
// @load_order: 128

// qhyper -- quantile of the hypergeometric distribution: the smallest x with P(X <= x) >= p.
//
// The search is for a lower tail t <= 1/2. If the upper tail is the smaller one, r - X, which is hypergeometric with
// N - n for n, has it below: P(X > x) <= t is P(r - X <= r - x - 1) <= t, so that x = r - y with the smallest y whose
// tail exceeds t. t is taken 1000 eps smaller (or larger), as in R; relative to t itself where R works from 1 - t,
// and on the log scale times the size of the logarithm, so that quantiles of computed probabilities come back.
//
// At y, F(y)/p(y) = 1 + S and F(y-1)/p(y) = S (phyper.cl), and the steps of the mass continue F upwards: up to 16
// candidates for one evaluation. If that does not meet t, the next y is Newton's for sqrt(-2 log F), nearly linear in
// y; F is log-concave, so the steps come from the left. A bracket is kept, and bisected from the tenth round on.

#define QHYPER_WALK 16.0

NMATH_HEAVY double qhyper(double p, double r, double b, double n, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(r) || ISNAN(b) || ISNAN(n))
        return p + r + b + n;
    r = R_forceint(r);
    b = R_forceint(b);
    n = R_forceint(n);
    double N = r + b, left = fmax(0.0, n - b), right = fmin(n, r);
    if (isinf(p) || isinf(N) || r < 0 || b < 0 || n < 0 || n > N)
        ML_WARN_return_NAN;
    R_Q_P01_boundaries(p, left, right);

    // the smaller tail t, its log l, whether it is the upper one, and the columns in its order
    int large = p > R_D_half, upper = (lower_tail != 0) == large;
    double fuzz = 1000.0 * NMATH_EPS, t, l;
    if (log_p) {
        t = large ? -expm1(p) : exp(p);
        l = large ? log(t) : p;
        fuzz *= fmax(1.0, -l);
    } else {
        t = large ? 1.0 - p : p;
        l = log(t);
        if (large)
            fuzz *= p / t;
    }
    l += upper ? fuzz : -fuzz;
    t *= upper ? 1.0 + fuzz : 1.0 - fuzz;
    double m = N - n;
    if (upper) {
        double u = n;
        n = m;
        m = u;
    }

    // the tail is below lo + 1 too small and at hi large enough
    double lo = fmax(0.0, n - b) - 1.0, hi = fmin(n, r), mean = n * (r / N);
    double sd = sqrt(mean * (b / N) * (m / fmax(N - 1.0, 1.0)));
    double z = qnorm(fmin(l, -M_LN2), 0.0, 1.0, 1, 1);
    double skew = sd > 0 ? (1.0 - 2.0 * (r / N)) * (1.0 - 2.0 * (n / N)) : 0.0; // times sd
    double y = floor(mean + sd * z + skew * (z * z - 1.0) / 6.0 - 1.0), goal = sqrt(-2.0 * l);
    for (int i = 0; i < 80; ++i) {
        if (!(y > lo))
            y = lo + 1.0;
        if (y >= hi)
            y = hi;
        double A = y, B = r - y, C = n - y, D = b - C, f;
        dd e = dhyper_exponent(A, B, C, D, !log_p, &f);
        double s = phyper_sum(A, B, C, D), sum = 1.0 + s, q; // q = t/p(y)
        if (!log_p && e.hi > -600.0)
            q = t / (f * dd_exp(e));
        else
            q = exp(fmin(l - e.hi - (e.lo + log(f)), 700.0));
        if (sum >= q) {
            if (s < q || y - 1.0 <= lo) {
                hi = y;
                break;
            }
            hi = y - 1.0;
        } else {
            double k = 0.0, g = 1.0;
            while (k < QHYPER_WALK && y + k < hi && sum < q) {
                k += 1.0;
                g *= ((B - (k - 1.0)) / (A + k)) * ((C - (k - 1.0)) / (D + k));
                sum += g;
            }
            if (y + k >= hi || sum >= q) {
                hi = y + k;
                break;
            }
            lo = y + k;
        }
        double eta = sqrt(-2.0 * fmin(e.hi + (e.lo + log(f)) + log1p(s), 0.0));
        y = i < 10 ? floor(y + (eta - goal) * eta * (1.0 + s)) - 2.0 : floor(lo + 0.5 * (hi - lo));
    }
    return upper ? r - hi : hi;
}

#undef QHYPER_WALK
