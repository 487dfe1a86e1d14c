// @source_type: c
// @source_origin: qgeom.c
// @provides: qgeom
// @depends: nmath, dpq, pgeom
// @method: closed form, rounded up; next to a whole number compared with pgeom
// @accuracy: qgeom.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq, dgeom, pgeom
// @all_depends_count: 5

// qgeom -- quantile of the geometric distribution: the smallest whole x with (x + 1) log1p(-prob) <= log(upper tail).
// p may be a rounded P(X <= x). So that x comes back wherever doubles tell P(X <= x) from its neighbours, a number within the
// rounding of p is only a first guess: p is compared with P(X <= x) as pgeom.cl gives it. The number before the first that
// reaches p is the answer where its probability is within 2 ulps of p, or p within R's 1e-12 of a whole number, and nearer to
// p. (R allows the 1e-12 alone, which is too little for p next to 1.)

NMATH_FN double qgeom(double p, double prob, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(prob))
        return p + prob;
    if (!(prob > 0 && prob < 1 && (log_p ? p < 0 && p >= -NMATH_DBL_MAX : p > 0 && p < 1))) {
        if (prob <= 0 || prob > 1)
            ML_WARN_return_NAN;
        R_Q_P01_check(p);
        if (prob == 1)
            return 0.0;
        R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    }
    double l, v = 0.0, room = 1.0; // log of the upper tail, one of the tails, eps/room bounds the rounding of the tail
    if (log_p) {
        v = !lower_tail ? 0.0 : p > -M_LN2 ? -expm1(p) : exp(p);
        l = !lower_tail ? p : p > -M_LN2 ? log(v) : log1p(-v);
    } else {
        room = lower_tail ? 1.0 - p : 1.0;
        l = lower_tail ? log1p(-p) : log(p);
    }
    double s = log1p(-prob), x = l / s, c = ceil(x - 1.0), some = 1e-12 + 4.0 * NMATH_EPS * x;
    if (isinf(x))
        return x;
    if (x - c > 1e-6 && room * s < -1e-9 && x < 1e8 && l > -NMATH_RANGE(708.0, 86.0)) // p is not within rounding of a probability
        return fmax(0.0, c);

    if (x >= 0x1p53 || (log_p && lower_tail && p > -NMATH_RANGE(0x1p-1073, 0x1p-125))) // whole numbers or doubles are too far apart
        return fmax(0.0, c);

    double t = 2.0 * NMATH_EPS; // rounding as a part of the upper tail
    if (log_p)
        t *= !lower_tail ? -p : p > -M_LN2 ? -p / v * (1.0 - v) : -p * v / (1.0 - v);
    else if (lower_tail)
        t = NMATH_EPS * p * (2.0 + 0.5 / room);
    if (l <= -NMATH_RANGE(708.0, 86.0) && (!log_p || lower_tail)) // the tail is subnormal
        t += NMATH_RANGE(0x1p-1074, 0x1p-126) / (log_p ? -p : p);
    // the first whole number whose probability reaches p
    double least = fmax(-1.0, ceil(x - 1.0 - (some - log1p(t) / s)) - 1.0), y = fmax(c, least + 1.0) + 1.0;
    while (y - least > 1.0) {
        double middle = floor(0.5 * (least + y)), reached = pgeom_of(middle, prob, lower_tail, log_p);
        if (lower_tail ? reached >= p : reached <= p)
            y = middle;
        else
            least = middle;
    }
    double below = y > 0.0 ? pgeom_of(y - 1.0, prob, lower_tail, log_p) : ML_NAN, above = pgeom_of(y, prob, lower_tail, log_p);
    int near = fabs(below - p) <= 2.0 * NMATH_EPS * fabs(p) || x - y <= some;
    return near && fabs(below - p) < fabs(above - p) ? y - 1.0 : y;
}
