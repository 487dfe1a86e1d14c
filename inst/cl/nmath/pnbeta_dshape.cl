// @source_type: shim
// @source_origin: pnbeta_dshape.c
// @provides: pnbeta_dshape, dnbeta_dshape, pnbeta_dshape_step, pnf_ddf, dnf_ddf, pnf_ddf_step
// @depends: nmath, dpq, log1p, pgamma_utils, digamma_rise, ibeta_mass, ibeta, ibeta_dshape, pbeta_dshape, nbeta_mass, nbeta_mix, pnbeta_hazard
// @method: means over the components of the Poisson mixture of the central derivatives
// @accuracy: derivatives 7.8 eps(1+cond) (host)
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, pgamma_utils, bessel_scaled_slope, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass, ibeta_dshape, nbeta_mix, pbeta_dshape, pnbeta_hazard
// @all_depends_count: 24

// pnbeta_dshape and its relatives -- derivatives of the non-central beta and F distributions in their shapes and
// degrees of freedom. With the terms f_j of x y times the density (nbeta_mass.cl), f_j = p_j M_j, M_j = x^(a+j)
// y^b/B(a+j, b), and the derivative of the central distribution of shapes a + j, b over M_j, D_j (pbeta_dshape.cl),
//     dP/ds = sum_j p_j dI_x(a + j, b)/ds = sum_j f_j D_j:
// over x y times the density that is the mean of D_j, weighted by f_j; and the derivative of the log density is the
// mean of d log f_j/ds. D_j is smooth, so that it neither overflows nor moves the peak of the terms, and from what is
// known of the central derivatives nothing cancels in it. The sum goes outward from the largest f_j; where that has an
// index beyond NBETA_SLOPES_DIRECT, over every d-th real j (nbeta_mass.cl).
//
// At given odds x b/(y a), as in the F distribution, d log(x/y)/da = 1/a, which for the component is
// 1/(a + j) + j/(a (a + j)); and with lambda = a + j - (a + b + j) x
//     d log f_j/da = fall(a + j, b) + log(1 - w) + w + w j/a,   w = lambda/(a + j),
//     d log f_j/db = fall(b, a + j) + log(1 + w) - w,           w = lambda/b,
// fall(a, b) = psi(a + b) - psi(a) - log(1 + b/a).
//
//     form 0: of the distribution function; 1: of its logarithm; 2: of the logarithm of the upper tail.
// The first of two shapes if `first` is not 0. *_step: the derivative of a quantile.

#define NBETA_DSHAPE_TERMS 600
#define NBETA_DSHAPE_LEAST 1e-20 // of the largest term
#define NBETA_DSHAPE_SHORT 40.0 // indices up to which recurrences do not add up too many errors
#define NBETA_DSHAPE_SURE 4.0 // how much they may cancel
#define NBETA_DSHAPE_LOST 0.7 // of what is subtracted: the derivative at given odds has zeros

// d log f_j/ds. Next to a + j = 1 the derivative at given odds in b nearly vanishes: in parts that are as small.
NMATH_FN double nbeta_dshape_term(double a, double j, double b, ibeta_point u, int first, int odds)
{
    double A = a + j, x = ibeta_x(u);
    if (odds && !first && A > 0.5 && A < 1.5 && x < 0.5)
        return ibeta_dshape_beyond(A, b) + (log1pmx(-x) + x * (A / b));
    ibeta_frame p = ibeta_place(A, b, u);
    double s = first ? A : b, rise = digamma_fall(s, first ? b : A), w = (first ? p.lambda : -p.lambda) / s;
    if (w > 0.5) { // s - lambda, or s + lambda, is n times a coordinate that may be tiny
        double l =
            p.left == first ? log(p.f * (p.n / s)) + p.k * M_LN2 : log((first ? x : ibeta_y(u)) * (p.n / s));
        rise += odds ? l + w : l;
    } else {
        rise += odds ? log1pmx(-w) : log1p(-w);
    }
    return odds && first ? rise + w * (j / a) : rise;
}

// The direction of the derivatives, in a shape at given x or odds: theta is that of log(x/y). lambda as in ibeta_mass.cl, for j = 0.
typedef struct { double a, b, n, x, y, lambda, theta; int first, odds; } nbeta_direction;

// d log g_j, g_j = M_j/(a + j). In a, from j + 1 where it is much less than 1/(a + j).
NMATH_FN double nbeta_direction_gain(nbeta_direction v, double j, ibeta_point u)
{
    double A = v.a + j;
    if (v.first && A < 1.0)
        return nbeta_dshape_term(v.a, j + 1.0, v.b, u, 1, 0) - 1.0 / (v.n + j) + v.theta * (v.lambda + j * v.y);
    double t = nbeta_dshape_term(v.a, j, v.b, u, v.first, v.odds);
    return v.first ? t - 1.0 / A : t;
}

// Its change from j to j + 1: in a (1 - b)/((n+j) (a+j+1)), in b 1/(n+j), with what goes with theta in one quotient
NMATH_FN double nbeta_direction_step(nbeta_direction v, double j)
{
    double N = v.n + j, A = v.a + j, l = v.lambda + j * v.y;
    if (v.first)
        return (v.odds ? (l * (A + 1.0) + v.b * j + v.n) / v.a : 1.0 - v.b) / (N * (A + 1.0));
    return (v.odds ? -l / v.b : 1.0) / N;
}

// D_j, or d log f_j/ds if `density`
NMATH_SHARED double nbeta_dshape_at(double a, double b, double j, ibeta_point u, int first, int odds, int density)
{
    if (density)
        return nbeta_dshape_term(a, j, b, u, first, odds);
    double A = a + j, D = pbeta_dshape_over(A, b, u, ibeta(A, b, u), first, odds);
    return odds && first ? D + j / (a * A) : D;
}

// The mean of the D_j for sums from index 0 on, given the largest term. With g_j = M_j/(a + j), I_j = I_(j+1) + g_j, and so
//     D_j = r_j D_(j+1) + e_j,   r_j = x (a+b+j)/(a+j),   e_j = d log g_j/(a + j):
// downward from the last term that counts to the largest M_j, where the lower tails are small, upward from the first one below that.
// Where the D_j cancel in the mean their errors are too many for it: not `sure`.
NMATH_SHARED double nbeta_dshape_short(double a, double b, double z, double top, ibeta_point u, int first, int odds, int *sure)
{
    nbeta_direction v;
    v.a = a;
    v.b = b;
    v.n = a + b;
    v.x = ibeta_x(u);
    v.y = ibeta_y(u);
    v.lambda = ibeta_place(a, b, u).lambda;
    v.theta = !odds ? 0.0 : first ? 1.0 / a : -1.0 / b;
    v.first = first;
    v.odds = odds;
    double lo = top, hi = top, weight = 1.0, low = 1.0, sum = 0.0, mean = 0.0, size = 0.0;
    while (hi < NBETA_DSHAPE_TERMS && weight > NBETA_DSHAPE_LEAST) {
        weight *= z * ((v.n + hi) / ((hi + 1.0) * (a + hi)));
        hi += 1.0;
    }
    while (lo > 0.5 && (low > NBETA_DSHAPE_LEAST || (lo < 64.0 && low > 1e-250))) {
        low *= lo * ((a + (lo - 1.0)) / (z * (v.n + (lo - 1.0))));
        lo -= 1.0;
    }
    double cut = fmax(lo, fmin(hi + 1.0, ceil(-v.lambda / v.y))); // M_j is largest
    for (int up = 0; up < 2; ++up) {
        int count = (int)(up ? cut - lo : hi + 1.0 - cut);
        if (count < 1)
            continue;
        double j = up ? lo : hi, w = up ? low : weight, D = 0.0, gain = 0.0, known = ML_POSINF;
        for (int fresh = 1;;) {
            D = fresh ? nbeta_dshape_at(a, b, j, u, first, odds, 0) : D;
            sum += w;
            mean += w * D;
            size += w * fabs(D);
            if (--count == 0)
                break;
            double k = up ? j : j - 1.0, A = a + k, N = v.n + k, r = v.x * N / A;
            double ratio = z * N / ((k + 1.0) * A); // f_(k+1)/f_k
            gain += up ? nbeta_direction_step(v, k - 1.0) : -nbeta_direction_step(v, k);
            if (fabs(gain) < NBETA_DSHAPE_LOST * known || A < 1.0) { // digits
                gain = nbeta_direction_gain(v, k, u);
                known = fabs(gain);
            }
            double old = up ? D : r * D, e = up ? -gain / A : gain / A;
            fresh = fabs(old + e) < NBETA_DSHAPE_LOST * fabs(e) || (odds && j + (up ? 1.0 : -1.0) == top); // the largest term
            D = up ? (old + e) / r : old + e;
            w = up ? w * ratio : w / ratio;
            j += up ? 1.0 : -1.0;
        }
    }
    *sure = size < NBETA_DSHAPE_SURE * fabs(mean);
    return mean / sum;
}

// The mean of the derivatives of the components, of log densities if `density`.
NMATH_SHARED double nbeta_dshape_mean(double a, double b, double h, ibeta_point u, int first, int odds, int density)
{
    double z = nbeta_times(h, 1.0, u), top = nbeta_peak(z, a, b, 0.0, h);
    if (!density && top <= NBETA_DSHAPE_SHORT) {
        int sure;
        double D = nbeta_dshape_short(a, b, z, top, u, first, odds, &sure);
        if (sure)
            return D;
    }
    double step = 1.0, N1 = a + (b + top), N2 = top + 1.0, N3 = a + top, rise = 0.0;
    int direct = top <= NBETA_SLOPES_DIRECT;
    int single = top > (density ? 1e26 : 1e17); // their standard deviation is nothing beside top, or rounds to nothing
    if (!direct) {
        step = NBETA_STEP * nbeta_width(top, a, b);
        rise = log(z / N2 * (N1 / N3));
    }
    double sum = 0.0, mean = 0.0, d = 0.0, m = 1.0, turn = step;
    for (int k = 0; k < NBETA_DSHAPE_TERMS; ++k) {
        double j = top + d, D = nbeta_dshape_at(a, b, j, u, first, odds, density);
        if (!direct && k > 0)
            m = exp(d * rise + nbeta_rise(N1, d) - nbeta_rise(N2, d) - nbeta_rise(N3, d));
        if (single)
            return D;
        sum += m;
        mean += m * D;
        int done = m < 1e-17 * sum && fabs(m * D) < 1e-17 * fabs(mean) && !(direct && turn < 0.0 && j < 64.0);
        if (turn < 0.0 && direct && j < 0.5)
            break;
        if (done && turn < 0.0)
            break;
        if (turn > 0.0 && (done || !(m > 0.0))) {
            turn = -step;
            d = 0.0;
            j = top;
            m = 1.0;
            if (direct && top < 0.5)
                break;
        }
        if (direct)
            m *= turn > 0.0 ? z * ((a + b + j) / ((j + 1.0) * (a + j)))
                            : j * ((a + (j - 1.0)) / (z * (a + b + (j - 1.0))));
        d += turn;
    }
    return mean / sum;
}

#undef NBETA_DSHAPE_TERMS
#undef NBETA_DSHAPE_LEAST
#undef NBETA_DSHAPE_SHORT
#undef NBETA_DSHAPE_SURE
#undef NBETA_DSHAPE_LOST

// The derivative of P or of the log of a tail from that over x y times the density
NMATH_FN double nbeta_dshape_form(double a, double b, double h, double unit, ibeta_point u, double d, double form)
{
    if (form == 0.0)
        return d * nbeta_density(a, b, h, unit, u, 1.0, 1.0, 0);
    double r = d * nbeta_hazard(a, b, h, unit, u, form == 2.0, 1.0);
    return form == 2.0 ? -r : r;
}

NMATH_FN int nbeta_dshape_bad(double a, double b, double ncp)
{
    return ncp < 0 || isinf(ncp) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b) || pbeta_dshape_far(a, b) ||
           ncp > NMATH_RANGE(1e290, 1e28);
}

// A shape next to nothing, as in pbeta_dshape.cl; of the first one that holds for an ncp that is not, too, whose mass other terms have.
// NaN where both count.
NMATH_FN double nbeta_dshape_lowered(double a, double b, double ncp, int first, double form)
{
    if (a < PBETA_DSHAPE_LEAST && (b < PBETA_DSHAPE_LEAST || ncp < 1e-250))
        return ML_NAN;
    return a < PBETA_DSHAPE_LEAST ? 1.0 : pbeta_dshape_lowered(1.0, b, first, form);
}

NMATH_HEAVY double pnbeta_dshape(double x, double a, double b, double ncp, double first, double form)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    if (nbeta_dshape_bad(a, b, ncp))
        return ML_NAN;
    if (!(x > 0 && x < 1))
        return 0.0;
    if (ncp == 0)
        return pbeta_dshape(x, a, b, first, form);
    double by = nbeta_dshape_lowered(a, b, ncp, first != 0.0, form);
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    ibeta_point u = ibeta_at(x, 1.0 - x);
    double d = nbeta_dshape_mean(a, b, 0.5 * ncp, u, first != 0.0, 0, 0);
    return by * nbeta_dshape_form(a, b, 0.5 * ncp, 1.0, u, d, form);
}

NMATH_HEAVY double dnbeta_dshape(double x, double a, double b, double ncp, double first)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    if (nbeta_dshape_bad(a, b, ncp))
        return ML_NAN;
    if (first != 0.0 ? x == 0 : x == 1)
        return ML_NEGINF;
    if (!(x >= 0 && x <= 1))
        return 0.0;
    if (b < PBETA_DSHAPE_LEAST && first == 0.0) // the density goes like b
        return a < PBETA_DSHAPE_LEAST ? ML_NAN : 1.0 / b;
    if (a < PBETA_DSHAPE_LEAST && ncp < 1e-250)
        return ML_NAN;
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    // at the other end the limit, which a step of 2^-1000 does not change
    return nbeta_dshape_mean(a, b, 0.5 * ncp, ibeta_at(x == 0 ? 0x1p-1000 : x, x == 1 ? 0x1p-1000 : 1.0 - x), first != 0.0, 0, 1);
}

NMATH_HEAVY double pnbeta_dshape_step(double x, double a, double b, double ncp, double first)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b) || ISNAN(ncp))
        return x + a + b + ncp;
    if (nbeta_dshape_bad(a, b, ncp))
        return ML_NAN;
    if (!(x > 0 && x < 1))
        return 0.0;
    if (ncp == 0)
        return pbeta_dshape_step(x, a, b, first);
    double by = nbeta_dshape_lowered(a, b, ncp, first != 0.0, 3.0);
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    return -by * (x * (1.0 - x)) * nbeta_dshape_mean(a, b, 0.5 * ncp, ibeta_at(x, 1.0 - x), first != 0.0, 0, 0);
}

// The non-central F distribution's arguments where infinite degrees of freedom are as good as huge ones, and ncp and x that are both beyond the
// rest count by their quotient alone: both are divided by `scale`. For the tails huge degrees of freedom are moved as in pf_rim_place(),
// with an ncp that is nothing beside them: by1, by2 and by_h are as there.
typedef struct { double x, df1, df2, ncp, scale, by1, by2, by_h; } nf_place;

NMATH_FN nf_place nf_at(double x, double df1, double df2, double ncp, int tail)
{
    nf_place p;
    p.df1 = isinf(df1) ? 1e285 : df1;
    p.df2 = isinf(df2) ? 1e285 : df2;
    p.scale = ncp > NMATH_RANGE(1e290, 1e28) && x * fmin(1.0, p.df1) > 1e40 * p.df2 ? 0x1p64 : 1.0;
    p.x = x / p.scale;
    p.ncp = ncp / p.scale;
    p.by1 = p.by2 = p.by_h = 1.0;
    pf_rim r = pf_rim_place(p.x, p.df1, p.df2);
    if (p.ncp < 1e200 && (tail || r.by_h == 1.0)) { // of a density only where it is as good as that of infinite ones
        p.x = r.x;
        p.df1 = r.df1;
        p.df2 = r.df2;
        p.by1 = r.by1;
        p.by2 = r.by2;
        p.by_h = r.by_h;
    }
    return p;
}

#define NF_INSIDE 1.0

// NaN, or 0 where that is what every derivative of P in its degrees of freedom is, or NF_INSIDE
NMATH_FN double nf_where(double x, double df1, double df2, double ncp, double first, int tail)
{
    if (ISNAN(x) || ISNAN(df1) || ISNAN(df2) || ISNAN(ncp))
        return x + df1 + df2 + ncp;
    if (!(df1 > 0) || !(df2 > 0) || !(ncp >= 0) || isinf(ncp))
        return ML_NAN;
    if (!(x > 0) || isinf(x) || isinf(first != 0.0 ? df1 : df2))
        return 0.0;
    nf_place p = nf_at(x, df1, df2, ncp, tail);
    return nbeta_dshape_bad(p.df1, p.df2, p.ncp) ? ML_NAN : NF_INSIDE;
}

// The mean of the components' derivatives in the degrees of freedom
NMATH_FN double nf_mean(nf_place p, double first, int density)
{
    ibeta_point u = ibeta_odds(p.df1, p.x, p.df2);
    double d = 0.5 * nbeta_dshape_mean(0.5 * p.df1, 0.5 * p.df2, 0.5 * p.ncp, u, first != 0.0, 1, density);
    return d * (first != 0.0 ? p.by1 : p.by2);
}

// With df1 next to nothing x df1/df2 is, too, and of the terms two: with a = df1/2, h = ncp/2 and the L of pf_ddf_of_least()
//     P = e^-h (1 - a L + h a x),   x dP/dx = a e^-h (1 + h x),
// up to what is of the order of a^2, which is taken from 1e-120 on: means over the terms cancel and overflow. While with df2 next to nothing P is proportional to it: with b = df2/2 and the hazard H of ln x
//     dP/db = P/b - 1 = 1/H - 1.
// `form` 3 for a quantile over itself.
NMATH_FN double pnf_ddf_of_least(double x, double df1, double df2, double ncp, int first, double form)
{
    double h = 0.5 * ncp, least = 2.0 * PBETA_DSHAPE_LEAST, q = fmin(df1, df2) / least;
    ibeta_point u = ibeta_odds(df1, x, df2);
    if (ncp < 1e-250 || !(df2 < df1 ? df2 < 1e-40 * fmin(1.0, df1 * x) : df1 * x < 1e-40 * fmin(1.0, df2)))
        return ML_NAN;
    if (df2 < df1) {
        double H = nbeta_hazard(0.5 * df1, PBETA_DSHAPE_LEAST, h, 1.0, u, 0, 1.0);
        if (first) {
            double d = 0.5 * nbeta_dshape_mean(0.5 * df1, PBETA_DSHAPE_LEAST, h, u, 1, 1, 0);
            return form == 3.0 ? -d : nbeta_dshape_form(0.5 * df1, PBETA_DSHAPE_LEAST, h, 1.0, u, d, form) * (form == 1.0 ? 1.0 : q);
        }
        if (form == 1.0)
            return (1.0 - H) / df2;
        double d = 1.0 / H - 1.0;
        return form == 3.0 ? -d / df2 : form == 2.0 ? -0.5 * d : 0.5 * d;
    }
    double k = 1.0 + h * x, all = form == 0.0 ? exp(-h) : form == 1.0 ? 1.0 : form == 2.0 ? -1.0 / expm1(h) : 1.0;
    if (!first) {
        double own = pf_ddf(x, df1, df2, 0.0, 0.0);
        return form == 3.0 ? pf_ddf_step(x, df1, df2, 0.0) / x / k : own * all;
    }
    double own = 0.5 + pf_ddf(x, df1, df2, 1.0, 0.0) - 0.5 * exp(-0.5 * df2 * log1p(df1 / df2 * x)); // -L/2 and 1/2
    own += 0.5 * h * x;
    return form == 3.0 ? -2.0 * own / k / df1 : own * all;
}

NMATH_FN int pnf_ddf_least(double x, double df1, double df2, double ncp, double first)
{
    return fmin(df1, df2) < PBETA_DSHAPE_LEAST || (first != 0.0 && df1 < 1e-120 && df1 * x < 1e-40 * fmin(1.0, df2) && ncp > 1e-250);
}

NMATH_HEAVY double pnf_ddf(double x, double df1, double df2, double ncp, double first, double form)
{
    double where = nf_where(x, df1, df2, ncp, first, 1);
    if (where != NF_INSIDE)
        return where;
    if (pnf_ddf_least(x, df1, df2, ncp, first))
        return ncp == 0 ? pf_ddf(x, df1, df2, first, form) : pnf_ddf_of_least(x, df1, df2, ncp, first != 0.0, form);
    nf_place p = nf_at(x, df1, df2, ncp, 1);
    double d = nf_mean(p, first, 0) * p.by_h;
    return nbeta_dshape_form(p.df1, p.df2, p.ncp, 0.5, ibeta_odds(p.df1, p.x, p.df2), d, form);
}

NMATH_HEAVY double dnf_ddf(double x, double df1, double df2, double ncp, double first)
{
    if (x == 0 && first == 0.0)
        x = 0x1p-1000; // the limit
    double where = nf_where(x, df1, df2, ncp, first, 0);
    if (where != NF_INSIDE)
        return where == 0.0 && x == 0 && !isinf(df1) ? ML_NEGINF : where;
    double least = fmin(df1, df2);
    if (least < PBETA_DSHAPE_LEAST) { // the density is proportional to it
        if (ncp < 1e-250 || !(df2 < df1 ? df2 < 1e-40 * fmin(1.0, df1 * x) : df1 * x < 1e-40 * fmin(1.0, df2)))
            return ML_NAN;
        if ((first != 0.0) == (df1 < df2))
            return 1.0 / least;
        if (df1 < df2)
            df1 = PBETA_DSHAPE_LEAST;
        else
            df2 = PBETA_DSHAPE_LEAST;
        return least / PBETA_DSHAPE_LEAST * nf_mean(nf_at(x, df1, df2, ncp, 0), first, 1);
    }
    return nf_mean(nf_at(x, df1, df2, ncp, 0), first, 1);
}

NMATH_HEAVY double pnf_ddf_step(double x, double df1, double df2, double ncp, double first)
{
    double where = nf_where(x, df1, df2, ncp, first, 1);
    if (where == NF_INSIDE && pnf_ddf_least(x, df1, df2, ncp, first))
        return ncp == 0 ? pf_ddf_step(x, df1, df2, first) : x * pnf_ddf_of_least(x, df1, df2, ncp, first != 0.0, 3.0);
    return where != NF_INSIDE ? where : -x * nf_mean(nf_at(x, df1, df2, ncp, 1), first, 0);
}

#undef NF_INSIDE
