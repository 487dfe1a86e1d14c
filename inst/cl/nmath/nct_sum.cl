// @source_type: shim
// @source_origin: nct_sum.c
// @provides: nct_frame, nct_sum, nct_rest
// @depends: nmath, expm1, pnorm
// @method: trapezoidal sums of log-concave integrands about their mode, after changes of variable that make them like a normal density
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, expm1, pnorm
// @all_depends_count: 5

// nct_sum -- the sums of nct.cl over the chi distribution. v = log(s/s*) is a function of the number of a node, of
// slope w times the distance at the mode. Which one decides how many nodes there are: Fourier's transform of an
// integrand over v falls off as that of y^a e^-y, exp(-pi omega/4) for any a, and the left side has a long tail,
// e^((nu + 1) v). In b = (s/s*)^(1/k) = 1 + c there is neither, while b^(k (nu + 1)) is smooth at 0; nor is there much
// of the third derivative, of which k = 3/2 would leave none for d = 0 (Wilson and Hilferty 1931, PNAS 17, 684-688)
// and k = 3 for d = -Inf. So
//     k = 2  where the standard deviation of v is 1/4 or less,
//     k = 4  for fewer degrees of freedom, down to 3.5,
//     v      a double-exponential function of the node (Takahasi and Mori 1974, Publ. RIMS 9, 721-741) for the fewest.
// Nodes are computed NCT_LANES at a time, in loops that a compiler turns into vector instructions; on a GPU one by one.

#ifndef NMATH_NCT_SUM_H
#define NMATH_NCT_SUM_H

// nx = nu (s*^2 - 1), y = a s*^2, T = t s*, X = T - d, w = standard deviation of v, e: y^a e^-y/a! = exp(e) c, sc = 1/s*;
// s and sc are those numbers times 2^shift and 2^-shift. `wide`: f is wider than the normal density, as functions of t s
typedef struct nct_frame { double t, nu, d, s, sc, nx, y, T, w, c, back; nmath_dd X, e; int shift, small, wide; } nct_frame;

// 2 (artanh v - v)/v^3 in powers of v^2: tools/fit_nct.py, error of its product with v^3 4e-19 over the height of
// the integrand, which is 1 at the mode.
NMATH_TABLE double nct_rest[12] = {
    0.6666666666666512, 0.40000000000674035, 0.2857142847099395, 0.22222229404454558,
    0.18181533605463726, 0.1539136035212258, 0.13233557428839002, 0.12704043355110728,
    0.049032798849202065, 0.30369203429966973, -0.35859570478715247, 0.5327850544710256
};

#ifdef NMATH_HOST_NCT_SUM // as compiled for this machine (host_nct.h)
#define nct_sum(f, kind, rest) NMATH_HOST_NCT_SUM(&(f), kind, rest)
#else

// The constants below were varied one at a time, on the tables of dnt and pnt, by tools/explore.py nct; errors are the worst
// over eps(1+cond), which is 3.8 as they stand.
// Distance of the nodes in standard deviations for k = 2. 0.7: 3.8, 0.75: 34, 0.81: 6.6e3
#define NCT_STEP 0.65
// and k = 4, 0.5: 3.8, 0.54: 38, 0.61: 1.4e4, which serves from this nu + 1 on (nu, where it is over s). 2.7: 9.3, 3.6: 3.8
#define NCT_FOUR_STEP 0.45
#define NCT_FOUR 4.5
// Double-exponential nodes, at 0.14 i - 1.2 (exp(-0.175 i) - 1) standard deviations
// 0.17: 3.8, 0.2: 5
#define NCT_SMALL_STEP 0.14
// 0.84 and 1.7: 3.8
#define NCT_TAIL 1.2
// 0.12: 3.8, 0.21: 7.7, 0.26: 8.9e3
#define NCT_GROW 0.175
#ifdef NMATH_HORNER
#define NCT_LANES 1
#define NCT_EXP(x) exp(x)
#define NCT_EXPM1(x) expm1(x)
#else
#define NCT_LANES 8
#define NCT_EXP(x) expsq_exp_straight(x)
#define NCT_EXPM1(x) expsq_expm1_straight(x)
#endif

// E = e^v - 1, D = E - v and e^v dv/di at NCT_LANES nodes i, i + 1, ... of one side.
typedef struct { double E[NCT_LANES], D[NCT_LANES], g[NCT_LANES]; } nct_nodes;

NMATH_FN void nct_double_exponential(nct_nodes *at, double w, double sign, int i)
{
    for (int j = 0; j < NCT_LANES; ++j) {
        double x = sign * (i + j), z = NCT_EXP(-NCT_GROW * x), v = w * (NCT_SMALL_STEP * x - NCT_TAIL * (z - 1.0));
        v = v > -100.0 ? v : -100.0; // s is nothing there
        double E = NCT_EXPM1(v);
        at->E[j] = E;
        at->D[j] = E - v;
        at->g[j] = (1.0 + E) * (NCT_SMALL_STEP + NCT_TAIL * NCT_GROW * z);
    }
}

// With b = 1 + c and F_k = b^k - 1 - k c: D = F_k + k (c - log b), both positive, and with v = c/(2 + c)
// log b = 2 artanh v, c - 2 v = c v.
NMATH_FN void nct_power(nct_nodes *at, double w, double step, int four, int i)
{
    double more = four ? 1.0 : 0.0, k = 2.0 + 2.0 * more, h = step * w / k;
    step = fabs(step);
    for (int j = 0; j < NCT_LANES; ++j) {
        double c = h * (i + j);
        c = c > -1.0 ? c : -1.0;
        double v = c / (2.0 + c), z = v * v, log_rest = c * v - (v * z) * nmath_poly(z, nct_rest, 12);
        double E = c * (2.0 + c), F = c * c, b = 1.0 + c;
        at->D[j] = (F + more * (F + E * E)) + k * log_rest;
        at->g[j] = step * (b + more * b * E);
        at->E[j] = E + more * E * (1.0 + E);
    }
}

// The integrals over u with the factor exp(e - X*^2/2) c removed; kind 0: density over nu s* / sqrt(2 pi); 1: upper tail,
// for X* >= 0; 2: lower tail over nu, for X* <= 0, where `rest` = Q(d) exp(X*^2/2) if Q(d) is to be subtracted, else 0; 3: that
// of the density times s/s*; 4: that times s*/s, and 1 - exp(-rest s/s*) unless `rest` is 0.
NMATH_SHARED double nct_sum(nct_frame f, int kind, double rest)
{
    double X = f.X.hi, T = f.T, linear = -f.nx - T * X, base = 0.5 * X * X, sum = 0.0;
    int apart = (kind == 1 || kind == 2) && (f.d > 0.0 || rest > 0.0), step = fabs(X) <= NMATH_RANGE(1e150, 1e17); // else it is beyond all nodes
    double lift = kind == 2 && !step ? fabs(X) : 1.0; // of a tail that may be below the doubles
    for (int side = 0; side < 2; ++side) {
        double sign = side ? -1.0 : 1.0, last = 0.0;
        for (int i = side; i < 300; i += NCT_LANES) {
            double p[NCT_LANES];
            nct_nodes at;
            if (f.small && f.nu + (kind == 4 ? 0.0 : 1.0) < NCT_FOUR)
                nct_double_exponential(&at, f.w, sign, i);
            else
                nct_power(&at, f.w, sign * (f.small ? NCT_FOUR_STEP : NCT_STEP), f.small, i);
            for (int j = 0; j < NCT_LANES; ++j) {
                double E = at.E[j], TE = T * E;
                p[j] = NCT_EXP(linear * E - f.nu * at.D[j] - (f.y * E) * E - 0.5 * TE * TE);
            }
            if (kind == 1 || kind == 2) {
                double M[NCT_LANES];
                for (int j = 0; j < NCT_LANES; ++j)
                    M[j] = p[j] * (lift * pnorm_mills(fabs(X + T * at.E[j])));
                if (apart) { // the step, where its normal tail is not the smaller one, and what is subtracted
                    for (int j = 0; j < NCT_LANES; ++j) {
                        double E = at.E[j], x = X + T * E, free = -f.nx * E - f.nu * at.D[j] - (f.y * E) * E;
                        if (step && (kind == 1 ? x < 0.0 : x > 0.0))
                            M[j] = exp(free + base) - M[j];
                        if (rest > 0.0)
                            M[j] -= rest * exp(free);
                    }
                }
                if (kind == 1) {
                    for (int j = 0; j < NCT_LANES; ++j)
                        p[j] = 2.0 * f.y * (1.0 + at.E[j]) * M[j] + T * M_1_SQRT_2PI * p[j];
                } else {
                    for (int j = 0; j < NCT_LANES; ++j)
                        p[j] = at.E[j] > -1.0 ? M[j] / (1.0 + at.E[j]) : 0.0;
                }
            } else if (kind == 3) {
                for (int j = 0; j < NCT_LANES; ++j)
                    p[j] *= 1.0 + at.E[j];
            } else if (kind == 4) {
                for (int j = 0; j < NCT_LANES; ++j) {
                    double z = 1.0 + at.E[j], r = rest * z, part = rest > 0.0 ? -NCT_EXPM1(-(r < 50.0 ? r : 50.0)) : 1.0;
                    p[j] = z > 0.0 ? p[j] * part / z : 0.0;
                }
            }
            for (int j = 0; j < NCT_LANES; ++j) {
                last = p[j] * at.g[j];
                sum += last;
            }
            if (!(last > 1e-17 * sum))
                break;
        }
    }
    // against an exponent beyond 1e15 the sum does not count, and may be lost; where Q(d) was subtracted it may be 0
    return sum < NMATH_DBL_MAX && (sum > 0.0 || (kind == 2 && rest > 0.0) || f.e.hi - base > -1e15) ? fmax(sum, 0.0) * f.w : f.w;
}

#undef NCT_STEP
#undef NCT_FOUR_STEP
#undef NCT_FOUR
#undef NCT_SMALL_STEP
#undef NCT_TAIL
#undef NCT_GROW
#undef NCT_LANES
#undef NCT_EXP
#undef NCT_EXPM1

#endif

#endif
