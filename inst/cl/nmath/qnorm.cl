// @source_type: c
// @source_origin: qnorm.c
// @provides: qnorm, qnorm5
// @depends: nmath, dpq, pnorm
// @method: rational in sqrt(p (1 - p)); polynomials in sqrt(-log p); a Newton step in the far tail of the log scale
// @accuracy: qnorm.tsv 0.59 eps(1+cond) (host), 0.59 (PoCL), 0.71 (H200)
// @all_depends: Rmath, nmath, dpq, pnorm
// @all_depends_count: 4

// qnorm -- quantile of the normal distribution, from the probability q <= 1/2 of the smaller tail.
//
//   q > 1/2000    x = (q - 1/2) P(z)/Q(z), z = sqrt(q (1 - q)). As a function of -log z the quotient x/(q - 1/2)
//                 is regular for |Im| < pi (Giles 2012, "Approximating the erfinv function", GPU Computing Gems Jade,
//                 uses that logarithm), so as a function of z it is regular off the negative axis, where the zeros of
//                 P and Q fall: all coefficients are positive and nothing cancels. No logarithm, and neighbouring
//                 work-items take the same path, but for one p in 1000.
//   y < 27.5      x = y P((y - k)/(y + k)) with y = sqrt(s), s = -log q, k = 5, in two rows, y < 5 and above. On the
//                 log scale s is given: no transcendental function at all.
//   y >= 27.5     (log scale only) start from x^2 = 2 s - L + (L - 2)/(2 s), L = log(4 pi s), the first terms of the
//                 asymptotic series, good to 1e-8; then one Newton step on x^2/2 - log R(x) = s with R(x) =
//                 exp(x^2/2) Q(x) as in pnorm, where s cancels against x^2/2 in the step alone.

// x / (q - 1/2) = P(z)/Q(z), 0.0223 <= z <= 1/2: tools/fit_normal.py centre, relative error 3.1e-17.
NMATH_TABLE double qnorm_centre_p[12] = {
    10.776456794545838, 12553.046615301046, 3109674.1840909258, 270066533.08880883,
    9973367925.8480721, 170850205103.32861, 1398962706554.7725, 5391556443876.6133,
    9124290812722.8086, 5790984868567.6602, 986065649095.3374, 5175435904.1880741,
};
NMATH_TABLE double qnorm_centre_q[12] = {
    1, 1386.3320201082163, 391371.58509226586, 38490257.635932535,
    1623949678.4495988, 32505466663.729057, 324076430460.50012, 1634781370163.2671,
    4116427860101.1313, 4891549501474.9795, 2346442309345.562, 308502174393.04456,
};

// x / y in powers of (y - 5)/(y + 5): tools/fit_normal.py tail, relative error 4.1e-18 and 1.8e-17.
NMATH_TABLE double qnorm_tail_p[40] = {
    // 2.75 <= y <= 5
    1.3315809287002207, 0.27715669822788264, -0.45092537247313741, 0.56209716470597981,
    -0.64745827452024474, 0.71354571184436755, -0.76731690743723013, 0.81121393811091691,
    -0.85454070084810707, 0.81489824617635354, -1.5418306627401726, -3.6923086969320873,
    -27.215308671868897, -114.00355412050546, -385.65786836625966, -963.14993525282216,
    -1752.3639460791067, -2173.6649099694491, -1649.8894828891466, -572.34039864615056,
    // 5 <= y <= 27.5
    1.3315809287002207, 0.27715669822787681, -0.45092537246918579, 0.56209716463558068,
    -0.64745825430970116, 0.71354595954716227, -0.76729806727204219, 0.81149812575230662,
    -0.84876740221982172, 0.87911620615831865, -0.89836437130532576, 0.89151839600033023,
    -0.82923876356007475, 0.67951911857190472, -0.44467524662475844, 0.19102393452657368,
    -0.015168420357302629, -0.042059282463196755, 0.027069103840434497, -0.0059507190658618439,
};

// x > 0 with Q(x) = exp(-s), s >= 700.
NMATH_FN double qnorm_far(double s)
{
    double l = log(s) + 2.5310242469692907; // log(4 pi s)
    double x = M_SQRT2 * sqrt(s - 0.5 * l + 0.25 * (l - 2) / s);
    double r = pnorm_mills(x);
    return x + (s - (0.5 * x) * x + log(r)) * r * (2 * M_1_SQRT_2PI * M_PI);
}

NMATH_FN double qnorm5(double p, double mu, double sigma, int lower_tail, int log_p)
{
    // The bits of a p between 0 and 1 are a number below those of 1; one less makes 0 the largest of all.
    int inside = log_p ? p < 0 && p > ML_NEGINF : nmath_bits(p) - 1 < 0x3fefffffffffffffUL;
    if (!(inside && NMATH_POSITIVE(sigma))) {
        if (ISNAN(p) || ISNAN(mu) || ISNAN(sigma))
            return p + mu + sigma;
        R_Q_P01_boundaries(p, ML_NEGINF, ML_POSINF);
        if (sigma < 0)
            ML_WARN_return_NAN;
        if (sigma == 0)
            return mu;
    }
    double q = 0.0, c, v, x; // c = P - 1/2 and v = P (1 - P), P the probability of the tail asked for
    if (log_p) {
        int large = p > -M_LN2;
        if (p > -8)
            q = large ? -expm1(p) : exp(p);
        c = large ? 0.5 - q : q - 0.5;
        v = q * (1.0 - q);
    } else {
        c = p - 0.5;
        v = p * (1.0 - p);
    }

    if ((nmath_u32)(nmath_bits(v) >> 32) > 0x3f40624dU) { // v > 0.0005, by its high word: v >= 0
        double z = sqrt(v);
        x = c * (pnorm_poly(z, qnorm_centre_p, 12) / pnorm_poly(z, qnorm_centre_q, 12));
    } else {
        if (!log_p)
            q = c < 0 ? p : 1.0 - p;
        double s = log_p && c < 0 ? -p : -log(q), y = sqrt(s);
        if (y < 27.5)
            x = y * pnorm_poly((y - 5.0) / (y + 5.0), qnorm_tail_p + (y < 5.0 ? 0 : 20), 20);
        else
            x = qnorm_far(s);
        x = copysign(x, c);
    }
    return NMATH_FMA(sigma, lower_tail ? x : -x, mu);
}
