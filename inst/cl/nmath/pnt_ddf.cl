// @source_type: shim
// @source_origin: pnt_ddf.c
// @provides: pnt_ddf, pnt_ddf_step, dnt_ddf
// @depends: nmath, expm1, log1p, pgamma_utils, digamma_rise, pgamma_rise, nct_sum, nct, dnt, pnt_hazard
// @method: means over the chi distribution by sums about the mode, without what is known to be 0; what a tangent leaves of densities
// @accuracy: derivatives 4.6 eps(1+cond) (host), 4.6 (PoCL)
// @all_depends: Rmath, nmath, cospi, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, dnorm, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, igamma, nct_sum, pgamma_utils, pnorm_hazard, dpois, pgamma_dshape, dgamma, pgamma_rise, ibeta_mass, dt, ibeta, nct, nct_series, dnt, pnt, pnt_hazard
// @all_depends_count: 31

// pnt_ddf_step, dnt_ddf -- derivatives of the non-central t distribution of T = (Z + d)/S in the degrees of freedom nu,
// S^2 = Y gamma with the shape a = nu/2 and the mean 1. With F and f the distribution function and density of T, and
// E(. | t) the mean where S has a density proportional to s^nu exp(-nu s^2/2 - (t s - d)^2/2), own derivations:
//
// dF/dnu = t f(t) E(r(S) | t)    F = E Phi(t S(u) - d) over a uniform u, and r = d log S(u)/dnu = (d log x/da - 1/a)/4
//     with x the quantile of the gamma distribution, pgamma_rise.cl. So -t E(r | t) is the derivative of a quantile.
// d log f/dnu = (log a - psi(a) + E(log Y + 1 - Y | t))/2.
//
// The means are trapezoidal sums over v = log(s/s*) about the mode s* of nct.cl, with nodes as in nct_sum.cl.
//
// Where t and d leave Y near 1, both are of the order of 1/nu^2, their terms are not.
//   F: the derivative of the log of the weights in v is A = 1 - t s (t s - d) - nu (Y - 1), whose mean is 0. With 4 a r = W - 1 =
//      mean + tilt (Y - 1) + bow (pgamma_rise.cl) all that is left of the middle term is tilt (1 - t s (t s - d))/nu.
//   f: the score log a - psi(a) + log y + 1 - y is the derivative of the log density of Y in a, and Y has the mean 1 for
//      all a: so the means of the score, and of the score times Y - 1, are 0, and of any function h only what its tangent
//      at 1 leaves counts:
//          d E h(Y)/da = E score(Y) R(Y),   R(y) = h(y) - h(1) - (y - 1) h'(1).
//      Here h = sqrt(y) phi(t sqrt(y) - d), h/h(1) = e^q, q = log(y)/2 - t^2 (y - 1)/2 + d t (sqrt(y) - 1), of which all
//      but the second order goes by itself.

// Distance of the nodes and their growth to the left, in standard deviations of v
#define PNT_DDF_STEP 0.14
#define PNT_DDF_TAIL 1.2
#define PNT_DDF_GROW 0.175
#define PNT_DDF_NODES 400
#define PNT_DDF_FEW 3.5 // up to so many degrees of freedom
// and the distance where s/s* is the fourth power of a linear function of the node, or the square
#define PNT_DDF_FOUR_STEP 0.44
#define PNT_DDF_TWO_STEP 0.62
// From this many degrees of freedom on the tangent of the density is taken
#define PNT_DDF_MANY 3.0
// its nodes, in standard deviations of log Y
#define PNT_DDF_TANGENT_STEP(nu) ((nu) < 7.0 ? 0.25 : (nu) < 24.0 ? 0.35 : 0.5)
#define PNT_DDF_TANGENT_NODES 300
// up to this t/sqrt(nu), and this distance of the mode from 1, in standard deviations of Y
#define PNT_DDF_NARROW 0.5
#define PNT_DDF_NEAR 3.0
// and of tails: y at the mode, where t s (t s - d) varies less than nu y
#define PNT_DDF_TAIL_LOW 0.4
#define PNT_DDF_TAIL_HIGH 2.0

// log a - psi(a)
NMATH_FN double pnt_ddf_lag(double a) { return 0.5 / a - stirlerr_slope(a); }

// r(s), y = s^2, l = log s; e = y - 1 to full relative precision where y is near 1
NMATH_FN double pnt_ddf_rate(double a, double y, double e, double l)
{
    if (a > 1e15) // of a tail that stays as it is: a (y - 1 - log y) does
        return fabs(e) < 1e-8 ? -0.125 * (e / a) : 0.25 * ((fabs(e) < 0.5 ? log1pmx(e) : 2.0 * l - e) / e) / a;
    return 0.25 * pgamma_rise(a, y, 2.0 * l) / a;
}

// A node: v, E = e^v - 1, D = E - v and dv over the distance of the nodes; 0 beyond the last
typedef struct { double v, E, D, g; } pnt_ddf_node;

NMATH_FN int pnt_ddf_at(double w, int small, int few, double x, pnt_ddf_node *at)
{
    if (few) {
        double z = exp(-PNT_DDF_GROW * x);
        at->v = w * (PNT_DDF_STEP * x - PNT_DDF_TAIL * (z - 1.0));
        at->g = PNT_DDF_STEP + PNT_DDF_TAIL * PNT_DDF_GROW * z;
        at->E = expm1(at->v);
        at->D = fabs(at->v) < 0.3 ? -log1pmx(at->E) : at->E - at->v;
        return 1;
    }
    double more = small ? 1.0 : 0.0, k = 2.0 + 2.0 * more, step = small ? PNT_DDF_FOUR_STEP : PNT_DDF_TWO_STEP, c = step * w / k * x;
    if (!(c > -1.0))
        return 0;
    // as nct_power()
    double u = c / (2.0 + c), z = u * u, log_rest = c > -0.75 && c < 3.0 ? c * u - (u * z) * nmath_poly(z, nct_rest, 12) : c - log1p(c);
    double E = c * (2.0 + c), F = c * c;
    at->D = (F + more * (F + E * E)) + k * log_rest;
    at->E = E + more * E * (1.0 + E);
    at->v = k * (c - log_rest);
    at->g = step / (1.0 + c);
    return 1;
}

// E(r | t), or, if `density`, E(log Y + 1 - Y | t); and in *all the sum of nct.cl for the density
NMATH_HEAVY double pnt_ddf_mean(nct_frame f, int density, double *all)
{
    double a = 0.5 * f.nu, s2 = f.s * f.s, l0 = log(f.s) - f.shift * M_LN2, T = f.T, linear = -f.nx - T * f.X.hi,
           e0 = f.nx / f.nu, sum = 0.0, num = 0.0, tilt = 0.0;
    int few = f.small && f.nu < PNT_DDF_FEW, rows = !density && a >= 1.0 && a <= 1e15,
        near = rows && s2 > PNT_DDF_TAIL_LOW && s2 < PNT_DDF_TAIL_HIGH && T * (T + fabs(f.X.hi)) < f.nu;
    pgamma_rise_row row = pgamma_rise_row_of(rows ? a : 1.0);
    if (near)
        tilt = row.tilt / f.nu;
    if (f.shift != 0)
        e0 = -1.0;
    else if (fabs(e0) < 0.5)
        l0 = 0.5 * log1p(e0);
    for (int side = 0; side < 2; ++side) {
        for (int i = side; i < PNT_DDF_NODES; ++i) {
            pnt_ddf_node at;
            if (!pnt_ddf_at(f.w, f.small, few, side ? -i : i, &at))
                break;
            double E = at.E, TE = T * E, w = exp(linear * E - f.nu * at.D - (f.y * E) * E - 0.5 * TE * TE + at.v) * at.g;
            if (!(w > 0.0))
                break;
            double y = f.shift != 0 ? ldexp(s2 * (1.0 + E) * (1.0 + E), -2 * f.shift) : s2 * (1.0 + E) * (1.0 + E);
            double e = f.shift != 0 ? y - 1.0 : e0 + s2 * (E * (2.0 + E)), l = l0 + at.v, h;
            if (density) {
                h = fabs(e) < 0.5 ? log1pmx(e) : 2.0 * l - e;
            } else if (rows && y >= 0.25 && y <= 2.5) {
                double z = 2.0 * l, bow = z * z * pgamma_rise_bow(&row, z);
                h = near ? bow + tilt * (f.nx - TE * (f.X.hi + T * (1.0 + E))) : row.mean + row.tilt * e + bow;
            } else {
                h = rows ? pgamma_rise_beyond(&row, y, 2.0 * l) : 4.0 * a * pnt_ddf_rate(a, y, e, l);
                if (near)
                    h += tilt * ((f.nx - TE * (f.X.hi + T * (1.0 + E))) - f.nu * e) - row.mean;
            }
            sum += w;
            num += w * h;
            if (w < 1e-17 * sum && fabs(w * h) < 1e-17 * fabs(num))
                break;
        }
    }
    double m = num / sum;
    *all = sum > 0.0 && sum < NMATH_DBL_MAX ? sum * f.w : f.w;
    return density ? m : 0.25 * (near ? row.mean + m : m) / a;
}

// e^q - 1 - q for |q| < 1/2
NMATH_FN double pnt_ddf_rest(double q)
{
    double s = 1.0;
    for (int k = 16; k > 2; --k)
        s = 1.0 + s * (q / k);
    return 0.5 * q * q * s;
}

// d log f/dnu by what is left of h without its tangent
NMATH_HEAVY double pnt_ddf_tangent(double t, double nu, double d)
{
    double a = 0.5 * nu, step = PNT_DDF_TANGENT_STEP(nu) / sqrt(a), sum = 0.0, num = 0.0, lag = pnt_ddf_lag(a),
           dt = d * t;
    for (int side = 0; side < 2; ++side) {
        for (int i = side; i < PNT_DDF_TANGENT_NODES; ++i) {
            double v = (side ? -step : step) * i, e = expm1(v), s1 = expm1(0.5 * v),
                   D = fabs(v) < 0.3 ? -log1pmx(e) : e - v;
            double p = exp(-a * D), q = 0.5 * v - 0.5 * t * t * e + dt * s1, h = exp(q);
            double rest = -0.5 * D - 0.5 * dt * s1 * s1; // q - c e
            sum += p * h;
            num += p * ((fabs(q) < 0.5 ? pnt_ddf_rest(q) : h - 1.0 - q) + rest) * (lag - D);
            if (p * (1.0 + h) * (1.0 + D) * (1.0 + D) < 1e-20)
                break;
        }
    }
    return 0.5 * num / sum;
}

// d log f/dnu; all are finite and df > 0
NMATH_HEAVY double pnt_ddf_density(double x, double df, double ncp)
{
    double t = fabs(x), d = x < 0 ? -ncp : ncp, a = 0.5 * df, all;
    if (df >= PNT_DDF_MANY && t < PNT_DDF_NARROW * sqrt(df) && fabs(0.5 * (t * (t - d) - 1.0)) < PNT_DDF_NEAR * sqrt(a))
        return pnt_ddf_tangent(t, df, d);
    return 0.5 * (pnt_ddf_lag(a) + pnt_ddf_mean(nct_place(t, df, d), 1, &all));
}

// The derivative of a quantile, x
NMATH_FN double pnt_ddf_step(double x, double df, double ncp)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp) || isinf(df) || x == 0)
        return 0.0;
    double all;
    return -x * pnt_ddf_mean(nct_place(fabs(x), df, x < 0 ? -ncp : ncp), 0, &all);
}

// Whether x E(r | t) and the density are far out, where they may be no doubles
#define PNT_DDF_FAR NMATH_RANGE(1e250, 1e25)

// dF/dnu, or that of its log if `form` is 1, or of the log of 1 - F if it is 2
NMATH_FN double pnt_ddf(double x, double df, double ncp, double form)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp) || isinf(df) || x == 0)
        return 0.0;
    double t = fabs(x), sum;
    nct_frame f = nct_place(t, df, x < 0 ? -ncp : ncp);
    double mean = pnt_ddf_mean(f, 0, &sum), sign = (x < 0) == (mean < 0) ? 1.0 : -1.0;
    mean = fabs(mean);
    if (form != 0.0) { // density over tail, or that over s* and t s*
        double h = t < PNT_DDF_FAR ? pnt_hazard(x, df, ncp, form == 1.0) : 0.0;
        h = h > NMATH_RANGE(1e-280, 1e-27) ? h * (t * mean) : pnt_hazard_of(x, df, ncp, form == 1.0, 3) * (f.T * mean);
        return form == 1.0 ? sign * h : -sign * h;
    }
    double by = t * mean < NMATH_RANGE(1e290, 1e28) ? 1.0 : 0x1p-64;
    return sign * dnt_of(nct_weigh(f), sum, (by * t) * mean, 0) / by;
}

NMATH_FN double dnt_ddf(double x, double df, double ncp)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp) || isinf(df))
        return 0.0;
    return pnt_ddf_density(x, df, ncp);
}

#undef PNT_DDF_FAR
#undef PNT_DDF_STEP
#undef PNT_DDF_TAIL
#undef PNT_DDF_GROW
#undef PNT_DDF_NODES
#undef PNT_DDF_FEW
#undef PNT_DDF_FOUR_STEP
#undef PNT_DDF_TWO_STEP
#undef PNT_DDF_MANY
#undef PNT_DDF_TANGENT_STEP
#undef PNT_DDF_TANGENT_NODES
#undef PNT_DDF_NARROW
#undef PNT_DDF_NEAR
#undef PNT_DDF_TAIL_LOW
#undef PNT_DDF_TAIL_HIGH
