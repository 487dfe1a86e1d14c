// @source_type: c
// @source_origin: qlogis.c
// @provides: qlogis
// @depends: nmath, dpq
// @method: closed form, both tails on the log scale
// @accuracy: qlogis.tsv 0.5 eps(1+cond) (host), 0.5 (PoCL), 0.5 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// qlogis -- quantile of the logistic distribution, location + scale log(p/(1 - p)), on the log scale l - log(1 - exp(l)).
// About p = 1/2 the logarithm is as uncertain as its argument, which is what the condition number in p allows.

NMATH_FN double qlogis(double p, double location, double scale, int lower_tail, int log_p)
{
    if (!log_p && p > 0 && p < 1 && scale > 0) {
        double l = log(p / (1.0 - p));
        return location + scale * (lower_tail ? l : -l);
    }
    if (ISNAN(p) || ISNAN(location) || ISNAN(scale))
        return p + location + scale;
    R_Q_P01_boundaries(p, ML_NEGINF, ML_POSINF);
    if (scale < 0)
        ML_WARN_return_NAN;
    if (scale == 0)
        return location;
    double l = p - R_Log1_Exp(p);
    return location + scale * (lower_tail ? l : -l);
}
