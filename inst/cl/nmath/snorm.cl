// @source_type: c
// @source_origin: snorm.c
// @provides: norm_rand, nmath_norm_rand, snorm_polar, snorm_sqrt
// @depends: nmath, sunif, cospi, sexp
// @method: Box and Muller; two draws a block
// @all_depends: Rmath, nmath, cospi, sunif, sexp
// @all_depends_count: 5

// snorm -- standard normal draws: Box and Muller (1958), "A note on the generation of random normal deviates", Ann. Math.
// Statist. 29, 610-611. With U, V uniform on (0, 1), R = sqrt(-2 log U) and the angle 2 pi V are the polar coordinates of
// two independent normal draws. There is no loop, and all work-items take the same path. The draws 2 j and 2 j + 1 are
// such a pair where they begin with a normal draw: then one block, one logarithm and one root serve both. Further ones of
// a draw are each the first of a pair. U is resolved to 2^-64: draws go to 9.4 standard deviations.
//
// V is given by its quarter, two bits, and the place in it, of which cospi.cl has sine and cosine; a quarter turn is an
// exchange and a sign.

// The square root of 2^-60 < x < 2^60, as sexp_minus_log on GPUs: the reciprocal root of 24 bits and a third order step.
NMATH_FN double snorm_sqrt(double x)
{
#ifdef NMATH_HORNER
    double r = NMATH_INVERSE_ROOT_24(x), y = x * r, e = fma(-y, r, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
#else
    return sqrt(x);
#endif
}

NMATH_FN void snorm_polar(nmath_u64 low, nmath_u64 high, double *a, double *b)
{
    double radius = snorm_sqrt(2.0 * sexp_minus_log(sunif_tail(low))), s, c;
    nmath_u32 quarter = (nmath_u32)(high >> 62);
    cospi_quarter(0.5 * (sunif_open(high << 2) - 0.5), &s, &c);
    double x = (quarter & 1) != 0 ? s : c, y = (quarter & 1) != 0 ? c : s;
    *a = radius * (quarter == 1 || quarter == 2 ? -x : x);
    *b = radius * (quarter >= 2 ? -y : y);
}

#define norm_rand() nmath_norm_rand(nmath_generator)
NMATH_FN double nmath_norm_rand(NMATH_GENERATOR)
{
    nmath_rng *g = nmath_generator;
    int paired = g->normal != 0;
    g->normal = 0;
    if (paired && g->known)
        return g->other;
    nmath_u64 low, high;
    if (paired) {
        if (g->kind != SUNIF_NORMALS) {
            sunif_pair(g->seed, g->index >> 1, SUNIF_NORMALS, &g->low, &g->high);
            g->kind = SUNIF_NORMALS;
            g->left = 0;
        }
        low = g->low;
        high = g->high;
    } else {
        low = nmath_random_bits(g);
        high = nmath_random_bits(g);
    }
    double first, second;
    snorm_polar(low, high, &first, &second);
    if (!paired)
        return first;
    g->known = 1;
    g->other = second;
    return (g->index & 1) != 0 ? second : first;
}
