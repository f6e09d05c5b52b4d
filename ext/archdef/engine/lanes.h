/* Lane arithmetic: one function per operation, applied to every lane of a warp at once.
 *
 * To add an operation, add a row to the list of its kind; enumerators, the table of functions and the table of names
 * follow from the list. Lowering finds operations by name (`alu_names()` …), so numbers never appear in Python.
 *
 * Contracts:
 * - rows are arrays of n lanes of 32 or 64 bits; destination may equal a source, no other overlap;
 * - a function computes all n lanes, whether active or not, and must be defined for any bit pattern (an inactive lane holds
 *   junk): no trap, no undefined behaviour, no read outside its operands;
 * - rounding direction and subnormal flushing come from the floating-point environment, which the caller sets
 *   (MicroOp.fpenv); NaN results are canonical (0x7fffffff, 0x7fffffffffffffff) where PTX says so.
 */
#ifndef ARCHDEF_LANES_H
#define ARCHDEF_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LANES_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define LANES_CLONES
#endif

typedef void (*alu_function)(void *d, const void *a, const void *b, const void *c, const void *e, int n);
typedef void (*compare_function)(uint8_t *d, const void *a, const void *b, int n); /* d[lane] = 0 or 1 */

/* name, type of the destination lanes, type of the source lanes, expression in a, b, c, e */
#define ALU_LIST(X)                                  \
    X(add_b32, uint32_t, uint32_t, a + b)            \
    X(mov_b32, uint32_t, uint32_t, a)

#endif
