/* A word of squares, and the operations on it that Cython cannot express: counting bits, gathering bits,
 * lines of four in all four directions at once, and the word as an entry of a table.
 *
 * A word is narrow (64 bits) or, in modules that are compiled with C4_WIDE, wide (128 bits). On a board that
 * fits a narrow word both give the same results, and so do the portable versions and those for newer
 * processors. So the search visits the same nodes with each of them.
 */
#ifndef C4_WORD_H
#define C4_WORD_H

#include <stdint.h>

#if defined(__AVX2__) || defined(C4_PEXT)
#include <immintrin.h>
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "c4 needs a little-endian processor: a narrow module reads the first half of a wide field"
#endif

/* A word of any board, in the interfaces between modules of different widths. */
typedef unsigned __int128 c4_whole;

#if defined(C4_WIDE)

typedef c4_whole c4_word;
#define C4_WORD_BITS 128
#define C4_WORD_COLUMNS 64

/* A word in a struct that modules of both widths use. */
typedef c4_whole c4_field;

#else

typedef uint64_t c4_word;
#define C4_WORD_BITS 64
#define C4_WORD_COLUMNS 32

/* A field takes the same space as in a wide module; a narrow module reads its low half. */
typedef uint64_t c4_field __attribute__((aligned(16)));

#endif

static inline uint64_t c4_low_half(c4_whole word) {
    return (uint64_t)word;
}

static inline uint64_t c4_high_half(c4_whole word) {
    return (uint64_t)(word >> 64);
}

static inline c4_whole c4_join_halves(uint64_t low, uint64_t high) {
    return (c4_whole)high << 64 | low;
}

/* Shifts by 0 to 63 bits; for a variable number of bits, the compiler has a longer sequence. */

static inline c4_word c4_shift_up(c4_word word, int bits) {
#if defined(C4_WIDE)
    const uint64_t low = c4_low_half(word);
    return c4_join_halves(low << bits, c4_high_half(word) << bits | low >> 1 >> (63 - bits));
#else
    return word << bits;
#endif
}

static inline c4_word c4_shift_down(c4_word word, int bits) {
#if defined(C4_WIDE)
    const uint64_t high = c4_high_half(word);
    return c4_join_halves(c4_low_half(word) >> bits | high << 1 << (63 - bits), high >> bits);
#else
    return word >> bits;
#endif
}

/* The portable build has no popcnt instruction; without this code, gcc would call a function. */
static inline int c4_popcount_half(uint64_t bits) {
#if defined(__POPCNT__)
    return __builtin_popcountll(bits);
#else
    bits -= (bits >> 1) & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (int)((bits * 0x0101010101010101ULL) >> 56);
#endif
}

static inline int c4_popcount(c4_word bits) {
#if defined(C4_WIDE)
    return c4_popcount_half(c4_low_half(bits)) + c4_popcount_half(c4_high_half(bits));
#else
    return c4_popcount_half(bits);
#endif
}

/* The number of the lowest bit that is set; the word must not be 0. */
static inline int c4_lowest_bit(c4_word bits) {
#if defined(C4_WIDE)
    const uint64_t low = c4_low_half(bits);
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(c4_high_half(bits));
#else
    return __builtin_ctzll(bits);
#endif
}

/* The stones among a square's neighbours, as binary digits; patterns.pxi explains the multiplication. */
static inline int c4_gather(c4_word stones, c4_word near, c4_word factor, int low, int high) {
#if defined(C4_PEXT) && defined(C4_WIDE)
    const uint64_t near_low = c4_low_half(near);
    (void)factor, (void)low, (void)high;
    return (int)_pext_u64(c4_low_half(stones), near_low) |
           (int)_pext_u64(c4_high_half(stones), c4_high_half(near)) << c4_popcount_half(near_low);
#elif defined(C4_PEXT)
    (void)factor, (void)low, (void)high;
    return (int)_pext_u64(stones, near);
#else
    return (int)((((stones & near) >> low) * factor) >> high);
#endif
}

/* A mixed key is the key, spread over the word by a bijection. The top bits are mixed best. */

#define C4_MIXER 0x9E3779B97F4A7C15ULL
#define C4_UNMIXER 0xF1DE83E19937733DULL /* the inverse of C4_MIXER, modulo 2^64 */

#if defined(C4_WIDE)

static inline uint64_t c4_spread(uint64_t high) {
    high *= C4_UNMIXER;
    return high ^ high >> 32;
}

static inline c4_word c4_mixed_key(c4_word key) {
    const uint64_t high = c4_high_half(key);
    return c4_join_halves(high, (c4_low_half(key) + c4_spread(high)) * C4_MIXER);
}

static inline c4_word c4_unmixed_key(c4_word mixed) {
    const uint64_t high = c4_low_half(mixed);
    return c4_join_halves(c4_high_half(mixed) * C4_UNMIXER - c4_spread(high), high);
}

static inline uint64_t c4_top_bits(c4_word word) {
    return c4_high_half(word);
}

#else

static inline c4_word c4_mixed_key(c4_word key) {
    return key * C4_MIXER;
}

static inline c4_word c4_unmixed_key(c4_word mixed) {
    return mixed * C4_UNMIXER;
}

static inline uint64_t c4_top_bits(c4_word word) {
    return word;
}

#endif

/* An aligned word that all threads read and write. No reader sees a half of one value and a half of another.
 * x86-64 processors with AVX load and store 16 aligned bytes at once (Intel's manual, volume 3, "Guaranteed
 * atomic operations"; AMD's, volume 2, "Access atomicity"). Elsewhere a wide word is guarded by a lock.
 */

#if !defined(C4_WIDE)

static inline c4_word c4_load_word(const c4_word *place) {
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}

static inline void c4_store_word(c4_word *place, c4_word word) {
    __atomic_store_n(place, word, __ATOMIC_RELAXED);
}

#elif defined(__AVX__)

static inline c4_word c4_load_word(const c4_word *place) {
    __m128i value;
    __asm__ volatile("vmovdqa %1, %0" : "=x"(value) : "m"(*place));
    return c4_join_halves((uint64_t)_mm_cvtsi128_si64(value), (uint64_t)_mm_extract_epi64(value, 1));
}

static inline void c4_store_word(c4_word *place, c4_word word) {
    const __m128i value = _mm_set_epi64x((long long)c4_high_half(word), (long long)c4_low_half(word));
    __asm__ volatile("vmovdqa %1, %0" : "=m"(*place) : "x"(value));
}

#else

enum { C4_LOCKS = 1 << 10 };

static unsigned char c4_locks[C4_LOCKS];

static inline unsigned char *c4_lock_of(const c4_word *place) {
    unsigned char *lock = &c4_locks[((uintptr_t)place >> 4) % C4_LOCKS];
    while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE)) {
    }
    return lock;
}

static inline c4_word c4_load_word(const c4_word *place) {
    unsigned char *lock = c4_lock_of(place);
    const c4_word word = *place;
    __atomic_clear(lock, __ATOMIC_RELEASE);
    return word;
}

static inline void c4_store_word(c4_word *place, c4_word word) {
    unsigned char *lock = c4_lock_of(place);
    *place = word;
    __atomic_clear(lock, __ATOMIC_RELEASE);
}

#endif

/* Each direction is a step of bits: 1, stride, stride - 1 and stride + 1. With AVX2 the four are the lanes
 * of one vector; otherwise the compiler unrolls a loop.
 */

typedef struct {
    uint64_t step[4];
} c4_steps;

/* For a narrow board, in modules of any width. */
static inline int c4_any_four_half(const c4_steps *steps, uint64_t stones) {
    uint64_t fours = 0;
    for (int i = 0; i < 4; i++) {
        const int step = (int)steps->step[i];
        const uint64_t pairs = stones & (stones >> step);
        fours |= pairs & (pairs >> 2 * step);
    }
    return fours != 0;
}

#if defined(__AVX2__)

static inline __m256i c4_lanes(const uint64_t *words) {
    return _mm256_loadu_si256((const __m256i *)words);
}

static inline uint64_t c4_or_lanes(__m256i v) {
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) | (uint64_t)_mm_extract_epi64(half, 1);
}

#endif

#if defined(__AVX2__) && defined(C4_WIDE)

/* Four wide words, one for each direction. */
typedef struct {
    __m256i low, high;
} c4_four;

static inline c4_four c4_same_four(c4_word word) {
    const c4_four four = {_mm256_set1_epi64x((long long)c4_low_half(word)),
                          _mm256_set1_epi64x((long long)c4_high_half(word))};
    return four;
}

/* Each lane is shifted by its own number of bits, at most 63; ``rest`` is 64 minus that. */
static inline c4_four c4_four_up(c4_four v, __m256i bits, __m256i rest) {
    const c4_four up = {
        _mm256_sllv_epi64(v.low, bits),
        _mm256_or_si256(_mm256_sllv_epi64(v.high, bits), _mm256_srlv_epi64(v.low, rest))};
    return up;
}

static inline c4_four c4_four_down(c4_four v, __m256i bits, __m256i rest) {
    const c4_four down = {
        _mm256_or_si256(_mm256_srlv_epi64(v.low, bits), _mm256_sllv_epi64(v.high, rest)),
        _mm256_srlv_epi64(v.high, bits)};
    return down;
}

/* One half of the squares that make four, from the stones one to three steps away. */
static inline uint64_t c4_completed(__m256i up, __m256i up2, __m256i up3, __m256i down, __m256i down2,
                                    __m256i down3) {
    const __m256i above = _mm256_and_si256(_mm256_and_si256(up, up2), _mm256_or_si256(up3, down));
    const __m256i below = _mm256_and_si256(_mm256_and_si256(down, down2), _mm256_or_si256(down3, up));
    return c4_or_lanes(_mm256_or_si256(above, below));
}

static inline c4_word c4_completions(const c4_steps *steps, c4_word stones) {
    const __m256i bits = c4_lanes(steps->step);
    const __m256i rest = _mm256_sub_epi64(_mm256_set1_epi64x(64), bits);
    const c4_four v = c4_same_four(stones);
    const c4_four up = c4_four_up(v, bits, rest), up2 = c4_four_up(up, bits, rest);
    const c4_four up3 = c4_four_up(up2, bits, rest);
    const c4_four down = c4_four_down(v, bits, rest), down2 = c4_four_down(down, bits, rest);
    const c4_four down3 = c4_four_down(down2, bits, rest);
    return c4_join_halves(c4_completed(up.low, up2.low, up3.low, down.low, down2.low, down3.low),
                          c4_completed(up.high, up2.high, up3.high, down.high, down2.high, down3.high));
}

static inline int c4_any_four(const c4_steps *steps, c4_word stones) {
    const __m256i bits = c4_lanes(steps->step);
    const __m256i rest = _mm256_sub_epi64(_mm256_set1_epi64x(64), bits);
    const c4_four v = c4_same_four(stones), next = c4_four_down(v, bits, rest);
    const c4_four pairs = {_mm256_and_si256(v.low, next.low), _mm256_and_si256(v.high, next.high)};
    const c4_four others = c4_four_down(c4_four_down(pairs, bits, rest), bits, rest);
    return !(_mm256_testz_si256(pairs.low, others.low) && _mm256_testz_si256(pairs.high, others.high));
}

#elif defined(__AVX2__)

static inline uint64_t c4_completions(const c4_steps *steps, uint64_t stones) {
    const __m256i one = c4_lanes(steps->step);
    const __m256i two = _mm256_add_epi64(one, one);
    const __m256i three = _mm256_add_epi64(two, one);
    const __m256i v = _mm256_set1_epi64x((long long)stones);
    const __m256i up1 = _mm256_sllv_epi64(v, one);
    const __m256i down1 = _mm256_srlv_epi64(v, one);
    const __m256i up = _mm256_and_si256(up1, _mm256_sllv_epi64(v, two));
    const __m256i down = _mm256_and_si256(down1, _mm256_srlv_epi64(v, two));
    const __m256i a = _mm256_or_si256(_mm256_sllv_epi64(v, three), down1);
    const __m256i b = _mm256_or_si256(_mm256_srlv_epi64(v, three), up1);
    return c4_or_lanes(_mm256_or_si256(_mm256_and_si256(up, a), _mm256_and_si256(down, b)));
}

static inline int c4_any_four(const c4_steps *steps, uint64_t stones) {
    const __m256i step = c4_lanes(steps->step);
    const __m256i v = _mm256_set1_epi64x((long long)stones);
    const __m256i pairs = _mm256_and_si256(v, _mm256_srlv_epi64(v, step));
    const __m256i fours = _mm256_srlv_epi64(pairs, _mm256_add_epi64(step, step));
    return !_mm256_testz_si256(pairs, fours);
}

#else

/* Three steps one after the other, so that no wide word is shifted by more than 63 bits. */
static inline c4_word c4_completions(const c4_steps *steps, c4_word stones) {
    c4_word squares = 0;
    for (int i = 0; i < 4; i++) {
        const int step = (int)steps->step[i];
        const c4_word up = c4_shift_up(stones, step), up2 = c4_shift_up(up, step);
        const c4_word down = c4_shift_down(stones, step), down2 = c4_shift_down(down, step);
        squares |= up & up2 & (c4_shift_up(up2, step) | down);
        squares |= down & down2 & (c4_shift_down(down2, step) | up);
    }
    return squares;
}

static inline int c4_any_four(const c4_steps *steps, c4_word stones) {
    c4_word fours = 0;
    for (int i = 0; i < 4; i++) {
        const int step = (int)steps->step[i];
        const c4_word pairs = stones & c4_shift_down(stones, step);
        fours |= pairs & c4_shift_down(c4_shift_down(pairs, step), step);
    }
    return fours != 0;
}

#endif

#endif
