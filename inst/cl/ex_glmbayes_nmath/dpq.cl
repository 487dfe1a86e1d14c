// @source_type: h
// @source_origin: dpq.h
// @provides: DPQ_SCALE, DPQ_SIDE, R_D__0, R_D__1, R_D_half, R_DT_0, R_DT_1, R_D_val, R_D_exp, R_D_fexp, R_D_rtxp, R_D_Clog, R_DT_val, R_DT_Cval, R_D_Lval, R_D_Cval, R_D_qIv, R_DT_qIv, R_DT_CIv, R_DT_exp, R_DT_Cexp, R_Log1_Exp, R_D_log, R_D_LExp, R_DT_log, R_DT_Clog, R_DT_Log, R_P_bounds_01, R_P_bounds_Inf_01, R_D_negInonint, R_D_nonint_check, R_Q_P01_check, R_Q_P01_boundaries, give_log
// @depends: nmath
// @all_depends: Rmath, nmath
// @all_depends_count: 2


// The vocabulary of the distribution functions. A caller states probabilities in one of four ways: of the lower or of the
// upper tail (`lower_tail`), as numbers or as logs (`log_p`, which densities call `give_log`). These macros read the flags
// of the function they stand in, and choose: DPQ_SCALE between a number and its log, DPQ_SIDE between a lower tail and an
// upper one. With v, p: a number, a probability or its log as the caller states it; 1 - v next to v = 1 loses digits, so
// functions that know both tails take DPQ_SIDE of them.

#ifndef NMATH_DPQ_H
#define NMATH_DPQ_H

#ifndef NMATH_NO_SHORT_NAMES
#define give_log log_p
#endif

#define DPQ_SCALE(number, logarithm) (log_p ? (logarithm) : (number))
#define DPQ_SIDE(lower, upper) (lower_tail ? (lower) : (upper))

// What a function returns where nothing has to be computed: the probabilities 0, 1 and 1/2, and those left and right of
// the support.
#define R_D__0 DPQ_SCALE(0.0, ML_NEGINF)
#define R_D__1 DPQ_SCALE(1.0, 0.0)
#define R_D_half DPQ_SCALE(0.5, -M_LN2)
#define R_DT_0 DPQ_SIDE(R_D__0, R_D__1)
#define R_DT_1 DPQ_SIDE(R_D__1, R_D__0)

// Early returns: outside a support with the ends l and r, at an infinite point, at a number that is no integer.
#define R_P_bounds_01(x, l, r)             \
    do {                                   \
        if ((x) <= (l)) return R_DT_0;     \
        if ((x) >= (r)) return R_DT_1;     \
    } while (0)
#define R_P_bounds_Inf_01(x)                           \
    do {                                               \
        if (isinf(x)) return (x) < 0 ? R_DT_0 : R_DT_1; \
    } while (0)
#define R_D_negInonint(x) (R_nonint(x) || (x) < 0)
#define R_D_nonint_check(x) if (R_nonint(x)) return R_D__0

// Of a quantile: NaN for what is no probability, and the ends l and r of the support for 0 and 1.
#define R_Q_P01_check(p) if (DPQ_SCALE((p) < 0 || (p) > 1, (p) > 0)) ML_WARN_return_NAN
#define R_Q_P01_boundaries(p, l, r)        \
    do {                                   \
        R_Q_P01_check(p);                  \
        if ((p) == R_DT_0) return (l);     \
        if ((p) == R_DT_1) return (r);     \
    } while (0)

// Results: from a number v, 1 - v, the log e of a number, and e^e over r or over the root of f.
#define R_D_val(v) DPQ_SCALE(v, log(v))
#define R_D_Clog(v) DPQ_SCALE(1.0 - (v), log1p(-(v)))
#define R_D_exp(e) DPQ_SCALE(exp(e), e)
#define R_D_rtxp(r, e) DPQ_SCALE(exp(e) / (r), (e) - log(r))
#define R_D_fexp(f, e) DPQ_SCALE(exp(e) / sqrt(f), (e) - 0.5 * log(f))
// from a lower tail v, or an upper one
#define R_DT_val(v) DPQ_SIDE(R_D_val(v), R_D_Clog(v))
#define R_DT_Cval(v) DPQ_SIDE(R_D_Clog(v), R_D_val(v))

// Arguments: p of either tail as the number that is stated (q), as the lower tail (L, or I where p may be a log) and as the
// upper one (C).
#define R_D_qIv(p) DPQ_SCALE(p, exp(p))
#define R_D_Lval(p) DPQ_SIDE(p, 1.0 - (p))
#define R_D_Cval(p) DPQ_SIDE(1.0 - (p), p)
#define R_DT_qIv(p) DPQ_SCALE(R_D_Lval(p), DPQ_SIDE(exp(p), -expm1(p)))
#define R_DT_CIv(p) DPQ_SCALE(R_D_Cval(p), DPQ_SIDE(-expm1(p), exp(p)))
#define R_DT_exp(p) R_D_exp(R_D_Lval(p))
#define R_DT_Cexp(p) R_D_exp(R_D_Cval(p))

// The same as logs. log(1 - e^l), l < 0, in the form that loses nothing on either side of -log 2 (Maechler 2012, "Accurately
// computing log(1 - exp(-|a|))"); then log p and log(1 - p), and of these the lower (log) and the upper tail (Clog); with
// R_DT_Log p is a log whatever `log_p` says.
#define R_Log1_Exp(l) ((l) < -M_LN2 ? log1p(-exp(l)) : log(-expm1(l)))
#define R_D_log(p) DPQ_SCALE(log(p), p)
#define R_D_LExp(p) DPQ_SCALE(log1p(-(p)), R_Log1_Exp(p))
#define R_DT_log(p) DPQ_SIDE(R_D_log(p), R_D_LExp(p))
#define R_DT_Clog(p) DPQ_SIDE(R_D_LExp(p), R_D_log(p))
#define R_DT_Log(p) DPQ_SIDE(p, R_Log1_Exp(p))

#endif
