// @source_type: shim
// @source_origin: none
// @provides: tail_step, tail_step_of
// @depends: nmath
// @method: Taylor series of the inverse function, by recurrence
// @accuracy: see qgamma, qbeta
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// tail_step -- the step of u that changes the log of a tail by d, for quantiles of the gamma (u = log x) and the beta
// distribution (u = logit x). With t the log of the tail and S = dt/du, a dot for d/dt, v = 1/S = du/dt,
//     dS/dt = l - S,   dl/dt = -q v,   dq/dt = q e v,   de/dt = -2 q v/n:
//     gamma   l = a - x,       q = x,      e = 1 and constant,
//     beta    l = a y - b x,   q = n x y,  e = y - x,  n = a + b,  y = 1 - x.
// These are recurrences for the Taylor coefficients of all of them in t, of which TAIL_TERMS terms of u are summed: from a
// start that is right to a hundredth or two one evaluation of the tail is all that a quantile takes. The powers of d are
// in the coefficients. `sure`: the terms that are left out do not count, as the last ones tell.

#define TAIL_TERMS 8
#ifdef NMATH_PREFERS_STRAIGHT
#define TAIL_UNROLL NMATH_STRAIGHT
#else
#define TAIL_UNROLL NMATH_UNROLL
#endif

typedef struct { double step; int sure; } tail_step;

// `curved` 0 for gamma, 1 for beta: a literal leaves no test. per = 1/n.
NMATH_FN tail_step tail_step_of(double d, double S0, double l0, double q0, double e0, double per, int curved)
{
    double v[TAIL_TERMS], S[TAIL_TERMS], l = l0, q[TAIL_TERMS], e[TAIL_TERMS], ev[TAIL_TERMS];
    double step = d / S0, last = step, before = step, third = step; // of the terms from behind
    v[0] = 1.0 / S0;
    S[0] = S0;
    q[0] = q0;
    e[0] = e0;
    TAIL_UNROLL
    for (int j = 0; j + 1 < TAIL_TERMS; ++j) {
        // sums whose newest numbers come last, so that little waits for them
        double dj = d * (1.0 / (j + 1)), old = 0.0, sv = 0.0, qev = 0.0, qv = 0.0;
        S[j + 1] = dj * (l - S[j]);
        ev[j] = v[j];
        if (curved) {
            TAIL_UNROLL
            for (int i = 1; i < j; ++i)
                old = NMATH_FMA(e[i], v[j - i], old);
            ev[j] = NMATH_FMA(e[0], v[j], j ? NMATH_FMA(e[j], v[0], old) : old);
        }
        TAIL_UNROLL
        for (int i = 1; i <= j; ++i) {
            qev = NMATH_FMA(q[i], ev[j - i], qev);
            qv = NMATH_FMA(q[i], v[j - i], qv);
            sv = NMATH_FMA(S[i], v[j + 1 - i], sv);
        }
        qev = NMATH_FMA(q[0], ev[j], qev);
        qv = NMATH_FMA(q[0], v[j], qv);
        v[j + 1] = -v[0] * NMATH_FMA(S[j + 1], v[0], sv);
        l = -dj * qv;
        q[j + 1] = dj * qev;
        e[j + 1] = -2.0 * per * dj * qv;
        third = before;
        before = last;
        last = d * (1.0 / (j + 2)) * v[j + 1];
        step += last;
    }
    tail_step r;
    r.step = step;
    // the next term, as a geometric series has it, by each pair of the last three: one may be small by chance
    r.sure = last * last <= 1e-17 * fabs(before) && fabs(before * before * before) <= 1e-17 * (third * third) &&
             fabs(before) <= 0.5 * fabs(third) && fabs(step) < 1.0; // no overflow before
    return r;
}

#undef TAIL_TERMS
#undef TAIL_UNROLL
