// @source_type: shim
// @source_origin: pnbeta_dshape.c
// @provides: pnbeta_dshape, dnbeta_dshape, pnbeta_dshape_step, pnf_ddf, dnf_ddf, pnf_ddf_step, nbeta_dshape_bad, nbeta_dshape_parts, nbeta_dshape_of
// @depends: nmath, dpq, ibeta_mass, ibeta, ibeta_dshape, pbeta_dshape, nbeta_mass, nbeta_mix, nbeta_dshape, pnbeta_hazard
// @method: nbeta_dshape.cl
// @accuracy: derivatives 7.8 eps(1+cond) (host), 7.8 (PoCL)
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, pgamma_utils, bessel_scaled_slope, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass, ibeta_dshape, nbeta_mix, pbeta_dshape, pnbeta_hazard, nbeta_dshape
// @all_depends_count: 25

// pnbeta_dshape and its relatives -- derivatives of the non-central beta and F distributions in their shapes and
// degrees of freedom: means over the components (nbeta_dshape.cl) times x y times the density.
//
//     form 0: of the distribution function; 1: of its logarithm; 2: of the logarithm of the upper tail.
// The first of two shapes if `first` is not 0. *_step: the derivative of a quantile.

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
// NaN where all terms count, and no shape can be another one: z = h x, about 1250 and more.
NMATH_FN double nbeta_dshape_lowered(double a, double b, double z, int first, double form)
{
    if (a < PBETA_DSHAPE_LEAST && b < PBETA_DSHAPE_LEAST && z < 1300.0)
        return ML_NAN;
    return a < PBETA_DSHAPE_LEAST ? 1.0 : pbeta_dshape_lowered(1.0, b, first, form);
}

// Both shapes are next to nothing. With n = a + b, E = exp(h x) - 1, S = int_0^x (exp(h t) - 1)/(t (1 - t)) dt and the term for
// j = 0 of pbeta_dshape_of_tiny(),
//     P = e^-h b (1/n + S),   dP/da = -e^-h b/n^2,   dP/db = e^-h (a/n^2 + S),   x y density = e^-h b (a/n + E).
// S = -h log y where h x is small; else it is what the general sum has for other shapes where no mass is at 0. Where exp(h x) is not
// small beside 1/n^2 the other terms' part of dP/da counts.
typedef struct { double n, E, S; int far; } nbeta_least; // `far`: E and S are over exp(h x)

NMATH_FN double nbeta_dshape_log_beyond(ibeta_point u) // log y
{
    return u.k != 0 && u.y < u.x ? log(u.y) + u.k * M_LN2 : u.x < 0.5 || u.k != 0 ? log1p(-ibeta_x(u)) : log(u.y);
}

NMATH_FN int nbeta_dshape_tiny(double a, double b, double z) // z = h x
{
    return pbeta_dshape_tiny(a, b) && z < -2.0 * log(a + b) - 50.0;
}

NMATH_FN nbeta_least nbeta_dshape_tiny_at(double a, double b, double h, ibeta_point u)
{
    nbeta_least r;
    double z = h * ibeta_x(u);
    r.n = a + b;
    r.far = z > NMATH_RANGE(600.0, 60.0);
    r.E = r.far ? 1.0 : expm1(z);
    r.S = z < 1e-17 ? -h * nbeta_dshape_log_beyond(u) : r.E * (1e-20 * nbeta_dshape_mean(PBETA_DSHAPE_LEAST, 1e-20, h, u, 0, 0, 0));
    return r;
}

NMATH_FN double nbeta_dshape_of_tiny(double a, double b, double h, ibeta_point u, int first, double form)
{
    nbeta_least r = nbeta_dshape_tiny_at(a, b, h, u);
    double least = r.far ? exp(-h * ibeta_x(u)) : 1.0, all = r.far ? exp(-h * ibeta_y(u)) : exp(-h); // of what S has, and of e^-h
    double d = first ? -(b / r.n) * (least / r.n) : a / r.n * (least / r.n) + r.S;
    if (form == 0.0)
        return all * d;
    if (form == 1.0)
        return d / (b / r.n * least + b * r.S);
    return -all * d / (a / r.n - expm1(-h) * (b / r.n));
}

// The first shape is next to nothing, and so is h x, h = ncp/2. With L and what goes with it of pbeta_dshape.cl
//     dP/da = -e^-h L,   dP/db = -e^-h (a dL/db + h y^b log y),   x y density = e^-h y^b (a + h b x).
NMATH_FN int nbeta_dshape_least(double a, double h, ibeta_point u) { return a < PBETA_DSHAPE_LEAST && h * ibeta_x(u) < 1e-17; }

// The mean of nbeta_dshape.cl as up/(over by), for all shapes: it need be no double
typedef struct { double up, over, by; } nbeta_dshape_parts;

NMATH_FN nbeta_dshape_parts nbeta_dshape_of(double a, double b, double h, ibeta_point u, int first)
{
    nbeta_dshape_parts r = {0.0, 1.0, 1.0};
    if (nbeta_dshape_tiny(a, b, h * ibeta_x(u))) {
        nbeta_least t = nbeta_dshape_tiny_at(a, b, h, u);
        double least = t.far ? exp(-h * ibeta_x(u)) : 1.0;
        r.up = first ? -least / t.n : a / t.n * (least / t.n) + t.S;
        r.over = first ? t.n : b;
        r.by = a / t.n * least + t.E;
    } else if (nbeta_dshape_least(a, h, u)) {
        double d = pbeta_dshape_over(PBETA_DSHAPE_LEAST, b, u, ibeta(PBETA_DSHAPE_LEAST, b, u), first, 0);
        r.up = first ? d * PBETA_DSHAPE_LEAST : a * d - h * nbeta_dshape_log_beyond(u);
        r.by = a + h * (b * ibeta_x(u));
    } else {
        r.over = 1.0 / nbeta_dshape_lowered(a, b, h * ibeta_x(u), first, 3.0);
        r.up = nbeta_dshape_mean(pbeta_dshape_raised(a), pbeta_dshape_raised(b), h, u, first, 0, 0);
    }
    return r;
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
    double h = 0.5 * ncp;
    ibeta_point u = ibeta_at(x, 1.0 - x);
    if (nbeta_dshape_tiny(a, b, h * ibeta_x(u)))
        return nbeta_dshape_of_tiny(a, b, h, u, first != 0.0, form);
    if (nbeta_dshape_least(a, h, u)) {
        nbeta_dshape_parts r = nbeta_dshape_of(a, b, h, u, first != 0.0);
        if (form == 0.0)
            return r.up * nbeta_density(a, b, h, 1.0, u, 1.0, r.by, 0);
        return (form == 2.0 ? -r.up : r.up) * (nbeta_hazard(a, b, h, 1.0, u, form == 2.0, 1.0) / r.by);
    }
    double by = nbeta_dshape_lowered(a, b, h * ibeta_x(u), first != 0.0, form);
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    return by * nbeta_dshape_form(a, b, h, 1.0, u, nbeta_dshape_mean(a, b, h, u, first != 0.0, 0, 0), form);
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
    // at the other end the limit, which a step of 2^-1000 does not change
    ibeta_point u = ibeta_at(x == 0 ? NMATH_RANGE(0x1p-1000, 0x1p-100) : x, x == 1 ? NMATH_RANGE(0x1p-1000, 0x1p-100) : 1.0 - x);
    double h = 0.5 * ncp;
    if (nbeta_dshape_tiny(a, b, h * ibeta_x(u))) {
        nbeta_least t = nbeta_dshape_tiny_at(a, b, h, u);
        double least = t.far ? exp(-h * ibeta_x(u)) : 1.0, r = a / t.n * least, mid = r + t.E;
        return first != 0.0 ? log(x) + b / t.n * (least / mid) / t.n : nbeta_dshape_log_beyond(u) + (a / t.n * (r / mid) + t.E / mid) / b;
    }
    if (b < PBETA_DSHAPE_LEAST && first == 0.0) // the density goes like b
        return 1.0 / b;
    if (nbeta_dshape_least(a, h, u)) {
        double mid = a + h * (b * ibeta_x(u));
        return first != 0.0 ? 1.0 / mid : nbeta_dshape_log_beyond(u) + h / mid * ibeta_x(u);
    }
    a = pbeta_dshape_raised(a);
    b = pbeta_dshape_raised(b);
    return nbeta_dshape_mean(a, b, h, u, first != 0.0, 0, 1);
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
    nbeta_dshape_parts r = nbeta_dshape_of(a, b, 0.5 * ncp, ibeta_at(x, 1.0 - x), first != 0.0);
    return -(x * (1.0 - x) * r.up) / r.over / r.by;
}

// The non-central F distribution's arguments where infinite degrees of freedom are as good as huge ones, and ncp and x that are both beyond the
// rest count by their quotient alone: both are divided by `scale`. For the tails huge degrees of freedom are moved as in pf_rim_place(),
// with an ncp that is nothing beside them: by1, by2 and by_h are as there.
typedef struct { double x, df1, df2, ncp, scale, by1, by2, by_h; } nf_place;

NMATH_FN nf_place nf_at(double x, double df1, double df2, double ncp, int tail)
{
    nf_place p;
    p.df1 = isinf(df1) ? PF_RIM : df1;
    p.df2 = isinf(df2) ? PF_RIM : df2;
    p.scale = ncp > NMATH_RANGE(1e290, 1e28) && x * fmin(1.0, p.df1) > NMATH_RANGE(1e40, 1e30) * p.df2 ? NMATH_RANGE(0x1p64, 0x1p40) : 1.0;
    p.x = x / p.scale;
    p.ncp = ncp / p.scale;
    p.by1 = p.by2 = p.by_h = 1.0;
    pf_rim r = pf_rim_place(p.x, p.df1, p.df2);
    if (p.ncp < NMATH_RANGE(1e200, 1e13) && (tail || r.by_h == 1.0)) { // of a density only where it is as good as that of infinite ones
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
#define PNF_NO_NCP NMATH_RANGE(1e-250, 1e-25)
#define PNF_NOTHING NMATH_RANGE(1e-40, 1e-14) // beside 1

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
    if (ncp < PNF_NO_NCP || !(df2 < df1 ? df2 < PNF_NOTHING * fmin(1.0, df1 * x) : df1 * x < PNF_NOTHING * fmin(1.0, df2)))
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
    return fmin(df1, df2) < PBETA_DSHAPE_LEAST ||
           (first != 0.0 && df1 < NMATH_RANGE(1e-120, 1e-15) && df1 * x < PNF_NOTHING * fmin(1.0, df2) && ncp > PNF_NO_NCP);
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
        x = NMATH_RANGE(0x1p-1000, 0x1p-100); // the limit
    double where = nf_where(x, df1, df2, ncp, first, 0);
    if (where != NF_INSIDE)
        return where == 0.0 && x == 0 && !isinf(df1) ? ML_NEGINF : where;
    double least = fmin(df1, df2);
    if (least < PBETA_DSHAPE_LEAST) { // the density is proportional to it
        if (ncp < PNF_NO_NCP || !(df2 < df1 ? df2 < PNF_NOTHING * fmin(1.0, df1 * x) : df1 * x < PNF_NOTHING * fmin(1.0, df2)))
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
#undef PNF_NO_NCP
#undef PNF_NOTHING
