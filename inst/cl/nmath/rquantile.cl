// @source_type: shim
// @source_origin: rquantile.c
// @provides: rquantile, nmath_rquantile, RQUANTILE_BINS, RQUANTILE_FINE, RQUANTILE_TERMS, RQUANTILE_ROWS
// @depends: nmath, sunif
// @method: inversion by a table of polynomials, one random word
// @all_depends: Rmath, nmath, sunif
// @all_depends_count: 3

// rquantile -- a draw from a continuous distribution whose quantile function the caller has made a table of: numerical
// inversion, as Hormann and Leydold (2003), "Continuous random variate generation by fast numerical inversion", ACM Trans.
// Model. Comput. Simul. 13, 347-362.
//
// The first bit of a random word chooses the tail, the lower one for 0; the others are x in (0, 1), twice the probability
// of that tail, as fine as 2^-64. The pieces are those of the numbers themselves: an octave [2^-k, 2^(1-k)) of x has 8 of
// them, whose number is its exponent and the first 3 bits of its mantissa, so that a quantile that goes with a power of x is
// as near a polynomial in one as in the next. Octaves behind the 24th, where one draw of 16 million falls, are a piece each.
// Row r of `rows`, those of the lower tail before those of the upper one, has its coefficients at table[r + rows k], that of
// t^k, t the distance from the piece's middle as a part of 2^-k: neighbouring draws read neighbouring numbers, since most are
// of the first octaves. engine/quantile_table.cpp makes tables.

#define RQUANTILE_FINE 24
#define RQUANTILE_BINS 8
#define RQUANTILE_TERMS 9
#define RQUANTILE_ROWS (RQUANTILE_BINS * RQUANTILE_FINE + 65 - RQUANTILE_FINE) // of a tail: x may be 2^-65

#define rquantile(table, rows, scale) nmath_rquantile(nmath_generator, table, rows, scale)
NMATH_FN double nmath_rquantile(NMATH_GENERATOR, __global const double *table, int rows, double scale)
{
    nmath_u64 w = nmath_random_bits(nmath_generator), x = nmath_bits(sunif_tail(w << 1)), rest = x & 0x000fffffffffffffUL;
    int piece = 0x1ff7 - (int)(x >> 49), octave = piece >> 3; // from 1 downwards
    double middle = 1.0625;
    if (octave < RQUANTILE_FINE) {
        rest &= 0x0001ffffffffffffUL;
    } else {
        piece = RQUANTILE_BINS * RQUANTILE_FINE + (octave - RQUANTILE_FINE);
        middle = 1.5;
    }
    double t = nmath_from_bits(0x3ff0000000000000UL | rest) - middle;
    table += piece + (w >> 63 != 0 ? rows >> 1 : 0);
    double sum = table[(RQUANTILE_TERMS - 1) * rows];
    NMATH_UNROLL
    for (int k = RQUANTILE_TERMS - 2; k >= 0; --k)
        sum = NMATH_FMA(sum, t, table[k * rows]);
    return scale * sum;
}
