// @source_type: shim
// @source_origin: ibeta_wide.c
// @provides: ibeta_wide, ibeta_wide_direct
// @depends: nmath, pnorm, ibeta_mass, ibeta, ibeta_rim
// @method: ibeta.cl, or the limits of ibeta_rim.cl
// @accuracy: that of ibeta.cl
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, ibeta_rim
// @all_depends_count: 14

// ibeta_wide -- the tail of ibeta.cl for binomial and negative binomial distributions of any size: a = n - k or the
// size, b = k + 1; n and mu as in ibeta_rim.cl.

// The tail whose deviance is -r.e, see IBETA_DIRECT. Its hazard in the log odds of u is that of the normal distribution in
// z = sqrt(2 D) times dz/d(log odds) = lambda/z.
NMATH_HEAVY ibeta_tail ibeta_wide_direct(double a, double b, ibeta_moved r)
{
    ibeta_tail t;
    double h = 0.5 * a, v = (0.5 * b) / (h + 0.5 * b);
    t.e.hi = r.e;
    t.e.lo = 0.0;
    double z = sqrt(-2.0 * r.e);
    t.m = pnorm_mills(fmin(z, 1e8)); // a factor that counts up to there
    t.h = z < 1e8 ? M_1_SQRT_2PI * (z > 0.0 ? r.l / z : sqrt(a) * sqrt(v)) / t.m : r.l;
    t.upper = r.upper;
    return t;
}

NMATH_FN ibeta_tail ibeta_wide(double a, double b, ibeta_point u, double n, double mu)
{
    int shift = 0;
    if (ibeta_at_rim(a, b)) {
        ibeta_moved r = ibeta_rim(a, b, u, n, mu);
        shift = r.shift;
        if ((r.way & IBETA_DIRECT) != 0)
            return ibeta_wide_direct(a, b, r);
        a = r.a;
        b = r.b;
        u = r.u;
    }
    ibeta_tail t = ibeta(a, b, u);
    if (shift != 0 && t.upper) { // log 2 in two pieces, the first with room for the shift
        nmath_dd s = dd_two_sum(shift * -NMATH_LN2_HI, t.e.hi);
        t.e = dd_fast_two_sum(s.hi, s.lo + (t.e.lo - shift * NMATH_LN2_LO));
    }
    return t;
}
