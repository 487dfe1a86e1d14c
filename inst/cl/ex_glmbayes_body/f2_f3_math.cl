// @source_type: shim
// @source_origin: f2_f3_math.c
// @provides: f2_f3_obs, f2_f3_exp, f2_f3_exp_negative, f2_f3_log1p_unit, f2_f3_reciprocal, f2_f3_log_link
// @depends:
// @all_depends_count: 0

// f2_f3_math -- the functions that the inner loop over observations consists of, without a branch or a call, so that a
// compiler can run several grid points in one vector register, and a GPU needs no second path.
//
// exp: x = k log 2 + f with |f| <= log(2)/2; adding 1.5 * 2^52 rounds to the integer k and leaves it in the low bits of
// the sum. exp(f) = 1 + f + f^2 P(f). Where 2^k or its neighbours are not normal numbers the power of 2 is applied in two
// steps. Error below 1 ulp with fused multiply-add, below 2 without.

// What a family makes of the response and weight of an observation, once for all grid points: its _obs() function says
// what the fields are. All zeros is an observation that contributes nothing at eta = 0.
typedef struct { double p, q, r, s; } f2_f3_obs;

// Kernels that work on many grid points at a time take a family by these two macros, which its file defines:
// F2_F3_FAMILY, the common beginning of its functions' names, and F2_F3_PRODUCT(o), see f2_f3_binomial_logit.
#define F2_F3_PASTE_(a, b) a##b
#define F2_F3_PASTE(a, b) F2_F3_PASTE_(a, b)
#define F2_F3_MEMBER(part) F2_F3_PASTE(F2_F3_FAMILY, part)

#ifdef NMATH_FLOAT_PAIRS // no sum with 2^52 rounds them
NMATH_FN double f2_f3_exp(double x, double one) { return one != 0.0 ? expm1(x) : exp(x); }
NMATH_FN double f2_f3_exp_negative(double x) { return exp(x); }
#else
// log 2 in two parts; the first has 33 bits, so that its product with k is exact.
#define F2_F3_LN2_HI 0x1.62e42feep-1
#define F2_F3_LN2_LO 0x1.a39ef35793c76p-33
#define F2_F3_ROUND 0x1.8p52

// up (exp(x) - one) / up for one = 0 or 1, |x| < 800 and a power of two `up` such that up 2^k is normal.
NMATH_FN double f2_f3_exp_scaled(double x, double one, double up, double down)
{
    double t = NMATH_FMA(x, M_LOG2E, F2_F3_ROUND), k = t - F2_F3_ROUND;
    double f = NMATH_FMA(-k, F2_F3_LN2_LO, NMATH_FMA(-k, F2_F3_LN2_HI, x));
    double scale = nmath_from_bits((nmath_bits(t) << 52) + nmath_bits(up));
    // P, in ascending powers from the last line up: interpolation of (exp(f) - 1 - f)/f^2 in the Chebyshev nodes of
    // |f| <= log(2)/2, error 1.6e-17 of exp(f).
    double c = 0x1.af38a9b0ec855p-26;
    c = NMATH_FMA(c, f, 0x1.289185613a3d6p-22);
    c = NMATH_FMA(c, f, 0x1.71de0dae63bb3p-19);
    c = NMATH_FMA(c, f, 0x1.a019b90d2ae7ap-16);
    c = NMATH_FMA(c, f, 0x1.a01a01a7c41d5p-13);
    c = NMATH_FMA(c, f, 0x1.6c16c1788bd90p-10);
    c = NMATH_FMA(c, f, 0x1.11111111109b3p-7);
    c = NMATH_FMA(c, f, 0x1.5555555553d63p-5);
    c = NMATH_FMA(c, f, 0x1.5555555555556p-3);
    c = NMATH_FMA(c, f, 0.5);
    c = NMATH_FMA(f * f, c, f);
    return NMATH_FMA(scale, c, scale - one * up) * down;
}

// exp(x) - one for one = 0 or 1.
NMATH_FN double f2_f3_exp(double x, double one)
{
    x = x < -760.0 ? -760.0 : x;
    x = x > 720.0 ? 720.0 : x;
    double up = x < -600.0 ? 0x1p120 : 1.0, down = x < -600.0 ? 0x1p-120 : 1.0;
    up = x > 600.0 ? 0x1p-120 : up;
    down = x > 600.0 ? 0x1p120 : down;
    return f2_f3_exp_scaled(x, one, up, down);
}

// exp(x) for x <= 0.
NMATH_FN double f2_f3_exp_negative(double x)
{
    x = x < -760.0 ? -760.0 : x;
    return f2_f3_exp_scaled(x, 0.0, x < -600.0 ? 0x1p120 : 1.0, x < -600.0 ? 0x1p-120 : 1.0);
}

#undef F2_F3_LN2_HI
#undef F2_F3_LN2_LO
#undef F2_F3_ROUND
#endif

// log(1 + e) for 0 <= e <= 1: log((1 + e)/2) + log 2 for the larger e. log(1 + f) = 2 atanh(s) = f - s (f - s^2 R(s^2)),
// s = f/(2 + f).
NMATH_FN double f2_f3_log1p_unit(double e)
{
    double f = e > M_SQRT2 - 1.0 ? 0.5 * e - 0.5 : e, add = e > M_SQRT2 - 1.0 ? M_LN2 : 0.0;
    double s = f / (2.0 + f), z = s * s;
    // R in ascending powers from the last line up: interpolation of (2 atanh(s)/s - 2)/s^2 in the Chebyshev nodes of
    // 0 <= z <= (3 - 2 sqrt 2)^2, error 5e-18 of the logarithm.
    double c = 0x1.2b5f68a50d903p-3;
    c = NMATH_FMA(c, z, 0x1.39fdcceb4bb45p-3);
    c = NMATH_FMA(c, z, 0x1.7462b91b8df65p-3);
    c = NMATH_FMA(c, z, 0x1.c71c62d5e53e0p-3);
    c = NMATH_FMA(c, z, 0x1.2492492dfd86cp-2);
    c = NMATH_FMA(c, z, 0x1.9999999995273p-2);
    c = NMATH_FMA(c, z, 0x1.5555555555558p-1);
    return add + (f - s * (f - z * c));
}

// 1/x for 1 <= x <= 2. NVIDIA's compiler makes a division 20 instructions and a branch; its hardware gives 20 bits, which
// one step of third order makes more than 53.
NMATH_FN double f2_f3_reciprocal(double x)
{
#if defined(__NV_CL_C_VERSION) && !defined(NMATH_FLOAT_PAIRS)
    double r, h;
    __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    h = fma(-x, r, 1.0);
    return fma(r, fma(h, h, h), r);
#else
    return 1.0 / x;
#endif
}

// The families with a log link: l = q t - p (exp(t) - s) and *d = dl/dt, for a linear function t of eta whose constant
// is r; s = 1 says that the expansion is about the mode, whence dl/dt = 0 at t = 0, and s = 0 that dl/dt is q - p exp(t).
NMATH_FN double f2_f3_log_link(double t, f2_f3_obs o, double *d)
{
    double e = f2_f3_exp(t, o.s);
    *d = NMATH_FMA(-o.p, e, o.s != 0.0 ? 0.0 : o.q);
    return NMATH_FMA(o.q, t, -o.p * e);
}
