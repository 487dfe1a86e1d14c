// @source_type: shim
// @source_origin: none
// @provides: nbeta_dshape_mean
// @depends: nmath, dpq, log1p, pgamma_utils, digamma_rise, ibeta_mass, ibeta, ibeta_dshape, pbeta_dshape, nbeta_mass, nbeta_mix, pnbeta_hazard
// @method: means over the components of the Poisson mixture of the central derivatives, by recurrences from few of these
// @accuracy: see pnbeta_dshape
// @all_depends: Rmath, nmath, cospi, dpq, ibeta_asym, igamma_table, log1p, stirlerr_cycle_free, lgamma, pgamma_dshape_table, pnorm, polygamma, digamma_rise, pgamma_utils, bessel_scaled_slope, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass, ibeta_dshape, nbeta_mix, pbeta_dshape, pnbeta_hazard
// @all_depends_count: 24

// nbeta_dshape -- derivatives of the non-central beta and F distributions in their shapes over x y times the density, and of
// the logarithm of the density. With the terms f_j of x y times the density (nbeta_mass.cl), f_j = p_j M_j, M_j = x^(a+j)
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

#define NBETA_DSHAPE_TERMS 600
#define NBETA_DSHAPE_LEAST 1e-20 // of the largest term
#define NBETA_DSHAPE_SHORT 40.0 // indices up to which recurrences do not add up too many errors
#define NBETA_DSHAPE_SURE 4.0 // how much they may cancel
#define NBETA_DSHAPE_NEAR 16.0 // and from the largest term outward: the bound of errors, in units of the last place
#define NBETA_DSHAPE_SCORES 4.0 // and of those of log densities
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

NMATH_SHARED nbeta_direction nbeta_direction_of(double a, double b, ibeta_point u, int first, int odds)
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
    return v;
}

// The mean of the D_j by the recurrence of nbeta_dshape_short() from the largest term outward, from its D_j and d log g_j there. On one
// side of the largest M_j it multiplies errors, but their weights fall off if the index of the largest term is near ncp/2.
// `sure` where a bound of the errors is small beside the mean.
NMATH_SHARED double nbeta_dshape_outward(nbeta_direction v, double z, double top, ibeta_point u, int *sure)
{
    double middle = nbeta_dshape_at(v.a, v.b, top, u, v.first, v.odds, 0), size = fabs(middle), sum = 1.0, mean = middle, bound = size;
    double gain0 = nbeta_direction_gain(v, top, u);
    for (int up = 1; up >= 0; --up) {
        double j = top, w = 1.0, D = middle, error = size, gain = gain0, most = fabs(gain0);
        for (int k = 0; k < NBETA_DSHAPE_TERMS && (up || j > 0.5); ++k) {
            double i = up ? j : j - 1.0, A = v.a + i, N = v.n + i, r = v.x * N / A, ratio = z * N / ((i + 1.0) * A);
            if (!up || k > 0)
                gain += up ? nbeta_direction_step(v, i - 1.0) : -nbeta_direction_step(v, i);
            if (A < 1.0) { // digits
                gain = nbeta_direction_gain(v, i, u);
                most = 0.0;
            }
            most = fmax(most, fabs(gain));
            double e = gain / A, lost = error + most / A;
            D = up ? (D - e) / r : r * D + e;
            error = fabs(D) + (up ? lost / r : r * error + most / A);
            w = up ? w * ratio : w / ratio;
            j += up ? 1.0 : -1.0;
            sum += w;
            mean += w * D;
            bound += w * error;
            if (w < 1e-17 * sum && w * error < 1e-17 * fabs(mean) && (up || j >= 64.0))
                break;
        }
    }
    *sure = bound < NBETA_DSHAPE_NEAR * fabs(mean);
    return mean / sum;
}

// The mean of d log f_j from the largest term outward, by differences: in a -b/(N A), in b 1/N, N = n + j and A = a + j, with what
// goes with theta in one quotient. `sure` as above.
NMATH_SHARED double nbeta_dshape_scores(nbeta_direction v, double z, double top, ibeta_point u, int *sure)
{
    double middle = nbeta_dshape_term(v.a, top, v.b, u, v.first, v.odds), sum = 1.0, mean = middle, bound = fabs(middle);
    for (int up = 1; up >= 0; --up) {
        double j = top, w = 1.0, T = middle, most = fabs(middle);
        for (int k = 0; k < NBETA_DSHAPE_TERMS && (up || j > 0.5); ++k) {
            double i = up ? j : j - 1.0, A = v.a + i, N = v.n + i, l = v.lambda + i * v.y, ratio = z * N / ((i + 1.0) * A), step;
            if (v.first)
                step = (v.odds ? (l * A + v.b * i) / v.a : -v.b) / (N * A);
            else
                step = (v.odds ? -l / v.b : 1.0) / N;
            T += up ? step : -step;
            most = fmax(most, fabs(T));
            w = up ? w * ratio : w / ratio;
            j += up ? 1.0 : -1.0;
            sum += w;
            mean += w * T;
            bound += w * most;
            if (w < 1e-17 * sum && w * most < 1e-17 * fabs(mean) && (up || j >= 64.0))
                break;
        }
    }
    *sure = bound < NBETA_DSHAPE_SCORES * fabs(mean);
    return mean / sum;
}

// The mean of the D_j for sums from index 0 on, given the largest term. With g_j = M_j/(a + j), I_j = I_(j+1) + g_j, and so
//     D_j = r_j D_(j+1) + e_j,   r_j = x (a+b+j)/(a+j),   e_j = d log g_j/(a + j):
// downward from the last term that counts to the largest M_j, where the lower tails are small, upward from the first one below that.
// Where the D_j cancel in the mean their errors are too many for it: not `sure`.
NMATH_SHARED double nbeta_dshape_short(nbeta_direction v, double z, double top, ibeta_point u, int *sure)
{
    double a = v.a, b = v.b;
    int first = v.first, odds = v.odds;
    double lo = top, hi = top, weight = 1.0, low = 1.0, sum = 0.0, mean = 0.0, size = 0.0;
    while (hi < NBETA_DSHAPE_TERMS && weight > NBETA_DSHAPE_LEAST) {
        weight *= z * ((v.n + hi) / ((hi + 1.0) * (a + hi)));
        hi += 1.0;
    }
    while (lo > 0.5 && (low > NBETA_DSHAPE_LEAST || (lo < 64.0 && low > NMATH_RANGE(1e-250, 1e-30)))) {
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
    if (top <= NBETA_DSHAPE_SHORT) {
        nbeta_direction v = nbeta_direction_of(a, b, u, first, odds);
        int sure;
        double D = density ? nbeta_dshape_scores(v, z, top, u, &sure) : nbeta_dshape_outward(v, z, top, u, &sure);
        if (!sure && !density)
            D = nbeta_dshape_short(v, z, top, u, &sure);
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
#undef NBETA_DSHAPE_NEAR
#undef NBETA_DSHAPE_SCORES
#undef NBETA_DSHAPE_LOST
