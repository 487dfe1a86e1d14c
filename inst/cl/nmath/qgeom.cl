// @source_type: c
// @source_origin: qgeom.c
// @provides: qgeom
// @depends: nmath, dpq
// @method: closed form, rounded up
// @accuracy: qgeom.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 45

// qgeom -- quantile of the geometric distribution: the smallest whole x with (x + 1) log1p(-prob) <= log(upper tail).
// As in R, a quotient within 1e-12 above a whole number counts as that number.

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
    double l; // log of the upper tail
    if (log_p)
        l = lower_tail ? R_Log1_Exp(p) : p;
    else
        l = lower_tail ? log1p(-p) : log(p);
    return fmax(0.0, ceil(l / log1p(-prob) - 1.0 - 1e-12));
}
