// @source_type: h
// @source_origin: refactored.h
// @provides:
// @depends:
// @all_depends_count: 0

// refactored -- how stirlerr is split so that the gamma family has no dependency cycle. No code: C needs no
// declarations here, since files are concatenated in dependency order.
//
//   stirlerr_cycle_free        stirlerr(n) for n >= 0.3, by polynomials alone
//   lgammacor, gamma, lgamma   use stirlerr_cycle_free
//   pgamma_utils               lgamma1p, log1pmx: uses lgamma
//   stirlerr_cycle_dependent   stirlerr(n) for n < 0.3, uses lgamma1p
//   stirlerr                   the choice between the two halves
