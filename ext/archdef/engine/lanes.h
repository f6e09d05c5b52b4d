/* Lane arithmetic: one function per operation, applied to every lane of a warp at once.
 *
 * To add an operation, add a row to the list of its kind (lanes_integer.h, lanes_packed.h, lanes_video.h, lanes_float.h,
 * lanes_half.h, lanes_convert.h, lanes_narrow.h, lanes_atomic.h);
 * enumerators, the table of functions and the table of names follow from the list. Lowering finds operations by name
 * (`archdef.engine.lanes.alu_names()` …), so numbers never appear in Python.
 *
 * Contracts:
 * - a row is an array of n lanes of 32 or 64 bits. The destination may be the very row of a source of the same width; lowering
 *   never lets it overlap a source in another way (a 64-bit result written over a 32-bit source would eat its later lanes);
 * - a function computes all n lanes, whether active or not, and is defined for any bit pattern (an inactive lane holds
 *   junk): no trap, no undefined behaviour, no read outside its operands. A source that the function does not name is not read;
 * - integers of 8 and 16 bits live in 32-bit lanes. Functions ignore the upper bits of such sources and give results
 *   extended to 32 bits, by zeros for u8, u16, b16 and by the sign for s8, s16;
 * - rounding direction and subnormal flushing come from the floating-point environment (fpenv.h), which the caller sets. Integer
 *   functions, `_ftz` functions and approximations need it at nearest even.
 *
 * NaN: a single-precision result that is a NaN is the canonical 0x7fffffff. A double-precision one is the first operand that is a
 * NaN, made quiet, or 0xfff8000000000000 if an operation on numbers made it. Pure bit operations (mov, abs, neg, copysign,
 * selection) pass NaNs through.
 */
#ifndef ARCHDEF_LANES_H
#define ARCHDEF_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "fpenv.h"

/* Compile every loop twice and let the loader choose: with AVX2 and FMA where the machine has them. LANES_PLAIN: once. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && !defined(LANES_PLAIN)
#define LANES_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define LANES_CLONES
#endif
#define LANES_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

typedef uint32_t lane_u32;
typedef int32_t lane_s32;
typedef uint64_t lane_u64;
typedef int64_t lane_s64;
typedef float lane_f32;
typedef double lane_f64;

typedef void (*alu_function)(void *d, const void *a, const void *b, const void *c, const void *e, int n);
typedef void (*compare_function)(uint8_t *d, const void *a, const void *b, int n); /* d[lane] = 0 or 1 */
typedef void (*carry_function)(void *d, uint8_t *carry_out, const void *a, const void *b, const void *c,
                               const uint8_t *carry_in, int n); /* carries are 0 or 1 */
typedef uint64_t (*atomic_function)(uint64_t old, uint64_t b, uint64_t c); /* one lane; 32-bit operands in the low half */

#include "lanes_integer.h"
#include "lanes_float.h"
#include "lanes_half.h"
#include "lanes_convert.h"
#include "lanes_narrow.h"
#include "lanes_packed.h"
#include "lanes_video.h"
#include "lanes_atomic.h"

/* Each list consists of rows
 *   ALU(name, destination type, type of a, type of b, type of c, expression in a, b, c and e)      e is always u32
 *   COMPARE(name, type of a and b, expression)
 *   CARRY(name, type, statements that set result and carry from a, b, c and in)
 *   ATOMIC(name, expression in old, b, c)
 */
#define ALU_LIST INTEGER_ALU PACKED_ALU VIDEO_ALU FLOAT_ALU HALF_ALU CONVERT_ALU NARROW_ALU
#define COMPARE_LIST INTEGER_COMPARE FLOAT_COMPARE HALF_COMPARE

#define ALU(name, D, A, B, C, expression)                                                                            \
    LANES_CLONES static void alu_##name(void *d, const void *pa, const void *pb, const void *pc, const void *pe, int n) \
    {                                                                                                                \
        LANES_INDEPENDENT                                                                                            \
        for (int i = 0; i < n; i++) {                                                                                \
            const lane_##A a = ((const lane_##A *)pa)[i];                                                            \
            const lane_##B b __attribute__((unused)) = ((const lane_##B *)pb)[i];                                    \
            const lane_##C c __attribute__((unused)) = ((const lane_##C *)pc)[i];                                    \
            const lane_u32 e __attribute__((unused)) = ((const lane_u32 *)pe)[i];                                    \
            ((lane_##D *)d)[i] = (expression);                                                                       \
        }                                                                                                            \
    }
ALU_LIST
#undef ALU

#define COMPARE(name, T, expression)                                                            \
    LANES_CLONES static void compare_##name(uint8_t *d, const void *pa, const void *pb, int n)  \
    {                                                                                           \
        LANES_INDEPENDENT                                                                       \
        for (int i = 0; i < n; i++) {                                                           \
            const lane_##T a = ((const lane_##T *)pa)[i];                                       \
            const lane_##T b __attribute__((unused)) = ((const lane_##T *)pb)[i];               \
            d[i] = (expression) ? 1 : 0;                                                        \
        }                                                                                       \
    }
COMPARE_LIST
#undef COMPARE

#define CARRY(name, T, statements)                                                                              \
    static void carry_##name(void *d, uint8_t *carry_out, const void *pa, const void *pb, const void *pc,       \
                             const uint8_t *carry_in, int n)                                                    \
    {                                                                                                           \
        for (int i = 0; i < n; i++) {                                                                           \
            const lane_##T a = ((const lane_##T *)pa)[i], b = ((const lane_##T *)pb)[i];                        \
            const lane_##T c __attribute__((unused)) = ((const lane_##T *)pc)[i];                               \
            const uint8_t in __attribute__((unused)) = carry_in[i];                                             \
            lane_##T result;                                                                                    \
            uint8_t carry;                                                                                      \
            statements;                                                                                         \
            ((lane_##T *)d)[i] = result;                                                                        \
            carry_out[i] = carry;                                                                               \
        }                                                                                                       \
    }
CARRY_LIST
#undef CARRY

#define ATOMIC(name, expression) \
    static uint64_t atomic_##name(uint64_t old, uint64_t b, uint64_t c) { (void)b, (void)c; return (expression); }
ATOMIC_LIST
#undef ATOMIC

#define ALU(name, ...) alu_##name,
static const alu_function alu_functions[] = {ALU_LIST};
#undef ALU
#define ALU(name, ...) #name,
static const char *const alu_function_names[] = {ALU_LIST 0};
#undef ALU
#define COMPARE(name, ...) compare_##name,
static const compare_function compare_functions[] = {COMPARE_LIST};
#undef COMPARE
#define COMPARE(name, ...) #name,
static const char *const compare_function_names[] = {COMPARE_LIST 0};
#undef COMPARE
#define CARRY(name, ...) carry_##name,
static const carry_function carry_functions[] = {CARRY_LIST};
#undef CARRY
#define CARRY(name, ...) #name,
static const char *const carry_function_names[] = {CARRY_LIST 0};
#undef CARRY
#define ATOMIC(name, ...) atomic_##name,
static const atomic_function atomic_functions[] = {ATOMIC_LIST};
#undef ATOMIC
#define ATOMIC(name, ...) #name,
static const char *const atomic_function_names[] = {ATOMIC_LIST 0};
#undef ATOMIC

/* Bytes per lane of an operation's destination and of its first three sources, by table index: what tests need to call it. */
#define LANE_BYTES_u32 4
#define LANE_BYTES_s32 4
#define LANE_BYTES_f32 4
#define LANE_BYTES_u64 8
#define LANE_BYTES_s64 8
#define LANE_BYTES_f64 8
#define ALU(name, D, A, B, C, expression) {LANE_BYTES_##D, LANE_BYTES_##A, LANE_BYTES_##B, LANE_BYTES_##C},
static const uint8_t alu_lane_bytes[][4] = {ALU_LIST};
#undef ALU
#define COMPARE(name, T, expression) LANE_BYTES_##T,
static const uint8_t compare_lane_bytes[] = {COMPARE_LIST};
#undef COMPARE

#endif
