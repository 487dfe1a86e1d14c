// @source_type: c
// @source_origin: qnorm.c
// @provides: qnorm, qnorm5
// @depends: nmath, dpq, pnorm
// @method: polynomials in -log(4 p (1 - p)) and its square root; a Newton step on the log scale in the far tail
// @accuracy: TODO

// qnorm -- quantile of the normal distribution.
//
// With the symmetric variable w = -log(4 p (1 - p)) >= 0 (Giles 2012, "Approximating the erfinv function", GPU
// Computing Gems Jade, ch. 10) one polynomial serves all p but 0.1 percent, so that neighbouring work-items agree:
//   w < 6.25      x = (p - 1/2) P(w - 3.125), exact at p = 1/2;
//   w < 750       x = y P((y - k)/(y + k)) with y = sqrt(w), k = 4.75, in two rows, y < 5 and above: p to below 1e-323;
//   w >= 750      (log scale only) start from x^2 = 2 s - L + (L - 2)/(2 s), s = -log p, L = log(4 pi s), the first
//                 terms of the asymptotic series, good to 1e-8; then one Newton step on x^2/2 - log R(x) = s, where
//                 R(x) = exp(x^2/2) Q(x) as in pnorm. s cancels against x^2/2 in the step alone.
// On the log scale the smaller of the two tails is exp(p) or -expm1(p), and w = -p - log 4 outright once the other tail
// is 1 to double precision.

// x / (p - 1/2) in powers of w - 3.125, 0 <= w <= 6.25: tools/fit_normal.py centre, relative error 4.1e-17.
NMATH_TABLE double qnorm_centre_p[24] = {
    4.6772414200531864, 0.67926991740227749, -0.017065798354535155,
    -0.0020950231389680963, 0.00052816409908829944, -3.9265705735750375e-05,
    -3.8621300725492048e-06, 1.1977789825217532e-06, -8.2223463717541693e-08,
    -1.1632367339673667e-08, 2.9732965184510289e-09, -1.5313670350369443e-10,
    -3.670488332636629e-11, 7.4394721606921427e-12, -2.2949587534459194e-13,
    -1.1305668174517829e-13, 1.864262195337859e-14, -1.2712185771887801e-16,
    -3.6708969155400128e-16, 4.4996996099382149e-17, 3.2076434896364559e-18,
    -1.028539276612682e-18, -2.3349816372216362e-21, 9.854454599815256e-21,
};

// x / y in powers of (y - 4.75)/(y + 4.75): tools/fit_normal.py tail, relative error 4.9e-17 and 6.2e-17.
NMATH_TABLE double qnorm_tail_p[40] = {
    // 2.5 <= y <= 5
    1.3687581458414131, 0.12011249704873074, -0.1186508002926465,
    0.042295907927886844, 0.059031935635223833, -0.16625472616029605,
    0.26035733369885999, -0.32625211591113434, 0.32563104579376612,
    -0.12809254226102268, -2.0768242755402908, -4.2530715213220827,
    -95.433858596672451, -365.86016865074197, -1185.847151004363,
    -1709.396689423721, 6194.5846575128126, 27630.525636469618,
    38772.165261045004, 19360.177105674244,
    // 5 <= y <= 27.5
    1.3687581458415505, 0.12011249702697831, -0.11865079878291288,
    0.042295846461449911, 0.059033595852472143, -0.16628652662461629,
    0.26080723233437203, -0.3312264497283835, 0.36869148045846334,
    -0.36548849207692669, 0.30961047559074079, -0.19012761711610257,
    0.019412241047469758, 0.14175077344266002, -0.20795166202295071,
    0.15088366663315556, -0.043352449618861283, -0.019257932172615389,
    0.020562713518623026, -0.0053565316110171877,
};

// x > 0 with Q(x) = exp(-s), s >= 700.
NMATH_FN double qnorm_far(double s)
{
    double l = log((4 * M_PI) * s);
    double x = M_SQRT2 * sqrt(s - 0.5 * l + 0.25 * (l - 2) / s);
    double r = pnorm_mills(x);
    return x + (s - (0.5 * x) * x + log(r)) * r * (2 * M_1_SQRT_2PI * M_PI);
}

NMATH_FN double qnorm5(double p, double mu, double sigma, int lower_tail, int log_p)
{
    if (!(p > R_D__0 && p < R_D__1 && sigma > 0)) {
        if (ISNAN(p) || ISNAN(mu) || ISNAN(sigma))
            return p + mu + sigma;
        R_Q_P01_boundaries(p, ML_NEGINF, ML_POSINF);
        if (sigma < 0)
            ML_WARN_return_NAN;
        return mu; // sigma is 0
    }

    double c, v, w; // c = P - 1/2 and v = 4 P (1 - P), P the probability of the given tail
    if (log_p) {
        double q = p > -M_LN2 ? -expm1(p) : exp(p);
        c = p > -M_LN2 ? 0.5 - q : q - 0.5;
        v = 4.0 * q * (1.0 - q);
    } else {
        c = p - 0.5;
        v = 4.0 * p * (1.0 - p);
    }
    w = log_p && p < -40 ? -p - 2 * M_LN2 : -log(v);

    double x;
    if (w < 6.25)
        x = c * pnorm_poly(w - 3.125, qnorm_centre_p, 24);
    else if (w < 750.0) {
        double y = sqrt(w);
        x = copysign(y * pnorm_poly((y - 4.75) / (y + 4.75), qnorm_tail_p + (y < 5.0 ? 0 : 20), 20), c);
    } else
        x = -qnorm_far(-p);
    return mu + sigma * (lower_tail ? x : -x);
}
