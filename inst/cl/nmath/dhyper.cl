// @source_type: c
// @source_origin: dhyper.c
// @provides: dhyper, dhyper_factorial, DHYPER_FEW, dhyper_few
// @depends: nmath, dpq, dhyper_far
// @method: a table of factorials, or Stirling's formula about the expected table
// @accuracy: dhyper.tsv 2.6 eps(1+cond) (host), 2.6 (PoCL), 2.7 (H200)
// @all_depends: Rmath, nmath, bd0, dpq, log1p, stirlerr_cycle_free, lgamma, pgamma_utils, dhyper_far
// @all_depends_count: 9

// dhyper -- mass of the hypergeometric distribution: x white balls among n drawn from r white and b black ones.
//
// The 2 x 2 table with cells a = x, b = r - x, c = n - x, d = b - c, margins r, b, n, m and total N has the mass (product
// of the factorials of the margins) / (those of the cells and of N). For N <= 170 the factorials are a table, and the mass
// is one quotient; beyond, see dhyper_far.cl.
//
// The log of a mass above 0.4 comes from the others, -log1p(sum p(y)/p(x)): log(p) would lose its small values.

#define DHYPER_FEW 170.0

// k!/2^(6k), k = 0..170, nearest doubles, from 2^-88 to 1; tools/fit_hyper.py. The powers of 2 leave a quotient where the
// numbers above and below the line add up to the same.
NMATH_TABLE double dhyper_factorial[171] = {
    1, 0.015625, 0.00048828125, 2.288818359375e-05,
    1.430511474609375e-06, 1.1175870895385742e-07, 1.0477378964424133e-08, 1.1459633242338896e-09,
    1.432454155292362e-10, 2.014388655879884e-11, 3.1474822748123188e-12, 5.4097351598336729e-13,
    1.0143253424688137e-13, 2.0603483518897778e-14, 4.5070120197588889e-15, 1.0563309421309896e-15,
    2.640827355327474e-16, 7.0146976625886027e-17, 1.9728837176030445e-17, 5.8569985366340384e-18,
    1.830312042698137e-18, 6.005711390103262e-19, 2.0644632903479963e-19, 7.4191649496881122e-20,
    2.7821868561330418e-20, 1.0867917406769695e-20, 4.4150914465001887e-21, 1.862616703992267e-21,
    8.1489480799661687e-22, 3.69249209873467e-22, 1.7308556712818766e-22, 8.3838321577715893e-23,
    4.1919160788857947e-23, 2.1614567281754878e-23, 1.148273886843228e-23, 6.2796228186739033e-24,
    3.5322878355040708e-24, 2.0421039049007908e-24, 1.2124991935348445e-24, 7.3886669606029589e-25,
    4.6179168503768489e-25, 2.9583529822726691e-25, 1.9414191446164391e-25, 1.3043909877891699e-25,
    8.9676880410505439e-26, 6.3054056538636631e-26, 4.5320103137145083e-26, 3.3281950741340918e-26,
    2.4961463056005689e-26, 1.9111120152254355e-26, 1.4930562618948714e-26, 1.1897792086974757e-26,
    9.6669560706669903e-27, 8.0054479960211014e-27, 6.7545967466428044e-27, 5.8047315791461603e-27,
    5.0791401317528903e-27, 4.5236091798424174e-27, 4.0995208192321909e-27, 3.7792457552296762e-27,
    3.5430428955278213e-27, 3.376962759799955e-27, 3.2714326735562063e-27, 3.2203165380318905e-27,
    3.2203165380318905e-27, 3.270633983938639e-27, 3.3728412959367212e-27, 3.5309432316837548e-27,
    3.7516271836639896e-27, 4.0447230573877385e-27, 4.4239158440178395e-27, 4.9077816394572905e-27,
    5.5212543443894517e-27, 6.2976807365692186e-27, 7.2816933516581586e-27, 8.5332343964744056e-27,
    1.0133215845813357e-26, 1.2191525314494194e-26, 1.4858421477039797e-26, 1.8340864010721003e-26,
    2.2926080013401253e-26, 2.9015820016960959e-26, 3.7176519396731232e-26, 4.8213298592635815e-26,
    6.3279954402834504e-26, 8.4043689441264572e-26, 1.1293370768669928e-25, 1.5351925888660684e-25,
    2.1108898096908438e-25, 2.9354561416013296e-25, 4.12798519912687e-25, 5.869478955008518e-25,
    8.4373759978247456e-25, 1.2260561996839082e-24, 1.8007700432857402e-24, 2.6730180330022707e-24,
    4.0095270495034059e-24, 6.0769394344035998e-24, 9.3053135089305124e-24, 1.4394156834126886e-23,
    2.2490870053323259e-23, 3.549340430290077e-23, 5.6567613107748103e-23, 9.1038502345282099e-23,
    1.4793756631108342e-22, 2.4271006972912124e-22, 4.0198855298885702e-22, 6.7207461202824536e-22,
    1.134125907797664e-21, 1.9315581867178966e-21, 3.3198656334213848e-21, 5.7578919579652136e-21,
    1.0076310926439124e-20, 1.779098647949408e-20, 3.1690194666598829e-20, 5.6943318541544775e-20,
    1.0320976485654989e-19, 1.8868035137838028e-19, 3.4787939785388865e-19, 6.4683825538457417e-19,
    1.2128217288460766e-18, 2.2929910810996136e-18, 4.3710142483461382e-18, 8.4005430085402343e-18,
    1.6276052079046705e-17, 3.1789164216888095e-17, 6.2584917051998435e-17, 1.2419194477505939e-16,
    2.4838388955011878e-16, 5.0064877737445819e-16, 1.0169428290418683e-15, 2.081554853195074e-15,
    4.2932068847148402e-15, 8.9218205572980269e-15, 1.8680061791842743e-14, 3.9403255342168287e-14,
    8.3731917602107617e-14, 1.7923863611701162e-13, 3.8648330912730629e-13, 8.3939343701086836e-13,
    1.8361731434612746e-12, 4.0453189566881201e-12, 8.9755514351517672e-12, 2.0054747737917231e-11,
    4.5123182410313763e-11, 1.0223221014836712e-10, 2.3321722940096248e-10, 5.3567082378033576e-10,
    1.2387387799920263e-09, 2.8839387221689366e-09, 6.7592313800834451e-09, 1.5947561537384377e-08,
    3.7875458651287895e-08, 9.0546018338235127e-08, 2.1787635662637828e-07, 5.2766930120450993e-07,
    1.2861939216859929e-06, 3.1551944641359515e-06, 7.7893863333356307e-06, 1.9351756671880706e-05,
    4.8379391679701766e-05, 0.00012170440719424975, 0.00030806428071044467, 0.0007846012149344138,
    0.0020105406132694351, 0.0051834250185852629, 0.013444508641955526, 0.035081764737602703,
    0.092089632436207089, 0.24317418565185933, 0.64593143063775138
};

// The mass of the table (a, b; c, d) with margins r, s, n, m and total N <= DHYPER_FEW.
NMATH_FN double dhyper_few(double a, double b, double c, double d, double r, double s, double n, double m, double N)
{
#ifdef NMATH_FLOAT_PAIRS // whose range has no place for two of them
    int k, n2 = 0;
    double p = 1.0;
#define DHYPER_TIMES(i) p *= frexp(NMATH_PICK(dhyper_factorial + (int)(i)), &k); n2 += k;
#define DHYPER_OVER(i) p /= frexp(NMATH_PICK(dhyper_factorial + (int)(i)), &k); n2 -= k;
    DHYPER_TIMES(r) DHYPER_OVER(N) DHYPER_TIMES(s) DHYPER_OVER(a) DHYPER_TIMES(n) DHYPER_OVER(b) DHYPER_TIMES(m) DHYPER_OVER(c) DHYPER_OVER(d)
    return ldexp(p, n2);
#undef DHYPER_TIMES
#undef DHYPER_OVER
#else
#define DHYPER_TWO(k, l) (NMATH_PICK(dhyper_factorial + (int)(k)) * NMATH_PICK(dhyper_factorial + (int)(l)))
    return (DHYPER_TWO(r, s) * DHYPER_TWO(n, m)) / (NMATH_PICK(dhyper_factorial + (int)N) * (DHYPER_TWO(a, b) * DHYPER_TWO(c, d)));
#undef DHYPER_TWO
#endif
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

NMATH_FN double dhyper(double x, double r, double b, double n, int log_p)
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
    double N = R + B, b1 = R - X, c = K - X, d = B - c, p;
    if (N <= DHYPER_FEW) {
        p = dhyper_few(X, b1, c, d, R, B, K, N - K, N);
        p = log_p ? log(p) : p;
    } else {
        nmath_dd rest = dd_two_sum(B, -K); // of populations beyond 2^53 c is rounded, and d may be a vanishing part of it
        d = (rest.hi + X) + rest.lo;
        p = dhyper_far(X, R, B, K, log_p);
    }
    return log_p && p > -0.9 ? dhyper_log_large(X, b1, c, d) : p;
}
