/* Conversions: cvt_<destination>_<source>, with `sat` for saturation and rni, rzi, rmi, rpi for the rounding to an integer. */
#ifndef ARCHDEF_LANES_CONVERT_H
#define ARCHDEF_LANES_CONVERT_H

/* For each PTX integer type: the lanes that hold it, its C type, its limits. */
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

LANES_INLINE float half_to_float(uint32_t h) /* exact */
{
    uint32_t sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
    float scaled = float_of(rest << 13) * 0x1p112f; /* the exponent bias moves by 112, which also normalises subnormals */
    uint32_t bits = rest < 0x7c00u ? bits_f32(scaled) : rest == 0x7c00u ? 0x7f800000u : 0x7fffffffu;
    return float_of(rest > 0x7c00u ? bits : bits | sign);
}
/* NaNs that meet double precision keep their sign and the upper bits of their payload, made quiet. */
LANES_INLINE double half_to_double(uint32_t h)
{
    uint64_t nan = (uint64_t)(h & 0x8000u) << 48 | 0x7ff8000000000000u | (uint64_t)(h & 0x3ffu) << 42;
    return (h & 0x7fffu) > 0x7c00u ? double_of(nan) : (double)half_to_float(h);
}
LANES_INLINE float double_to_float(double x)
{
    uint64_t bits = bits_f64(x);
    uint32_t nan = (uint32_t)(bits >> 32) & 0x80000000u | 0x7fc00000u | ((uint32_t)(bits >> 29) & 0x7fffffu);
    return x == x ? (float)x : float_of(nan);
}
LANES_INLINE uint32_t nan_to_half(double x)
{
    uint64_t bits = bits_f64(x);
    return (uint32_t)(bits >> 48) & 0x8000u | 0x7e00u | ((uint32_t)(bits >> 42) & 0x3ffu);
}
/* Round to half precision; a NaN is canonical; rounding as in fpenv: 0 nearest even, 1 toward zero, 2 down, 3 up. */
LANES_INLINE uint32_t double_to_half(double x, int rounding)
{
    uint64_t bits = bits_f64(x), magnitude = bits & 0x7fffffffffffffffu;
    uint32_t sign = (uint32_t)(bits >> 63);
    if (magnitude > 0x7ff0000000000000u)
        return 0x7fffu;
    int exponent = (int)(magnitude >> 52) - 1023;
    int away = rounding == (sign ? 2 : 3); /* directed away from zero */
    if (magnitude == 0x7ff0000000000000u)
        return sign << 15 | 0x7c00u;
    uint32_t value;
    if (exponent > 15) {
        value = rounding == 0 || away ? 0x7c00u : 0x7bffu;
    } else {
        uint64_t significand = (magnitude & 0xfffffffffffffu) | (magnitude >> 52 ? 1ull << 52 : 0);
        int shift = exponent >= -14 ? 42 : 42 + (-14 - exponent);
        shift = shift > 60 ? 60 : shift;
        uint64_t kept = significand >> shift, lost = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
        kept += rounding == 0 ? lost > half || (lost == half && kept & 1) : away && lost;
        value = (uint32_t)kept + (exponent >= -14 ? (uint32_t)(exponent + 14) << 10 : 0);
    }
    return sign << 15 | value;
}

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
/* Integer to half: exact in double precision wherever half precision does not overflow, so one rounding. */
#define CVT_HALF(S, mode, rounding) CVT_HALF_(S, mode, rounding, HOLDER_##S)
#define CVT_HALF_(S, mode, rounding, HS) CVT_HALF__(S, mode, rounding, HS)
#define CVT_HALF__(S, mode, rounding, HS) ALU(cvt_##mode##_f16_##S, u32, HS, HS, HS, double_to_half((double)(C_##S)a, rounding))

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
#define HALF_MODE(mode, rounding)                                                                                  \
    ALU(cvt_##mode##_f16_f32, u32, f32, f32, f32, double_to_half((double)a, rounding))                              \
    ALU(cvt_##mode##_f16_f64, u32, f64, f64, f64, a == a ? double_to_half(a, rounding) : nan_to_half(a))            \
    CVT_HALF(u8, mode, rounding) CVT_HALF(s8, mode, rounding) CVT_HALF(u16, mode, rounding)                        \
    CVT_HALF(s16, mode, rounding) CVT_HALF(u32, mode, rounding) CVT_HALF(s32, mode, rounding)                      \
    CVT_HALF(u64, mode, rounding) CVT_HALF(s64, mode, rounding)

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
    ALU(cvt_f32_f16, f32, u32, u32, u32, half_to_float(a & 0xffffu))                                               \
    ALU(cvt_f64_f16, f64, u32, u32, u32, half_to_double(a & 0xffffu))                                              \
    HALF_MODE(rn, 0) HALF_MODE(rz, 1) HALF_MODE(rm, 2) HALF_MODE(rp, 3)

#endif
