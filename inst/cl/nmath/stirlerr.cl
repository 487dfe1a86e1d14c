// @source_type: c
// @source_origin: stirlerr.c
// @provides: stirlerr
// @depends: nmath, stirlerr_cycle_free, stirlerr_cycle_dependent, refactored
// @method: three regions, split at 0.3 and 3.375
// @accuracy: stirlerr.tsv ? eps(1+cond) (host), ? (PoCL)

// stirlerr -- Stirling's error log(n!) - log(sqrt(2 pi n) (n/e)^n) for real n >= 0, by the two halves documented in
// stirlerr_cycle_free.cl (n > 0.3) and stirlerr_cycle_dependent.cl (below). Limits: Inf at 0, 0 at Inf.

NMATH_FN double stirlerr(double n)
{
    return n < 0.3 ? stirlerr_cycle_dependent(n) : stirlerr_cycle_free(n);
}
