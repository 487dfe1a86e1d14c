// @source_type: c
// @source_origin: dunif.c
// @provides: dunif
// @depends: nmath, dpq
// @method: closed form
// @accuracy: dunif.tsv 0.47 eps(1+cond) (host), 0.47 (PoCL), 0.47 (H200)
// @all_depends: Rmath, nmath, dpq
// @all_depends_count: 3

// dunif -- density of the uniform distribution, 1/(b - a) on the closed interval [a, b], a < b. A difference beyond the
// range of doubles is formed from halves; with an infinite end the density is 0.

NMATH_FN double dunif(double x, double a, double b, int log_p)
{
    if (ISNAN(x) || ISNAN(a) || ISNAN(b))
        return x + a + b;
    if (b <= a)
        ML_WARN_return_NAN;
    if (!(a <= x && x <= b))
        return R_D__0;
    double w = b - a, c = 1.0;
    if (isinf(w)) {
        w = 0.5 * b - 0.5 * a;
        c = 0.5;
    }
    return log_p ? (c == 1.0 ? 0.0 : log(c)) - log(w) : c / w;
}
