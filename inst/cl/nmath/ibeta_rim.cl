// @source_type: shim
// @source_origin: ibeta_rim.c
// @provides: ibeta_at_rim, ibeta_moved, ibeta_rim_inner, ibeta_rim, IBETA_DIRECT, IBETA_SMALL, IBETA_SMALLER
// @depends: nmath, pgamma_utils, ibeta_mass
// @method: limits of the incomplete beta ratio, as its value at shapes in range or as a function of the deviance
// @accuracy: that of ibeta.cl; the limits themselves are off by less than 2^-52
// @all_depends: Rmath, nmath, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 10

// ibeta_rim -- the incomplete beta ratio I_x(a, b) of binomial and negative binomial distributions with sizes or counts
// beyond 1e30 or sizes next to 0. a is n - k or the size, b is k + 1 or, in the mass, k. The cases are
//   RARE    One shape s below 1e30, its coordinate f (x for a, y for b) below 1e-60, the other shape L beyond 5e149: all
//           depends on s and L f alone (gamma and Poisson limits, Abramowitz & Stegun 26.5.5; the relative error is of
//           order f and s/L). L is divided, f multiplied by 2^40.
//   DIRECT  a, b > 1e30, or else a + b > 1e150. With D the deviance and lambda as in ibeta_mass.cl the tail is Q(sqrt(2 D)),
//           Q the upper tail of the normal distribution, as ibeta_asym.cl tells: what follows is of order 1/sqrt(a b/(a + b)).
//           (If that is not small, D is above 1e75.) An ulp of a or b is now more than a standard deviation, and the sum
//           a + b, once rounded, no longer serves for lambda. It is taken from the numbers that came in:
//               n p - k   or   size - (size + k) prob   or   size (mu - k)/(size + mu),
//           exact but for the last step. Beyond 1e300 all shapes are first divided by 2^40; D is homogeneous in them.
//   SMALL   a < 1e-100: 1 - I_x(a, b) is a times what does not depend on a. a is multiplied by 2^shift, to 1e-45, and the
//           tail has to be divided.

#define IBETA_DIRECT 1
#define IBETA_SMALL 2
#define IBETA_SMALLER NMATH_RANGE(150, 50) // 2^-150

typedef struct { double a, b; ibeta_point u; double e, l; int way, shift, upper; } ibeta_moved;

// One test for all of it.
NMATH_FN int ibeta_at_rim(double a, double b) { return !(a > NMATH_RANGE(1e-100, 1e-20) && a + b < 1e30); }

// The sign of lambda in `upper`, its size in l, -D in e. n: the binomial size, or 0. mu: the mean, if the point comes from it, or 0. With
// a and b, x and y changed so that lambda >= 0, -D = a (log(1 - t) + t) + b (log(1 + u) - u), t = lambda/a, u = lambda/b,
// and 1 - t = (a + b) x/a where t is near 1.
NMATH_FN void ibeta_direct(ibeta_moved *r, double n, double mu)
{
    int high = r->a + r->b > NMATH_RANGE(1e300, 1e34);
    double c = high ? 0x1p-40 : 1.0, a = fmax(r->a * c, NMATH_RANGE(1e-280, 1e-27)), b = fmax(r->b * c, NMATH_RANGE(1e-280, 1e-27)), lambda;
    nmath_dd s = dd_two_sum(a, b);
    mu = a > 1e30 ? mu * c : 0.0;
    double x = r->u.k != 0 && r->u.y == 1.0 ? ldexp(r->u.x, r->u.k) : r->u.x;
    double y = r->u.k != 0 && r->u.y != 1.0 ? ldexp(r->u.y, r->u.k) : r->u.y;
    if (mu > 0) {
        lambda = a * ((mu - b) / (a + mu));
    } else if (n > 0) {
        lambda = fma(n * c, y, -b);
    } else {
        int left = x <= y;
        double f = left ? x : -y;
        nmath_dd t = dd_two_prod(s.hi, f), v = dd_two_prod(s.lo, f), d = dd_two_sum((left ? a : -b) - t.hi, -t.lo);
        lambda = (d.hi - v.hi) + (d.lo - v.lo);
    }
    r->upper = lambda < 0;
    double l = fabs(lambda), p = r->upper ? b : a, q = r->upper ? a : b, e;
    if (l > 0.6 * p) {
        e = mu > 0 ? log(s.hi / (a + mu)) + (r->upper ? log(mu) - log(b) : 0.0)
                   : log(s.hi * (r->upper ? y : x)) - log(p);
        e = p * e + l;
    } else {
        e = p * log1pmx(-l / p);
    }
    e += l < NMATH_RANGE(1e300, 1e34) * q ? q * log1pmx(l / q) : -l;
    r->e = high ? e * 0x1p+40 : e;
    r->l = high ? l * 0x1p+40 : l;
}

// Where the limit is to be taken, in `way`, and the shapes and the point for what is left to do.
NMATH_HEAVY ibeta_moved ibeta_rim_inner(double a, double b, ibeta_point u, double n, double mu)
{
    ibeta_moved r;
    r.way = r.shift = 0;
    r.u = u;
    if (a < NMATH_RANGE(1e-100, 1e-20)) {
        a = ldexp(frexp(a, &r.shift), -IBETA_SMALLER);
        r.shift = -IBETA_SMALLER - r.shift;
        r.way = IBETA_SMALL;
    }
    r.a = a;
    r.b = b;
    int left = a < b, high = a + b > NMATH_RANGE(1e150, 1e17);
    double s = left ? a : b, f = left ? u.x : u.y;
    int rare = u.k == 0 ? f < NMATH_RANGE(1e-60, 1e-25) : u.k < -200 && (left ? u.y : u.x) == 1.0;
    if (high && s < 1e30 && rare) {
        f = u.k == 0 ? f * 0x1p+40 : f;
        r.u.k += u.k == 0 ? 0 : 40;
        r.u.x = left ? f : u.x;
        r.u.y = left ? u.y : f;
        r.a *= left ? 1.0 : 0x1p-40;
        r.b *= left ? 0x1p-40 : 1.0;
    } else if (high || s > 1e30) {
        r.way |= IBETA_DIRECT;
        ibeta_direct(&r, n, mu);
    }
    return r;
}

// The same out of line, for the tails, whose programs are large enough. (The masses lose by it: a call takes registers for all
// that it hands over, also where it is not made.)
NMATH_HEAVY ibeta_moved ibeta_rim(double a, double b, ibeta_point u, double n, double mu)
{
    return ibeta_rim_inner(a, b, u, n, mu);
}
