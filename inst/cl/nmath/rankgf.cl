// @source_type: shim
// @source_origin: rankgf.c
// @provides: rank_slow_turn, rank_total, rank_contour
// @depends: nmath, dd, logdd, log1p, expm1, cospi, choose, rankcount, rankfew, ranketa
// @method: Cauchy's integral through the saddle point by the trapezoid rule
// @all_depends: Rmath, nmath, cospi, dd, dpq, log1p, poly, rankcount, expm1, logdd, stirlerr_cycle_free, lgamma, ranketa, rankfew, pgamma_utils, dpois, choose
// @all_depends_count: 17
// @load_order: 114

// rankgf -- probabilities of the rank statistics from their generating functions (rankcount.cl).
//
// With G the generating function and z = exp(-t + i v),
//     c_k = 1/(2 pi) int G(z) z^-k dv,      c_0 + ... + c_k = 1/(2 pi) int G(z)/(1 - z) z^-k dv,      t > 0,
// by the trapezoid rule with M nodes, which adds to the coefficient those k + M, k - M, ... further on times exp(-M t),
// exp(M t), ...: M is taken such that they do not count, the sums at the upper end of the distribution excepted, which are
// all the number C of arrangements and add C exp(-M t)/(1 - exp(-M t)) (Trefethen and Weideman 2014). t is a point near
// the saddle, where all nodes near v = 0 add up in phase: nothing cancels, and both tails have full relative accuracy.
//
// The value at v = 0 is formed in double-double, so that its exponent of hundreds costs nothing; the factors of a node
// are relative to those at v = 0, and enter less 1. exp(iv) - 1 takes the place of exp(iv), whose error would be that
// of 1. Up to the angle RANK_SLOW, sines enter less their angles: what those add to numerator and denominator nearly cancels
// and is formed apart. Where many parts are as large as the samples, a node takes ranketa.cl instead of all factors.
// Nodes away from 0 count near fractions of the circle, exp(2 pi i/b), where |G| is up to about its b-th root:
// where that is not negligible they are computed, near b = 2, 3, ... or all of them.

#ifndef NMATH_RANKGF_CL
#define NMATH_RANKGF_CL

// nodes that are computed side by side
#ifdef NMATH_LIBM
#define RANK_BLOCK 4
#else
#define RANK_BLOCK 1
#endif
#define RANK_SEED 2
#define RANK_SLOW 3.0
#define RANK_SLOW_SEED 2
#define RANK_NODES 32768

// cos(x) - 1 and sin(x) - x by power series, 0 <= x <= RANK_SLOW
NMATH_HEAVY void rank_slow_turn(double x, double *c, double *e)
{
    double y = x * x, s = 0.0, p = 0.0;
    for (double i = 29.0; i >= 3.0; i -= 2.0) {
        p = (p + 1.0) * (-y / (i * (i + 1.0)));
        s = (s + x) * (-y / (i * (i - 1.0)));
    }
    *c = (p + 1.0) * (-0.5 * y);
    *e = s;
}

// Mean and variance of the statistic whose weights are tilted by exp(s x), s < 0.
NMATH_HEAVY void rank_moments(rank_size size, double s, double terms, int cumulative, double *mean, double *variance)
{
    double u = 0.0, v = 0.0, w = 0.0, y = 0.0, v1 = -expm1(s), m0 = 0.0, v0 = 0.0;
    double r = 1.0 - v1;
    for (double i = 1.0; i <= terms; i += 1.0) {
        v += v1 - v * v1;
        u = 1.0 - v;
        if (size.signs) {
            double t = i / (1.0 + u);
            m0 += t * u;
            v0 += t * t * u;
        } else {
            if (i == 1.0) {
                y = -expm1(s * (size.n + 1.0));
                if (cumulative) {
                    m0 += u / v;
                    v0 += u / (v * v);
                }
            } else
                y += v1 - y * v1;
            w = 1.0 - y;
            double e = size.n + i, t = i / v, q = e / y;
            m0 += t * u - q * w;
            v0 += t * t * u - q * q * w;
        }
    }
    if (size.signs && cumulative) {
        m0 += r / v1;
        v0 += r / (v1 * v1);
    }
    *mean = m0;
    *variance = v0;
}

// A product of many factors, hi + lo and an exponent of two.
typedef struct { dd p; double exponent; } rank_product;

// *= hi + lo
NMATH_FN void rank_times(rank_product *q, double hi, double lo)
{
    dd t = dd_two_prod(q->p.hi, hi);
    q->p = dd_fast_two_sum(t.hi, t.lo + (q->p.lo * hi + q->p.hi * lo));
    if (q->p.hi > 1e200 || q->p.hi < 1e-200) {
        double k = q->p.hi > 1.0 ? 400.0 : -400.0, c = q->p.hi > 1.0 ? 0x1p-400 : 0x1p+400;
        q->p.hi *= c;
        q->p.lo *= c;
        q->exponent += k;
    }
}

// u *= r for a double r
NMATH_HEAVY dd rank_power(dd u, double r)
{
    dd t = dd_two_prod(u.hi, r);
    return dd_fast_two_sum(t.hi, t.lo + u.lo * r);
}

NMATH_FN dd rank_square(dd u)
{
    dd t = dd_two_prod(u.hi, u.hi);
    return dd_fast_two_sum(t.hi, t.lo + 2.0 * u.hi * u.lo);
}

// r^n for whole n < 2^62
NMATH_HEAVY dd rank_power_n(double r, double n)
{
    dd w = {1.0, 0.0}, x = {r, 0.0};
    nmath_u64 b = (nmath_u64)fmin(n, 0x1p+62);
    for (int i = 0; i < 63 && b != 0; ++i) {
        if (b & 1) {
            dd t = dd_two_prod(w.hi, x.hi);
            w = dd_fast_two_sum(t.hi, t.lo + (w.hi * x.lo + w.lo * x.hi));
        }
        x = rank_square(x);
        b >>= 1;
    }
    return w;
}

// log of prod (1 - r^{n+i})/(1 - r^i) or prod (1 + r^i), without what i > terms adds.
NMATH_HEAVY dd rank_log_product(rank_size size, double r, dd w, double terms, int cumulative)
{
    rank_product above = {{1.0, 0.0}, 0.0}, below = {{1.0, 0.0}, 0.0};
    dd u = {1.0, 0.0};
    for (double i = 1.0; i <= terms; i += 1.0) {
        u = rank_power(u, r);
        if (size.signs) {
            dd f = dd_fast_two_sum(1.0, u.hi);
            rank_times(&above, f.hi, f.lo + u.lo);
        } else {
            w = rank_power(w, r);
            dd f = dd_fast_two_sum(1.0, -w.hi), g = dd_fast_two_sum(1.0, -u.hi);
            if (w.hi > 1e-40)
                rank_times(&above, f.hi, f.lo - w.lo);
            rank_times(&below, g.hi, g.lo - u.lo);
        }
    }
    if (cumulative)
        rank_times(&below, 1.0 - r, 0.0);
    dd e = dd_log_ratio(above.p.hi, below.p.hi);
    e.lo += above.p.lo / above.p.hi - below.p.lo / below.p.hi;
    double k = above.exponent - below.exponent;
    dd f = {k * NMATH_LN2_HI, k * NMATH_LN2_LO};
    return dd_add(e, f);
}

// log of the number of arrangements, C = exp(e) f
NMATH_FN dd rank_total(rank_size size, double *f)
{
    if (size.signs) {
        dd t = dd_two_prod(size.n, M_LN2);
        t.lo += size.n * 2.3190468138462996e-17;
        *f = 1.0;
        return dd_fast_two_sum(t.hi, t.lo);
    }
    double w;
    dd e = choose_exponent(size.m, size.n, 2, &w);
    *f = M_1_SQRT_2PI / sqrt(w);
    return e;
}

// A point of the contour for the mass of k or the probability up to k.
NMATH_HEAVY double rank_saddle(rank_size size, double k, int cumulative, double *variance)
{
    double d = fmax(0.5 * size.top - k, 0.0), near = d / size.sd / size.sd, sd = size.sd, mean;
    double far = (size.signs ? 0.9068996821171089 : 1.2825498301618641) / sqrt(k + 1.0);
    double least = 0.4 / sd;
    double lo = fmax(0.5 * near, least), hi = 2.0 * fmax(far + 1.0 / (k + 1.0), 2.0 * lo);
    double t = far < 3.0 * near ? fmax(near, least) : fmax(far, least);
    for (int i = 0; i < 24; ++i) {
        rank_moments(size, -t, fmin(size.m, 46.0 / t), cumulative, &mean, variance);
        double f = mean - k;
        if (fabs(f) <= 0.15 * sqrt(*variance) || (f < 0.0 && t <= least))
            break;
        if (f > 0.0)
            lo = t;
        else
            hi = t;
        t = fmax(t + f / *variance, least);
        if (!(t >= lo && t < hi))
            t = sqrt(lo) * sqrt(hi);
    }
    return t;
}

// P(X = k) or P(X <= k) = f exp(e), for k + low at most half of the top; k + low need not be whole.
NMATH_HEAVY dd rank_contour(rank_size size, double k, double low, int cumulative, double *f)
{
    double variance, t = rank_saddle(size, k, cumulative, &variance), r = exp(-t);
    dd s = dd_log_ratio(r, 1.0);
    t = -s.hi;
    double terms = floor(fmin(size.m, 46.0 / t)), lg2 = 0.0;
    dd rn = {1.0, 0.0}, e = {0.0, 0.0}, g = dd_two_prod(k, t);
    // factors in closed form, where they are many
    int closed = size.m * t > RANK_ETA_LEAST && terms > 40.0;
    // the generating function at exp(-t/2) and exp(-t)
    for (int i = !closed; i >= 0; --i) {
        double x = i ? exp(-0.5 * t) : r;
        lg2 = e.hi;
        rn = rank_power_n(x, size.signs ? 0.0 : size.n);
        e = rank_log_product(size, x, rn, i ? floor(fmin(size.m, 92.0 / t)) : terms, cumulative);
    }
    double lg = e.hi, tail = 0.0;
    for (int i = closed; i >= 0 && closed; --i) {
        double x = i ? 0.5 * t : t;
        tail = rank_eta_tail(size, x, 0.0, 1.0).re;
        if (i)
            lg2 = rank_eta_lead(size, x) + tail - (cumulative ? log(-expm1(-x)) : 0.0);
    }
    g.lo += low * t - k * s.lo;
    e = dd_add(e, dd_fast_two_sum(g.hi, g.lo));

    // nodes
    double d = 0.5 * size.top - k, v = size.sd * size.sd, b = t - d / v, v1 = -expm1(-t);
    double sd = sqrt(cumulative ? fmax(variance - r / (v1 * v1), 0.0) : variance);
    double scale;
    dd c = rank_total(size, &scale);
    double total = c.hi + log(scale);
    double all = 38.0 + log(4.0 * sd + 1.0) + fmax(total - e.hi, 0.0), reach = 2.0 * fmax(all - 0.5 * d * d / v, 40.0);
    double root = sqrt(b * b + reach / v), M = b > 0.0 ? reach / (root + b) : v * (root - b);
    if (cumulative && M < d)
        M = all / t;
    M = fmin(M, size.top - k + 1.0);
    // or the tail is below what the generating function at exp(-t/2) allows it
    double M2 = 2.0 / t * (38.0 + log(4.0 * sd + 1.0) + fmax(lg2 - lg - 0.5 * t * k, 0.0)), least = 9.0 * sqrt(variance);
    int pole = !(M2 < M);
    M = ceil(fmin(fmax(fmin(M, M2), least), size.top - k + 1.0));
    double middle = floor(0.5 * M), width = 9.0 / (M_2PI * sd), sum = 1.0, lost = 0.0, largest = 1.0;
    int lobes = lg > 44.0 ? (int)(lg / (lg - 38.0)) : 0, quiet = 0;
    if (closed && lg > 38.5) // the roots are of the order b^2
        lobes = (int)sqrt(1.1 * lg / (lg - 38.0));
    double factors = closed ? 0.0 : terms;
    for (double base = 1.0; base <= middle && base < RANK_NODES; base += RANK_BLOCK) {
        if (lobes) {
            double x = (base + 1.5) / M, w = RANK_BLOCK / M;
            int keep = quiet < 2;
            for (int q = 2; q <= lobes; ++q) {
                double y = x * q;
                if (size.signs && !(q & 1))
                    continue;
                keep = keep || fabs(y - rint(y)) <= q * (width * sqrt((double)q) + w);
            }
            if (!keep)
                continue;
        }
        double pr[RANK_BLOCK], pi[RANK_BLOCK], ur[RANK_BLOCK], ui[RANK_BLOCK], wr[RANK_BLOCK], wi[RANK_BLOCK], sr[RANK_BLOCK],
            si[RANK_BLOCK], angle[RANK_BLOCK], first[RANK_BLOCK], lr[RANK_BLOCK], li[RANK_BLOCK];
        int slow = !size.signs && !closed && (size.n + terms) * (M_2PI / M) * (base + RANK_BLOCK) < RANK_SLOW;
        NMATH_UNROLL
        for (int l = 0; l < RANK_BLOCK; ++l) {
            pr[l] = 1.0;
            pi[l] = lr[l] = li[l] = 0.0;
            wr[l] = wi[l] = 0.0;
            angle[l] = 0.0;
            if (slow) {
                angle[l] = M_2PI / M * (base + l);
                rank_slow_turn(angle[l], &sr[l], &first[l]);
                si[l] = angle[l] + first[l];
            } else {
                rank_turn(1.0, base + l, M, &sr[l], &si[l]);
                first[l] = si[l];
            }
        }
        if (cumulative) {
            NMATH_UNROLL
            for (int l = 0; l < RANK_BLOCK; ++l) {
                double x = v1 - r * sr[l], y = -r * si[l], z = v1 / (x * x + y * y);
                pr[l] = x * z;
                pi[l] = -y * z;
            }
        }
        dd u = {1.0, 0.0}, w = rn;
        int phase = 0;
        for (int l = 0; closed && l < RANK_BLOCK; ++l) {
            rank_complex z = rank_eta_node(size, t, tail, base + l, M);
            double x = pr[l] * z.re - pi[l] * z.im;
            pi[l] = pr[l] * z.im + pi[l] * z.re;
            pr[l] = x;
        }
        for (double i = 1.0; i <= factors; i += 1.0) {
            if (phase == 0) {
                NMATH_UNROLL
                for (int l = 0; l < RANK_BLOCK; ++l) {
                    if (slow) {
                        rank_slow_turn(i * angle[l], &ur[l], &ui[l]);
                        rank_slow_turn((size.n + i) * angle[l], &wr[l], &wi[l]);
                    } else {
                        rank_turn(i, base + l, M, &ur[l], &ui[l]);
                        if (!size.signs)
                            rank_turn(size.n + i, base + l, M, &wr[l], &wi[l]);
                    }
                }
            } else {
                NMATH_UNROLL
                for (int l = 0; l < RANK_BLOCK; ++l) {
                    double sine = ui[l] + (i - 1.0) * angle[l], x = ur[l] + sr[l] + (ur[l] * sr[l] - sine * si[l]);
                    ui[l] = ui[l] + first[l] + (ur[l] * si[l] + sine * sr[l]);
                    ur[l] = x;
                    sine = wi[l] + (size.n + i - 1.0) * angle[l];
                    x = wr[l] + sr[l] + (wr[l] * sr[l] - sine * si[l]);
                    wi[l] = wi[l] + first[l] + (wr[l] * si[l] + sine * sr[l]);
                    wr[l] = x;
                }
            }
            phase = phase + 1 == (slow ? RANK_SLOW_SEED : RANK_SEED) ? 0 : phase + 1;
            u = rank_power(u, r);
            double un = u.hi;
            if (size.signs) {
                double p = un / (1.0 + un);
                NMATH_UNROLL
                for (int l = 0; l < RANK_BLOCK; ++l) {
                    double x = p * ur[l], y = p * ui[l], z = pr[l];
                    pr[l] = z + (z * x - pi[l] * y);
                    pi[l] = pi[l] + (z * y + pi[l] * x);
                }
            } else {
                w = rank_power(w, r);
                double uw = w.hi;
                dd vn = dd_fast_two_sum(1.0, -un), vw = dd_fast_two_sum(1.0, -uw);
                vn.lo -= u.lo;
                vw.lo -= w.lo;
                // a factor over that at v = 0 is 1 + (un U - q W)/(vn - un U), q = vn uw/vw, U and W what exp(iv) - 1 becomes
                dd q;
                q.hi = vn.hi / vw.hi;
                q.lo = (fma(-q.hi, vw.hi, vn.hi) + (vn.lo - q.hi * vw.lo)) / vw.hi;
                q = rank_dd_mul(q, w);
                // un i - q (n + i), which vanishes with t
                dd lu = dd_two_prod(un, i), lw = dd_two_prod(q.hi, size.n + i);
                double linear = (lu.hi - lw.hi) + ((lu.lo - lw.lo) + (u.lo * i - q.lo * (size.n + i)));
                NMATH_UNROLL
                for (int l = 0; l < RANK_BLOCK; ++l) {
                    double ar = (un * ur[l] - q.hi * wr[l]) + (u.lo * ur[l] - q.lo * wr[l]);
                    double ai = (un * ui[l] - q.hi * wi[l]) + (u.lo * ui[l] - q.lo * wi[l]) + angle[l] * linear;
                    double x = vn.hi + (vn.lo - un * ur[l]), y = -un * (ui[l] + i * angle[l]), z = 1.0 / (x * x + y * y);
                    double qr = (ar * x + ai * y) * z, qi = (ai * x - ar * y) * z;
                    // what the sums round off is carried along
                    dd re = dd_two_sum(pr[l], pr[l] * qr - pi[l] * qi), im = dd_two_sum(pi[l], pr[l] * qi + pi[l] * qr);
                    z = lr[l];
                    lr[l] = z + (z * qr - li[l] * qi) + re.lo;
                    li[l] = li[l] + (z * qi + li[l] * qr) + im.lo;
                    pr[l] = re.hi;
                    pi[l] = im.hi;
                }
            }
        }
        double size_of_block = 0.0;
        NMATH_UNROLL
        for (int l = 0; l < RANK_BLOCK; ++l) {
            double j = base + l, x, y;
            rank_turn(k, j, M, &x, &y);
            pr[l] += lr[l];
            pi[l] += li[l];
            double a = (pr[l] + (pr[l] * x + pi[l] * y)) * (2.0 * j == M ? 1.0 : 2.0);
            if (j <= middle) {
                dd carry = dd_two_sum(sum, a);
                sum = carry.hi;
                lost += carry.lo;
                size_of_block = fmax(size_of_block, fabs(pr[l]) + fabs(pi[l]));
            }
        }
        largest = fmax(largest, fabs(sum));
        quiet = size_of_block < 1e-19 * largest ? quiet + 1 : 0;
        if (lobes == 1 && quiet >= 2)
            break;
    }
    sum = (sum + lost) / M;
    if (cumulative && pole) {
        double back = exp(total - M * t - e.hi) / -expm1(-M * t);
        sum -= back;
    }
    *f = sum / scale;
    c.hi = -c.hi;
    c.lo = -c.lo;
    return dd_add(e, c);
}

#undef RANK_BLOCK
#undef RANK_SEED
#undef RANK_SLOW
#undef RANK_SLOW_SEED
#undef RANK_NODES

#endif
