// @source_type: c
// @source_origin: log1p.c
// @provides: Rlog1p
// @depends: nmath
// @method: builtin
// @accuracy: log1p.tsv ?

// log1p -- log(1 + x). nmath carries its own for platforms that lack one; OpenCL C and C99 both have it, within 2 ulp,
// so this is its name.

#define Rlog1p(x) log1p(x)
