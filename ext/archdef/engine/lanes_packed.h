/* Integers packed into 32-bit lanes: pairs of 16 bits, and the video instruction that sums differences of four bytes. */
#ifndef ARCHDEF_LANES_PACKED_H
#define ARCHDEF_LANES_PACKED_H

#define LOWER(x, T) ((int32_t)(T)(x))
#define UPPER(x, T) ((int32_t)(T)((x) >> 16))
#define PAIR(low, high) (((uint32_t)(low) & 0xffffu) | (uint32_t)(high) << 16)
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y) ((x) > (y) ? (x) : (y))
#define PACKED_EXTREME(name, pick, T, C) \
    U32(name##_##T, PAIR(pick(LOWER(a, C), LOWER(b, C)), pick(UPPER(a, C), UPPER(b, C))))
#define PACKED_EXTREME_RELU(name, pick)                                                                    \
    U32(name##_relu_s16x2, PAIR(MOST(pick(LOWER(a, int16_t), LOWER(b, int16_t)), 0),                       \
                                MOST(pick(UPPER(a, int16_t), UPPER(b, int16_t)), 0)))                      \
    S32(name##_relu_s32, MOST(pick(a, b), 0))

/* vabsdiff4: |difference| of bytes, each read as its operand's type; put together, cut or saturated, or all added to c. */
LANES_INLINE uint32_t distance(int32_t x, int32_t y) { return (uint32_t)(x < y ? y - x : x - y); }
#define DISTANCE(A, B, k) distance(BYTE_##A(a, k), BYTE_##B(b, k))
#define BYTES(f, A, B) (f(DISTANCE(A, B, 0)) | f(DISTANCE(A, B, 1)) << 8 | f(DISTANCE(A, B, 2)) << 16 | f(DISTANCE(A, B, 3)) << 24)
#define CUT(x) ((x) & 255u)
#define UP_TO_255(x) LEAST(x, 255u)
#define UP_TO_127(x) LEAST(x, 127u)
#define VABSDIFF4(A, B)                                                                                     \
    U32(vabsdiff4_##A##_##B, BYTES(CUT, A, B))                                                              \
    U32(vabsdiff4_sat_u32_##A##_##B, BYTES(UP_TO_255, A, B))                                                \
    U32(vabsdiff4_sat_s32_##A##_##B, BYTES(UP_TO_127, A, B))                                                \
    U32(vabsdiff4_add_##A##_##B, c + DISTANCE(A, B, 0) + DISTANCE(A, B, 1) + DISTANCE(A, B, 2) + DISTANCE(A, B, 3))

#define PACKED_ALU                                                                                          \
    U32(add_b16x2, PAIR(a + b, (a >> 16) + (b >> 16)))                                                      \
    PACKED_EXTREME(min, LEAST, u16x2, uint16_t) PACKED_EXTREME(max, MOST, u16x2, uint16_t)                  \
    PACKED_EXTREME(min, LEAST, s16x2, int16_t) PACKED_EXTREME(max, MOST, s16x2, int16_t)                    \
    PACKED_EXTREME_RELU(min, LEAST) PACKED_EXTREME_RELU(max, MOST)                                          \
    VABSDIFF4(u32, u32) VABSDIFF4(u32, s32) VABSDIFF4(s32, u32) VABSDIFF4(s32, s32)

#endif
