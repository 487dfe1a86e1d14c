// @source_type: c
// @source_origin: d1mach.c
// @provides: Rf_d1mach
// @depends: nmath
// @method: constants
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// d1mach -- the machine constants of doubles by number: P. A. Fox, A. D. Hall and N. L. Schryer (1978), "Framework for
// a portable library", ACM TOMS 4, 177-188. 1 smallest normal, 2 largest, 3 2^-53, 4 2^-52, 5 log10(2).

NMATH_FN double Rf_d1mach(int i)
{
    return i == 1 ? NMATH_DBL_MIN
         : i == 2 ? NMATH_DBL_MAX
         : i == 3 ? 0.5 * NMATH_EPS
         : i == 4 ? NMATH_EPS
         : i == 5 ? M_LOG10_2
                  : 0.0;
}
