// @source_type: c
// @source_origin: qgeom.c
// @provides: qgeom
// @depends: nmath, dpq
// @method: closed form, rounded up
// @accuracy: qgeom.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 44

// qgeom -- quantile of the geometric distribution: the smallest whole x with (x + 1) log1p(-prob) <= log(upper tail).
// p may be a rounded P(X <= x): it may miss the whole number by 2 eps of p or
// of its log, by the rounding of the quotient, or less, but by no more than half of the way, nor by so much that p could
// be the rounded probability of the next whole number. With t the fuzz as a part of the upper tail it moves the log of
// that tail by log(1 + t), for which t/(1 + t) is taken: so x never falls as p grows. (R allows 1e-12 of a whole number
// instead, which is too little for p next to 1.)

NMATH_FN double qgeom(double p, double prob, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(prob))
        return p + prob;
    if (prob <= 0 || prob > 1)
        ML_WARN_return_NAN;
    R_Q_P01_check(p);
    if (prob == 1)
        return 0.0;
    R_Q_P01_boundaries(p, 0.0, ML_POSINF);
    double l, t = 2.0 * NMATH_EPS, most = 0.5; // log of the upper tail, fuzz, its bound
    if (log_p) {
        int near = p > -M_LN2;
        double v = !lower_tail ? 0.0 : near ? -expm1(p) : exp(p);
        l = !lower_tail ? p : near ? log(v) : log1p(-v);
        t *= !lower_tail ? -p : near ? -p / v * (1.0 - v) : -p * v / (1.0 - v);
    } else if (lower_tail) {
        l = log1p(-p);
        t *= p / (1.0 - p);
        most = fmax(0.0, fmin(0.5, 1.0 - 0.25 * t / prob));
    } else {
        l = log(p);
    }
    double s = log1p(-prob), x = l / s;
    return fmax(0.0, ceil(x - 1.0 - fmin(most, 4.0 * NMATH_EPS * x - t / (1.0 + t) / s)));
}
