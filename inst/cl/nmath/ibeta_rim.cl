// @source_type: shim
// @source_origin: ibeta_rim.c
// @provides: ibeta_at_rim, ibeta_rim, ibeta_count_tail
// @depends: nmath, dd, ibeta_mass, ibeta
// @method: limits of the incomplete beta ratio, as its value at shapes in range
// @accuracy: that of ibeta.cl; the limits are off by less than 1e-50
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 17
// @load_order: 136

// ibeta_rim -- the incomplete beta ratio I_x(a, b) of binomial and negative binomial distributions whose size or count
// is near the largest double, or whose size is near the smallest. Each of three limits gives the value by a ratio at
// shapes in the middle of the range:
//   RARE    One shape s below 1e140, its coordinate f (x for a, y for b) below 1e-140, the other shape L beyond 1e299:
//           the ratio depends on s and L f alone (gamma and Poisson limits, Abramowitz & Stegun 26.5.5; the relative
//           error is of order f and s/L). L is divided, f multiplied by 2^40.
//   LARGE   Any other case with a + b > 1e300. The tail is exp(-D), but for factors that do not count, where the
//           deviance D (ibeta_mass.cl) is homogeneous of degree 1 in the shapes, and either 0 or above 1e75: the tail
//           lies one or more ulps of a or b away from the mean, or holds half of all. The shapes are divided by 2^40,
//           and the exponent, unless it is 0, is multiplied by it.
//   SMALL   a < 1e-290: 1 - I_x(a, b) is a times what does not depend on a. a is multiplied by 2^200, and the tail
//           divided.

#define IBETA_LARGE 1
#define IBETA_SMALL 2
#define IBETA_200_LN2_HI 138.62943611198907
#define IBETA_200_LN2_LO -3.3555121496085278e-15

// One test for all of it, for b > 1e-290.
NMATH_FN int ibeta_at_rim(double a, double b) { return !(a > 1e-290 && a + b < 1e300); }

// Moves a, b > 0 and the point to where the limit is taken; returns what is to be done with the value.
NMATH_FN int ibeta_rim(double *a, double *b, ibeta_point *u)
{
    int r = 0;
    if (*a < 1e-290) {
        *a *= 0x1p+200;
        r = IBETA_SMALL;
    }
    if (!(*a + *b > 1e300))
        return r;
    int left = *a < *b;
    double s = left ? *a : *b, f = left ? u->x : u->y;
    int rare = u->k == 0 ? f < 1e-140 : u->k < -500 && (left ? u->y : u->x) == 1.0;
    if (s < 1e140 && rare) {
        f = u->k == 0 ? f * 0x1p+40 : f;
        u->k += u->k == 0 ? 0 : 40;
        u->x = left ? f : u->x;
        u->y = left ? u->y : f;
    } else {
        r |= IBETA_LARGE;
        s = fmax(s * 0x1p-40, 1e-280); // a factor of the tail, if it is as small as that
    }
    double l = (left ? *b : *a) * 0x1p-40;
    *a = left ? s : l;
    *b = left ? l : s;
    return r;
}

// The tail of ibeta.cl at any a, b > 0, b >= 1.
NMATH_FN ibeta_tail ibeta_count_tail(double a, double b, ibeta_point u)
{
    int rim = ibeta_at_rim(a, b) ? ibeta_rim(&a, &b, &u) : 0;
    ibeta_tail t = ibeta(a, b, u);
    if (rim != 0) {
        int large = (rim & IBETA_LARGE) != 0, far = t.e.hi < -1e10;
        t.h *= large ? (far ? 0x1p+40 : 0x1p+20) : 1.0;
        if (large && far) {
            t.e.hi *= 0x1p+40;
            t.e.lo = 0.0;
        }
        if ((rim & IBETA_SMALL) != 0 && t.upper) {
            dd l;
            l.hi = -IBETA_200_LN2_HI;
            l.lo = -IBETA_200_LN2_LO;
            t.e = dd_add(t.e, l);
        }
    }
    return t;
}

#undef IBETA_200_LN2_HI
#undef IBETA_200_LN2_LO
