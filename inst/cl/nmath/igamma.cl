// @source_type: shim
// @source_origin: igamma.c
// @provides: igamma_value, igamma_in_middle, igamma_factor, igamma_core, igamma_finish, igamma_at
// @depends: nmath, dpq, pnorm
// @method: uniform asymptotic form fitted in two variables, series, continued fraction; one prefactor, smaller tail
// @accuracy: 0.7 eps(1+cond) over shapes 1e-300 to 1e9 (host and PoCL); see pgamma, ppois, qgamma
// @all_depends: Rmath, nmath, dpq, pnorm
// @all_depends_count: 4
// @load_order: 64

// igamma -- the incomplete gamma function behind pgamma, pchisq, ppois and their quantiles: the smaller of the two tails
//     P(a, x) = integral_0^x t^(a-1) e^-t dt / Gamma(a)   and   Q = 1 - P
// as exp(e) f with f of moderate size, so that the tail and its logarithm are equally good, and the density as
// x^a e^-x / Gamma(a + 1) = exp(e) g. With l = x/a:
//
//   a >= 1, 1/4 <= l <= 5/2   the uniform expansion of Temme (1979), "The asymptotic expansion of the incomplete gamma
//       functions", SIAM J. Math. Anal. 10, 757-766: with h = a (l - 1 - log l) and y = sqrt(2 h),
//           tail = e^-h (R(y) +- T/sqrt(2 pi a)),   R(y) = e^(y^2/2) (1 - Phi(y)), + for Q, - for P.
//       T depends smoothly on w = log l (poles at w = +-2 pi i) and, unlike its asymptotic series in 1/a, is good for
//       every a > 0: a polynomial in w and t = (a - 2.75)/(a + 0.75) down to a = 1. All of this costs no logarithm and
//       no branch, and work-items with ordinary arguments share it.
//   a < 1, x < 1     P = x^a (1 - eps)/Gamma(1 + a), eps = a sum (-1)^(n-1) x^n/(n! (a + n)), and Q from the same parts,
//       1 - x^a and 1 - 1/Gamma(1 + a) as expm1 and a polynomial (Gautschi 1979, ACM TOMS 5, 466-481).
//   a >= 1, l < 1/4  P = x^a e^-x/Gamma(a + 1) sum x^n/((a + 1)...(a + n)), 32 terms, the exponent in double-double:
//       a Poisson tail has a condition number far below it.
//   elsewhere        Legendre's continued fraction for Q (Abramowitz & Stegun 6.5.31, contracted), 10 + 75/x <= 25 steps
//       from x = 5 on; below, where a < 2 and it converges slowly, 8 steps and a fit of the rest in log x and a.
//
// Series and continued fraction are carried as numerator and denominator, with one division at the end. Every loop has
// a fixed length or at most 25 steps.

typedef struct { double e, el, f, g; int lower; } igamma_value;

// (atanh(s)/s - 1)/w, w = s^2, for 0 <= w <= 0.36, constant term first; tools/fit_igamma.py; error 2^-53.6
NMATH_TABLE double igamma_atanh[17] = {
    0.33333333333333331, 0.19999999999999526, 0.14285714285838733, 0.1111111109816272, 0.090909097986662038,
    0.07692284275515987, 0.066671760945657133, 0.058746764549820335, 0.053460076894736391, 0.041081639461397895,
    0.081586797237264627, -0.12427683401119968, 0.55582407227518116, -1.1380463774472724, 1.8430683261806968,
    -1.7087351845383147, 0.84586971447589099
};

// (1/Gamma(1 + a) - 1)/a for 0 <= a <= 2, constant term first; tools/fit_igamma.py; absolute error 2^-53.4
NMATH_TABLE double igamma_rgamma[19] = {
    0.57721566490153287, -0.65587807152025457, -0.042002635034055567, 0.16653861138134929, -0.042197734543730221,
    -0.0096219716181569267, 0.0072189437043641965, -0.0011651692177363857, -0.00021523747671963191,
    0.00012804221209969523, -2.0123118398330921e-05, -1.2635044263763418e-06, 1.1440239667878371e-06,
    -2.1265305404405588e-07, 9.416354311451391e-09, 3.9249273201822197e-09, -9.7810950299243722e-10,
    1.0480517305634038e-10, -4.7581085426139276e-12
};

// exp(-stirlerr(a)) for a >= 2 in t = (a - 4.75)/(a + 0.75), constant term first; tools/fit_igamma.py; error 2^-57
NMATH_TABLE double igamma_fade[15] = {
    0.98263429390280332, 0.019874492776155078, -0.0028387006212227499, 0.00036925069012468044, -4.3852435953836561e-05,
    5.0810205191796385e-06, -6.420309902434949e-07, 8.6230799879053901e-08, -1.0720949636034045e-08,
    1.3833254248195797e-09, -2.1866322920246248e-10, 2.5998408482123331e-11, -2.6954812695675302e-12,
    8.3155971449531804e-13, -8.2352545298549433e-14
};

// T = sum w^i t^j c[i][j] for log(1/4) <= w <= log(5/2), a >= 1. Four rows i stand interleaved, j going up: rows 0-3 to
// j = 17, 4-7 to 15, 8-11 to 12, 12-15 to 8. tools/fit_igamma.py; error 2^-53.3 of the tail
NMATH_TABLE double igamma_temme[224] = {
    -0.33344481920423824, 0.081739320487154654, -0.00015329307249068634, -0.0015122761331667479,
    -0.0005730098471248905, 0.0024085739919740448, -0.00098298881388484858, 2.0514900791886033e-05,
    0.0010428575861724059, -0.0010755643214312382, 0.00023606167442166725, 4.3074600369350169e-05,
    -0.00047158672729435215, 0.00031647843306707528, -2.1298480772521754e-05, -2.1497967963504775e-05,
    0.0001394152816982676, -6.3665966325571503e-05, -6.4474910653776359e-06, 4.2115001626996016e-06,
    -3.1725075019193045e-05, 9.6388062172982928e-06, 2.2112613876045347e-06, 1.683150341820316e-08,
    6.8961535276672551e-06, -1.8489284709541368e-06, -2.0343110897856905e-07, -7.3212644779155764e-08,
    -1.6889801660595857e-06, 4.6524840133175362e-07, 6.0278963373539192e-08, -2.1064665739775553e-08,
    3.9570968410460985e-07, -7.3600391947529727e-08, -2.8987018155984624e-08, -1.9795841441892894e-09,
    -8.6135598134207972e-08, 1.4079605641373041e-08, 9.6623427354944036e-10, 2.5162306358738544e-09,
    2.2419729022569671e-08, -5.3318932211082216e-09, -5.076779979999955e-10, 6.6139817119472222e-10,
    -5.3217781124118112e-09, 4.4529705682049504e-10, 5.8635790834173906e-10, 9.2133464612264128e-11,
    1.0995464692774786e-09, -1.3482183155850011e-10, 1.0140206933215005e-10, -8.4199351266310227e-11,
    -3.5688992511706335e-10, 1.068255766210391e-10, 1.7183026141021196e-11, -4.0444044973756267e-11,
    6.8601049795642496e-11, 1.9144158873477172e-11, -2.0381582035631506e-11, -7.2141141947106883e-12,
    -1.1858169350851889e-11, 4.2127510415610598e-12, -6.8370439213527744e-12, 3.1062635992960287e-12,
    8.7570158853140353e-12, -4.192008803750374e-12, -6.3749702390243196e-13, 1.4712443646530152e-12,
    -1.082254130458542e-12, -1.0394968726412238e-12, 0, 0, -2.9531251906010854e-05, 3.8376593193442886e-05,
    1.4986589240349433e-06, -1.0343834388898372e-06, 4.8899892329073405e-05, -2.5413179082075602e-06,
    -2.2597645232975988e-06, 1.156777084191403e-07, -1.5451992090775557e-05, -2.6417920593650504e-06,
    8.6817463753121672e-07, 1.6550319165564427e-07, 6.7549256505972245e-07, 1.6751374279736332e-06,
    2.9879756529234095e-08, -1.1412095561151024e-07, 1.2716361846441035e-06, -2.8024446448065988e-07,
    -1.4383594030504291e-07, 1.2498145802158942e-08, -3.5080739225584298e-07, -7.8503916121387205e-08,
    3.2529780934594551e-08, 1.2707331874117857e-08, -9.2067262328304244e-09, 2.4885263531010363e-08,
    7.436102986819227e-09, -2.8690858245781681e-09, 2.6588780344916093e-09, 4.4534242536732343e-09,
    -1.5394651585407e-09, -1.0439294915659802e-09, 4.9047379189084876e-09, 1.6320911888849353e-10,
    -9.0098269569427527e-10, 1.5176678490687033e-11, 5.6986710110540801e-10, -7.0954022294274048e-10,
    -1.3881579403753268e-10, 1.2635560066695088e-10, -2.2965698722169183e-10, -2.0323248994915919e-10,
    7.2986342845137275e-11, 4.129374351366883e-11, -1.7742980530026505e-10, 3.5965115736588834e-12,
    4.4213147432051028e-11, -7.7453884804431086e-13, -4.3075909340079378e-11, 3.3799753397066568e-11,
    8.2525334089668989e-12, -5.7384685421592889e-12, 6.4334196441839918e-12, 8.6590965685690134e-12,
    -3.9767856513764677e-12, -1.8466469114724198e-12, 8.6671022758340769e-12, -6.9813090429370573e-13,
    -1.6016477950119982e-12, 0, 2.4423661845050537e-12, 0, 0, 0, -6.081207744247997e-08, 2.8691627646967851e-08,
    2.3563709053840339e-09, -8.0285521785251315e-10, 9.9403529341149024e-08, -3.4746053163394682e-09,
    -4.199055206177395e-09, 3.9225080843785591e-11, -4.2478632766924285e-08, -9.8821414380103975e-09,
    1.8083961608877082e-09, 5.5316064358843237e-10, -7.4366570195088427e-09, 6.7794731354634722e-09,
    7.9243861822716527e-10, -3.4862412919637312e-10, 1.2465719770083201e-08, -5.3316364572847827e-11,
    -8.9030408611735269e-10, -6.1095233331153547e-11, -1.9566909627277938e-09, -1.3476857819402613e-09,
    4.5941225676662125e-11, 1.069338092444535e-10, -1.3330967860883293e-09, 1.8219734041862315e-10,
    1.4983989646092183e-10, -6.6075928271223903e-13, 1.8767645408682925e-10, 1.5821476256901412e-10,
    -8.585949204552381e-12, -1.4261997646098369e-11, 1.4533790077604334e-10, 1.6861172038246039e-12,
    -1.4564862858199302e-11, -4.0236569344243686e-13, 1.8688179161424815e-11, -1.4971807368898465e-11,
    -1.5584573728785965e-12, 6.5679740256698832e-13, -8.8974743728335523e-12, -4.3114396802943225e-12, 0, 0,
    -4.5302247517828246e-12, 0, 0, 0, -1.271808114050446e-12, 0, 0, 0, -9.1246675680052887e-11, 2.0998111888547785e-11,
    3.601600361658541e-12, -7.9934994619278016e-14, 1.7064773992591069e-10, 5.1187084976103827e-12,
    -6.3073636147024451e-12, -8.2155910916847412e-13, -6.2305605021629292e-11, -2.8037074315840223e-11,
    7.1802869983719383e-13, 7.7675539300647528e-13, -6.5022529055404045e-11, 1.309684393314454e-11,
    4.2713191378435065e-12, 2.3114365754023333e-13, 5.0906575620970692e-11, 8.2363775085794025e-12,
    -1.3347416436991635e-12, -3.5226176778672977e-13, 6.3509822077908969e-12, -5.3646431403978102e-12,
    -8.5476122427953698e-13, 0, -1.0486405592287354e-11, -1.4123049203494958e-12, 0, 0, -4.0808687677483585e-13,
    4.6283716595997014e-13, 0, 0, 6.7667095339294364e-13, 0, 0, 0
};

// What follows 8 steps of the continued fraction, in u = log x, 0 <= u <= log 5, and t = a - 1, |t| <= 1. Layout as above:
// j to 9, 8, 4. tools/fit_igamma.py; error 2^-56 of the fraction
NMATH_TABLE double igamma_tail[96] = {
    -5.8417093437601864, 0.97479986927404028, 0.15784664718895622, 0.00041038703354267153, 0.48815362851990191,
    -0.074828568696343759, -0.0038013965492388218, -0.0014630535006221598, 0.036894480425867328, -0.016812677698504547,
    0.0021990982096839464, 2.8029146410364649e-05, 0.00022357783634463391, 0.00053811570835959974,
    -0.00053232794005514492, 0.00019686061701804279, -0.00017609840625623473, 0.00024356427569445372,
    -0.00013386078665661346, 3.486002080260637e-05, -3.7579104959278281e-06, -3.0663246463902103e-06,
    1.1143208991086977e-05, -9.9452071317007925e-06, 1.4797514230015677e-06, -3.5043147567319117e-06,
    3.4887142216208658e-06, -1.8751965855720158e-06, 5.8130080870906773e-08, -2.426877173127042e-08,
    -1.3831178503399994e-07, 2.2241329674873584e-07, -1.3703335563559261e-08, 4.6500834983671995e-08,
    -6.5838622146628103e-08, 4.918674045191934e-08, -7.9864293404532117e-10, 1.2651625220400791e-09,
    -4.9007534757261698e-10, 0, -0.0045104035055193665, -0.00087576966855148716, -4.2914935354148541e-05,
    1.7364548514597626e-05, -3.5523838514680303e-05, 5.4718450090007128e-05, 9.1776079509593727e-06,
    1.5557975103876011e-06, -6.6910720419962152e-05, 1.5390484529428786e-05, -8.6834206537858697e-08,
    -1.6298266743116908e-07, -4.003614682728247e-05, 3.6902615720945005e-06, 5.4680951285390629e-07,
    -2.0489309594785926e-07, -1.8279496553270228e-06, -1.8839814420998805e-06, 7.2985116989923315e-07,
    -1.252853714174325e-07, 4.757594308991597e-06, -1.3880108633097862e-06, 2.3737098664099387e-07,
    -1.8193396625337052e-08, 5.4275401199624802e-07, -5.1603030391524719e-08, -1.3913844163210606e-08,
    3.3326526901737438e-09, -1.5419111251149833e-07, 5.4155675862827773e-08, -7.8678939209324066e-09, 0,
    -1.9273342971542707e-08, 3.1236878350101623e-09, 0, 0, 5.2679711562807755e-06, 4.5176022074644833e-07,
    1.0676044678013475e-07, -6.3925604772165603e-08, -2.558301269717917e-07, 1.2688293408706483e-07,
    -7.7018333806792555e-08, 7.4630353206345283e-09, 1.2757035483323468e-08, -8.3938432951418114e-09, 0, 0,
    1.7703790136068293e-08, 0, 0, 0, 8.7015362152175228e-09, 0, 0, 0
};

// c[0..n-1] interleaved by four: r = sum_j t^j (c[4j] + c[4j+1] x + c[4j+2] x^2 + c[4j+3] x^3), x2 = x^2
NMATH_FN double igamma_rows(double t, double x, double x2, NMATH_CONSTANT const double *c, int n)
{
    double p = c[4 * n - 4], q = c[4 * n - 3], r = c[4 * n - 2], s = c[4 * n - 1];
    for (int j = n - 2; j >= 0; --j) {
        p = NMATH_FMA(p, t, c[4 * j]);
        q = NMATH_FMA(q, t, c[4 * j + 1]);
        r = NMATH_FMA(r, t, c[4 * j + 2]);
        s = NMATH_FMA(s, t, c[4 * j + 3]);
    }
    return (p + q * x) + (r + s * x) * x2;
}

NMATH_FN double igamma_temme_sum(double w, double t)
{
    double w2 = w * w, w4 = w2 * w2;
    double s0 = igamma_rows(t, w, w2, igamma_temme, 18), s1 = igamma_rows(t, w, w2, igamma_temme + 72, 16);
    double s2 = igamma_rows(t, w, w2, igamma_temme + 136, 13), s3 = igamma_rows(t, w, w2, igamma_temme + 188, 9);
    return (s0 + s1 * w4) + (s2 + s3 * w4) * (w4 * w4);
}

NMATH_FN double igamma_tail_sum(double u, double t)
{
    double u2 = u * u, u4 = u2 * u2;
    double s0 = igamma_rows(t, u, u2, igamma_tail, 10), s1 = igamma_rows(t, u, u2, igamma_tail + 40, 9);
    return s0 + u4 * (s1 + u4 * igamma_rows(t, u, u2, igamma_tail + 76, 5));
}

NMATH_FN int igamma_in_middle(double x, double a) { return a >= 1.0 && x >= 0.25 * a && x <= 2.5 * a; }

// The part of 1/Gamma(a + 1) that depends on a alone: (1/Gamma(a + 1) - 1)/a for a < 2, a^a e^-a/Gamma(a + 1) above.
NMATH_FN double igamma_factor(double a)
{
    if (a < 2.0)
        return nmath_poly(a, igamma_rgamma, 19);
    return nmath_poly((a - 4.75) / (a + 0.75), igamma_fade, 15) * (M_1_SQRT_2PI / sqrt(a));
}

NMATH_FN igamma_value igamma_middle(double x, double a, double factor)
{
    igamma_value v;
    double d = x - a, s = 0.5 * d / (0.5 * x + 0.5 * a), z = s * s, z2 = z * z;
    // the two halves of one polynomial, independent of each other
    double even = igamma_atanh[16], odd = igamma_atanh[15];
    for (int k = 14; k > 0; k -= 2) {
        even = NMATH_FMA(even, z2, igamma_atanh[k]);
        odd = NMATH_FMA(odd, z2, igamma_atanh[k - 1]);
    }
    double l2 = 2.0 * s * z * (igamma_atanh[0] + z * (odd + z * even)); // log(x/a) - 2 s
    double h = d * s - a * l2, root = sqrt(a), y = M_SQRT2 * sqrt(h);
    double q = igamma_temme_sum(2.0 * s + l2, (a - 2.75) / (a + 0.75)) * (M_1_SQRT_2PI / root), r = pnorm_mills(y);
    v.e = -h;
    v.el = 0.0;
    v.lower = d < 0.0;
    v.f = v.lower ? r - q : r + q;
    v.g = a < 2.0 ? (1.0 + a * factor) * exp(a * (log(a) - 1.0)) : factor;
    return v;
}

// a < 1, x < 1, l = log x
NMATH_FN igamma_value igamma_small(double x, double a, double l, double q)
{
    igamma_value v;
    // sum_{n>=1} (-x)^(n-1) / (n! (a + n)) as num/den: S_n = 1/(a + n) - x/(n + 1) S_{n+1}
    double num = 1.0, den = a + 17.0;
    for (int n = 16; n > 0; --n) {
        double b = a + n, c = (n + 1) * den;
        num = c - x * (b * num);
        den = b * c;
    }
    double ex = a * l, eps = x * (num / den), m = expm1(ex), xa = ex < -1.0 ? exp(ex) : 1.0 + m, g = 1.0 + a * q;
    double p = g * (1.0 - a * eps);
    v.lower = xa * p < 0.5;
    v.e = v.lower ? ex : 0.0;
    v.el = 0.0;
    v.f = v.lower ? p : -m - xa * (a * (q - g * eps));
    v.g = exp(-x) * (v.lower ? g : g * xa);
    return v;
}

// P for x < a, by the power series
NMATH_FN igamma_value igamma_series(double x, double a, double m, int k, double factor)
{
    igamma_value v;
    double c = 1.0 / (1.0 + a), xc = x * c, num = 1.0, den = 1.0;
    for (int n = 31; n >= 0; --n) {
        den *= 1.0 + n * c; // (a + n + 1)/(a + 1)
        num = den + xc * num;
    }
    int low = a < 2.0;
    double d = low ? x : x - a;
    nmath_dd e = dd_log_ratio(m, low ? 1.0 : a);
    if (k != 0) {
        // log 2 in two pieces, the first with room for k
        nmath_dd s = dd_two_sum(k * NMATH_LN2_HI, e.hi);
        e = dd_fast_two_sum(s.hi, s.lo + (e.lo + k * NMATH_LN2_LO));
    }
    v.e = 4.0 * ((0.25 * a) * e.hi - 0.25 * d); // the first term may overflow alone
    v.el = 0.0;
    if (v.e > -1000.0) { // beyond, exp() is 0 and its logarithm needs no second word
        e = dd_mul_d(e, a);
        nmath_dd s = dd_two_sum(e.hi, -d);
        s = dd_fast_two_sum(s.hi, s.lo + e.lo);
        v.e = s.hi;
        v.el = s.lo;
    }
    v.lower = 1;
    v.g = low ? 1.0 + a * factor : factor;
    v.f = v.g * (num / den);
    return v;
}

// Q for x >= 1, x > a, by the continued fraction, everything divided by x
NMATH_FN igamma_value igamma_fraction(double x, double a, double factor)
{
    igamma_value v;
    int low = a < 2.0, fit = low && x < 5.0;
    double l = log(low ? x : x / a), rx = 1.0 / x, al = a * rx;
    double num = fit ? igamma_tail_sum(l, a - 1.0) * rx : 0.0, den = 1.0, b = 1.0 - al + rx;
    int n = fit ? 8 : (int)(10.0 + 75.0 * rx);
    for (; n > 0; --n) {
        double nx = n * rx, t = den;
        den = (b + 2.0 * nx) * t + num;
        num = nx * (al - nx) * t;
    }
    double q = den / (b * den + num);
    v.e = low ? (a - 1.0) * l - x : a * l - (x - a);
    v.el = 0.0;
    v.lower = 0;
    v.g = low ? (1.0 + a * factor) * x : factor;
    v.f = low ? (1.0 + a * factor) * a * q : factor * al * q;
    return v;
}

// The smaller tail at 0 < x < Inf, 0 < a < Inf, given x = m 2^k and factor = igamma_factor(a).
NMATH_FN igamma_value igamma_core(double x, double a, double m, int k, double factor)
{
    if (igamma_in_middle(x, a))
        return igamma_middle(x, a, factor);
    if (x < 1.0 && a < 1.0)
        return igamma_small(x, a, log(m) + k * M_LN2, factor);
    return x < a ? igamma_series(x, a, m, k, factor) : igamma_fraction(x, a, factor);
}

// The tail asked for, on the scale asked for.
NMATH_FN double igamma_finish(igamma_value v, int lower_tail, int log_p)
{
    int far = v.lower != (lower_tail != 0);
    if (log_p && !far)
        return v.e + (v.el + log(v.f));
    nmath_dd e;
    e.hi = v.e;
    e.lo = v.el;
    double t = dd_exp(e) * v.f;
    return far ? (log_p ? log1p(-t) : 1.0 - t) : t;
}

// P (lower_tail) or Q for any x >= 0 and a >= 0, infinities included; x = m 2^k, k = 0 unless x is out of range.
NMATH_HEAVY double igamma_at(double x, double a, double m, int k, int lower_tail, int log_p)
{
    if (m <= 0.0)
        return R_DT_0;
    if (isinf(x) || a == 0.0)
        return R_DT_1;
    if (isinf(a))
        return x < 1.0 ? ML_NAN : R_DT_0;
    double factor = igamma_in_middle(x, a) ? 0.0 : igamma_factor(a);
    return igamma_finish(igamma_core(x, a, m, k, factor), lower_tail, log_p);
}
