// @source_type: shim
// @source_origin: bessel_exponent.c
// @provides: bessel_exponent, bessel_debye_exponent, bessel_debye_times_exp, BESSEL_HYPERBOLIC, BESSEL_BELOW, BESSEL_ABOVE, BESSEL_WIDE, BESSEL_NEAR, bessel_near, bessel_near_log, bessel_near_angle
// @depends: nmath
// @method: root, logarithm and angle in double-double, or for orders below 256 in 26 bits and a rest
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// bessel_exponent -- exponents and phases of Debye's expansions, as sums of two doubles: their absolute error is the
// functions' relative one. They are differences of terms that grow like nu, known to 2^-62, so that an ulp is lost beyond
// orders of about 1000.

// The root sqrt(x^2 +- nu^2) and e: with the root r of x^2 + nu^2 or s of |x^2 - nu^2|,
//   BESSEL_HYPERBOLIC  e = r - nu log((nu + r)/x) - times x, times = -1, 0 or 1   the exponent of I
//   BESSEL_BELOW       e = s - nu log((nu + s)/x), x < nu                         the exponent of J
//   BESSEL_ABOVE       e = s - nu atan(s/nu), nu < x < 2 nu                       the phase of J
//   BESSEL_WIDE        e = nu^2/(x + s) - nu atan(nu/s), x >= 2 nu                x less that phase, less nu pi/2
// where r - x = nu^2/(r + x).
typedef struct { double root; nmath_dd e; } bessel_exponent;

#define BESSEL_HYPERBOLIC 0
#define BESSEL_BELOW 1
#define BESSEL_ABOVE 2
#define BESSEL_WIDE 3

// atan(k/8), each as hi and lo; tools/fit_bessel.py
NMATH_TABLE double bessel_debye_angle[30] = {
    0, 0, 0.12435499454676144, -3.1253241424539383e-18,
    0.24497866312686414, 1.0698755618734451e-17, 0.35877067027057225, -2.4623815582638635e-17,
    0.46364760900080609, 2.2698777452961687e-17, 0.55859931534356244, -5.4556305485916264e-18,
    0.64350110879328437, 1.5834785051444286e-17, 0.71882999962162453, -2.1478388444456983e-17,
    0.78539816339744828, 3.061616997868383e-17, 0.84415398611317105, -4.8413370119349168e-17,
    0.89605538457134393, 2.9238762857743049e-17, 0.94200004037946361, 5.4608374858466876e-17,
    0.98279372324732905, 1.3903311031230998e-17, 1.0191413442663497, 1.0004018869366799e-17,
    1.0516502125483738, -9.6505647314675135e-17
};

// 1/3 - w/5 + w^2/7 - ... = (1 - atan(u)/u)/w, w = u^2 <= 1/256; error 2^-59
NMATH_TABLE double bessel_debye_atan[7] = {
    0.33333333333333331, -0.2, 0.14285714285714285, -0.1111111111111111, 0.090909090909090912, -0.076923076923076927,
    0.066666666666666666
};

// Orders below 256, where a logarithm or an angle may be a double of 26 bits and a rest: each product of two such doubles is
// exact, and the rest, 2^-26 of the whole, needs no second double: what is left of the series of the logarithm, below 1e-3, is off by
// 2^-51 of itself, e by an eps at most. r or s as `hi` + lo, `root` their sum.
typedef struct { double root, hi, lo, x, x_lo, nu, nu_lo; } bessel_near;

#define BESSEL_NEAR(x, nu) ((nu) < 256.0 && (x) > 0x1p-20 && (x) < 0x1p20)

NMATH_FN double bessel_near_head(double x) { return nmath_from_bits(nmath_bits(x) & 0xfffffffff8000000UL); }

// sqrt(x^2 +- nu^2) or, BESSEL_BELOW, sqrt(nu^2 - x^2), which are not 0
NMATH_FN bessel_near bessel_near_root(double x, double nu, int kind)
{
    bessel_near g;
    g.x = bessel_near_head(x);
    g.nu = bessel_near_head(nu);
    g.x_lo = x - g.x;
    g.nu_lo = nu - g.nu;
    double p = kind == BESSEL_BELOW ? -1.0 : 1.0, q = kind == BESSEL_HYPERBOLIC || kind == BESSEL_BELOW ? 1.0 : -1.0;
    g.root = sqrt(kind == BESSEL_HYPERBOLIC ? x * x + nu * nu : fabs(x - nu) * (x + nu));
    g.hi = bessel_near_head(g.root);
    double v = 1.0 / (g.hi + g.root);
    nmath_dd d = dd_two_sum(p * (g.x * g.x), q * (g.nu * g.nu));
    g.lo = ((d.hi - g.hi * g.hi) + (d.lo + (p * (g.x_lo * (x + g.x)) + q * (g.nu_lo * (nu + g.nu))))) * v;
    g.root = g.hi + g.lo;
    return g;
}

// The quotient n/d = top + rest, top of 26 bits.
typedef struct { double all, top, rest; } bessel_near_ratio;

NMATH_FN bessel_near_ratio bessel_near_quotient(nmath_dd n, nmath_dd d)
{
    bessel_near_ratio r;
    double v = 1.0 / d.hi, h = bessel_near_head(d.hi);
    r.all = n.hi * v;
    r.top = bessel_near_head(r.all);
    r.rest = (((n.hi - r.top * h) - r.top * ((d.hi - h) + d.lo)) + n.lo) * v;
    return r;
}

// a + b - nu (l + rest): a, b of 26 bits or added exactly, b's rest in `low`.
NMATH_FN nmath_dd bessel_near_sum(double a, double b, double low, bessel_near g, nmath_dd l, double nu)
{
    double h = bessel_near_head(l.hi);
    nmath_dd f = dd_two_sum(a, b), e = dd_two_sum(f.hi, -g.nu * h);
    return dd_fast_two_sum(e.hi, e.lo + (f.lo + (low - (g.nu_lo * h + nu * ((l.hi - h) + l.lo)))));
}

// e of BESSEL_HYPERBOLIC and BESSEL_BELOW. With b = 2^(k/2), odd powers as 181/128 2^j, next to a/x, a = nu + r,
//     log(a/x) = log b + 2 atanh((a - b x)/(a + b x)).
NMATH_FN bessel_exponent bessel_near_log(double x, double nu, int kind, int times)
{
    bessel_exponent r;
    bessel_near g = bessel_near_root(x, nu, kind);
    int below = kind == BESSEL_BELOW; // then r <= nu
    nmath_dd a = dd_fast_two_sum(below ? nu : g.hi, below ? g.hi : nu), d, n, l;
    a = dd_fast_two_sum(a.hi, a.lo + g.lo);
    nmath_u32 up = (nmath_high(a.hi) - nmath_high(x) + 0x80040000u) >> 19; // 4096 + k, log2 from the bits is off by 0.09
    double j = (double)(int)(up >> 1) - 2048.0, odd = (double)(int)(up & 1u);
    double b = nmath_from_bits(((nmath_u64)((up >> 1) - 1025u) << 52) | ((nmath_u64)(up & 1u) * 0x6a00000000000UL));
    n = dd_two_sum(a.hi - b * g.x, -b * g.x_lo);
    n.lo += a.lo;
    d = dd_fast_two_sum(a.hi, -0.5 * n.hi);
    d.lo += a.lo - 0.5 * n.lo;
    bessel_near_ratio s = bessel_near_quotient(n, d);
    double w = 0.25 * (s.all * s.all), t = s.all * (w * nmath_poly(w, logdd_atanh, 8));
    // log(181/128) on the grid of the upper piece of log 2, and what is left
    l = dd_fast_two_sum(j * NMATH_LN2_HI + odd * 0.34646676725242287, s.top);
    l.lo += t + (s.rest + (j * NMATH_LN2_LO + odd * 9.3785711712987339e-11));
    r.root = g.root;
    r.e = bessel_near_sum(g.hi, times == 0 ? 0.0 : times == 1 ? -x : x, g.lo, g, l, nu);
    return r;
}

// e of BESSEL_ABOVE and BESSEL_WIDE. With t = k/8 next to y/x, atan(y/x) = atan(t) + atan((y - t x)/(x + t y)).
NMATH_FN bessel_exponent bessel_near_angle(double x, double nu, int kind)
{
    bessel_exponent r;
    bessel_near g = bessel_near_root(x, nu, kind);
    int wide = kind == BESSEL_WIDE;
    double y = wide ? g.nu : g.hi, z = wide ? g.hi : g.nu, y_lo = wide ? g.nu_lo : g.lo, z_lo = wide ? g.lo : g.nu_lo;
    int k = (int)(8.0 * (wide ? nu / g.root : g.root / nu) + 0.5);
    double t = 0.125 * (double)k;
    nmath_dd n = dd_two_sum(y, -t * z), d = dd_two_sum(z, t * y), l;
    n = dd_two_sum(n.hi, n.lo + (y_lo - t * z_lo));
    d = dd_fast_two_sum(d.hi, d.lo + (z_lo + t * y_lo));
    bessel_near_ratio u = bessel_near_quotient(n, d);
    double w = u.all * u.all, v = u.all * (w * nmath_poly(w, bessel_debye_atan, 7));
    l = dd_fast_two_sum(NMATH_PICK(bessel_debye_angle + 2 * k), u.top);
    l.lo += (u.rest - v) + NMATH_PICK(bessel_debye_angle + (2 * k + 1));
    r.root = g.root;
    r.e = bessel_near_sum(wide ? x : 0.0, wide ? -g.hi : g.hi, wide ? -g.lo : g.lo, g, l, nu);
    return r;
}

// p/q
NMATH_FN nmath_dd bessel_debye_ratio(nmath_dd p, nmath_dd q)
{
    double h = p.hi / q.hi;
    return dd_fast_two_sum(h, (fma(-h, q.hi, p.hi) + (p.lo - h * q.lo)) / q.hi);
}

// atan(y/x), 0 <= y <= 1.8 x, to 2^-62: with t = k/8 near its tangent, atan(t) + atan((y - t x)/(x + t y)).
NMATH_FN nmath_dd bessel_debye_atan2(nmath_dd y, nmath_dd x)
{
    int k = (int)(8.0 * (y.hi / x.hi) + 0.5);
    double t = 0.125 * (double)k;
    nmath_dd p = dd_mul_d(x, -t), q = dd_mul_d(y, t), u = bessel_debye_ratio(dd_add(y, p), dd_add(x, q));
    double w = u.hi * u.hi, v = w * nmath_poly(w, bessel_debye_atan, 7);
    nmath_dd r = dd_two_sum(NMATH_PICK(bessel_debye_angle + 2 * k), u.hi);
    return dd_fast_two_sum(r.hi, r.lo + (u.lo + (NMATH_PICK(bessel_debye_angle + (2 * k + 1)) - u.hi * v)));
}

// The same for any order.
NMATH_HEAVY bessel_exponent bessel_debye_exponent(double x, double nu, int kind, int times)
{
    bessel_exponent b;
    double big = fmax(x, nu), small = fmin(x, nu), h = big > NMATH_RANGE(1e150, 1e17) ? NMATH_RANGE(0x1p-600, 0x1p-90) : 1.0;
    nmath_dd p, q, r, angle, X, V;
    big *= h;
    small *= h;
    X.hi = x * h;
    V.hi = nu * h;
    X.lo = V.lo = 0.0;
    if (kind == BESSEL_HYPERBOLIC) {
        p = dd_add(dd_two_prod(big, big), dd_two_prod(small, small));
    } else {
        q = dd_two_sum(big, small);
        r = dd_two_sum(big, -small);
        p = dd_two_prod(q.hi, r.hi);
        p.lo += q.hi * r.lo + q.lo * r.hi;
    }
    r.hi = sqrt(p.hi);
    r.lo = (fma(-r.hi, r.hi, p.hi) + p.lo) / (2.0 * r.hi);
    if (kind == BESSEL_ABOVE || kind == BESSEL_WIDE) {
        int wide = kind == BESSEL_WIDE;
        angle = bessel_debye_atan2(wide ? V : r, wide ? r : V);
    } else {
        q = dd_add(V, r);
        angle = dd_log_ratio(q.hi, X.hi);
        angle.lo += q.lo / q.hi;
    }
    b.root = r.hi / h;
    if (kind == BESSEL_WIDE || times == 1) // r - x or x - s
        r = bessel_debye_ratio(dd_two_prod(V.hi, V.hi), dd_add(r, X));
    else if (times == -1)
        r = dd_add(r, X);
    r.hi /= h;
    r.lo /= h;
    p = dd_two_prod(nu, -angle.hi);
    p.lo -= nu * angle.lo;
    b.e = dd_two_sum(r.hi, p.hi);
    double rest = b.e.lo + (r.lo + p.lo);
    b.e = dd_two_sum(b.e.hi, fabs(rest) < NMATH_RANGE(1e300, 1e34) ? rest : 0.0);
    if (!(fabs(b.e.lo) < 0.01)) // far beyond the range of exp
        b.e.lo = 0.0;
    return b;
}

// v exp(e), rounded once where it is subnormal.
NMATH_FN double bessel_debye_times_exp(double v, nmath_dd e)
{
    int far = fabs(e.hi) > NMATH_RANGE(690.0, 69.0);
    double f = exp(far ? 0.5 * e.hi : e.hi);
    v = v * (1.0 + e.lo) * f;
    return far ? v * f : v;
}
