// @source_type: h
// @source_origin: dpq.h
// @provides: R_D__0, R_D__1, R_DT_0, R_DT_1, R_D_half, R_D_val, R_D_exp, R_D_log, R_D_Clog, R_D_Lval, R_D_Cval, R_D_fexp, R_D_rtxp, R_D_LExp, R_Log1_Exp, R_DT_val, R_DT_Cval, R_DT_qIv, R_DT_CIv, R_DT_log, R_DT_Clog, R_DT_Log, R_DT_exp, R_DT_Cexp, R_D_qIv, R_Q_P01_check, R_Q_P01_boundaries, R_P_bounds_01, R_P_bounds_Inf_01, R_D_negInonint, R_D_nonint_check, give_log
// @depends: nmath
// @all_depends: Rmath, nmath
// @all_depends_count: 2
// @load_order: 11

// The vocabulary of the distribution functions: one name per "value v on the scale the caller asked for". They read
// the flags `log_p` (spelled `give_log` in densities) and `lower_tail` of the function they stand in.

#ifndef NMATH_DPQ_H
#define NMATH_DPQ_H

#define give_log log_p

#define R_D__0 (log_p ? ML_NEGINF : 0.0)
#define R_D__1 (log_p ? 0.0 : 1.0)
#define R_DT_0 (lower_tail ? R_D__0 : R_D__1)
#define R_DT_1 (lower_tail ? R_D__1 : R_D__0)
#define R_D_half (log_p ? -M_LN2 : 0.5)

#define R_D_Lval(p) (lower_tail ? (p) : (1.0 - (p)))
#define R_D_Cval(p) (lower_tail ? (1.0 - (p)) : (p))
#define R_D_val(x) (log_p ? log(x) : (x))
#define R_D_qIv(p) (log_p ? exp(p) : (p))
#define R_D_exp(x) (log_p ? (x) : exp(x))
#define R_D_log(p) (log_p ? (p) : log(p))
#define R_D_Clog(p) (log_p ? log1p(-(p)) : (1.0 - (p)))

// log(1 - exp(x)) for x < 0: the form that loses nothing on either side of -log 2 (Maechler 2012).
#define R_Log1_Exp(x) ((x) > -M_LN2 ? log(-expm1(x)) : log1p(-exp(x)))
#define R_D_LExp(x) (log_p ? R_Log1_Exp(x) : log1p(-(x)))

#define R_DT_val(x) (lower_tail ? R_D_val(x) : R_D_Clog(x))
#define R_DT_Cval(x) (lower_tail ? R_D_Clog(x) : R_D_val(x))
#define R_DT_qIv(p) (log_p ? (lower_tail ? exp(p) : -expm1(p)) : R_D_Lval(p))
#define R_DT_CIv(p) (log_p ? (lower_tail ? -expm1(p) : exp(p)) : R_D_Cval(p))
#define R_DT_exp(x) R_D_exp(R_D_Lval(x))
#define R_DT_Cexp(x) R_D_exp(R_D_Cval(x))
#define R_DT_log(p) (lower_tail ? R_D_log(p) : R_D_LExp(p))
#define R_DT_Clog(p) (lower_tail ? R_D_LExp(p) : R_D_log(p))
#define R_DT_Log(p) (lower_tail ? (p) : R_Log1_Exp(p))

#define R_Q_P01_check(p) \
    if ((log_p && (p) > 0) || (!log_p && ((p) < 0 || (p) > 1))) ML_WARN_return_NAN

// Probabilities 0 and 1 give the ends of the support exactly; outside [0, 1] there is no quantile.
#define R_Q_P01_boundaries(p, _LEFT_, _RIGHT_)                    \
    do {                                                          \
        if ((p) > (log_p ? 0.0 : 1.0) || (!log_p && (p) < 0))     \
            ML_WARN_return_NAN;                                   \
        if ((p) == (log_p ? 0.0 : 1.0))                           \
            return lower_tail ? (_RIGHT_) : (_LEFT_);             \
        if ((p) == (log_p ? ML_NEGINF : 0.0))                     \
            return lower_tail ? (_LEFT_) : (_RIGHT_);             \
    } while (0)

#define R_P_bounds_01(x, x_min, x_max)     \
    do {                                   \
        if ((x) <= (x_min)) return R_DT_0; \
        if ((x) >= (x_max)) return R_DT_1; \
    } while (0)
#define R_P_bounds_Inf_01(x)                          \
    do {                                              \
        if (!R_FINITE(x)) return (x) > 0 ? R_DT_1 : R_DT_0; \
    } while (0)

// exp(x)/sqrt(f) and exp(x)/rf, or their logs.
#define R_D_fexp(f, x) (log_p ? -0.5 * log(f) + (x) : exp(x) / sqrt(f))
#define R_D_rtxp(rf, x) (log_p ? -log(rf) + (x) : exp(x) / (rf))

#define R_D_negInonint(x) ((x) < 0 || R_nonint(x))
#define R_D_nonint_check(x) if (R_nonint(x)) return R_D__0

#endif
