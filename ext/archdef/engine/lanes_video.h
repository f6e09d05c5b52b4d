/* Video instructions. What is known before they run (parts, signs, saturation, second operation) comes as a fourth operand,
 * whose bits `archdef.lower.select.video` sets. */
#ifndef ARCHDEF_LANES_VIDEO_H
#define ARCHDEF_LANES_VIDEO_H

#define VIDEO_CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

/* Part 0: the word; 1 to 4: a byte; 5 and 6: a half. */
LANES_INLINE int64_t video_part(uint32_t x, uint32_t part, uint32_t is_signed)
{
    uint32_t shift = part == 0 ? 0 : part < 5 ? 8 * (part - 1) : 16 * (part - 5), width = part == 0 ? 32 : part < 5 ? 8 : 16;
    uint32_t cut = width == 32 ? x : (x >> shift) & ((1u << width) - 1);
    return is_signed ? (int64_t)cut - ((int64_t)(cut >> (width - 1)) << width) : (int64_t)cut;
}
/* Saturate to the destination's type and part, then add, pick, or merge. e: 0-2 part of a, 3-5 of b, 6-8 signs of a, b, d,
 * 9 saturate, 10-12 second operation (1 add, 2 minimum, 3 maximum, 4 merge), 13-15 part of d. */
LANES_INLINE uint32_t video_end(__int128 value, uint32_t c, uint32_t e)
{
    uint32_t second = e >> 10 & 7, part = e >> 13 & 7, width = part == 0 ? 32 : part < 5 ? 8 : 16;
    uint32_t shift = part == 0 ? 0 : part < 5 ? 8 * (part - 1) : 16 * (part - 5), mask = width == 32 ? ~0u : ((1u << width) - 1) << shift;
    int64_t with = e >> 8 & 1 ? (int64_t)(int32_t)c : (int64_t)c;
    if (e >> 9 & 1) {
        int64_t low = e >> 8 & 1 ? -((int64_t)1 << (width - 1)) : 0;
        value = VIDEO_CLAMP(value, low, low + (((int64_t)1 << width) - 1));
    }
    if (second == 2 || second == 3)
        value = (second == 2) == (value < with) ? value : with;
    if (second == 1)
        value += with;
    return second == 4 ? (c & ~mask) | ((uint32_t)value << shift & mask) : (uint32_t)value;
}
#define VIDEO_A video_part(a, e & 7, e >> 6 & 1)
#define VIDEO_B video_part(b, e >> 3 & 7, e >> 7 & 1)
LANES_INLINE int64_t video_distance(int64_t x, int64_t y) { return x < y ? y - x : x - y; }
/* Bit 22: the amount wraps; else it is 32 at most. */
LANES_INLINE int64_t video_amount(uint32_t b, uint32_t e)
{
    uint32_t amount = (uint32_t)video_part(b, e >> 3 & 7, 0);
    return e >> 22 & 1 ? amount & 31 : amount > 32 ? 32 : amount;
}
LANES_INLINE int video_holds(int64_t x, int64_t y, uint32_t how)
{
    return how == 0 ? x == y : how == 1 ? x != y : how == 2 ? x < y : how == 3 ? x <= y : how == 4 ? x > y : x >= y;
}
/* 16-18: a, b, c are negated; 19-20: shifted right by 0, 7 or 15; 21: plus one. */
LANES_INLINE uint32_t video_mad(uint32_t a, uint32_t b, uint32_t c, uint32_t e)
{
    int opposite = (e >> 16 ^ e >> 17) & 1, negated = e >> 18 & 1, is_signed = (e >> 6 | e >> 7) & 1 || opposite || negated;
    __int128 value = (__int128)VIDEO_A * VIDEO_B;
    int one = e >> 21 & 1;
    if (!one && opposite)
        value = -value;
    else if (!one && negated)
        c = ~c;
    value += (is_signed ? (int64_t)(int32_t)c : (int64_t)c) + (one || (negated && !opposite));
    value >>= (e >> 19 & 3) == 1 ? 7 : (e >> 19 & 3) == 2 ? 15 : 0;
    if (e >> 9 & 1) {
        int64_t low = is_signed ? INT32_MIN : 0;
        value = VIDEO_CLAMP(value, low, low + (int64_t)UINT32_MAX);
    }
    return (uint32_t)value;
}

/* Four bytes or two halves. e: 0-11 parts of the first source, three bits each, out of those of a and then b; 12-23 of the second;
 * 24-27 mask; 28 and 29 signs; 30-31: 1 saturate to unsigned, 2 to signed, 3 add all to c. */
LANES_INLINE int32_t video_element(uint32_t a, uint32_t b, uint32_t at, int width, uint32_t is_signed)
{
    uint32_t cut = (uint32_t)(((uint64_t)b << 32 | a) >> (at * width)) & ((1u << width) - 1);
    return is_signed ? (int32_t)cut - ((int32_t)(cut >> (width - 1)) << width) : (int32_t)cut;
}
LANES_INLINE int32_t video_average(int32_t x, int32_t y) { return (x + y + (x + y >= 0)) >> 1; }
LANES_INLINE uint32_t video_keep(uint32_t d, int32_t value, int k, int width, uint32_t e)
{
    uint32_t how = e >> 30, mask = ((1u << width) - 1) << (k * width);
    if (!(e >> (24 + k) & 1))
        return d;
    if (how == 3)
        return d + (uint32_t)value;
    if (how) {
        int32_t low = how == 2 ? -(1 << (width - 1)) : 0;
        value = VIDEO_CLAMP(value, low, low + (1 << width) - 1);
    }
    return (d & ~mask) | ((uint32_t)value << (k * width) & mask);
}
#define VIDEO_LANE(k, width, f)                                                                                      \
    d = video_keep(d, f(video_element(a, b, e >> 3 * k & 7, width, e >> 28 & 1), video_element(a, b, e >> (12 + 3 * k) & 7, width, e >> 29 & 1)), \
                   k, width, e);
#define VIDEO_LANES(name, f)                                                                                         \
    LANES_INLINE uint32_t video2_##name(uint32_t a, uint32_t b, uint32_t d, uint32_t e)                              \
    {                                                                                                                \
        VIDEO_LANE(0, 16, f) VIDEO_LANE(1, 16, f)                                                                    \
        return d;                                                                                                    \
    }                                                                                                                \
    LANES_INLINE uint32_t video4_##name(uint32_t a, uint32_t b, uint32_t d, uint32_t e)                              \
    {                                                                                                                \
        VIDEO_LANE(0, 8, f) VIDEO_LANE(1, 8, f) VIDEO_LANE(2, 8, f) VIDEO_LANE(3, 8, f)                              \
        return d;                                                                                                    \
    }
#define VIDEO_ADD(x, y) ((x) + (y))
#define VIDEO_SUB(x, y) ((x) - (y))
#define VIDEO_EQ(x, y) ((x) == (y))
#define VIDEO_NE(x, y) ((x) != (y))
#define VIDEO_LT(x, y) ((x) < (y))
#define VIDEO_LE(x, y) ((x) <= (y))
#define VIDEO_GT(x, y) ((x) > (y))
#define VIDEO_GE(x, y) ((x) >= (y))
LANES_INLINE int32_t video_least(int32_t x, int32_t y) { return x < y ? x : y; }
LANES_INLINE int32_t video_most(int32_t x, int32_t y) { return x < y ? y : x; }
LANES_INLINE int32_t video_apart(int32_t x, int32_t y) { return x < y ? y - x : x - y; }
VIDEO_LANES(vadd, VIDEO_ADD) VIDEO_LANES(vsub, VIDEO_SUB) VIDEO_LANES(vavrg, video_average) VIDEO_LANES(vabsdiff, video_apart)
VIDEO_LANES(vmin, video_least) VIDEO_LANES(vmax, video_most) VIDEO_LANES(vset_eq, VIDEO_EQ) VIDEO_LANES(vset_ne, VIDEO_NE)
VIDEO_LANES(vset_lt, VIDEO_LT) VIDEO_LANES(vset_le, VIDEO_LE) VIDEO_LANES(vset_gt, VIDEO_GT) VIDEO_LANES(vset_ge, VIDEO_GE)

#define VIDEO_ROWS(name) U32(video2_##name, video2_##name(a, b, c, e)) U32(video4_##name, video4_##name(a, b, c, e))
#define VIDEO_ALU                                                                                                    \
    U32(video_vadd, video_end(VIDEO_A + VIDEO_B, c, e)) U32(video_vsub, video_end(VIDEO_A - VIDEO_B, c, e))          \
    U32(video_vabsdiff, video_end(video_distance(VIDEO_A, VIDEO_B), c, e))                                           \
    U32(video_vmin, video_end(VIDEO_A < VIDEO_B ? VIDEO_A : VIDEO_B, c, e))                                          \
    U32(video_vmax, video_end(VIDEO_A < VIDEO_B ? VIDEO_B : VIDEO_A, c, e))                                          \
    U32(video_vshl, video_end((__int128)VIDEO_A * ((int64_t)1 << video_amount(b, e)), c, e))                         \
    U32(video_vshr, video_end(VIDEO_A >> video_amount(b, e), c, e))                                                  \
    U32(video_vset, video_end(video_holds(VIDEO_A, VIDEO_B, e >> 22 & 7), c, e)) U32(video_vmad, video_mad(a, b, c, e)) \
    VIDEO_ROWS(vadd) VIDEO_ROWS(vsub) VIDEO_ROWS(vavrg) VIDEO_ROWS(vabsdiff) VIDEO_ROWS(vmin) VIDEO_ROWS(vmax)       \
    VIDEO_ROWS(vset_eq) VIDEO_ROWS(vset_ne) VIDEO_ROWS(vset_lt) VIDEO_ROWS(vset_le) VIDEO_ROWS(vset_gt) VIDEO_ROWS(vset_ge)

#endif
