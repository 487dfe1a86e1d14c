// @source_type: c
// @source_origin: stirlerr.c
// @provides: stirlerr
// @depends: nmath, stirlerr_cycle_free, stirlerr_cycle_dependent, refactored
// @method: three regions, split at 0.3 and 3.375
// @accuracy: stirlerr.tsv 0.95 eps(1+cond) (host), 0.95 (PoCL), 0.95 (H200); 2.5 eps for all n
// @all_depends: Rmath, refactored, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, stirlerr_cycle_dependent
// @all_depends_count: 8

// stirlerr -- Stirling's error log(n!) - log(sqrt(2 pi n) (n/e)^n) for real n >= 0, by the two halves documented in
// stirlerr_cycle_free.cl (n > 0.3) and stirlerr_cycle_dependent.cl (below). Limits: Inf at 0, 0 at Inf.

NMATH_FN double stirlerr(double n)
{
    return n < 0.3 ? stirlerr_cycle_dependent(n) : stirlerr_cycle_free(n);
}
