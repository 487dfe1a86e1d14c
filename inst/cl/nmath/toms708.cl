// @source_type: c
// @source_origin: toms708.c
// @provides: bratio
// @depends: nmath, ibeta_mass, ibeta
// @method: incomplete beta ratio of ibeta.cl
// @accuracy: that of pbeta
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 13

// bratio -- the incomplete beta ratio with the interface of ACM TOMS algorithm 708 (Didonato & Morris 1992): *w =
// I_x(a, b) and *w1 = 1 - *w, or their logs, for y = 1 - x. *ierr: 0, or 1 if a or b is negative, 2 if both are 0, 3
// or 4 if x or y is outside [0, 1], 5 if x + y is not 1, 6 or 7 if x = a = 0 or y = b = 0.

NMATH_FN void bratio(double a, double b, double x, double y, double *w, double *w1, int *ierr, int log_p)
{
    *w = *w1 = log_p ? ML_NEGINF : 0.0;
    *ierr = a < 0 || b < 0 ? 1 : a == 0 && b == 0 ? 2 : x < 0 || x > 1 ? 3 : y < 0 || y > 1 ? 4
        : fabs((x + y - 0.5) - 0.5) > 3.0 * NMATH_EPS ? 5 : x == 0 && a == 0 ? 6 : y == 0 && b == 0 ? 7 : 0;
    if (ISNAN(a) || ISNAN(b) || ISNAN(x) || ISNAN(y)) {
        *w = *w1 = a + b + x + y;
        *ierr = 1;
    }
    if (*ierr != 0)
        return;
    double one = log_p ? 0.0 : 1.0;
    int limit = ibeta_limit(a, b);
    if (x == 0 || limit == IBETA_AT_1)
        *w1 = one;
    else if (y == 0 || limit == IBETA_AT_0)
        *w = one;
    else if (limit != IBETA_PROPER)
        *(x < 0.5 ? w1 : w) = one;
    else {
        ibeta_tail t = ibeta(a, b, ibeta_at(x, y));
        *w = ibeta_value(t, 0, log_p);
        *w1 = ibeta_value(t, 1, log_p);
    }
}
