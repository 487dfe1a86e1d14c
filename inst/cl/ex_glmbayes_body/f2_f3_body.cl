// @source_type: shim
// @source_origin: f2_f3_body.c
// @provides: F2_F3_BODY, F2_F3_BINOMIAL_CONSTANT
// @depends: f2_f3_math
// @all_depends: f2_f3_math
// @all_depends_count: 1

// F2_F3_BODY -- the body that all f2_f3 kernels share: negative log-posterior and gradient of a generalized linear
// model at one grid point per work-item, in the plainest form. (f2_f3_tile, f2_f3_matrix and f2_f3_lanes compute the same
// at the speed of a GPU or CPU.)
//     qf   = (b - mu)' P (b - mu) / 2 - sum_i [ l(eta_i; y_i, wt_i) + c(y_i, wt_i) ],   eta = X b + alpha,
//     grad = P (b - mu) - X' dl/deta.
// A family supplies three functions: `constant(y, wt)` returns c, what does not depend on the grid point; `obs(y, wt)`
// what it keeps of an observation; `ll(eta, o, product, &d, &odds)` returns l and sets d = dl/deta. With `product` set, a
// family whose l contains -log(1 + e) may leave that out and multiply 1 + odds by 1 + e instead (see
// f2_f3_binomial_logit). Observations of weight 0 are skipped, so none of them sees wt = 0.
//
// Layouts: X is l1 x l2 and P l2 x l2 by columns; the coefficients of grid point j are B[j * l2 ...]; grad is m1 x l2
// by columns. Products of sizes go beyond 2^31 and are formed in 64 bits. The gradient is gathered in private memory,
// which has a fixed size: F2_F3_BLOCK coefficients at a time, each block a pass over the observations. qf adds terms
// of either sign that may be far larger than it, so its sum carries the rounding errors along (Neumaier 1974).

#define F2_F3_BLOCK 64

typedef struct { double hi, lo; } f2_f3_sum;

NMATH_FN f2_f3_sum f2_f3_add(f2_f3_sum s, double x)
{
    double t = s.hi + x, u = t - s.hi;
    s.lo += (s.hi - (t - u)) + (x - u);
    s.hi = t;
    return s;
}

NMATH_FN double f2_f3_value(f2_f3_sum s) { return isfinite(s.hi) ? s.hi + s.lo : s.hi; }

// Row i of X b + alpha.
NMATH_FN double f2_f3_eta(__global const double *X, __global const double *b, __global const double *alpha,
                          int i, int l1, int l2)
{
    double eta = alpha[i];
    for (int k = 0; k < l2; ++k)
        eta += X[(nmath_i64)k * l1 + i] * b[k];
    return eta;
}

// Row k of P (b - mu).
NMATH_FN double f2_f3_prior(__global const double *P, __global const double *b, __global const double *mu,
                            int k, int l2)
{
    double v = 0.0;
    for (int t = 0; t < l2; ++t)
        v += P[(nmath_i64)t * l2 + k] * (b[t] - mu[t]);
    return v;
}

#define F2_F3_BODY(obs, ll, constant)                                            \
    const nmath_i64 j = get_global_id(0);                                        \
    if (j >= m1)                                                                 \
        return;                                                                  \
    __global const double *b = B + j * l2;                                       \
    f2_f3_sum sum = {0.0, 0.0};                                                  \
    for (int i = 0; i < l1; ++i)                                                 \
        if (wt[i] != 0.0)                                                        \
            sum = f2_f3_add(sum, -constant(y[i], wt[i]));                        \
    for (int first = 0; first < l2; first += F2_F3_BLOCK) {                      \
        const int n = l2 - first < F2_F3_BLOCK ? l2 - first : F2_F3_BLOCK;       \
        double g[F2_F3_BLOCK];                                                   \
        for (int k = 0; k < n; ++k) {                                            \
            g[k] = f2_f3_prior(P, b, mu, first + k, l2);                         \
            sum = f2_f3_add(sum, 0.5 * (b[first + k] - mu[first + k]) * g[k]);   \
        }                                                                        \
        for (int i = 0; i < l1; ++i) {                                           \
            if (wt[i] == 0.0)                                                    \
                continue;                                                        \
            double d, odds = 0.0;                                                \
            double l = ll(f2_f3_eta(X, b, alpha, i, l1, l2), obs(y[i], wt[i]), 0, &d, &odds); \
            if (first == 0)                                                      \
                sum = f2_f3_add(sum, -l);                                        \
            for (int k = 0; k < n; ++k)                                          \
                g[k] -= d * X[(nmath_i64)(first + k) * l1 + i];                  \
        }                                                                        \
        for (int k = 0; k < n; ++k)                                              \
            grad[(nmath_i64)(first + k) * m1 + j] = g[k];                        \
    }                                                                            \
    qf[j] = f2_f3_value(sum)

// The constant of the binomial families, log choose(n, k) for k = round(y wt) successes in n = round(wt) trials, as a
// function `name` of the family (it needs Rmath and stirlerr_cycle_free): Stirling's formula for the three factorials,
// whose powers join in the entropy of p = k/n. A difference of three lgamma would cancel to log n times fewer digits.
#define F2_F3_BINOMIAL_CONSTANT(name)                                            \
    NMATH_FN double name(double y, double wt)                                    \
    {                                                                            \
        double n = rint(wt), s = rint(y * wt), k = fmin(s, n - s), p = k / n;    \
        if (k < 1.0)                                                             \
            return 0.0;                                                          \
        double e = stirlerr_cycle_free(n) - stirlerr_cycle_free(k) - stirlerr_cycle_free(n - k); \
        return e - 0.5 * log(k * (1.0 - p)) - M_LN_SQRT_2PI - (k * log(p) + (n - k) * log1p(-p)); \
    }
