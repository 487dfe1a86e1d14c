/* host_philox.c -- Philox4x32-10 for AVX-512, for AVX2 and for every machine; which one runs is found out at run time.
 *
 * Each word of a counter lies in 64 bits, of which the multiplication looks at the lower half: what the upper halves hold
 * on the way does not matter. */
#include "host/host_philox.h"

#define NMATH_PHILOX_M0 0xD2511F53u
#define NMATH_PHILOX_M1 0xCD9E8D57u
#define NMATH_PHILOX_W0 0x9E3779B9u
#define NMATH_PHILOX_W1 0xBB67AE85u

static void philox_plain(uint64_t seed, uint64_t first, uint32_t kind, int n, uint64_t *out)
{
    for (int j = 0; j < n; ++j) {
        uint64_t index = first + (uint64_t)j;
        uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32), c2 = 0, c3 = kind;
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        for (int round = 0; round < 10; ++round) {
            uint64_t p = (uint64_t)NMATH_PHILOX_M0 * c0, q = (uint64_t)NMATH_PHILOX_M1 * c2;
            c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;
            c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;
            c1 = (uint32_t)q;
            c3 = (uint32_t)p;
            k0 += NMATH_PHILOX_W0;
            k1 += NMATH_PHILOX_W1;
        }
        out[j] = (uint64_t)c1 << 32 | c0;
        out[n + j] = (uint64_t)c3 << 32 | c2;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* Two vectors of `lanes` draws each; `_mm` is the prefix of the instructions, `bits` ends their names. */
#define NMATH_PHILOX_LANES(name, isa, vector, lanes, _mm, bits)                                             \
    __attribute__((target(isa))) static void name(uint64_t seed, uint64_t first, uint32_t kind, int n, uint64_t *out)      \
    {                                                                                                       \
        const vector m0 = _mm##_set1_epi64x_(NMATH_PHILOX_M0), m1 = _mm##_set1_epi64x_(NMATH_PHILOX_M1);     \
        const vector w0 = _mm##_set1_epi64x_(NMATH_PHILOX_W0), w1 = _mm##_set1_epi64x_(NMATH_PHILOX_W1);     \
        const vector kinds = _mm##_set1_epi64x_(kind), lower = _mm##_set1_epi64x_(0xffffffff);              \
        uint64_t start[2 * lanes];                                                                          \
        for (int j = 0; j < 2 * lanes; ++j)                                                                 \
            start[j] = first + (uint64_t)j;                                                                 \
        vector i = _mm##_loadu_##bits((const void *)start), j = _mm##_loadu_##bits((const void *)(start + lanes)); \
        const vector step = _mm##_set1_epi64x_(2 * lanes);                                                  \
        for (int b = 0; b < n; b += 2 * lanes) {                                                            \
            vector a0 = i, a1 = _mm##_srli_epi64(i, 32), a2 = _mm##_set1_epi64x_(0), a3 = kinds;            \
            vector b0 = j, b1 = _mm##_srli_epi64(j, 32), b2 = a2, b3 = kinds;                               \
            vector k0 = _mm##_set1_epi64x_(seed & 0xffffffff), k1 = _mm##_set1_epi64x_(seed >> 32);          \
            for (int round = 0; round < 10; ++round) {                                                      \
                vector p = _mm##_mul_epu32(m0, a0), q = _mm##_mul_epu32(m1, a2);                            \
                vector r = _mm##_mul_epu32(m0, b0), s = _mm##_mul_epu32(m1, b2);                            \
                a0 = _mm##_xor_##bits(_mm##_xor_##bits(_mm##_srli_epi64(q, 32), a1), k0);                   \
                a2 = _mm##_xor_##bits(_mm##_xor_##bits(_mm##_srli_epi64(p, 32), a3), k1);                   \
                b0 = _mm##_xor_##bits(_mm##_xor_##bits(_mm##_srli_epi64(s, 32), b1), k0);                   \
                b2 = _mm##_xor_##bits(_mm##_xor_##bits(_mm##_srli_epi64(r, 32), b3), k1);                   \
                a1 = q, a3 = p, b1 = s, b3 = r;                                                             \
                k0 = _mm##_add_epi64(k0, w0);                                                               \
                k1 = _mm##_add_epi64(k1, w1);                                                               \
            }                                                                                               \
            _mm##_storeu_##bits((void *)(out + b), NMATH_PHILOX_PAIR(_mm, bits, a0, a1));                   \
            _mm##_storeu_##bits((void *)(out + b + lanes), NMATH_PHILOX_PAIR(_mm, bits, b0, b1));           \
            _mm##_storeu_##bits((void *)(out + n + b), NMATH_PHILOX_PAIR(_mm, bits, a2, a3));               \
            _mm##_storeu_##bits((void *)(out + n + b + lanes), NMATH_PHILOX_PAIR(_mm, bits, b2, b3));       \
            i = _mm##_add_epi64(i, step);                                                                   \
            j = _mm##_add_epi64(j, step);                                                                   \
        }                                                                                                   \
    }
#define NMATH_PHILOX_PAIR(_mm, bits, low, high) \
    _mm##_or_##bits(_mm##_slli_epi64(high, 32), _mm##_and_##bits(low, lower))

#define _mm256_set1_epi64x_(x) _mm256_set1_epi64x((long long)(x))
#define _mm512_set1_epi64x_(x) _mm512_set1_epi64((long long)(x))

NMATH_PHILOX_LANES(philox_avx2, "avx2", __m256i, 4, _mm256, si256)
NMATH_PHILOX_LANES(philox_avx512, "avx512f", __m512i, 8, _mm512, si512)

void nmath_host_philox(uint64_t seed, uint64_t first, uint32_t kind, int n, uint64_t *out)
{
    if (__builtin_cpu_supports("avx512f"))
        philox_avx512(seed, first, kind, n, out);
    else if (__builtin_cpu_supports("avx2"))
        philox_avx2(seed, first, kind, n, out);
    else
        philox_plain(seed, first, kind, n, out);
}

#else

void nmath_host_philox(uint64_t seed, uint64_t first, uint32_t kind, int n, uint64_t *out) { philox_plain(seed, first, kind, n, out); }

#endif
