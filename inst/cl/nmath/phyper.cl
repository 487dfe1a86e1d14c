// @source_type: c
// @source_origin: phyper.c
// @provides: phyper, phyper_short, phyper_sum
// @depends: nmath, dpq, dhyper, dhyper_far, pgamma_utils
// @method: the smaller tail relative to its first mass: summed up to 256 terms, else integrated with end corrections
// @accuracy: phyper.tsv 3.2 eps(1+cond) (host), 3.4 (PoCL), 3.6 (H200)
// @all_depends: Rmath, nmath, bd0, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dhyper_far, dhyper
// @all_depends_count: 10

// phyper -- cumulative probability of the hypergeometric distribution, for arguments of any size.
//
// The tail on the side of x away from the mean is its first mass p(x) (dhyper.cl) times sum g(j), g(j) = p(x-j)/p(x).
// A step of the lower tail takes the cells (a, b; c, d) to (a-1, b+1; c+1, d-1); the upper tail is the lower one of
// the table of x + 1 with its columns exchanged, or from 2^53 on, where x + 1 may not be a double, of x without its
// first term. The terms fall like exp(-l u - q u^2/2), l = log(bc/(ad)), q = 1/a + 1/b + 1/c + 1/d, so they end after
// about L = 80/(l + sqrt(l^2 + 80 q)). bc - ad is -tN, where t = x - mean is known even if the cells are rounded. On the
// far side of the mode the terms rise first: nobody may start more than a step or a small part of a standard deviation
// beyond it.
//
// L <= 256 or a short support: the sum itself, four terms to a division. Up to N = 170 the first mass is a quotient of
// factorials, beyond it comes from dhyper_far.cl.
//
// Else all cells exceed 800 and the sum is replaced by an integral, by the formula of Euler and Maclaurin with
// central differences:
//     sum_{j>=0} g(j) = int_0^L g du + 1/2 + sum_k c_k (g(k) - g(-k)).
// g is continued by Stirling's formula: with o the cells, o' the shifted ones and D(o', o) the deviance (dpois.cl),
//     g(u) = exp(-l u - sum D(o', o) + sum (s(o) - s(o'))) prod sqrt(o/o'),   s(o) = 1/(12 o) - 1/(360 o^3);
// a Gauss-Legendre rule of 24 nodes integrates it to 2^-56. So the work is bounded for tails of any length.

// Nodes and weights on [0, 1], and c_k; tools/fit_hyper.py
NMATH_TABLE double phyper_node[24] = {
    0.00240639000148932, 0.012635722014345251, 0.030862723998633622, 0.056792236497799485,
    0.08999900701304854, 0.12993790421072282, 0.17595317403151223, 0.22728926430558022,
    0.28310324618697741, 0.3424786601519183, 0.40444056626319186, 0.46797155356869719,
    0.53202844643130276, 0.5955594337368082, 0.6575213398480817, 0.71689675381302254,
    0.77271073569441973, 0.82404682596848777, 0.87006209578927718, 0.91000099298695147,
    0.94320776350220048, 0.96913727600136634, 0.98736427798565474, 0.99759360999851066
};
NMATH_TABLE double phyper_weight[24] = {
    0.0061706148999936001, 0.014265694314466832, 0.022138719408709904, 0.029649292457718392,
    0.03667324070554015, 0.043095080765976637, 0.048809326052056942, 0.053722135057982817,
    0.0577528340268628, 0.060835236463901696, 0.062918728173414151, 0.06396909767337608,
    0.06396909767337608, 0.062918728173414151, 0.060835236463901696, 0.0577528340268628,
    0.053722135057982817, 0.048809326052056942, 0.043095080765976637, 0.03667324070554015,
    0.029649292457718392, 0.022138719408709904, 0.014265694314466832, 0.0061706148999936001
};
NMATH_TABLE double phyper_end[7] = {
    -0.076990174607492579, 0.027737991166059673, -0.0094299993219431975, 0.0025916159651554272,
    -0.0005202578456284055, 6.6838404987379853e-05, -4.0973554096866213e-06
};

// -D(o + t, o) for the cell o shifted to o' = o + t; o o'^-1 multiplies *w, s(o') - s(o) is added to *s.
NMATH_FN double phyper_shift(double o, double t, double *w, double *s)
{
    double n = o + t, v = 1.0 / n, r = 1.0 / o, z = r - v;
    *w *= o * v;
    *s -= z * (1.0 / 12 - (r * r + r * v + v * v) * (1.0 / 360));
    return pgamma_deviance(n, -t);
}

// sum_{j>=1} p(x-j)/p(x), N <= DHYPER_EXACT; some 320 terms at most, the last of a short support is followed by zeros. The
// j-th ratio is n_j/d_j = (a-j+1)(d-j+1)/((b+j)(c+j)); numerators and denominators are exact, their differences linear. Four
// terms are n_1/d_1 (1 + n_2/d_2 (1 + n_3/d_3 (1 + n_4/d_4))), over one denominator.
NMATH_FN double phyper_short(double a, double b, double c, double d)
{
    double n1 = a * d, d1 = (b + 1.0) * (c + 1.0), dn = a + d - 1.0, dd1 = b + c + 3.0, s = 0.0, t = 1.0;
    for (int i = 0; i < 80; ++i) {
        double n2 = n1 - dn, n3 = n2 - (dn - 2.0), n4 = n3 - (dn - 4.0);
        double d2 = d1 + dd1, d3 = d2 + (dd1 + 2.0), d4 = d3 + (dd1 + 4.0), d34 = d3 * d4, d234 = d2 * d34;
        double v = t / (d1 * d234);
        s += (n1 * NMATH_FMA(n2, NMATH_FMA(n3, d4 + n4, d34), d234)) * v;
        t = ((n1 * n2) * (n3 * n4)) * v;
        if (t <= 0x1p-58 * (1.0 + s))
            break;
        n1 = n4 - (dn - 6.0);
        d1 = d4 + (dd1 + 6.0);
        dn -= 8.0;
        dd1 += 8.0;
    }
    return s;
}

// sum_{j>=1} p(x-j)/p(x) for the table of x, t = x - mean
NMATH_HEAVY double phyper_sum(double a, double b, double c, double d, double N, double t)
{
    double l = 0.0, L = 0.0, s = 0.0;
    if (fmin(a, d) > 256.0) {
        double v = 1.0 / a + 1.0 / b + 1.0 / c + 1.0 / d;
        l = log1p(-t / a * (N / d));
        L = 80.0 / (l + sqrt(l * l + 80.0 * v));
    }
    if (!(L > 256.0)) {
        if (N <= NMATH_RANGE(DHYPER_EXACT, 1e4)) // products of four
            return phyper_short(a, b, c, d);
        // no product of two cells overflows once c and d are scaled
        double h = N > NMATH_RANGE(1e150, 1e17) ? NMATH_RANGE(0x1p-1000, 0x1p-63) : 1.0;
        t = 1.0;
        c *= h;
        d *= h;
        for (int i = 0; i < 40; ++i) {
            double block = 0.0;
            for (int j = 0; j < 8; ++j) {
                b += 1.0;
                c += h;
                t *= (a * d) / (b * c);
                a -= 1.0;
                d -= h;
                block += t;
            }
            s += block;
            if (t <= 0x1p-58 * (1.0 + s)) // also at the end of the support
                break;
        }
        return s;
    }

    for (int k = 0; k < 24; ++k) {
        double u = phyper_node[k] * L, w = 1.0, r = 0.0;
        double e = phyper_shift(a, -u, &w, &r) + phyper_shift(b, u, &w, &r) + phyper_shift(c, u, &w, &r) +
                   phyper_shift(d, -u, &w, &r);
        s += phyper_weight[k] * (exp(e - (l * u + r)) * sqrt(w));
    }
    s = s * L - 0.5;
    double below = 1.0, above = 1.0; // g(k), g(-k)
    for (int k = 0; k < 7; ++k) {
        double j = k, i = k + 1.0;
        below *= ((a - j) / (b + i)) * ((d - j) / (c + i));
        above *= ((b - j) / (a + i)) * ((c - j) / (d + i));
        s += phyper_end[k] * (below - above);
    }
    return s;
}

// From the tail p that is small, or its log: what is asked for. `direct`: that tail itself.
NMATH_FN double phyper_of(double p, int direct, int log_p)
{
    p = fmin(p, log_p && direct ? 0.0 : 1.0);
    if (direct)
        return p;
    return log_p ? log1p(-p) : 1.0 - p;
}

// r + b > DHYPER_FEW
NMATH_HEAVY double phyper_far(double x, double r, double b, double n, int lower_tail, int log_p)
{
    dhyper_table g = dhyper_at(x, r, b, n);
    int upper = g.t.hi > -0.5, direct = upper == !lower_tail;
    double f, w = 1.0;
    if (upper && x >= 0x1p53) {
        w = 0.0;
    } else if (upper) {
        g.a += 1.0;
        g.b -= 1.0;
        g.c -= 1.0;
        g.d += 1.0;
        g.t = dd_add(g.t, dd_two_sum(1.0, 0.0));
    }
    nmath_dd e = dhyper_exponent(g, !(log_p && direct), &f);
    if (upper)
        g = dhyper_mirrored(g);
    w += phyper_sum(g.a, g.b, g.c, g.d, g.N.hi, g.t.hi);
    return phyper_of(dhyper_value(e, f * w, log_p && direct), direct, log_p);
}

NMATH_FN double phyper(double x, double r, double b, double n, int lower_tail, int log_p)
{
    if (ISNAN(x) || ISNAN(r) || ISNAN(b) || ISNAN(n))
        return x + r + b + n;
    x = floor(x + 1e-7);
    r = R_forceint(r);
    b = R_forceint(b);
    n = R_forceint(n);
    double N = r + b;
    if (r < 0 || b < 0 || isinf(N) || n < 0 || n > N)
        ML_WARN_return_NAN;
    if (x < 0 || x < n - b)
        return R_DT_0;
    if (x >= r || x >= n)
        return R_DT_1;
    if (!(N <= DHYPER_FEW))
        return phyper_far(x, r, b, n, lower_tail, log_p);

    // the table of x for the lower tail, of x + 1 with columns exchanged for the upper one
    int upper = (x + 0.5) * N > r * n, direct = upper == !lower_tail;
    double k = x + upper, a = upper ? r - k : k, c = upper ? b - (n - k) : n - k, B = r - a, D = b - c;
    double p = dhyper_few(a, B, c, D, r, b, n, N - n, N);
    p += p * phyper_short(a, B, c, D);
    return phyper_of(log_p && direct ? log(p) : p, direct, log_p);
}
