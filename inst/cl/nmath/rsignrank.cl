// @source_type: c
// @source_origin: signrank.c
// @provides: rsignrank, nmath_rsignrank, rsignrank_word, rsignrank_large
// @depends: nmath, sunif, snorm, rrank
// @method: one random bit a rank, 64 at a time; Cornish-Fisher expansion beyond 4096
// @all_depends: Rmath, nmath, cospi, rrank, sunif, sexp, snorm
// @all_depends_count: 7

// rsignrank -- draws of Wilcoxon's signed rank statistic: the sum of those of the ranks 1, ..., n whose fair coin
// shows heads. 64 coins are one random word, and the sum of the positions of its ones is gathered as their number
// is, in fields that double in width.
//
// For n > 4096 the expansion of rrank.cl: a coin with values 0 and j has the cumulants j^2/4, -j^4/8, j^6/4, and with
// sums of powers S2, S4, S6 of 1, ..., n
//     sd^2 = S2/4,   l4 = -2 S4/S2^2,   l6 = 16 S6/S2^3.
// Against exact counts for n = 32 to 512, P(X <= x) is off by 0.084/n^3 at most: 1.2e-12 from here on.

#define RSIGNRANK_EXACT 4096

// The number of ones in w and the sum of their positions, 0 to 63.
NMATH_FN nmath_u32 rsignrank_word(nmath_u64 w, nmath_u32 *ones)
{
    // c: ones in fields of 2, 4, 8 bits; s: sums of positions within the field
    nmath_u64 m2 = 0x3333333333333333UL, m4 = 0x0f0f0f0f0f0f0f0fUL, s = (w >> 1) & 0x5555555555555555UL, c = w - s, h;
    h = (c >> 2) & m2;
    s = (s & m2) + ((s >> 2) & m2) + 2 * h;
    c = (c & m2) + h;
    h = (c >> 4) & m4;
    s = (s & m4) + ((s >> 4) & m4) + 4 * h;
    c = (c & m4) + h;
    // the top bytes of the products: sums over the bytes, with weights 1 and 0, ..., 7; none exceeds 224
    *ones = (nmath_u32)((c * 0x0101010101010101UL) >> 56);
    return (nmath_u32)((s * 0x0101010101010101UL) >> 56) + 8 * (nmath_u32)((c * 0x0001020304050607UL) >> 56);
}

// Large n > 0: see above. z: standard normal.
NMATH_FN double rsignrank_large(double z, double n)
{
    // S4/S2 and S6/S2 over powers of n, v = 1/n; S2 = n^3 s2/6
    double v = 1.0 / n, s2 = (1.0 + v) * (2.0 + v);
    double r4 = (3.0 + v * (3.0 - v)) / 5.0, r6 = (3.0 + v * (6.0 - v * v * (3.0 - v))) / 7.0;
    double l4 = -12.0 * v * r4 / s2, l6 = 576.0 * v * v * r6 / (s2 * s2);
    return rrank_normal(z, 0.25 * n * (n + 1.0), sqrt(n * s2 / 24.0) * n, l4, l6, 0.5 * n * (n + 1.0));
}

#define rsignrank(n) nmath_rsignrank(nmath_generator, n)
NMATH_FN double nmath_rsignrank(NMATH_GENERATOR, double n)
{
    if (ISNAN(n) || isinf(n))
        ML_WARN_return_NAN;
    n = R_forceint(n);
    if (n < 0)
        ML_WARN_return_NAN;
    if (n <= RSIGNRANK_EXACT) {
        int ranks = (int)n;
        nmath_u32 sum = 0;
        for (int k = 0; k < ranks; k += 64) {
            nmath_u64 w = nmath_random_bits(nmath_generator);
            nmath_u32 ones, positions;
            if (ranks - k < 64)
                w &= ((nmath_u64)1 << (ranks - k)) - 1;
            positions = rsignrank_word(w, &ones);
            sum += positions + (nmath_u32)(k + 1) * ones;
        }
        return (double)sum;
    }
    return rsignrank_large(norm_rand(), n);
}

#undef RSIGNRANK_EXACT
