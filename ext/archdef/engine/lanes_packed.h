/* Integers packed into 32-bit lanes: pairs of 16 bits. */
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

#define PACKED_ALU                                                                                          \
    U32(add_b16x2, PAIR(a + b, (a >> 16) + (b >> 16)))                                                      \
    PACKED_EXTREME(min, LEAST, u16x2, uint16_t) PACKED_EXTREME(max, MOST, u16x2, uint16_t)                  \
    PACKED_EXTREME(min, LEAST, s16x2, int16_t) PACKED_EXTREME(max, MOST, s16x2, int16_t)                    \
    PACKED_EXTREME_RELU(min, LEAST) PACKED_EXTREME_RELU(max, MOST)

#endif
