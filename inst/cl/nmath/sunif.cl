// @source_type: h
// @source_origin: sunif.c
// @provides: nmath_rng, NMATH_GENERATOR, NMATH_RNG, NMATH_EACH_DRAW, NMATH_EACH_DRAW_LOOP, NMATH_PUT_DRAWS, SUNIF_WORDS, SUNIF_OWN, SUNIF_NORMALS, nmath_philox, nmath_random_bits, sunif_more_bits, sunif_open, sunif_tail, unif_rand, nmath_unif_rand, R_unif_index, nmath_unif_index
// @depends: nmath
// @method: Philox4x32-10, counter-based; half a block for a draw; Lemire's multiplication for integers
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// sunif -- the generator of all draws, Philox4x32-10: Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers:
// as easy as 1, 2, 3", Proc. SC11, section 3.3. Ten rounds turn a counter of 128 bits into a block of 128 random bits;
// there is no other state. The key is the seed of a call. Draw number i has
//     its half of the block (i >> 1, 0, SUNIF_WORDS), which is all that most draws need and costs half a block;
//     its own blocks (i, k, SUNIF_OWN), k = 0, 1, ...;
//     with its neighbour, where it begins with a normal draw, the block (i >> 1, 0, SUNIF_NORMALS): snorm.cl.
// So a draw is the same whichever work-item, chunk or device makes it, and no two draws share a bit.
//
// A kernel says NMATH_RNG(seed, i), which declares the generator of draw i and the pointer `nmath_generator` to it. A
// device function that draws takes NMATH_GENERATOR as its first parameter, called nmath_<name>, and has a macro of
// Mathlib's name and arguments that passes the generator on.

#ifndef NMATH_SUNIF_CL
#define NMATH_SUNIF_CL

#define SUNIF_WORDS 0
#define SUNIF_OWN 1
#define SUNIF_NORMALS 2

typedef struct {
    nmath_u64 seed;
    nmath_u64 index;     // of the draw
    nmath_u64 low, high; // the block at hand
    nmath_u32 kind;      // what it is for
    nmath_u32 own;       // blocks of this draw's own that it has begun
    nmath_u32 left;      // halves of the last one that are not used up
    nmath_u32 word, normal; // whether its half of SUNIF_WORDS, of SUNIF_NORMALS is not used up
    nmath_u32 known;     // whether the draw before this one has left
    double other;        // the second normal draw of the pair
} nmath_rng;

#define NMATH_GENERATOR nmath_rng *nmath_generator

// One block. Each round multiplies words 0 and 2 by constants, and the halves of the products, the other two words and
// the key make the next four; the key goes on by two Weyl sequences, sqrt(3) - 1 and the golden ratio.
NMATH_FN void nmath_philox(nmath_u64 key, nmath_u32 c0, nmath_u32 c1, nmath_u32 c2, nmath_u32 c3, nmath_u64 *low,
                           nmath_u64 *high)
{
    nmath_u32 k0 = (nmath_u32)key, k1 = (nmath_u32)(key >> 32);
    NMATH_UNROLL
    for (int round = 0; round < 10; ++round) {
        nmath_u64 p = NMATH_WIDE(0xD2511F53u, c0), q = NMATH_WIDE(0xCD9E8D57u, c2);
        c0 = (nmath_u32)(q >> 32) ^ c1 ^ k0;
        c2 = (nmath_u32)(p >> 32) ^ c3 ^ k1;
        c1 = (nmath_u32)q;
        c3 = (nmath_u32)p;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    *low = (nmath_u64)c1 << 32 | c0;
    *high = (nmath_u64)c3 << 32 | c2;
}

// The block of a pair of draws, 2 pair and 2 pair + 1.
NMATH_FN void sunif_pair(nmath_u64 seed, nmath_u64 pair, nmath_u32 kind, nmath_u64 *low, nmath_u64 *high)
{
    nmath_philox(seed, (nmath_u32)pair, (nmath_u32)(pair >> 32), 0, kind, low, high);
}

// The generator of draw `index`, the block of its pair given.
NMATH_FN nmath_rng nmath_rng_with(nmath_u64 seed, nmath_u64 index, nmath_u32 kind, nmath_u64 low, nmath_u64 high)
{
    nmath_rng g;
    g.seed = seed;
    g.index = index;
    g.low = low;
    g.high = high;
    g.kind = kind;
    g.own = 0;
    g.left = 0;
    g.word = 1;
    g.normal = 1;
    g.known = 0;
    g.other = 0.0;
    return g;
}

NMATH_FN nmath_rng nmath_rng_at(nmath_u64 seed, nmath_u64 index)
{
    nmath_u64 low, high;
    sunif_pair(seed, index >> 1, SUNIF_WORDS, &low, &high);
    return nmath_rng_with(seed, index, SUNIF_WORDS, low, high);
}

// On to the second draw of a pair, with what the first one has left for it.
NMATH_FN void sunif_next(NMATH_GENERATOR, nmath_u32 kind, nmath_u64 low, nmath_u64 high)
{
    nmath_rng g = nmath_rng_with(nmath_generator->seed, nmath_generator->index | 1, kind, low, high);
    g.known = nmath_generator->known;
    g.other = nmath_generator->other;
    *nmath_generator = g;
}

#define NMATH_RNG(seed, i) \
    nmath_rng nmath_generator_of_draw = nmath_rng_at(seed, i), *nmath_generator = &nmath_generator_of_draw

// The body of a kernel of this package that draws is
//     NMATH_EACH_DRAW(i) draw = ...; NMATH_PUT_DRAWS(out)
// where `draw` is the number for out[i]. Built without these macros, there is a work-item for each draw; in this package's
// own launches, for SUNIF_PAIRS pairs of neighbours. Pairs of a work-item are 32 apart where neighbours among the work-items write
// side by side. Pairs may begin before a launch's first draw, and end behind its last one: what is outside is dropped.
// In C the blocks come in vectors, of the kind that the launcher says.
#define SUNIF_PAIRS 4 // as items_of_draws() of engine/draw_table.h has it
#if defined(NMATH_RECYCLE) && defined(NMATH_FIRST_BLOCK)
// In C each draw has a generator of its own, which the compiler keeps in registers, and what the first of a pair leaves for
// the second goes from one to the other.
#define NMATH_EACH_DRAW_LOOP(i) NMATH_EACH_DRAW(i)
#define NMATH_EACH_DRAW(i)                                                                                          \
    const int nmath_work = get_global_id(0), nmath_left = -(int)(first & 1) + 2 * SUNIF_PAIRS * nmath_work;         \
    nmath_u32 nmath_known = 0;                                                                                      \
    double nmath_other = 0.0;                                                                                       \
    for (int nmath_k = 0; nmath_k < 2 * SUNIF_PAIRS; ++nmath_k) {                                                   \
        const int i = nmath_left + nmath_k, nmath_couple = SUNIF_PAIRS * nmath_work + (nmath_k >> 1);                 \
        if (i < 0 || i >= len) continue;                                                                            \
        nmath_rng nmath_generator_of_draw =                                                                         \
            nmath_rng_with(seed, ((first >> 1 << 1) + 2 * (nmath_u64)(nmath_u32)nmath_couple) | (nmath_k & 1),        \
                           nmath_kind, NMATH_FIRST_BLOCK(nmath_couple, 0), NMATH_FIRST_BLOCK(nmath_couple, 1));         \
        nmath_rng *nmath_generator = &nmath_generator_of_draw;                                                      \
        nmath_generator->known = (nmath_k & 1) != 0 ? nmath_known : 0;                                              \
        nmath_generator->other = nmath_other;                                                                       \
        double draw;
#define NMATH_PUT_DRAWS(out)                                                                                        \
        (out)[i] = draw;                                                                                            \
        nmath_known = nmath_generator->known;                                                                       \
        nmath_other = nmath_generator->other;                                                                       \
    }
#elif defined(NMATH_RECYCLE)
#define SUNIF_PAIR(item, k) (((item) >> 5) * (32 * SUNIF_PAIRS) + ((item) & 31) + 32 * (k))
#define SUNIF_BLOCK(pair, low, high) \
    const nmath_u32 nmath_kind = SUNIF_WORDS; \
    nmath_u64 low, high; \
    sunif_pair(seed, (first >> 1) + (nmath_u32)(pair), SUNIF_WORDS, &low, &high);
#ifdef NMATH_FLOAT_PAIRS // which have no vectors
#define SUNIF_STORE_PAIR(out, i, a, b) 0
#else
#define SUNIF_STORE_PAIR(out, i, a, b) \
    (((ulong)((out) + (i)) & 15) == 0 && (*(__global double2 *)((out) + (i)) = (double2)(a, b), 1))
#endif
// NMATH_EACH_DRAW is straight code where that is faster, and then what is outside is drawn too; NMATH_EACH_DRAW_LOOP, for
// functions with loops of their own, makes draw after draw.
#ifdef NMATH_PREFERS_STRAIGHT
#define SUNIF_ALL(outside)
#else
#define SUNIF_ALL(outside) if (outside) continue;
#endif
#define SUNIF_SOME(outside) if (outside) continue;
#define NMATH_EACH_DRAW(i) SUNIF_EACH_DRAW(i, NMATH_STRAIGHT, SUNIF_ALL)
#define NMATH_EACH_DRAW_LOOP(i) SUNIF_EACH_DRAW(i, NMATH_LOOP, SUNIF_SOME)
#define SUNIF_EACH_DRAW(i, UNROLL, SKIP)                                                                            \
    const int nmath_work = get_global_id(0), nmath_left = -(int)(first & 1);                                        \
    if (nmath_left + 2 * SUNIF_PAIR(nmath_work, 0) >= len) return;                                                  \
    double nmath_drawn[2 * SUNIF_PAIRS];                                                                            \
    UNROLL                                                                                                          \
    for (int nmath_k = 0; nmath_k < SUNIF_PAIRS; ++nmath_k) {                                                       \
        const int nmath_couple = SUNIF_PAIR(nmath_work, nmath_k);                                                     \
        SUNIF_BLOCK(nmath_couple, nmath_low, nmath_high)                                                              \
        const nmath_u64 nmath_even = ((first >> 1) + (nmath_u32)nmath_couple) << 1;                                   \
        nmath_rng nmath_generator_of_draw = nmath_rng_with(seed, nmath_even, nmath_kind, nmath_low, nmath_high);    \
        nmath_rng *nmath_generator = &nmath_generator_of_draw;                                                      \
        UNROLL                                                                                                      \
        for (int nmath_half = 0; nmath_half < 2; ++nmath_half) {                                                    \
            const int nmath_at = nmath_left + 2 * nmath_couple + nmath_half;                                          \
            const int i = nmath_at < 0 ? 0 : nmath_at < len ? nmath_at : len - 1;                                   \
            SKIP(i != nmath_at)                                                                                     \
            if (nmath_half == 1) sunif_next(nmath_generator, nmath_kind, nmath_low, nmath_high);                    \
            double draw;
#define NMATH_PUT_DRAWS(out)                                                                                        \
            nmath_drawn[2 * nmath_k + nmath_half] = draw;                                                           \
        }                                                                                                           \
    }                                                                                                               \
    NMATH_STRAIGHT                                                                                                  \
    for (int nmath_k = 0; nmath_k < SUNIF_PAIRS; ++nmath_k) {                                                       \
        const int i = nmath_left + 2 * SUNIF_PAIR(nmath_work, nmath_k);                                             \
        const double nmath_a = nmath_drawn[2 * nmath_k], nmath_b = nmath_drawn[2 * nmath_k + 1];                    \
        if (i >= 0 && i + 1 < len && SUNIF_STORE_PAIR(out, i, nmath_a, nmath_b)) continue;                          \
        if (i >= 0 && i < len) (out)[i] = nmath_a;                                                                  \
        if (i + 1 < len) (out)[i + 1] = nmath_b;                                                                    \
    }
#else
#define NMATH_EACH_DRAW_LOOP(i) NMATH_EACH_DRAW(i)
#define NMATH_EACH_DRAW(i)                    \
    const int i = get_global_id(0);           \
    if (i >= len) return;                     \
    NMATH_RNG(seed, first + (nmath_u64)i);    \
    const int nmath_left = i;                 \
    double draw;
#define NMATH_PUT_DRAWS(out) (out)[nmath_left] = draw;
#endif

// The next 64 bits of this draw: first its half of a block of SUNIF_WORDS, which it mostly has at hand.
NMATH_FN nmath_u64 sunif_more_bits(nmath_rng *g)
{
    if (g->word) {
        g->word = 0;
        sunif_pair(g->seed, g->index >> 1, SUNIF_WORDS, &g->low, &g->high);
        g->kind = SUNIF_WORDS;
        g->left = 0;
        return (g->index & 1) != 0 ? g->high : g->low;
    }
    if (g->left == 0) {
        nmath_philox(g->seed, (nmath_u32)g->index, (nmath_u32)(g->index >> 32), g->own++, SUNIF_OWN, &g->low, &g->high);
        g->kind = SUNIF_OWN;
        g->left = 2;
    }
    return g->left-- == 2 ? g->low : g->high;
}

NMATH_FN nmath_u64 nmath_random_bits(NMATH_GENERATOR)
{
    nmath_rng *g = nmath_generator;
    if (!g->word || g->kind != SUNIF_WORDS)
        return sunif_more_bits(g);
    g->word = 0;
    return (g->index & 1) != 0 ? g->high : g->low;
}

// (2 m + 1)/2^53, m the first 52 bits: 0 and 1 are no values, and u is as likely as 1 - u. 1 + m/2^52 is put together
// from its bits, since devices are slow to convert integers of 64 bits; the subtraction is exact.
NMATH_FN double sunif_open(nmath_u64 bits)
{
    return nmath_from_bits(0x3ff0000000000000UL | bits >> 12) - 0.99999999999999988898;
}

// As sunif_open, and below 2^-32 as finely as 64 bits can tell: for what has a tail there.
NMATH_FN double sunif_tail(nmath_u64 bits)
{
    return (nmath_u32)(bits >> 32) != 0 ? sunif_open(bits) : ((double)(nmath_u32)bits + 0.5) * 0x1p-64;
}

#define unif_rand() nmath_unif_rand(nmath_generator)
NMATH_FN double nmath_unif_rand(NMATH_GENERATOR)
{
    return sunif_open(nmath_random_bits(nmath_generator));
}

// 64 x 64 bits: the upper half of the product.
NMATH_FN nmath_u64 sunif_mul_hi(nmath_u64 a, nmath_u64 b)
{
    nmath_u64 al = (nmath_u32)a, ah = a >> 32, bl = (nmath_u32)b, bh = b >> 32;
    nmath_u64 m = ah * bl + (al * bl >> 32), n = al * bh + (nmath_u32)m;
    return ah * bh + (m >> 32) + (n >> 32);
}

// A whole number from 0 to ceil(dn) - 1, all equally likely: Lemire (2019), "Fast random integer generation in an
// interval", ACM Trans. Model. Comput. Simul. 29, algorithm 5. For dn <= 2^53 one of 2048 products is rejected at
// most, so that eight are enough; larger dn are beyond what a double can count.
#define R_unif_index(dn) nmath_unif_index(nmath_generator, dn)
NMATH_FN double nmath_unif_index(NMATH_GENERATOR, double dn)
{
    if (!(dn > 0.0))
        return isnan(dn) ? dn : 0.0;
    if (dn > 9007199254740992.0)
        return floor(dn * unif_rand());
    nmath_u64 n = (nmath_u64)ceil(dn), bits = nmath_random_bits(nmath_generator);
    for (int k = 1; k < 8 && bits * n < n && bits * n < (0 - n) % n; ++k)
        bits = nmath_random_bits(nmath_generator);
    return (double)sunif_mul_hi(bits, n);
}

#endif
