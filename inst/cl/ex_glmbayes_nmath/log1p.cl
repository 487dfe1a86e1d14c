// @source_type: c
// @source_origin: log1p.c
// @provides: Rlog1p
// @depends: nmath
// @method: builtin
// @accuracy: log1p.tsv 0.40 eps(1+cond) (host), 0.40 (PoCL)
// @all_depends: Rmath, nmath
// @all_depends_count: 2
// @load_order: 20

// log1p -- log(1 + x). nmath carries its own for platforms that lack one; OpenCL C and C99 both have it, within 2 ulp,
// so this is its name.

#define Rlog1p(x) log1p(x)
