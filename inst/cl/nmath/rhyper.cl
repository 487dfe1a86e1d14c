// @source_type: c
// @source_origin: rhyper.c
// @provides: rhyper, nmath_rhyper, rhyper_table, rhyper_mean, rhyper_level, rhyper_reduced
// @depends: nmath, sunif, rejection, dhyper, pgamma_utils
// @method: inversion below variance 9; transformed rejection with squeeze above
// @all_depends: Rmath, nmath, bd0, dpq, log1p, stirlerr_cycle_free, sunif, lgamma, pgamma_utils, dhyper_far, rejection, dhyper
// @all_depends_count: 12

// rhyper -- draws from the hypergeometric distribution: white balls among n drawn from r white and b black ones.
//
// The number of balls of the rarer colour among the smaller of the two parts (drawn, left) determines the others. So
// r <= N/2 and n <= N/2 may be assumed: then the support starts at 0.
//
// The mass at k is that of the 2 x 2 table of cells k, r - k, n - k, N - r - n + k. In Stirling's form, with z! =
// sqrt(2 pi w(z)) (z/e)^z e^S(z), it is (dhyper.cl)
//     sqrt(w.../(2 pi w...)) exp(S(margins) - S(N) - S(cells) - sum D(cell, its expectation)),
// all four differences being +-(k - rn/N); rn/N is kept as a sum of two doubles.
//
// Variance below 9, hence mean below 36: inversion (rejection.cl), f(k)/f(k-1) = (r-k+1) (n-k+1)/((N-r-n+k) k), and
// f(0) from a table of factorials where N <= 170.
//
// Variance from 9 on: transformed rejection (rejection.cl).

typedef struct { double r, n, rest, N, mean_hi, mean_lo; } rhyper_table; // rest = N - r - n

// r n/N in hi + lo.
NMATH_FN nmath_dd rhyper_mean(double r, double n, nmath_dd N)
{
    double h = N.hi > NMATH_RANGE(1e150, 1e17) ? NMATH_RANGE(0x1p-512, 0x1p-63) : 1.0, M = N.hi * h;
    nmath_dd p = dd_two_prod(r * h, n * h), q;
    q.hi = p.hi / M;
    q.lo = (fma(-q.hi, M, p.hi) + (p.lo - q.hi * (N.lo * h))) / M;
    q = dd_fast_two_sum(q.hi / h, q.lo / h);
    return q;
}

// f(k) = exp(*e) sqrt(w): returns w.
NMATH_HEAVY double rhyper_level(rhyper_table a, double k, double *e)
{
    double t = (k - a.mean_hi) - a.mean_lo; // the difference of each cell from its expectation, but for the sign
    double wr, ws, wn, wm, wN, w0, w1, w2, w3, s = a.N - a.r, m = a.N - a.n;
    double c1 = a.r - k, c2 = a.n - k, c3 = a.rest + k;
    *e = pgamma_deviance(k, -t) + pgamma_deviance(c1, t) + pgamma_deviance(c2, t) + pgamma_deviance(c3, -t);
    *e += rejection_factorial(a.r, &wr) + rejection_factorial(s, &ws) + rejection_factorial(a.n, &wn) +
          rejection_factorial(m, &wm) - rejection_factorial(a.N, &wN);
    *e -= rejection_factorial(k, &w0) + rejection_factorial(c1, &w1) + rejection_factorial(c2, &w2) +
          rejection_factorial(c3, &w3);
    return wr / w1 * (wn / w2) * (ws / w3) * (wm / wN) / (w0 * M_2PI);
}

// Whole 1 <= r, n <= N/2.
NMATH_HEAVY double rhyper_reduced(NMATH_GENERATOR, double r, double n, nmath_dd N)
{
    rhyper_table a;
    nmath_dd mean;
    double v = N.hi, iv = 1.0 / v, x, e, w;
    a.r = r;
    a.n = n;
    a.N = v;
    a.rest = (v - r) - n + N.lo;
    mean.hi = (r * iv) * n;
    mean.lo = 0.0;
    if (v > 170.0)
        mean = rhyper_mean(r, n, N);
    a.mean_hi = mean.hi;
    a.mean_lo = mean.lo;
    double var = mean.hi * ((v - r) * iv) * ((v - n) / fmax(v - 1.0, 1.0));
    if (var >= 9.0) {
        rejection_hat t = rejection_hat_of(mean.hi, sqrt(var));
        for (int i = 0; i < REJECTION_TRIES; ++i) {
            double level;
            x = rejection_draw(nmath_generator, t, &level);
            if (level == 0)
                return x;
            if (x < 0 || x > r || x > n)
                continue;
            w = rhyper_level(a, x, &e);
            if (log(level / sqrt(w)) <= e)
                return x;
        }
        return floor(mean.hi);
    }
    // 1/f(0) = N! (N-r-n)!/((N-r)! (N-n)!)
    if (v <= 170.0) {
        v = (NMATH_PICK(dhyper_factorial + (int)v) / NMATH_PICK(dhyper_factorial + (int)(v - r))) *
            (NMATH_PICK(dhyper_factorial + (int)a.rest) / NMATH_PICK(dhyper_factorial + (int)(v - n)));
    } else {
        w = rhyper_level(a, 0.0, &e);
        v = exp(-e) / sqrt(w);
    }
    double r1 = r + 1.0, n1 = n + 1.0;
    rejection_invert(x, unif_rand() * v, ((r1 - k) * (n1 - k)) / (a.rest + k), fmin(ceil(mean.hi), fmin(r, n)));
    return x;
}

#define rhyper(r, b, n) nmath_rhyper(nmath_generator, r, b, n)
NMATH_FN double nmath_rhyper(NMATH_GENERATOR, double r, double b, double n)
{
    if (ISNAN(r) || ISNAN(b) || ISNAN(n))
        ML_WARN_return_NAN;
    r = R_forceint(r);
    b = R_forceint(b);
    n = R_forceint(n);
    if (r < 0 || b < 0 || n < 0 || isinf(r) || isinf(b) || isinf(n) || n > r + b)
        ML_WARN_return_NAN;
    double common = fmax(r, b), rare = fmin(r, b), left = (common - n) + rare, part = fmin(n, left), x = 0.0;
    if (rare > 0 && part > 0) {
        // Where N is out of range the distribution is binomial, or as narrow as a double is fine.
        double h = isinf(r + b) ? 0x1p-4 : 1.0;
        nmath_dd N = dd_two_sum(common * h, rare * h);
        x = h < 1.0 && part > NMATH_RANGE(1e100, 1e20) ? part * (rare * h / N.hi) : rhyper_reduced(nmath_generator, rare * h, part, N);
    }
    // x: balls of the rarer colour in the smaller part
    if (n > left)
        x = rare - x;
    return r > b ? n - x : x;
}
