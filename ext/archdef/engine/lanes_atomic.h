/* Read-modify-write on one memory element. `old`, `b` and `c` hold 32-bit values in their low half, and so does the result. */
#ifndef ARCHDEF_LANES_ATOMIC_H
#define ARCHDEF_LANES_ATOMIC_H

LANES_INLINE uint64_t atomic_sum_f32(uint64_t old, uint64_t b)
{
    return bits_f32(canonical(float_of((uint32_t)old) + float_of((uint32_t)b)));
}
/* Single-precision sums on global memory flush subnormal operands and results. */
LANES_INLINE uint64_t atomic_sum_ftz_f32(uint64_t old, uint64_t b)
{
    return bits_f32(flush(canonical(flush(float_of((uint32_t)old)) + flush(float_of((uint32_t)b)))));
}
LANES_INLINE uint64_t atomic_sum_f64(uint64_t old, uint64_t b)
{
    return bits_f64(propagate(double_of(old) + double_of(b), double_of(old), double_of(b), 0.0));
}
/* Global memory keeps a NaN as it is: it is not made quiet. */
LANES_INLINE uint64_t atomic_sum_raw_f64(uint64_t old, uint64_t b)
{
    return double_of(b) != double_of(b) ? b : double_of(old) != double_of(old) ? old : atomic_sum_f64(old, b);
}

/* 16-bit floats, and pairs of them: f of the low halves, f of the high ones. */
#define ATOMIC_SMALL(name, type, f)                                                                  \
    ATOMIC(name##_##type, f((uint32_t)old & 0xffffu, (uint32_t)b & 0xffffu, 0, PLAIN))               \
    ATOMIC(name##_##type##x2, f((uint32_t)old & 0xffffu, (uint32_t)b & 0xffffu, 0, PLAIN)            \
                                  | f((uint32_t)old >> 16, (uint32_t)b >> 16, 0, PLAIN) << 16)

#define ATOMIC_WIDTH(B, U, S)                                                                        \
    ATOMIC(add_b##B, (U)(old + b))                                                                   \
    ATOMIC(exch_b##B, (U)b)                                                                          \
    ATOMIC(cas_b##B, (U)old == (U)b ? (U)c : (U)old)                                                 \
    ATOMIC(and_b##B, (U)(old & b))                                                                   \
    ATOMIC(or_b##B, (U)(old | b))                                                                    \
    ATOMIC(xor_b##B, (U)(old ^ b))                                                                   \
    ATOMIC(min_u##B, (U)old < (U)b ? (U)old : (U)b)                                                  \
    ATOMIC(max_u##B, (U)old > (U)b ? (U)old : (U)b)                                                  \
    ATOMIC(min_s##B, (S)old < (S)b ? (U)old : (U)b)                                                  \
    ATOMIC(max_s##B, (S)old > (S)b ? (U)old : (U)b)

#define ATOMIC_LIST                                                                                  \
    ATOMIC_WIDTH(32, uint32_t, int32_t)                                                              \
    ATOMIC_WIDTH(64, uint64_t, int64_t)                                                              \
    ATOMIC(inc_u32, (uint32_t)old >= (uint32_t)b ? 0u : (uint32_t)old + 1u)                          \
    ATOMIC(dec_u32, (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? (uint32_t)b : (uint32_t)old - 1u) \
    ATOMIC(add_f32, atomic_sum_f32(old, b))                                                          \
    ATOMIC(add_ftz_f32, atomic_sum_ftz_f32(old, b))                                                  \
    ATOMIC(add_f64, atomic_sum_f64(old, b))                                                          \
    ATOMIC(add_raw_f64, atomic_sum_raw_f64(old, b))                                                  \
    ATOMIC(cas_b16, (uint16_t)old == (uint16_t)b ? (uint16_t)c : (uint16_t)old)                      \
    ATOMIC_SMALL(add, f16, add_half) ATOMIC_SMALL(min, f16, min_half) ATOMIC_SMALL(max, f16, max_half) \
    ATOMIC_SMALL(add, bf16, add_brain) ATOMIC_SMALL(min, bf16, min_brain) ATOMIC_SMALL(max, bf16, max_brain)

#endif
