// @source_type: c
// @source_origin: lgammacor.c
// @provides: lgammacor
// @depends: nmath, stirlerr_cycle_free
// @method: the polynomial of stirlerr
// @accuracy: 1.8 eps (host and OpenCL)
// @all_depends: Rmath, nmath, stirlerr_cycle_free
// @all_depends_count: 3

// lgammacor -- the correction term of Stirling's formula for x >= 10,
//   log Gamma(x) = log sqrt(2 pi) + (x - 1/2) log x - x + lgammacor(x),
// which is stirlerr(x). NaN below 10, where callers have better ways; underflows gradually towards Inf.

NMATH_FN double lgammacor(double x)
{
    return x < 10.0 ? ML_NAN : stirlerr_tail(x);
}
