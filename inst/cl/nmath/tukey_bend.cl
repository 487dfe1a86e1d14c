// @source_type: shim
// @source_origin: tukey_bend.c
// @provides: tukey_bend, tukey_bend_small
// @depends: nmath, tukey, tukey_bend_table
// @method: polynomials for 3 to 20 variables, else trapezoidal sum
// @accuracy: see ptukey_ddf.cl
// @all_depends: Rmath, nmath, dpq, tukey_bend_table, tukey_table, pnorm, qnorm, tukey
// @all_depends_count: 8

// tukey_bend -- d log w'/d log q, less its value at 0, c - 2, of the distribution function w of the range of c normal variables
// (tukey.cl):
//     w' = c (c-1) int phi(a) phi(b) D^(c-2) dy,   a = y + q/2, b = y - q/2,
//     q w''/w' - (c-2) = -q^2/2 + (c-2) mean of (q phi(b)/D - 1),
// the mean over y with the density phi(a) phi(b) D^(c-2); that is even in y, and (phi(a) + phi(b))/(2 D) takes the quotient's
// place. For q < 1/2, h = q/2, the Hermite polynomials give
//     (phi(a) + phi(b))/2 = phi(y) sum He_2k(y) h^2k/(2k)!,   D = q phi(y) sum He_2k(y) h^2k/(2k + 1)!,
// so that q (phi(a) + phi(b))/(2 D) - 1 is the quotient of the sums with 2k times the second one's terms, and with those.
//
// phi(b)/D has a narrower peak than D: nodes are closer than those of w. Of 3000 calls with 2.01 to 1e10 variables
// those off by more than 1e-14 of 1 + the result are, with nodes 1 as far, 521, 0.85 219, 0.7 2, 0.4 2.
#define TUKEY_BEND_FINER 0.68

// That for q < 1/2
NMATH_FN double tukey_bend_small(double y, double q)
{
    double h = 0.5 * q, h2 = h * h, u = 1.0, v = 0.5 * y * h, sum = 1.0, num = 0.0;
    for (int k = 2; k < 40; k += 2) { // as in tukey_strip()
        u = (h * y * v - h2 * (k - 1) * u / k) / (k + 1);
        v = (h * y * u - h2 * k * v / (k + 1)) / (k + 2);
        sum += u;
        num += k * u;
        if (fabs(k * u) < 1e-17 * fabs(num) && fabs(v) < 1e-17 * fabs(num))
            break;
    }
    return num / sum;
}

NMATH_HEAVY double tukey_bend(double q, double c, double zc)
{
    double far = -0.5 * q * q, c2 = c - 2.0;
    if (c2 <= 0.0)
        return far;
    if (tukey_bend_has(c))
        return far - c2 * tukey_bend_table_at(q, (int)c);
    double ea, eb, l, l0, D0 = tukey_middle(q, &ea, &l0), y0 = fmax(0.0, 0.5 * q - zc);
    double h = TUKEY_BEND_FINER * tukey_spaced((c - 1.0) * (q * M_1_SQRT_2PI * ea / D0), zc * zc), k = q * M_1_SQRT_2PI;
    int small = q < 0.5;
    double sum = 0.5, num = 0.5 * (small ? tukey_bend_small(0.0, q) : k * (ea / D0));
    for (int i = 1; i < 900; ++i) {
        double y = h * i, D = tukey_strip(y, q, &ea, &eb, &l);
        double p = exp(fmin(0.0, c2 * tukey_log_ratio(D, l, D0, l0)) - y * y);
        double x = p * (small ? tukey_bend_small(y, q) : k * (0.5 * (ea + eb) / (D + NMATH_RANGE(1e-300, 1e-34))));
        sum += p;
        num += x;
        if (y > y0 && !(p > 1e-17 * sum) && !(fabs(x) > 1e-17 * fabs(num)))
            break;
    }
    return far + c2 * (small ? num / sum : num / sum - 1.0);
}

#undef TUKEY_BEND_FINER
