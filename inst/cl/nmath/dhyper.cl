// @source_type: c
// @source_origin: dhyper.c
// @provides: dhyper, dhyper_table, dhyper_at, dhyper_mirrored, dhyper_exponent, dhyper_value
// @depends: nmath, dpq, dd, bd0, dpois
// @method: Stirling's formula about the expected table, deviances in double-double where they are large
// @accuracy: dhyper.tsv 2.6 eps(1+cond) (host), 2.6 (PoCL), 2.7 (H200)
// @all_depends: Rmath, nmath, dd, dpq, log1p, poly, logdd, stirlerr_cycle_free, bd0, lgamma, pgamma_utils, dpois
// @all_depends_count: 12
// @load_order: 91

// dhyper -- mass of the hypergeometric distribution: x white balls among k drawn from m white and n black ones.
//
// The 2 x 2 table with cells a = x, b = m - x, c = k - x, d = n - c, margins a+b, c+d, a+c, b+d and total N has the
// mass (product of the factorials of the margins) / (those of the cells and of N). With z! = sqrt(2 pi w) (z/e)^z e^s
// (dpois.cl) the powers collect into the deviances of the cells from their expectations E (Loader 2000, for the
// binomial mass):
//     mass = sqrt(w.../w...) exp(s... - s... - sum D(O, E)),   D(O, E) = O log(O/E) + E - O >= 0.
// All four differences are +-t, t = x - mk/N = (ad - bc)/N, and no terms cancel. t is taken from the arguments, in
// double-double: beyond 2^53 the sum N and the cells b, c, d are rounded, and t may be a vanishing part of them.
//
// All arguments are whole numbers, so the condition number is 0: where the mass itself is asked for and the sum of
// deviances may exceed 4, each is taken to 2^-61. With u = (E - O)/O small (always so for cells beyond 2^35, unless the
// mass is 0) it is
//     D(O, E) = O (u - log(1 + u)) = O u^2/2 (1 - 2u/3 + 2u^2/4 - ...),
// whose factor O u^2/2 alone needs two doubles; else ebd0, with E = O +- t, or where that cancels, with E = margin times
// margin / N. For N <= 170 the factorials are a table.
//
// The log of a mass above 0.4 comes from the others, -log1p(sum p(y)/p(x)): log(p) would lose its small values.

// 0!, ..., 170!, nearest doubles; tools/fit_hyper.py
NMATH_TABLE double dhyper_factorial[171] = {
    1, 1, 2, 6,
    24, 120, 720, 5040,
    40320, 362880, 3628800, 39916800,
    479001600, 6227020800, 87178291200, 1307674368000,
    20922789888000, 355687428096000, 6402373705728000, 1.21645100408832e+17,
    2.43290200817664e+18, 5.109094217170944e+19, 1.1240007277776077e+21, 2.5852016738884978e+22,
    6.2044840173323941e+23, 1.5511210043330986e+25, 4.0329146112660565e+26, 1.0888869450418352e+28,
    3.0488834461171387e+29, 8.8417619937397019e+30, 2.6525285981219107e+32, 8.2228386541779224e+33,
    2.6313083693369352e+35, 8.6833176188118859e+36, 2.9523279903960416e+38, 1.0333147966386145e+40,
    3.7199332678990125e+41, 1.3763753091226346e+43, 5.2302261746660112e+44, 2.0397882081197444e+46,
    8.1591528324789768e+47, 3.3452526613163808e+49, 1.40500611775288e+51, 6.0415263063373834e+52,
    2.6582715747884489e+54, 1.1962222086548019e+56, 5.5026221598120892e+57, 2.5862324151116818e+59,
    1.2413915592536073e+61, 6.0828186403426752e+62, 3.0414093201713376e+64, 1.5511187532873822e+66,
    8.0658175170943877e+67, 4.2748832840600255e+69, 2.3084369733924138e+71, 1.2696403353658276e+73,
    7.1099858780486348e+74, 4.0526919504877214e+76, 2.3505613312828785e+78, 1.3868311854568984e+80,
    8.3209871127413899e+81, 5.0758021387722484e+83, 3.1469973260387939e+85, 1.9826083154044401e+87,
    1.2688693218588417e+89, 8.2476505920824715e+90, 5.4434493907744307e+92, 3.6471110918188683e+94,
    2.4800355424368305e+96, 1.711224524281413e+98, 1.1978571669969892e+100, 8.504785885678623e+101,
    6.1234458376886085e+103, 4.4701154615126844e+105, 3.3078854415193862e+107, 2.48091408113954e+109,
    1.8854947016660504e+111, 1.4518309202828587e+113, 1.1324281178206297e+115, 8.9461821307829757e+116,
    7.1569457046263806e+118, 5.7971260207473678e+120, 4.753643337012842e+122, 3.9455239697206588e+124,
    3.3142401345653532e+126, 2.8171041143805501e+128, 2.4227095383672734e+130, 2.1077572983795279e+132,
    1.8548264225739844e+134, 1.650795516090846e+136, 1.4857159644817615e+138, 1.3520015276784029e+140,
    1.2438414054641308e+142, 1.1567725070816416e+144, 1.0873661566567431e+146, 1.0329978488239059e+148,
    9.9167793487094965e+149, 9.619275968248212e+151, 9.426890448883248e+153, 9.3326215443944153e+155,
    9.3326215443944151e+157, 9.4259477598383599e+159, 9.6144667150351271e+161, 9.9029007164861805e+163,
    1.0299016745145628e+166, 1.081396758240291e+168, 1.1462805637347084e+170, 1.226520203196138e+172,
    1.324641819451829e+174, 1.4438595832024937e+176, 1.588245541522743e+178, 1.7629525510902446e+180,
    1.974506857221074e+182, 2.2311927486598138e+184, 2.5435597334721877e+186, 2.925093693493016e+188,
    3.3931086844518981e+190, 3.9699371608087211e+192, 4.6845258497542909e+194, 5.5745857612076058e+196,
    6.6895029134491271e+198, 8.0942985252734441e+200, 9.8750442008336011e+202, 1.2146304367025329e+205,
    1.5061417415111409e+207, 1.8826771768889261e+209, 2.3721732428800469e+211, 3.0126600184576594e+213,
    3.8562048236258041e+215, 4.9745042224772875e+217, 6.4668554892204741e+219, 8.4715806908788206e+221,
    1.1182486511960043e+224, 1.4872707060906857e+226, 1.9929427461615188e+228, 2.6904727073180504e+230,
    3.6590428819525489e+232, 5.012888748274992e+234, 6.9177864726194886e+236, 9.6157231969410894e+238,
    1.3462012475717526e+241, 1.8981437590761709e+243, 2.6953641378881629e+245, 3.8543707171800731e+247,
    5.5502938327393044e+249, 8.0479260574719917e+251, 1.1749972043909107e+254, 1.7272458904546389e+256,
    2.5563239178728654e+258, 3.8089226376305698e+260, 5.7133839564458547e+262, 8.62720977423324e+264,
    1.3113358856834524e+267, 2.0063439050956823e+269, 3.0897696138473508e+271, 4.7891429014633941e+273,
    7.4710629262828942e+275, 1.1729568794264145e+278, 1.853271869493735e+280, 2.9467022724950384e+282,
    4.7147236359920616e+284, 7.590705053947219e+286, 1.2296942187394494e+289, 2.0044015765453026e+291,
    3.2872185855342959e+293, 5.4239106661315887e+295, 9.0036917057784375e+297, 1.5036165148649991e+300,
    2.5260757449731984e+302, 4.2690680090047051e+304, 7.257415615307999e+306
};

// log z! - z log z + z - log(2 pi w)/2 for whole z >= 0, with w = z, or 1/(2 pi) for z = 0
NMATH_FN double dhyper_stirling(double z, double *w)
{
    double s = dpois_stirling(fmax(z, 1.0), w);
    if (z > 0)
        return s;
    *w = 0.15915494309189533577;
    return 0.0;
}

// The cells a, b, c, d, the margins a + b = r, c + d = s, a + c = n, b + d = m, the total N, and t.
typedef struct { double a, b, c, d, r, s, n; dd m, N, t; } dhyper_table;

// No product of two margins overflows, and none of its digits underflow, once each is multiplied by this.
NMATH_FN double dhyper_scale(double N) { return N > 1e150 ? 0x1p-512 : 1.0; }

// p/N for p multiplied by h^2
NMATH_FN dd dhyper_quotient(dd p, dd N, double h)
{
    dd r;
    double M = N.hi * h * h;
    r.hi = p.hi / M;
    r.lo = (fma(-r.hi, M, p.hi) + (p.lo - r.hi * (N.lo * h * h))) / M;
    return dd_fast_two_sum(r.hi, r.lo);
}

// The table of x for whole margins, r + s finite. t to a double's precision is enough where the factorials are a table.
NMATH_FN dhyper_table dhyper_at(double x, double r, double s, double n)
{
    dhyper_table g;
    g.a = x;
    g.b = r - x;
    g.c = n - x;
    g.d = s - g.c;
    g.r = r;
    g.s = s;
    g.n = n;
    g.N.hi = r + s;
    g.N.lo = g.m.lo = g.t.lo = 0.0;
    if (g.N.hi <= 170.0) {
        g.m.hi = g.N.hi - n;
        g.t.hi = x - r * n / g.N.hi;
        return g;
    }
    g.N = dd_two_sum(r, s);
    dd rest = dd_two_sum(s, -n);
    g.d = (rest.hi + x) + rest.lo;
    g.m = dd_two_sum(rest.hi, r);
    g.m = dd_fast_two_sum(g.m.hi, g.m.lo + rest.lo);
    // (xN - rn)/N
    double h = dhyper_scale(g.N.hi);
    dd p = dd_two_prod(x * h, g.N.hi * h), q = dd_two_prod(r * h, n * h), t = dd_two_sum(p.hi, -q.hi);
    t = dd_add(t, dd_two_sum(p.lo, -q.lo));
    if (g.N.lo != 0)
        t = dd_add(t, dd_two_prod(x * h, g.N.lo * h));
    g.t = dhyper_quotient(t, g.N, h);
    return g;
}

// The upper tail of a table is the lower one of this.
NMATH_FN dhyper_table dhyper_mirrored(dhyper_table g)
{
    dhyper_table h = g;
    h.a = g.b;
    h.b = g.a;
    h.c = g.d;
    h.d = g.c;
    h.n = g.m.hi;
    h.m = dd_two_sum(g.n, 0.0);
    h.t.hi = -g.t.hi;
    h.t.lo = -g.t.lo;
    return h;
}

// -D(o, E), t = E - o
NMATH_FN double dhyper_deviance(double o, double t, double E)
{
    return t > -0.6 * o ? dpois_deviance(o, t) : o * log(E / o) - t;
}

// The same to 2^-61, E = row column/N
NMATH_FN dd dhyper_deviance_dd(double o, dd t, double row, dd column, dd N)
{
    dd e, p;
    if (fabs(t.hi) <= 0x1p-12 * o) {
        double u = t.hi / o;
        e = dd_two_prod(u, t.hi);
        e.lo += u * t.lo + (fma(-u, o, t.hi) + t.lo) / o * t.hi;
        e.lo -= e.hi * (u * (2.0 / 3 - u * (0.5 - u * (0.4 - u * (1.0 / 3)))));
        e = dd_fast_two_sum(-0.5 * e.hi, -0.5 * e.lo);
        return e;
    }
    e = dd_two_sum(o, t.hi);
    e = dd_fast_two_sum(e.hi, e.lo + t.lo);
    if (e.hi < 0x1p-12 * o) {
        double h = dhyper_scale(N.hi);
        p = dd_two_prod(row * h, column.hi * h);
        p.lo += (row * h) * (column.lo * h);
        e = dhyper_quotient(p, N, h);
    }
    ebd0(o, e.hi, &p.hi, &p.lo);
    p.hi = -p.hi;
    p.lo = -p.lo - e.lo * ((e.hi - o) / e.hi);
    return p;
}

// exponent and factor of the mass of a table: mass = f exp(exponent). exact: for use as an exponent; else its relative
// error counts.
NMATH_HEAVY dd dhyper_exponent(dhyper_table g, int exact, double *f)
{
    double a = g.a, b = g.b, c = g.c, d = g.d, r = g.r, s = g.s, n = g.n, m = g.m.hi, N = g.N.hi;
    dd e;
    e.hi = e.lo = 0.0;
    *f = 1.0;
    if (r == 0 || s == 0 || n == 0 || m == 0)
        return e; // the only table with these margins
#define DHYPER_C(n, k, l) (dhyper_factorial[(int)(n)] / (dhyper_factorial[(int)(k)] * dhyper_factorial[(int)(l)]))
    if (N <= 170.0) {
        *f = DHYPER_C(r, a, b) * DHYPER_C(s, c, d) / DHYPER_C(N, n, m);
        return e;
    }
#undef DHYPER_C

    // sum t^2/E bounds the sum of the deviances
    dd t = g.t;
    if (!exact || (t.hi / r * (N / n)) * (t.hi / s * (N / m)) * N < 4.0) {
        e.hi = dhyper_deviance(a, -t.hi, r * (n / N)) + dhyper_deviance(b, t.hi, r * (m / N)) +
               dhyper_deviance(c, t.hi, s * (n / N)) + dhyper_deviance(d, -t.hi, s * (m / N));
    } else {
        for (int k = 0; k < 4; ++k) {
            dd u = t, column = g.m;
            if (k == 0 || k == 3) {
                u.hi = -t.hi;
                u.lo = -t.lo;
            }
            if (k % 2 == 0) {
                column.hi = n;
                column.lo = 0.0;
            }
            double o = k == 0 ? a : k == 1 ? b : k == 2 ? c : d;
            e = dd_add(e, dhyper_deviance_dd(o, u, k < 2 ? r : s, column, g.N));
        }
    }

    double wr, ws, wn, wm, wN, wa, wb, wc, wd;
    double u = dhyper_stirling(r, &wr) + dhyper_stirling(s, &ws) + dhyper_stirling(n, &wn) + dhyper_stirling(m, &wm);
    u -= dhyper_stirling(N, &wN) + dhyper_stirling(a, &wa) + dhyper_stirling(b, &wb) + dhyper_stirling(c, &wc) +
         dhyper_stirling(d, &wd);
    double v = wr / wN * ws * (wn / fmax(wa, wc) / fmin(wa, wc)) * (wm / fmax(wb, wd) / fmin(wb, wd));
    *f = M_1_SQRT_2PI * sqrt(v);
    t = dd_two_sum(e.hi, u);
    return dd_fast_two_sum(t.hi, t.lo + e.lo);
}
// f exp(e) or its log
NMATH_FN double dhyper_value(dd e, double f, int give_log)
{
    if (give_log)
        return e.hi + (e.lo + log(f));
    if (e.hi > -690.0)
        return f * dd_exp(e);
    double h = exp(0.5 * e.hi);
    return h > 0 ? h * (f + f * e.lo) * h : 0.0;
}

// log p(x) for p(x) > 0.4: the ratios fall faster than 0.6^j
NMATH_FN double dhyper_log_large(double a, double b, double c, double d)
{
    double s = 0.0;
    for (int side = 0; side < 2; ++side) {
        double t = 1.0;
        for (double j = 0.0; j < 80.0 && t > 0x1p-60 * s; j += 1.0) {
            t *= ((a - j) / (b + (j + 1.0))) * ((d - j) / (c + (j + 1.0)));
            s += t;
        }
        double u = a;
        a = b;
        b = u;
        u = c;
        c = d;
        d = u;
    }
    return -log1p(s);
}

NMATH_FN double dhyper(double x, double r, double b, double n, int give_log)
{
    if (ISNAN(x) || ISNAN(r) || ISNAN(b) || ISNAN(n))
        return x + r + b + n;
    double R = R_forceint(r), B = R_forceint(b), K = R_forceint(n);
    if (r < 0 || b < 0 || n < 0 || n > r + b || (r != R && R_nonint(r)) || (b != B && R_nonint(b)) ||
        (n != K && R_nonint(n)))
        ML_WARN_return_NAN;
    double X = fabs(R_forceint(x)); // not -0
    if (x < 0 || (x != X && R_nonint(x)))
        return R_D__0;
    if (X > K || X > R || K - X > B)
        return R_D__0;
    if (isinf(R + B))
        ML_WARN_return_NAN;
    double f;
    dhyper_table g = dhyper_at(X, R, B, K);
    dd e = dhyper_exponent(g, !give_log, &f);
    double p = dhyper_value(e, f, give_log);
    return give_log && p > -0.9 ? dhyper_log_large(g.a, g.b, g.c, g.d) : p;
}
