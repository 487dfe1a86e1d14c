// @source_type: shim
// @source_origin: nbeta_mix.c
// @provides: nbeta_tail, nbeta_mix, nbeta_both
// @depends: nmath, dd, nbeta_mass, ibeta_mass, ibeta
// @method: double sums of positive terms by recurrences about the largest; long sums by the trapezoidal rule
// @accuracy: 6 eps(1+cond) of either tail
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, expsq, ibeta_asym, logdd, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta, nbeta_mass
// @all_depends_count: 18
// @load_order: 144

// nbeta_mix -- both tails of the non-central beta distribution, see nbeta_mass.cl, each as a sum of positive terms:
//     P = sum_j p_j I_j,   Q = sum_j p_j J_j,   I_j = I_x(a+j, b) = 1 - J_j.
// I_j = I_{j+1} + g_j and J_{j+1} = J_j + g_j with g_j = x^(a+j) y^b / ((a+j) B(a+j, b)) are stable in this direction
// only. The other way the sums are taken by parts. From an index m with W_i = p_m + ... + p_i
//     sum_{j>=m} p_j I_j = sum_{i>=m} g_i W_i,
// which for the last i, where the weights are used up, is W (I_m - g_m - g_{m+1} - ...); the same for sum_{j<=m} p_j
// J_j with W_i = p_i + ... + p_m and sum_{i<m} g_i W_{i+1} + W J_0. What is carried along is
//     q_j = p_j g_j,   q_{j+1}/q_j = h x (a+b+j)/((j+1)(a+j+1)),
// the terms t_j = p_j I_j or p_j J_j where they follow from their neighbours, and V_j = W_j/p_j where they do not: no
// number leaves the range, and a step costs one division. I_m and g_m come from ibeta.cl.
//
// q_j has its peak at some j*. The terms of P are largest near min(h, j*), those of Q near max(h, j*). m is that peak
// if it is far from h (the weights last then longer than q_j), else h, where the remainder above is at least half of
// what it is subtracted from; for Q also 0, where nothing is to be summed by parts: if the peak is near 0, or if q_j
// falls so fast that g_0 would be lost at h.
//
// Beyond NBETA_DIRECT the trapezoidal rule takes p_j I_j or p_j J_j at real j. As functions of j the tails are
// distribution functions of width sqrt((a+j)(a+b+j)/b), so that nbeta_width() holds for the products, too.

// Parameters away from the rims (nbeta_fit). A tail exp(e) m; with T its value and sums over q_j: s1 = sum (a+j) q_j / T = |dT/du|/T, u = log(x/y), and s2
// the mean of a+j over the terms of s1, both only if asked for.
typedef struct { dd e; double m, s1, s2; } nbeta_tail;

NMATH_HEAVY nbeta_tail nbeta_mix(double a, double b, double h, ibeta_point u, int upper, int slopes)
{
    h = fmax(h, 1e-290);
    double z = h * u.x;
    if (u.k != 0 && u.y == 1.0)
        z = ldexp(z, u.k);
    double peak = nbeta_peak(z, a, b, 1.0, h), c = floor(h), sd = sqrt(h), m = upper ? fmax(c, peak) : fmin(c, peak);
    int direct = m <= NBETA_DIRECT, far = 0;
    double step = 1.0;
    if (!direct) {
        step = NBETA_STEP * nbeta_width(m, a, b);
    } else if (upper) {
        far = peak > c + 4.0 * sd + 2.0;
        m = far ? (peak < 64.0 ? 0.0 : peak) : c < 64.0 && z * (a + b + c) < 1e-3 * (a + c) ? 0.0 : c;
    } else {
        far = h < 64.0 ? peak + 1.0 < 0.8 * h : peak < c - 4.0 * sd - 2.0;
        m = far || h < 64.0 ? m : c;
    }

    nbeta_tail r;
    r.m = r.s1 = r.s2 = 0.0;
    double am = fmax(a + m, 1.0), ai = 1.0 / am;
    double d = 0.0, d0 = h - m, turn = 1.0, f = 0.0;
    for (int k = 0; k < NBETA_NODES; ++k) {
        double j = m + d;
        nbeta_term p = nbeta_poisson(j, d0 - d, h);
        ibeta_tail t = ibeta(a + j, b, u);
        int same = !t.upper == !upper;
        double v = same ? t.m : dd_exp(t.e) * t.m;
        f = v * t.h;
        dd e = same ? nbeta_join(p.e, t.e) : p.e;
        v = same ? v : 1.0 - v;
        double scale = p.c;
        if (k == 0)
            r.e = e;
        else
            scale *= exp(fmin((e.hi - r.e.hi) + (e.lo - r.e.lo), 600.0));
        v *= scale;
        f *= scale;
        r.m += v;
        r.s1 += f;
        r.s2 += f * ((a + j) * ai);
        if (r.e.hi < -1e15) { // of a log of this size one term tells all that a double can
            r.e.lo = 0.0;
            r.m = 1.0;
            r.s1 = same ? t.h : f / v; // v may have underflowed
            r.s2 = am;
            return r;
        }
        if (direct)
            break;
        if (v < 1e-17 * r.m) {
            if (turn < 0)
                break;
            turn = -1.0;
            d = 0.0;
        }
        d += turn * step;
    }
    if (!direct) {
        r.s2 = r.s2 / r.s1 * am;
        r.s1 /= r.m;
        r.m *= step;
        return r;
    }

    double n = a + b, zi = 1.0 / fmax(z, 1e-305), hi = 1.0 / h, q0 = f / r.m / (a + m); // in units of the tail at m
    double q = q0, V = 1.0, pi = 1.0, g = 0.0, s = 0.0, j = m, t = 1.0;
    r.s1 = r.s2 = 0.0;
    if (upper) {
        int open = 1;
        while (open && j > 0) {
            double w = 1.0 / (j * fmax(n + (j - 1.0), 1e-300)), v = h * (n + (j - 1.0)) * w;
            q = q * zi * ((a + j) * (j * w)) * j; // in this order q = 0 meets no overflow
            j -= 1.0;
            pi *= v;
            v *= V;
            V = 1.0 + v;
            g += q * pi;
            s += q * v;
            if (slopes) {
                double l = q * (a + j);
                r.s1 += l;
                r.s2 += l * ((a + j) * ai);
            }
            open = V < 1e17 && !(far && q * v < 1e-17 * s);
        }
        if (!far || V >= 1e17 || m == 0)
            s += V / pi * fmax(1.0 - g, 0.0);
        q = q0;
        j = m;
        for (int k = 0; k < 8192; ++k) {
            double w = 1.0 / ((j + 1.0) * (a + (j + 1.0)));
            if (slopes) {
                double l = q * (a + j);
                r.s1 += l;
                r.s2 += l * ((a + j) * ai);
            }
            t = (t + q) * (h * (a + (j + 1.0)) * w);
            q *= z * (n + j) * w;
            j += 1.0;
            s += t;
            if (t < 1e-17 * s)
                break;
        }
    } else {
        for (int k = 0; k < 8192; ++k) {
            double v = q * V, w = (j + 1.0) * hi;
            s += v;
            g += q * pi;
            if (slopes) {
                double l = q * (a + j);
                r.s1 += l;
                r.s2 += l * ((a + j) * ai);
            }
            if (far && v < 1e-17 * s)
                break;
            q *= z * (n + j) / ((j + 1.0) * (a + (j + 1.0)));
            V = 1.0 + V * w;
            pi *= w;
            j += 1.0;
            if (V >= 1e17)
                break;
        }
        if (!far || V >= 1e17)
            s += V / pi * fmax(1.0 - g, 0.0);
        q = q0;
        j = m;
        int all = n < 0.01 && h < 750.0; // I_0 may be much larger than I_1
        while (j > 0) {
            q = q * zi * ((a + j) / fmax(n + (j - 1.0), 1e-300)) * j;
            t *= j * hi;
            t += q;
            j -= 1.0;
            s += t;
            if (slopes) {
                double l = q * (a + j);
                r.s1 += l;
                r.s2 += l * ((a + j) * ai);
            }
            if (t < 1e-17 * s && !all)
                break;
        }
    }
    r.m *= s;
    r.s2 = r.s2 / r.s1 * am;
    r.s1 /= s;
    return r;
}

// The distribution function on either side, from its smaller tail; a, b and h are to be multiplied by `unit`.
NMATH_HEAVY double nbeta_both(double a, double b, double h, double unit, ibeta_point u, int lower_tail, int log_p)
{
    nbeta_shapes s;
    s.up = 1.0;
    s.lower = s.upper = 0;
    if (nbeta_on_rim(a, b, h)) {
        s = nbeta_fit_at(a, b, h, unit, &u);
    } else {
        s.a = unit * a;
        s.b = unit * b;
        s.h = unit * h;
    }
    double x = u.k != 0 && u.y == 1.0 ? ldexp(u.x, u.k) : u.x, y = u.k != 0 && u.y != 1.0 ? ldexp(u.y, u.k) : u.y;
    ibeta_tail r;
    r.upper = x * s.b > y * (s.a + s.h);
    for (int k = 0; k < 2; ++k) {
        nbeta_tail t = nbeta_mix(s.a, s.b, s.h, u, r.upper, 0);
        r.e = nbeta_scale(t.e, s.up, r.upper ? s.upper : s.lower);
        r.m = t.m;
        if (r.e.hi > -600.0 && r.m > 1e-40) { // the log of the number loses less than the sum of exponent and log
            r.m *= dd_exp(r.e);
            r.e.hi = r.e.lo = 0.0;
        }
        if (r.e.hi < -600.0 || r.m <= 0.7)
            break;
        if (k == 0)
            r.upper = !r.upper;
    }
    return ibeta_value(r, !lower_tail, log_p);
}
