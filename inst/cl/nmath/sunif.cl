// @source_type: h
// @source_origin: sunif.c
// @provides: nmath_rng, NMATH_GENERATOR, NMATH_RNG, NMATH_DRAW, nmath_philox, nmath_random_bits, sunif_open, unif_rand, nmath_unif_rand, R_unif_index, nmath_unif_index
// @depends: nmath
// @method: Philox4x32-10, counter-based; two uniforms a block; Lemire's multiplication for integers
// @all_depends: Rmath, nmath
// @all_depends_count: 2
// @load_order: 34

// sunif -- the generator of all draws, Philox4x32-10: Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers:
// as easy as 1, 2, 3", Proc. SC11, section 3.3. Ten rounds turn a counter of 128 bits into a block of 128 random bits;
// there is no other state. The key is the seed of a call, the counter is (i, k): i numbers the draw, k the blocks that
// this draw has used. So a draw is the same whichever work-item, chunk or device makes it, and no two draws share a
// block.
//
// A kernel says NMATH_RNG(seed, i), which declares the generator of draw i and the pointer `nmath_generator` to it. A
// device function that draws takes NMATH_GENERATOR as its first parameter, called nmath_<name>, and has a macro of
// Mathlib's name and arguments that passes the generator on.

#ifndef NMATH_SUNIF_CL
#define NMATH_SUNIF_CL

typedef struct {
    nmath_u64 seed;
    nmath_u64 index;     // of the draw
    nmath_u64 low, high; // the present block
    nmath_u32 block;     // its number
    nmath_u32 taken;     // halves of it that are used up
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
        nmath_u64 p = (nmath_u64)0xD2511F53u * c0, q = (nmath_u64)0xCD9E8D57u * c2;
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

// The generator of draw `index`, its first block given.
NMATH_FN nmath_rng nmath_rng_with(nmath_u64 seed, nmath_u64 index, nmath_u64 low, nmath_u64 high)
{
    nmath_rng g;
    g.seed = seed;
    g.index = index;
    g.low = low;
    g.high = high;
    g.block = 0;
    g.taken = 0;
    return g;
}

NMATH_FN nmath_rng nmath_rng_at(nmath_u64 seed, nmath_u64 index)
{
    nmath_u64 low, high;
    nmath_philox(seed, (nmath_u32)index, (nmath_u32)(index >> 32), 0, 0, &low, &high);
    return nmath_rng_with(seed, index, low, high);
}

#define NMATH_RNG_IS(rng) nmath_rng nmath_generator_of_draw = rng, *nmath_generator = &nmath_generator_of_draw
#define NMATH_RNG(seed, i) NMATH_RNG_IS(nmath_rng_at(seed, i))
// The same for element i of a launch whose first draw is number `first`. In C the first blocks come in vectors.
#ifdef NMATH_FIRST_BLOCK
#define NMATH_DRAW(seed, first, i) \
    NMATH_RNG_IS(nmath_rng_with(seed, (first) + (nmath_u64)(i), NMATH_FIRST_BLOCK(i, 0), NMATH_FIRST_BLOCK(i, 1)))
#else
#define NMATH_DRAW(seed, first, i) NMATH_RNG(seed, (first) + (nmath_u64)(i))
#endif

// The next 64 bits of this draw.
NMATH_FN nmath_u64 nmath_random_bits(NMATH_GENERATOR)
{
    nmath_rng *g = nmath_generator;
    if (g->taken == 2) {
        ++g->block;
        nmath_philox(g->seed, (nmath_u32)g->index, (nmath_u32)(g->index >> 32), g->block, 0, &g->low, &g->high);
        g->taken = 0;
    }
    return g->taken++ == 0 ? g->low : g->high;
}

// (2 m + 1)/2^53, m the first 52 bits: 0 and 1 are no values, and u is as likely as 1 - u. 1 + m/2^52 is put together
// from its bits, since devices are slow to convert integers of 64 bits; the subtraction is exact.
NMATH_FN double sunif_open(nmath_u64 bits)
{
    return nmath_from_bits(0x3ff0000000000000UL | bits >> 12) - 0.99999999999999988898;
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
