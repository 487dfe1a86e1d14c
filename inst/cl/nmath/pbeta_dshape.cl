// @source_type: shim
// @source_origin: pbeta_dshape.c
// @provides: pbeta_dshape, PBETA_DSHAPE_LEAST, pbeta_dshape_raised, pbeta_dshape_lowered, pf_ddf_of_least, pf_ddf, pt_ddf, pnbinom_dsize, pbeta_dshape_step, pf_ddf_step, pt_ddf_step, pf_rim, pf_rim_place, PF_RIM, PF_RIM_BACK
// @depends: nmath, log1p, pgamma_utils, ibeta_mass, ibeta, ibeta_dshape
// @method: ibeta_dshape.cl
// @accuracy: derivatives 6.1 eps(1+cond) (host), 6.1 (PoCL)
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, ibeta_dshape
// @all_depends_count: 19

// pbeta_dshape and its relatives -- derivatives of distribution functions that are incomplete beta ratios in their
// shapes and degrees of freedom, from the V of ibeta_dshape.cl and the tail exp(e) m and h = M/tail of ibeta.cl: dI/da
// = -V M.
//     form 0: of the distribution function; 1: of its logarithm; 2: of the logarithm of the upper tail.
// The first of two shapes if `first` is not 0. pnbinom_dsize is given the probability p, or the
// mean m and p = 0.
//
// *_step: the derivative of a quantile at the quantile, V dx/d log(x/(1 - x)).

// d: the derivative of the lower tail over M
NMATH_FN double pbeta_dshape_form(ibeta_tail t, double d, double form)
{
    int upper = form == 2.0;
    double v = d * t.h;
    if (form != 0.0 && !t.upper == !upper)
        return upper ? -v : v;
    double r = exp(0.5 * t.e.hi), m = t.m + t.m * t.e.lo, p = (r * m * v) * r;
    p = form != 0.0 ? p / (1.0 - r * m * r) : p;
    return upper ? -p : p;
}

NMATH_FN ibeta_point pbeta_dshape_flip(ibeta_point u)
{
    ibeta_point o = u;
    o.x = u.y;
    o.y = u.x;
    o.d = u.d < 2.0 ? u.d / (u.d - 1.0) : u.d;
    return o;
}

// What is far beyond other doubles: the derivatives are not given there.
NMATH_FN int pbeta_dshape_far(double a, double b) { return !(a > 0 && b > 0 && a < NMATH_RANGE(1e290, 1e28) && b < NMATH_RANGE(1e290, 1e28)); }

// One shape next to nothing: the upper tail, if it is the first, or the lower one is proportional to it, to all digits. So a
// larger one gives the same, but for factors.
#define PBETA_DSHAPE_LEAST NMATH_RANGE(1e-270, 1e-26)
NMATH_FN double pbeta_dshape_raised(double a) { return fmax(a, PBETA_DSHAPE_LEAST); }

// The factor of a derivative in the first of two shapes, or in the second one: `form` 3 for a quantile's
NMATH_FN double pbeta_dshape_lowered(double a, double b, int first, double form)
{
    double q = fmin(a, b) / pbeta_dshape_raised(fmin(a, b));
    if (q == 1.0)
        return 1.0;
    int own = !first == !(a < b), vanishing = form == (a < b ? 2.0 : 1.0);
    if (form == 3.0 || vanishing)
        return own ? 1.0 / q : 1.0;
    return own ? 1.0 : q;
}

// Of shapes that are both next to nothing the mass b/n, n = a + b, is at 0 and a/n at 1, as doubles have it, and no product of
// shapes need be one. With degrees of freedom in place of shapes all is the same.
NMATH_FN int pbeta_dshape_tiny(double a, double b) { return a < 1e-20 && b < 1e-20; }

NMATH_FN double pbeta_dshape_of_tiny(double a, double b, int first, double form)
{
    double n = a + b, lower = first ? -(b / n) : a / n;
    if (form == 0.0)
        return lower / n;
    return (form == 1.0 ? lower / (b / n) : -lower / (a / n)) / n;
}

// The derivative of a quantile, `size` times that of log(x/(1 - x)); no quotient but the last one overflows alone
NMATH_FN double pbeta_dshape_step_of_tiny(double a, double b, int first, double size)
{
    double d = size / (a + b);
    return first ? d / a : -d / b;
}

NMATH_FN double pbeta_dshape_over(double a, double b, ibeta_point u, ibeta_tail t, int first, int odds)
{
    double v = ibeta_dshape(first ? a : b, first ? b : a, first ? u : pbeta_dshape_flip(u), t, odds);
    return first ? -v : v;
}

NMATH_HEAVY double pbeta_dshape(double x, double a, double b, double first, double form)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b))
        return x + a + b;
    if (a < 0 || b < 0)
        return ML_NAN;
    if (x <= 0 || x >= 1 || ibeta_limit(a, b) != IBETA_PROPER)
        return 0.0;
    if (pbeta_dshape_tiny(a, b))
        return pbeta_dshape_of_tiny(a, b, first != 0.0, form);
    if (pbeta_dshape_far(a, b))
        return ML_NAN;
    double by = pbeta_dshape_lowered(a, b, first != 0.0, form);
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    ibeta_point u = ibeta_at(x, 1.0 - x);
    ibeta_tail t = ibeta(a, b, u);
    return by * pbeta_dshape_form(t, pbeta_dshape_over(a, b, u, t, first != 0.0, 0), form);
}

NMATH_HEAVY double pbeta_dshape_step(double x, double a, double b, double first)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b))
        return x + a + b;
    if (a < 0 || b < 0)
        return ML_NAN;
    if (x <= 0 || x >= 1 || ibeta_limit(a, b) != IBETA_PROPER)
        return 0.0;
    if (pbeta_dshape_tiny(a, b))
        return pbeta_dshape_step_of_tiny(a, b, first != 0.0, x * (1.0 - x));
    if (pbeta_dshape_far(a, b))
        return ML_NAN;
    double by = pbeta_dshape_lowered(a, b, first != 0.0, 3.0);
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    ibeta_point u = ibeta_at(x, 1.0 - x);
    return -by * (pbeta_dshape_over(a, b, u, ibeta(a, b, u), first != 0.0, 0) * (x * (1.0 - x)));
}

#define PF_RIM NMATH_RANGE(1e285, 1e27)
#define PF_RIM_BACK NMATH_RANGE(0x1p-64, 0x1p-36)

// Degrees of freedom m = df1 and n = df2 beyond 1e285, times c = 2^-64. With t the larger of them, s the other, and r = m x/n, or
// n/(m x) where m is the larger:
//     both beyond 1e230    the logs of the tails are proportional to both, or their derivatives underflow;
//     r < 1e-40            the tail is that of t = Inf and a term in 1/t: V in t goes like 1/t^2;
//     else                 the log of the tail is about -1e250 and t times a function of r, which x keeps.
// So V in m and n and h = M/tail are to be multiplied by by1, by2 and by_h.
typedef struct { double x, df1, df2, by1, by2, by_h; } pf_rim;

NMATH_FN pf_rim pf_rim_place(double x, double df1, double df2)
{
    pf_rim p;
    p.x = x;
    p.df1 = df1;
    p.df2 = df2;
    p.by1 = p.by2 = p.by_h = 1.0;
    if (fmax(df1, df2) <= PF_RIM)
        return p;
    int both = fmin(df1, df2) > NMATH_RANGE(1e230, 1e24), second = df2 > df1;
    int limit = !both && (second ? df1 * x / df2 : df2 / x / df1) < NMATH_RANGE(1e-40, 1e-13);
    double by = limit ? PF_RIM_BACK * PF_RIM_BACK : PF_RIM_BACK;
    p.by_h = limit ? 1.0 : 1.0 / PF_RIM_BACK;
    p.by1 = both || !second ? by : 1.0;
    p.by2 = both || second ? by : 1.0;
    p.df1 *= both || !second ? PF_RIM_BACK : 1.0;
    p.df2 *= both || second ? PF_RIM_BACK : 1.0;
    p.x *= both || limit ? 1.0 : second ? PF_RIM_BACK : 1.0 / PF_RIM_BACK;
    return p;
}

// At given odds, where x moves with a shape a next to nothing, with L = Q/a and y = 1 - x,
//     dQ/da = L - y^b,
// and what vanishes with the second shape is the same from the other side. The shapes are `part` times a and b, in which the derivative
// is; `form` 3 for what moves the odds.
NMATH_FN double pf_ddf_of_least(double a, double b, double part, ibeta_point u, int first, double form)
{
    double own = first ? a : b, other = part * (first ? b : a);
    ibeta_point at = first ? u : pbeta_dshape_flip(u);
    ibeta_tail t = ibeta(PBETA_DSHAPE_LEAST, other, at);
    double r = exp(0.5 * t.e.hi), L = (r * ((t.m + t.m * t.e.lo) / PBETA_DSHAPE_LEAST)) * r;
    double x = ibeta_x(at), far = exp(other * (x < 0.5 ? log1p(-x) : log(ibeta_y(at)))), d = L - far;
    if (form == 3.0)
        return (first ? 1.0 : -1.0) * (d / far / own);
    if (form == (first ? 2.0 : 1.0))
        return d / L / own;
    return part * (first == (form != 2.0) ? -d : d);
}

// 0 for what has no derivative but 0
NMATH_FN double pf_ddf_of(double x, double df1, double df2, int first, double form, int step)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2))
        return x + df2 + df1;
    if (df1 <= 0 || df2 <= 0)
        return ML_NAN;
    if (x <= 0 || isinf(x) || isinf(first ? df1 : df2))
        return 0.0;
    df1 = isinf(df1) ? PF_RIM : df1;
    df2 = isinf(df2) ? PF_RIM : df2;
    if (pbeta_dshape_tiny(df1, df2))
        return step ? pbeta_dshape_step_of_tiny(df1, df2, first, 2.0 * x) : pbeta_dshape_of_tiny(df1, df2, first, form);
    pf_rim p = pf_rim_place(x, df1, df2);
    if (pbeta_dshape_far(p.df1, p.df2))
        return ML_NAN;
    ibeta_point o = ibeta_near(ibeta_odds(p.df1, p.x, p.df2), 1.0 - p.x);
    double by = 1.0, least = fmin(p.df1, p.df2);
    if (least < PBETA_DSHAPE_LEAST) {
        if (!first == !(p.df1 < p.df2)) {
            double own = pf_ddf_of_least(p.df1, p.df2, 0.5, o, first, step ? 3.0 : form);
            return step ? own * x : own;
        }
        by = pbeta_dshape_lowered(p.df1, p.df2, first, step ? 3.0 : form);
        p.df1 = pbeta_dshape_raised(p.df1);
        p.df2 = pbeta_dshape_raised(p.df2);
    }
    ibeta_tail t = ibeta_of(p.df1, p.df2, o, 0.5);
    double d = 0.5 * pbeta_dshape_over(0.5 * p.df1, 0.5 * p.df2, o, t, first, 1) * (first ? p.by1 : p.by2);
    t.h *= p.by_h;
    return by * (step ? -d * x : pbeta_dshape_form(t, d, form));
}

NMATH_HEAVY double pf_ddf(double x, double df1, double df2, double first, double form)
{
    return pf_ddf_of(x, df1, df2, first != 0.0, form, 0);
}

NMATH_HEAVY double pf_ddf_step(double x, double df1, double df2, double first)
{
    return pf_ddf_of(x, df1, df2, first != 0.0, 0.0, 1);
}

// Of n next to nothing, with t = x/sqrt(n): P = (1 + n asinh(t))/2, whose derivative in n is asinh(t)/2 - t/(4 sqrt(1 + t^2)), and the
// density n/(2 sqrt(n + x^2)); x > 0.
NMATH_FN double pt_ddf_of_tiny(double x, double n, double form, int step)
{
    double s = sqrt(n), t = x / s, r = s / x;
    double l = t < NMATH_RANGE(1e150, 1e17) ? asinh(t) : log(x) + M_LN2 - log(s);
    double d = 0.5 * l - 0.25 * (t < 1.0 ? t / sqrt(1.0 + t * t) : 1.0 / sqrt(1.0 + r * r));
    if (step)
        return -2.0 * d / s * (t < 1.0 ? sqrt(1.0 + t * t) : t * sqrt(1.0 + r * r));
    return form == 0.0 ? d : form == 1.0 ? 2.0 * d : -2.0 * d;
}

// The tail beyond |x| is half of one of u : 1 - u = x^2 : n.
NMATH_FN double pt_ddf_of(double x, double n, double form, int step)
{
    if (ISNAN(x) || ISNAN(n))
        return x + n;
    if (n <= 0)
        return ML_NAN;
    if (x == 0 || isinf(x) || isinf(n))
        return 0.0;
    double a = fabs(x), by = 1.0, by_h = 1.0, part = 1.0;
    if (n < 1e-20)
        return (x < 0 ? -1.0 : 1.0) * pt_ddf_of_tiny(a, n, form, step);
    double near = NMATH_RANGE(1e-30, 1e-18) * sqrt(n);
    if (a < near) { // next to 0 all goes like x, and x^2/n need not be a double
        part = a / near;
        x = x < 0 ? -near : near;
        a = near;
    }
    if (n > PF_RIM) { // as above
        int limit = a / n * a < NMATH_RANGE(1e-40, 1e-13);
        n *= PF_RIM_BACK;
        by = limit ? PF_RIM_BACK * PF_RIM_BACK : PF_RIM_BACK;
        by_h = limit ? 1.0 : 1.0 / PF_RIM_BACK;
        a *= limit ? 1.0 : NMATH_RANGE(0x1p-32, 0x1p-18); // its root
    }
    if (pbeta_dshape_far(n, n))
        return ML_NAN;
    ibeta_point o = ibeta_near(ibeta_odds(a, a, n), fma(-a, a, 1.0));
    ibeta_tail t = ibeta_of(1.0, n, o, 0.5);
    double d = 0.5 * pbeta_dshape_over(0.5, 0.5 * n, o, t, 0, 1) * by;
    t.h *= by_h;
    d *= part;
    if (step)
        return -0.5 * d * x;
    int lower = form != 2.0, beyond = lower ? x < 0 : x > 0;
    double s = lower == (x > 0) ? 0.5 : -0.5; // of the tail asked for, in the ratio
    if (form == 0.0)
        return s * pbeta_dshape_form(t, d, 0.0);
    if (beyond)
        return pbeta_dshape_form(t, d, 2.0);
    return s * pbeta_dshape_form(t, d, 0.0) / (1.0 - 0.5 * ibeta_value(t, 1, 0));
}

NMATH_HEAVY double pt_ddf(double x, double n, double form) { return pt_ddf_of(x, n, form, 0); }

NMATH_HEAVY double pt_ddf_step(double x, double n) { return pt_ddf_of(x, n, 0.0, 1); }

NMATH_HEAVY double pnbinom_dsize(double x, double size, double p, double m, double form)
{
    if (ISNAN(x) || ISNAN(size) || ISNAN(p) || ISNAN(m))
        return x + size + p + m;
    if (size < 0 || p < 0 || p > 1 || m < 0)
        return ML_NAN;
    x = floor(x + 1e-7);
    if (x < 0 || size == 0 || isinf(x) || isinf(size) || p == 1 || (p == 0 && m == 0))
        return 0.0;
    if (pbeta_dshape_far(size, x + 1.0))
        return ML_NAN;
    if (x == 0 && p == 0) { // (1 + m/size)^-size, whose derivative is small where m/size is
        double w = m / (size + m), l = w < 0.5 ? log1pmx(-w) : log(size) - log(size + m) + w;
        double e = w < 0.5 ? size * log1p(-w) : size * (log(size) - log(size + m));
        return form == 1.0 ? l : form == 0.0 ? l * exp(e) : -l * exp(e) / -expm1(e);
    }
    ibeta_point u = p > 0 ? ibeta_at(p, 1.0 - p) : ibeta_odds(size, 1.0, m);
    if (p == 0 && size < PBETA_DSHAPE_LEAST)
        return pf_ddf_of_least(size, x + 1.0, 1.0, u, 1, form);
    double by = pbeta_dshape_lowered(size, x + 1.0, 1, form);
    size = pbeta_dshape_raised(size);
    ibeta_tail t = ibeta(size, x + 1.0, u);
    return by * pbeta_dshape_form(t, pbeta_dshape_over(size, x + 1.0, u, t, 1, p == 0), form);
}
