// @source_type: c
// @source_origin: gamma_cody.c
// @provides: Rf_gamma_cody
// @depends: gamma
// @method: gammafn
// @all_depends: Rmath, nmath, stirlerr_cycle_free, lgamma, gamma
// @all_depends_count: 5

// gamma_cody -- the gamma function under the name that Mathlib's Bessel functions call.

NMATH_FN double Rf_gamma_cody(double x) { return gammafn(x); }
