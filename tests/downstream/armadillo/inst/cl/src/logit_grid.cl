// @library_deps: nmath
// @depends_nmath: dbinom, plogis

// logit_grid -- a work-item for each point of the grid: quadratic form of the prior, likelihood, gradient. Matrices are
// stored by columns; B and grad have a row for each point.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LOGIT_GRID_MOST 32

__kernel void logit_grid(
    __global const double* X, __global const double* B, __global const double* mu, __global const double* P,
    __global const double* alpha, __global const double* y, __global const double* wt,
    __global double* qf, __global double* grad, const int l1, const int l2, const int m1)
{
    const int j = get_global_id(0);
    if (j >= m1) return;
    double g[LOGIT_GRID_MOST];
    double value = 0.0;
    for (int k = 0; k < l2; ++k) {
        g[k] = 0.0;
        for (int l = 0; l < l2; ++l) g[k] += P[k + l * l2] * (B[j + l * m1] - mu[l]);
        value += 0.5 * (B[j + k * m1] - mu[k]) * g[k];
    }
    for (int i = 0; i < l1; ++i) {
        double eta = alpha[i];
        for (int k = 0; k < l2; ++k) eta += X[i + k * l1] * B[j + k * m1];
        const double p = plogis(eta, 0.0, 1.0, 1, 0);
        value -= dbinom(rint(y[i] * wt[i]), wt[i], p, 1);
        for (int k = 0; k < l2; ++k) g[k] -= X[i + k * l1] * (rint(y[i] * wt[i]) - wt[i] * p);
    }
    qf[j] = value;
    for (int k = 0; k < l2; ++k) grad[j + k * m1] = g[k];
}
