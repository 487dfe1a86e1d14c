// @source_type: shim
// @source_origin: pnt_ddf.c
// @provides: pnt_ddf_step, dnt_ddf
// @depends: nmath, expm1, log1p, pgamma_utils, digamma_rise, pgamma_rise, nct_sum, nct
// @method: means over the chi distribution by sums about the mode; what a tangent leaves for large degrees of freedom
// @accuracy: derivatives 6.2 eps(1+cond) (host)
// @all_depends: Rmath, nmath, cospi, dpq, expm1, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, igamma, nct_sum, pgamma_utils, dpois, pgamma_dshape, dgamma, pgamma_rise, ibeta_mass, ibeta, nct
// @all_depends_count: 24

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
// Where t and d leave Y near 1, both are of the order of 1/nu^2, their terms are not. The score log a - psi(a) + log y
// + 1 - y is the derivative of the log density of Y in a, and Y has the mean 1 for all a: so the means of the score, and
// of the score times Y - 1, are 0, and of any function h only what its tangent at 1 leaves counts:
//     d E h(Y)/da = E score(Y) R(Y),   R(y) = h(y) - h(1) - (y - 1) h'(1).
//   f: h = sqrt(y) phi(t sqrt(y) - d), h/h(1) = e^q, q = log(y)/2 - t^2 (y - 1)/2 + d t (sqrt(y) - 1), of which all but
//      the second order goes by itself;
//   F: h = Phi(X), X = t s - d, is a smooth function of s = sqrt(y), so that with c = s - 1
//          R = c^2 (int_0^1 (1 - u) h''(1 + u c) du - h'(1)/2),   h'' = -t^2 X phi(X),
//      by a Gauss rule with the weight 1 - u.

// Distance of the nodes and their growth to the left, in standard deviations of v
#define PNT_DDF_STEP 0.14
#define PNT_DDF_TAIL 1.2
#define PNT_DDF_GROW 0.175
#define PNT_DDF_NODES 400
#define PNT_DDF_FEW 3.5 // up to so many degrees of freedom
// and the distance where s/s* is the fourth power of a linear function of the node, or the square
#define PNT_DDF_FOUR_STEP 0.4
#define PNT_DDF_TWO_STEP 0.55
// From this many degrees of freedom on the tangent is taken
#define PNT_DDF_MANY 3.0
// its nodes, in standard deviations of log Y
#define PNT_DDF_TANGENT_STEP(nu) ((nu) < 7.0 ? 0.25 : (nu) < 24.0 ? 0.35 : 0.5)
#define PNT_DDF_TANGENT_NODES 300
// up to this t/sqrt(nu), and this distance of the mode from 1, in standard deviations of Y
#define PNT_DDF_NARROW 0.5
#define PNT_DDF_NEAR 3.0 // of densities; of tails, where the Gauss rule has to follow what grows as exp(t - d):
#define PNT_DDF_TAIL_NEAR 2.0

// Nodes and weights of the Gauss rule on [0, 1] for the weight 1 - u (DLMF 3.5.18)
NMATH_TABLE double pnt_ddf_node[10] = {
    0.011917613432415597, 0.061732071877148126, 0.14711144964307024, 0.26115967600845624, 0.39463984688578684,
    0.53673876571566063,  0.67594446167666511,  0.80097892103689885, 0.90171098779014677, 0.9699709678385135};
NMATH_TABLE double pnt_ddf_weight[10] = {
    0.030099508024037023, 0.064287154509082573, 0.086211300289176036, 0.092696893677723416,  0.084557109690827332,
    0.066053075563350379, 0.043401906407150626, 0.022774591453263033, 0.0084193197829831874, 0.001499140602406394};

// log a - psi(a)
NMATH_FN double pnt_ddf_lag(double a) { return 0.5 / a - stirlerr_slope(a); }

// r(s), y = s^2, l = log s; e = y - 1 to full relative precision where y is near 1
NMATH_FN double pnt_ddf_rate(double a, double y, double e, double l)
{
    if (a > 1e15) // of a tail that stays as it is: a (y - 1 - log y) does
        return fabs(e) < 1e-8 ? -0.125 * (e / a) : 0.25 * ((fabs(e) < 0.5 ? log1pmx(e) : 2.0 * l - e) / e) / a;
    return 0.25 * pgamma_rise(a, y, e, 2.0 * l) / a;
}

// E(r | t), or, if `density`, E(log Y + 1 - Y | t)
NMATH_HEAVY double pnt_ddf_mean(nct_frame f, int density)
{
    double a = 0.5 * f.nu, s2 = f.s * f.s, l0 = log(f.s) - f.shift * M_LN2, T = f.T, linear = -f.nx - T * f.X.hi,
           e0 = f.nx / f.nu;
    double sum = 0.0, num = 0.0, k = f.small ? 4.0 : 2.0, step = f.small ? PNT_DDF_FOUR_STEP : PNT_DDF_TWO_STEP;
    int few = f.small && f.nu < PNT_DDF_FEW;
    if (f.shift != 0)
        e0 = -1.0;
    for (int side = 0; side < 2; ++side) {
        for (int i = side; i < PNT_DDF_NODES; ++i) {
            double x = side ? -i : i, v, g;
            if (few) {
                double z = exp(-PNT_DDF_GROW * x);
                v = f.w * (PNT_DDF_STEP * x - PNT_DDF_TAIL * (z - 1.0));
                g = PNT_DDF_STEP + PNT_DDF_TAIL * PNT_DDF_GROW * z;
            } else {
                double c = step * f.w / k * x;
                if (!(c > -1.0))
                    break;
                v = k * log1p(c);
                g = step / (1.0 + c);
            }
            double E = expm1(v), D = fabs(v) < 0.3 ? -log1pmx(E) : E - v, TE = T * E;
            double w = exp(linear * E - f.nu * D - (f.y * E) * E - 0.5 * TE * TE + v) * g;
            if (!(w > 0.0))
                break;
            double y = f.shift != 0 ? ldexp(s2 * (1.0 + E) * (1.0 + E), -2 * f.shift) : s2 * (1.0 + E) * (1.0 + E);
            double e = f.shift != 0 ? y - 1.0 : e0 + s2 * (E * (2.0 + E)), l = l0 + v;
            double h = !density ? pnt_ddf_rate(a, y, e, l) : fabs(e) < 0.5 ? log1pmx(e) : 2.0 * l - e;
            sum += w;
            num += w * h;
            if (w < 1e-18 * sum && fabs(w * h) < 1e-18 * fabs(num))
                break;
        }
    }
    return num / sum;
}

// e^q - 1 - q for |q| < 1/2
NMATH_FN double pnt_ddf_rest(double q)
{
    double s = 1.0;
    for (int k = 16; k > 2; --k)
        s = 1.0 + s * (q / k);
    return 0.5 * q * q * s;
}

// E(r | t) and d log f/dnu by what is left of h without its tangent
NMATH_HEAVY double pnt_ddf_tangent(double t, double nu, double d, int density)
{
    double a = 0.5 * nu, step = PNT_DDF_TANGENT_STEP(nu) / sqrt(a), sum = 0.0, num = 0.0, lag = pnt_ddf_lag(a),
           dt = d * t;
    for (int side = 0; side < 2; ++side) {
        for (int i = side; i < PNT_DDF_TANGENT_NODES; ++i) {
            double v = (side ? -step : step) * i, e = expm1(v), s1 = expm1(0.5 * v),
                   D = fabs(v) < 0.3 ? -log1pmx(e) : e - v;
            double p = exp(-a * D), q = 0.5 * v - 0.5 * t * t * e + dt * s1, h = exp(q), R = 0.0;
            if (density) {
                double rest = -0.5 * D - 0.5 * dt * s1 * s1; // q - c e
                R = (fabs(q) < 0.5 ? pnt_ddf_rest(q) : h - 1.0 - q) + rest;
            } else {
                for (int j = 0; j < 10; ++j) {
                    double z = t * pnt_ddf_node[j] * s1;
                    R += pnt_ddf_weight[j] * (t - d + z) * exp(-z * (t - d + 0.5 * z));
                }
                R = -s1 * s1 * (0.5 + t * R);
            }
            sum += p * h;
            num += p * R * (lag - D);
            if (p * (1.0 + h) * (1.0 + D) * (1.0 + D) < 1e-20)
                break;
        }
    }
    return 0.5 * num / sum;
}

// E(r | t), or d log f/dnu if `density`; all are finite and df > 0
NMATH_HEAVY double pnt_ddf_of(double x, double df, double ncp, int density)
{
    double t = fabs(x), d = x < 0 ? -ncp : ncp, a = 0.5 * df;
    int near = df >= PNT_DDF_MANY && t < PNT_DDF_NARROW * sqrt(df) &&
               fabs(0.5 * (t * (t - d) - 1.0)) < (density ? PNT_DDF_NEAR : PNT_DDF_TAIL_NEAR) * sqrt(a);
    if (near)
        return pnt_ddf_tangent(t, df, d, density);
    nct_frame f = nct_place(t, df, d);
    double m = pnt_ddf_mean(f, density);
    return density ? 0.5 * (pnt_ddf_lag(a) + m) : m;
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
    return -x * pnt_ddf_of(x, df, ncp, 0);
}

NMATH_FN double dnt_ddf(double x, double df, double ncp)
{
    if (ISNAN(x) || ISNAN(df) || ISNAN(ncp))
        return x + df + ncp;
    if (df <= 0)
        return ML_NAN;
    if (isinf(x) || isinf(ncp) || isinf(df))
        return 0.0;
    return pnt_ddf_of(x, df, ncp, 1);
}

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
#undef PNT_DDF_TAIL_NEAR
