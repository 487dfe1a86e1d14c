// @source_type: h
// @source_origin: qDiscrete_search.h
// @provides: qDiscrete_scale, qDiscrete_fuzz, qDiscrete_search
// @depends: nmath, dpq
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// What the quantiles of the discrete distributions share: the smallest whole number y with P(X <= y) >= p.
//
// qDiscrete_fuzz(p) is p as it is compared, moved a few ulps towards the smaller quantile, so that rounding in P does not
// push a quantile of a computed probability one up. It reads lower_tail and log_p.
//
// qDiscrete_scale(p) puts a subnormal p on the log scale: a P of few bits may round to p from either side.
//
// qDiscrete_search(y, first, last, reached): y is a whole number, the first guess, and becomes the answer, 0 <= first <= y
// <= last; reached is an expression in y, true where P(X <= y) >= p. It has one place in the code, is taken as true at
// last without being asked, and as false below first. From the guess the search goes on by steps of 1, 4, 16, ... until
// the answer is enclosed, then halves the interval (its logarithm first, while that is long) until no double lies
// between: two questions where the guess is right, at most 512 + 64 from anywhere.

#define qDiscrete_scale(p)                 \
    do {                                   \
        if (!log_p && (p) < NMATH_DBL_MIN) { \
            (p) = log(p);                  \
            log_p = 1;                     \
        }                                  \
    } while (0)

#define qDiscrete_fuzz(p)                                                                    \
    (log_p ? (p) * (lower_tail ? 1.0 + 2.0 * NMATH_EPS : 1.0 - 2.0 * NMATH_EPS)              \
           : lower_tail ? (p) * (1.0 - 8.0 * NMATH_EPS)                                      \
                        : ((p) * (1.0 + 8.0 * NMATH_EPS) < 1.0 ? (p) * (1.0 + 8.0 * NMATH_EPS) : (p)))

#define qDiscrete_search(y, first, last, reached)                                                   \
    do {                                                                                            \
        double qd_lo = (first) - 1.0, qd_hi = (last), qd_step = fmax(1.0, fabs(y) * NMATH_EPS);     \
        int qd_way = 0; /* 1 up, -1 down, 2 bisection */                                            \
        for (int qd_i = 0; qd_i < 640 && qd_hi - qd_lo > 1.0; ++qd_i) {                            \
            int qd_to = (reached) ? -1 : 1;                                                         \
            qd_hi = qd_to < 0 ? (y) : qd_hi;                                                        \
            qd_lo = qd_to < 0 ? qd_lo : (y);                                                        \
            qd_way = qd_way == 0 || qd_way == qd_to ? qd_to : 2;                                    \
            double qd_next = (y) + qd_to * qd_step;                                                 \
            qd_step *= 4.0;                                                                         \
            if (qd_way == 2 || qd_next <= qd_lo || qd_next >= qd_hi)                                \
                qd_next = qd_hi > 64.0 * (qd_lo + 2.0) ? floor(sqrt(qd_lo + 2.0) * sqrt(qd_hi))     \
                                                       : floor(qd_lo + 0.5 * (qd_hi - qd_lo));      \
            if (qd_next <= qd_lo || qd_next >= qd_hi)                                               \
                break;                                                                              \
            (y) = qd_next;                                                                          \
        }                                                                                           \
        (y) = qd_hi;                                                                                \
    } while (0)
