// @source_type: c
// @source_origin: none
// @provides: log_quotient_fixed, log_quotient_fixed_of, log_quotient_fixed_row, log_quotient_fixed_on, log_quotient_fixed_at
// @depends: nmath, log_pair, log1p_parts
// @method: the difference of two logarithms as pairs of doubles
// @all_depends: Rmath, nmath, log1p_parts, log_pair
// @all_depends_count: 4

// log_quotient_fixed -- log(x/y) where y is the same for many x: log(x) - log(y), both as pairs (log_pair.cl), so that where y alone
// changes, the logarithm of x need not be computed again. *needs_general is set for a y, and where there are no pairs of an x/y, that is next to 0 or infinite.

typedef struct {
    double y, per_y, hi, lo;
} log_quotient_fixed;

NMATH_FN log_quotient_fixed log_quotient_fixed_of(double y, int *needs_general)
{
    log_quotient_fixed f;
    int plain = y > NMATH_RANGE(1e-300, 1e-34) && y < NMATH_RANGE(1e300, 1e34);
    log_pair l;
    *needs_general |= !plain;
    f.y = plain ? y : 1.0;
    f.per_y = 1.0 / f.y;
    l = log_pair_of(f.y);
    f.hi = l.hi;
    f.lo = l.lo;
    return f;
}

NMATH_FN log_row log_quotient_fixed_row(double x)
{
    return log_row_of(x, x == 0.0 ? ML_NEGINF : x < 0.0 ? ML_NAN : x);
}

// What log_quotient_fixed_row(x) gives
NMATH_FN double log_quotient_fixed_on(double x, double hi, double lo, log_quotient_fixed f, int *needs_general)
{
#ifdef NMATH_LOG_PAIRS
    return (hi - f.hi) + (lo - f.lo);
#else
    double w = x * f.per_y;
    *needs_general |= (x > 0.0) & !((w > NMATH_RANGE(1e-300, 1e-34)) & (w < NMATH_RANGE(1e300, 1e34)));
    w = log1p_parts_log(NMATH_QUOTIENT(x, f.y, f.per_y));
    return x > 0.0 ? w : x == 0.0 ? ML_NEGINF : x < 0.0 ? ML_NAN : x;
#endif
}

NMATH_FN double log_quotient_fixed_at(double x, log_quotient_fixed f, int *needs_general)
{
    log_row r = log_quotient_fixed_row(x);
    return log_quotient_fixed_on(r.x, r.hi, r.lo, f, needs_general);
}
