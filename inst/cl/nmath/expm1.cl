// @source_type: c
// @source_origin: expm1.c
// @provides: expm1
// @depends: nmath
// @method: builtin
// @accuracy: expm1.tsv 0.33 eps(1+cond) (host), 0.23 (PoCL)
// @all_depends: Rmath, nmath
// @all_depends_count: 2
// @load_order: 9

// expm1 -- exp(x) - 1. nmath carries its own for platforms that lack one; OpenCL C and C99 both have it, within 3 ulp,
// so this file defines nothing and marks the dependency.
