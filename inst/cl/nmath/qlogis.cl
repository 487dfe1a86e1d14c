// @source_type: c
// @source_origin: qlogis.c
// @provides: qlogis
// @depends: nmath, dpq
// @method: closed form, log1p about p = 1/2, both tails on the log scale
// @accuracy: qlogis.tsv 0.38 eps(1+cond) (host), 0.36 (PoCL)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3
// @load_order: 44

// qlogis -- quantile of the logistic distribution, location + scale log(p/(1 - p)). Between 1/4 and 3/4 the logarithm
// is log1p((2p - 1)/(1 - p)), whose numerator is exact; on the log scale it is l - log(1 - exp(l)).

NMATH_FN double qlogis(double p, double location, double scale, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(location) || ISNAN(scale))
        return p + location + scale;
    R_Q_P01_boundaries(p, ML_NEGINF, ML_POSINF);
    if (scale < 0)
        ML_WARN_return_NAN;
    if (scale == 0)
        return location;
    double l;
    if (log_p) {
        l = p - R_Log1_Exp(p);
    } else {
        double q = 1.0 - p;
        l = p < 0.25 || p > 0.75 ? log(p / q) : log1p((2.0 * p - 1.0) / q);
    }
    return location + scale * (lower_tail ? l : -l);
}
