// @source_type: c
// @source_origin: qgeom.c
// @provides: qgeom
// @depends: nmath, dpq
// @method: closed form, rounded up
// @accuracy: qgeom.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 63

// qgeom -- quantile of the geometric distribution: the smallest whole x with (x + 1) log1p(-prob) <= log(upper tail).
// p may be a rounded P(X <= x): it may miss the whole number by 2 eps of p or of its log, by 1e-12 and the rounding of
// the quotient, or less, but by no more than half of the way, nor by so much that p could
// be the rounded probability of the next whole number. With t the fuzz as a part of the upper tail it moves the log of
// that tail by log(1 + t), for which t/(1 + t) is taken: so x never falls as p grows. (R allows 1e-12 of a whole number
// alone, which is too little for p next to 1.)

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
    double l, v = 0.0, room = 1.0; // log of the upper tail, one of the tails, 3 eps/room bounds the fuzz of the tail
    if (log_p) {
        v = !lower_tail ? 0.0 : p > -M_LN2 ? -expm1(p) : exp(p);
        l = !lower_tail ? p : p > -M_LN2 ? log(v) : log1p(-v);
    } else {
        room = lower_tail ? 1.0 - p : 1.0;
        l = lower_tail ? log1p(-p) : log(p);
    }
    double s = log1p(-prob), x = l / s, c = ceil(x - 1.0);
    if (x - c > 1e-6 && room * s < -1e-9 && x < 1e8) // the fuzz is smaller: 4 eps x + 1e-12 and the log's, 3 eps/(room s)
        return fmax(0.0, c);

    double t = 2.0 * NMATH_EPS, most = 0.5;
    if (log_p) {
        t *= !lower_tail ? -p : p > -M_LN2 ? -p / v * (1.0 - v) : -p * v / (1.0 - v);
    } else if (lower_tail) {
        t *= p / room;
        most = fmax(0.0, fmin(0.5, 1.0 - 0.25 * t / prob));
    }
    return fmax(0.0, ceil(x - 1.0 - fmin(most, 1e-12 + 4.0 * NMATH_EPS * x - t / (1.0 + t) / s)));
}
