// @source_type: c
// @source_origin: stirlerr.c
// @provides: stirlerr_cycle_dependent
// @depends: nmath, pgamma_utils
// @method: lgamma1p and one logarithm, arranged so that nothing cancels
// @accuracy: 2.5 eps (host and OpenCL)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 6

// stirlerr_cycle_dependent -- stirlerr(n) for 0 <= n <= 0.3, through log Gamma(1 + n). The definition
//   stirlerr(n) = lgamma1p(n) - (n + 1/2) log n + n - log sqrt(2 pi)
// adds terms of both signs; with log n = log(4 n) - log 4 the constants fold into one and all terms stay of the size
// of the result:
//   stirlerr(n) = lgamma1p(n) - (n + 1/2) log(4 n) + n (1 + log 4) - log sqrt(pi/2).

NMATH_FN double stirlerr_cycle_dependent(double n)
{
    return (lgamma1p_near_0(n) + (n * 2.3862943611198908 - M_LN_SQRT_PId2)) - (n + 0.5) * log(4.0 * n);
}
