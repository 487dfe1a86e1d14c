// @source_type: c
// @source_origin: none
// @provides: pbeta_fixed, pbeta_fixed_of, pbeta_fixed_at, pbeta_fixed_factor, pbeta_fixed_split, pbeta_fixed_value, pbeta_fixed_tail
// @depends: nmath, dbeta_fixed, log1p_parts, tail_fixed
// @method: the saddle point form times a factor, a polynomial on either side of the mean that a differential equation gives
// @all_depends: Rmath, refactored, nmath, dpq, log1p, log1p_parts, stirlerr_cycle_free, lgamma, tail_fixed, pgamma_utils, stirlerr_cycle_dependent, stirlerr, dbeta_fixed
// @all_depends_count: 13

// pbeta_fixed -- cumulative probability of the beta distribution where its shapes a and b are the same for many x. With n = a + b,
// e = n x - a, u = e/a, v = -e/b (dbeta_fixed.cl) the tail beyond x that does not hold the mean is
//     exp(-h) m,  h = a (u - log(1 + u)) + b (v - log(1 + v)).
// In units z = |e| (n/(a b))^(1/2) of standard deviations from the mean, to z = p at the end of the tail and with z = -q at the
// other, p q = n, m is the solution that is regular at p of
//     (1 - z/p) (1 + z/q) m' = z m - r,  r = exp(s(n) - s(a) - s(b))/(2 pi)^(1/2),  s Stirling's error,
// which follows from the derivative of the tail, -x^(a-1) (1 - x)^(b-1)/B(a, b) or its negative; for a, b = Inf it is Mills'
// ratio. m is smooth in t = z/(z + c), c some 2 to 4, which has -q far away and Inf at 1 (as Shepherd & Laframboise (1981),
// "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", Math. Comp. 36, 249-253, have it): for the shapes given it is a polynomial
// in t. There is no branch. *needs_general is set where pbeta.cl has to compute: shapes below 1/2 or very large, tails next to the smallest
// doubles.

typedef struct {
    dbeta_fixed d;
    double per[2], k[2], mass; // t = |e|/(|e| + k), its middle 1/per; x (1 - x) times the density at the mean
    double lower[32], apart, upper[32]; // in other banks of a local memory
} pbeta_fixed;

// m = sum_k c[k] s^k, s = 2 t/t(p) - 1. The equation in s,
//     (1 - s) (1 - l h (1 + s)) (1 - h (1 + s)) m' - 2 h^2 c^2 (1 + s) m = -2 h c r (1 - h (1 + s)), h = t(p)/2, l = 1 - c/q,
// ties the coefficients of m = sum a_k T_k(s): both sides in Chebyshev polynomials U (Olver & Townsend (2013), "A fast and
// well-conditioned spectral method", SIAM Rev. 55, 462-489; T_k' = k U_(k-1), 2 T_k = U_k - U_(k-2), 2 s U_k = U_(k+1) + U_(k-1),
// U_(-k) = -U_(k-2)) give a band of two diagonals below the main one and four above it. It is eliminated without a search for
// pivots: no multiplier is above 0.5, and 32 coefficients leave an error of 2.5 eps(1 + cond) (tools/check_beta_fixed.py).
NMATH_HEAVY void pbeta_fixed_factor(double p, double q, double c, double r, double *to)
{
    double band[160], right[32], h = 0.5 * p / (p + c), lh = h * (1.0 - c / q), beta = -2.0 * (h * h) * (c * c);
    double b0 = (1.0 - lh) * (1.0 - h), b1 = -((1.0 - lh) * h + lh * (1.0 - h)), b2 = lh * h, a2 = b2 - b1;
    double e0 = b0 + 0.5 * a2, e1 = 0.5 * (b1 - b0) - 0.375 * b2, e2 = 0.25 * a2, e3 = -0.125 * b2;
    for (int i = 0; i < 32; ++i) {
        // row i, columns i - 2 ... i + 4
        double v0 = (i - 2.0) * e3, v1 = (i - 1.0) * e2 + 0.25 * beta, v2 = i * e1 + 0.5 * beta, v3 = (i + 1.0) * e0;
        double v4 = (i + 2.0) * e1 - 0.5 * beta, v5 = (i + 3.0) * e2 - 0.25 * beta, v6 = (i + 4.0) * e3, v = 0.0;
        if (i == 0) { // and what comes from rows -2, -3 and -4
            v2 += 0.5 * beta;
            v3 -= e2 - 0.25 * beta;
            v4 -= 2.0 * e3;
            v = -2.0 * h * c * r * (1.0 - h);
        } else if (i == 1) {
            v1 += 0.25 * beta;
            v2 -= e3;
            v = h * h * c * r;
        }
        if (i > 1) {
            const double *o = band + 5 * (i - 2);
            double f = v0 * o[0];
            v1 -= f * o[1];
            v2 -= f * o[2];
            v3 -= f * o[3];
            v4 -= f * o[4];
            v -= f * right[i - 2];
        }
        if (i > 0) {
            const double *o = band + 5 * (i - 1);
            double f = v1 * o[0];
            v2 -= f * o[1];
            v3 -= f * o[2];
            v4 -= f * o[3];
            v5 -= f * o[4];
            v -= f * right[i - 1];
        }
        double *o = band + 5 * i;
        o[0] = 1.0 / v2;
        o[1] = v3;
        o[2] = v4;
        o[3] = v5;
        o[4] = v6;
        right[i] = v;
    }
    for (int k = 31; k >= 0; --k) {
        const double *o = band + 5 * k;
        double a = right[k];
        for (int j = 1; j < 5 && k + j < 32; ++j)
            a -= o[j] * right[k + j];
        right[k] = a * o[0];
    }
    tail_fixed_powers(right, 32, to);
}

NMATH_FN pbeta_fixed pbeta_fixed_of(double a, double b, int *needs_general)
{
    pbeta_fixed f;
    int plain = a >= 0.5 && a < 1e8 && b >= 0.5 && b < 1e8;
    *needs_general |= !plain;
    f.d = dbeta_fixed_place(plain ? a : 1.0, plain ? b : 1.0);
    double r = exp(dbeta_fixed_error(f.d)) * M_1_SQRT_2PI, p = sqrt(f.d.n * f.d.a * f.d.per_b), q = sqrt(f.d.n * f.d.b * f.d.per_a);
    double deviation = sqrt(f.d.a * (f.d.b / f.d.n)), lower[32], upper[32]; // of its own: the form's stay in registers
    for (int side = 0; side < 2; ++side) {
        double c = 2.3 + 1.7 * q / (q + 4.0), t = p;
        f.k[side] = c * deviation;
        f.per[side] = 2.0 * (p + c) / p;
        pbeta_fixed_factor(p, q, c, r, side == 0 ? lower : upper);
        p = q;
        q = t;
    }
    f.mass = r * deviation;
    NMATH_UNROLL
    for (int k = 0; k < 32; ++k) {
        f.lower[k] = lower[k];
        f.upper[k] = upper[k];
    }
    return f;
}

// e as above, w = 1 + u, y = 1 + v
NMATH_FN tail_fixed_parts pbeta_fixed_split(double e, double w, double y, NMATH_FORM pbeta_fixed *f)
{
    tail_fixed_parts r;
    log1p_parts p = log1p_split(e * f->d.per_a, w), q = log1p_split(-e * f->d.per_b, y);
    double z = fabs(e);
    r.low = e < 0.0;
    r.far = !((w < y ? w : y) >= NMATH_RANGE(1e-300, 1e-34));
    r.h = f->d.a * p.h + f->d.b * q.h;
    double s = z * (r.low ? f->per[0] : f->per[1]) * NMATH_RECIPROCAL(z + (r.low ? f->k[0] : f->k[1])) - 1.0;
#ifdef NMATH_LOCAL_FORMS // one polynomial, of either's coefficients
    r.m = tail_fixed_horner(s, r.low ? f->lower : f->upper, 8);
#else
    r.m = r.low ? tail_fixed_sum(s, f->lower, 8) : tail_fixed_sum(s, f->upper, 8);
#endif
    return r;
}

// inside: 0 < w and 0 < y
NMATH_FN double pbeta_fixed_value(double e, double w, double y, int inside, NMATH_FORM pbeta_fixed *f, int lower_tail, int log_p,
                                  int *needs_general)
{
    tail_fixed_parts t = pbeta_fixed_split(e, w, y, f);
    int asked = t.low == (lower_tail != 0);
    *needs_general |= inside & (tail_fixed_needs_general(t.h, 1, 0, asked, log_p) | t.far);
    return tail_fixed_value(t.m, t.h, asked, log_p);
}

NMATH_FN double pbeta_fixed_tail(double x, NMATH_FORM pbeta_fixed *f, int lower_tail, int log_p, int *needs_general)
{
    double w = x * f->d.n * f->d.per_a, y = (1.0 - x) * f->d.n * f->d.per_b;
    double v = pbeta_fixed_value(dbeta_fixed_off(x, f->d), w, y, (x > 0.0) & (x < 1.0), f, lower_tail, log_p, needs_general);
    double zero = log_p ? ML_NEGINF : 0.0, one = log_p ? 0.0 : 1.0;
    v = x <= 0.0 ? (lower_tail ? zero : one) : v;
    v = x >= 1.0 ? (lower_tail ? one : zero) : v;
    return x == x ? v : x;
}

// not a function: compilers would copy the form for each element
#define pbeta_fixed_at(x, f, lower_tail, log_p, needs_general) pbeta_fixed_tail(x, &(f), lower_tail, log_p, needs_general)
