// @source_type: shim
// @source_origin: rtable.c
// @provides: rtable, nmath_rtable
// @depends: nmath, sunif
// @method: alias method, one random word
// @all_depends: Rmath, nmath, sunif
// @all_depends_count: 3

// rtable -- a draw from a distribution on 2^bits whole numbers from `low` on, whose table of aliases the caller has made:
// Walker (1977), "An efficient method for generating discrete random variables with general distributions", ACM Trans. Math.
// Softw. 3, 253-256. The first bits of a random word choose a cell, each as likely as another; what is left of the word is
// a fraction of 2^64. Below the cell's threshold, table[2 cell], the draw is the cell's own number, else that of its alias,
// table[2 cell + 1]. engine/draw_table.cpp makes tables. 1 <= bits <= 31.

#define rtable(table, bits, low) nmath_rtable(nmath_generator, table, bits, low)
NMATH_FN double nmath_rtable(NMATH_GENERATOR, __global const nmath_u64 *table, int bits, double low)
{
    nmath_u64 w = nmath_random_bits(nmath_generator);
    nmath_u32 cell = (nmath_u32)(w >> (64 - bits));
    nmath_u64 threshold = table[2 * cell], alias = table[2 * cell + 1];
    return low + (double)((w << bits) < threshold ? cell : (nmath_u32)alias);
}
