/* Arithmetic on 16-bit floating point: f16, bf16, and pairs of them in one 32-bit lane (f16x2, bf16x2).
 *
 * Values become f32 or f64, where the operation is exact or so close that one rounding to 16 bits gives the correctly rounded
 * result; each function says why. Every function here wants the environment at nearest even with subnormals kept: `ftz` is spelled
 * out. A result that is a NaN is the canonical 0x7fff. Scalars take the low 16 bits of their sources and are zero-extended.
 */
#ifndef ARCHDEF_LANES_HALF_H
#define ARCHDEF_LANES_HALF_H

enum { PLAIN = 0, FTZ = 1, SAT = 2, RELU = 4, NAN_WINS = 8, XOR_SIGN = 16 };

LANES_INLINE float half_to_float(uint32_t h) /* exact */
{
    uint32_t sign = (h & 0x8000u) << 16, rest = h & 0x7fffu;
    float scaled = float_of(rest << 13) * 0x1p112f; /* the exponent bias moves by 112, which also normalises subnormals */
    uint32_t bits = rest < 0x7c00u ? bits_f32(scaled) : rest == 0x7c00u ? 0x7f800000u : 0x7fffffffu;
    return float_of(rest > 0x7c00u ? bits : bits | sign);
}
/* NaNs that meet double precision keep their sign and their payload, made quiet. */
LANES_INLINE double half_to_double(uint32_t h)
{
    uint64_t nan = (uint64_t)(h & 0x8000u) << 48 | 0x7ff8000000000000u | (uint64_t)(h & 0x3ffu) << 42;
    return (h & 0x7fffu) > 0x7c00u ? double_of(nan) : (double)half_to_float(h);
}
LANES_INLINE float brain_to_float(uint32_t h) { return float_of(h << 16); } /* exact; NaNs keep their payload */

/* Nearest even, without branches so that loops vectorise. Normal results are rounded by an integer addition below the last kept bit,
 * subnormal ones by adding the power of two whose last place is the smallest subnormal. */
LANES_INLINE uint32_t float_to_half(float x)
{
    uint32_t bits = bits_f32(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t small = bits_f32(float_of(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t value = magnitude < 0x38800000u ? small : magnitude < 0x477ff000u ? normal : 0x7c00u;
    return magnitude > 0x7f800000u ? 0x7fffu : sign | value;
}
LANES_INLINE uint32_t float_to_brain(float x)
{
    uint32_t bits = bits_f32(x);
    return x == x ? (bits + 0x7fffu + (bits >> 16 & 1)) >> 16 : 0x7fffu;
}
LANES_INLINE uint32_t double_to_brain_nearest(double x)
{
    uint64_t bits = bits_f64(x), magnitude = bits & 0x7fffffffffffffffu;
    uint32_t sign = (uint32_t)(bits >> 48) & 0x8000u;
    uint32_t normal = (uint32_t)((magnitude + 0xfffffffffffu + (magnitude >> 45 & 1) - ((uint64_t)896 << 52)) >> 45);
    uint32_t small = (uint32_t)(bits_f64(double_of(magnitude) + 0x1p-81) - bits_f64(0x1p-81));
    uint32_t value = magnitude < bits_f64(0x1p-126) ? small : magnitude < bits_f64(0x1.ffp127) ? normal : 0x7f80u;
    return magnitude > 0x7ff0000000000000u ? 0x7fffu : sign | value;
}

LANES_INLINE uint32_t flush_half(uint32_t h, int mode) { return mode & FTZ && !(h & 0x7c00u) ? h & 0x8000u : h & 0xffffu; }
LANES_INLINE float clip_f32(float x, int mode)
{
    float low = mode & SAT ? (x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f) : x;
    return mode & RELU ? (low < 0.0f || low == 0.0f ? 0.0f : low) : low;
}
LANES_INLINE double clip_f64(double x, int mode)
{
    double low = mode & SAT ? (x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0) : x;
    return mode & RELU ? (low < 0.0 || low == 0.0 ? 0.0 : low) : low;
}

/* f16. A float has more than twice the bits of a half and two, so rounding a sum or product twice is rounding it once; results in
 * the subnormal range of f16 are exact in f32. */
LANES_INLINE uint32_t result_half(float x, int mode) /* flushed is what stays tiny when it is rounded with exponents to spare */
{
    float clipped = clip_f32(x, mode);
    return float_to_half(mode & FTZ && __builtin_fabsf(clipped) < 0x1.ffep-15f ? __builtin_copysignf(0.0f, clipped) : clipped);
}
#define F16_IN(x) half_to_float(flush_half(x, mode))
#define F16_OUT(x) result_half(x, mode)
LANES_INLINE uint32_t add_half(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return F16_OUT(F16_IN(a) + F16_IN(b)); }
LANES_INLINE uint32_t sub_half(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return F16_OUT(F16_IN(a) - F16_IN(b)); }
LANES_INLINE uint32_t mul_half(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return F16_OUT(F16_IN(a) * F16_IN(b)); }
/* A float holds a product of halves; its sum with c, rounded to odd, has enough bits left. */
LANES_INLINE float sum_to_odd_f32(float x, float y)
{
    float sum = x + y, high = sum - x, error = (x - (sum - high)) + (y - high);
    uint32_t bits = bits_f32(sum), away = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    return float_of(error == 0 || error != error || bits & 1 || sum == 0 ? bits : away);
}
LANES_INLINE uint32_t fma_half(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    return F16_OUT(sum_to_odd_f32(F16_IN(a) * F16_IN(b), F16_IN(c)));
}
/* bf16 has the exponents of f32, so its subnormal products need a double; the sum of a product and c may span any number of places. */
#define BF16_OUT(x) double_to_brain_nearest(clip_f64(x, mode))
LANES_INLINE uint32_t add_brain(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    (void)c, (void)mode;
    return float_to_brain(brain_to_float(a) + brain_to_float(b));
}
LANES_INLINE uint32_t sub_brain(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    (void)c, (void)mode;
    return float_to_brain(brain_to_float(a) - brain_to_float(b));
}
LANES_INLINE uint32_t mul_brain(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    (void)c;
    return BF16_OUT((double)brain_to_float(a) * (double)brain_to_float(b));
}
LANES_INLINE uint32_t fma_brain(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    return BF16_OUT(sum_to_odd((double)brain_to_float(a) * (double)brain_to_float(b), (double)brain_to_float(c)));
}

/* a*b - c and c - a*b */
LANES_INLINE uint32_t fms_half(uint32_t a, uint32_t b, uint32_t c, int mode) { return fma_half(a, b, c ^ 0x8000u, mode); }
LANES_INLINE uint32_t fnma_half(uint32_t a, uint32_t b, uint32_t c, int mode) { return fma_half(a ^ 0x8000u, b, c, mode); }
LANES_INLINE uint32_t fms_brain(uint32_t a, uint32_t b, uint32_t c, int mode) { return fma_brain(a, b, c ^ 0x8000u, mode); }
LANES_INLINE uint32_t fnma_brain(uint32_t a, uint32_t b, uint32_t c, int mode) { return fma_brain(a ^ 0x8000u, b, c, mode); }

/* Signs and extremes work on bits: magnitudes of 16-bit floats are ordered like integers, NaNs above infinity. */
LANES_INLINE uint32_t neg_small(uint32_t a, uint32_t infinity) { return (a & 0x7fffu) > infinity ? 0x7fffu : (a ^ 0x8000u) & 0xffffu; }
LANES_INLINE uint32_t abs_small(uint32_t a, uint32_t infinity) { return (a & 0x7fffu) > infinity ? 0x7fffu : a & 0x7fffu; }
LANES_INLINE int32_t order_small(uint32_t a) { return a & 0x8000u ? -(int32_t)(a & 0x7fffu) - 1 : (int32_t)(a & 0x7fffu); }
LANES_INLINE uint32_t extreme_small(uint32_t x, uint32_t y, uint32_t infinity, int mode, int larger)
{
    uint32_t a = infinity == 0x7c00u ? flush_half(x, mode) : x & 0xffffu, b = infinity == 0x7c00u ? flush_half(y, mode) : y & 0xffffu;
    uint32_t sign = (a ^ b) & 0x8000u;
    a &= mode & XOR_SIGN ? 0x7fffu : 0xffffu;
    b &= mode & XOR_SIGN ? 0x7fffu : 0xffffu;
    int a_nan = (a & 0x7fffu) > infinity, b_nan = (b & 0x7fffu) > infinity;
    int first = larger ? order_small(a) >= order_small(b) : order_small(a) <= order_small(b);
    uint32_t found = b_nan || (first && !a_nan) ? a : b;
    uint32_t none = mode & NAN_WINS ? (uint32_t)(a_nan | b_nan) : (uint32_t)(a_nan & b_nan);
    return none ? 0x7fffu : mode & XOR_SIGN ? found | sign : found;
}
LANES_INLINE uint32_t neg_half(uint32_t a, int mode) { return neg_small(flush_half(a, mode), 0x7c00u); }
LANES_INLINE uint32_t abs_half(uint32_t a, int mode) { return abs_small(flush_half(a, mode), 0x7c00u); }
LANES_INLINE uint32_t neg_brain(uint32_t a, int mode) { (void)mode; return neg_small(a, 0x7f80u); }
LANES_INLINE uint32_t abs_brain(uint32_t a, int mode) { (void)mode; return abs_small(a, 0x7f80u); }
LANES_INLINE uint32_t min_half(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return extreme_small(a, b, 0x7c00u, mode, 0); }
LANES_INLINE uint32_t max_half(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return extreme_small(a, b, 0x7c00u, mode, 1); }
LANES_INLINE uint32_t min_brain(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return extreme_small(a, b, 0x7f80u, mode, 0); }
LANES_INLINE uint32_t max_brain(uint32_t a, uint32_t b, uint32_t c, int mode) { (void)c; return extreme_small(a, b, 0x7f80u, mode, 1); }

LANES_INLINE uint32_t ex2_half(uint32_t a, int mode) { (void)mode; return float_to_half(exponential_2(half_to_float(a & 0xffffu))); }
LANES_INLINE uint32_t tanh_half(uint32_t a, int mode) { (void)mode; return float_to_half(hyperbolic_tangent(half_to_float(a & 0xffffu))); }
LANES_INLINE uint32_t ex2_brain(uint32_t a, int mode) /* flushes subnormals, as its only form asks */
{
    (void)mode;
    uint32_t r = float_to_brain(exponential_2(flush(brain_to_float(a & 0xffffu))));
    return r & 0x7f80u ? r : r & 0x8000u;
}
LANES_INLINE uint32_t tanh_brain(uint32_t a, int mode) { (void)mode; return float_to_brain(hyperbolic_tangent(brain_to_float(a & 0xffffu))); }

/* One operation as scalar and as pair: f(low halves) | f(high halves) << 16. */
#define SMALL1(name, type, f, mode)                                                                   \
    ALU(name##_##type, u32, u32, u32, u32, f(a & 0xffffu, mode))                                      \
    ALU(name##_##type##x2, u32, u32, u32, u32, f(a & 0xffffu, mode) | f(a >> 16, mode) << 16)
#define SMALL3(name, type, f, mode)                                                                   \
    ALU(name##_##type, u32, u32, u32, u32, f(a & 0xffffu, b & 0xffffu, c & 0xffffu, mode))            \
    ALU(name##_##type##x2, u32, u32, u32, u32,                                                        \
        f(a & 0xffffu, b & 0xffffu, c & 0xffffu, mode) | f(a >> 16, b >> 16, c >> 16, mode) << 16)
#define HALF_SATURATING(name, f)                                                                      \
    SMALL3(name, f16, f, PLAIN) SMALL3(name##_ftz, f16, f, FTZ)                                       \
    SMALL3(name##_sat, f16, f, SAT) SMALL3(name##_ftz_sat, f16, f, FTZ | SAT)
#define SMALL_EXTREME(name, type, f)                                                                  \
    SMALL3(name, type, f, PLAIN) SMALL3(name##_nan, type, f, NAN_WINS)                                \
    SMALL3(name##_xorsign, type, f, XOR_SIGN) SMALL3(name##_nan_xorsign, type, f, NAN_WINS | XOR_SIGN)
#define HALF_EXTREME(name, f)                                                                         \
    SMALL_EXTREME(name, f16, f)                                                                       \
    SMALL3(name##_ftz, f16, f, FTZ) SMALL3(name##_ftz_nan, f16, f, FTZ | NAN_WINS)                    \
    SMALL3(name##_ftz_xorsign, f16, f, FTZ | XOR_SIGN)                                                \
    SMALL3(name##_ftz_nan_xorsign, f16, f, FTZ | NAN_WINS | XOR_SIGN)

#define HALF_ALU                                                                                      \
    HALF_SATURATING(add, add_half) HALF_SATURATING(sub, sub_half)                                     \
    HALF_SATURATING(mul, mul_half) HALF_SATURATING(fma, fma_half)                                     \
    SMALL3(fma_relu, f16, fma_half, RELU) SMALL3(fma_ftz_relu, f16, fma_half, FTZ | RELU)             \
    SMALL3(add, bf16, add_brain, PLAIN) SMALL3(sub, bf16, sub_brain, PLAIN)                           \
    SMALL3(mul, bf16, mul_brain, PLAIN) SMALL3(fma, bf16, fma_brain, PLAIN)                           \
    SMALL3(fms, f16, fms_half, PLAIN) SMALL3(fnma, f16, fnma_half, PLAIN)                             \
    SMALL3(fms, bf16, fms_brain, PLAIN) SMALL3(fnma, bf16, fnma_brain, PLAIN)                         \
    SMALL3(fma_relu, bf16, fma_brain, RELU)                                                           \
    HALF_EXTREME(min, min_half) HALF_EXTREME(max, max_half)                                           \
    SMALL_EXTREME(min, bf16, min_brain) SMALL_EXTREME(max, bf16, max_brain)                           \
    SMALL1(neg, f16, neg_half, PLAIN) SMALL1(neg_ftz, f16, neg_half, FTZ)                             \
    SMALL1(abs, f16, abs_half, PLAIN) SMALL1(abs_ftz, f16, abs_half, FTZ)                             \
    SMALL1(neg, bf16, neg_brain, PLAIN) SMALL1(abs, bf16, abs_brain, PLAIN)                           \
    SMALL1(ex2, f16, ex2_half, PLAIN) SMALL1(tanh, f16, tanh_half, PLAIN)                             \
    SMALL1(ex2, bf16, ex2_brain, PLAIN) SMALL1(tanh, bf16, tanh_brain, PLAIN)

/* Comparisons of the low halves, and of the high ones; those of f16 with a form that flushes subnormals. */
#define LOW_F16(x) half_to_float((x) & 0xffffu)
#define HIGH_F16(x) half_to_float((x) >> 16)
#define LOW_FTZ_F16(x) half_to_float(flush_half((x) & 0xffffu, FTZ))
#define HIGH_FTZ_F16(x) half_to_float(flush_half((x) >> 16, FTZ))
#define LOW_BF16(x) brain_to_float(x)
#define HIGH_BF16(x) float_of((x) & 0xffff0000u)
#define COMPARE_SMALL(T, V)                                                                            \
    COMPARE(eq_##T, u32, V(a) == V(b)) COMPARE(ne_##T, u32, V(a) < V(b) || V(a) > V(b))                \
    COMPARE(lt_##T, u32, V(a) < V(b)) COMPARE(le_##T, u32, V(a) <= V(b))                               \
    COMPARE(gt_##T, u32, V(a) > V(b)) COMPARE(ge_##T, u32, V(a) >= V(b))                               \
    COMPARE(equ_##T, u32, !(V(a) < V(b) || V(a) > V(b))) COMPARE(neu_##T, u32, V(a) != V(b))           \
    COMPARE(ltu_##T, u32, !(V(a) >= V(b))) COMPARE(leu_##T, u32, !(V(a) > V(b)))                       \
    COMPARE(gtu_##T, u32, !(V(a) <= V(b))) COMPARE(geu_##T, u32, !(V(a) < V(b)))                       \
    COMPARE(num_##T, u32, V(a) == V(a) && V(b) == V(b)) COMPARE(nan_##T, u32, V(a) != V(a) || V(b) != V(b))
#define HALF_COMPARE                                                                                   \
    COMPARE_SMALL(f16, LOW_F16) COMPARE_SMALL(high_f16, HIGH_F16)                                      \
    COMPARE_SMALL(ftz_f16, LOW_FTZ_F16) COMPARE_SMALL(ftz_high_f16, HIGH_FTZ_F16)                      \
    COMPARE_SMALL(bf16, LOW_BF16) COMPARE_SMALL(high_bf16, HIGH_BF16)

#endif
