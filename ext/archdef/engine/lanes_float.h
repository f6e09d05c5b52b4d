/* Floating-point lane arithmetic. Rounding direction and .ftz come from the environment (fpenv.h) except where a name says ftz.
 *
 * Approximations are computed in double precision by polynomials of our own and rounded once, so that results are the same on
 * every host; they are far more accurate than the maximum errors that the PTX manual documents.
 */
#ifndef ARCHDEF_LANES_FLOAT_H
#define ARCHDEF_LANES_FLOAT_H

LANES_INLINE uint32_t bits_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
LANES_INLINE float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
LANES_INLINE uint64_t bits_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
LANES_INLINE double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

/* A single-precision result: any NaN becomes the canonical one. */
LANES_INLINE float canonical(float r) { return float_of(r == r ? bits_f32(r) : 0x7fffffffu); }

/* A double-precision result: a NaN becomes an operand that is one, made quiet: the second, else the third, else the first (as compute
 * capability 9.0 does it; division prefers its dividend). */
LANES_INLINE uint64_t quiet(double x) { return bits_f64(x) | 0x0008000000000000u; }
LANES_INLINE double propagate(double r, double a, double b, double c)
{
    uint64_t nan = b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : 0xfff8000000000000u;
    return double_of(r == r ? bits_f64(r) : nan);
}

LANES_INLINE float saturate_f32(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; } /* NaN gives +0 */
LANES_INLINE double saturate_f64(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

LANES_INLINE float flush(float x) /* subnormal to zero of the same sign */
{
    uint32_t bits = bits_f32(x);
    return float_of(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}

/* Extremes: a NaN loses against a number; -0 is below +0. `any_nan` variants let the NaN win. */
LANES_INLINE float minimum_f32(float a, float b)
{
    float r = a < b || (a == b && (bits_f32(a) >> 31)) || b != b ? a : b;
    return canonical(r);
}
LANES_INLINE float maximum_f32(float a, float b)
{
    float r = a > b || (a == b && !(bits_f32(a) >> 31)) || b != b ? a : b;
    return canonical(r);
}
LANES_INLINE double minimum_f64(double a, double b)
{
    double r = a < b || (a == b && (bits_f64(a) >> 63)) || b != b ? a : b;
    return propagate(r, a, b, 0.0);
}
LANES_INLINE double maximum_f64(double a, double b)
{
    double r = a > b || (a == b && !(bits_f64(a) >> 63)) || b != b ? a : b;
    return propagate(r, a, b, 0.0);
}
LANES_INLINE float any_nan(float r, float a, float b) { return a == a && b == b ? r : float_of(0x7fffffffu); }

/* x + y, inexact sums with an even last bit moved one unit toward the exact value: rounding to odd, which makes a second
 * rounding to far fewer bits harmless. */
LANES_INLINE double sum_to_odd(double x, double y)
{
    double sum = x + y, high = sum - x, error = (x - (sum - high)) + (y - high);
    uint64_t bits = bits_f64(sum), away = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    return double_of(error == 0 || error != error || bits & 1 || sum == 0 ? bits : away);
}

/* Multiply-add of the first generation: the product is cut to 24 significant bits (its exponent has no limits), then the sum is
 * rounded once. */
LANES_INLINE float multiply_truncate_add(float a, float b, float c)
{
    double product = double_of(bits_f64((double)a * (double)b) & ~(uint64_t)0x1fffffff);
    return (float)sum_to_odd(product, (double)c);
}

/* 2^x: x = whole + rest, |rest| <= 1/2; e^(rest ln 2) as a Taylor series, exact at rest = 0, so whole powers are exact. */
LANES_INLINE double power_of_two(double x)
{
    x = x > 1100.0 ? 1100.0 : x < -1100.0 ? -1100.0 : x;
    double whole = __builtin_rint(x), t = (x - whole) * 0.69314718055994530942;
    double series = 1.0 + t * (1.0 + t * (1.0 / 2 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720
                  + t * (1.0 / 5040 + t * (1.0 / 40320 + t * (1.0 / 362880 + t * (1.0 / 3628800 + t / 39916800))))))))));
    /* two factors, because the scale itself may lie outside the normal range */
    int32_t power = (int32_t)whole, half = power >> 1;
    double first = double_of((uint64_t)(1023 + half) << 52), second = double_of((uint64_t)(1023 + power - half) << 52);
    return series * first * second;
}
/* Of the exponent, 23 fraction bits count, as on hardware. */
LANES_INLINE float exponential_2(float a)
{
    double x = __builtin_fabsf(a) < 0x1p10f ? (double)(int64_t)((double)a * 0x1p23) * 0x1p-23 : (double)a;
    return canonical(a == a ? (float)power_of_two(x) : a);
}

/* log2 m with m in [1/sqrt 2, sqrt 2): 2/ln 2 atanh(s), s = (m-1)/(m+1), |s| < 0.172. */
LANES_INLINE float logarithm_2(float a)
{
    double x = a;
    uint64_t bits = bits_f64(x), shifted = bits - 0x3fe6a09e667f3bcdu; /* exponent counted from 1/sqrt 2 */
    int32_t exponent = (int32_t)(uint32_t)(shifted >> 52) << 20 >> 20;
    double m = double_of(bits - ((uint64_t)(uint32_t)exponent << 52)), s = (m - 1.0) / (m + 1.0), q = s * s;
    double series = 1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13
                  + q * (1.0 / 15 + q * (1.0 / 17 + q / 19))))))));
    double r = exponent + s * series * 2.8853900817779268147;
    r = x == 0.0 ? -INFINITY : x < INFINITY ? r : x;
    return canonical(x < 0.0 ? NAN : (float)r);
}

/* Sine and cosine count the angle in turns, as the hardware does: the angle times 1/2pi in single precision, cut, subnormals
 * flushed. That product decides the result for large angles, so its rounding is part of the instruction. */
LANES_INLINE float turns_of(float a)
{
    double exact = (double)a * 0x1.45f306p-3; /* both factors have 24 bits */
    float near = (float)exact;
    uint32_t bits = bits_f32(near);
    int past = __builtin_fabs((double)near) > __builtin_fabs(exact);
    return flush(float_of(past ? bits - 1 : bits));
}
LANES_INLINE double half_turns(float a, double *rest) /* whole half turns give the sign, `rest` is in [-pi/2, pi/2] */
{
    double turns = 2.0 * (double)turns_of(a), whole = __builtin_rint(turns);
    *rest = (turns - whole) * 3.14159265358979323846;
    double odd = whole - 2.0 * __builtin_rint(whole * 0.5);
    return odd == 0.0 ? 1.0 : -1.0;
}
LANES_INLINE float sine(float a)
{
    double t, sign = half_turns(a, &t), q = t * t;
    double series = t * (1.0 - q / 6 * (1.0 - q / 20 * (1.0 - q / 42 * (1.0 - q / 72 * (1.0 - q / 110 * (1.0 - q / 156
                  * (1.0 - q / 210 * (1.0 - q / 272 * (1.0 - q / 342)))))))));
    return canonical(turns_of(a) == 0.0f ? turns_of(a) : (float)(sign * series));
}
LANES_INLINE float cosine(float a)
{
    double t, sign = half_turns(a, &t), q = t * t;
    double series = 1.0 - q / 2 * (1.0 - q / 12 * (1.0 - q / 30 * (1.0 - q / 56 * (1.0 - q / 90 * (1.0 - q / 132
                  * (1.0 - q / 182 * (1.0 - q / 240 * (1.0 - q / 306 * (1.0 - q / 380)))))))));
    return canonical((float)(sign * series));
}

/* Hardware gives small operands back, and 1 from 8 on. */
LANES_INLINE float hyperbolic_tangent(float a)
{
    double x = a, clamped = x > 30.0 ? 30.0 : x < -30.0 ? -30.0 : x;
    double e = power_of_two(clamped * 2.8853900817779268147), r = (e - 1.0) / (e + 1.0);
    r = x > -8.0 && x < 8.0 ? r : __builtin_copysign(1.0, x);
    return canonical((float)(x > -0x1.02p-8 && x < 0x1.02p-8 ? x : x == x ? r : x));
}

/* div.approx: beyond 2^126 the reciprocal of the divisor is flushed, so the quotient is 0, or NaN for an infinite dividend. */
LANES_INLINE float divide_approximately(float a, float b)
{
    float magnitude = __builtin_fabsf(b);
    int flushed = magnitude > 0x1p126f && magnitude < INFINITY;
    float zero = float_of((bits_f32(a) ^ bits_f32(b)) & 0x80000000u);
    return canonical(flushed ? (__builtin_fabsf(a) < INFINITY ? zero : NAN) : a / b);
}

/* The gross reciprocals of double precision work on the upper word only: 20 bits of significand, subnormals flushed. */
LANES_INLINE double upper_word(double x)
{
    uint64_t bits = bits_f64(x) & 0xffffffff00000000u;
    return double_of(bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u);
}
LANES_INLINE double coarse(double r, double a)
{
    return r == r ? upper_word(r) : double_of(a != a ? 0x7fffffff00000000u : 0x7fffffff00000000u);
}

#define F32(name, expression) ALU(name, f32, f32, f32, f32, expression)
#define F64(name, expression) ALU(name, f64, f64, f64, f64, expression)

/* An operation on f32 with its saturating form. */
#define F32_SAT(name, expression) F32(name##_f32, canonical(expression)) F32(name##_sat_f32, saturate_f32(expression))
/* An f32 selection with the form that flushes subnormals. */
#define F32_FTZ(name, f, a, b) F32(name##_f32, f(a, b)) F32(name##_ftz_f32, f(flush(a), flush(b)))
/* An extreme of magnitudes that takes the product of the signs; with its forms. A NaN stays canonical. */
LANES_INLINE float signed_like(float r, float a, float b)
{
    return r == r ? float_of(bits_f32(r) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000u)) : r;
}
#define MAGNITUDES(f, x, y) f(__builtin_fabsf(x), __builtin_fabsf(y))
#define F32_XORSIGN(name, f)                                                                        \
    F32(name##_xorsign_f32, signed_like(MAGNITUDES(f, a, b), a, b))                                 \
    F32(name##_nan_xorsign_f32, signed_like(any_nan(MAGNITUDES(f, a, b), a, b), a, b))              \
    F32(name##_ftz_xorsign_f32, signed_like(MAGNITUDES(f, flush(a), flush(b)), a, b))               \
    F32(name##_ftz_nan_xorsign_f32, signed_like(any_nan(MAGNITUDES(f, flush(a), flush(b)), a, b), a, b))

#define FLOAT_ALU                                                                                   \
    F32_SAT(add, a + b)                                                                             \
    F32_SAT(sub, a - b)                                                                             \
    F32_SAT(mul, a * b)                                                                             \
    F32_SAT(fma, __builtin_fmaf(a, b, c))                                                           \
    F32_SAT(fms, __builtin_fmaf(a, b, -c))          /* a*b - c */                                   \
    F32_SAT(fnma, __builtin_fmaf(-a, b, c))         /* c - a*b */                                   \
    F32_SAT(mad_trunc, multiply_truncate_add(a, b, c))                                              \
    F32_SAT(msub_trunc, multiply_truncate_add(a, b, -c))                                            \
    F32_SAT(nmad_trunc, multiply_truncate_add(-a, b, c))                                            \
    F32_SAT(mad_separate, canonical(a * b) + c)                                                     \
    F32(div_f32, canonical(a / b))                                                                  \
    F32(div_approx_f32, divide_approximately(a, b))                                                 \
    F32(rcp_f32, canonical(1.0f / a))                                                               \
    F32(sqrt_f32, canonical(__builtin_sqrtf(a)))                                                    \
    F32(rsqrt_f32, canonical((float)(1.0 / __builtin_sqrt((double)a))))                             \
    F32(sin_f32, sine(a))                                                                           \
    F32(cos_f32, cosine(a))                                                                         \
    F32(lg2_f32, logarithm_2(a))                                                                    \
    F32(ex2_f32, exponential_2(a))                                                                  \
    F32(tanh_f32, hyperbolic_tangent(a))                                                            \
    F32_FTZ(min, minimum_f32, a, b)                                                                 \
    F32_FTZ(max, maximum_f32, a, b)                                                                 \
    F32(min_nan_f32, any_nan(minimum_f32(a, b), a, b))                                              \
    F32(max_nan_f32, any_nan(maximum_f32(a, b), a, b))                                              \
    F32(min_ftz_nan_f32, any_nan(minimum_f32(flush(a), flush(b)), a, b))                            \
    F32(max_ftz_nan_f32, any_nan(maximum_f32(flush(a), flush(b)), a, b))                            \
    F32_XORSIGN(min, minimum_f32) F32_XORSIGN(max, maximum_f32)                                     \
    F32(abs_f32, canonical(__builtin_fabsf(a)))                                                     \
    F32(abs_ftz_f32, canonical(__builtin_fabsf(flush(a))))                                          \
    F32(neg_f32, canonical(-a))                                                                     \
    F32(neg_ftz_f32, canonical(-flush(a)))                                                          \
    F32(copysign_f32, __builtin_copysignf(b, a))    /* magnitude of b, sign of a */                 \
    F32(sat_f32, saturate_f32(a))                                                                   \
    F32(flush_f32, canonical(flush(a)))                                                             \
    F64(add_f64, propagate(a + b, a, b, 0.0))                                                       \
    F64(sub_f64, propagate(a - b, a, b, 0.0))                                                       \
    F64(mul_f64, propagate(a * b, a, b, 0.0))                                                       \
    F64(fma_f64, propagate(__builtin_fma(a, b, c), a, b, c))                                        \
    F64(fms_f64, propagate(__builtin_fma(a, b, -c), a, b, c))                                       \
    F64(fnma_f64, propagate(__builtin_fma(-a, b, c), a, b, c))                                      \
    F64(div_f64, propagate(a / b, b, a, 0.0))                                                       \
    F64(rcp_f64, propagate(1.0 / a, a, 0.0, 0.0))                                                   \
    F64(sqrt_f64, propagate(__builtin_sqrt(a), a, 0.0, 0.0))                                        \
    F64(rsqrt_f64, propagate(1.0 / __builtin_sqrt(a), a, 0.0, 0.0))                                 \
    F64(rcp_coarse_f64, coarse(1.0 / upper_word(a), a))                                             \
    F64(rsqrt_coarse_f64, coarse(1.0 / __builtin_sqrt(upper_word(a)), a))                           \
    F64(min_f64, minimum_f64(a, b))                                                                 \
    F64(max_f64, maximum_f64(a, b))                                                                 \
    F64(abs_f64, a == a ? __builtin_fabs(a) : double_of(quiet(a)))  /* a NaN keeps its sign */      \
    F64(neg_f64, a == a ? -a : double_of(quiet(a)))                                                 \
    F64(copysign_f64, __builtin_copysign(b, a))                                                     \
    F64(sat_f64, saturate_f64(a))

#define COMPARE_FLOAT(T)                                                                            \
    COMPARE(eq_##T, T, a == b) COMPARE(ne_##T, T, a < b || a > b)                                   \
    COMPARE(lt_##T, T, a < b) COMPARE(le_##T, T, a <= b)                                            \
    COMPARE(gt_##T, T, a > b) COMPARE(ge_##T, T, a >= b)                                            \
    COMPARE(equ_##T, T, !(a < b || a > b)) COMPARE(neu_##T, T, a != b)                              \
    COMPARE(ltu_##T, T, !(a >= b)) COMPARE(leu_##T, T, !(a > b))                                    \
    COMPARE(gtu_##T, T, !(a <= b)) COMPARE(geu_##T, T, !(a < b))                                    \
    COMPARE(num_##T, T, a == a && b == b) COMPARE(nan_##T, T, a != a || b != b)

/* testp: a class of numbers, by bits alone. Hardware calls a zero normal. */
#define TEST_CLASSES(T, L, MAGNITUDE, INF, NORMAL)                                                   \
    COMPARE(finite_##T, L, (a & MAGNITUDE) < INF)                                                    \
    COMPARE(infinite_##T, L, (a & MAGNITUDE) == INF)                                                 \
    COMPARE(number_##T, L, (a & MAGNITUDE) <= INF)                                                   \
    COMPARE(notanumber_##T, L, (a & MAGNITUDE) > INF)                                                \
    COMPARE(normal_##T, L, ((a & MAGNITUDE) >= NORMAL || !(a & MAGNITUDE)) && (a & MAGNITUDE) < INF) \
    COMPARE(subnormal_##T, L, (a & MAGNITUDE) < NORMAL && (a & MAGNITUDE) != 0)

/* Operands for which CUDA's quotients and roots take a slow path: the tests of machine code for compute capability 9.0; that of
 * single-precision quotients is one instruction, of whose result an H100 was asked for all pairs of exponents. */
LANES_INLINE int uncommon_quotient_f32(uint32_t a, uint32_t b)
{
    int x = (int)(a >> 23 & 0xff), y = (int)(b >> 23 & 0xff);
    return x < 25 || x > 254 || y < 2 || y > 251 || y - x > 124 || x - y > 126;
}
LANES_INLINE int uncommon_quotient_f64(uint64_t a, uint64_t b)
{
    uint64_t r = bits_f64(double_of(a) / double_of(b)) & 0x7fffffffffffffffu;
    return (a & 0x7fffffffffffffffu) < 0x0360000000000000u || (b & 0x7fffffffffffffffu) >= 0x7f80000000000000u
        || r <= 0x0010000000000000u || r > 0x7f80000000000000u;
}
#define UNCOMMON                                                                                     \
    COMPARE(uncommon_div_f32, u32, uncommon_quotient_f32(a, b))                                      \
    COMPARE(uncommon_rcp_f32, u32, ((a + 0x01800000u) & 0x7f800000u) <= 0x01ffffffu)                 \
    COMPARE(uncommon_sqrt_f32, u32, a - 0x0d000000u > 0x727fffffu)                                   \
    COMPARE(uncommon_div_f64, u64, uncommon_quotient_f64(a, b))                                      \
    COMPARE(uncommon_rcp_f64, u64, ((uint32_t)((a >> 32) + 0x00300402u) & 0x7fffffffu) < 0x00400402u) \
    COMPARE(uncommon_sqrt_f64, u64, (uint32_t)((a >> 32) + 0xfcb00000u) >= 0x7ca00000u)

#define FLOAT_COMPARE                                                                                \
    COMPARE_FLOAT(f32) COMPARE_FLOAT(f64) UNCOMMON                                                   \
    TEST_CLASSES(f32, u32, 0x7fffffffu, 0x7f800000u, 0x00800000u)                                    \
    TEST_CLASSES(f64, u64, 0x7fffffffffffffffu, 0x7ff0000000000000u, 0x0010000000000000u)

#endif
