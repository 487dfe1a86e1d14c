// @source_type: c
// @source_origin: log1p.c
// @provides: Rlog1p, log1p, nmath_log1p
// @depends: nmath
// @method: builtin; on the host the builtin log and the rounding error of 1 + x
// @accuracy: log1p.tsv 0.61 eps(1+cond) (host), 0.59 (PoCL), 0.61 (H200)
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// log1p -- log(1 + x). nmath carries its own for platforms that lack one; OpenCL C and C99 both have it, within 2 ulp,
// so this is its name. Where layer 0 defines NMATH_LIBM, C's log is right to an ulp and so much faster than C's log1p that
// log(u) + (1 + x - u)/u is too, u being 1 + x as rounded.

#ifdef NMATH_LIBM
NMATH_FN double nmath_log1p(double x)
{
    double u = 1.0 + x, e = x - (u - 1.0); // exact but for u > 2^53, where it does not matter
    if (!NMATH_POSITIVE(u) || u == 1.0)
        return u == 1.0 ? x : log(u); // -1, Inf or no value
    return log(u) + e / u;
}
#undef log1p
#define log1p(x) nmath_log1p(x)
#endif

#define Rlog1p(x) log1p(x)
