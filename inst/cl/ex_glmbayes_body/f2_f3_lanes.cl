// @source_type: shim
// @source_origin: f2_f3_lanes.c
// @provides: f2_f3_lanes
// @depends: f2_f3_math, f2_f3_body
// @all_depends: f2_f3_math, f2_f3_body
// @all_depends_count: 2

// f2_f3_lanes -- the grid on a CPU: F2_F3_LANES grid points at a time, in innermost loops of that length over arrays,
// which compilers turn into vector instructions; observations by tiles of F2_F3_LANES_TILE that stay in the first-level cache
// with the coefficients. Beyond F2_F3_LANES_BLOCK coefficients the gradient takes a pass over the observations per block.
//
// Compiled behind the file of a family (F2_F3_FAMILY): as a kernel for OpenCL devices that are CPUs, and in C for the
// host device.

#ifdef F2_F3_FAMILY

#define F2_F3_LANES 8
#define F2_F3_LANES_TILE 32
#define F2_F3_LANES_BLOCK 128

// How the two matrix products are declared: straight code per observation or coefficient, of which a compiler should make
// vectors of neighbouring lanes. A host that knows how to ask for that defines it beforehand.
#ifndef F2_F3_LANES_FN
#define F2_F3_LANES_FN NMATH_FN
#endif

// Arguments as the documented kernels have them, and what f2_f3_prepare computes of y and wt: a record per observation,
// the sum of all constants.
typedef struct {
    __global const double *X, *B, *mu, *P, *alpha, *wt, *records;
    int l1, l2, m1;
} F2_F3_MEMBER(_grid);

// Coefficients [from, to) of the lanes' grid points, lanes innermost. Lanes past the last grid point repeat it.
NMATH_FN void F2_F3_MEMBER(_load)(const F2_F3_MEMBER(_grid) *a, int from, int to, int first, double *b)
{
    for (int w = 0; w < F2_F3_LANES; ++w) {
        __global const double *own = a->B + (nmath_i64)(first + w < a->m1 ? first + w : a->m1 - 1) * a->l2;
        for (int k = from; k < to; ++k)
            b[(k - from) * F2_F3_LANES + w] = own[k];
    }
}

// g += P (b - mu) for rows [row, row_end) and columns [from, to) of P.
NMATH_FN void F2_F3_MEMBER(_add_prior)(const F2_F3_MEMBER(_grid) *a, int row, int row_end, int from, int to,
                                       const double *b, double *g)
{
    for (int t = from; t < to; ++t) {
        double c[F2_F3_LANES];
        for (int w = 0; w < F2_F3_LANES; ++w)
            c[w] = b[(t - from) * F2_F3_LANES + w] - a->mu[t];
        for (int k = row; k < row_end; ++k) {
            const double p = a->P[(nmath_i64)t * a->l2 + k];
            for (int w = 0; w < F2_F3_LANES; ++w)
                g[(k - row) * F2_F3_LANES + w] = NMATH_FMA(p, c[w], g[(k - row) * F2_F3_LANES + w]);
        }
    }
}

// eta += X b for columns [from, to) and n observations from `begin` on.
F2_F3_LANES_FN void F2_F3_MEMBER(_add_eta)(const F2_F3_MEMBER(_grid) *a, int begin, int n, int from, int to,
                                           const double *b, double *eta)
{
    for (int k = from; k < to; k += 2, b += 2 * F2_F3_LANES) {
        // An odd column out is taken twice, the second time by 0.
        const int pair = k + 1 < to;
        __global const double *x0 = a->X + (nmath_i64)k * a->l1 + begin, *x1 = pair ? x0 + a->l1 : x0;
        double b0[F2_F3_LANES], b1[F2_F3_LANES];
        for (int w = 0; w < F2_F3_LANES; ++w) {
            b0[w] = b[w];
            b1[w] = pair ? b[F2_F3_LANES + w] : 0.0;
        }
        for (int i = 0; i < n; ++i) {
            const double u = x0[i], v = x1[i];
            double *row = eta + i * F2_F3_LANES, sum[F2_F3_LANES];
            for (int w = 0; w < F2_F3_LANES; ++w)
                sum[w] = NMATH_FMA(v, b1[w], NMATH_FMA(u, b0[w], row[w]));
            for (int w = 0; w < F2_F3_LANES; ++w)
                row[w] = sum[w];
        }
    }
}

// Linear predictors become derivatives of minus the log-likelihood, whose sum over the tile is returned in `value`.
NMATH_FN void F2_F3_MEMBER(_derivatives)(const F2_F3_MEMBER(_grid) *a, int begin, int n, double *eta, double *value)
{
    double odds[F2_F3_LANES];
    for (int w = 0; w < F2_F3_LANES; ++w)
        value[w] = odds[w] = 0.0;
    for (int i = 0; i < n; ++i) {
        __global const double *r = a->records + 4 * (nmath_i64)(begin + i);
        double *row = eta + i * F2_F3_LANES;
        const f2_f3_obs o = {r[0], r[1], r[2], r[3]};
        if (a->wt[begin + i] == 0.0) {
            for (int w = 0; w < F2_F3_LANES; ++w)
                row[w] = 0.0;
        } else if (F2_F3_PRODUCT(o)) {
            for (int w = 0; w < F2_F3_LANES; ++w) {
                double d, q = odds[w];
                value[w] -= F2_F3_MEMBER(_ll)(row[w], o, 1, &d, &q);
                odds[w] = q;
                row[w] = -d;
            }
        } else {
            for (int w = 0; w < F2_F3_LANES; ++w) {
                double d, q = 0.0;
                value[w] -= F2_F3_MEMBER(_ll)(row[w], o, 0, &d, &q);
                row[w] = -d;
            }
        }
    }
    for (int w = 0; w < F2_F3_LANES; ++w)
        if (odds[w] != 0.0)
            value[w] += log1p(odds[w]);
}

// g += X' d for rows [row, row_end) of the gradient; d has zeros up to a multiple of four observations.
F2_F3_LANES_FN void F2_F3_MEMBER(_add_slope)(const F2_F3_MEMBER(_grid) *a, int begin, int n, int row, int row_end,
                                             const double *d, double *g)
{
    for (int i = 0; i < n; i += 4, d += 4 * F2_F3_LANES) {
        const int last = n - 1 - i, at1 = last < 1 ? 0 : 1, at2 = last < 2 ? 0 : 2, at3 = last < 3 ? 0 : 3;
        for (int k = row; k < row_end; ++k) {
            __global const double *x = a->X + (nmath_i64)k * a->l1 + begin + i;
            const double x0 = x[0], x1 = x[at1], x2 = x[at2], x3 = x[at3];
            double *own = g + (k - row) * F2_F3_LANES, sum[F2_F3_LANES];
            for (int w = 0; w < F2_F3_LANES; ++w)
                sum[w] = NMATH_FMA(x3, d[3 * F2_F3_LANES + w],
                                   NMATH_FMA(x2, d[2 * F2_F3_LANES + w],
                                             NMATH_FMA(x1, d[F2_F3_LANES + w], NMATH_FMA(x0, d[w], own[w]))));
            for (int w = 0; w < F2_F3_LANES; ++w)
                own[w] = sum[w];
        }
    }
}

// qf and grad at F2_F3_LANES grid points from `first` on.
NMATH_FN void F2_F3_MEMBER(_lanes)(const F2_F3_MEMBER(_grid) *a, double constants, __global double *qf,
                                   __global double *grad, int first)
{
    double b[F2_F3_LANES_BLOCK * F2_F3_LANES], g[F2_F3_LANES_BLOCK * F2_F3_LANES];
    double eta[F2_F3_LANES_TILE * F2_F3_LANES], value[F2_F3_LANES];
    f2_f3_sum sum[F2_F3_LANES];
    const int l2 = a->l2, lanes = a->m1 - first < F2_F3_LANES ? a->m1 - first : F2_F3_LANES;
    for (int w = 0; w < F2_F3_LANES; ++w) {
        sum[w].hi = -constants;
        sum[w].lo = 0.0;
    }
    for (int row = 0; row < l2; row += F2_F3_LANES_BLOCK) {
        const int row_end = row + F2_F3_LANES_BLOCK < l2 ? row + F2_F3_LANES_BLOCK : l2;
        for (int k = 0; k < (row_end - row) * F2_F3_LANES; ++k)
            g[k] = 0.0;
        // The own block comes last in every round over the blocks, so that it is what `b` holds afterwards.
        for (int turn = 0; turn < l2; turn += F2_F3_LANES_BLOCK) {
            const int from = turn + F2_F3_LANES_BLOCK >= l2 ? row : turn < row ? turn : turn + F2_F3_LANES_BLOCK;
            const int to = from + F2_F3_LANES_BLOCK < l2 ? from + F2_F3_LANES_BLOCK : l2;
            F2_F3_MEMBER(_load)(a, from, to, first, b);
            F2_F3_MEMBER(_add_prior)(a, row, row_end, from, to, b, g);
        }
        for (int k = row; k < row_end; ++k)
            for (int w = 0; w < F2_F3_LANES; ++w)
                sum[w] = f2_f3_add(sum[w], 0.5 * (b[(k - row) * F2_F3_LANES + w] - a->mu[k]) *
                                               g[(k - row) * F2_F3_LANES + w]);
        for (int begin = 0; begin < a->l1; begin += F2_F3_LANES_TILE) {
            const int n = a->l1 - begin < F2_F3_LANES_TILE ? a->l1 - begin : F2_F3_LANES_TILE;
            for (int i = 0; i < n; ++i)
                for (int w = 0; w < F2_F3_LANES; ++w)
                    eta[i * F2_F3_LANES + w] = a->alpha[begin + i];
            for (int turn = 0; turn < l2; turn += F2_F3_LANES_BLOCK) {
                const int from = turn + F2_F3_LANES_BLOCK >= l2 ? row : turn < row ? turn : turn + F2_F3_LANES_BLOCK;
                const int to = from + F2_F3_LANES_BLOCK < l2 ? from + F2_F3_LANES_BLOCK : l2;
                if (l2 > F2_F3_LANES_BLOCK)
                    F2_F3_MEMBER(_load)(a, from, to, first, b);
                F2_F3_MEMBER(_add_eta)(a, begin, n, from, to, b, eta);
            }
            F2_F3_MEMBER(_derivatives)(a, begin, n, eta, value);
            for (int e = n * F2_F3_LANES; e < (n + 3) / 4 * 4 * F2_F3_LANES; ++e)
                eta[e] = 0.0;
            if (row == 0)
                for (int w = 0; w < F2_F3_LANES; ++w)
                    sum[w] = f2_f3_add(sum[w], value[w]);
            F2_F3_MEMBER(_add_slope)(a, begin, n, row, row_end, eta, g);
        }
        for (int k = row; k < row_end; ++k)
            for (int w = 0; w < lanes; ++w)
                grad[(nmath_i64)k * a->m1 + first + w] = g[(k - row) * F2_F3_LANES + w];
    }
    for (int w = 0; w < lanes; ++w)
        qf[first + w] = f2_f3_value(sum[w]);
}

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

// Grid points from `start` on, F2_F3_LANES per work-item.
__kernel void f2_f3_lanes(
    __global const double* X,
    __global const double* B,
    __global const double* mu,
    __global const double* P,
    __global const double* alpha,
    __global const double* wt,
    __global const double* records,
    __global double* qf,
    __global double* grad,
    const int l1,
    const int l2,
    const int m1,
    const double constants,
    const int start)
{
    const F2_F3_MEMBER(_grid) a = {X, B, mu, P, alpha, wt, records, l1, l2, m1};
    const nmath_i64 first = start + (nmath_i64)get_global_id(0) * F2_F3_LANES;
    if (first < m1)
        F2_F3_MEMBER(_lanes)(&a, constants, qf, grad, (int)first);
}

#endif

#undef F2_F3_LANES
#undef F2_F3_LANES_TILE
#undef F2_F3_LANES_BLOCK

#endif
