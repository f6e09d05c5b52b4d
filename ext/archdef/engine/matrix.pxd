"""Products of small matrices whose numbers are spread over the lanes of a warp, and the loads and stores that spread them."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.launch cimport Launch, Warp
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef int matrix_product(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil   # -1 after a fault
cdef int access_tiles(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach) noexcept nogil   # likewise
cdef int access_tiles_recorded(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach) noexcept nogil   # the same where a timeline may be
cdef int part_of_warp(SmCore *sm, const Warp *w, uint64_t lanes) noexcept nogil   # the fault that `lanes` alone execute it: -1

cdef struct Format:              # how a number is encoded
    int exponent_bits
    int fraction_bits            # that count
    int dropped                  # bits behind them that do not

cdef struct Number:              # significand x 2^(exponent - fraction bits)
    int32_t significand          # signed
    int32_t exponent
    int32_t kind                 # 0 finite, 1 or -1 infinite, 2 not a number

cdef Format F16, BF16, TF32, F32

# parts of products that those of warpgroups are made of, too
cdef void multiplicand(const Launch *launch, const Warp *w, const Uop *u, int first, int tall, int words, uint32_t *out) noexcept nogil
cdef void addend(const Launch *launch, const Warp *w, const Uop *u, int first, int tall, bint half, uint32_t *out) noexcept nogil
cdef void result(const Launch *launch, const Warp *w, const Uop *u, int first, int tall, bint half, const uint32_t *values) noexcept nogil
cdef bint decode(const uint32_t *words, int count, int together, Format f, Number *out) noexcept nogil
cdef uint32_t sum_block(const Number *a, const Number *b, int count, uint32_t c, Format of_c, int lift, int bits, Format of_d,
                        bint special) noexcept nogil
cdef void unpack(const uint32_t *words, int count, int width, bint signed_, int16_t *out) noexcept nogil

cdef inline void add_integers(const int16_t *a, const int16_t *b, int count, int depth, bint saturate, uint32_t *c) noexcept nogil:
    """Add the products of rows of a and the eight columns of b to so many sums, exactly; the last addition wraps, or stops at the ends of the range."""
    cdef int i, k
    cdef int32_t sum
    cdef int64_t whole
    for i in range(count):
        sum = 0
        for k in range(depth):
            sum += <int32_t>a[i // 8 * depth + k] * b[i % 8 * depth + k]
        whole = <int64_t>sum + <int32_t>c[i]
        if saturate:
            whole = min(max(whole, -<int64_t>0x80000000), <int64_t>0x7fffffff)
        c[i] = <uint32_t>whole
