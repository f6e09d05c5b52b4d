/* Pairs of floats of 8, 6 and 4 bits, the first source in the upper half. NARROW(M): each format as
 * (name, bits of a half, fraction, bias, largest number, what a NaN becomes, what is a NaN: 0 nothing, 1 all ones, 2 as IEEE has it). */
#ifndef ARCHDEF_LANES_NARROW_H
#define ARCHDEF_LANES_NARROW_H

#define NARROW(M)                          \
    M(e4m3, 8, 3, 7, 0x7eu, 0x7fu, 1)      \
    M(e5m2, 8, 2, 15, 0x7bu, 0x7fu, 2)     \
    M(e2m3, 8, 3, 1, 0x1fu, 0x1fu, 0)      \
    M(e3m2, 8, 2, 3, 0x1fu, 0x1fu, 0)      \
    M(e2m1, 4, 1, 1, 0x7u, 0x7u, 0)

/* To the nearest, ties to even, and to the largest number where it is too large; `top` has all bits but the sign's within it. */
LANES_INLINE uint32_t round_narrow(float x, int fraction, int bias, uint32_t top, uint32_t nan, int relu)
{
    uint32_t bits = bits_f32(x), magnitude = bits & 0x7fffffffu, sign = bits >> 31, value;
    if (magnitude > 0x7f800000u)
        return nan;
    if (relu && sign)
        return 0;
    int exponent = (int)(magnitude >> 23) - 127, least = 1 - bias;
    if (exponent > 16) {
        value = top;
    } else {
        uint32_t significand = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 1u << 23 : 0);
        int shift = 23 - fraction + (exponent >= least ? 0 : least - exponent);
        shift = shift > 30 ? 30 : shift;
        uint32_t kept = significand >> shift, lost = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
        kept += lost > half || (lost == half && kept & 1);
        value = kept + (exponent >= least ? (uint32_t)(exponent - least) << fraction : 0);
        value = value > top ? top : value;
    }
    return value | sign * (top >= 0x40u ? 0x80u : top >= 0x10u ? 0x20u : 0x8u);
}

/* To f16, which holds every number of them. */
LANES_INLINE uint32_t widen_narrow(uint32_t x, int fraction, int bias, uint32_t top, int nans, int relu)
{
    uint32_t sign = x & (top >= 0x40u ? 0x80u : top >= 0x10u ? 0x20u : 0x8u), magnitude = x & (top >= 0x40u ? 0x7fu : top >= 0x10u ? 0x1fu : 0x7u);
    int exponent = (int)(magnitude >> fraction);
    if ((nans == 1 && magnitude == 0x7fu) || (nans == 2 && magnitude > 0x7cu))
        return 0x7fffu;
    if (relu && sign)
        return 0;
    if (nans == 2)
        return (sign | magnitude) << 8;
    uint32_t significand = (magnitude & ((1u << fraction) - 1)) | (exponent ? 1u << fraction : 0);
    float scale = float_of((uint32_t)(127 + (exponent ? exponent : 1) - bias - fraction) << 23);
    return float_to_half((float)significand * scale) | (sign ? 0x8000u : 0);
}

/* ue8m0: the exponent of a power of two that is no larger (no smaller, if `up`) than the magnitude; 0xff is a NaN. */
LANES_INLINE uint32_t round_exponent(float x, int up, int finite)
{
    uint32_t magnitude = bits_f32(x) & 0x7fffffffu, value = magnitude >> 23;
    if (magnitude > 0x7f800000u)
        return 0xffu;
    value += up && magnitude < 0x7f800000u && magnitude > 0x400000u && magnitude & 0x7fffffu;
    return finite && value == 0xffu ? 0xfeu : value;
}
LANES_INLINE uint32_t widen_exponent(uint32_t x) { return x == 0xffu ? 0x7fffu : x ? x << 7 : 0x40u; }

#define NARROW_HALF(x) half_to_float((x) & 0xffffu)
#define NARROW_FORM(relu, word, T, width, fraction, bias, top, nan, nans)                                            \
    ALU(cvt_rn##word##_##T##x2_f32, u32, f32, f32, f32, round_narrow(a, fraction, bias, top, nan, relu) << width      \
        | round_narrow(b, fraction, bias, top, nan, relu))                                                           \
    ALU(cvt_rn##word##_##T##x2_f16x2, u32, u32, u32, u32,                                                            \
        round_narrow(NARROW_HALF(a >> 16), fraction, bias, top, nan, relu) << width                                  \
        | round_narrow(NARROW_HALF(a), fraction, bias, top, nan, relu))                                              \
    ALU(cvt_rn##word##_f16x2_##T##x2, u32, u32, u32, u32, widen_narrow(a >> width, fraction, bias, top, nans, relu) << 16 \
        | widen_narrow(a, fraction, bias, top, nans, relu))
#define NARROW_PLAIN(...) NARROW_FORM(0, , __VA_ARGS__)
#define NARROW_RELU(...) NARROW_FORM(1, _relu, __VA_ARGS__)
#define EXPONENT_FORM(word, up, finite)                                                                              \
    ALU(cvt_##word##_ue8m0x2_f32, u32, f32, f32, f32, round_exponent(a, up, finite) << 8 | round_exponent(b, up, finite)) \
    ALU(cvt_##word##_ue8m0x2_bf16x2, u32, u32, u32, u32, round_exponent(float_of(a & 0xffff0000u), up, finite) << 8   \
        | round_exponent(float_of(a << 16), up, finite))

#define NARROW_ALU                                                                                                   \
    NARROW(NARROW_PLAIN) NARROW(NARROW_RELU)                                                                         \
    EXPONENT_FORM(rz, 0, 0) EXPONENT_FORM(rp, 1, 0) EXPONENT_FORM(rz_satfinite, 0, 1) EXPONENT_FORM(rp_satfinite, 1, 1) \
    ALU(cvt_rn_bf16x2_ue8m0x2, u32, u32, u32, u32, widen_exponent(a >> 8 & 255u) << 16 | widen_exponent(a & 255u))

#endif
