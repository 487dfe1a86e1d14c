// @source_type: c
// @source_origin: choose.c
// @provides: choose, lchoose, lfastchoose
// @depends: nmath, lgamma, pgamma_utils
// @method: product with one division for k < 30, else Stirling's formula with the exponent in double-double
// @accuracy: choose.tsv 1.2 eps(1+cond) (host), 1.2 (PoCL), 0.81 (H200); lchoose.tsv 0.78 eps(1+cond) (host), 0.78 (PoCL), 0.78 (H200)
// @all_depends: Rmath, nmath, log1p, stirlerr_cycle_free, lgamma, pgamma_utils
// @all_depends_count: 6

// choose -- binomial coefficients choose(n, k) = n (n-1) ... (n-k+1) / k! for real n and whole k, and their logs.
//
// k is rounded. An n within 1e-7 max(1, |n|) of a whole number counts as whole: the coefficient is then rounded, is 0 for
// 0 <= n < k, and is symmetric, so that k may be the smaller of k and n - k.
//
// k < 30: the product, which errs by at most 60 roundings, so that a whole coefficient below 2^46 rounds to the right one;
// up to 2^53 its last bits come from integer arithmetic.
//
// k >= 30: C(a+b; a) = (a+b)!/(a! b!) for real a, b >= 0, with a! = sqrt(2 pi w) (a/e)^a e^r (dpois.cl):
//     C = exp(a log((a+b)/a) + b log((a+b)/b) + r(a+b) - r(a) - r(b)) sqrt(w(a+b) / (2 pi w(a) w(b))).
// The sum a+b enters as hi + lo, so rounding the difference of two arguments before does no harm; the exponent may be
// hundreds of times larger than the condition number and is kept as hi + lo too, as far as that matters. By the
// reflection of Gamma (Abramowitz & Stegun 6.1.17), with sin(pi n) from n - rint(n),
//     n >= k:      choose = C(n; k),
//     0 < n < k:   choose = (-1)^(k-1) sin(pi n) / (pi (k-n) C(k; n)),
//     -1 < n < 0:  choose = (-1)^k (-n/k) C(k-1-n; k-1),
//     n <= -1:     choose = (-1)^k C(k-n-1; k).

#define CHOOSE_SMALL 30

// k!, the nearest double; tools/fit_choose.py
NMATH_TABLE double choose_factorial[CHOOSE_SMALL] = {
    1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0, 6227020800.0,
    87178291200.0, 1307674368000.0, 20922789888000.0, 355687428096000.0, 6402373705728000.0, 121645100408832000.0,
    2432902008176640000.0, 51090942171709440000.0, 1124000727777607680000.0, 25852016738884976640000.0,
    620448401733239439360000.0, 15511210043330985984000000.0, 403291461126605635584000000.0,
    10888869450418352160768000000.0, 304888344611713860501504000000.0, 8841761993739701954543616000000.0};

// (n-1)(n-2)...(n-k+1) / k! for 1 <= k < 30: the factor n is left to the caller. Four products, for speed and because
// none of them leaves the range of doubles unless the whole does.
NMATH_FN double choose_product(double n, int k)
{
    double p = 1.0, q = 1.0, r = 1.0, s = 1.0, m = n - 1.0;
    int j = k - 1;
    for (; j >= 4; j -= 4) {
        p *= m;
        q *= m - 1.0;
        r *= m - 2.0;
        s *= m - 3.0;
        m -= 4.0;
    }
    p *= j > 0 ? m : 1.0;
    q *= j > 1 ? m - 1.0 : 1.0;
    r *= j > 2 ? m - 2.0 : 1.0;
    return (p * q) / choose_factorial[k] * (r * s);
}

// The inverse modulo 2^64 of the odd part of k!; tools/fit_choose.py
NMATH_TABLE nmath_u64 choose_inverse[CHOOSE_SMALL] = {
    0x1UL, 0x1UL, 0x1UL, 0xaaaaaaaaaaaaaaabUL, 0xaaaaaaaaaaaaaaabUL,
    0xeeeeeeeeeeeeeeefUL, 0x4fa4fa4fa4fa4fa5UL, 0x2ff2ff2ff2ff2ff3UL, 0x2ff2ff2ff2ff2ff3UL, 0x938cc70553e3771bUL,
    0xb71c27cddd93e49fUL, 0xb38e3229fcdee63dUL, 0xe684bb63544a4cbfUL, 0xc2f684917ca340fbUL, 0xf747c9cba417526dUL,
    0xbb26eb51d7bd49c3UL, 0xbb26eb51d7bd49c3UL, 0xb0a7efb985294093UL, 0xbe4b8c69f259eabbUL, 0x6854d17ed6dc4fb9UL,
    0xe1aa904c915f4325UL, 0x3b8206df131cead1UL, 0x79c6009fea76fe13UL, 0xd8c5d381633cd365UL, 0x4841f12b21144677UL,
    0x4a91ff68200b0d0fUL, 0x8f9513a58c4f9e8bUL, 0x2b3e690621a42251UL, 0x4f520f00e03c04e7UL, 0x2edf84ee600211d3UL};

// C(m; k) < 2^53 for whole 1 <= k < 30, k <= m, from v, which is nearly C: m (m-1) ... (m-k+1) / k! modulo 2^64 over the
// power of 2 in k! gives the last 39 bits or more.
NMATH_FN double choose_exact(double v, double m, int k)
{
    nmath_u64 p = (nmath_u64)m, t = p;
    for (int j = 1; j < k; ++j)
        p *= --t;
    int s = k / 2 + k / 4 + k / 8 + k / 16;
    nmath_u64 c = (p >> s) * choose_inverse[k] - (nmath_u64)v;
    return v + (double)((nmath_i64)(c << s) >> s);
}

// log C(a+b; a) + log(2 pi w) / 2 for a, b > 0. parts = 0: for use as a logarithm; 1: in hi + lo, error an ulp of
// min(a, b); 2: to twice the digits.
NMATH_HEAVY nmath_dd choose_exponent(double a, double b, int parts, double *w)
{
    nmath_dd n = dd_two_sum(a, b), e, f;
    double wn, wa, wb, low = n.lo / n.hi;
    if (a > b) {
        double t = a;
        a = b;
        b = t;
    }
    if (parts > 1) {
        e = dd_log_ratio(n.hi, a);
        e = dd_mul_d(dd_fast_two_sum(e.hi, e.lo + low), a);
        f = dd_log_ratio(n.hi, b);
        f = dd_mul_d(dd_two_sum(f.hi, f.lo + low), b);
    } else {
        if (parts > 0 || n.hi > NMATH_RANGE(1e300, 1e34)) {
            e = pgamma_log_power(a, n.hi, a, 0);
        } else {
            e.hi = a * log(n.hi / a);
            e.lo = 0.0;
        }
        f.hi = b * log1p(a / b);
        f.lo = 0.0;
    }
    f.lo += pgamma_stirling(n.hi, &wn) - pgamma_stirling(a, &wa) - pgamma_stirling(b, &wb);
    *w = wa < wb ? wa * (wb / wn) : wb * (wa / wn);
    return dd_add(e, f);
}

NMATH_FN int choose_odd(double k) { return k < 9007199254740992.0 && ((nmath_i64)k & 1) != 0; }

// choose(n, k) = factor * C(a+b; a)^power, power = 1 or -1: the four lines above
typedef struct { double factor, power, a, b; } choose_form;

NMATH_FN choose_form choose_reflect(double n, double k)
{
    choose_form c;
    c.power = 1.0;
    c.factor = choose_odd(k) ? -1.0 : 1.0;
    c.a = k;
    if (n >= k) {
        c.factor = 1.0;
        c.b = n - k;
    } else if (n > 0) {
        c.power = -1.0;
        c.a = n;
        c.b = k - n;
        c.factor = lgamma_sinpi(n) / (M_PI * c.b);
        if (choose_odd(floor(n)) == choose_odd(k))
            c.factor = -c.factor;
    } else if (n > -1) {
        c.factor *= -n / k;
        c.a = k - 1.0;
        c.b = -n;
    } else {
        c.b = -n - 1.0;
    }
    return c;
}

// Rounds k and, for whole n, looks for the same coefficient with a smaller k: *k < 0 stands for the coefficient 0,
// and *sign remains as a factor. True if n counts as whole.
NMATH_FN int choose_reduce(double *n, double *k, double *sign)
{
    double r = R_forceint(*n), l = R_forceint(*k);
    int whole = *n == r ? !isinf(r) : fabs(*n - r) <= 1e-7 * fmax(1.0, fabs(*n));
    *k = l;
    *sign = 1.0;
    if (isinf(l)) {
        if (*n >= 0 && !isinf(*n))
            *k = -1.0;
    } else if (whole && l > 0) {
        if (r >= 0) {
            *k = r < l ? -1.0 : r - l < l ? r - l : l;
        } else if (l >= CHOOSE_SMALL && r >= -CHOOSE_SMALL) {
            // (-1)^k choose(k-n-1, -n-1)
            *sign = choose_odd(l) ? -1.0 : 1.0;
            *k = -r - 1.0;
            r = l + *k;
        }
        if (l >= CHOOSE_SMALL)
            *n = r;
    }
    return whole;
}

NMATH_HEAVY double choose(double n, double k)
{
    if (ISNAN(n) || ISNAN(k))
        return n + k;
    double sign, w;
    int whole = choose_reduce(&n, &k, &sign);
    if (k <= 0)
        return k < 0 ? 0.0 : sign;
    if (k < CHOOSE_SMALL) {
        double v = choose_product(n, (int)k) * n;
        if (!whole)
            return v;
        v = R_forceint(v);
        double m = fabs(v);
        if (m > 0x1p+46 && m < 0x1p+53 && n == R_forceint(n))
            v = copysign(choose_exact(m, n < 0 ? k - 1.0 - n : n, (int)k), v);
        return sign * v;
    }
    if (isinf(n) || isinf(k))
        return ML_NAN;
    choose_form c = choose_reflect(n, k);
    nmath_dd e = choose_exponent(c.a, c.b, c.power > 0 ? 1 : 2, &w);
    e.hi *= c.power;
    e.lo *= c.power;
    c.factor *= c.power > 0 ? M_1_SQRT_2PI / sqrt(w) : sqrt(M_2PI * w);
    if (fabs(e.hi) < NMATH_RANGE(690.0, 69.0))
        return dd_exp(e) * c.factor;
    // the exponential may be out of range and the coefficient not
    double h = exp(0.5 * e.hi);
    return h * (1.0 + e.lo) * c.factor * h;
}

NMATH_HEAVY double lchoose(double n, double k)
{
    if (ISNAN(n) || ISNAN(k))
        return n + k;
    if (R_forceint(k) == 1)
        return log(fabs(n)); // as it is: log n may be small
    double sign, w;
    int whole = choose_reduce(&n, &k, &sign);
    if (k <= 0)
        return k < 0 ? ML_NEGINF : 0.0;
    if (whole)
        n = R_forceint(n);
    if (k < CHOOSE_SMALL) {
        double v = fabs(choose_product(n, (int)k) * n);
        if (v < NMATH_DBL_MAX)
            return log(whole ? R_forceint(v) : v);
    }
    if (isinf(n) || isinf(k))
        return ML_NAN;
    choose_form c = choose_reflect(n, k);
    nmath_dd e = choose_exponent(c.a, c.b, 0, &w);
    return log(fabs(c.factor)) + c.power * (e.hi + (e.lo - pgamma_log_sqrt(w)));
}

// log C(n; k) = -log(n+1) - log B(n-k+1, k+1) for real k, n - k > -1
NMATH_HEAVY double lfastchoose(double n, double k)
{
    if (ISNAN(n) || ISNAN(k))
        return n + k;
    double a = k, b = n - k, f = 0.0, w;
    if (a < -1 || b < -1)
        return ML_NAN;
    if (a == -1 || b == -1)
        return ML_NEGINF;
    if (b < 0) {
        f = log((b + 1.0) / (a + b + 1.0));
        b += 1.0;
    }
    if (a < 0) {
        f += log((a + 1.0) / (a + b + 1.0));
        a += 1.0;
    }
    if (a == 0 || b == 0)
        return f;
    nmath_dd e = choose_exponent(a, b, 0, &w);
    return f + (e.hi + (e.lo - pgamma_log_sqrt(w)));
}

#undef CHOOSE_SMALL
