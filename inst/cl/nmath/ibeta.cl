// @source_type: shim
// @source_origin: ibeta.c
// @provides: ibeta, ibeta_of, ibeta_inner, ibeta_tail, ibeta_value, ibeta_small, ibeta_fraction
// @depends: nmath, stirlerr_cycle_free, lgamma, pgamma_utils, pnorm, ibeta_mass, ibeta_asym
// @method: power series, continued fraction or uniform expansion, each for the smaller tail
// @accuracy: 4.6 eps(1+cond) of either tail (host and PoCL)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass
// @all_depends_count: 12

// ibeta -- the incomplete beta ratio I_x(a, b) for all a, b > 0, 0 < x < 1, as one of its tails, from which
// ibeta_value() gives either tail and its log. All users (beta, F, t, binomial, negative binomial) come here, with x
// and y = 1 - x given apart, so that neither is ever a difference.
//
// With n = a + b and lambda = a - n x = n y - b, the tail on the side of x is computed; a and b, x and y change
// places first if x is above the mean a/n. It is T = exp(e) m, where e is the exponent of x^a y^b / B(a, b), see
// ibeta_mass.cl, or 0, and m comes from one of
//   fraction   a continued fraction: Didonato & Morris (1992), "Algorithm 708: significant digit computation of the
//              incomplete beta function ratios", ACM TOMS 18, 360-373, eq. 9.
//   expansion  for a b/n >= 100 and |lambda| <= 0.28 a b/n: ibeta_asym.cl.
//   series     for small shapes next to x = 0, where the tail beyond x is what is left of 1 by the tail before it: see
//              ibeta_small().

// The tail exp(e) m, above x if `upper`, and h = x^a y^b / B(a, b) / tail, the hazard times x y.
typedef struct { nmath_dd e; double m, h; int upper; } ibeta_tail;

// T or 1 - T, or their logs.
NMATH_FN double ibeta_value(ibeta_tail t, int upper, int log_p)
{
    int same = !t.upper == !upper;
    if (log_p && same)
        return fmin(0.0, t.e.hi + (t.e.lo + log(t.m)));
    double p;
    if (t.e.hi < -NMATH_RANGE(690.0, 69.0)) {
        double r = exp(0.5 * t.e.hi);
        p = (r * t.m * (1.0 + t.e.lo)) * r;
    } else {
        p = exp(t.e.hi) * (t.m + t.m * t.e.lo);
    }
    p = fmin(p, 1.0) + 0.0; // m may be -0
    return log_p ? log1p(-p) : same ? p : 1.0 - p;
}

#ifdef NMATH_FLOAT_PAIRS
// The terms of S from the kth on, of which one float will do; t: the one before.
NMATH_FN float ibeta_small_rest(float a, float x, float z, float t, int k)
{
    float s = 0.0f;
    for (; k <= 24 && !(t < 1e-14f && t > -1e-14f); ++k) {
        t *= x - z / (float)k;
        s += t / (a + (float)k);
    }
    return s;
}
#endif

// For a <= 1.3, b >= a, z = b x <= 1.5, x <= 0.15 (x = m 2^k, l = log((b1 + a) x), b1 = b, or b + 4 if b < 3.375):
//     I_x(a, b) = exp(g) (1 + a S),   S = sum_{k>=1} (1-b)...(k-b)/k! x^k/(a + k),   g = a log x - log(a B(a, b)),
//     1 - I_x(a, b) = -expm1(g) - exp(g) a S.
// g is a multiple of a, and kept so to the last bit; with s = Stirling's error and n1 = b1 + a
//     g = a l + (b1 - 1/2) log(1 + a/b1) - a + (s(n1) - s(b1)) - log Gamma(1 + a) - log(1 + d),
// where 1 + d, for b < 3.375, is the product of (b + a + i)/(b + i), i = 0..3. In s(b1) - s(n1), s(t) = G(1/t^2)/t,
// the difference of G comes as a divided difference.
NMATH_FN ibeta_tail ibeta_small(double a, double b, double x, double z, double l)
{
    double lift = 0.0, b1 = b;
    if (b < 3.375) {
        b1 = b + 4.0;
        for (int i = 0; i < 4; ++i) {
            double u = a / (b + i);
            lift += (1.0 + lift) * u;
        }
    }
    double vb = 1.0 / b1, vn = 1.0 / (b1 + a), tb = vb * vb, tn = vn * vn, g = 0.0, d = 0.0;
    for (int i = 5; i >= 0; --i) {
        d = d * tn + g;
        g = g * tb + stirlerr_odd[i];
        d = d * tn + g;
        g = g * tb + stirlerr_even[i];
    }
    double u = a * vb, lu = log1pmx(u), r = a <= 0.375 ? a : a - 1.0;
    double lg = r * lgamma_ratio(r) - (a <= 0.375 ? log1p(a) : 0.0);
    g = a * l + ((b1 * lu - 0.5 * (u + lu)) - u * vn * (g + d * vn * (vb + vn))) - lg - log1p(lift);

    double s = 0.0, t = 1.0;
    for (int j = 0; j < 6; ++j) {
        for (int i = 1; i <= 4; ++i) {
            double k = 4 * j + i;
            t *= x - z / k;
            s += t / (a + k);
        }
        if (fabs(t) < NMATH_DIGITS(1e-17, 2e-7)) {
#ifdef NMATH_FLOAT_PAIRS
            s += ibeta_small_rest(NMATH_REST(a), NMATH_REST(x), NMATH_REST(z), NMATH_REST(t), 4 * j + 5);
#endif
            break;
        }
    }
    double em = expm1(g), f = 1.0 + em;
    ibeta_tail res;
    res.e.lo = 0.0;
    res.upper = g > -0.7;
    res.e.hi = res.upper ? 0.0 : g;
    res.m = res.upper ? -em - f * (a * s) : 1.0 + a * s;
    res.h = (res.upper ? f : 1.0) * a * exp(x < NMATH_RANGE(1e-290, 1e-28) ? -z : b * log1p(-x)) / res.m;
    return res;
}

#ifdef NMATH_FLOAT_PAIRS
// What the steps of ibeta_fraction add to its convergent q once they are so small that one float will do for them: the distance from q
// goes by the same recurrence.
typedef struct { float N, xs, bs, ms, s, k, L, ys, am, c, h, r, B0, det; } ibeta_steps;

NMATH_FN float ibeta_fraction_rest(ibeta_steps f, float q)
{
    float A = 0.0f, A0 = f.det, B = 1.0f, B0 = f.B0, least = 4e-15f * PAIR_ABS(q);
    for (int j = 0; j < 24 && PAIR_ABS(f.det) > least * PAIR_ABS(B * B0); ++j) {
        for (int i = 0; i < 4; ++i) {
            f.N += f.xs;
            f.bs -= f.xs;
            f.ms += f.s;
            f.k += 1.0f;
            f.L += f.ys;
            f.am += 1.0f;
            float g = f.k * f.bs * f.r, alpha = f.h * f.N * g;
            f.c += 2.0f;
            f.r = 1.0f / f.c;
            f.h = f.am * f.r;
            float beta = f.ms + g + f.h * f.L, t = beta * A + alpha * A0;
            A0 = A;
            A = t;
            t = beta * B + alpha * B0;
            B0 = B;
            B = t;
            f.det *= alpha;
        }
        float v = 1.0f / B;
        A0 *= v;
        A *= v;
        B0 *= v;
        B = 1.0f;
        f.det *= v * v;
    }
    return A;
}
#endif

// a times the continued fraction 1/(beta_1 + alpha_2/(beta_2 + ...)), by forward recurrence:
//     alpha_{m+1} = (a+m-1)(n+m-1) m (b-m) x^2/(a+2m-1)^2,
//     beta_{m+1} = m + m (b-m) x/(a+2m-1) + (a+m)/(a+2m+1) (lambda + 1 + m (1 + y)).
// Scaled by 2^-k, 2^k <= 1 + |lambda| < 2^(k+1), the terms of 100 steps stay in range. `det` is |A_m B_{m-1} - A_{m-1} B_m|, the product
// of the alphas: the step of the convergents, free of their rounding errors. From the fourth step on A is the distance to the
// fourth convergent q, A_m - q B_m, which goes by the same recurrence: else errors of 60 steps add up. nx, bx: the products n x, b x. At most
// 68 steps were taken in a million random cases (next to the series, with a small shape); 96 is the bound.
NMATH_FN double ibeta_fraction(double a, double nx, double bx, double x, double y, double lambda)
{
    double s = nmath_from_bits(0x7fe0000000000000UL - (nmath_bits(1.0 + fabs(lambda)) & 0x7ff0000000000000UL));
    double xs = x * s, ys = (1.0 + y) * s;
    double c = a + 1.0, r = 1.0 / c, am = a + 1.0;
    double L = (lambda + 1.0) * s, B0 = L * r, A0 = 1.0;
    double N = nx * s, bs = bx * s - xs, g = bs * r, alpha = N * r * g, ms = s, k = 1.0;
    c += 2.0;
    r = 1.0 / c;
    L += ys;
    double h = am * r, beta = ms + g + h * L;
    double A = beta, B = beta * B0 + alpha, det = alpha, q = 0.0;
    for (int j = 0; j < 24; ++j) {
        if (fabs(det) <= NMATH_DIGITS(3e-17, 2e-8) * fabs((q * B + A) * B0))
            break;
        for (int i = 0; i < 4; ++i) {
            N += xs;
            bs -= xs;
            ms += s;
            k += 1.0;
            L += ys;
            am += 1.0;
            g = k * bs * r;
            alpha = h * N * g;
            c += 2.0;
            r = 1.0 / c;
            h = am * r;
            beta = NMATH_MAD(h, L, ms + g);
            double t = NMATH_MAD(alpha, A0, beta * A);
            A0 = A;
            A = t;
            t = NMATH_MAD(alpha, B0, beta * B);
            B0 = B;
            B = t;
            det *= alpha;
        }
#ifdef NMATH_FLOAT_PAIRS // whose range the terms of a few steps leave
        int e;
        frexp(B, &e);
        A0 = ldexp(A0, -e);
        A = ldexp(A, -e);
        B0 = ldexp(B0, -e);
        B = ldexp(B, -e);
        det = ldexp(det, -2 * e);
#endif
        if (j == 0) {
            q = A / B;
            A0 = det / B;
            A = 0.0;
        }
    }
#ifdef NMATH_FLOAT_PAIRS
    ibeta_steps f;
    f.N = NMATH_REST(N);
    f.xs = NMATH_REST(xs);
    f.bs = NMATH_REST(bs);
    f.ms = NMATH_REST(ms);
    f.s = NMATH_REST(s);
    f.k = NMATH_REST(k);
    f.L = NMATH_REST(L);
    f.ys = NMATH_REST(ys);
    f.am = NMATH_REST(am);
    f.c = NMATH_REST(c);
    f.h = NMATH_REST(h);
    f.r = NMATH_REST(r);
    f.B0 = NMATH_REST(B0 / B);
    f.det = NMATH_REST(det / B / B);
    q += A / B;
    q += ibeta_fraction_rest(f, NMATH_REST(q));
    return s * q;
#else
    return s * (q + A / B);
#endif
}

// Shapes away from the rim.
NMATH_FN ibeta_tail ibeta_inner(double a, double b, ibeta_point u)
{
    int swap = b < a;
    double t = a;
    a = swap ? b : a;
    b = swap ? t : b;
    t = u.x;
    u.x = swap ? u.y : t;
    u.y = swap ? t : u.y;
    u.d = swap && u.d < 2.0 ? u.d / (u.d - 1.0) : u.d;
    ibeta_frame p = ibeta_place(a, b, u);
    double x = ibeta_x(u), y = ibeta_y(u);

    if (p.left && x <= 0.15 && a <= 1.3) {
        double bx = p.k == 0 ? b * x : ldexp(b * p.f, p.k);
        if (bx <= 1.5) {
            double l = ((b < 3.375 ? b + 4.0 : b) + a) * p.f, s = ldexp(l, p.k);
            l = s > NMATH_RANGE(1e-290, 1e-28) ? log(s) : log(l) + p.k * M_LN2;
            if (p.lambda < 0 || a * l > -1.5) {
                ibeta_tail r = ibeta_small(a, b, x, bx, l);
                r.upper ^= swap;
                return r;
            }
        }
    }

    // bring the tail to compute to the left
    double n = p.n, v = a * (b / n);
    if (p.lambda < (a < 1.0 || v >= 100.0 ? 0.0 : -0.5)) {
        t = a;
        a = b;
        b = t;
        t = x;
        x = y;
        y = t;
        p.lambda = -p.lambda;
        p.left = !p.left;
        swap = !swap;
    }
    ibeta_tail res;
    res.upper = swap;
    res.e = ibeta_deviance(a, b, p);
    if (v >= 100.0 && p.lambda <= 0.28 * v) {
        double d = fmax(-2.0 * res.e.hi, 0.0), vi = 1.0 / v, sv = sqrt(vi), zeta = sqrt(d);
        res.m = pnorm_mills(zeta) + M_1_SQRT_2PI * sv * ibeta_asym_sum(vi, (b - a) / n, zeta * sv);
        double pq = v / n, w = vi * vi, w2 = 1.0 / 360 * (1.0 - pq * (3.0 + pq * pq));
        double w4 = 1.0 / 1260 * (1.0 - 5.0 * pq * (1.0 - pq));
        double g = vi * ((1.0 - pq) * (1.0 / 12) - w * (w2 - w * w4)); // s(a) + s(b) - s(n)
        res.h = M_1_SQRT_2PI / sv * (1.0 - g * (1.0 - 0.5 * g * (1.0 - (1.0 / 3) * g * (1.0 - 0.25 * g)))) / res.m;
    } else {
        double w;
        nmath_dd q = dd_two_sum(res.e.hi, ibeta_stirling(a, b, n, &w));
        res.e = dd_normal(q.hi, NMATH_REST(q.lo) + NMATH_REST(res.e.lo));
        double nx = p.left ? p.z : n * x, bx = p.left ? b * (p.z / n) : b * x;
        double F = ibeta_fraction(a, nx, bx, x, y, p.lambda);
        // where it underflows, the exponent is beyond -1e19
        res.m = fmax((b <= 1.0 ? F * b / n : F * (b / n)) * (M_1_SQRT_2PI / sqrt(w)), NMATH_DBL_MIN);
        res.h = a / F;
    }
    return res;
}

// The tail for shapes a part and b part, part = 1 or 1/2.
NMATH_HEAVY ibeta_tail ibeta_of(double a, double b, ibeta_point u, double part)
{
    ibeta_moves r = ibeta_fit(&a, &b, &u, part);
    ibeta_tail t = ibeta_inner(a, b, u);
    if (r.rim) // proportional to large shapes where the exponent is, else the quotient of density and tail
        t.h = ldexp(r.power != 1.0 && t.e.hi < -1.0 ? t.h * r.power : ldexp(t.h, r.mass), -r.tail);
    t.e = ibeta_unfit(t.e, r, r.tail);
    return t;
}

NMATH_FN ibeta_tail ibeta(double a, double b, ibeta_point u) { return ibeta_of(a, b, u, 1.0); }
