"""Matrix products of one warp, to the bit.

Fragments. Lane l belongs to *group* l // 4, as *member* l % 4. A multiplicand is words of 32 bits (64 for double precision) along the
dimension that is summed over: word w of row r of `a`, column r of `b`. Register i of `a`, which has `tall` x 8 rows, holds row
group + 8 (i % tall), word member + 4 (i // tall); register i of `b` column group, word member + 4 i. Number i of `c` and `d` is that of row
group + 8 (i // 2), column 2 member + i % 2; numbers of 16 bits share a register in pairs. This is how the PTX ISA lays out every `mma` but
the one that works in four groups of lanes (`_groups`).

Sums. Products are exact. Those of one block and the number that they are added to are shifted to the largest exponent among them, cut off
`fraction_bits` behind its point, and added as integers; the sum is cut to single precision, or rounded to the nearest f16. A sum of zero is
positive. A NaN, 0 x infinity and infinities of both signs give the canonical NaN. Exponents are those of the encoded numbers: subnormal
ones are not normalised, and a product's is the sum of its factors'.
"""
from libc.math cimport fma, fmaf
from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from archdef.engine.bits cimport count_bits
from archdef.engine.block_cluster cimport own_address
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_ALIGNMENT, FAULT_BOUNDS, FAULT_PART_OF_WARP
from archdef.engine.guest cimport guest_fault
from archdef.engine.lanes cimport set_fpenv
from archdef.engine.launch cimport Launch
from archdef.engine.machine cimport SUM_ALIGNED, SUM_PAIRED
from archdef.engine.matrix_ops cimport (MF_C_F16, MF_COLUMN_A, MF_D_F16, MF_ROW_B, MF_SATURATE, MF_SIGNED_A, MF_SIGNED_B,
                                        MX_BF16, MX_BITS_AND, MX_BITS_XOR, MX_F16, MX_F64, MX_GROUPS, MX_INTEGER, MX_TRANSPOSE)
from archdef.engine.memory cimport SHARED_WINDOW
from archdef.engine.shared cimport bank_passes
from archdef.engine.timeline cimport timeline_tile
from archdef.engine.timeline_record cimport TimelineRecord
from archdef.engine.types cimport FL_ADDRESS64, K_LOAD

cdef extern from *:
    int __builtin_clzll(unsigned long long x) nogil

cdef enum:
    LANES = 32
    MOST_WORDS = 128             # of a multiplicand: 16 rows of 8 words
    NO_EXPONENT = -1000000       # of zero; a product's may be twice that
    LEAST_EXPONENT = -100000     # less than that of any number
    NAN_F32 = 0x7fffffff
    NAN_F16 = 0x7fff

F16 = Format(5, 10, 0)
BF16 = Format(8, 7, 0)
TF32 = Format(8, 10, 13)
F32 = Format(8, 23, 0)


cdef int part_of_warp(SmCore *sm, const Warp *w, uint64_t lanes) noexcept nogil:
    return warp_fault(sm, w, FAULT_PART_OF_WARP, (~<uint64_t>0 >> (64 - w.launch.lanes)) & ~lanes)


# ------------------------------------------------------------------------------------------------------------- registers
cdef inline const char *_operand(const Launch *launch, const Warp *w, const Uop *u, int i) noexcept nogil:
    """Row of operand i; results come first."""
    cdef int32_t at = launch.operands[u.first_operand + i]
    return w.rows + at if at >= 0 else launch.constants + (-1 - at)


cdef void multiplicand(const Launch *launch, const Warp *w, const Uop *u, int first, int tall, int words, uint32_t *out) noexcept nogil:
    """Gather `tall` x 8 rows of words, from operand `first` on."""
    cdef int i, k = 0, high, lane
    cdef const uint32_t *row
    cdef uint32_t *start
    for i in range(words // 4):
        for high in range(tall):
            row = <const uint32_t *>_operand(launch, w, u, first + k)
            start = out + 8 * high * words + 4 * i
            for lane in range(LANES):
                start[(lane >> 2) * words + (lane & 3)] = row[lane]
            k += 1


cdef void addend(const Launch *launch, const Warp *w, const Uop *u, int first, int tall, bint half, uint32_t *out) noexcept nogil:
    """Gather the numbers of c, row by row, 8 columns."""
    cdef int i, lane, at
    cdef const uint32_t *row
    for i in range(tall if half else 2 * tall):
        row = <const uint32_t *>_operand(launch, w, u, first + i)
        for lane in range(LANES):
            if half:
                at = (lane // 4 + 8 * i) * 8 + 2 * (lane % 4)
                out[at] = row[lane] & 0xffff
                out[at + 1] = row[lane] >> 16
            else:
                out[(lane // 4 + 8 * (i // 2)) * 8 + 2 * (lane % 4) + i % 2] = row[lane]


cdef void result(const Launch *launch, const Warp *w, const Uop *u, int first, int tall, bint half, const uint32_t *values) noexcept nogil:
    """Scatter the numbers of d, 8 columns, to operand `first` and the next."""
    cdef int i, lane, at
    cdef uint32_t *row
    for i in range(tall if half else 2 * tall):
        row = <uint32_t *>_operand(launch, w, u, first + i)
        for lane in range(LANES):
            if half:
                at = (lane // 4 + 8 * i) * 8 + 2 * (lane % 4)
                row[lane] = values[at] | values[at + 1] << 16
            else:
                row[lane] = values[(lane // 4 + 8 * (i // 2)) * 8 + 2 * (lane % 4) + i % 2]


# --------------------------------------------------------------------------------------------------------------- numbers
cdef inline Number _number(uint32_t bits, Format f) noexcept nogil:
    cdef Number n
    cdef int32_t biased, top = (1 << f.exponent_bits) - 1
    cdef bint negative
    bits >>= f.dropped
    negative = bits >> (f.exponent_bits + f.fraction_bits) & 1
    biased = <int32_t>(bits >> f.fraction_bits) & top
    n.significand = <int32_t>(bits & ((<uint32_t>1 << f.fraction_bits) - 1))
    n.kind = 0
    if biased == top:
        n.kind = 2 if n.significand else -1 if negative else 1
    if biased:
        n.significand |= 1 << f.fraction_bits
    else:
        biased = 1
    n.exponent = biased - (top >> 1) if n.significand else NO_EXPONENT
    if negative:
        n.significand = -n.significand
    return n


cdef inline uint32_t _encode(int64_t value, int exponent, Format f, bint nearest) noexcept nogil:
    """Round value x 2^exponent, toward zero or to the nearest; what comes out as zero is positive."""
    cdef uint64_t magnitude = <uint64_t>(-value if value < 0 else value), kept, rest, half
    cdef int bias = (1 << (f.exponent_bits - 1)) - 1, leading, shift, biased
    if magnitude == 0:
        return 0
    leading = exponent + 63 - __builtin_clzll(magnitude)
    if leading < 1 - bias:
        leading = 1 - bias
    shift = leading - f.fraction_bits - exponent
    if shift > 62:
        return 0
    if shift <= 0:
        kept = magnitude << -shift
    else:
        kept = magnitude >> shift
        if nearest:
            rest = magnitude & ((<uint64_t>1 << shift) - 1)
            half = <uint64_t>1 << (shift - 1)
            if rest > half or (rest == half and kept & 1):
                kept += 1
                if kept >> (f.fraction_bits + 1):
                    kept >>= 1
                    leading += 1
    if kept == 0:
        return 0
    biased = leading + bias if kept >> f.fraction_bits else 0
    if biased >= (1 << f.exponent_bits) - 1:
        kept = 0
        biased = (1 << f.exponent_bits) - 1
    return (<uint32_t>(value < 0) << (f.exponent_bits + f.fraction_bits) | <uint32_t>biased << f.fraction_bits
            | <uint32_t>(kept & ((<uint64_t>1 << f.fraction_bits) - 1)))


cdef inline int64_t _shifted(int64_t value, int left, int right) noexcept nogil:
    """value x 2^(left - right), cut off toward zero."""
    cdef uint64_t magnitude = <uint64_t>(-value if value < 0 else value)
    cdef int shift = left - right
    magnitude = magnitude << shift if shift >= 0 else magnitude >> -shift if shift > -64 else 0
    return -<int64_t>magnitude if value < 0 else <int64_t>magnitude


# ------------------------------------------------------------------------------------------------------------------ sums
cdef uint32_t sum_block(const Number *a, const Number *b, int count, uint32_t c, Format of_c, int lift, int bits, Format of_d,
                        bint special) noexcept nogil:
    """Add `count` products to c; `lift` is what they are shifted left to have `bits` bits behind the point, or right if it is negative."""
    cdef Number addend = _number(c, of_c)
    cdef int i, shift, exponent, cut = 0, largest = LEAST_EXPONENT
    cdef bint positive = False, negative = False
    cdef int64_t sum, product, sign
    if lift < 0:
        cut = -lift
        lift = 0
    if special or addend.kind:
        if addend.kind == 2:
            return NAN_F16 if of_d.fraction_bits == 10 else NAN_F32
        positive = addend.kind == 1
        negative = addend.kind == -1
        for i in range(count):
            if a[i].kind == 0 and b[i].kind == 0:
                continue
            if a[i].kind == 2 or b[i].kind == 2 or a[i].significand == 0 or b[i].significand == 0:
                return NAN_F16 if of_d.fraction_bits == 10 else NAN_F32
            if (a[i].significand < 0) != (b[i].significand < 0):
                negative = True
            else:
                positive = True
        if positive and negative:
            return NAN_F16 if of_d.fraction_bits == 10 else NAN_F32
        if positive or negative:
            return ((<uint32_t>1 << of_d.exponent_bits) - 1 | <uint32_t>negative << of_d.exponent_bits) << (of_d.fraction_bits + of_d.dropped)
    if addend.exponent > largest:
        largest = addend.exponent
    for i in range(count):
        exponent = a[i].exponent + b[i].exponent
        largest = exponent if exponent > largest else largest
    if largest == LEAST_EXPONENT:
        return 0
    sum = _shifted(addend.significand, bits - of_c.fraction_bits, largest - addend.exponent)
    # without a branch: signs and distances are as good as random. A product has 22 bits at most, and is lifted by less than 40
    for i in range(count):
        product = <int64_t>a[i].significand * b[i].significand
        sign = product >> 63
        shift = largest - a[i].exponent - b[i].exponent + cut
        shift = shift if shift < 63 else 63
        product = <int64_t>((<uint64_t>((product ^ sign) - sign) << lift) >> shift)
        sum += (product ^ sign) - sign
    return _encode(sum, largest - bits, of_d, of_d.fraction_bits == 10) << of_d.dropped


cdef bint decode(const uint32_t *words, int count, int together, Format f, Number *out) noexcept nogil:
    """Decode the numbers of `count` words, one or two in each. Returns whether one of them is no finite number."""
    cdef int i
    cdef int32_t special = 0
    for i in range(count):
        if together == 2:
            out[2 * i] = _number(words[i] & 0xffff, f)
            out[2 * i + 1] = _number(words[i] >> 16, f)
            special |= out[2 * i].kind | out[2 * i + 1].kind
        else:
            out[i] = _number(words[i], f)
            special |= out[i].kind
    return special != 0


cdef void _floats(const Launch *launch, Warp *w, const Uop *u, Format f) noexcept nogil:
    """16 and 19-bit floats; `fn` says which entry of the machine's tables holds."""
    cdef uint32_t words[MOST_WORDS]
    cdef uint32_t c[128]
    cdef Number a[256]
    cdef Number b[128]
    cdef int depth = <int>u.offset.depth, together = 32 // u.element.bits, length = depth // together, tall = u.vec.tiles, rows = 8 * u.vec.tiles
    cdef int step = <int>launch.m.isa.matrix.products[u.fn], bits = <int>launch.m.isa.matrix.fraction_bits[u.fn]
    cdef int lift = bits - 2 * f.fraction_bits, results = tall * (1 if u.form.matrix & MF_D_F16 else 2), k, row, column, at, count
    cdef bint special
    cdef Format of_c = F16 if u.form.matrix & MF_C_F16 else F32, of_d = F16 if u.form.matrix & MF_D_F16 else F32, of_sum
    if not u.form.matrix & MF_D_F16:
        of_d.fraction_bits = <int>launch.m.isa.matrix.result_bits[u.fn]
        of_d.dropped = 23 - of_d.fraction_bits
    multiplicand(launch, w, u, results, tall, length, words)
    special = decode(words, rows * length, together, f, a)
    multiplicand(launch, w, u, results + tall * length // 4, 1, length, words)
    special |= decode(words, 8 * length, together, f, b)
    addend(launch, w, u, results + (tall + 1) * length // 4, tall, u.form.matrix & MF_C_F16, c)
    for row in range(rows):
        for column in range(8):
            at = 8 * row + column
            of_sum = of_c
            k = 0
            while k < depth:
                count = step if step < depth - k else depth - k
                c[at] = sum_block(a + row * depth + k, b + column * depth + k, count, c[at], of_sum, lift, bits, of_d, special)
                of_sum = of_d
                k += count
    result(launch, w, u, 0, tall, u.form.matrix & MF_D_F16, c)


cdef void _doubles(const Launch *launch, Warp *w, const Uop *u) noexcept nogil:
    cdef double a[256]
    cdef double b[128]
    cdef double d[128]
    cdef const double *row
    cdef int depth = <int>u.offset.depth, tall = u.vec.tiles, results = 2 * tall, i, k, lane, column
    cdef double sum, x, y, last
    for i in range(tall * depth // 4):
        row = <const double *>_operand(launch, w, u, results + i)
        for lane in range(LANES):
            a[(lane // 4 + 8 * (i % tall)) * depth + lane % 4 + 4 * (i // tall)] = row[lane]
    for i in range(depth // 4):
        row = <const double *>_operand(launch, w, u, results + tall * depth // 4 + i)
        for lane in range(LANES):
            b[lane // 4 * depth + lane % 4 + 4 * i] = row[lane]
    for i in range(results):
        row = <const double *>_operand(launch, w, u, results + (tall + 1) * depth // 4 + i)
        for lane in range(LANES):
            d[(lane // 4 + 8 * (i // 2)) * 8 + 2 * (lane % 4) + i % 2] = row[lane]
    if u.fpenv:
        set_fpenv(u.fpenv)
    for i in range(64 * tall):
        column = i % 8
        sum = d[i]
        for k in range(depth):
            x = a[i // 8 * depth + k]
            y = b[column * depth + k]
            last = sum
            sum = fma(x, y, last)
            if sum != sum:
                sum = _quiet(x, y, last)
        d[i] = sum
    if u.fpenv:
        set_fpenv(0)
    for i in range(results):
        row = <const double *>_operand(launch, w, u, i)
        for lane in range(LANES):
            (<double *>row)[lane] = d[(lane // 4 + 8 * (i // 2)) * 8 + 2 * (lane % 4) + i % 2]


cdef double _quiet(double x, double y, double z) noexcept nogil:
    """The NaN that a multiply-add gives: the second factor's payload before the sum's before the first factor's, made quiet."""
    cdef uint64_t bits = <uint64_t>0xfff8 << 48
    cdef double chosen = y if y != y else z if z != z else x
    if chosen != chosen:
        memcpy(&bits, &chosen, 8)
        bits |= <uint64_t>1 << 51
    memcpy(&chosen, &bits, 8)
    return chosen


# -------------------------------------------------------------------------------------------------------------- integers
cdef void _integers(const Launch *launch, Warp *w, const Uop *u) noexcept nogil:
    """Exact sums of 4 or 8-bit products; the last addition wraps, or stops at the ends of the range."""
    cdef uint32_t words[MOST_WORDS]
    cdef uint32_t c[128]
    cdef int16_t a[16 * 64]
    cdef int16_t b[8 * 64]
    cdef int depth = <int>u.offset.depth, together = 32 // u.element.bits, length = depth // together, tall = u.vec.tiles, results = 2 * tall
    multiplicand(launch, w, u, results, tall, length, words)
    unpack(words, 8 * tall * length, u.element.bits, u.form.matrix & MF_SIGNED_A, a)
    multiplicand(launch, w, u, results + tall * length // 4, 1, length, words)
    unpack(words, 8 * length, u.element.bits, u.form.matrix & MF_SIGNED_B, b)
    addend(launch, w, u, results + (tall + 1) * length // 4, tall, False, c)
    add_integers(a, b, 64 * tall, depth, u.form.matrix & MF_SATURATE != 0, c)
    result(launch, w, u, 0, tall, False, c)


cdef void unpack(const uint32_t *words, int count, int width, bint signed_, int16_t *out) noexcept nogil:
    """Numbers of 4 or 8 bits of `count` words, the lowest first."""
    cdef int i, k, each = 32 // width
    cdef uint32_t word, mask = (<uint32_t>1 << width) - 1, sign = <uint32_t>1 << (width - 1) if signed_ else 0
    for i in range(count):
        word = words[i]
        for k in range(each):
            out[i * each + k] = <int16_t>(<int32_t>((word & mask) ^ sign) - <int32_t>sign)
            word >>= width


cdef void _bits(const Launch *launch, Warp *w, const Uop *u) noexcept nogil:
    cdef uint32_t a[MOST_WORDS]
    cdef uint32_t b[MOST_WORDS]
    cdef uint32_t c[128]
    cdef uint32_t x, y
    cdef int length = <int>u.offset.depth // 32, tall = u.vec.tiles, results = 2 * tall, i, k
    multiplicand(launch, w, u, results, tall, length, a)
    multiplicand(launch, w, u, results + tall * length // 4, 1, length, b)
    addend(launch, w, u, results + (tall + 1) * length // 4, tall, False, c)
    for i in range(64 * tall):
        for k in range(length):
            x = a[i // 8 * length + k]
            y = b[i % 8 * length + k]
            c[i] += <uint32_t>count_bits(x ^ y if u.fn == MX_BITS_XOR else x & y)
    result(launch, w, u, 0, tall, False, c)


# ---------------------------------------------------------------------------------------------------------------- groups
cdef inline float _single(uint32_t bits) noexcept nogil:
    cdef float x
    memcpy(&x, &bits, 4)
    return x


cdef inline uint32_t _single_bits(float x) noexcept nogil:
    cdef uint32_t bits = NAN_F32
    if x == x:
        memcpy(&bits, &x, 4)
    return bits


cdef inline float _widened(uint32_t half) noexcept nogil:
    cdef Number n = _number(half & 0xffff, F16)
    if n.kind == 2:
        return _single(NAN_F32)
    if n.kind:
        return _single(0x7f800000 if n.kind > 0 else <uint32_t>0xff800000)
    if n.significand == 0:
        return _single(half >> 15 << 31)
    return <float>n.significand * _single(<uint32_t>(127 + n.exponent - 10) << 23)


cdef inline uint32_t _narrowed(uint32_t single) noexcept nogil:
    """f16 nearest to a single-precision number; zeros keep their sign."""
    cdef Number n = _number(single, F32)
    if n.kind == 2:
        return NAN_F16
    if n.kind:
        return 0x7c00 | single >> 16 & 0x8000
    return _encode(n.significand, n.exponent - 23, F16, True) | single >> 16 & 0x8000


cdef uint32_t _sum(const Launch *launch, const Uop *u, const uint32_t *a, const uint32_t *b, uint32_t c) noexcept nogil:
    """Add four products of f16 to c, as the machine does it for groups of lanes."""
    cdef int which = 4 if u.form.matrix & MF_D_F16 else 3, k
    cdef Format of_c = F16 if u.form.matrix & MF_C_F16 else F32, of_d = F16 if u.form.matrix & MF_D_F16 else F32
    cdef Number x[4]
    cdef Number y[4]
    cdef float sum = 0, addend
    if launch.m.isa.matrix.sum[which] == SUM_ALIGNED:
        for k in range(4):
            x[k] = _number(a[k], F16)
            y[k] = _number(b[k], F16)
        return sum_block(x, y, 4, c, of_c, <int>launch.m.isa.matrix.fraction_bits[which] - 2 * F16.fraction_bits,
                         <int>launch.m.isa.matrix.fraction_bits[which], of_d, True)
    addend = _widened(c) if u.form.matrix & MF_C_F16 else _single(c)
    if launch.m.isa.matrix.sum[which] == SUM_PAIRED:
        sum = fmaf(_widened(a[1]), _widened(b[1]), _widened(a[0]) * _widened(b[0]))
        addend = addend + sum
        sum = fmaf(_widened(a[3]), _widened(b[3]), _widened(a[2]) * _widened(b[2]))
    else:
        for k in range(4):
            sum = fmaf(_widened(a[k]), _widened(b[k]), sum)
    addend = addend + sum
    return _narrowed(_single_bits(addend)) if u.form.matrix & MF_D_F16 else _single_bits(addend)


cdef void _groups(const Launch *launch, Warp *w, const Uop *u) noexcept nogil:
    """Four products of 8 x 4 by 4 x 8. Lanes 4 g to 4 g + 3 and the same 16 further on make group g; a lane holds four numbers that follow
    each other along a row (column, if it says so) of a and b, and eight of c and d."""
    cdef uint32_t a[4][8][4]
    cdef uint32_t b[4][8][4]           # column by column
    cdef uint32_t c[4][8][8]
    cdef bint half_c = u.form.matrix & MF_C_F16, half_d = u.form.matrix & MF_D_F16
    cdef int results = 4 if half_d else 8, i, lane, group, at, row, column
    cdef uint32_t value
    for lane in range(LANES):
        group = lane // 4 % 4
        at = lane % 4 + 4 * (lane // 16)
        for i in range(4):
            value = (<const uint32_t *>_operand(launch, w, u, results + i // 2))[lane] >> (16 * (i % 2)) & 0xffff
            if u.form.matrix & MF_COLUMN_A:
                a[group][i + 4 * (lane // 16)][lane % 4] = value
            else:
                a[group][at][i] = value
            value = (<const uint32_t *>_operand(launch, w, u, results + 2 + i // 2))[lane] >> (16 * (i % 2)) & 0xffff
            if u.form.matrix & MF_ROW_B:
                b[group][i + 4 * (lane // 16)][lane % 4] = value
            else:
                b[group][at][i] = value
        for i in range(8):
            if half_c:
                c[group][at][i] = (<const uint32_t *>_operand(launch, w, u, results + 4 + i // 2))[lane] >> (16 * (i % 2)) & 0xffff
            else:
                c[group][(lane & 1) + (i & 2) + 4 * (lane // 16)][(i & 4) + (lane & 2) + (i & 1)] = (
                    <const uint32_t *>_operand(launch, w, u, results + 4 + i))[lane]
    for group in range(4):
        for row in range(8):
            for column in range(8):
                c[group][row][column] = _sum(launch, u, a[group][row], b[group][column], c[group][row][column])
    for lane in range(LANES):
        group = lane // 4 % 4
        at = lane % 4 + 4 * (lane // 16)
        for i in range(results):
            if half_d:
                value = c[group][at][2 * i] | c[group][at][2 * i + 1] << 16
            else:
                value = c[group][(lane & 1) + (i & 2) + 4 * (lane // 16)][(i & 4) + (lane & 2) + (i & 1)]
            (<uint32_t *>_operand(launch, w, u, i))[lane] = value


# ----------------------------------------------------------------------------------------------------------------- tiles
cdef void _transpose(const Launch *launch, Warp *w, const Uop *u) noexcept nogil:
    """8 x 8 numbers of 16 bits: lane l holds numbers 2 (l % 4) and the next of row l // 4."""
    cdef uint16_t tile[64]
    cdef const uint16_t *source = <const uint16_t *>_operand(launch, w, u, 1)
    cdef uint16_t *target = <uint16_t *>_operand(launch, w, u, 0)
    cdef int i
    memcpy(tile, source, 128)
    for i in range(64):
        target[i] = tile[i % 8 * 8 + i // 8]


cdef int matrix_product(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Execute K_MATRIX for `lanes` (not empty). Returns -1 after a fault."""
    cdef const Launch *launch = w.launch
    if lanes != <uint64_t>0xffffffff:
        return part_of_warp(sm, w, lanes)
    if u.fn == MX_F64:
        _doubles(launch, w, u)
    elif u.fn == MX_INTEGER:
        _integers(launch, w, u)
    elif u.fn == MX_BITS_XOR or u.fn == MX_BITS_AND:
        _bits(launch, w, u)
    elif u.fn == MX_GROUPS:
        _groups(launch, w, u)
    elif u.fn == MX_TRANSPOSE:
        _transpose(launch, w, u)
    else:
        _floats(launch, w, u, F16 if u.fn == MX_F16 else BF16 if u.fn == MX_BF16 else TF32)
    return 0


cdef inline int _access_tiles(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach, TimelineRecord *timeline) noexcept nogil:
    """Load or store `vec` tiles of 8 x 8 numbers of 16 bits in shared memory; row r of tile t lies where lane 8 t + r says.

    A tile at a time goes over the banks, which a timeline, NULL: none, records. Returns -1 after a fault.
    """
    cdef Launch *launch = w.launch
    cdef uint64_t address[8]
    cdef uint16_t tile[64]
    cdef const char *base = (launch.constants if u.s_bank[0] else <const char *>w.rows) + u.s[0]
    cdef char *shared = sm.blocks[w.block].shared
    cdef int64_t passes
    cdef int t, i, lane
    memset(reach, 0, sizeof(Reach))
    if lanes != <uint64_t>0xffffffff:
        return part_of_warp(sm, w, lanes)
    for t in range(u.vec.tiles):
        for i in range(8):
            lane = 8 * t + i
            if u.flags & FL_ADDRESS64:
                address[i] = (<const uint64_t *>base)[lane] + <uint64_t>u.offset.bytes
            else:
                address[i] = <uint32_t>((<const uint32_t *>base)[lane] + <uint32_t>u.offset.bytes)
            address[i] = own_address(launch, sm.blocks + w.block, address[i] - <uint64_t>SHARED_WINDOW if u.form.generic else <uint32_t>address[i])
            if launch.shared_bytes < 16 or address[i] > <uint64_t>launch.shared_bytes - 16:
                return guest_fault(sm, w, FAULT_BOUNDS, lane, address[i])
            if address[i] & 15:
                return guest_fault(sm, w, FAULT_ALIGNMENT, lane, address[i])
        if u.kind == K_LOAD:
            for i in range(8):
                memcpy(tile + 8 * i, shared + address[i], 16)
            if u.d[t] >= 0:
                _spread(tile, <uint16_t *>(w.rows + u.d[t]), u.fn)
        else:
            _spread(<const uint16_t *>((launch.constants if u.s_bank[1 + t] else <const char *>w.rows) + u.s[1 + t]), tile, u.fn)
            for i in range(8):
                memcpy(shared + address[i], tile + 8 * i, 16)
        passes = bank_passes(&launch.m.shared, address, 0xff, 8, 16, False)
        if timeline != NULL:
            timeline_tile(timeline, launch, address)
        reach.shared_passes += passes & <int64_t>0xffffffff
        reach.shared_groups += passes >> 32
    return 0


cdef int access_tiles(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach) noexcept nogil:
    return _access_tiles(sm, w, u, lanes, reach, NULL)


cdef int access_tiles_recorded(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach) noexcept nogil:
    return _access_tiles(sm, w, u, lanes, reach, w.residency.recorded.timeline if w.residency.recorded != NULL else NULL)


cdef inline void _spread(const uint16_t *source, uint16_t *target, bint transposed) noexcept nogil:
    """Copy a tile, transposed or not; a lane's two numbers are neighbours in a row of registers as in memory."""
    cdef int i
    for i in range(64):
        target[i] = source[i % 8 * 8 + i // 8] if transposed else source[i]
