/* Conversions: cvt_<destination>_<source>, with `sat` for saturation and rni, rzi, rmi, rpi for the rounding to an integer. */
#ifndef ARCHDEF_LANES_CONVERT_H
#define ARCHDEF_LANES_CONVERT_H

/* For each integer type: the lanes that hold it, its C type, its limits. */
#define HOLDER_u8 u32
#define HOLDER_s8 s32
#define HOLDER_u16 u32
#define HOLDER_s16 s32
#define HOLDER_u32 u32
#define HOLDER_s32 s32
#define HOLDER_u64 u64
#define HOLDER_s64 s64
#define C_u8 uint8_t
#define C_s8 int8_t
#define C_u16 uint16_t
#define C_s16 int16_t
#define C_u32 uint32_t
#define C_s32 int32_t
#define C_u64 uint64_t
#define C_s64 int64_t

/* Float to integer: `x` is a whole number already. A NaN gives 0, but the lowest signed value (or its bits) where the source or
 * the destination has 64 bits. */
LANES_INLINE int32_t whole_s32(double x, double low, double high, int32_t nan)
{
    double clamped = x < low ? low : x > high ? high : x;
    return x == x ? (int32_t)(clamped == clamped ? clamped : 0.0) : nan;
}
LANES_INLINE uint32_t whole_u32(double x, uint32_t nan)
{
    double clamped = x > 0.0 ? (x < 4294967295.0 ? x : 4294967295.0) : 0.0;
    uint32_t value = (uint32_t)(int32_t)(clamped - 2147483648.0) ^ 0x80000000u;
    return x == x ? value : nan;
}
LANES_INLINE int64_t whole_s64(double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : x > 0.0 ? INT64_MAX : INT64_MIN;
}
LANES_INLINE uint64_t whole_u64(double x)
{
    if (x != x)
        return (uint64_t)1 << 63;
    return x > 0.0 ? (x < 0x1p64 ? (uint64_t)x : UINT64_MAX) : 0;
}

/* NaNs that leave double precision keep their sign and the upper bits of their payload, made quiet. */
LANES_INLINE float double_to_float(double x)
{
    uint64_t bits = bits_f64(x);
    uint32_t nan = (uint32_t)(bits >> 32) & 0x80000000u | 0x7fc00000u | ((uint32_t)(bits >> 29) & 0x7fffffu);
    return x == x ? (float)x : float_of(nan);
}
/* Round to f16 (10 bits of fraction, bias 15) or bf16 (7, 127); rounding as in fpenv: 0 nearest even, 1 toward zero, 2 down, 3 up.
 * `relu` takes what is below zero to +0; `finite` takes what is too large to the largest number. */
LANES_INLINE uint32_t round_small(double x, int rounding, int fraction, int bias, int relu, int finite)
{
    uint64_t bits = bits_f64(x), magnitude = bits & 0x7fffffffffffffffu;
    uint32_t sign = (uint32_t)(bits >> 63), infinity = (2 * (uint32_t)bias + 1) << fraction, value;
    if (magnitude > 0x7ff0000000000000u)
        return 0x7fffu;
    if (relu && sign)
        return 0;
    int exponent = (int)(magnitude >> 52) - 1023;
    int away = rounding == (sign ? 2 : 3); /* directed away from zero */
    if (exponent > bias) {
        value = magnitude == 0x7ff0000000000000u || rounding == 0 || away ? infinity : infinity - 1;
    } else {
        uint64_t significand = (magnitude & 0xfffffffffffffu) | (magnitude >> 52 ? 1ull << 52 : 0);
        int least = 1 - bias, shift = 52 - fraction + (exponent >= least ? 0 : least - exponent);
        shift = shift > 60 ? 60 : shift;
        uint64_t kept = significand >> shift, lost = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
        kept += rounding == 0 ? lost > half || (lost == half && kept & 1) : away && lost;
        value = (uint32_t)kept + (exponent >= least ? (uint32_t)(exponent - least) << fraction : 0);
    }
    return sign << 15 | (finite && value == infinity ? infinity - 1 : value);
}
#define ROUND_f16(x, rounding, relu, finite) round_small(x, rounding, 10, 15, relu, finite)
#define ROUND_bf16(x, rounding, relu, finite) round_small(x, rounding, 7, 127, relu, finite)

/* A NaN that becomes a 16-bit one from double precision keeps its sign and the upper bits of its payload, made quiet. */
LANES_INLINE uint32_t nan_to_small(double x, int fraction, int bias)
{
    uint64_t bits = bits_f64(x);
    uint32_t infinity = (2 * (uint32_t)bias + 1) << fraction, payload = (uint32_t)(bits >> (52 - fraction)) & ((1u << fraction) - 1);
    return ((uint32_t)(bits >> 48) & 0x8000u) | infinity | 1u << (fraction - 1) | payload;
}
#define NAN_f16(x) nan_to_small(x, 10, 15)
#define NAN_bf16(x) nan_to_small(x, 7, 127)

/* tf32: f32 whose 13 lowest bits are 0; rounding 0 nearest even, 1 toward zero, 4 nearest, ties away from zero. NaNs as compute
 * capability 9.0 gives them: canonical, but cut (and one unit less, if finite) where ties go away from zero. */
LANES_INLINE uint32_t round_tf32(float x, int rounding, int relu, int finite)
{
    uint32_t bits = bits_f32(x), half = rounding == 4 ? 0x1000u : rounding == 0 ? 0xfffu + (bits >> 13 & 1) : 0;
    uint32_t nan = rounding != 4 ? 0x7fffe000u : (bits & 0xffffe000u) - (finite ? 0x2000u : 0);
    uint32_t value = x == x ? ((bits & 0x7fffffffu) < 0x7f800000u ? bits + half : bits) & 0xffffe000u : nan;
    value = finite && x == x && (value & 0x7fffffffu) == 0x7f800000u ? (value & 0x80000000u) | 0x7f7fe000u : value;
    return relu && x == x && value >> 31 ? 0 : value;
}

/* A 64-bit integer as a double whose last bit stands for all the bits lost: as good as exact for a rounding to 11 bits or fewer. */
LANES_INLINE double sticky_u64(uint64_t x) { return x >> 53 ? (double)(int64_t)(x >> 11 | ((x & 0x7ff) != 0)) * 2048.0 : (double)(int64_t)x; }
LANES_INLINE double sticky_s64(int64_t x) { return x < 0 ? -sticky_u64(0 - (uint64_t)x) : sticky_u64((uint64_t)x); }

/* Integer to integer: the source read as its type, then cut to, or clamped into, the destination. */
#define CVT_INT(D, S) CVT_INT_(D, S, HOLDER_##D, HOLDER_##S)
#define CVT_INT_(D, S, HD, HS) CVT_INT__(D, S, HD, HS)
#define CVT_INT__(D, S, HD, HS) ALU(cvt_##D##_##S, HD, HS, HS, HS, (C_##D)(C_##S)a)
#define CVT_SAT(D, S, low, high) CVT_SAT_(D, S, HOLDER_##D, HOLDER_##S, low, high)
#define CVT_SAT_(D, S, HD, HS, low, high) CVT_SAT__(D, S, HD, HS, low, high)
#define CVT_SAT__(D, S, HD, HS, low, high)                                                                        \
    ALU(cvt_sat_##D##_##S, HD, HS, HS, HS,                                                                        \
        (__int128)(C_##S)a < (__int128)(low) ? (C_##D)(low)                                                       \
        : (__int128)(C_##S)a > (__int128)(high) ? (C_##D)(high) : (C_##D)(C_##S)a)
#define FROM_EACH_INT(M, ...)                                                                                      \
    M(u8, __VA_ARGS__) M(s8, __VA_ARGS__) M(u16, __VA_ARGS__) M(s16, __VA_ARGS__)                                  \
    M(u32, __VA_ARGS__) M(s32, __VA_ARGS__) M(u64, __VA_ARGS__) M(s64, __VA_ARGS__)
#define CVT_BOTH(S, D, low, high) CVT_INT(D, S) CVT_SAT(D, S, low, high)

/* Integer to float: one rounding, in the direction of the environment. */
#define CVT_FLOAT(S, D) CVT_FLOAT_(S, D, HOLDER_##S)
#define CVT_FLOAT_(S, D, HS) CVT_FLOAT__(S, D, HS)
#define CVT_FLOAT__(S, D, HS) ALU(cvt_##D##_##S, D, HS, HS, HS, (lane_##D)(C_##S)a)
/* Integer to f16 and bf16: exact in double precision, or sticky, so one rounding. */
#define CVT_SMALL(S, mode, rounding, T) CVT_SMALL_(S, mode, rounding, T, HOLDER_##S)
#define CVT_SMALL_(S, mode, rounding, T, HS) CVT_SMALL__(S, mode, rounding, T, HS)
#define CVT_SMALL__(S, mode, rounding, T, HS)                                                                      \
    ALU(cvt_##mode##_##T##_##S, u32, HS, HS, HS, ROUND_##T((double)(C_##S)a, rounding, 0, 0))

/* Float to integer by one rounding. Narrow and 32-bit results from f32 take NaN to 0, from f64 to the lowest signed value. */
#define CVT_WHOLE(mode, round, S, N)                                                                               \
    ALU(cvt_##mode##_u8_##S, u32, S, S, S, (uint32_t)whole_s32(round((double)a), 0.0, 255.0, N ? 0x80 : 0))         \
    ALU(cvt_##mode##_s8_##S, s32, S, S, S, whole_s32(round((double)a), -128.0, 127.0, N ? -128 : 0))                \
    ALU(cvt_##mode##_u16_##S, u32, S, S, S, (uint32_t)whole_s32(round((double)a), 0.0, 65535.0, N ? 0x8000 : 0))    \
    ALU(cvt_##mode##_s16_##S, s32, S, S, S, whole_s32(round((double)a), -32768.0, 32767.0, N ? -32768 : 0))         \
    ALU(cvt_##mode##_u32_##S, u32, S, S, S, whole_u32(round((double)a), N ? 0x80000000u : 0))                       \
    ALU(cvt_##mode##_s32_##S, s32, S, S, S, whole_s32(round((double)a), -2147483648.0, 2147483647.0, N ? INT32_MIN : 0)) \
    ALU(cvt_##mode##_u64_##S, u64, S, S, S, whole_u64(round((double)a)))                                           \
    ALU(cvt_##mode##_s64_##S, s64, S, S, S, whole_s64(round((double)a)))
#define WHOLE_MODE(mode, round, roundf)                                                                            \
    CVT_WHOLE(mode, round, f32, 0) CVT_WHOLE(mode, round, f64, 1)                                                  \
    F32(mode##_f32, canonical(roundf(a)))                                                                          \
    F32(mode##_ftz_f32, canonical(roundf(flush(a))))                                                               \
    F64(mode##_f64, propagate(round(a), a, 0.0, 0.0))
#define SMALL_FORM(mode, rounding, T, relu, finite)                                                                \
    ALU(cvt_##mode##_##T##_f32, u32, f32, f32, f32, ROUND_##T((double)a, rounding, relu, finite))                   \
    ALU(cvt_##mode##_##T##x2_f32, u32, f32, f32, f32,                                                              \
        ROUND_##T((double)a, rounding, relu, finite) << 16 | ROUND_##T((double)b, rounding, relu, finite))
#define SMALL_FORMS(mode, rounding, T)                                                                             \
    SMALL_FORM(mode##_relu, rounding, T, 1, 0) SMALL_FORM(mode##_satfinite, rounding, T, 0, 1)                      \
    SMALL_FORM(mode##_relu_satfinite, rounding, T, 1, 1)
#define SMALL_MODE(mode, rounding, T)                                                                              \
    ALU(cvt_##mode##_##T##_f64, u32, f64, f64, f64, a == a ? ROUND_##T(a, rounding, 0, 0) : NAN_##T(a))             \
    CVT_SMALL(u8, mode, rounding, T) CVT_SMALL(s8, mode, rounding, T) CVT_SMALL(u16, mode, rounding, T)            \
    CVT_SMALL(s16, mode, rounding, T) CVT_SMALL(u32, mode, rounding, T) CVT_SMALL(s32, mode, rounding, T)          \
    ALU(cvt_##mode##_##T##_u64, u32, u64, u64, u64, ROUND_##T(sticky_u64(a), rounding, 0, 0))                       \
    ALU(cvt_##mode##_##T##_s64, u32, s64, s64, s64, ROUND_##T(sticky_s64(a), rounding, 0, 0))
#define SMALL_NEAREST(T, round)                                                                                    \
    ALU(cvt_rn_##T##_f32, u32, f32, f32, f32, round(a))                                                            \
    ALU(cvt_rn_##T##x2_f32, u32, f32, f32, f32, round(a) << 16 | round(b))                                         \
    SMALL_FORMS(rn, 0, T) SMALL_FORMS(rz, 1, T)                                                                    \
    SMALL_FORM(rz, 1, T, 0, 0) SMALL_FORM(rm, 2, T, 0, 0) SMALL_FORM(rp, 3, T, 0, 0)                               \
    SMALL_MODE(rn, 0, T) SMALL_MODE(rz, 1, T) SMALL_MODE(rm, 2, T) SMALL_MODE(rp, 3, T)
#define TF32_FORM(mode, rounding)                                                                                  \
    ALU(cvt_##mode##_tf32_f32, u32, f32, f32, f32, round_tf32(a, rounding, 0, 0))                                   \
    ALU(cvt_##mode##_relu_tf32_f32, u32, f32, f32, f32, round_tf32(a, rounding, 1, 0))                              \
    ALU(cvt_##mode##_satfinite_tf32_f32, u32, f32, f32, f32, round_tf32(a, rounding, 0, 1))                         \
    ALU(cvt_##mode##_relu_satfinite_tf32_f32, u32, f32, f32, f32, round_tf32(a, rounding, 1, 1))

/* cvt.pack: two saturated integers, the second lowest, below a shifted third operand. */
#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define CVT_PACK(T, bits, low, high)                                                                               \
    ALU(cvt_pack_##T, u32, s32, s32, u32, (uint32_t)((uint64_t)c << 2 * bits)                                      \
        | ((uint32_t)CLAMP(a, low, high) & ((1u << bits) - 1)) << bits | ((uint32_t)CLAMP(b, low, high) & ((1u << bits) - 1)))

#define CONVERT_ALU                                                                                                \
    FROM_EACH_INT(CVT_BOTH, u8, 0, 255)                                                                            \
    FROM_EACH_INT(CVT_BOTH, s8, -128, 127)                                                                         \
    FROM_EACH_INT(CVT_BOTH, u16, 0, 65535)                                                                         \
    FROM_EACH_INT(CVT_BOTH, s16, -32768, 32767)                                                                    \
    FROM_EACH_INT(CVT_BOTH, u32, 0, UINT32_MAX)                                                                    \
    FROM_EACH_INT(CVT_BOTH, s32, INT32_MIN, INT32_MAX)                                                             \
    FROM_EACH_INT(CVT_BOTH, u64, 0, UINT64_MAX)                                                                    \
    FROM_EACH_INT(CVT_BOTH, s64, INT64_MIN, INT64_MAX)                                                             \
    FROM_EACH_INT(CVT_FLOAT, f32)                                                                                  \
    FROM_EACH_INT(CVT_FLOAT, f64)                                                                                  \
    WHOLE_MODE(rni, __builtin_rint, __builtin_rintf)                                                               \
    WHOLE_MODE(rzi, __builtin_trunc, __builtin_truncf)                                                             \
    WHOLE_MODE(rmi, __builtin_floor, __builtin_floorf)                                                             \
    WHOLE_MODE(rpi, __builtin_ceil, __builtin_ceilf)                                                               \
    ALU(cvt_f64_f32, f64, f32, f32, f32, propagate((double)a, (double)a, 0.0, 0.0))                                \
    ALU(cvt_ftz_f64_f32, f64, f32, f32, f32, (double)canonical(a))                                                 \
    ALU(cvt_f32_f64, f32, f64, f64, f64, double_to_float(a))                                                       \
    ALU(canonical_f16, u32, u32, u32, u32, (a & 0x7fffu) > 0x7c00u ? 0x7fffu : a & 0xffffu)                        \
    ALU(canonical_bf16, u32, u32, u32, u32, (a & 0x7fffu) > 0x7f80u ? 0x7fffu : a & 0xffffu)                       \
    ALU(cvt_f32_f16, f32, u32, u32, u32, half_to_float(a & 0xffffu))                                               \
    ALU(cvt_f64_f16, f64, u32, u32, u32, half_to_double(a & 0xffffu))                                              \
    ALU(cvt_f32_bf16, f32, u32, u32, u32, brain_to_float(a))                                                       \
    ALU(cvt_f64_bf16, f64, u32, u32, u32, propagate((double)brain_to_float(a), (double)brain_to_float(a), 0.0, 0.0)) \
    SMALL_NEAREST(f16, float_to_half) SMALL_NEAREST(bf16, float_to_brain)                                          \
    TF32_FORM(rn, 0) TF32_FORM(rz, 1) TF32_FORM(rna, 4)                                                            \
    CVT_PACK(s16, 16, -32768, 32767) CVT_PACK(u16, 16, 0, 65535)                                                   \
    CVT_PACK(s8, 8, -128, 127) CVT_PACK(u8, 8, 0, 255) CVT_PACK(s4, 4, -8, 7) CVT_PACK(u4, 4, 0, 15)               \
    CVT_PACK(s2, 2, -2, 1) CVT_PACK(u2, 2, 0, 3)

#endif
