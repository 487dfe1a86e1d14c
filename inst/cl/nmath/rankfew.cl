// @source_type: shim
// @source_origin: rankfew.c
// @provides: rank_few_parts, rank_few_waves, rank_few_count, rank_few_uniform, rank_few
// @depends: nmath, rankcount, ranktotal
// @method: partitions into few parts in closed form, inclusion and exclusion
// @accuracy: counts exact up to 2^53; probabilities 4 eps
// @all_depends: Rmath, nmath, rankcount, stirlerr_cycle_free, ranktotal
// @all_depends_count: 5

// rankfew -- the rank sum of a sample of m <= 8 with one of any size n, in closed form.
//
// By the q-binomial theorem the generating function (rankcount.cl) is
//     prod_{i=1}^{m} (1 - z^{n+i}) / (1 - z^i) = sum_j (-1)^j z^{j n + j(j+1)/2} [m, j] / prod_{i=1}^{m} (1 - z^i),
// [m, j] the Gaussian binomial, so that a count is a sum of a few numbers of partitions into at most m parts (Andrews,
// The Theory of Partitions, 1976, ch. 3). Those are sums of waves (Sylvester 1882): a polynomial in y = k + half the
// sum of 1, ..., m, and for b = 2, ..., m polynomials of degree m/b - 1 whose coefficients depend on k modulo b; for
// the sum of the numbers up to k, a further part 1 joins 1, ..., m. The waves of degree 0 with b > 2 add up to less
// than 0.3 and are left to rounding. The first wave is in double-double, for inclusion and exclusion cancel up to two
// digits, and the rest need not be; counts up to 2^53 are exact.
//
// Where n is beyond 2^100 and k within a factor of it, the statistic over n is the sum of m uniform variables:
//     P(X <= k) = sum_j (-1)^j (m, j) (k/n - j)^m / m!     (Feller, vol. 2, I.9).

#ifndef NMATH_RANKFEW_CL
#define NMATH_RANKFEW_CL

// For m = 4, ..., 8 for p, and then for P: the coefficients of y^0, y^2, ... or y^1, y^3, ..., each as hi, lo; those of
// (-1)^k y^e; of y for k modulo 3; of y for k modulo 4. Then the coefficients of [m, 0], ..., [m, m/2].
// tools/fit_rank_few.py; exact but for rounding.
NMATH_TABLE double rankfew_main[100] = {
    -0.052083333333333336, 2.3129646346357427e-18, 0.0069444444444444441, 3.8549410577262378e-19, 0, 0, 0, 0, 0, 0,
    0.024714988425925927, -7.8126805436585089e-19, -0.0095486111111111119, 7.7098821154524755e-19,
    0.00034722222222222224, -1.3251359885933943e-20, 0, 0, 0, 0, 0.011080970293209877, -7.2387226528414915e-19,
    -0.00087770061728395066, 3.8014002097022627e-20, 1.1574074074074073e-05, 5.7472754050736231e-22, 0, 0, 0, 0,
    -0.0086452887482153361, 6.301065787855623e-19, 0.0018489583333333333, 2.023844055306275e-20,
    -4.8225308641975306e-05, -2.6770424011987762e-21, 2.7557319223985888e-07, 2.3767714622250297e-23, 0, 0,
    -0.0032417454346707819, -1.6419193394019161e-20, 0.00016191647376543209, 8.44606877578214e-21,
    -1.7567791005291005e-06, -7.2109841911754983e-23, 4.9209498614260522e-09, -2.8458847821955415e-25, 0, 0,
    0.039894386574074077, -2.8269567756659077e-18, -0.026909722222222224, 1.5419764230904951e-18, 0.001736111111111111,
    9.6373526443155944e-20, 0, 0, 0, 0, 0.025520833333333333, 4.6259292692714855e-19, -0.0032407407407407406,
    -9.316107556171742e-20, 6.9444444444444444e-05, 6.0233454026972469e-23, 0, 0, 0, 0, -0.017760738168724279,
    -6.230726954043445e-19, 0.0056510416666666671, -3.9320398788807625e-19, -0.00022183641975308642,
    3.9486375417681951e-21, 1.9290123456790124e-06, -4.5384234457823004e-23, 0, 0, -0.0088007815370554094,
    8.1769622753568725e-19, 0.00062439718364197528, 3.3034703230792903e-20, -9.7139550264550267e-06,
    2.7391880283694623e-22, 3.9367598891408417e-08, -2.2767078257564332e-24, 0, 0, 0.0089572400655629249,
    7.6035949121697603e-19, -0.0016412407722963317, -5.038303066092881e-20, 4.0846369954714136e-05,
    2.7135330386913073e-21, -2.9423179379776602e-07, -2.215929814980386e-24, 6.1511873267825652e-10,
    -3.5573559777444268e-26
};
NMATH_TABLE double rankfew_second[40] = {
    0, 0.03125, 0, 0, 0, 0.015625, 0, 0, -0.017469618055555556, 0, 0.0013020833333333333, 0, -0.016710069444444444, 0,
    0.00065104166666666663, 0, 0, -0.0025227864583333335, 0, 2.712673611111111e-05, 0, 0.015625, 0, 0, 0, 0.0078125, 0,
    0, -0.0088975694444444441, 0, 0.00065104166666666663, 0, -0.0084364149305555559, 0, 0.00032552083333333332, 0, 0,
    -0.0012715657552083333, 0, 1.3563368055555555e-05
};
NMATH_TABLE double rankfew_third[30] = {
    0, 0, 0, 0, 0, 0, 0.012345679012345678, -0.0061728395061728392, -0.0061728395061728392, 0.0061728395061728392, 0,
    -0.0061728395061728392, 0.00411522633744856, -0.00205761316872428, -0.00205761316872428, 0, 0, 0, 0, 0, 0,
    0.0061728395061728392, 0, -0.0061728395061728392, 0.00205761316872428, 0.00205761316872428, -0.00411522633744856,
    0.00205761316872428, 0, -0.00205761316872428
};
NMATH_TABLE double rankfew_fourth[40] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.00390625, 0, -0.00390625, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0.001953125, 0.001953125, -0.001953125, -0.001953125
};
NMATH_TABLE double rankfew_binomial[136] = {
    1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 2, 2, 1, 1,
    1, 1, 2, 3, 3, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 3, 2, 2, 1, 1, 1, 1, 2, 3, 4, 4, 5, 4, 4, 3,
    2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 3, 3, 2, 2, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 5, 4, 3, 2,
    1, 1, 1, 1, 2, 3, 5, 5, 7, 7, 8, 7, 7, 5, 5, 3, 2, 1, 1
};

// The number of partitions of k into at most m = 1, 2, 3 parts, or those of 0, ..., k
NMATH_FN double rank_few_parts(double k, double m, int cumulative)
{
    if (k < 0.0)
        return 0.0;
    if (m == 1.0)
        return cumulative ? k + 1.0 : 1.0;
    if (m == 2.0)
        return cumulative ? floor(0.25 * (k + 2.0) * (k + 2.0)) : floor(0.5 * k) + 1.0;
    return cumulative ? floor(k * (k * (2.0 * k + 21.0) + 66.0) / 72.0) + 1.0 : floor(((k + 3.0) * (k + 3.0) + 6.0) / 12.0);
}

// The same for m = 4, ..., 8
NMATH_HEAVY nmath_dd rank_few_waves(nmath_dd k, int m, int cumulative)
{
    int row = m - 4 + 5 * cumulative, degree = m - 1 + cumulative;
    nmath_dd y = dd_two_sum(k.hi, 0.25 * m * (m + 1) + 0.5 * cumulative);
    y = dd_fast_two_sum(y.hi, y.lo + k.lo);
    nmath_dd y2 = dd_mul(y, y), s = {0.0, 0.0};
    NMATH_LOOP
    for (int i = degree / 2; i >= 0; --i) {
        nmath_dd c = {rankfew_main[10 * row + 2 * i], rankfew_main[10 * row + 2 * i + 1]};
        s = dd_add(dd_mul(s, y2), c);
    }
    if (degree & 1)
        s = dd_mul(s, y);
    double x = y.hi, w = 0.0;
    if (x < 0x1p+50) { // beyond, they count for nothing
        for (int i = 3; i >= 0; --i)
            w = w * x + rankfew_second[4 * row + i];
        if (k.hi - 2.0 * floor(0.5 * k.hi) != 0.0)
            w = -w;
        w += rankfew_third[3 * row + (int)(k.hi - 3.0 * floor(k.hi / 3.0))] * x +
             rankfew_fourth[4 * row + (int)(k.hi - 4.0 * floor(0.25 * k.hi))] * x;
    }
    nmath_dd rest = dd_two_sum(s.hi, w);
    rest = dd_fast_two_sum(rest.hi, rest.lo + s.lo);
    s.hi = R_forceint(rest.hi);
    s.lo = R_forceint((rest.hi - s.hi) + rest.lo);
    return s;
}

// The number of arrangements with X = k or X <= k, m = 4, ..., 8
NMATH_HEAVY double rank_few_count(int m, double n, double k, int cumulative)
{
    nmath_dd sum = {0.0, 0.0};
    int at = m == 4 ? 0 : m == 5 ? 10 : m == 6 ? 23 : m == 7 ? 49 : 81;
    NMATH_LOOP
    for (int j = 0; j <= m / 2; ++j) {
        nmath_dd p = dd_two_prod(n, -(double)j), top = dd_two_sum(k, p.hi);
        top = dd_fast_two_sum(top.hi, top.lo + p.lo);
        if (top.hi < 0.0)
            break;
        NMATH_LOOP
        for (int s = 0; s <= j * (m - j); ++s) {
            nmath_dd x = dd_two_sum(top.hi, -(0.5 * j * (j + 1) + s));
            x = dd_fast_two_sum(x.hi, x.lo + top.lo);
            if (x.hi >= 0.0)
                sum = dd_add(sum, dd_mul_d(rank_few_waves(x, m, cumulative), (j & 1 ? -1.0 : 1.0) * rankfew_binomial[at + s]));
        }
        at += j * (m - j) + 1;
    }
    return sum.hi + sum.lo;
}

// P(X = k) or P(X <= k) = f exp(e) for n beyond 2^100
NMATH_HEAVY nmath_dd rank_few_uniform(int m, double n, double k, int cumulative, double *f)
{
    int order = cumulative ? m : m - 1;
    nmath_dd sum = {0.0, 0.0}, e = dd_mul_d(rank_log_ratio(k, n), order);
    double binomial = 1.0, factorial = 1.0;
    NMATH_LOOP
    for (int j = 0; j <= m / 2 && j * (n / k) < 1.0; ++j) {
        double q = n / k * j;
        nmath_dd y = dd_two_sum(1.0, -q), power = {binomial, 0.0};
        y = dd_fast_two_sum(y.hi, y.lo - fma(-q, k / n, j) * (n / k));
        NMATH_LOOP
        for (int i = 0; i < order; ++i)
            power = dd_mul(power, y);
        sum = dd_add(sum, power);
        binomial *= -(double)(m - j) / (j + 1);
    }
    NMATH_LOOP
    for (int i = 2; i <= order; ++i)
        factorial *= i;
    *f = sum.hi / factorial;
    return cumulative ? e : dd_add(e, rank_log_ratio(1.0, n));
}

// P(X = k) or P(X <= k) = f exp(e) for m <= 8 and k at most half of the top.
NMATH_HEAVY nmath_dd rank_few(rank_size size, double k, int cumulative, double *f)
{
    nmath_dd e = {0.0, 0.0}, total = {1.0, 0.0};
    int m = (int)size.m;
    if (size.n > 0x1p+100 && k > 0x1p+100)
        return rank_few_uniform(m, size.n, k, cumulative, f);
    double count = 0.0;
    if (m > 3) {
        count = rank_few_count(m, size.n, k, cumulative);
    } else {
        count = rank_few_parts(k, size.m, cumulative);
        NMATH_LOOP
        for (double i = 1.0; i <= size.m; i += 1.0)
            count -= rank_few_parts(k - size.n - i, size.m, cumulative);
    }
    // the number of arrangements, its powers of n beyond 2^100 apart
    double large = size.n > 0x1p+100 ? size.n : 1.0, factorial = 1.0;
    NMATH_LOOP
    for (int i = 1; i <= m; ++i) {
        factorial *= i;
        if (m > 3)
            total = dd_mul(total, dd_two_sum(size.n / large, i / large));
        else // exact where the numbers are small
            total.hi *= size.n / large + i / large;
    }
    if (large > 1.0)
        e = dd_mul_d(rank_log_ratio(1.0, large), m);
    *f = count * factorial / total.hi;
    *f -= *f * (total.lo / total.hi);
    return e;
}

#endif
