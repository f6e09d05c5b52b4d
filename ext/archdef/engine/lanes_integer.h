/* Integer lane arithmetic: wrap-around everywhere, shift amounts clamp at the width, no division traps.
 *
 * The row macros give the shape: U32(name, expression) has 32-bit unsigned lanes throughout, U16 and S16 are 16-bit values in
 * 32-bit lanes, ANY(name, expression) makes the b16, b32 and b64 forms of an operation that ignores signs.
 */
#ifndef ARCHDEF_LANES_INTEGER_H
#define ARCHDEF_LANES_INTEGER_H

#define LOW_U16(x) ((uint32_t)(uint16_t)(x))
#define LOW_S16(x) ((int32_t)(int16_t)(x))

LANES_INLINE uint32_t shift_left_32(uint32_t a, uint32_t b) { return b < 32 ? a << (b & 31) : 0; }
LANES_INLINE uint64_t shift_left_64(uint64_t a, uint32_t b) { return b < 64 ? a << (b & 63) : 0; }
LANES_INLINE uint32_t shift_right_u32(uint32_t a, uint32_t b) { return b < 32 ? a >> (b & 31) : 0; }
LANES_INLINE uint64_t shift_right_u64(uint64_t a, uint32_t b) { return b < 64 ? a >> (b & 63) : 0; }
LANES_INLINE int32_t shift_right_s32(int32_t a, uint32_t b) { return a >> (b < 32 ? b : 31); }
LANES_INLINE int64_t shift_right_s64(int64_t a, uint32_t b) { return a >> (b < 64 ? b : 63); }

LANES_INLINE uint64_t high_u64(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }
LANES_INLINE uint64_t high_s64(int64_t a, int64_t b) { return (uint64_t)(((__int128)a * b) >> 64); }
LANES_INLINE uint32_t high_u32(uint32_t a, uint32_t b) { return (uint32_t)(((uint64_t)a * b) >> 32); }
LANES_INLINE uint32_t high_s32(int32_t a, int32_t b) { return (uint32_t)((uint64_t)((int64_t)a * b) >> 32); }

LANES_INLINE int64_t low_s24(uint32_t a) { return (int32_t)(a << 8) >> 8; }
LANES_INLINE uint64_t low_u24(uint32_t a) { return a & 0xffffff; }

/* Quotients of 32-bit integers are exact in double precision: the distance of a/b from the next integer is at least 1/b, far more
 * than half a unit in the last place of a quotient below 2^32 / b. A zero divisor gives all ones. */
LANES_INLINE uint32_t divide_u32(uint32_t a, uint32_t b)
{
    double quotient = (double)a / (b ? (double)b : 1.0);
    uint32_t whole = (uint32_t)(int32_t)(__builtin_floor(quotient) - 2147483648.0) ^ 0x80000000u;
    return b ? whole : 0xffffffffu;
}
LANES_INLINE int32_t divide_s32(int32_t a, int32_t b)
{
    uint32_t magnitude = divide_u32(a < 0 ? 0u - (uint32_t)a : (uint32_t)a, b < 0 ? 0u - (uint32_t)b : (uint32_t)b);
    return b ? (int32_t)((a ^ b) < 0 ? 0u - magnitude : magnitude) : -1;
}
LANES_INLINE uint64_t divide_u64(uint64_t a, uint64_t b) { return b ? a / b : ~(uint64_t)0; }
LANES_INLINE int64_t divide_s64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

LANES_INLINE int32_t clamp_s32(int64_t x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x; }

LANES_INLINE uint32_t reverse_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
LANES_INLINE uint64_t reverse_64(uint64_t x) { return (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32)); }

LANES_INLINE uint32_t leading_zeros_32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
LANES_INLINE uint32_t leading_zeros_64(uint64_t x) { return x ? (uint32_t)__builtin_clzll(x) : 64; }
LANES_INLINE uint32_t find_32(uint32_t x) { return 31u - leading_zeros_32(x); } /* 0xffffffff if no bit is set */
LANES_INLINE uint32_t find_64(uint64_t x) { return 63u - leading_zeros_64(x); }
LANES_INLINE uint32_t find_shift_32(uint32_t x) { return x ? leading_zeros_32(x) : 0xffffffffu; }
LANES_INLINE uint32_t find_shift_64(uint64_t x) { return x ? leading_zeros_64(x) : 0xffffffffu; }

/* The lowest `length` bits set; length may be anything. */
LANES_INLINE uint32_t low_mask_32(uint32_t length) { return length < 32 ? (1u << (length & 31)) - 1 : 0xffffffffu; }
LANES_INLINE uint64_t low_mask_64(uint32_t length) { return length < 64 ? ((uint64_t)1 << (length & 63)) - 1 : ~(uint64_t)0; }

/* Bits [position, position + length) of a; a signed field repeats bit min(position + length - 1, msb). */
LANES_INLINE uint32_t extract_u32(uint32_t a, uint32_t b, uint32_t c)
{
    return shift_right_u32(a, b & 255) & low_mask_32(c & 255);
}
/* Position and length of the 64-bit forms count in full; those of the 32-bit forms are bytes (seen on compute capability 9.0). */
LANES_INLINE uint64_t extract_u64(uint64_t a, uint32_t b, uint32_t c)
{
    return shift_right_u64(a, b) & low_mask_64(c);
}
LANES_INLINE uint32_t extract_s32(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t position = b & 255, length = c & 255, last = position + length - 1;
    uint32_t sign = length ? 0u - (a >> (last < 31 ? last : 31) & 1) : 0;
    uint32_t left = position < 32 ? 32 - position : 0, field = low_mask_32(length < left ? length : left);
    return (shift_right_u32(a, position) & field) | (sign & ~field);
}
LANES_INLINE uint64_t extract_s64(uint64_t a, uint32_t b, uint32_t c)
{
    uint64_t position = b, length = c, last = position + length - 1;
    uint64_t sign = length ? (uint64_t)0 - (a >> (last < 63 ? last : 63) & 1) : 0;
    uint32_t left = position < 64 ? 64 - (uint32_t)position : 0;
    uint64_t field = low_mask_64(length < left ? (uint32_t)length : left);
    return (shift_right_u64(a, b) & field) | (sign & ~field);
}
LANES_INLINE uint32_t insert_32(uint32_t a, uint32_t b, uint32_t c, uint32_t e)
{
    uint32_t field = shift_left_32(low_mask_32(e & 255), c & 255);
    return (shift_left_32(a, c & 255) & field) | (b & ~field);
}
LANES_INLINE uint64_t insert_64(uint64_t a, uint64_t b, uint32_t c, uint32_t e)
{
    uint64_t field = shift_left_64(low_mask_64(e), c);
    return (shift_left_64(a, c) & field) | (b & ~field);
}

LANES_INLINE uint32_t extend_sign_32(uint32_t a, uint32_t width) /* width 0..32 */
{
    uint32_t sign = width ? 0u - (a >> ((width - 1) & 31) & 1) : 0, field = low_mask_32(width);
    return (a & field) | (sign & ~field);
}

/* Position of the |offset|-th set bit of mask, counted from bit `base` upward (offset > 0) or downward; 0: bit base itself. */
LANES_INLINE uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == INT32_MIN) /* its negative does not exist: hardware gives 0 */
        return 0;
    if (base > 31)
        return 0xffffffffu;
    if (offset == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    int step = offset < 0 ? -1 : 1;
    for (int position = (int)base; position >= 0 && position < 32; position += step)
        if ((mask >> position & 1) && --left == 0)
            return (uint32_t)position;
    return 0xffffffffu;
}

LANES_INLINE uint32_t look_up_3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (uint32_t k = 0; k < 8; k++)
        result |= (0u - (table >> k & 1)) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return result;
}

/* Byte permutation: each nibble of `selector` names a byte of the pair b:a (0-3 of a, 4-7 of b), bit 3 asks for its sign only. */
LANES_INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t pair = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t nibble = selector >> (4 * k) & 15, byte = (uint32_t)(pair >> (8 * (nibble & 7))) & 255;
        result |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
    }
    return result;
}
/* The named permutations of prmt: four selectors, chosen by the two lowest bits of c, packed 16 bits each. */
LANES_INLINE uint32_t permute_by(uint32_t a, uint32_t b, uint32_t c, uint64_t selectors)
{
    return permute(a, b, (uint32_t)(selectors >> (16 * (c & 3))) & 0xffff);
}

#define BYTE_u32(x, k) ((int32_t)(uint8_t)((x) >> (8 * (k))))
#define BYTE_s32(x, k) ((int32_t)(int8_t)((x) >> (8 * (k))))
#define HALF_u32(x, k) ((int64_t)(uint16_t)((x) >> (16 * (k))))
#define HALF_s32(x, k) ((int64_t)(int16_t)((x) >> (16 * (k))))

#define U32(name, expression) ALU(name, u32, u32, u32, u32, expression)
#define S32(name, expression) ALU(name, s32, s32, s32, s32, expression)
#define U64(name, expression) ALU(name, u64, u64, u64, u64, expression)
#define S64(name, expression) ALU(name, s64, s64, s64, s64, expression)
#define U16(name, expression) ALU(name, u32, u32, u32, u32, LOW_U16(expression))
#define S16(name, expression) ALU(name, s32, s32, s32, s32, LOW_S16(expression))
#define ANY(name, expression) U16(name##_b16, expression) U32(name##_b32, expression) U64(name##_b64, expression)

#define DP4A(A, B)                                                                                              \
    U32(dp4a_##A##_##B, c + (uint32_t)(BYTE_##A(a, 0) * BYTE_##B(b, 0) + BYTE_##A(a, 1) * BYTE_##B(b, 1)        \
                                       + BYTE_##A(a, 2) * BYTE_##B(b, 2) + BYTE_##A(a, 3) * BYTE_##B(b, 3)))
#define DP2A(A, B)                                                                                                          \
    U32(dp2a_lo_##A##_##B, c + (uint32_t)(HALF_##A(a, 0) * BYTE_##B(b, 0) + HALF_##A(a, 1) * BYTE_##B(b, 1)))               \
    U32(dp2a_hi_##A##_##B, c + (uint32_t)(HALF_##A(a, 0) * BYTE_##B(b, 2) + HALF_##A(a, 1) * BYTE_##B(b, 3)))

#define INTEGER_ALU                                                                                 \
    U32(mov_b32, a)                                                                                 \
    U64(mov_b64, a)                                                                                 \
    ANY(add, a + b)                                                                                 \
    ANY(sub, a - b)                                                                                 \
    ANY(and, a & b)                                                                                 \
    ANY(or, a | b)                                                                                  \
    ANY(xor, a ^ b)                                                                                 \
    ANY(not, ~a)                                                                                    \
    U16(cnot_b16, LOW_U16(a) == 0)                                                                  \
    U32(cnot_b32, a == 0)                                                                           \
    U64(cnot_b64, a == 0)                                                                           \
    U32(lop3_b32, look_up_3(a, b, c, e))                                                            \
    U32(add3_b32, a + b + c)                                                                        \
    S32(add_sat_s32, clamp_s32((int64_t)a + b))                                                     \
    S32(sub_sat_s32, clamp_s32((int64_t)a - b))                                                     \
    /* negation, magnitude, extremes */                                                             \
    S16(neg_s16, 0u - (uint32_t)a)                                                                  \
    U32(neg_s32, 0u - a)                                                                            \
    U64(neg_s64, 0u - a)                                                                            \
    S16(abs_s16, LOW_S16(a) < 0 ? -LOW_S16(a) : LOW_S16(a))                                         \
    U32(abs_s32, (int32_t)a < 0 ? 0u - a : a)                                                       \
    U64(abs_s64, (int64_t)a < 0 ? 0u - a : a)                                                       \
    U16(min_u16, LOW_U16(a) < LOW_U16(b) ? a : b)                                                   \
    S16(min_s16, LOW_S16(a) < LOW_S16(b) ? a : b)                                                   \
    U32(min_u32, a < b ? a : b)                                                                     \
    S32(min_s32, a < b ? a : b)                                                                     \
    U64(min_u64, a < b ? a : b)                                                                     \
    S64(min_s64, a < b ? a : b)                                                                     \
    U16(max_u16, LOW_U16(a) > LOW_U16(b) ? a : b)                                                   \
    S16(max_s16, LOW_S16(a) > LOW_S16(b) ? a : b)                                                   \
    U32(max_u32, a > b ? a : b)                                                                     \
    S32(max_s32, a > b ? a : b)                                                                     \
    U64(max_u64, a > b ? a : b)                                                                     \
    S64(max_s64, a > b ? a : b)                                                                     \
    U16(sad_u16, c + (LOW_U16(a) > LOW_U16(b) ? a - b : b - a))                                     \
    S16(sad_s16, (uint32_t)c + (uint32_t)(LOW_S16(a) > LOW_S16(b) ? LOW_S16(a) - LOW_S16(b) : LOW_S16(b) - LOW_S16(a))) \
    U32(sad_u32, c + (a > b ? a - b : b - a))                                                       \
    U32(sad_s32, c + ((int32_t)a > (int32_t)b ? a - b : b - a))                                     \
    U64(sad_u64, c + (a > b ? a - b : b - a))                                                       \
    U64(sad_s64, c + ((int64_t)a > (int64_t)b ? a - b : b - a))                                     \
    /* products */                                                                                  \
    ANY(mul_lo, a * b)                                                                              \
    ANY(mad_lo, a * b + c)                                                                          \
    U16(mul_hi_u16, (LOW_U16(a) * LOW_U16(b)) >> 16)                                                \
    S16(mul_hi_s16, (LOW_S16(a) * LOW_S16(b)) >> 16)                                                \
    U32(mul_hi_u32, high_u32(a, b))                                                                 \
    U32(mul_hi_s32, high_s32((int32_t)a, (int32_t)b))                                               \
    U64(mul_hi_u64, high_u64(a, b))                                                                 \
    U64(mul_hi_s64, high_s64((int64_t)a, (int64_t)b))                                               \
    U16(mad_hi_u16, ((LOW_U16(a) * LOW_U16(b)) >> 16) + c)                                          \
    S16(mad_hi_s16, (uint32_t)((LOW_S16(a) * LOW_S16(b)) >> 16) + (uint32_t)c)                      \
    U32(mad_hi_u32, high_u32(a, b) + c)                                                             \
    U32(mad_hi_s32, high_s32((int32_t)a, (int32_t)b) + c)                                           \
    U64(mad_hi_u64, high_u64(a, b) + c)                                                             \
    U64(mad_hi_s64, high_s64((int64_t)a, (int64_t)b) + c)                                           \
    S32(mad_hi_sat_s32, clamp_s32((int64_t)(int32_t)high_s32(a, b) + c))                            \
    U32(mul_wide_u16, LOW_U16(a) * LOW_U16(b))                                                      \
    S32(mul_wide_s16, LOW_S16(a) * LOW_S16(b))                                                      \
    U32(mad_wide_u16, LOW_U16(a) * LOW_U16(b) + c)                                                  \
    U32(mad_wide_s16, (uint32_t)(LOW_S16(a) * LOW_S16(b)) + c)                                      \
    ALU(mul_wide_u32, u64, u32, u32, u64, (uint64_t)a * b)                                          \
    ALU(mul_wide_s32, s64, s32, s32, s64, (int64_t)a * b)                                           \
    ALU(mad_wide_u32, u64, u32, u32, u64, (uint64_t)a * b + c)                                      \
    ALU(mad_wide_s32, u64, s32, s32, u64, (uint64_t)((int64_t)a * b) + c)                           \
    U32(mul24_lo_u32, (uint32_t)(low_u24(a) * low_u24(b)))                                          \
    U32(mul24_lo_s32, (uint32_t)(low_s24(a) * low_s24(b)))                                          \
    U32(mul24_hi_u32, (uint32_t)(low_u24(a) * low_u24(b) >> 16))                                    \
    U32(mul24_hi_s32, (uint32_t)(low_s24(a) * low_s24(b) >> 16))                                    \
    U32(mad24_lo_u32, (uint32_t)(low_u24(a) * low_u24(b)) + c)                                      \
    U32(mad24_lo_s32, (uint32_t)(low_s24(a) * low_s24(b)) + c)                                      \
    U32(mad24_hi_u32, (uint32_t)(low_u24(a) * low_u24(b) >> 16) + c)                                \
    U32(mad24_hi_s32, (uint32_t)(low_s24(a) * low_s24(b) >> 16) + c)                                \
    S32(mad24_hi_sat_s32, clamp_s32((int64_t)(int32_t)(low_s24((uint32_t)a) * low_s24((uint32_t)b) >> 16) + c)) \
    DP4A(u32, u32) DP4A(u32, s32) DP4A(s32, u32) DP4A(s32, s32)                                     \
    DP2A(u32, u32) DP2A(u32, s32) DP2A(s32, u32) DP2A(s32, s32)                                     \
    /* quotients and remainders */                                                                  \
    U16(div_u16, divide_u32(LOW_U16(a), LOW_U16(b)))                                                \
    S16(div_s16, divide_s32(LOW_S16(a), LOW_S16(b)))                                                \
    U32(div_u32, divide_u32(a, b))                                                                  \
    S32(div_s32, divide_s32(a, b))                                                                  \
    U64(div_u64, divide_u64(a, b))                                                                  \
    S64(div_s64, divide_s64(a, b))                                                                  \
    U16(rem_u16, LOW_U16(b) ? LOW_U16(a) - LOW_U16(b) * divide_u32(LOW_U16(a), LOW_U16(b)) : ~0u)                               \
    S16(rem_s16, LOW_S16(b) ? LOW_S16(a) - LOW_S16(b) * divide_s32(LOW_S16(a), LOW_S16(b)) : -1)                      \
    U32(rem_u32, b ? a - b * divide_u32(a, b) : ~0u)                                                          \
    U32(rem_s32, b ? a - b * (uint32_t)divide_s32((int32_t)a, (int32_t)b) : ~0u)                              \
    U64(rem_u64, b ? a - b * divide_u64(a, b) : ~(uint64_t)0)                                                          \
    U64(rem_s64, b ? a - b * (uint64_t)divide_s64((int64_t)a, (int64_t)b) : ~(uint64_t)0)                              \
    /* shifts */                                                                                    \
    U16(shl_b16, shift_left_32(LOW_U16(a), b))                                                      \
    U32(shl_b32, shift_left_32(a, b))                                                               \
    ALU(shl_b64, u64, u64, u32, u64, shift_left_64(a, b))                                           \
    U16(shr_u16, shift_right_u32(LOW_U16(a), b))                                                    \
    S16(shr_s16, shift_right_s32(LOW_S16(a), (uint32_t)b))                                          \
    U32(shr_u32, shift_right_u32(a, b))                                                             \
    S32(shr_s32, shift_right_s32(a, (uint32_t)b))                                                   \
    ALU(shr_u64, u64, u64, u32, u64, shift_right_u64(a, b))                                         \
    ALU(shr_s64, s64, s64, u32, u64, shift_right_s64(a, b))                                         \
    U32(shf_l_clamp_b32, (uint32_t)(((uint64_t)b << 32 | a) << (c < 32 ? c : 32) >> 32))            \
    U32(shf_l_wrap_b32, (uint32_t)(((uint64_t)b << 32 | a) << (c & 31) >> 32))                      \
    U32(shf_r_clamp_b32, (uint32_t)(((uint64_t)b << 32 | a) >> (c < 32 ? c : 32)))                  \
    U32(shf_r_wrap_b32, (uint32_t)(((uint64_t)b << 32 | a) >> (c & 31)))                            \
    /* bits */                                                                                      \
    U32(popc_b32, (uint32_t)__builtin_popcount(a))                                                  \
    ALU(popc_b64, u32, u64, u64, u64, (uint32_t)__builtin_popcountll(a))                            \
    U32(clz_b32, leading_zeros_32(a))                                                               \
    ALU(clz_b64, u32, u64, u64, u64, leading_zeros_64(a))                                           \
    U32(bfind_u32, find_32(a))                                                                      \
    U32(bfind_s32, find_32((int32_t)a < 0 ? ~a : a))                                                \
    ALU(bfind_u64, u32, u64, u64, u64, find_64(a))                                                  \
    ALU(bfind_s64, u32, u64, u64, u64, find_64((int64_t)a < 0 ? ~a : a))                            \
    U32(bfind_shiftamt_u32, find_shift_32(a))                                                       \
    U32(bfind_shiftamt_s32, find_shift_32((int32_t)a < 0 ? ~a : a))                                 \
    ALU(bfind_shiftamt_u64, u32, u64, u64, u64, find_shift_64(a))                                   \
    ALU(bfind_shiftamt_s64, u32, u64, u64, u64, find_shift_64((int64_t)a < 0 ? ~a : a))             \
    U32(brev_b32, reverse_32(a))                                                                    \
    U64(brev_b64, reverse_64(a))                                                                    \
    U32(fns_b32, nth_set(a, b, (int32_t)c))                                                         \
    U32(bfe_u32, extract_u32(a, b, c))                                                              \
    U32(bfe_s32, extract_s32(a, b, c))                                                              \
    ALU(bfe_u64, u64, u64, u32, u32, extract_u64(a, b, c))                                          \
    ALU(bfe_s64, u64, u64, u32, u32, extract_s64(a, b, c))                                          \
    U32(bfi_b32, insert_32(a, b, c, e))                                                             \
    ALU(bfi_b64, u64, u64, u64, u32, insert_64(a, b, c, e))                                         \
    U32(bmsk_clamp_b32, shift_left_32(low_mask_32(b), a))                                           \
    U32(bmsk_wrap_b32, shift_left_32(low_mask_32(b & 31), a & 31))                                  \
    U32(szext_clamp_u32, a & low_mask_32(b))                                                        \
    U32(szext_wrap_u32, a & low_mask_32(b & 31))                                                    \
    U32(szext_clamp_s32, extend_sign_32(a, b < 32 ? b : 32))                                        \
    U32(szext_wrap_s32, extend_sign_32(a, b & 31))                                                  \
    U32(prmt_b32, permute(a, b, c))                                                                 \
    U32(prmt_f4e_b32, permute_by(a, b, c, 0x6543543243213210u))                                     \
    U32(prmt_b4e_b32, permute_by(a, b, c, 0x0123701267015670u))                                     \
    U32(prmt_rc8_b32, permute_by(a, b, c, 0x3333222211110000u))                                     \
    U32(prmt_ecl_b32, permute_by(a, b, c, 0x3333322232113210u))                                     \
    U32(prmt_ecr_b32, permute_by(a, b, c, 0x3210221011100000u))                                     \
    U32(prmt_rc16_b32, permute_by(a, b, c, 0x3232101032321010u))                                    \
    /* selection by sign, packing of pairs */                                                       \
    U32(slct_b32_s32, (int32_t)c >= 0 ? a : b)                                                      \
    ALU(slct_b32_f32, u32, u32, u32, f32, c >= 0.0f ? a : b)                                        \
    ALU(slct_b64_s32, u64, u64, u64, s32, c >= 0 ? a : b)                                           \
    ALU(slct_b64_f32, u64, u64, u64, f32, c >= 0.0f ? a : b)                                        \
    ALU(pack_b64, u64, u32, u32, u32, (uint64_t)b << 32 | a)                                        \
    U32(pack_b32, LOW_U16(b) << 16 | LOW_U16(a))                                                    \
    U32(pack_b16, (b & 255) << 8 | (a & 255))                                                       \
    ALU(low_b64, u32, u64, u64, u64, (uint32_t)a)                                                   \
    ALU(high_b64, u32, u64, u64, u64, (uint32_t)(a >> 32))                                          \
    U32(low_b32, LOW_U16(a))                                                                        \
    U32(high_b32, a >> 16)                                                                          \
    U32(byte_b32, shift_right_u32(a, b) & 255)

#define COMPARE_ORDER(T, L, cast)                                                                   \
    COMPARE(eq_##T, L, cast(a) == cast(b)) COMPARE(ne_##T, L, cast(a) != cast(b))                   \
    COMPARE(lt_##T, L, cast(a) < cast(b)) COMPARE(le_##T, L, cast(a) <= cast(b))                    \
    COMPARE(gt_##T, L, cast(a) > cast(b)) COMPARE(ge_##T, L, cast(a) >= cast(b))
#define AS_IS(x) (x)
#define INTEGER_COMPARE                                                                             \
    COMPARE_ORDER(u16, u32, LOW_U16) COMPARE_ORDER(s16, s32, LOW_S16)                               \
    COMPARE_ORDER(u32, u32, AS_IS) COMPARE_ORDER(s32, s32, AS_IS)                                   \
    COMPARE_ORDER(u64, u64, AS_IS) COMPARE_ORDER(s64, s64, AS_IS)

/* Carry chains. CC.CF is the adder's carry: a subtraction adds the complement, so it leaves and takes the opposite of a borrow. */
#define ADD_WITH(T, x, y, z)                                                                        \
    { lane_##T sum = (x) + (y); carry = sum < (x); result = sum + (z); carry |= result < sum; }
#define SUB_WITH(T, x, y, z)                                                                        \
    { lane_##T rest = (x) - (y); result = rest - (z); carry = (x) >= (y) && rest >= (lane_##T)(z); }
#define CARRY_WIDTH(B, T, S, W)                                                                     \
    CARRY(add_##B, T, ADD_WITH(T, a, b, 0)) CARRY(addc_##B, T, ADD_WITH(T, a, b, in))               \
    CARRY(sub_##B, T, SUB_WITH(T, a, b, 0)) CARRY(subc_##B, T, SUB_WITH(T, a, b, !in))              \
    CARRY(mad_lo_##B, T, lane_##T p = a * b; ADD_WITH(T, p, c, 0))                                  \
    CARRY(madc_lo_##B, T, lane_##T p = a * b; ADD_WITH(T, p, c, in))                                \
    CARRY(mad_hi_##T, T, lane_##T p = high_##T(a, b); ADD_WITH(T, p, c, 0))                         \
    CARRY(madc_hi_##T, T, lane_##T p = high_##T(a, b); ADD_WITH(T, p, c, in))                       \
    CARRY(mad_hi_##S, T, lane_##T p = high_##S((lane_##S)a, (lane_##S)b); ADD_WITH(T, p, c, 0))     \
    CARRY(madc_hi_##S, T, lane_##T p = high_##S((lane_##S)a, (lane_##S)b); ADD_WITH(T, p, c, in))
#define CARRY_LIST CARRY_WIDTH(b32, u32, s32, 64) CARRY_WIDTH(b64, u64, s64, 128)

#endif
