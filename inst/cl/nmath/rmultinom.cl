// @source_type: c
// @source_origin: rmultinom.c
// @provides: rmultinom, nmath_rmultinom
// @depends: nmath, rbinom
// @method: conditional binomials; the probability that is left is kept in double-double
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, sunif, lgamma, pgamma_utils, rejection, rbinom
// @all_depends_count: 9

// rmultinom -- one draw of `size` balls over K cells: given the cells before it, cell k is binomial with
// probability p[k]/(p[k] + ... + p[K-1]). The sum that is left starts from that of all p and loses one p after the
// other; as a sum of two doubles it keeps its accuracy down to 2^-53 of the whole and below. Of a cell with more
// than half of it the balls that miss it are drawn, so that rare cells at the end get their share. The last cell
// with p > 0 takes what remains. prob need not sum to 1; it is finite, >= 0, and somewhere > 0.
//
// A work-item writes the K counts of its draw, one column of a K x n matrix.

#define rmultinom(size, prob, K, out) nmath_rmultinom(nmath_generator, size, prob, K, out)
NMATH_FN void nmath_rmultinom(NMATH_GENERATOR, double size, __global const double *prob, int K, __global double *out)
{
    nmath_dd left;
    left.hi = left.lo = 0.0;
    int last = -1, valid = size >= 0 && !isinf(size) && size == floor(size);
    for (int k = 0; k < K; ++k) {
        double p = prob[k];
        nmath_dd s = dd_two_sum(left.hi, p);
        left = dd_fast_two_sum(s.hi, s.lo + left.lo);
        last = p > 0 ? k : last;
        valid = valid && p >= 0 && !isinf(p);
    }
    valid = valid && last >= 0;
    double n = size;
    for (int k = 0; k < K; ++k) {
        double p = prob[k], x = 0.0;
        if (!valid) {
            x = ML_NAN;
        } else if (k == last) {
            x = n;
        } else if (n > 0 && p > 0) {
            nmath_dd s = dd_two_sum(left.hi, -p);
            s = dd_fast_two_sum(s.hi, s.lo + left.lo);
            int miss = p > s.hi;
            x = rbinom_valid(nmath_generator, n, fmin(fmax(miss ? s.hi : p, 0.0) / left.hi, 1.0));
            x = miss ? n - x : x;
            left = s;
        }
        n -= x;
        out[k] = x;
    }
}
